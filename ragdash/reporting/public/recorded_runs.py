"""The runs that a function of Python was given: objects, files, recorded folders, or a log folder with many."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import numbered
from ragdash.core.records import Run


def runs_of(source: object) -> list[Run]:
    """The runs; of a log folder the closed ones, oldest first. A warning names those that cannot be read.

    Parameters
    ----------
    source
        A path, or a list of runs, paths, and what `Run.of` reads; or a dict of these by name.

    Raises
    ------
    InputError
        A file or folder cannot be read, or there is no run.

    Examples
    --------
    >>> runs_of({"dense": {"q1": ["d7"]}, "bm25": {"q1": ["d2"]}})
    [<Run 'dense': 1 queries, 1 documents returned>, <Run 'bm25': 1 queries, 1 documents returned>]
    """
    if isinstance(source, Mapping):
        runs = [run.renamed(name) for name, entry in source.items() for run in runs_of([entry])]
    else:
        entries = [source] if isinstance(source, str | Path | Run) or not isinstance(source, Sequence) else source
        runs = [run for place, entry in enumerate(entries, 1) for run in _runs(entry, f"run {place}")]
    if not runs:
        raise InputError([Problem("history/no-runs", {"folder": str(source)}, field="runs")])
    return runs


def with_distinct_names(runs: Sequence[Run]) -> list[Run]:
    """The runs; equal names get a number."""
    return [run.renamed(name) for run, name in zip(runs, numbered([run.name for run in runs]), strict=True)]


def _runs(source: object, name: str) -> list[Run]:
    from ragdash.io import read_runs
    from ragdash.io.recorded.closed_runs import read_closed_runs
    from ragdash.io.recorded.folder import is_recorded_folder

    if not isinstance(source, str | Path):
        return [Run.of(source, name)]
    path = Path(source)
    if not str(source) or not _is_folder(path) or is_recorded_folder(path):
        return read_runs(source)
    runs, problems = read_closed_runs(path)
    warn_of(problems)
    return runs


def warn_of(problems: Sequence[Problem]) -> None:
    """A warning of Python for each problem, such as a run that is left out."""
    from ragdash.workspace.recording import RecordingWarning

    for problem in problems:
        warnings.warn(str(problem), RecordingWarning, stacklevel=2)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # such as a name that is too long; reading it as a file says so
        return False
