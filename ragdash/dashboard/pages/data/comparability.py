"""The comparability ledger on the Data page: one line in words, findings with their fixes, the choices of counting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from ragdash.analysis.comparability import ComparabilityEntry as Finding
from ragdash.analysis.comparability import ComparabilityReport
from ragdash.analysis.verdict import RunCheck
from ragdash.core.errors import InputError
from ragdash.core.terms import TERMS, tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard import page_context
from ragdash.dashboard.caches import comparability_cache
from ragdash.dashboard.session import run_fixes, state
from ragdash.dashboard.session.data_store import LOADED, SessionRun
from ragdash.dashboard.session.scope import Scope
from ragdash.dashboard.widgets import clicks, elements
from ragdash.dashboard.widgets.texts import term_help
from ragdash.metrics import Spec
from ragdash.reporting.sentences import comparability
from ragdash.reporting.sentences import formatting as fmt

ICONS = {"error": ":orange[:material/error:]", "warning": ":orange[:material/warning:]",
         "note": ":gray[:material/info:]"}
SAME_FINDING = {"missing-queries": "missing-queries", "rising-scores": "rising-scores",
                "unjudged": "unjudged-documents", "no-common-document": "no-common-document",
                "no-common-query": "matched-queries", "shallow-run": "different-depths",
                "no-rankings": "without-answer", "same-content": "same-rankings", "near-ids": "near-ids"}
"""The finding that says what a check of the verdict says."""
IN_SUMMARY = ("missing-queries", "no-common-document", "no-common-query")  # checks that the first sentence names too
SAID_IN_SUMMARY = "without-answer"  # a finding that the first sentence says of all runs
NOT_IN_SUMMARY = ("unknown-ids", "several-truths")  # checks that it does not know: it would call the runs comparable
BREAK = "  \n"  # between what was counted and what follows from it
LABEL = 36  # characters of a button that fits next to its finding; a longer one is below it
WIDTHS = [2, 1]  # a finding, and the button that fixes it


def render() -> None:
    """Whether the runs of the session can be compared, what prevents it, and how to fix it."""
    report, runs = session_report(), _runs_as_drawn()
    if report is None:
        return
    st.header("Comparability", anchor=False, help=tooltip("comparability"))
    with st.container(key="ledger"):
        _render_summary(report, runs)
        _render_hidden()
        _render_findings(report, runs)
        _render_notes(report, runs)
        all_counts = st.expander("Everything that was counted", key="counts", on_change="rerun")
        if all_counts.open:
            from ragdash.dashboard.components import tables

            with all_counts:
                elements.frame(
                    tables.counts_table(report),
                    "ledger_table",
                    "Every count of the comparability check",
                    formats={"Share": elements.PERCENT},
                )
        _render_conventions(report, runs)


def session_report() -> ComparabilityReport | None:
    """The findings of the runs shown and the judgments of the session; None where either is missing."""
    runs, truth = _shown_runs(), state.truth()
    if not runs or truth is None or LOADED.truth(truth) is None:
        return None
    return comparability_cache.comparability_report(runs, truth, state.conventions(), _comparison_metric(runs, truth))


def render_open_checks(shown: Sequence[RunCheck] = ()) -> None:
    """The findings that need attention, each with its fix; nothing else. shown: checks that the page has already."""
    report, runs = session_report(), _runs_as_drawn()
    if report is None:
        return
    with_summary = not any(check.kind in (*IN_SUMMARY, *NOT_IN_SUMMARY) for check in shown)
    rest = replace(report, entries=tuple(
        entry for entry in report.entries if not any(_says_the_same(check, entry) for check in shown)
        and not (with_summary and entry.kind == SAID_IN_SUMMARY)))
    if not with_summary and not any(entry.fixes for entry in runs) and all(
            finding.severity == "note" for finding in rest.findings):
        return
    st.header("Checks of the files", anchor=False, help=tooltip("comparability"))
    with st.container(key="ledger"):
        if with_summary:
            _render_summary(report, runs)
        _render_findings(rest, runs)


def _shown_runs() -> list[SessionRun]:
    return [entry for entry in state.shown_runs() if entry.run is not None]


def _runs_as_drawn() -> list[SessionRun]:
    shown = {entry.digest for entry in _shown_runs()}
    return [entry for entry in page_context.runs_as_drawn() if entry.digest in shown]


def _render_hidden() -> None:
    """Which runs are not checked, since the sidebar does not show them."""
    shown = state.shown_runs()
    hidden = [entry.name for entry in state.runs() if entry not in shown]
    if hidden:
        names = fmt.escape(fmt.listed(short_names(hidden, PAGE_NAME)))
        st.caption(f"Not checked, because the sidebar does not show {'it' if len(hidden) == 1 else 'them'}: {names}.")


def _render_summary(report: ComparabilityReport, runs: Sequence[SessionRun]) -> None:
    """A sentence on all runs."""
    st.markdown(comparability.summary(report, [entry.name for entry in runs], state.conventions()))


def _render_findings(report: ComparabilityReport, runs: Sequence[SessionRun]) -> None:
    """What each run has and what they have in common, with the fixes."""
    _render_shared_fixes(report, runs)
    shared = _render_shared_findings(report, runs)
    for entry in runs:
        _render_run_findings(report, entry, shared)
    _render_common_findings(report, runs)


def _says_the_same(check: RunCheck, finding: Finding) -> bool:
    """Whether a check of the verdict says what a finding says, of its run and with its fix."""
    return finding.kind == SAME_FINDING.get(check.kind) and finding.option in (None, check.option) and (
        finding.run is None or not check.runs or finding.run in check.runs)


def _comparison_metric(runs: Sequence[SessionRun], truth: str) -> Spec:
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


def _render_shared_fixes(report: ComparabilityReport, runs: Sequence[SessionRun]) -> None:
    """A fix that several runs need, with one click for all of them."""
    for option, names in comparability.shared_fixes(report).items():
        digests = [entry.digest for entry in runs if entry.name in names]
        st.button(
            f"{comparability.fix_label(option)} in {fmt.count(len(names), 'run')}",
            icon=":material/build:",
            key=state.bound_key(f"fix_all_{'_'.join(option[0])}", digests, option),
            on_click=run_fixes.apply,
            args=(digests, option),
            type="primary",
        )


def _render_shared_findings(report: ComparabilityReport, runs: Sequence[SessionRun]) -> set[int]:
    """What needs attention in several runs alike, a card for all of them; gives the `id` of each finding that has one.
    """
    by_run = {entry.name: entry for entry in runs}
    alike: dict[tuple, list[Finding]] = {}
    for finding in comparability.sort_findings(report.findings):
        if finding.run in by_run and finding.severity != "note":
            alike.setdefault((comparability.finding_text(finding), finding.option, finding.also), []).append(finding)
    cards: dict[tuple[str, ...], list[Finding]] = {}
    for same in alike.values():
        if len(names := tuple(dict.fromkeys(finding.run for finding in same))) > 1:
            cards.setdefault(names, []).append(replace(same[0], facts={**same[0].facts, "each": True}))
    for place, (names, findings) in enumerate(cards.items()):
        with st.container(border=True, gap="small", key=f"found_alike_{place}"):
            swatches = [elements.swatch(by_run[name].slot, name) for name in names]
            st.markdown(f"**{fmt.count(len(names), 'run')}**, the same in each: **{fmt.listed_few(swatches)}**")
            _render_card(findings, f"alike_{place}", [by_run[name] for name in names],
                         comparability.shared_fixes(report))
    return {id(finding) for same in alike.values() if len({finding.run for finding in same}) > 1 for finding in same}


def _render_run_findings(report: ComparabilityReport, entry: SessionRun, shared: set[int]) -> None:
    """What needs attention in one run; fixes in force with the way back. shared: the `id` of findings with a card."""
    findings = comparability.sort_findings(finding for finding in report.findings if finding.run == entry.name and
                                           finding.severity != "note" and id(finding) not in shared)
    if not findings and not entry.fixes:
        return
    with st.container(border=True, gap="small", key=f"found_{entry.key}"):
        st.markdown(f"**{elements.swatch(entry.slot, entry.name)}**")
        _render_applied_fixes(entry)
        _render_card(findings, entry.key, [entry], {})


def _render_card(findings: Sequence[Finding], key: str, entries: Sequence[SessionRun],
                 above: Mapping[tuple, Sequence[str]]) -> None:
    """The findings of a card, each fix once; above: fixes that have a button above all cards, for these runs."""
    names = [entry.name for entry in entries]
    offered = {options for options, fixed in above.items() if sorted(fixed) == sorted(names)}
    for index, finding in enumerate(findings):
        options = (finding.option, *finding.also)
        _render_finding(finding, f"{key}_{index}", entries, button=options not in offered)
        offered.add(options)


def _render_applied_fixes(entry: SessionRun) -> None:
    if not entry.fixes:
        return
    fix_notes = [problem.actual for problem in entry.run.problems if problem.kind in comparability.FIX_KINDS]
    left, right = st.columns(WIDTHS, vertical_alignment="center", gap="small")
    text = comparability.applied_fixes(entry.fixes, fix_notes, ranked_by=entry.run.ranked_by)
    left.markdown(f":blue[:material/build:] {text}")
    right.button("Undo", icon=":material/undo:", key=f"undo_{entry.key}", on_click=run_fixes.undo, args=(entry.digest,),
                 help=tooltip("undo_fixes"))


def _render_common_findings(report: ComparabilityReport, runs: Sequence[SessionRun]) -> None:
    """What needs attention in the truth, or in the runs among themselves."""
    findings = [finding for finding in report.findings if finding.run is None and finding.severity != "note"]
    if not findings:
        return
    with st.container(border=True, gap="small", key="found_all"):
        st.markdown("**All runs together**")
        offered = set()
        for index, finding in enumerate(findings):
            names = finding.facts.get("fixable", ())
            _render_finding(finding, f"all_{index}", [entry for entry in runs if entry.name in names],
                            button=(finding.option, *finding.also) not in offered)
            offered.add((finding.option, *finding.also))


def _render_notes(report: ComparabilityReport, runs: Sequence[SessionRun]) -> None:
    """What is worth knowing and in nobody's way, folded away; what follows for several runs alike is said once."""
    notes = [finding for finding in report.findings if finding.severity == "note"]
    if not notes:
        return
    alike: dict[str, list[tuple[SessionRun, Finding]]] = {}
    for entry in runs:
        for note in notes:
            if note.run == entry.name and not note.option:
                alike.setdefault(_effect(note), []).append((entry, note))
    alike = {effect: pairs for effect, pairs in alike.items() if effect and len(pairs) > 1}
    merged = [note for pairs in alike.values() for _, note in pairs]
    with st.expander(fmt.count(len(notes), "note"), key="notes"):
        for effect, pairs in alike.items():
            st.markdown("\n".join(f"- **{elements.swatch(entry.slot, entry.name)}**: "
                                  f"{comparability.finding_text(note).partition(BREAK)[0]}" for entry, note in pairs))
            st.markdown(f"{ICONS['note']} {effect}", help=term_help(effect))
        for entry in (*runs, None):
            entry_notes = [note for note in notes if note.run == (entry.name if entry else None) and note not in merged]
            if entry_notes:
                st.markdown(f"**{elements.swatch(entry.slot, entry.name) if entry else 'All runs together'}**")
            for index, note in enumerate(entry_notes):
                _render_finding(note, f"{entry.key if entry else 'all'}_note_{index}", [entry] if entry else [])


def _effect(note: Finding) -> str:
    """What follows from a note and what can be done."""
    return comparability.finding_text(note).partition(BREAK)[2]


def _render_finding(finding: Finding, key: str, entries: Sequence[SessionRun], button: bool = True) -> None:
    """What was counted, what follows from it, how it is fixed; a button where one click does it, in these runs."""
    text = f"{ICONS[finding.severity]} {comparability.finding_text(finding)}"
    if not finding.option or not button:
        st.markdown(text, help=term_help(text))
        return
    options = (finding.option, *finding.also)
    label = comparability.fix_label(options)
    if finding.run is not None and len(entries) > 1:
        label += f" in {fmt.count(len(entries), 'run')}"
    elif finding.run is None and entries:
        label += f" in {fmt.escape(fmt.listed(short_names([entry.name for entry in entries], PAGE_NAME)))}"
    fits = len(label) <= LABEL
    left, right = st.columns(WIDTHS, vertical_alignment="center", gap="small") if fits else (st, st)
    left.markdown(text, help=term_help(text))
    digests = [entry.digest for entry in entries]
    right.button(label, icon=":material/build:", key=state.bound_key(f"fix_{key}", digests, options),
                 on_click=run_fixes.apply, args=(digests, options),
                 help=tooltip("command_line_fix", flags=finding.flags),
                 type="tertiary" if finding.option[0] in state.CONVENTIONS else "secondary")


def _render_conventions(report: ComparabilityReport, runs: Sequence[SessionRun]) -> None:
    """The choices of counting, and what each does to the mean of every run; drawn only when opened."""
    panel = st.expander("How the means are counted", key="conventions", on_change="rerun")
    if not panel.open:
        return
    with panel:
        st.caption("How ragdash reads what the files leave open, on every page; the link keeps it. The "
                   f"numbers are means of {fmt.escape(report.effects[0].spec.title)}." if report.effects else "")
        for name in comparability.CHOICES:
            _render_convention(name, report, runs)


def _render_convention(name: str, report: ComparabilityReport, runs: Sequence[SessionRun]) -> None:
    from ragdash.dashboard.components import tables

    title, choices = TERMS[name].name, comparability.CHOICES[name]
    key = f"choose_{name}"
    st.session_state[key] = state.get(name)
    st.segmented_control(title, list(choices), format_func=choices.__getitem__, key=key, help=tooltip(name),
                         required=True, on_change=clicks.take_choice, args=(key, partial(state.set_convention, name)))
    table = tables.effects_table(report, name, runs)
    if len(table):
        st.table(table, border="horizontal", hide_index=True, alt=f"Means under each choice of: {title}")
    else:
        st.caption(comparability.NO_EFFECT[name])
