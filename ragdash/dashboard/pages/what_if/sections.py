"""The What-if page: the held-out answer, what it rests on, and the sections below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from ragdash.analysis.verdict import RunCheck
from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard.caches import what_if_cache
from ragdash.dashboard.components import page_links, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.what_if import (
    alternatives_section,
    legs_section,
    mix_section,
    price_section,
    routers_section,
    tables,
)
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import term_help
from ragdash.evaluation.compare import best_first
from ragdash.evaluation.latency_cost import Amount, amount
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.pair import SPELLED_APART, is_hybrid
from ragdash.experiments.fusion.tuning.choice import Choice, sweep_line
from ragdash.reporting.plots import what_if as pictures
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import what_if as sentences
from ragdash.reporting.sentences.hybrid_answer import (
    fused_here_sentence,
    loaded_hybrid_sentence,
    unscored_sentence,
    why_other_sentence,
    withheld_hybrid,
)

MOST_RUNS = 5


def render(context: PageContext) -> None:
    """Draw the page for the runs shown."""
    if len(context.entries) < 2:
        elements.empty("A hybrid needs two runs", page_links.second_run())
        page_links.link("data", "Add runs", icon=":material/upload_file:")
        return
    if context.scope.by_evidence:
        st.caption("Hybrids are compared by id alone: choose **Relevant** by id in the sidebar to see them.")
        return
    chosen = _chosen_runs(context)
    if len(chosen.entries) < 2:
        _render_one_run(context, chosen)
        return
    if not any(len(entry.run.docs) for entry in chosen.entries):
        elements.empty("These runs returned no documents",
                       "A hybrid merges rankings. These files have only answers or scores.")
        return
    verdict_panel.end_unless_judged(context)
    try:
        pool = what_if_cache.pool(chosen.digests, chosen.names, chosen.scope)
        if _is_spelled_apart(chosen, pool):
            return
        choice = what_if_cache.choice(pool, chosen.digests, chosen.names, chosen.scope, chosen.selection.spec, None)
    except InputError as error:
        elements.problems(error.problems, "what_if")
        return
    for problem in pool.warnings:
        if problem.kind != SPELLED_APART:
            elements.warning(problem)
    others = [entry.name for entry in context.entries if entry.digest not in chosen.digests]
    preset = what_if_cache.runs_to_fuse(context.digests, context.names, context.scope, context.selection.spec)
    if [context.digests[index] for index in preset] == list(chosen.digests):
        what_if_cache.keep_gain(context.digests, context.names, context.scope, choice)
    price = what_if_cache.price(pool, chosen.digests, chosen.scope, choice, choice.spec.k or context.k)
    _render_answer(context, chosen, choice, others, price.more("parallel"))
    _note_hybrids(context, chosen, choice, pool, amount(price.parallel))
    family = what_if_cache.family(pool)
    if family != "all":
        st.caption(sentences.left_out_sentence(family, what_if_cache.results(pool), what_if_cache.SINGLE))
    if choice.decision != "unknown":
        price_section.render_sentence(context, choice, pool, price,
                                      answered=not verdict_panel.withheld(chosen, choice.spec))
        price_section.render_front(chosen, choice, pool, price)
        alternatives_section.render(context, chosen, choice, pool)
        routers_section.render(chosen, choice, pool)
    with st.grid(2, min_column_width=elements.COLUMN, gap="medium", key="what_if_pictures"):
        with st.container(key="box_sweep"):
            _render_sweep(context, chosen, choice)
        with st.container(key="box_ceiling"):
            _render_ceiling(context, chosen, choice, pool)
    legs_section.render(context, chosen, choice, pool)
    mix_section.render(context, chosen, choice, pool)


def _chosen_runs(context: PageContext) -> PageContext:
    """The choice of runs; the context with these alone, in the order chosen."""
    names = dict(zip(context.digests, short_names(context.names, PAGE_NAME), strict=True))
    first = what_if_cache.runs_to_fuse(context.digests, context.names, context.scope, context.selection.spec)
    default, earlier = [context.digests[index] for index in first], st.session_state.get(state.FUSED_RUNS)
    key = state.choices_key(state.FUSED_RUNS, context.digests, default)
    if not st.session_state[key] and (earlier or len(context.digests) == 2):  # the runs chosen before are hidden
        st.session_state[key] = default
    st.multiselect("Runs to fuse", context.digests, format_func=names.__getitem__, key=key, max_selections=MOST_RUNS,
                   persist_state="session", help=tooltip("fused_runs"), wrap=True)
    entries = {entry.digest: entry for entry in context.entries}
    return context.only([entries[digest] for digest in state.get(key) or () if digest in entries])


def _render_one_run(context: PageContext, chosen: PageContext) -> None:
    """That a hybrid needs a second run, with a button for each of those shown."""
    elements.empty("A hybrid needs two runs", "Choose two or more under **Runs to fuse**. Runs with “hybrid” in their "
                   "name come last in the first choice, but you can fuse them too.")
    key = state.choices_key(state.FUSED_RUNS, context.digests, chosen.digests)
    with st.container(horizontal=True, key="other_runs_to_fuse"):
        for entry in [entry for entry in context.entries if entry.digest not in chosen.digests][:MOST_RUNS]:
            st.button(f"Add {fmt.escape(entry.name)}", icon=":material/add:", key=f"fuse_also_{entry.key}",
                      on_click=_fuse, args=(key, [*chosen.digests, entry.digest]))


def _fuse(key: str, digests: list[str]) -> None:
    """Choose these runs."""
    st.session_state[key] = digests


def _is_spelled_apart(chosen: PageContext, pool: JudgedPool) -> bool:
    """Whether the runs name documents in different ways and nobody accepted that; it is said, with the fix."""
    problem = next((problem for problem in pool.warnings if problem.kind == SPELLED_APART), None)
    if problem is None:
        return False
    check = RunCheck("other-spellings", "withheld", (), problem.facts, ("ids", str(problem.facts["ids"])))
    verdict_panel.render_checks(chosen, [check])
    return check.kind not in (state.get(state.ACCEPTED) or ())


def _note_hybrids(context: PageContext, chosen: PageContext, choice: Choice, pool: JudgedPool, modeled: Amount) -> None:
    """Say what hybrids that were made elsewhere have: their recipes can differ from those tried here."""
    fused = what_if_cache.fused_from(tuple(context.digests))
    for entry, legs in zip(context.entries, fused, strict=True):
        if legs and entry.digest not in chosen.digests:
            st.caption(fused_here_sentence(entry.name, [context.names[leg] for leg in legs]))
    hybrids = [index for index, entry in enumerate(context.entries) if entry.digest not in chosen.digests
               and not fused[index] and "fusion" not in entry.run.settings and is_hybrid(entry.run, entry.name)]
    if not hybrids:
        return
    means = [row[0].mean for row in context.results.summary([choice.spec])]
    best = next(index for index in best_first(np.array(means), choice.spec.metric.better) if index in hybrids)
    default = choice.evaluations[len(choice.runs)]
    facts = what_if_cache.compared_hybrid(pool, context.digests[best], context.scope.queries)
    st.caption(verdict_panel.shorten_names(context, " ".join((
        loaded_hybrid_sentence(context.names[best], means[best], len(hybrids), choice.spec.title, default.name,
                               float(_means([default.column(choice.spec)])[0])),
        why_other_sentence(context.names[best], chosen.names, *facts, modeled)))))


def _setting(choice: Choice) -> str:
    return sentences.setting_text(METHODS[choice.recipe.method].title, choice.recipe.params, choice.runs,
                                  choice.recipe.window)


def _short_names(context: PageContext, chosen: PageContext) -> list[str]:
    """The names of the runs that are fused, short as on every page: so that no two of all runs shown look alike."""
    names = dict(zip(context.digests, short_names(context.names, PAGE_NAME), strict=True))
    return [names[digest] for digest in chosen.digests]


def _render_answer(context: PageContext, chosen: PageContext, choice: Choice, others: Sequence[str],
                   more_time: Amount) -> None:
    """The answer in one sentence, then the hybrid next to the single runs; others: runs shown that are not fused."""
    with st.container(border=True, key="answer"):
        answer = sentences.hybrid_answer(
            choice.decision, _setting(choice), choice.against_single, choice.default_against_single,
            choice.against_default, choice.held_out.value, choice.runs, others, more_time)
        withheld = verdict_panel.withheld(chosen, choice.spec)
        if withheld:
            answer = withheld_hybrid(withheld)
        answer = verdict_panel.shorten_names(context, answer)
        st.markdown(answer, help=term_help(answer, [choice.spec]))
        verdict_panel.render_checks(chosen, [check for check in chosen.results.checks(choice.spec)
                                              if check.kind != "other-spellings"])  # said above
    if choice.decision == "unknown":
        return
    st.header("Tuned hybrid against single runs", anchor=False, help=tooltip("held_out"))
    elements.frame(tables.runs_table(choice, withheld=bool(withheld)), "what_if_runs",
                   "The tuned hybrid, held out, and the single runs", widths={"Against the best run": 420})
    result = choice.held_out
    named = "" if choice.decision == "tuned" else (  # the answer has it
        f"Tuning on all queries chooses this setting: {fmt.escape(_setting(choice))}. ")
    caution = sentences.caution_sentence(result.optimism, choice.survives, result.worse, len(choice.recipes),
                                         choice.evaluations[len(choice.runs)].name)
    rounding = fmt.rounding_note(tables.differences(choice))
    st.caption(verdict_panel.shorten_names(context, f"{named}{caution} {rounding}".rstrip()), help=term_help(named))
    if choice.unscored:
        st.caption(unscored_sentence(choice.unscored))


def _render_sweep(context: PageContext, chosen: PageContext, choice: Choice) -> None:
    """The metric against the weight or k of the chosen method."""
    name, line = sweep_line(choice.recipes, choice.held_out.chosen)
    title = choice.spec.title
    if len(line) < 2:
        return
    names = _short_names(context, chosen)
    run = names[-1]
    label = f"Weight of {run}" if name == "weight" else "k of RRF"
    st.header(fmt.escape(f"{title} by {name}"), anchor=False, help=tooltip("flat_range"))
    x = np.array([value for value, _ in line])
    mean = _means(choice.values[[index for _, index in line]])
    best = next(value for value, index in line if index == choice.held_out.chosen)
    figure = pictures.sweep(label, x, mean, best, choice.flat[1:] if choice.flat else None, names,
                            chosen.slots, _means(choice.single_values), axis=axis_of(choice.spec),
                            theme=elements.theme())
    flat = ""
    if choice.flat:
        flat = sentences.flat_sentence(*choice.flat, run) + " "
        flat = flat if choice.flat[1] == choice.flat[2] else f"Shaded: {flat[0].lower()}{flat[1:]}"
    elements.chart(figure, tables.sweep_table(label, title, x, mean), "sweep_mix", f"{title} against {label}",
                   title=f"{title} of the hybrid by {label[:1].lower()}{label[1:]}",
                   caption=f"{flat}{sentences.OPTIMISTIC}",
                   note=f"Runs fused: {fmt.listed([fmt.escape(name) for name in choice.runs])}.")


def _render_ceiling(context: PageContext, chosen: PageContext, choice: Choice, pool: JudgedPool) -> None:
    """What the chosen setting reaches by window, and the best order of all results at most."""
    st.header("Hybrid and ceiling by window", anchor=False, help=tooltip("ceiling"))
    most = what_if_cache.ceiling(pool, chosen.digests, chosen.scope, choice)
    figure = pictures.ceiling(most.windows, most.best, most.hybrid, _short_names(context, chosen), chosen.slots,
                              _means(choice.single_values), axis=axis_of(choice.spec), theme=elements.theme())
    sign = choice.against_single.sign
    elements.chart(figure, tables.ceiling_table(choice.spec.title, most), "ceiling",
                   f"The hybrid and the best possible {choice.spec.title} by window",
                   caption=f"{sentences.ceiling_sentence(choice.spec.title, most.single, most.value, None, sign)} "
                           f"{sentences.window_curve_sentence(choice.spec.title, most.windows, most.hybrid, sign)} "
                           f"{sentences.OPTIMISTIC}")


def _means(values: np.ndarray | Sequence) -> np.ndarray:
    """The mean of each row over its defined values: (S,); NaN without any."""
    values = np.asarray(values, float)
    defined = ~np.isnan(values)
    count = defined.sum(axis=1)
    return np.where(count > 0, np.where(defined, values, 0).sum(axis=1) / np.maximum(count, 1), np.nan)
