"""A grid of settings over a retriever or a command: each point is recorded as a run with its settings, and resumed."""

from __future__ import annotations

import hashlib
import math
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from ragdash.core.errors import InputError, Problem, shorten
from ragdash.core.paths import log_folder, path_of
from ragdash.core.records import Run
from ragdash.core.records.arguments import check_progress, checked, items_of
from ragdash.core.records.flat_settings import flat_settings, has_objects
from ragdash.core.records.secrets import without_secrets
from ragdash.core.storage.temporary_folders import temporary_folder
from ragdash.core.text.quoted import error_words
from ragdash.experiments.ab.subprocess import kill_group
from ragdash.io import read_run
from ragdash.io.recorded.folder import LogEntry, log_entries
from ragdash.io.write.serializers import run_objects
from ragdash.workspace.recording import record, record_retriever
from ragdash.workspace.recording.recorder import as_name
from ragdash.workspace.recording.retriever import Questions, questions_digest

OUTPUT = "out"  # the placeholder of the file that a command writes
MOST_POINTS = 10_000
_PLACEHOLDER = re.compile(r"\{([\w.-]+)\}")
_LONGEST = 24  # characters of a value in the name of a run
_TAIL = 400  # characters of a failed command's last words
Grid = Mapping[str, Sequence] | Iterable[Mapping[str, object]]


def grid_points(grid: Grid) -> list[dict[str, object]]:
    """Every combination of the values of a grid; a list of points as it is.

    Examples
    --------
    >>> grid_points({"k": [5, 10], "model": ["small"]})
    [{'k': 5, 'model': 'small'}, {'k': 10, 'model': 'small'}]
    """
    if isinstance(grid, Mapping):
        lists = {name: [] if isinstance(values, Mapping) else items_of(values) or [] for name, values in grid.items()}
        empty = [name for name, values in lists.items() if not values]
        if empty or not lists:
            raise InputError([Problem("sweep/values", {"name": (empty or ["grid"])[0]}, field="grid")])
        _check_count(math.prod(map(len, lists.values())))
        points = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
    else:
        listed = items_of(grid)
        if listed is None or not all(isinstance(point, Mapping) for point in listed):
            raise InputError([Problem("sweep/values", {"name": "grid"}, field="grid")])
        _check_count(len(listed))
        points = [dict(point) for point in listed]
    _check_secrets(points)
    return points


def _check_count(points: int) -> None:
    if not 0 < points <= MOST_POINTS:
        raise InputError([Problem("sweep/points", {"points": points, "most": MOST_POINTS}, field="grid")])


def _check_secrets(points: Iterable[Mapping[str, object]]) -> None:
    """Raise InputError for points that differ only in secrets, which no run records: one would pass for the other."""
    seen: dict[str, Mapping[str, object]] = {}
    for point in points:
        settings, secrets = flat_settings(point)
        if secrets and repr(seen.setdefault(repr(settings), point)) != repr(point):
            raise InputError([Problem("sweep/secrets", {"names": secrets}, field="grid")])


@checked
def sweep(make: Callable[[dict], object], grid: Grid, questions: Questions, *, name: str | None = None,
          tags: str | Iterable[str] | None = (), folder: str | os.PathLike | None = None, concurrency: int = 1,
          progress: Callable[[int, int], object] | None = None) -> list[Run]:
    """Ask a retriever the same questions under every combination of settings, and record each as a run.

    Parameters
    ----------
    make
        Called with the settings of a point; returns what `record_retriever` takes, such as a function of the question.
    grid
        {setting: values}, or a list of points {setting: value}.
    questions
        As in `record_retriever`.
    name
        Begins the names of all runs, default: the name of `make`. The settings follow, as in "search k=5".
    tags, folder, concurrency
        As in `record_retriever`.
    progress
        Called with (points done, points in all).

    Returns
    -------
    list of Run
        In the order of the grid. A point that was recorded before, with the same name, settings and questions, is read
        from its folder, so that a sweep that was stopped goes on. A run that was interrupted is resumed.

    Raises
    ------
    InputError
        The grid has no points, or some failed: each with its settings, after all others ran.

    Examples
    --------
    >>> import tempfile
    >>> def make(settings):
    ...     return lambda question: [f"d{i}" for i in range(settings["k"])]
    >>> with tempfile.TemporaryDirectory() as logs:
    ...     runs = sweep(make, {"k": [1, 3]}, {"q1": "Who?"}, name="search", folder=logs)
    >>> [(run.name, run.settings, run.depth) for run in runs]
    [('search k=1', {'k': 1}, 1), ('search k=3', {'k': 3}, 3)]
    """
    points = grid_points(grid)
    check_progress(progress, "done", "total")
    logs = path_of(folder, "folder") if folder is not None else log_folder()
    name = as_name(getattr(make, "__name__", "sweep") if name is None else name, "name")
    digest, runs, problems = questions_digest(questions), [], []
    for number, point in enumerate(points, 1):
        with _Attempt() as attempt:
            entry = recorded_point(logs, name, point, {"questions": digest})
            runs.append(read_run(str(entry.path)) if entry else record_retriever(
                make(dict(point)), questions, name=point_name(name, point), settings=point, tags=tags, folder=logs,
                concurrency=concurrency))
        if attempt.reason:
            problems.append(Problem("sweep/point", {"name": point_name(name, point), "reason": attempt.reason},
                                    field="make"))
        if progress is not None:
            progress(number, len(points))
    if problems:
        raise InputError(problems)
    return runs


class _Attempt:
    """One point of a sweep: what it raises is the reason of its failure; only an interruption ends the sweep."""

    def __init__(self) -> None:
        self.reason = ""

    def __enter__(self) -> _Attempt:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, InputError):
            self.reason = shorten(without_secrets(str(error.problems[0])), _TAIL)
        elif isinstance(error, Exception):
            self.reason = shorten(without_secrets(error_words(error)), _TAIL)
        return bool(self.reason)


def point_name(name: str, point: Mapping[str, object]) -> str:
    """The name of a run: that of the sweep, and its settings without secrets.

    Examples
    --------
    >>> point_name("bm25", {"chunk": 10, "k": 20})
    'bm25 chunk=10 k=20'
    """
    settings = flat_settings(point)[0]
    return " ".join([name, *(f"{setting}={shorten(_text(value), _LONGEST)}" for setting, value in settings.items())])


def recorded_point(folder: Path, name: str, point: Mapping[str, object], data: Mapping[str, str]) -> LogEntry | None:
    """The last closed run of this point, with these settings and these digests among its own, without failed queries.

    Its name is that of the point, or the name of the sweep alone, as earlier versions recorded it. None
    for objects whose type alone is recorded, because two of them look the same.
    """
    if has_objects(point):
        return None
    settings, names = flat_settings(point)[0], (point_name(name, point), name)
    for entry in reversed(log_entries(folder)):
        header = entry.header
        if entry.state == "complete" and header.name in names and dict(header.settings) == settings \
                and not entry.failures and all(header.data.get(key) == value for key, value in data.items()):
            return entry
    return None


def command_words(command: str, point: Mapping[str, object], output: str) -> list[str]:
    """The words of a command with the values of a point in its placeholders; no shell reads them.

    Examples
    --------
    >>> command_words("search --k {k} --out {out}", {"k": 5}, "run.jsonl")
    ['search', '--k', '5', '--out', 'run.jsonl']
    """
    values = {**{name: _text(value) for name, value in point.items()}, OUTPUT: output}
    return [_PLACEHOLDER.sub(lambda match: values[match[1]], word) for word in shlex.split(command)]


def check_command(command: str, names: Iterable[str]) -> None:
    """Raise InputError for a command that cannot be split, a placeholder without a setting, a setting without one."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError([Problem("sweep/command", {"reason": str(error)}, field="COMMAND")]) from None
    used, names = set(_PLACEHOLDER.findall(command)) - {OUTPUT}, set(names)
    unknown, unused = sorted(used - names), sorted(names - used)
    problems = [Problem("sweep/placeholder", {"name": name, "names": sorted(names)}, field="COMMAND")
                for name in unknown]
    problems += [Problem("sweep/unused", {"name": name}, field="--set") for name in unused]
    problems += [] if words else [Problem("sweep/command", {"reason": "it is empty"}, field="COMMAND")]
    if problems:
        raise InputError(problems)


def sweep_command(command: str, grid: Mapping[str, Sequence], *, name: str, folder: Path, tags: Iterable[str] = (),
                  timeout: float | None = None) -> Iterator[tuple[dict, Run | None, bool, str]]:
    """Run a command at every point of a grid, and record the run that it writes.

    The command has a placeholder {setting} for each setting. It writes a run in any format to the file {out}, or to
    its standard output where it has no {out}.

    Yields
    ------
    tuple
        The point; its run (None where the command failed); whether it was recorded before; and why it failed.
    """
    check_command(command, grid)
    digest = hashlib.sha256(command.encode()).hexdigest()[:32]
    for point in grid_points(grid):
        entry = recorded_point(folder, name, point, {"command": digest})
        if entry is not None:
            yield point, read_run(str(entry.path)), True, ""
            continue
        with temporary_folder("sweep") as scratch:
            output = Path(scratch) / "run.out"
            words = command_words(command, point, str(output))
            reason = _run_command(words, output, f"{{{OUTPUT}}}" in command, timeout)
            run, reason = (None, reason) if reason else _read_output(output)
        if run is not None:
            run = _recorded(run, name, point, tags, folder, digest)
        yield point, run, False, reason


def _run_command(words: Sequence[str], output: Path, writes_file: bool, timeout: float | None) -> str:
    """Run a command; returns why it failed, or ""."""
    errors = output.with_name("errors.txt")  # no pipe: what it writes there may be without end
    try:
        with open(os.devnull if writes_file else output, "wb") as stdout, open(errors, "wb") as stderr:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                                       start_new_session=os.name == "posix")
            status = None
            try:
                status = process.wait(timeout)
            finally:
                if status is None:  # the time is over, or Ctrl+C: no part of the command stays at work
                    kill_group(process)
                    process.wait()
    except subprocess.TimeoutExpired:
        return f"no end within {timeout:g} seconds"
    except OSError as error:
        return f"it cannot be started: {error.strerror or error}"
    if status:
        with errors.open("rb") as file:
            file.seek(max(errors.stat().st_size - 4 * _TAIL, 0))
            last_words = " ".join(file.read().decode(errors="replace").split())
        return f"exit status {status}" + (f": {shorten(last_words[-_TAIL:], _TAIL)}" if last_words else "")
    return ""


def _read_output(output: Path) -> tuple[Run | None, str]:
    """The run that a command wrote, or why there is none."""
    if not output.is_file():  # also of a pipe, whose other end nobody has
        return None, "it wrote no file"
    try:
        return read_run((output.name, output.read_bytes())), ""
    except OSError:
        return None, "it wrote no file"
    except InputError as error:
        return None, f"what it wrote is no run: {error.problems[0]}"


def _recorded(run: Run, name: str, point: Mapping[str, object], tags: Iterable[str], folder: Path, digest: str) -> Run:
    """The run in the log folder, under the settings of the point."""
    data = {"command": digest}
    with record(point_name(name, point), settings=point, tags=tags, folder=folder, data=data) as recording:
        for row in run_objects(run):
            recording.add_fields(row.pop("query_id"), row.pop("retrieved"), row)
    return recording.result()


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
