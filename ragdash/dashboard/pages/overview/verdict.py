"""The result in one sentence with its state, what it means for the decision, and what would change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash.dashboard.components import page_links
from ragdash.dashboard.page_context import PageContext
from ragdash.evaluation.compare import Comparison, best_first
from ragdash.metrics import Spec
from ragdash.reporting.sentences import comparison as comparison_sentences
from ragdash.reporting.sentences import formatting as fmt

COLORS = {"clear winner": "blue", "no clear difference": "gray", "one run": "gray", "too few queries": "orange",
          "not comparable yet": "orange"}
MAX_NAMES = 3  # names listed in a sentence; more are counted


@dataclass(frozen=True)
class Verdict:
    """The result of the runs shown on one metric. state: a key of COLORS; the others are sentences in Markdown."""

    state: str
    sentence: str
    decision: str
    change: str


def render(context: PageContext, spec: Spec) -> None:
    """The verdict in a frame, with the three ways on."""
    verdict = find_verdict(context, spec)
    with st.container(border=True, key="verdict"):
        st.badge(verdict.state.capitalize(), color=COLORS[verdict.state])
        st.subheader(verdict.sentence, anchor=False)
        lines = {"For your decision": verdict.decision, "What would change it": verdict.change}
        st.markdown("  \n".join(f"**{title}:** {text}" for title, text in lines.items() if text))
        with st.container(horizontal=True, key="ways_on"):
            page_links.link("compare", "Is it real?", icon=":material/leaderboard:")
            page_links.link("failures", "What fails?", icon=":material/healing:")
            page_links.link("share", "Share", icon=":material/ios_share:")


def find_verdict(context: PageContext, spec: Spec) -> Verdict:
    """The state and the sentences of the metric of the sidebar."""
    summaries = [row[0] for row in context.results.summary([spec])]
    means = np.array([summary.mean for summary in summaries])
    order = [index for index in best_first(means, spec.metric.better) if np.isfinite(means[index])]
    if not order:
        return Verdict("not comparable yet", f"{spec.title} is undefined for every run shown",
                       "No run has a value on this metric, so nothing can be said yet.",
                       "Choose another metric, or add the judgments that it needs.")
    best = order[0]
    name, estimate = f"**{fmt.escape(context.names[best])}**", fmt.escape(
        f"{fmt.number(summaries[best].mean)} {fmt.interval(summaries[best])}")
    n = fmt.count(summaries[best].n, "query", "queries")
    if len(order) == 1 or spec.metric.better is None:
        return Verdict("one run", f"{name} reaches {spec.title} {estimate} over {n}",
                       "One run alone says how good it is, not whether another would be better.",
                       "Load a second run on the same queries to compare.")
    compared = context.results.compared([spec], best)
    rivals = [compared[index, spec] for index in order[1:] if (index, spec) in compared]
    if not rivals:
        return Verdict("not comparable yet", f"{name} has the best {spec.title}, {estimate}",
                       "This metric has no value per query, so its differences cannot be tested.",
                       "Choose a metric with a value for each query, such as NDCG.")
    return _verdict_of_rivals(name, spec, estimate, n, rivals)


def _verdict_of_rivals(name: str, spec: Spec, estimate: str, n: str, rivals: Sequence[Comparison]) -> Verdict:
    """The best run against the others, in order of their means."""
    worse = [rival for rival in rivals if rival.outcome == "worse"]
    level = [rival for rival in rivals if rival.tied]
    few = [rival for rival in rivals if rival.outcome in ("too-few", "undefined")]
    if few and len(few) == len(rivals):
        return Verdict("too few queries", f"{name} has the best {spec.title}, {estimate}, but {n} are too few to say "
                       "more", "Do not decide on this result: no difference could be significant.",
                       "Judge more queries; from about 20 on, large differences show.")
    if not level and not few:
        nearest = worse[0]
        return Verdict("clear winner", f"{name} has the best {spec.title}, {estimate}, and is significantly better "
                       f"than {_names(worse, len(rivals))}",
                       f"Choose {name} if {spec.title} is what matters: its lead over "
                       f"**{fmt.escape(nearest.candidate)}** is {_gap(nearest)}.",
                       "Other queries, another metric, or a cost that outweighs the lead.")
    sentence = f"{name} has the best {spec.title}, {estimate}, but is not significantly better than " \
               f"{_names([*level, *few], len(rivals))}"
    return Verdict("no clear difference", sentence, _meaning(name, worse, level), _needed(level))


def _meaning(name: str, worse: Sequence[Comparison], level: Sequence[Comparison]) -> str:
    others = f" Rule out {_names(worse, len(worse))}." if worse else ""
    if not level:
        return f"{name} leads, but some runs have too few queries to compare.{others}"
    return f"These runs are tied for best: let cost, latency or simplicity decide between them.{others}"


def _needed(level: Sequence[Comparison]) -> str:
    """How many queries the lead over the nearest rival would need."""
    for rival in level[:1]:
        if np.isfinite(rival.queries_needed) and rival.queries_needed < 1e6:
            return (f"To confirm the lead of {_gap(rival)} over **{fmt.escape(rival.candidate)}** you would need about "
                    f"{comparison_sentences.rounded_up(rival.queries_needed)} queries; this comparison has "
                    f"{rival.n:,}.")
    return "More judged queries, or a larger difference between the runs."


def _gap(rival: Comparison) -> str:
    return fmt.escape(f"{fmt.number(abs(rival.mean_difference))}")


def _names(comparisons: Sequence[Comparison], total: int) -> str:
    """Names where they are few, counts where they are many."""
    if len(comparisons) > MAX_NAMES:
        return f"{len(comparisons)} of {total} other runs"
    return fmt.listed([f"**{fmt.escape(comparison.candidate)}**" for comparison in comparisons])


def tied_for_best(context: PageContext, spec: Spec) -> dict[int, str]:
    """Run index -> "best" or "tied for best", for runs without a significant difference from the best."""
    summaries = [row[0] for row in context.results.summary([spec])]
    means = np.array([summary.mean for summary in summaries])
    if spec.metric.better is None or not np.isfinite(means).any() or len(means) < 2:
        return {}
    best = best_first(means, spec.metric.better)[0]
    compared = context.results.compared([spec], best)
    return {best: "best"} | {index: "tied for best" for (index, _), rival in compared.items() if rival.tied}
