"""The comparability ledger on the Runs page: one line in words, findings with their fixes, the choices of counting."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.analysis.comparability import Entry as Finding
from ragdash.analysis.comparability import Ledger
from ragdash.core.errors import InputError
from ragdash.dashboard import page_context
from ragdash.dashboard.caches import comparability_cache
from ragdash.dashboard.components import tables as components_tables
from ragdash.dashboard.session import run_fixes, state
from ragdash.dashboard.session.data_store import LOADED, SessionRun
from ragdash.dashboard.session.scope import Scope
from ragdash.dashboard.widgets import elements
from ragdash.metrics import Spec
from ragdash.reporting.sentences import comparability, fmt

ICONS = {"error": ":orange[:material/error:]", "warning": ":orange[:material/warning:]",
         "note": ":gray[:material/info:]"}
WIDTHS = [2, 1]  # a finding, and the button that fixes it


def ledger() -> None:
    """Whether the runs of the session can be compared, what stands in the way, and what can be done about it."""
    runs, truth = state.runs(), state.truth()
    if not runs or truth is None or LOADED.truth(truth) is None:
        return
    runs = [entry for entry in runs if entry.run is not None]
    found = comparability_cache.ledger(runs, truth, state.conventions(), _spec(runs, truth))
    st.header("Comparability", anchor=False, help="Every run against the judgements and the runs among themselves. "
              "Nothing is dropped, joined or filled that does not stand here.")
    with st.container(key="ledger"):
        st.markdown(comparability.summary(found, [entry.name for entry in runs], state.conventions()))
        _together(found, runs)
        for entry in runs:
            _of_run(found, entry)
        _others(found)
        _notes(found, runs)
        everything = st.expander("Everything that was counted", key="counts", on_change="rerun")
        if everything.open:
            with everything:
                elements.frame(components_tables.ledger(found), "ledger_table", "Every count of the ledger",
                              formats={"Share": "percent"})
        _conventions(found, runs)


def _spec(runs: Sequence[SessionRun], truth: str) -> Spec:
    """The metric of the sidebar, or NDCG at its cutoff where that metric cannot be measured in one of the runs."""
    k = int(state.get(state.K))
    try:
        spec = page_context.spec_of(state.get(state.METRIC), k)
        scope = Scope(truth, comparability_cache.lenient(state.conventions()))
        for entry in runs:
            if (scope.match_by_id(entry.digest).truth_query >= 0).any():
                scope.evaluation(entry.digest, (spec,))
    except InputError:
        return page_context.spec_of(page_context.DEFAULT_METRIC, k)
    return spec


def _together(found: Ledger, runs: Sequence[SessionRun]) -> None:
    """A fix that several runs need, with one click for all of them."""
    for option, names in comparability.shared_fixes(found).items():
        digests = [entry.digest for entry in runs if entry.name in names]
        st.button(
            f"{comparability.fix_label(option)} in {fmt.count(len(names), 'run')}",
            icon=":material/build:",
            key=f"fix_all_{'_'.join(option[0])}",
            on_click=run_fixes.apply,
            args=(digests, option),
            type="primary",
        )


def _of_run(found: Ledger, entry: SessionRun) -> None:
    """What needs attention in one run; fixes in force with the way back."""
    own = comparability.sort_findings(one for one in found.findings if one.run == entry.name and one.severity != "note")
    if not own and not entry.fixes:
        return
    with st.container(border=True, gap="small", key=f"found_{entry.key}"):
        st.markdown(f"**{elements.swatch(entry.slot, entry.name)}**")
        _fixed(entry)
        offered = set()
        for at, one in enumerate(own):
            _finding(one, f"{entry.key}_{at}", entry, button=(one.option, *one.also) not in offered)
            offered.add((one.option, *one.also))


def _fixed(entry: SessionRun) -> None:
    if not entry.fixes:
        return
    told = [problem.actual for problem in entry.run.problems if problem.kind in comparability.FIX_KINDS]
    left, right = st.columns(WIDTHS, vertical_alignment="center", gap="small")
    left.markdown(f":blue[:material/build:] {comparability.applied_fixes(entry.fixes, told)}")
    right.button("Undo", icon=":material/undo:", key=f"undo_{entry.key}", on_click=run_fixes.undo, args=(entry.digest,),
                 help="Read the run again as it was loaded.")


def _others(found: Ledger) -> None:
    """What needs attention in the truth, or in the runs among themselves."""
    own = [one for one in found.findings if one.run is None and one.severity != "note"]
    if not own:
        return
    with st.container(border=True, gap="small", key="found_all"):
        st.markdown("**All runs together**")
        for at, one in enumerate(own):
            _finding(one, f"all_{at}", None)


def _notes(found: Ledger, runs: Sequence[SessionRun]) -> None:
    """What is worth knowing and in nobody's way, folded away."""
    notes = [one for one in found.findings if one.severity == "note"]
    if not notes:
        return
    with st.expander(fmt.count(len(notes), "note"), key="notes"):
        for entry in (*runs, None):
            own = [one for one in notes if one.run == (entry.name if entry else None)]
            if own:
                st.markdown(f"**{elements.swatch(entry.slot, entry.name) if entry else 'All runs together'}**")
            for at, one in enumerate(own):
                _finding(one, f"{entry.key if entry else 'all'}_note_{at}", entry)


def _finding(one: Finding, key: str, entry: SessionRun | None, button: bool = True) -> None:
    """What was counted, what follows from it, how it is fixed; a button where one click does it."""
    if not one.option or not button:
        st.markdown(f"{ICONS[one.severity]} {comparability.finding_text(one)}")
        return
    left, right = st.columns(WIDTHS, vertical_alignment="center", gap="small")
    left.markdown(f"{ICONS[one.severity]} {comparability.finding_text(one)}")
    options = (one.option, *one.also)
    right.button(comparability.fix_label(options), icon=":material/build:", key=f"fix_{key}", on_click=run_fixes.apply,
                 args=((entry.digest,) if entry else (), options), help=f"On the command line: {one.flags}",
                 type="tertiary" if one.option[0] in state.CONVENTIONS else "secondary")


def _conventions(found: Ledger, runs: Sequence[SessionRun]) -> None:
    """The choices of counting, and what each does to the mean of every run; drawn only when opened."""
    panel = st.expander("How the means are counted", key="conventions", on_change="rerun")
    if not panel.open:
        return
    with panel:
        st.caption("What is done where files leave a choice; it holds for every page and is part of the link. The "
                   f"numbers are means of {found.effects[0].spec.title}." if found.effects else "")
        for name in comparability.CHOICES:
            _convention(name, found, runs)


def _convention(name: str, found: Ledger, runs: Sequence[SessionRun]) -> None:
    title, choices, help = comparability.CHOICES[name]
    key = f"choose_{name}"
    st.session_state[key] = state.get(name)
    st.segmented_control(title, list(choices), format_func=choices.get, key=key, help=help, required=True,
                         on_change=lambda: state.set_convention(name, st.session_state[key]))
    table = components_tables.effects(found, name, runs)
    if len(table):
        st.table(table, border="horizontal", hide_index=True, alt=f"Means under each choice of: {title}")
    else:
        st.caption(comparability.NO_EFFECT[name])
