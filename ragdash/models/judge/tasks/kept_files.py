"""Where rubrics, the labeling policy and examples are kept: in a folder, or in the database that servers share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from ragdash.core.paths import workspace
from ragdash.core.storage.folder_files import FolderFiles
from ragdash.core.storage.protocols import Files
from ragdash.core.storage.shared import shared_files

RUBRICS, POLICY, EXAMPLES = "rubrics", "labeling_policy", "judge_examples"
KINDS: Mapping[str, tuple[str, str]] = {RUBRICS: ("rubrics", ".toml"), POLICY: ("", ".toml"), EXAMPLES: ("", ".json")}
"""The folder of each kind in a workspace, and the suffix of its files. The last two are one file of that name each."""
_READ: dict[tuple[str, str], tuple[int, dict[str, bytes]]] = {}
_LOCK = Lock()


def kept_files(kind: str) -> Files:
    """The files of a kind in the workspace of the user."""
    return shared_files(kind) or folder_files(workspace(), kind)


def folder_files(folder: Path, kind: str) -> Files:
    """The files of a kind in a workspace that is a folder."""
    place, suffix = KINDS[kind]
    return FolderFiles(folder / place, suffix)


def names_of(files: Files, kind: str) -> list[str]:
    """The names of a kind, in order: next to a policy and examples a folder has other files."""
    return sorted(name for name in files.names() if kind not in (POLICY, EXAMPLES) or name == kind)


def read_all(kind: str) -> Mapping[str, bytes]:
    """All contents of a kind by name; a database is asked again only when one of its servers changed something."""
    files = kept_files(kind)
    place, stamp = (files.location, kind), files.stamp()
    with _LOCK:
        read_at, contents = _READ.get(place, (None, {}))
    if stamp is not None and read_at == stamp:
        return contents
    contents = {}
    for name in names_of(files, kind):
        try:
            contents[name] = files.get(name)
        except FileNotFoundError:  # deleted meanwhile
            continue
    if stamp is not None:
        with _LOCK:
            _READ[place] = stamp, contents
    return contents
