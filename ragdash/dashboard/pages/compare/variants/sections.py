"""The effects of settings, parallel coordinates, and quality against latency and cost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis.variants import COST, LATENCY
from ragdash.analysis.variants.design import NOT_SET
from ragdash.core.terms import tooltip
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.pages.compare.variants.data import VariantsData
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.reporting.plots.common import axes
from ragdash.reporting.plots.many_runs import variants as pictures
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.variants import aims_sentence, cautions, headline, left_out_sentence, repeats_lines

MOST_CAUTIONS = 2  # more are folded
AIM_TITLES = {LATENCY: ("Average latency", "ms"), COST: ("Cost per query", "$")}


def render_finding(data: VariantsData) -> None:
    """Which setting matters, and what to be careful about."""
    finding, repeats, lines = (
        [verdict_panel.shorten_names(data.context, fmt.escape(sentence)) for sentence in sentences]
        for sentences in ([headline(data.variants)], repeats_lines(data.variants), cautions(data.variants)))
    st.markdown(*finding)
    for line in repeats:
        st.caption(line)
    for line in lines[:MOST_CAUTIONS]:
        st.caption(f":material/warning: {line}")
    if len(lines) > MOST_CAUTIONS:
        with st.expander(f"{fmt.count(len(lines) - MOST_CAUTIONS, 'more caution')}", key="more_cautions"):
            for line in lines[MOST_CAUTIONS:]:
                st.caption(line)


def render_effects(data: VariantsData) -> None:
    """A row for each value of each setting."""
    effects = data.variants.effects
    st.header(f"Effect of each setting on {fmt.escape(data.spec.title)}", anchor=False, help=tooltip("main_effects"))
    if not effects.settings:
        st.caption(fmt.escape(left_out_sentence(effects)))
        return
    figure = pictures.effects(effects.settings, axis=axes.axis_of(data.spec), n=effects.n, theme=elements.theme(),
                              withheld=bool(data.variants.withheld))
    rows = [{"Setting": setting.title, "Value": level, "Runs": int(setting.runs[index]),
             "Mean": float(setting.raw[index]), "Difference": float(setting.effect[index]),
             "Difference low": float(setting.low[index]), "Difference high": float(setting.high[index]),
             "p": float(setting.p[index]), "Share of variance": float(setting.share)}
            for setting in effects.settings for index, level in enumerate(setting.levels)]
    left_out = left_out_sentence(effects)
    count, queries = fmt.count(len(effects.settings), "setting"), fmt.query_count(effects.n)
    elements.chart(figure, pd.DataFrame(rows), "main_effects", f"Effect of {count} on {data.spec.title}: "
                   f"{headline(data.variants)}", caption="Against the average of the values of a "
                   f"setting, over {queries}, with corrected 95% intervals. The number of runs is in parentheses. "
                   "Filled: significant."
                   + (f" {fmt.escape(left_out)}" if left_out else ""))


def render_parallel(data: VariantsData) -> None:
    """A line for each run across its settings."""
    variants = data.variants
    st.header("All settings of all runs", anchor=False)
    mean = np.array([row.mean for row in variants.summaries], float)
    order = data.by_effect
    figure = pictures.parallel(data.names, variants.settings, order, mean, axis=axes.axis_of(data.spec),
                               theme=elements.theme())
    frame = pd.DataFrame([{"Run": name, **{setting: run.get(setting, NOT_SET) for setting in variants.varying},
                           data.spec.title: value}
                          for name, run, value in zip(data.names, variants.settings, mean, strict=True)])
    shown = order[:pictures.MOST_AXES]
    left = f" {fmt.count(len(variants.varying) - len(shown), 'setting')} with smaller effects not drawn." \
        if len(shown) < len(variants.varying) else ""
    elements.chart(figure, frame, "parallel_settings", f"{len(data.names):,} runs across {len(shown):,} settings and "
                   f"{data.spec.title}", caption="Each line is a run; the better, the stronger its color. Settings "
                   f"with the largest effects are first. Drag along an axis to keep the runs of some values.{left}")


def render_compromises(data: VariantsData) -> None:
    """Quality against latency or cost, with the runs that no other run beats in all of them."""
    variants = data.variants
    paid = [aim for aim in variants.aims if aim in AIM_TITLES]
    st.header("Best compromises", anchor=False, help=tooltip("best_compromises"))
    if not paid:
        elements.empty("No latency or cost", "Runs that record `latency_ms`, or tokens and prices, are compared here. "
                       "`ragdash.record` measures the latency.")
        return
    aim = paid[0]
    if len(paid) > 1:
        st.segmented_control("Against", paid, format_func=lambda name: AIM_TITLES[name][0], required=True,
                             key=state.choice_key(state.VARIANTS_AIM, paid, paid[0]), persist_state="session")
        aim = state.get(state.VARIANTS_AIM)
    title, unit = AIM_TITLES[aim]
    values = variants.latency if aim == LATENCY else variants.cost
    summaries = variants.summaries
    quality = np.array([[getattr(row, name) for row in summaries] for name in ("mean", "low", "high")], float)
    figure = pictures.compromises(data.names, values, quality, variants.best, axis=axes.axis_of(data.spec), title=title,
                                  unit=unit, slots=data.context.slots, theme=elements.theme())
    table = pd.DataFrame({
        "Run": data.names, data.spec.title: quality[0], "Latency (ms)": variants.latency,
        "Cost ($)": variants.cost, "Best compromise": ["yes" if best else "" for best in variants.best]})
    elements.chart(figure, table.dropna(axis="columns", how="all"), "compromises",
                   f"{data.spec.title} against {title.lower()} of {len(data.names):,} runs",
                   caption=verdict_panel.shorten_names(data.context, fmt.escape(aims_sentence(variants))),
                   formats={"Cost ($)": "%.5f", "Latency (ms)": "%.1f"})
