"""Read recorded runs, list the runs of a log folder, and see how far each has come.

    LOGDIR/RUN_ID/header.json          what is known of the run
    LOGDIR/RUN_ID/results.part.jsonl   a line per query, while the run is recorded
    LOGDIR/RUN_ID/results.jsonl        the same file, renamed when the run was closed
    LOGDIR/NAME.zip                    the folder of a run, packed
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, RunHeader
from ragdash.core.storage.file_lock import is_locked
from ragdash.io.recorded.lines import parsed_lines, split_lines
from ragdash.io.recorded.names import FAILURE, HEADER, PART, RESULTS, folder_of
from ragdash.io.recorded.plain_results import read_plain_results
from ragdash.io.source.source import Source
from ragdash.io.source.zip_file import open_archive

MOST_KEPT = 1 << 16  # headers; a folder with more runs than are kept would be read anew each time
ARCHIVE = ".zip"
ReadLines = Callable[[Source, str | None], list[Run]]
_COUNTED: dict[str, tuple[int, int, int]] = {}  # file: bytes, results and failures counted


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


__all__ = ["FAILURE", "HEADER", "PART", "RESULTS", "LogEntry", "is_recorded", "is_recorded_folder", "log_entries",
           "log_entry", "read_archive", "read_folder", "read_part", "unreadable_runs"]


@dataclass(frozen=True)
class LogEntry:
    """A recorded run in a log folder; path: of its folder, or of the zip archive that it is packed in.

    state: "complete", "recording" or "interrupted". queries and failures: lines written up to now. version: changes
    with the content.
    """

    path: Path
    header: RunHeader
    state: str
    queries: int
    failures: int
    version: tuple[int, int]


def is_recorded(names: Iterable[str]) -> bool:
    """Whether these files are those of one recorded run: header.json next to its results.

    Examples
    --------
    >>> is_recorded(["a/header.json", "a/results.jsonl"]), is_recorded(["header.json", "runs.jsonl"])
    (True, False)
    """
    return folder_of(names) is not None


def is_recorded_folder(path: Path) -> bool:
    """Whether a folder is a recorded run; one that holds others is a log folder, whatever else was copied into it."""
    return _has_run_files(path) and not any(_has_run_files(inner) for inner in path.iterdir())


def _has_run_files(path: Path) -> bool:
    return (path / HEADER).is_file() and ((path / RESULTS).is_file() or (path / PART).is_file())


def read_folder(path: Path, read: ReadLines, name: str | None = None) -> Run:
    """Read the recorded run of a folder. read: the reader of JSONL.

    Raises
    ------
    InputError
        If the run was not closed, because its means would be those of its first queries alone.
    """
    try:
        header = RunHeader.from_json((path / HEADER).read_bytes(), str(path / HEADER))
        if not (path / RESULTS).is_file():
            _fail_unfinished(path, header)
        content = (path / RESULTS).read_bytes()
    except OSError as error:
        raise InputError([Problem("recorded-run/unreadable", {"reason": error.strerror or str(error)},
                                  str(path))]) from None
    return _run_of(header, str(path / RESULTS), content, read, name)


def read_archive(files: dict[str, Source], read: ReadLines, name: str | None = None) -> Run:
    """Read the recorded run of a zip archive."""
    folder = folder_of(files) or PurePosixPath()
    header_file = files[str(folder / HEADER)]
    header = RunHeader.from_json(header_file.raw, header_file.file)
    if str(folder / RESULTS) not in files:
        raise InputError([_unfinished(header, "interrupted", files[str(folder / PART)].raw.count(b"\n"),
                                      header_file.file)])
    results = files[str(folder / RESULTS)]
    return _run_of(header, results.file, results.raw, read, name)


def read_part(path: Path, read: ReadLines) -> Run:
    """Read what was recorded of a run up to now, whether it was closed or not; a line that was cut off is left out."""
    header = RunHeader.from_json((path / HEADER).read_bytes(), str(path / HEADER))
    file = path / RESULTS if (path / RESULTS).is_file() else path / PART
    content = file.read_bytes()
    return _run_of(header, str(file), content[:content.rfind(b"\n") + 1], read, None)


def _run_of(header: RunHeader, file: str, content: bytes, read: ReadLines, name: str | None) -> Run:
    failures: dict[str, str] = {}
    plain = read_plain_results(parsed_lines(content, file, failures), file, name or header.name)
    queries = 0 if plain is None else len(plain)
    runs = [] if plain is None else [plain]
    if plain is None:
        results, failures = split_lines(content, file)
        if not results:
            raise InputError([Problem("recorded-run/empty", {"failures": len(failures)}, file)])
        queries = len(results)
        runs = read(Source((file, b"\n".join(results.values()) + b"\n")), name or header.name)
    if len(runs) != 1:
        raise InputError([Problem("several-configurations/read-one",
                                  {"count": len(runs), "names": [run.name for run in runs]}, file)])
    problems = runs[0].problems
    if failures:
        reasons = dict(Counter(failures.values()).most_common(3))
        facts = {"failed": len(failures), "total": len(failures) + queries, "reasons": reasons}
        problems = (*problems, Problem("recorded-run/failures", facts, file, severity="warning"))
    if (header.concurrency or 1) > 1:
        problems = (*problems, Problem("recorded-run/concurrency", {"calls": header.concurrency}, file,
                                       severity="warning"))
    return replace(runs[0], header=header, settings=dict(header.settings), problems=problems)


def log_entries(folder: Path) -> list[LogEntry]:
    """The recorded runs of a log folder, oldest first; what is no recorded run is passed over.

    A packed run counts where its folder is not there too.

    Examples
    --------
    >>> log_entries(Path("no-such-folder"))
    []
    """
    entries, archives = [], []
    with suppress(OSError):
        for item in os.scandir(folder):
            with suppress(OSError, InputError):
                if item.is_dir():
                    entries.append(log_entry(Path(item.path)))
                elif item.is_file() and item.name.lower().endswith(ARCHIVE):
                    archives.append(_archive_entry(Path(item.path)))
    known = {entry.header.run_id for entry in entries if entry is not None}
    for entry in sorted((entry for entry in archives if entry is not None), key=lambda entry: entry.path.name):
        if entry.header.run_id not in known:
            known.add(entry.header.run_id)
            entries.append(entry)
    return sorted((entry for entry in entries if entry is not None),
                  key=lambda entry: (entry.header.created, entry.header.run_id))


def unreadable_runs(folder: Path) -> list[Problem]:
    """What is wrong with recorded runs of a log folder that are passed over: a damaged header, a zip file cut off."""
    problems: list[Problem] = []
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            try:
                if path.name.lower().endswith(ARCHIVE) and path.is_file():
                    packed_run(path)
                elif path.is_dir() and is_recorded_folder(path):
                    _header(path / HEADER, (path / HEADER).stat().st_mtime_ns)
            except InputError as error:
                problems += [problem for problem in error.problems if problem.message != "recorded-header/other"]
            except OSError as error:
                problems.append(Problem("recorded-run/unreadable", {"reason": error.strerror or str(error)}, str(path)))
    return problems


def _archive_entry(path: Path) -> LogEntry | None:
    run, status = packed_run(path), path.stat()
    return None if run is None else LogEntry(path, run.header, "complete" if run.is_closed else "interrupted",
                                             run.queries, run.failures, (status.st_mtime_ns, status.st_size))


def log_entry(path: Path) -> LogEntry | None:
    """The recorded run of a folder; None where the folder is something else.

    Raises
    ------
    InputError, OSError
        If its header cannot be read.
    """
    for name in (RESULTS, PART):
        file = path / name
        if file.is_file() and (path / HEADER).is_file():
            break
    else:
        return None
    header = _header(path / HEADER, (path / HEADER).stat().st_mtime_ns)
    status = file.stat()
    state = "complete" if name == RESULTS else "recording" if is_locked(file) else "interrupted"
    queries, failures = _line_counts(file, status.st_size) if header.queries is None or state != "complete" else (
        header.queries, header.failures or 0)
    return LogEntry(path, header, state, queries, failures, (status.st_mtime_ns, status.st_size))


@lru_cache(MOST_KEPT)
def _header(file: Path, _changed: int) -> RunHeader:
    return RunHeader.from_json(file.read_bytes(), str(file))


def _line_counts(file: Path, size: int) -> tuple[int, int]:
    """(results, failures) of a growing file; what was counted before is not read again."""
    counted, results, failures = _COUNTED.get(str(file), (0, 0, 0))
    if counted > size:
        counted, results, failures = 0, 0, 0
    with open(file, "rb") as stream:
        stream.seek(counted)
        content = stream.read(size - counted)
    whole = content[:content.rfind(b"\n") + 1]
    failed = sum(line.startswith(FAILURE) for line in whole.split(b"\n"))
    results, failures = results + whole.count(b"\n") - failed, failures + failed
    _COUNTED[str(file)] = (counted + len(whole), results, failures)
    return results, failures


def _fail_unfinished(path: Path, header: RunHeader) -> None:
    part = path / PART
    state = "recording" if is_locked(part) else "interrupted"
    raise InputError([_unfinished(header, state, part.read_bytes().count(b"\n"), str(path))])


def _unfinished(header: RunHeader, state: str, queries: int, file: str) -> Problem:
    return Problem(f"unfinished-run/{state}", {"name": header.name, "queries": queries}, file)
