"""What else to weigh: the chosen hybrid by metrics that had no part in the choice, and a cascade in its place."""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard.caches import what_if_cache
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.widgets.texts import bulleted, term_help
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.recipe import Recipe
from ragdash.experiments.fusion.tuning.choice import Choice
from ragdash.metrics import parse_specs
from ragdash.reporting.sentences import what_if as sentences

METRICS = ("nDCG@{k}", "R@{k}", "P@{k}", "RR", "Success@{k}")


def render(context: PageContext, chosen: PageContext, choice: Choice, pool: JudgedPool) -> None:
    """A fold that computes when it is opened; chosen: the runs that are fused."""
    with st.expander("By other metrics, and a cascade", key="what_if_alternatives", on_change="rerun") as fold:
        if not fold.open:
            return
        specs = parse_specs([metric.format(k=context.k) for metric in METRICS])
        others, cascade = what_if_cache.alternatives(pool, chosen.digests, chosen.scope, choice, specs)
        lines = [sentences.other_metric_sentence(
            row.spec.title, row.value.value, row.gain.value, row.gain.interval(), choice.runs[choice.best_run],
            "" if row.same else _setting(row.best, choice)) for row in others]
        if cascade is not None:
            lines.append(sentences.cascade_sentence(choice.runs, cascade.recipe.params["depth"],
                                                    cascade.held_out.value, cascade.against_tuned))
        text = verdict_panel.shorten_names(context, bulleted(lines))
        st.markdown(text, help=term_help(text))


def _setting(recipe: Recipe, choice: Choice) -> str:
    return sentences.setting_text(METHODS[recipe.method].title, recipe.params, choice.runs, recipe.window)
