"""Errors for a run in place of the truth, or the reverse: one problem per file, not one per line."""

from __future__ import annotations

from typing import NoReturn

from ragdash.io.source.source import Source


def fail_truth_as_run(source: Source, reason: str, content: str = "judgments") -> NoReturn:
    """Raise: this file holds the truth."""
    source.fail("truth-as-run", {"what": content, "reason": reason})


def fail_run_as_truth(source: Source, reason: str, content: str = "a run") -> NoReturn:
    """Raise: this file holds a run."""
    source.fail("run-as-truth", {"what": content, "reason": reason})
