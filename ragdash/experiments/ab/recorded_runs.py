"""The runs of an A/B in a log folder, each recorded as a run of its own; repeats of a configuration are one group."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from ragdash.core.records import Run, Truth
from ragdash.io.recorded.folder import log_entries
from ragdash.io.write.serializers import run_objects
from ragdash.workspace.recording import record

REASON = "failed-query"  # the kind of the problems of a run that name a failed query
FAILED = "no usable answer; the journal of the A/B says why"  # what a command wrote may be confidential
TAG = "ab"


def record_runs(runs: Sequence[Run], repeats: Sequence[tuple[str, int]], truth: Truth, folder: Path) -> int:
    """Record runs in a log folder: how many were recorded; none where the same runs are there already.

    Parameters
    ----------
    runs
        Of one A/B, as `ask_all` returns them.
    repeats
        (name of the configuration, number of the repeat from 1) of each run.
    truth
        Whose questions were asked.
    folder
        The log folder.

    Examples
    --------
    >>> import tempfile
    >>> runs = [Run.build("a", ["q1"], ["x"]), Run.build("a-2", ["q1"], ["y"])]
    >>> truth = Truth.build("truth", ["q1"], ["x"], [1])
    >>> with tempfile.TemporaryDirectory() as logs:
    ...     first = record_runs(runs, [("a", 1), ("a", 2)], truth, Path(logs))
    ...     first, record_runs(runs, [("a", 1), ("a", 2)], truth, Path(logs))
    (2, 0)
    """
    digest = hashlib.sha256(" ".join(run.digest for run in runs).encode()).hexdigest()[:12]
    data = {"truth": truth, "ab": digest}
    repeated = len({name for name, _ in repeats}) < len(repeats)
    there = {(entry.header.name, entry.header.repeat or 1) for entry in log_entries(folder)
             if entry.header.data.get("ab") == digest and entry.state == "complete"}
    missing = [(run, *named) for run, named in zip(runs, repeats, strict=True) if named not in there]
    for run, name, repeat in missing:
        with record(name, tags=[TAG], folder=folder, data=data, group=f"{TAG}-{digest}" if repeated else None,
                    repeat=repeat if repeated else None) as recording:
            for row in run_objects(run):
                recording.add_fields(row.pop("query_id"), row.pop("retrieved"), row)
            for problem in run.problems:
                if problem.kind == REASON:
                    recording.fail(problem.facts["query"], FAILED)
    return len(missing)
