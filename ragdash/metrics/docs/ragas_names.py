"""Names of RAGAS 0.4.3 that are not computed here: why, and what to use."""

from __future__ import annotations

import re

_RUBRIC = "a rubric of your own (`ragdash judge --rubric FILE`), the metric Rubric.NAME"
_AGENTS = "it evaluates agents; ragdash evaluates retrieval and answers"
NOT_HERE: dict[str, tuple[str, str]] = {
    "AnswerCorrectness": ("Correctness(how='claims') and SBERT", "it mixes claim F1 (0.75) with a cosine (0.25), and a "
                          "change of it has two possible causes"),
    **dict.fromkeys(("SemanticSimilarity", "AnswerSimilarity"),
                    ("SBERT", "it is the cosine of one encoder, and SBERT is that with the encoder you choose")),
    "ExactMatch": ("EM", "it compares raw strings, so that a period decides; EM normalizes them"),
    "StringPresence": ("CoverEM", "it searches the raw string; CoverEM normalizes it"),
    "RougeScore": ("ROUGE_1, ROUGE_2 or ROUGE_L", "it is three metrics under one name"),
    "BleuScore": ("BLEU", "BLEU is computed by the same library"),
    "CHRFScore": ("chrF", "chrF is computed by the same library"),
    "NonLLMStringSimilarity": ("TokenF1 or chrF", "it counts edits of characters, which punish another word order"),
    "IDBasedContextPrecision": ("SetP", "it is the precision of the returned ids"),
    "IDBasedContextRecall": ("R", "it is the recall of the returned ids"),
    "NonLLMContextPrecisionWithReference": ("matching by evidence", "it decides by edits of characters above 0.5"),
    "NonLLMContextRecall": ("EvidenceRecall", "it decides by edits of characters above 0.5"),
    "FaithfulnesswithHHEM": ("NLIFaithfulness with that model", "it is one local model, and you choose yours"),
    "QuotedSpansAlignment": ("CitationPrecision", "it checks quoted words alone"),
    **dict.fromkeys(("SummaryScore", "SummarizationScore"),
                    ("ClaimFaithfulness", "it grades summaries of a text, not answers to queries")),
    **dict.fromkeys(("AspectCritic", "SimpleCriteriaScore", "RubricsScore", "RubricsScoreWithReference",
                     "RubricsScoreWithoutReference", "DomainSpecificRubrics", "InstanceSpecificRubrics",
                     "InstanceRubrics", "DiscreteMetric", "NumericMetric"),
                    (_RUBRIC, "it is whatever criterion it is given")),
    "RankingMetric": (f"{_RUBRIC}, of kind ranking", "it is whatever criterion it is given"),
    **dict.fromkeys(("AgentGoalAccuracy", "AgentGoalAccuracyWithReference", "AgentGoalAccuracyWithoutReference",
                     "ToolCallAccuracy", "ToolCallF1", "TopicAdherence", "TopicAdherenceScore"),
                    ("your agent's own evaluation", _AGENTS)),
    **dict.fromkeys(("SQLSemanticEquivalence", "LLMSQLEquivalence", "DataCompyScore"),
                    ("a comparison of the tables", "it compares queries or tables of a database")),
    **dict.fromkeys(("MultiModalFaithfulness", "MultiModalRelevance"),
                    ("ClaimFaithfulness on texts", "it reads images, and ragdash reads texts")),
}
"""Name in RAGAS -> (what to use, why it is not here)."""
_KEYS = {re.sub(r"[\W_]", "", name).casefold(): facts for name, facts in NOT_HERE.items()}


def absent_ragas_metric(text: str) -> tuple[str, str] | None:
    """(what to use, why it is not here) for a RAGAS name in any spelling; None for any other text.

    Examples
    --------
    >>> absent_ragas_metric("RAGAS.BleuScore")[0], absent_ragas_metric("nDCG")
    ('BLEU', None)
    """
    name = re.sub(r"[\W_]", "", re.split(r"[@(]", text)[0]).casefold()
    return _KEYS.get(name.removeprefix("ragas") or name)


def not_here_table() -> str:
    """The names with what to use and why, as a Markdown table."""
    rows: dict[tuple[str, str], list[str]] = {}
    for name, facts in NOT_HERE.items():
        rows.setdefault(facts, []).append(name)
    lines = [f"| {', '.join(names)} | {instead} | {because} |" for (instead, because), names in rows.items()]
    head = ["Of RAGAS 0.4.3 these names are not here:", "", "| name | use | because |", "|---|---|---|"]
    return "\n".join([*head, *lines])
