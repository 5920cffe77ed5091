"""What is stored is replaced only by somebody who has seen it."""

from __future__ import annotations

from types import EllipsisType
from typing import TypeVar

from ragdash.core.errors import InputError, Problem

Value = TypeVar("Value")
CHANGED = "changed-meanwhile"


def require_shown(stored: Value | None, shown: Value | EllipsisType | None, new: Value | None, what: str) -> None:
    """Raise InputError where somebody else has stored something since.

    Call it in the transaction that stores the new value.

    Parameters
    ----------
    shown
        What the person saw when they decided; None for nothing, ... where anything may be replaced.
    new
        What is to be stored. What is stored already is no conflict.
    what
        Its name for people, such as "the labeling policy".

    Examples
    --------
    >>> require_shown(stored="old", shown="old", new="mine", what="the labeling policy")
    """
    if shown is not ... and stored not in (shown, new):
        raise InputError([Problem(CHANGED, {"what": what})])
