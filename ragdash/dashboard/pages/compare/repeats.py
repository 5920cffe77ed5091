"""Repeats of one configuration: means over repeats first, where the noise comes from, and what to run next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from ragdash.core.records import Run
from ragdash.core.terms import tooltip
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.components.repeat_lines import recorded_runs
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.compare import Comparison, compare
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.repeats import group_names, merged_groups, repeat_groups, repeat_spreads
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.tables.comparison import plain_sentence
from ragdash.reporting.tables.repeats import NOTE, repeat_lines


def render(context: PageContext, specs: Sequence[Spec]) -> None:
    """The groups compared with each other, how much their repeats vary, and what that means."""
    runs = recorded_runs(context)
    evaluations = context.results.evaluations(specs)
    st.header("Repeats", anchor=False, help=tooltip("repeats"))
    for comparison in _outcomes(context, runs, evaluations, specs[0]):
        st.markdown(fmt.escape(plain_sentence(comparison, comparison.baseline)))
    spreads = repeat_spreads(evaluations, runs, specs)
    for line in repeat_lines(spreads) if spreads else ():
        st.markdown(fmt.escape(line))
    table = pd.DataFrame([{
        "Run": spread.name, "Metric": spread.spec.title, "Repeats": spread.repeats, "Mean": spread.mean,
        "SD between": spread.between, "SD within": spread.within,
        "Standard error": spread.components.standard_error(), "From queries": spread.components.share_of_queries,
        "n": spread.components.Q} for spread in spreads])
    elements.frame(table, "repeat_table", "How much the metrics of repeats vary",
                   formats={"From queries": elements.PERCENT})
    st.caption(NOTE)


def _outcomes(context: PageContext, runs: Sequence[Run], evaluations: Sequence[Evaluation],
              spec: Spec) -> list[Comparison]:
    """The groups against that of the baseline; without an outcome where a check withholds that of one of their runs."""
    verdict = context.results.verdict(spec, tuple(state.get(state.ACCEPTED) or ()))
    withheld = [set(check.runs) for check in verdict.withheld]
    groups = repeat_groups(runs)
    members = {name: {context.names[index] for index in group}
               for group, name in zip(groups, group_names(runs, groups), strict=True)}
    comparisons = _comparisons(tuple(context.digests), tuple(context.names), context.scope.cache_key([spec]), str(spec),
                               context.baseline, _runs=runs, _evaluations=evaluations)
    return [replace(comparison, outcome="not-comparable") if any(
                not names or names & (members[comparison.candidate] | members[comparison.baseline])
                for names in withheld) else comparison for comparison in comparisons]


@shared(max_entries=64)
def _comparisons(runs: tuple[str, ...], names: tuple[str, ...], scope: tuple, spec: str, baseline: int,
                 _runs: Sequence[Run], _evaluations: Sequence[Evaluation]) -> list[Comparison]:
    """Each group against the one of the baseline, on the first metric; empty for a single group."""
    groups = repeat_groups(_runs)
    if len(groups) < 2:
        return []
    _, merged = merged_groups(_runs, _evaluations)
    first = next(index for index, group in enumerate(groups) if baseline in group)
    others = [evaluation for index, evaluation in enumerate(merged) if index != first]
    return [row[0] for row in compare(merged[first], others, [spec])]
