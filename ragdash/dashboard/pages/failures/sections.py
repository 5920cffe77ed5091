"""The Failures page: what loses most in words, the way to a right answer, stages of all runs, rules, slices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis.diagnosis import FINE, NAMES, STAGES, Step
from ragdash.dashboard.caches import diagnosis_cache
from ragdash.dashboard.components import query_links
from ragdash.dashboard.pages.failures import data as failures_data
from ragdash.dashboard.pages.failures.data import Losses
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.metrics.bands import STAGE_THRESHOLDS
from ragdash.reporting.plots import failures as pictures
from ragdash.reporting.sentences import fmt

WIDE = 4  # runs whose names stand beside their counts
NAME, CHIP, NARROW = 260, 172, 60  # pixels
MOST_LINKS = 12  # slices with a link
Passed = Sequence[Step]


def finding(held: Losses) -> None:
    """In words: at which stage each run loses most, what fixing it could gain, what usually fixes it."""
    said = failures_data.sentences(held)
    st.markdown("\n".join(f"- {line}" for line in said) if len(said) > 1 else said[0])
    fixes = failures_data.fixes(held)
    if fixes:
        st.caption("  \n".join(f":material/build: {fmt.escape(line)}" for line in fixes))


def choices(held: Losses) -> None:
    """The run looked at, and the numbers of the rules."""
    context = held.context
    with st.container(horizontal=True, vertical_alignment="bottom", key="failure_choices"):
        if len(context.entries) > 1:
            names = dict(zip(context.digests, context.names, strict=True))
            st.selectbox("Run looked at", context.digests, format_func=names.get, key=state.LOOKED, width=220,
                         persist_state="session", help="The run of the picture, of the slices and of what failing "
                                                       "queries share. The table has all runs.")
        own = diagnosis_cache.changed_rules(held.one.rules)
        with st.popover("Rules" + (f" ({len(own)})" if own else ""), icon=":material/rule:", key="rules"):
            _rules(held)


def _rules(held: Losses) -> None:
    rules = held.one.rules
    st.caption(f"The first {rules.k:,} documents count: the cutoff k of the sidebar.")
    st.slider("Share of the gold needed in the first k", 0.0, 1.0, step=0.05, key=state.COVERAGE,
              persist_state="session", help="1: all of it. 0: one document or span is enough, as where documents stand "
                                            "for one another. Multi-hop questions need all in any case.")
    st.text_input("Score threshold", key=state.CUT_OFF, placeholder="none", persist_state="session",
                  help="Documents with a lower score are cut off before the generator sees them. Scores of different "
                       "retrievers have no common threshold.")
    if state.get(state.CUT_OFF).strip() and rules.score is None:
        st.caption(":orange[:material/warning: The threshold is a number, such as 0.5. None is used.]")
    for key, name, spec in ((state.CORRECT, "right", rules.right_spec), (state.GROUNDED, "grounded",
                                                                       rules.grounded_spec)):
        st.slider(
            f"An answer is {name} from {fmt.escape(spec.title)}",
            0.0,
            1.0,
            step=0.05,
            key=key,
            persist_state="session",
            help=f"By default {STAGE_THRESHOLDS[name].value:g}: {STAGE_THRESHOLDS[name].source}."
            + (" An answer that holds a reference is always right." if name == "right" else ""),
        )
    if diagnosis_cache.changed_rules(rules):
        st.button("Back to the usual rules", icon=":material/undo:", key="usual_rules", on_click=_usual)


def _usual() -> None:
    for key in state.CUTS:
        st.session_state.pop(key, None)


def way(held: Losses) -> None:
    """The waterfall of the run looked at, the other runs as symbols on it."""
    context, at = held.context, held.at
    st.header("From gold to a right answer", anchor=False,
              help="Each step is passed by the queries that are still on the way. What a step loses is the stage at "
                   "which these queries went wrong first. Steps that can be assessed for no query are left out.")
    every = [one.waterfall(held.inside) for one in held.found]
    kept = [row for row, step in enumerate(every[at]) if step.reached > step.unknown
            and (step.name != "no-gold" or any(own[row].lost for own in every))]
    if not kept:
        st.caption("Nothing of the way can be assessed.")
        return
    steps = [every[at][row] for row in kept]
    aside = sum(step.name == "answered-unanswerable" for step in steps)
    others = [(context.names[run], context.slots[run], [_passed(every[run][row]) for row in kept])
              for run in range(len(every)) if run != at]
    figure = pictures.waterfall(context.names[at], context.slots[at], steps, lost_at=[step.name for step in steps],
                                separate=aside, other_runs=others, theme=elements.theme())
    rows = [{"Run": context.names[run], "Step": step.title, "Reached": step.reached, "Lost": step.lost,
             "Passed": step.reached - step.lost, "Not assessed": step.unknown}
            for run, own in enumerate(every) for step in own if step.reached]
    elements.chart(figure, pd.DataFrame(rows), "waterfall",
                  f"Queries of {context.names[at]} that come past each step: "
                  + ", ".join(f"{step.title} {step.reached - step.lost:,}" for step in steps),
                  pick=lambda stage: _go(held, stage))
    symbols = " ".join(
        elements.swatch(context.slots[run], context.names[run]) for run in range(len(every)) if run != at
    )
    st.caption(
        f"Bars: {elements.swatch(context.slots[at], context.names[at])}, hatched what a step loses; a click opens "
        "these queries." + (f" Symbols: queries that come past the step in {symbols}." if symbols else "")
    )


def _passed(step: Step) -> float:
    return step.reached - step.lost if step.reached > step.unknown else np.nan


def _go(held: Losses, stage: object) -> None:
    """Open the queries of a stage of the run looked at; nothing for a mark that stands for none."""
    name = stage[0] if isinstance(stage, (list, tuple)) else stage
    if name in NAMES and held.counts[held.at, NAMES.index(name)]:
        query_links.go(held.run, **{state.STAGES: [name]})


def stages(held: Losses) -> None:
    """Stages by runs; each number leads to exactly these queries."""
    context = held.context
    metric = held.spec.title if held.spec is not None and np.isfinite(held.gains).any() else None
    st.header("Where queries go wrong first", anchor=False,
              help="Every query stands at exactly one stage: the first that fails. Each number opens these queries.")
    readable, everything = st.tabs(["Stages", "All numbers"], key="stage_tabs", on_change="rerun")
    if readable.open is not False:
        with readable, st.container(key="stage_rows", gap="small"):
            for s in held.occurring:
                with st.container(horizontal=True, vertical_alignment="center", key=f"stage_{NAMES[s]}",
                                  gap="xsmall"):
                    st.markdown(f"**{STAGES[s].title}**", width=NAME, help=_meant(s))
                    for run in range(len(context.entries)):
                        _chip(held, run, s, metric)
    if everything.open:
        with everything:
            elements.frame(table(held), "stages", "Queries of each stage and run")
    gained = (f"+: by how much the mean {fmt.escape(metric)} could gain at most if all queries of the stage had the "
              "best possible value there; an upper bound, as who is fixed at one stage may fail at the next. "
              f"{_unmoved(held)}"
              if metric else "")
    st.caption(f"{gained}{fmt.count(held.total, 'query', 'queries')} in all.{context.scope.basis}")
    left = failures_data.unassessed(held)
    if left:
        st.caption("  \n".join(f":material/info: {fmt.escape(line)}" for line in left))
    with st.expander("What the stages mean, and what usually fixes them", key="stage_rules"):
        st.table(pd.DataFrame([{"Stage": f"**{one.title}**", "When": fmt.escape(one.meaning),
                                "What usually fixes it": fmt.escape(one.fix) or fmt.UNDEFINED} for one in STAGES]),
                 border="horizontal", hide_index=True, alt="The stages, in the order in which they are asked")


def _unmoved(held: Losses) -> str:
    """A sentence where what fixes answers does not move the metric."""
    if held.spec.metric.view not in ("Ranked", "Covered") or not held.counts[:, NAMES.index("wrong-answer"):FINE].any():
        return ""
    return (f"What fixes an answer does not move {fmt.escape(held.spec.title)}: choose a metric of answers in the "
            "sidebar for that. ")


def _meant(s: int) -> str:
    return fmt.escape(" ".join(filter(None, (STAGES[s].meaning, STAGES[s].fix))))


def _chip(held: Losses, run: int, s: int, metric: str | None) -> None:
    """One number: a link where there are queries."""
    context, many, gain = held.context, int(held.counts[run, s]), held.gains[run, s]
    wide = len(context.entries) <= WIDE
    sign = elements.swatch(context.slots[run], context.names[run] if wide else "").strip()
    gained = f" :gray[+{fmt.number(gain)}]" if metric and wide and many and s != FINE and np.isfinite(gain) else ""
    width = CHIP if wide else NARROW
    if not many:
        st.caption(f"{sign} 0", width=width)
        return
    told = f"{context.names[run]}: {fmt.count(many, 'query', 'queries')}, {many / max(held.total, 1):.0%}"
    told += f"; at most +{fmt.number(gain)} {metric}" if metric and s != FINE and np.isfinite(gain) else ""
    query_links.link(
        f"{sign} **{many:,}**{gained}",
        context.digests[run],
        help=fmt.escape(told),
        width=width,
        icon=None,
        **{state.STAGES: [NAMES[s]]},
    )


def table(held: Losses) -> pd.DataFrame:
    """Every number: a row per stage, for each run its queries and what fixing them gains at most."""
    columns: dict[str, object] = {"Stage": [STAGES[s].title for s in held.occurring]}
    for run, name in enumerate(held.context.names):
        columns[f"{name}: queries"] = held.counts[run, held.occurring]
        if np.isfinite(held.gains[run]).any():
            columns[f"{name}: {held.spec.title} at most +"] = held.gains[run, held.occurring]
    return pd.DataFrame(columns)


def attributes(held: Losses) -> None:
    """The stages of the run looked at within each slice of an attribute; nothing where queries have none."""
    every = held.context.scope.slices
    names = list(dict.fromkeys(one.attribute for one in every.values()))
    if not names or not held.total:
        return
    name = held.context.names[held.at]
    st.header("By attribute", anchor=False, help="Where the queries of each kind go wrong first.")
    st.selectbox(
        "Attribute", names, key=state.choice_key(state.BY, names, names[0]), persist_state="session", width=240
    )
    own = {token: one.queries & held.inside for token, one in every.items() if one.attribute == state.get(state.BY)}
    own = {token: mask for token, mask in own.items() if mask.any()}
    counts = np.array([held.one.counts(mask) for mask in own.values()])
    sizes, shown = counts.sum(axis=1), np.flatnonzero(counts.any(axis=0))
    values = [every[token].value for token in own]
    figure = pictures.by_slice(
        values, [STAGES[s].title for s in shown], counts[:, shown], sizes, theme=elements.theme()
    )
    frame = pd.DataFrame({state.get(state.BY): values, "Queries": sizes,
                          **{STAGES[s].title: counts[:, s] for s in shown}})
    elements.chart(figure, frame, "by_slice", f"Stages of {name} by {state.get(state.BY)}")
    wrong = sizes - counts[:, FINE]
    with st.container(horizontal=True, vertical_alignment="center", key="slice_links"):
        st.caption(f"Queries of {fmt.escape(name)} that go wrong:", width="content")
        order = [at for at in np.argsort(-wrong / sizes, kind="stable") if wrong[at]][:MOST_LINKS]
        for at in order:
            query_links.link(f"{fmt.escape(values[at])}: {wrong[at]:,} of {sizes[at]:,}", held.run, icon=None,
                             **{state.STAGES: held.wrong(held.at), state.ATTRIBUTES: [list(own)[at]]})
