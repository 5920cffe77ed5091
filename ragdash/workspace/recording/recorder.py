"""Record a run query by query: what was added is on the disk at once and survives the end of the process.

A run is a folder of its own (`ragdash.io.recorded.folder`). Lines are only ever appended; closing renames the file.
"""

from __future__ import annotations

import os
import re
import secrets
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import log_folder, path_of
from ragdash.core.records import Run, RunHeader, Truth
from ragdash.core.records.arguments import checked, id_of, items_of
from ragdash.core.records.flat_settings import flat_settings, object_members
from ragdash.core.storage.file_lock import lock
from ragdash.core.text.quoted import kind_of, object_text
from ragdash.io import read_run
from ragdash.io.recorded.folder import HEADER, PART, RESULTS, LogEntry, log_entries
from ragdash.io.recorded.lines import split_lines
from ragdash.workspace.recording.environment import git_revision, package_versions
from ragdash.workspace.recording.query_record import QueryRecord
from ragdash.workspace.recording.result_file import ResultFile
from ragdash.workspace.recording.result_lines import failure_line, has_scores, result_line

_ANY_TIME = "2026-01-01T00:00:00+00:00"


class RecordingWarning(UserWarning):
    """Something about a recording that its user should know; the recording goes on."""


@checked
def record(name: str, *, settings: Mapping | None = None, tags: str | Iterable[str] | None = (),
           group: str | int | None = None, repeat: int | None = None, data: Mapping[str, object] | None = None,
           folder: str | os.PathLike | None = None, resume: bool = False) -> Recording:
    """Record a run: `with ragdash.record("hybrid") as run: run.add("q1", ["d7", "d2"])`.

    Parameters
    ----------
    name
        What the configuration is called. Many runs may have one name.
    settings
        Of the configuration, also nested. Values that look like secrets are never kept; a warning names them.
    tags
        Words to find the run by.
    group, repeat
        Runs of one group and name are repeats of each other. Without a number, a run gets the next one.
    data
        What was asked: {"truth": a Truth, or its digest, ...}.
    folder
        The log folder; default RAGDASH_LOG_DIR, else ./ragdash-logs.
    resume
        Go on with the last interrupted run of the same name, settings, group and data. InputError if there is none.

    Returns
    -------
    Recording
        Threads and async tasks may share it; other processes may not, and get an InputError.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as logs:
    ...     with record("hybrid", settings={"retriever": {"k": 2}}, folder=logs) as run:
    ...         run.add("q1", ["d7", "d2"], query="Who?", answer="Ada")
    ...         with run.query("q2", "When?") as q:
    ...             q.documents = ["d1"]
    ...     run.result(), run.result().settings
    (<Run 'hybrid': 2 queries, 3 documents returned>, {'retriever.k': 2})
    """
    if settings is not None and not isinstance(settings, Mapping) and object_members(settings) is None:
        raise InputError([Problem("recording/settings", {"kind": type(settings).__name__}, field="settings")])
    listed = [] if tags is None else [tags] if isinstance(tags, str) else items_of(tags)
    if listed is None:
        raise InputError([Problem("recording/tags", {"kind": type(tags).__name__}, field="tags")])
    name = as_name(name, "name")
    flat, removed = flat_settings({} if settings is None else settings)
    if removed:
        problem = Problem("recording/secrets", {"names": list(removed), "name": name}, severity="warning")
        warnings.warn(str(problem), RecordingWarning, stacklevel=2)
    digests = {key: _digest(value) for key, value in (data or {}).items()}
    tags = tuple(dict.fromkeys(as_name(tag, "tags") for tag in listed))
    group = None if group is None else as_name(group, "group")
    header = RunHeader("", name, "", settings=flat, tags=tags, group=group,
                       repeat=repeat, removed=removed, data=digests)
    _check_readable(header)
    return Recording(header, path_of(folder, "folder") if folder is not None else log_folder(), resume)


def as_name(value: object, field: str) -> str:
    """A name, tag or group as text; InputError for an empty one, and for an object that says nothing of itself."""
    text = value if isinstance(value, str) else object_text(value)
    if not text and not isinstance(value, str):
        raise InputError([Problem("python-object/name", {"kind": kind_of(value)}, field=field)])
    if not text.strip():
        raise InputError([Problem("recording/empty", {"name": field}, field=field)])
    return text


def _check_readable(header: RunHeader) -> None:
    """Raise InputError where what was given could not be read back from the header's file."""
    try:
        RunHeader.from_json(replace(header, run_id=header.name, created=_ANY_TIME).to_json())
    except TypeError as error:  # of orjson
        raise InputError([Problem("recording/header", {"reason": str(error)}, field="settings")]) from None
    except InputError as error:
        reason = str(error.problems[0].facts.get("reason", ""))
        raise InputError([Problem("recording/header", {"reason": reason}, field="settings")]) from None


def interrupted_run(folder: Path, header: RunHeader) -> LogEntry | None:
    """The last interrupted run that a recording can go on with: same name, settings, group and data."""
    def key(other: RunHeader) -> tuple:
        return other.name, dict(other.settings), other.group, dict(other.data)

    entries = [entry for entry in log_entries(folder) if entry.state == "interrupted" and entry.path.is_dir()
               and key(entry.header) == key(header) and header.repeat in (None, entry.header.repeat)]
    return entries[-1] if entries else None


class Recording:
    """A run that is being recorded, see `record`. Use it in a with block, or call start() and close().

    Attributes
    ----------
    header, path
        The RunHeader, and the folder of the run.
    """

    def __init__(self, header: RunHeader, folder: Path, resume: bool = False):
        self.header, self.folder, self.path = header, folder, folder
        self._resume = resume
        self._results: ResultFile | None = None
        self._started, self._process = False, os.getpid()
        self._guard = threading.Lock()
        self._added: set[str] = set()
        self._failed: set[str] = set()
        self._scored: bool | None = None  # whether documents have scores: those of all queries, or of none

    def __repr__(self) -> str:
        return f"<Recording {self.header.name!r}: {len(self._added):,} queries, {len(self._failed):,} failed>"

    def __enter__(self) -> Recording:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if kind is None:
            self.close()
        else:
            with suppress(InputError):  # of a full disk, which must not hide the error that ended the recording
                self._end(kind_of(error))

    @property
    def queries(self) -> frozenset[str]:
        """The queries that were added, without those that failed."""
        return frozenset(self._added)

    def start(self) -> Recording:
        """Create the folder of the run, or open that of the interrupted one."""
        if self._started:
            raise InputError([Problem("recording/started", {"name": self.header.name})])
        self._started = True
        with _writing(self.folder):
            self.folder = self.path = self.folder.absolute()  # a program may change to another folder meanwhile
        with _writing(self.folder), _folder_lock(self.folder):
            if self._resume:
                self._open_interrupted()
            else:
                self._create()
        return self

    def add(self, query_id: str | int, documents: object = None, *, query: str | None = None, answer: str | None = None,
            contexts: Iterable[str] | None = None, latency_ms: float | Mapping[str, float] | None = None,
            usage: object = None, cost_usd: float | None = None, **attributes: object) -> None:
        """Add what one query returned. When this returns, it survives the end of the process.

        Parameters
        ----------
        query_id, query
            Its id, and its text.
        documents
            Best first: ids, (id, score) pairs or {"doc_id", "score", "text", "source"}; or {id: score}, in any order.
        answer, contexts
            The answer, and the texts that it was written from.
        latency_ms
            Milliseconds, or {"retrieval", "rerank", "generation", "total"}.
        usage, cost_usd
            Tokens as an API reports them ({"prompt_tokens": ..., "completion_tokens": ...}), and dollars.
        attributes
            Anything else; kept with the query.

        Raises
        ------
        InputError
            If the query was added before, a score is no finite number, only some documents of the run have scores, or
            the disk is full. Nothing is added then, and the recording stays open.
        """
        self.add_fields(query_id, documents, {
            "query": query, "answer": answer, "contexts": contexts, "latency_ms": latency_ms, "usage": usage,
            "cost_usd": cost_usd, "attributes": attributes})

    def add_fields(self, query_id: str | int, documents: object, fields: Mapping) -> None:
        """Add one query as `add` does, with the other parameters of `add` in a mapping."""
        query_id = id_of(query_id)
        self._append(query_id, *result_line(query_id, documents, fields))

    def fail(self, query_id: str | int, error: BaseException | str, *, query: str | None = None,
             latency_ms: float | None = None) -> None:
        """Add a query that failed, with its error. It is no result: metrics treat the query as missing."""
        query_id = id_of(query_id)
        self._append(query_id, failure_line(query_id, error, {"query": query, "latency_ms": latency_ms}), failed=True)

    def query(self, query_id: str | int, text: str | None = None) -> QueryRecord:
        """Record one query in a with block, which measures its latency; an exception is recorded as its failure.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as logs, record("rag", folder=logs) as run:
        ...     with run.query("q1", "Who?") as q:
        ...         with q.stage("retrieval"):
        ...             q.documents = ["d7"]
        ...         q.answer = "Ada"
        """
        return QueryRecord(id_of(query_id), text, self.add_fields, self.fail)

    def note_concurrency(self, calls: int) -> None:
        """Keep in the header how many calls are made at once; of a resumed run the most."""
        self.header = replace(self.header, concurrency=max(calls, self.header.concurrency or 1))
        with _writing(self.path):
            _write_header(self.path, self.header)

    def close(self) -> None:
        """Close the run: count it, then rename its results. A closed one stays closed."""
        self._end(None)

    def result(self) -> Run:
        """Read the closed run back."""
        return read_run(self.path)

    def _append(self, query_id: str, line: bytes, scored: bool | None = None, *, failed: bool = False) -> None:
        if self._process != os.getpid():  # neither would know what the other one adds
            raise InputError([Problem("recording/other-process", {"name": self.header.name, "query": query_id})])
        with self._guard:
            if self._results is None:
                raise InputError([Problem("recording/closed", {"name": self.header.name})])
            if query_id in self._added:
                raise InputError([Problem("recording/query-repeated", {"query": query_id, "name": self.header.name},
                                          field="query_id")])
            if scored is not None and scored != (self._scored if self._scored is not None else scored):
                raise InputError([Problem("recording/partly-scored-queries", {"query": query_id, "scored": scored},
                                          field="score")])
            self._results.append(line, query_id, self.header.name, len(self._added))
            if failed:
                self._failed.add(query_id)
            else:
                self._added.add(query_id)
                self._failed.discard(query_id)
                self._scored = scored if self._scored is None else self._scored

    def _end(self, error: str | None) -> None:
        """Write the last header; without an error, rename the results."""
        if self._process != os.getpid():  # a copy of the process that records, which goes on
            return
        with self._guard:
            if self._results is None:
                return
            results, self._results = self._results, None
            self.header = replace(self.header, ended=_time(datetime.now(UTC)), error=error, queries=len(self._added),
                                  failures=len(self._failed),
                                  versions={**self.header.versions, **package_versions()})
            with results, _writing(self.path):
                results.sync()
                _write_header(self.path, self.header)
                if error is None:
                    os.replace(self.path / PART, self.path / RESULTS)

    def _create(self) -> None:
        moment = datetime.now(UTC)
        slug = re.sub(r"[^A-Za-z0-9_-]+", "-", self.header.name).strip("-")[:40] or "run"
        run_id = f"{moment:%Y%m%dT%H%M%S.%fZ}-{slug}-{secrets.token_hex(3)}"
        self.header = replace(self.header, run_id=run_id, created=_time(moment), repeat=self._free_repeat(),
                              git=git_revision(), versions=package_versions())
        self.path = self.folder / run_id
        self.path.mkdir()
        self._results = ResultFile(self.path / PART)
        _write_header(self.path, self.header)

    def _open_interrupted(self) -> None:
        entry = interrupted_run(self.folder, self.header)
        if entry is None:
            raise InputError([Problem("recording/nothing-to-resume", {"name": self.header.name}, str(self.folder))])
        self.header, self.path = replace(entry.header, ended=None, error=None), entry.path
        results = ResultFile(self.path / PART)
        if not results.is_ours:
            raise InputError([Problem("recording/nothing-to-resume", {"name": self.header.name}, str(self.folder))])
        added, failed = split_lines(results.whole_lines(), str(self.path / PART))
        self._results, self._added, self._failed = results, set(added), set(failed)
        self._scored = next((scored for line in added.values() if (scored := has_scores(line)) is not None), None)

    def _free_repeat(self) -> int | None:
        """The number of this repeat in its group; warns where another run of the name is open."""
        name, group, repeat = self.header.name, self.header.group, self.header.repeat
        same = [entry for entry in log_entries(self.folder)
                if entry.header.name == name and entry.header.group == group]
        if group is None:
            if any(entry.state == "recording" for entry in same):
                problem = Problem("recording/same-name", {"name": name}, str(self.folder), severity="warning")
                warnings.warn(str(problem), RecordingWarning, stacklevel=6)
            return repeat
        numbers = {entry.header.repeat or 0 for entry in same}
        if repeat in numbers:
            raise InputError([Problem("recording/repeat-taken", {"repeat": repeat, "name": name, "group": group},
                                      str(self.folder), field="repeat")])
        return repeat if repeat is not None else max(numbers, default=0) + 1


def _digest(value: object) -> str:
    try:
        return value.digest if isinstance(value, Truth | Run) else str(value)
    except ValueError as error:  # Python writes no whole number of more than 4,300 digits
        raise InputError([Problem("recording/header", {"reason": str(error)}, field="data")]) from None


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


def _write_header(path: Path, header: RunHeader) -> None:
    """Write the header whole or not at all."""
    part = path / f"{HEADER}.part"
    part.write_bytes(header.to_json())
    os.replace(part, path / HEADER)


@contextmanager
def _folder_lock(folder: Path) -> Iterator[None]:
    """One process at a time chooses the number of its repeat."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "ab") as stream:
        lock(stream.fileno(), seconds=10)
        yield


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Errors of the system become problems."""
    try:
        yield
    except OSError as error:
        raise InputError([Problem("recording/unwritable", {"reason": error.strerror or str(error)},
                                  str(folder))]) from None
