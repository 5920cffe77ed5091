"""A ledger of the scripted judge for the tests of the pages: what it says can be foretold, and nobody is asked."""

from __future__ import annotations

from models.judge.scripted import Scripted

from ragdash.core.records import Run, Truth
from ragdash.matching.match import Match
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.endpoint import Judge

TOY = Judge("127.0.0.1:1", "toy-judge")
ALL = ("ClaimFaithfulness", "RAGAS.ContextRecall", "RAGAS.ContextPrecision", "RAGChecker.F1",
       "RAGChecker.NoiseSensitivityRelevant", "Faithfulness", "Correctness")


def judge(run: Run, truth: Truth, *names: str, judge: Judge = TOY, fails: dict[str, str] | None = None) -> None:
    """Put the verdicts of the scripted judge on these metrics into the ledger of the workspace."""
    Scripted(default_verdict_store(), fails, judge).judge_all(Match(run, truth).judged, *(names or ALL))
