"""What usually fixes a stage of failures, and what to load first where retrieval was not assessed."""

from __future__ import annotations

import numpy as np

from ragdash.analysis.diagnosis import Diagnosis, Stage
from ragdash.analysis.diagnosis.stages import number
from ragdash.reporting.sentences.formatting import query_count

AFTER_RETRIEVAL = ("wrong-answer", "refused")
"""Stages that may as well be due to retrieval where that was not assessed."""


def stage_fix(stage: Stage, diagnosis: Diagnosis, queries: np.ndarray | None = None) -> str:
    """What usually fixes a stage of a run, in sentences; queries (Q,) bool: those that count (default all).

    Examples
    --------
    >>> import pyarrow as pa
    >>> from ragdash import Run, Truth
    >>> from ragdash.analysis.diagnosis import STAGES, diagnose
    >>> from ragdash.matching.match import Match
    >>> run = Run.build("bot", [], [], [], details=pa.table({"query_id": ["q1"], "answer": ["In Rome."]}))
    >>> truth = Truth.build("references", [], [], [], details=pa.table({"query_id": ["q1"], "answers": [["Paris"]]}))
    >>> stage_fix(STAGES[7], diagnose(Match(run, truth)))  # doctest: +NORMALIZE_WHITESPACE
    'Retrieval was not assessed, so the cause may be retrieval or the generator. To know which, load the retrieved
     documents with their ids, and judgments of documents or evidence. If retrieval is right: the prompt or the model
     of the generator, fewer or better ordered contexts.'
    """
    if stage.name not in AFTER_RETRIEVAL:
        return stage.fix
    in_stage = diagnosis.in_stage(stage.name) if queries is None else diagnosis.in_stage(stage.name) & queries
    unassessed = in_stage & ~diagnosis.known[number("not-retrieved")]
    if not unassessed.any():
        return stage.fix
    some = "" if unassessed.sum() == in_stage.sum() else (
        f" for {unassessed.sum():,} of these {query_count(int(in_stage.sum()))}")
    return (f"Retrieval was not assessed{some}, so the cause may be retrieval or the generator. To know which, load "
            f"{', and '.join(_missing(diagnosis, unassessed))}. If retrieval is right: "
            f"{stage.fix[:1].lower()}{stage.fix[1:]}")


def _missing(diagnosis: Diagnosis, queries: np.ndarray) -> list[str]:
    """What is needed to assess the retrieval of these queries."""
    missing = []
    if not diagnosis.numbers["returned"][queries].any():
        missing.append("the retrieved documents with their ids")
    if not diagnosis.numbers["gold"][queries].all():
        missing.append("judgments of documents or evidence")
    return missing or ["the texts of the retrieved documents"]
