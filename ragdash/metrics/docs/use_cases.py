"""Which metrics matter for which use of a RAG system."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Use:
    """A use case of a RAG system with its metrics, the most important first; judged: those that need an LLM judge."""

    title: str
    metrics: tuple[str, ...]
    why: str
    judged: tuple[str, ...] = ()


USES_SOURCE = "published RAG evaluation guide"
USES = (
    Use("General questions and answers", ("SupportCoverage", "TokenF1", "UnsupportedNumbers"),
        "The answer must agree with the contexts and address the question.",
        ("Faithfulness", "AnswerRelevanceJudged")),
    Use("Looking up facts", ("R", "NumberMatch", "CoverEM"),
        "The one right passage must be among those read, and the answer must be right.", ("Correctness",)),
    Use("Research", ("nDCG", "ContextPrecision", "NoiseShare"),
        "Readers look at many documents: the best must come first, with little noise.", ("ContextRelevance",)),
    Use("Customer support", ("SupportCoverage", "UnsupportedNumbers", "Refusal"),
        "An invented promise costs more than no answer. The reply must address the question.",
        ("Faithfulness", "AnswerRelevanceJudged")),
    Use("Law and medicine", ("SupportCoverage", "UnsupportedNumbers", "FullCoverageRate"),
        "Faithfulness first, claim by claim: nothing unsupported, no evidence missing. Word overlap is only a hint; "
        "people or a judge must check the claims.", ("Faithfulness",)),
)
