"""Mappings made by hand, kept by the set of columns, to be offered for other files of that shape.

They are kept in the workspace, or in this process where that cannot be written.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from contextlib import suppress

from ragdash.core.errors import InputError
from ragdash.core.storage.shown_values import CHANGED, require_shown
from ragdash.dashboard.auth import rights
from ragdash.dashboard.session.data_store import workspace

MAX_MAPPINGS = 500

_mappings: OrderedDict[tuple[frozenset[str], str], dict[str, str]] = OrderedDict()
_lock = threading.Lock()


def save(columns: Iterable[str], name: str, mapping: Mapping[str, str],
         shown: Mapping[str, Mapping[str, str]]) -> None:
    """Keep a mapping ({our field: their column}) under a name; one of that name and shape is replaced.

    shown: the mappings of this shape that the visitor saw. Raises InputError where another of that name is kept by
    now, and where the visitor may not do that.
    """
    key = (frozenset(columns), " ".join(name.split()) or "unnamed")

    def replace(stored: Mapping[str, str] | None) -> dict[str, str]:
        require_shown(stored, shown.get(key[1]), dict(mapping), f"the mapping {key[1]}")
        return dict(mapping)

    with rights.change("save-mapping"):
        try:
            workspace().keep_mapping(*key, replace)
        except InputError as error:
            if error.problems[0].message == CHANGED:
                raise
            with _lock:  # it is there for as long as the server runs
                _mappings[key] = replace(_mappings.get(key))
                _mappings.move_to_end(key)
                while len(_mappings) > MAX_MAPPINGS:
                    _mappings.popitem(last=False)
        else:
            with _lock:
                _mappings.pop(key, None)


def saved_for(columns: Iterable[str]) -> dict[str, dict[str, str]]:
    """The mappings of files with these columns by name, the newest first."""
    shape, mappings = frozenset(columns), {}
    with _lock:
        mappings |= {
            name: dict(mapping)
            for (file_columns, name), mapping in reversed(_mappings.items())
            if file_columns == shape
        }
    with suppress(InputError):
        mappings = workspace().mappings(shape) | mappings
    return mappings


def clear() -> None:
    """Forget those of this process."""
    with _lock:
        _mappings.clear()
