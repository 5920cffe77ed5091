"""The one place that allows a change: every write of a page is made within `change`, which asks for the right.

Where there is a login, it also writes the audit log. A page that was tampered with can ask for what it does not offer,
so what a page hides or grays is refused here all the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ragdash.core.errors import InputError, Problem
from ragdash.core.validation import is_switched_on
from ragdash.dashboard.auth import roles
from ragdash.dashboard.auth.actions import ACTIONS, ADMIN, READ_AUDIT, ROLES, VIEWER
from ragdash.dashboard.caches.shared_cache import ask_again
from ragdash.workspace.people.audit import FAILED, REFUSED, STARTED, AuditEntry, audit_log, object_name, utc_time

READ_ONLY = "RAGDASH_READ_ONLY"  # set by `ragdash dashboard --read-only`


def role() -> str:
    """The role of the visitor; "" for nobody. Without a login everybody may do everything."""
    try:
        listed = roles.access()
    except InputError:
        return ""
    return ADMIN if listed is None else listed.role(roles.user())


def may(action: str) -> bool:
    """Whether the visitor may do this, of ACTIONS. A server that is read-only lets admins read the audit log."""
    needed = ACTIONS[action].role
    if is_switched_on(READ_ONLY) and needed != VIEWER and action != READ_AUDIT:
        return False
    return ROLES.index(role()) >= ROLES.index(needed)


def who() -> str:
    """The mail address of the visitor, "" where there is no login."""
    try:
        has_login = roles.access() is not None
    except InputError:
        return ""
    return str(roles.user().get("email") or "").strip() if has_login else ""


@contextmanager
def change(action: str, thing: str = "") -> Iterator[None]:
    """Allow a change while this lasts, and note it in the audit log.

    Parameters
    ----------
    action
        Of ACTIONS.
    thing
        What is changed: a digest or an id, never a text.

    Raises
    ------
    InputError
        If the visitor may not do this, or the audit log cannot be written. Nothing is changed then.
    """
    ask_again()  # whoever asks is about to change something: what this script run has read so far is read again
    if not may(action):
        with suppress(InputError):  # refused all the same
            _note(action, thing, REFUSED)
        raise InputError([_refusal(action)])
    _note(action, thing, STARTED)
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            with suppress(InputError):  # the reason of the failure is what counts
                _note(action, thing, FAILED)


def _note(action: str, thing: str, outcome: str) -> None:
    """Add an entry where a login says who it is."""
    if person := who():
        audit_log().add(AuditEntry(action, person, role(), object_name(thing), utc_time(), outcome))


def _refusal(action: str) -> Problem:
    if is_switched_on(READ_ONLY):
        return Problem("read-only-workspace")
    return Problem("not-allowed", {"action": ACTIONS[action].words, "role": ACTIONS[action].role})
