"""Who may come in and who may change things, where .streamlit/secrets.toml asks for a login (docs/reference/deploy.md).

    [auth]                            # as st.login wants it
    [access]
    editors = ["ada@example.org"]     # see and change everything
    viewers = ["bob@example.org"]     # see everything
    admins = ["kim@example.org"]      # also delete for good, and read the audit log
    editor_groups = ["search-team"]   # the same by the groups that the provider names, in the claim groups_claim
    [access.projects.search]          # in place of these lists, for one project of a shared workspace
    editors = ["eve@example.org"]

Whatever is unclear lets nobody in: a file that cannot be read, lists that are none, lists without a login, a file that
is gone since the server has read it. Without such a file everybody who reaches the server may do everything.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.addresses import workspace_database
from ragdash.dashboard.auth.actions import ADMIN, EDITOR, VIEWER
from ragdash.dashboard.auth.secrets_file import tell_unreadable
from ragdash.dashboard.caches.shared_cache import once_a_run
from ragdash.models.judge.allowed_hosts import PUBLIC, VARIABLE, AllowedHosts

AUTH, ACCESS, EDITORS, VIEWERS, JUDGE_HOSTS = "auth", "access", "editors", "viewers", "judge_hosts"
EDITOR_GROUPS, VIEWER_GROUPS, GROUPS_CLAIM, PROJECTS = "editor_groups", "viewer_groups", "groups_claim", "projects"
ADMINS, ADMIN_GROUPS = "admins", "admin_groups"
PEOPLE = (ADMINS, EDITORS, VIEWERS)
LISTS = {*PEOPLE, ADMIN_GROUPS, EDITOR_GROUPS, VIEWER_GROUPS}
_NOT_UNVERIFIED = ("none", "true", "1")  # providers write a truth value in several ways; many write none
_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)
OPTIONS = {"redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url", "client_kwargs",
           "expose_tokens"}  # of [auth] itself; what else is a table there is a provider


_ENDED: set[str] = set()  # logins of this process, by what the provider said
_guarding: object = None  # the secrets that have asked for a login, for as long as the server runs


@dataclass(frozen=True)
class Access:
    """Who is listed, in lower case, and the names of the login's providers (None: the one of [auth] itself).

    judge_hosts: hosts that judges may be called at, with commas between. editor_groups, viewer_groups: as the provider
    spells them; groups_claim: where it names the groups of a person, with dots between the names of nested claims.
    """

    editors: frozenset[str]
    viewers: frozenset[str]
    providers: tuple[str | None, ...]

    judge_hosts: str | None = None
    editor_groups: frozenset[str] = frozenset()
    viewer_groups: frozenset[str] = frozenset()
    groups_claim: str = "groups"
    admins: frozenset[str] = frozenset()
    admin_groups: frozenset[str] = frozenset()

    def role(self, user: Mapping) -> str:
        """"admin", "editor", "viewer", or "" for nobody: not logged in, not listed, or an address that is not verified.

        The highest one of an address and its groups counts.
        """
        email = _address(str(user.get("email") or ""))
        unverified = str(user.get("email_verified")).casefold() not in _NOT_UNVERIFIED
        if user.get("is_logged_in") is not True or not email or unverified:
            return ""
        groups = _groups_of(user, self.groups_claim)
        lists = ((ADMIN, self.admins, self.admin_groups), (EDITOR, self.editors, self.editor_groups),
                 (VIEWER, self.viewers, self.viewer_groups))
        return next((role for role, people, of_role in lists if email in people or groups & of_role), "")


@once_a_run
def access() -> Access | None:
    """What secrets.toml says, None where it asks for no login. Raises InputError where that is not clear, and where it
    asked for one before: a file that is replaced is gone for a moment.
    """
    global _guarding
    listed = _read_access()
    if listed is not None:
        _guarding = st.secrets
    elif _guarding is st.secrets:
        raise _unclear("unclear-access/gone")
    return listed


def _read_access() -> Access | None:
    tell_unreadable()
    if not st.secrets.load_if_toml_exists():
        for path in st.get_option("secrets.files"):
            if Path(path).exists():
                raise _unclear("unclear-access/unreadable", {"name": Path(path).name})
        return None
    auth, lists = st.secrets.get(AUTH), st.secrets.get(ACCESS)
    if auth is None and lists is None:
        return None
    if not isinstance(auth, Mapping):
        raise _unclear("unclear-access/no-auth")
    if not isinstance(lists, Mapping) or lists.keys() - {*LISTS, JUDGE_HOSTS, GROUPS_CLAIM, PROJECTS}:
        if lists is None:
            raise _unclear("unclear-access/no-lists")
        if isinstance(lists, Mapping):
            raise _unclear("unclear-access/keys", {"keys": list(lists)})
        raise _unclear("unclear-access/value", {"value": repr(lists)})
    named_providers = [name for name, value in auth.items() if isinstance(value, Mapping) and name not in OPTIONS]
    default_provider = [None] if "client_id" in auth or not named_providers else []
    of_project = _lists_of_project(lists)
    claim = lists.get(GROUPS_CLAIM, "groups")
    if not isinstance(claim, str) or not claim:
        raise _unclear("unclear-access/claim", {"value": repr(claim)}, GROUPS_CLAIM)
    return Access(_addresses(of_project, EDITORS), _addresses(of_project, VIEWERS),
                  (*default_provider, *named_providers), _judge_hosts(lists), _groups(of_project, EDITOR_GROUPS),
                  _groups(of_project, VIEWER_GROUPS), claim, _addresses(of_project, ADMINS),
                  _groups(of_project, ADMIN_GROUPS))


def _lists_of_project(lists: Mapping) -> Mapping:
    """The lists for the project of this server: its own where it has a table, else those of [access] itself."""
    projects = lists.get(PROJECTS, {})
    if not isinstance(projects, Mapping) or not all(
        isinstance(table, Mapping) and not table.keys() - LISTS for table in projects.values()
    ):
        raise _unclear("unclear-access/projects", {"value": repr(projects)}, PROJECTS)
    for table in projects.values():  # a table that is wrong lets nobody in, also on the servers of other projects
        for key in LISTS:
            (_addresses if key in PEOPLE else _groups)(table, key)
    database = workspace_database()
    return projects.get(database.project, lists) if database is not None else lists


def _groups_of(user: Mapping, claim: str) -> frozenset[str]:
    """The groups that the login names; none where the claim is not there or is something else."""
    value: object = user.get(claim)
    if value is None:
        value = user
        for name in claim.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
    names = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    return frozenset(name for name in names if isinstance(name, str) and name)


def secret(name: str) -> str | None:
    """The text at the top of the secrets; None where there is none, or no file of secrets that can be read."""
    value = st.secrets.get(name) if st.secrets.load_if_toml_exists() else None
    return value if isinstance(value, str) else None


def user() -> dict:
    """What the login says about the visitor; empty outside a session, and after `log_out` in any tab.

    Halves of characters, which no page can show and no file can hold, are replaced.
    """
    given = st.user.to_dict() if get_script_run_ctx(suppress_warning=True) else {}
    claims = {name: value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(value, str)
              else value for name, value in given.items()}
    return {} if _ENDED and _login_of(claims) in _ENDED else claims


def log_out() -> None:
    """End the login of the visitor in every tab of the browser; Streamlit alone ends it where a page is loaded."""
    claims = user()
    if "iat" in claims:  # the time of the login, without which the next login would be the same
        _ENDED.add(_login_of(claims))
    st.logout()


def _login_of(claims: Mapping) -> str:
    return json.dumps(claims, sort_keys=True, default=str)


def _addresses(lists: Mapping, key: str) -> frozenset[str]:
    addresses = lists.get(key, [])
    if not isinstance(addresses, list | tuple) or not all(
        isinstance(address, str) and "@" in address for address in addresses
    ):
        raise _unclear("unclear-access/addresses", {"key": key, "value": repr(addresses)}, key)
    return frozenset(map(_address, addresses))


def _groups(lists: Mapping, key: str) -> frozenset[str]:
    names = lists.get(key, [])
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
        raise _unclear("unclear-access/groups", {"key": key, "value": repr(names)}, key)
    return frozenset(names)


def _address(text: str) -> str:
    """An address whose case does not matter: of ASCII letters alone, as other letters (U+212A) become these in small.

    Examples
    --------
    >>> _address(" Kim@Example.org"), _address("\u212aim@example.org") == _address("kim@example.org")
    ('kim@example.org', False)
    """
    return text.strip(" \t\r\n").translate(_SMALL)


def _judge_hosts(lists: Mapping) -> str:
    """Hosts that judges may be called at, with commas between; those on the internet where the file says nothing."""
    hosts = lists.get(JUDGE_HOSTS, [PUBLIC])
    if not isinstance(hosts, list | tuple) or not all(isinstance(host, str) for host in hosts):
        raise _unclear("unclear-access/hosts", {"value": repr(hosts)}, JUDGE_HOSTS)
    try:
        AllowedHosts.parse(",".join(hosts))
    except InputError:
        raise _unclear("unclear-access/hosts", {"value": repr(hosts)}, JUDGE_HOSTS) from None
    return ",".join(hosts)


def judge_hosts() -> str | None:
    """Hosts that judges may be called at: those of `ragdash dashboard --judge-hosts`, else of secrets.toml; None: any.

    Raises InputError where secrets.toml is not clear.
    """
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    listed = access()
    return None if listed is None else listed.judge_hosts


def _unclear(message: str, facts: Mapping | None = None, field: str = ACCESS) -> InputError:
    return InputError([Problem(message, facts or {}, "secrets.toml", field=field)])
