"""A run where the truth is expected, or the other way round: one clear problem, not one for each line."""

from __future__ import annotations

from typing import NoReturn

from ragdash.io.source.source import Source


def fail_truth_as_run(source: Source, why: str, what: str = "judgements") -> NoReturn:
    """Raise: this file holds the truth."""
    source.fail("truth-as-run", {"what": what, "reason": why})


def fail_run_as_truth(source: Source, why: str, what: str = "a run") -> NoReturn:
    """Raise: this file holds a run."""
    source.fail("run-as-truth", {"what": what, "reason": why})
