"""Routers in words: their rule, what it is worth on held-out queries, and that none beats one weight."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.evaluation.latency_cost import Amount
from ragdash.evaluation.outcomes import Comparison
from ragdash.reporting.sentences.formatting import escape, listed, number
from ragdash.reporting.sentences.latency_cost import duration

KINDS = {"before": "Before retrieval, by the question", "after": "After retrieval, by the lists"}


def routers_sentence(better: Sequence[str], tried: int, metric: str) -> str:
    """The finding: which kinds of routers beat one weight for all queries.

    Examples
    --------
    >>> routers_sentence([], 842, "NDCG@10")
    '**No router beats one weight** for all queries in NDCG@10, of 842 rules tried, on held-out queries.'
    """
    if not better:
        return (f"**No router beats one weight** for all queries in {escape(metric)}, of {tried:,} rules tried, on "
                "held-out queries.")
    which = listed([f"{kind} retrieval" for kind in better])
    return (f"**A router {which} beats one weight** for all queries in {escape(metric)}, on held-out queries, of "
            f"{tried:,} rules tried.")


def sentence_of(router) -> str:
    """The sentence of a router (`ragdash.experiments.fusion.legs.routing.Router`)."""
    return router_sentence(router.kind, router.words, bool(router.rule.conditions), router.held_out.value,
                           router.against_global, router.share, router.oracle, router.saved)


def router_sentence(kind: str, rule: str, has_condition: bool, value: float, against: Comparison, share: float,
                    oracle: float, saved: Amount) -> str:
    """The best rule of a kind, its held-out value, the difference from one weight, what it saves, and the bound."""
    title = escape(against.spec.title)
    head = f"{KINDS[kind]}: "
    if has_condition:
        head += f"*{escape(rule)}* ({share:.0%} of the queries)."
    else:
        head += f"no condition is chosen (*{escape(rule)}*)."
    words = {"better": "better than", "worse": "worse than"}.get(against.outcome, "not shown to differ from")
    difference = (f"{number(against.mean_difference, signed=True)} [{number(against.low, signed=True)}, "
                  f"{number(against.high, signed=True)}]")
    text = (f"{head} On held-out queries {title} is {escape(number(value))}, {words} one weight: "
            f"{escape(difference)}.")
    if saved.n:
        verb = "saves" if saved.mean >= 0 else "takes"
        more = "" if saved.mean >= 0 else " more"
        text += f" It {verb} {escape(duration(abs(saved.mean)))}{more} per query, as it runs one search."
    if np.isfinite(oracle):
        text += f" Upper bound, the best choice for each query with hindsight: {escape(number(oracle))}."
    return text
