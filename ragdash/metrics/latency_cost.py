"""Milliseconds, tokens and dollars per query, as the run recorded them.

Undefined (NaN, never 0) for a query without a record, and for a query that the run lacks. Percentiles,
prices of models and the cost of a gain: ragdash.evaluation.latency_cost.
"""

from __future__ import annotations

import numpy as np

from ragdash.core.records.details import STAGES
from ragdash.matching.views.cost import Timed
from ragdash.matching.views.ranked import Values
from ragdash.metrics.registry import metric

_FACTS = {"range": (0.0, np.inf), "better": "lower", "relevance": False}
_PRICE = (0.0, 1e6)


@metric("Latency", "Latency", formula=r"t_{stage}", source="plain mean of what was measured", unit="ms",
        aliases=("latency_ms",), allowed={"stage": STAGES}, **_FACTS)
def latency(timed: Timed, *, stage: str = "total") -> Values:
    """Milliseconds from the question to the end of a stage's work, by the run's own clock.

    stage: "retrieval", "rerank", "generation" or "total". A run without a total has the sum of its stages, for queries
    with all of them. A mean hides slow queries: look at P90 and P99 as well. Returns (Q,), 0 or more.
    """
    return timed.latency(stage)


@metric("PromptTokens", "Prompt tokens", formula=r"n_{prompt}", source="as counted by the model's provider",
        unit="tokens", aliases=("prompt_tokens", "input_tokens"), **_FACTS)
def prompt_tokens(timed: Timed) -> Values:
    """Tokens that the generator read: question, contexts and instructions. Returns (Q,), 0 or more."""
    return timed.recorded("prompt_tokens")


@metric("CompletionTokens", "Completion tokens", formula=r"n_{completion}", source="as counted by the model's provider",
        unit="tokens", aliases=("completion_tokens", "output_tokens"), **_FACTS)
def completion_tokens(timed: Timed) -> Values:
    """Tokens that the generator wrote, reasoning included where the provider counts it. Returns (Q,), 0 or more."""
    return timed.recorded("completion_tokens")


@metric("Cost", "Cost", formula=r"\frac{n_{prompt} p_{prompt} + n_{completion} p_{completion}}{1000} + p_{call}",
        source="price lists of model providers ($ per 1K tokens)", unit="$", aliases=("cost_usd",),
        allowed={"prompt": _PRICE, "completion": _PRICE, "call": _PRICE}, **_FACTS)
def cost(timed: Timed, *, prompt: float = 0.0, completion: float = 0.0, call: float = 0.0) -> Values:
    """Dollars per query: as the run recorded them (cost_usd), or of its tokens if a price is given.

    prompt, completion: dollars per 1K tokens; call: additional dollars per query, for a paid reranker or embedding.
    Undefined if a token price is given and the tokens are unknown. Returns (Q,), 0 or more.
    """
    if not (prompt or completion or call):
        return timed.recorded("cost_usd")
    values = np.where(timed.present, float(call), np.nan)
    for price, column in ((prompt, "prompt_tokens"), (completion, "completion_tokens")):
        if price:
            values = values + timed.recorded(column) / 1000 * price
    return values
