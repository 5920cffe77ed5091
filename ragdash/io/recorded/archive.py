"""Recorded runs that were packed: a zip with header.json and results.jsonl, in a log folder or by itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import RunHeader
from ragdash.io.recorded.names import FAILURE, HEADER, PART, RESULTS, folder_of
from ragdash.io.source.source import Source
from ragdash.io.source.zip_file import open_archive

MOST_KEPT = 1 << 16  # headers; a folder with more runs than are kept would be read anew each time


@dataclass(frozen=True)
class PackedRun:
    """What is known of a packed run without reading its results."""

    header: RunHeader
    is_closed: bool
    queries: int
    failures: int


def packed_run(path: Path) -> PackedRun | None:
    """The recorded run of an archive; None where it holds something else.

    Raises
    ------
    InputError, OSError
        If the archive or its header cannot be read.
    """
    status = path.stat()
    run = _packed_run(path, status.st_mtime_ns, status.st_size)
    if isinstance(run, Problem):
        raise InputError([run])
    return run


@lru_cache(MOST_KEPT)
def _packed_run(path: Path, _changed: int, _size: int) -> PackedRun | Problem | None:
    """The same once for each content; a problem in place of an error, so that it is kept too."""
    source = Source(path)
    try:
        with source.stream() as stream, open_archive(source, stream) as archive:
            names = set(archive.namelist())
            if (folder := folder_of(names)) is None:
                return None
            header = RunHeader.from_json(archive.read(str(folder / HEADER)), f"{path}/{folder / HEADER}")
            closed = str(folder / RESULTS) in names
            queries, failures = header.queries, header.failures or 0
            if queries is None or not closed:
                with archive.open(str(folder / (RESULTS if closed else PART))) as lines:
                    failed = [line.startswith(FAILURE) for line in lines if line.endswith(b"\n")]
                queries, failures = len(failed) - sum(failed), sum(failed)
    except InputError as error:
        return error.problems[0]
    return PackedRun(header, closed, queries, failures)
