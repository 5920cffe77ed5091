"""Try a mix: method or engine, k, weight and window; what it scores, what it changes, and how to take it along."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.components import query_links, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.data import workspace_list
from ragdash.dashboard.pages.what_if import tables
from ragdash.dashboard.session import data_store, state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.outcomes import Comparison, ComparisonRules
from ragdash.experiments.fusion.alternatives import against_best
from ragdash.experiments.fusion.ceiling import changes
from ragdash.experiments.fusion.export.snippets import engine_snippet, python_snippet
from ragdash.experiments.fusion.fuse import fuse
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.experiments.fusion.legs.price import with_modeled_times
from ragdash.experiments.fusion.methods import METHODS, SAME
from ragdash.experiments.fusion.presets import PRESETS
from ragdash.experiments.fusion.recipe import Recipe, make_recipe
from ragdash.experiments.fusion.tuning.choice import Choice, chosen_run
from ragdash.experiments.fusion.tuning.grids import KS
from ragdash.io import write_run
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import what_if as sentences

TUNED = "tuned"
OF_ENGINES = ("arithmetic", "geometric", "harmonic", "rrf-stretched", "rrf-common", "reciprocal")  # with presets
DEPTHS = ("5", "10", "20", "50", "100", "200", "500", "1000")  # of a cascade
WINDOWS = ("default", "all", "5", "10", "20", "50", "100", "200", "500", "1000")
MOST_CHANGES = 50
FAST_FLIPS = 10_000  # enough to tell 0.05; the sliders wait for it


def render(shown: PageContext, context: PageContext, choice: Choice, pool: JudgedPool) -> None:
    """Draw the section; its sliders redraw it alone. shown: with all runs, among which names are short."""
    st.header("Try a mix", anchor=False, help=tooltip("hybrid"))
    _mix(shown, context, choice, pool)


@st.fragment
def _mix(shown: PageContext, context: PageContext, choice: Choice, pool: JudgedPool) -> None:
    try:
        recipe = _chosen_recipe(shown, choice, pool)
    except InputError as error:
        elements.problems(error.problems, "mix")
        return
    values = np.where(context.scope.queries, pool.values([recipe], [choice.spec])[0, 0], np.nan)
    comparison = choice.known_outcome(recipe, values) or against_best(
        choice.evaluations[:len(choice.runs)], choice.best_run, values, choice.spec,
        ComparisonRules(permutations=FAST_FLIPS))
    mean = float(np.nanmean(values)) if (~np.isnan(values)).any() else np.nan
    is_chosen = comparison is choice.against_single
    text = sentences.mix_sentence(comparison, choice.held_out.value if is_chosen else mean, held_out=is_chosen,
                                  withheld=bool(verdict_panel.withheld(context, choice.spec)))
    st.markdown(verdict_panel.shorten_names(shown, text))
    engine = PRESETS[recipe.preset].engine if recipe.preset else ""
    note = f" {PRESETS[recipe.preset].note}" if recipe.preset else ""
    chosen = sentences.chosen_mix_note(choice.spec.title, mean, choice.held_out.value) if is_chosen else ""
    window = sentences.window_sentence(recipe.window, [run.depth for run in pool.runs], engine)
    st.caption(f"{chosen} {window}{fmt.escape(note)}".strip())
    _render_changes(context, choice, pool, recipe, values, comparison if is_chosen else None)
    _render_export(context, choice, pool, recipe)


def _options(choice: Choice, pool: JudgedPool) -> dict[str, str]:
    """What can be chosen -> its label: the tuned setting, methods, engines; without what needs missing scores."""
    scored = all(run.scores is not None for run in pool.runs)
    usable = [name for name, method in METHODS.items() if scored or not method.reads_scores({})]
    labels = {TUNED: "Tuned setting"} | {name: METHODS[name].title for name in usable if name not in OF_ENGINES}
    for name, preset in PRESETS.items():
        if preset.method in usable and (not preset.two_runs or len(choice.runs) == 2):
            labels[name] = f"{preset.engine}: {name}"
    if len(choice.runs) != 2:
        labels.pop("cascade", None)
    return labels


def _chosen_recipe(shown: PageContext, choice: Choice, pool: JudgedPool) -> Recipe:
    labels = _options(choice, pool)
    with st.container(horizontal=True, vertical_alignment="bottom", key="mix_bar"):
        name = st.selectbox("Method or engine", list(labels), format_func=labels.get, width=300,
                            key=state.choice_key(state.FUSION, list(labels), TUNED), persist_state="session",
                            help=tooltip("fusion_method"))
        window = st.selectbox("Window", WINDOWS, width=120, persist_state="session",
                              key=state.choice_key(state.FUSE_WINDOW, WINDOWS, "default"),
                              help=tooltip("fusion_window"))
        params = {**_params(shown, name, choice), **_options_of_order(name, pool)}
    if name == TUNED:
        recipe = choice.recipe
        size = recipe.window if window == "default" else None if window == "all" else int(window)
        return make_recipe(pool.runs, recipe.method, size, None, recipe.given)
    preset = name if name in PRESETS else None
    size = None if window in ("default", "all") else int(window)
    if window == "all" and preset and PRESETS[preset].window is not None:
        size = max(max(run.depth for run in pool.runs), 1)
    return make_recipe(pool.runs, "rrf" if preset else name, size, preset, params)


def _params(shown: PageContext, name: str, choice: Choice) -> Mapping[str, object]:
    """The sliders that the method or engine has, and what they say."""
    if name == TUNED:
        return {}
    preset = PRESETS.get(name)
    allowed = preset.options if preset else METHODS[name].params
    params: dict[str, object] = {}
    if "k" in allowed:
        default = float(preset.params["k"]) if preset else 60.0  # type: ignore[arg-type]
        key = state.choice_key(state.FUSE_K, [f"{k:g}" for k in KS], f"{default:g}")
        params["k"] = float(st.select_slider("k", [f"{k:g}" for k in KS], key=key, width=220, persist_state="session",
                                             help=tooltip("fusion_k")))
    weighted = next((option for option in ("weights", "alpha", "weight") if option in allowed), None)
    if weighted:
        runs = len(choice.runs)
        key = state.fraction_key(state.FUSE_SHARE, 0.0, 1.0, round(1 / runs, 2))
        label = verdict_panel.shorten_names(shown, f"Weight of {fmt.escape(choice.runs[-1])}")
        share = st.slider(label, 0.0, 1.0, step=0.05, key=key, width=260, persist_state="session",
                          help=tooltip("fusion_weight"))
        params[weighted] = share if weighted != "weights" else (*([(1 - share) / (runs - 1)] * (runs - 1)), share)
    return params


def _options_of_order(name: str, pool: JudgedPool) -> Mapping[str, object]:
    """The depth of a cascade; what makes documents of a union the same, which needs texts but for ids."""
    if name == "cascade":
        key = state.choice_key(state.FUSE_DEPTH, DEPTHS, "100")
        return {"depth": int(st.select_slider("Depth", DEPTHS, key=key, width=220, persist_state="session",
                                              help=tooltip("cascade_depth")))}
    if name != "union":
        return {}
    names = SAME if all(run.texts is not None for run in pool.runs) else SAME[:1]
    return {"same": st.selectbox("Same document", names, format_func=sentences.SAME_DOCUMENTS.get, width=260,
                                 key=state.choice_key(state.FUSE_SAME, names, names[min(1, len(names) - 1)]),
                                 persist_state="session", help=tooltip("union_same"))}


def _render_changes(context: PageContext, choice: Choice, pool: JudgedPool, recipe: Recipe,
                    values: np.ndarray, held_out: Comparison | None) -> None:
    """First results and top-k sets that change; the queries that gain and lose, one click to read them."""
    single, title = choice.single_values[choice.best_run], choice.spec.title
    changed = changes(pool, recipe, choice.best_run, choice.against_single.sign * (values - single), context.k,
                      context.scope.queries)
    results, *ties = sentences.changes_sentences(changed, title, held_out)
    st.markdown(results, help=tooltip("churn"))
    for line in ties:
        st.caption(line)
    groups = {f"{name[:1].upper()}{name[1:]} ({len(ids):,})": ids
              for name, ids in sentences.changed_queries(changed).items() if ids}
    if not groups:
        return
    run = context.digests[choice.best_run]
    with st.expander("Queries behind these numbers", key="mix_changes", on_change="rerun") as fold:
        if not fold.open:
            return
        with st.container(horizontal=True, key="mix_changed"):
            for label, ids in groups.items():
                query_links.link(label, run, **query_links.only(context.scope, ids))
        moved = [*changed.gained, *changed.lost]
        if not moved:
            return
        these = query_links.only(context.scope, moved)
        table = tables.changes_table(pool.truth.query_ids.to_pylist(), single, values, title,
                                     choice.runs[choice.best_run], MOST_CHANGES)
        st.caption("Click a row to read the query.")
        elements.frame(
            table, "mix_queries", "Queries that gain or lose", items=table["Query"].tolist(),
            pick=lambda query: query_links.open_queries(run, **{**these, state.QUERY: str(query)}))


def _render_export(context: PageContext, choice: Choice, pool: JudgedPool, recipe: Recipe) -> None:
    """The fused run as a file or as a run of this session, and the recipe as code."""
    names = choice.runs
    with st.container(horizontal=True, key="mix_export"):
        st.download_button("Download TREC run", lambda: _trec(_fused(choice, pool, recipe)), "hybrid.trec",
                           "text/plain", key="mix_trec", on_click="ignore", icon=":material/download:")
        if st.button("Add as a run", key="mix_add", icon=":material/add:", disabled=data_store.read_only()):
            _add(choice, pool, recipe)
            st.rerun()  # the sidebar lists it
    added = st.session_state.pop(state.MIX_ADDED, None)
    if added:
        st.success(f"**{fmt.escape(added)}** is among the runs: Overview and Compare show it. {sentences.ADDED_LACKS}",
                   icon=":material/check:")
    code = engine_snippet(recipe)
    with st.expander("Recipe as code", key="mix_code"):
        if code is not None and recipe.preset:
            preset, version = PRESETS[recipe.preset], f", {recipe.version}" if recipe.version else ""
            st.caption(f"{preset.engine}{version}. Fill in what is in angle brackets. This code was {preset.tried}.")
            st.code(code, language=None)
        st.caption("Python")
        st.code(python_snippet(recipe, names), language="python")


def _fused(choice: Choice, pool: JudgedPool, recipe: Recipe):
    """The run of the mix; that of the tuned setting says what it was tuned on."""
    name = sentences.mix_name(recipe.method, recipe.params, choice.runs, recipe.preset, recipe.window)
    if recipe.preset is None and recipe == choice.recipe:
        return chosen_run(pool.runs, choice, pool.truth, name)
    return fuse(pool.runs, recipe.method, recipe.window, preset=recipe.preset, name=name,
                ties=pool.conventions.ties, **recipe.given)


def _trec(run) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hybrid.trec"
        write_run(run, path)
        return path.read_bytes()


def _add(choice: Choice, pool: JudgedPool, recipe: Recipe) -> None:
    """Add the fused run to the session and the workspace; it is compared like any other."""
    try:
        with rights.change("add-mix"):
            run = with_modeled_times(_fused(choice, pool, recipe), pool, recipe)
            LOADED.put(run)
            st.session_state[state.MIX_ADDED] = state.add_run(run.digest, run.name).name
    except InputError as error:
        state.set_notice(error.problems)
    else:
        workspace_list.save_upload([run.digest], "The fused run was")
