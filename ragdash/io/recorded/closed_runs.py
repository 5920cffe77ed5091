"""Read all closed runs of a log folder; one that cannot be read is left out in words, and the others are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run
from ragdash.io.recorded.folder import log_entries, unreadable_runs


def read_closed_runs(folder: Path) -> tuple[list[Run], list[Problem]]:
    """The closed runs of a log folder, oldest first, and warnings that name those that are left out.

    Raises
    ------
    InputError
        There are closed runs, or damaged ones, and none can be read.
    """
    from ragdash.io import read_runs  # it reads this folder's recorded runs

    runs: list[Run] = []
    problems = unreadable_runs(folder)
    names = [Path(problem.file or "").relative_to(folder).parts[0] for problem in problems]
    for entry in log_entries(folder):
        if entry.state == "complete":
            try:
                runs += read_runs(str(entry.path))
            except InputError as error:
                problems += error.problems
                names.append(entry.path.name)
    if problems and not runs:
        raise InputError(problems)
    if problems:
        problems.append(Problem("recorded-run/left-out", {"count": len(names), "names": names}, str(folder)))
    return runs, [replace(problem, severity="warning") for problem in problems]
