"""What judged metrics need and cost, endpoints that people run, and what a process tells, in words for the page."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.metrics import METRICS
from ragdash.models.judge.tasks import TASKS
from ragdash.reporting.sentences import fmt

NEEDS = {"question": "query", "answer": "answer", "references": "reference", "contexts": "contexts"}
CALLS: Mapping[str, str] = {
    "Faithfulness": "1", "AnswerRelevanceJudged": "1", "ContextRelevance": "1", "Correctness": "1",
    "ClaimFaithfulness": "1, then 1 for each 20 claims", "RAGAS.Faithfulness": "1, then 1 for each 20 claims",
    "RAGAS.ContextRecall": "1, then 1 for each 20 claims", "RAGAS.AnswerRelevancy": "1, then a local model",
    "ContextRelevance(per='chunk')": "1 for each chunk", "RAGAS.ContextPrecision": "1 for each chunk",
    "ContextPrecisionRatio": "1 for each chunk", "Correctness(how='claims')": "2, then 1 for each 20 claims of both",
    **dict.fromkeys(("RAGChecker.Precision", "RAGChecker.Recall", "RAGChecker.F1"),
                    "2, then 1 for each 20 claims of both"),
    **dict.fromkeys(("RAGChecker.ClaimRecall", "RAGChecker.ContextPrecision", "RAGChecker.Faithfulness"),
                    "1, then 1 for each 20 claims and chunk"),
    **dict.fromkeys(("RAGChecker.ContextUtilization", "RAGChecker.NoiseSensitivityRelevant",
                     "RAGChecker.NoiseSensitivityIrrelevant", "RAGChecker.Hallucination", "RAGChecker.SelfKnowledge"),
                    "2, then 1 for each 20 claims and text or chunk")}
"""Calls to a judge for each query; metrics that rest on the same questions share them."""
ADDRESSES: Mapping[str, Mapping[str, str]] = {
    "openai": {"http://localhost:11434/v1": "Ollama", "http://localhost:8000/v1": "vLLM",
               "http://localhost:8080/v1": "llama.cpp", "http://localhost:1234/v1": "LM Studio",
               "https://api.openai.com/v1": "OpenAI"},
    "anthropic": {"https://api.anthropic.com": "Anthropic"}}
"""Addresses to begin with, by protocol."""
KINDS = {"openai": "OpenAI-compatible", "anthropic": "Anthropic"}

ORDER = tuple(sorted(TASKS, key=lambda name: (list(METRICS).index(name.partition("(")[0]), name)))
"""The judged metrics as the registry has them."""


def needs(name: str) -> str:
    """answer, contexts."""
    return ", ".join(NEEDS[need] for need in TASKS[name].needs)


def address(kind: str, url: str) -> str:
    """An address with what usually answers there."""
    service = ADDRESSES[kind].get(url)
    return f"{url} ({service})" if service else url



def money(amount: float | None) -> str:
    """Four digits that count; a dash for what is not known."""
    return fmt.UNDEFINED if amount is None else f"{amount:,.4g}"


def beside(plan: Mapping) -> str:
    """What stands below the cost of a plan."""
    if plan["cost"] is None:
        return "prices are not given"
    return f"{money(plan['cost'] + plan['follow_cost'])} in all" if plan["follow"] else "at these prices"


def in_all(plan: Mapping) -> str:
    """What the calls that follow from the answers add to a plan's tokens, and what that rests on."""
    read, completion = (plan[f"{kind}_tokens"] + plan[f"follow_{kind}_tokens"] for kind in ("prompt", "completion"))
    return (
        f"In all, with what follows from the answers: about {read:,} tokens to read and {completion:,} to write. The "
        "texts of what follows are known, its claims guessed by the length of the texts."
    )


def counted(reasons: Mapping[str, int]) -> str:
    """no JSON in the reply (3), no connection (1)."""
    return ", ".join(f"{reason} ({n:,})" for reason, n in reasons.items())
