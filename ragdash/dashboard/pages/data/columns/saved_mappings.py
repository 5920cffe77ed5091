"""Mappings made by hand, kept by the set of columns, to be offered for other files of that shape.

They are kept in this process and, where it can be written, in the workspace.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from contextlib import suppress

from ragdash.core.errors import InputError
from ragdash.dashboard.auth import rights
from ragdash.dashboard.session.data_store import workspace

MAX_MAPPINGS = 500

_mappings: OrderedDict[tuple[frozenset[str], str], dict[str, str]] = OrderedDict()
_lock = threading.Lock()


def save(columns: Iterable[str], name: str, mapping: Mapping[str, str]) -> None:
    """Keep a mapping ({our field: their column}) under a name; one of that name and shape is replaced.

    Raises InputError where the visitor may not do that.
    """
    key = (frozenset(columns), " ".join(name.split()) or "unnamed")
    with rights.change("save-mapping"):
        with suppress(InputError):  # then it is there for as long as the server runs
            workspace().keep_mapping(*key, mapping)
        with _lock:
            _mappings[key] = dict(mapping)
            _mappings.move_to_end(key)
            while len(_mappings) > MAX_MAPPINGS:
                _mappings.popitem(last=False)


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
