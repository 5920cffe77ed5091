"""Sentences of the LLM judge tab: needs and calls of the judged metrics, suggested endpoints, and numbers of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragdash.metrics import METRICS
from ragdash.metrics.judged import register_rubrics
from ragdash.models.judge.tasks import TASKS
from ragdash.models.judge.tasks.rubrics import PREFIX
from ragdash.reporting.sentences import formatting as fmt

NEEDS = {"question": "query", "answer": "answer", "references": "reference", "contexts": "contexts"}
BASE_URLS: Mapping[str, Mapping[str, str]] = {
    "openai": {"http://localhost:11434/v1": "Ollama", "http://localhost:8000/v1": "vLLM",
               "http://localhost:8080/v1": "llama.cpp", "http://localhost:1234/v1": "LM Studio",
               "https://api.openai.com/v1": "OpenAI"},
    "anthropic": {"https://api.anthropic.com": "Anthropic"}}
"""Suggested base URLs by protocol."""
FOLLOW_UPS = ("Tokens and cost are with the follow-up calls. The number of claims is estimated from the length of the "
              "texts.")
PROTOCOLS = {"openai": "OpenAI-compatible", "anthropic": "Anthropic"}


def metric_order() -> tuple[str, ...]:
    """The judged metrics in the order of the registry, the rubrics of the workspace first."""
    register_rubrics()
    order = list(METRICS)
    return tuple(sorted(TASKS, key=lambda name: (not name.startswith(PREFIX), order.index(name.partition("(")[0]),
                                                 name)))


def needs(name: str) -> str:
    """Texts a metric needs, such as "answer, contexts"."""
    return ", ".join(NEEDS[need] for need in TASKS[name].needs)


def url_label(kind: str, url: str) -> str:
    """A base URL with the service that usually runs there.

    Examples
    --------
    >>> url_label("openai", "http://localhost:11434/v1")
    'http://localhost:11434/v1 (Ollama)'
    """
    service = BASE_URLS[kind].get(url)
    return f"{url} ({service})" if service else url



def money(amount: float | None) -> str:
    """An amount with four significant digits; a dash if unknown."""
    return fmt.UNDEFINED if amount is None else f"{amount:,.4g}"


def planned_tokens(plan: Mapping) -> tuple[int, int]:
    """Input and output tokens of a plan, with those of its follow-up calls."""
    read, written = (plan[f"{kind}_tokens"] + plan[f"follow_{kind}_tokens"] for kind in ("prompt", "completion"))
    return read, written


def planned_cost(plan: Mapping) -> float | None:
    """The cost of a plan with its follow-up calls; None if unknown."""
    return None if plan["cost"] is None else plan["cost"] + (plan["follow_cost"] or 0.0)


def same_text_votes(titles: Sequence[str]) -> str:
    """Metrics on which votes differ by the temperature alone.

    Examples
    --------
    >>> same_text_votes(["Correctness"])
    'Every vote on Correctness shows the judge the same text, on most queries or on all: there is nothing to put in \
another order, or the order matters. These votes differ by temperature alone. If they agree, that says little.'
    """
    return (f"Every vote on {fmt.listed(list(titles))} shows the judge the same text, on most queries or on all: "
            "there is nothing to put in another order, or the order matters. These votes differ by temperature alone. "
            "If they agree, that says little.")


def reason_counts(reasons: Mapping[str, int]) -> str:
    """Reasons with their counts.

    Examples
    --------
    >>> reason_counts({"no JSON in the reply": 3, "no connection": 1})
    'no JSON in the reply (3), no connection (1)'
    """
    return ", ".join(f"{reason} ({n:,})" for reason, n in reasons.items())
