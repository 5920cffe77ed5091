"""The files of a recorded run, and where they are in an archive."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

HEADER, PART, RESULTS = "header.json", "results.part.jsonl", "results.jsonl"
FAILURE = b'{"error":'  # how the line of a failed query begins


def folder_of(names: Iterable[str]) -> PurePosixPath | None:
    """The folder of the one header among the files of an archive; None where there is none, or several.

    Examples
    --------
    >>> str(folder_of(["a/header.json", "a/results.jsonl"])), folder_of(["header.json", "runs.jsonl"])
    ('a', None)
    """
    names = set(names)
    folders = [PurePosixPath(name).parent for name in names if PurePosixPath(name).name == HEADER]
    known = [folder for folder in folders if {str(folder / RESULTS), str(folder / PART)} & names]
    return known[0] if len(known) == 1 else None
