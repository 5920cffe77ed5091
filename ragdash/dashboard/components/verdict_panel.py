"""The verdict on the runs shown, in short, and the checks that speak against it, each with its fix."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragdash.analysis.failure_patterns.traits import outcome_attributes
from ragdash.analysis.verdict import (
    MOST_RUNS,
    NEVER_ACCEPTED,
    AdviceFacts,
    RunCheck,
    Verdict,
    advise,
    badges,
    checks_to_show,
    evidence_specs,
    lean_specs,
    merge_alike,
    paid_of,
    withheld_checks,
)
from ragdash.core.errors import InputError
from ragdash.core.records import Truth
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard import page_list
from ragdash.dashboard.caches import evaluation_cache, what_if_cache
from ragdash.dashboard.caches.shared_cache import once_a_run, shared
from ragdash.dashboard.components import judge_note, page_links, repeat_lines
from ragdash.dashboard.page_context import DEFAULT_METRIC, PageContext, PageEnds, spec_of
from ragdash.dashboard.session import run_facts, run_fixes, state
from ragdash.dashboard.session.data_store import LOADED, SHORT, SessionRun
from ragdash.dashboard.session.file_metrics import session_file_specs
from ragdash.dashboard.session.truths import truth_versions
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import term_help
from ragdash.evaluation.compare import Comparison
from ragdash.evaluation.latency_cost import PriceTable
from ragdash.evaluation.repeats import digests_of
from ragdash.metrics import Spec, have_rankings
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import verdict as verdict_sentences
from ragdash.reporting.sentences.comparability import fix_label
from ragdash.reporting.sentences.runs import choice as choice_sentences
from ragdash.reporting.sentences.runs.check_lines import check_lines
from ragdash.reporting.sentences.runs.differences import differences_sentence

RELINKABLE = ("stale-judgments", "unknown-ids", "no-common-document")  # what new ids of old documents look like
NEARLY_SAME = "nearly-same"
MAX_BADGES = 3  # badges next to a run
MAX_CHECKS = 3  # lines of checks; more are folded away
LOOKS = {False: ("orange", "warning"), True: ("gray", "build")}  # color and icon of a check; of a note


def current_verdict(context: PageContext, spec: Spec) -> Verdict:
    """The verdict on the metric, with the checks that the reader accepted, and what labels and scores say."""
    knows_hybrid = what_if_cache.known_gain(context.digests, context.names, context.scope, spec) is not None
    return _verdict(context, spec, tuple(state.get(state.ACCEPTED) or ()), knows_hybrid)


@once_a_run
def _verdict(context: PageContext, spec: Spec, accepted: tuple[str, ...], knows_hybrid: bool) -> Verdict:
    """knows_hybrid: whether a better hybrid was found, which may come while the page is drawn."""
    answers = answer_specs(context, spec)
    verdict = context.results.verdict(spec, accepted, answers)
    return advise(verdict, _advice_facts(context, spec, answers)) if verdict.comparisons else verdict


@once_a_run
def answer_specs(context: PageContext, spec: Spec) -> list[Spec]:
    """What labels, scores of files and a judge say of the answers, next to the metric of the verdict."""
    judged = judge_note.right_answers(context) if page_list.ANSWERS in page_list.present_data() else []
    known = [*session_file_specs(), *judged]
    return context.results.computable(evidence_specs(known, spec))[0]


def _advice_facts(context: PageContext, spec: Spec, answers: Sequence[Spec]) -> AdviceFacts:
    """The facts of the runs shown; a hybrid only where it is known: no verdict waits for it, `add_hybrid` adds it."""
    specs = context.results.computable(lean_specs(spec, answers))[0]
    repeats = [[context.scope.match_by_id(digest) for digest in digests_of(entry.digest)] for entry in context.entries]
    return AdviceFacts(context.results.evaluations(specs) if specs else (),
                       paid_of(context.names, repeats, context.scope.queries, _prices()),
                       what_if_cache.known_gain(context.digests, context.names, context.scope, spec),
                       lambda run: _by_slice(context, spec, run))


def _by_slice(context: PageContext, spec: Spec, run: str) -> Iterator[Comparison]:
    """Every other run against this one within the slices by each attribute, as Compare shows them; of many runs none.
    """
    if len(context.names) > MOST_RUNS:
        return
    index = context.names.index(run)
    others = context.selection.others(index)
    outcomes = _outcomes(context.scope.truth_digest, _truth=context.scope.truth)
    for attribute in dict.fromkeys(part.attribute for part in context.scope.slices.values()):
        if attribute in outcomes:
            continue
        rows = evaluation_cache.compared_by_slice(
            context.digests[index], [context.digests[other] for other in others], context.scope, spec, attribute,
            context.results.comparison_rules())
        for row in rows if len(rows) > 1 else ():
            yield from (replace(pair, candidate=context.names[other], baseline=run)
                        for other, pair in zip(others, row, strict=True))


@shared(max_entries=16)
def _outcomes(truth: str, _truth: Truth) -> list[str]:
    """The attributes that say how a run did, such as failure_type: those are no kinds of queries."""
    return outcome_attributes(_truth)


def _prices() -> PriceTable:
    """Those of the workspace; what cannot be read is said where they are edited."""
    try:
        return run_facts.known_prices()
    except InputError:
        return PriceTable()


def attributes_against(verdict: Verdict) -> list[str]:
    """The attributes of the queries by which the verdict names a kind on which another run is better."""
    return [pair.slice.attribute for pair in verdict.advice.slices if pair.slice is not None]


def cutoff_note(context: PageContext, k: int | None) -> str:
    """That the first k ranks hold all documents, where no run shown returns as many; "" elsewhere."""
    repeats = [repeat for digest in context.digests for repeat in digests_of(digest)]
    return choice_sentences.cutoff_note(k, (LOADED.run(repeat).depth for repeat in repeats))


def add_hybrid(context: PageContext, spec: Spec, sentences: DeltaGenerator, *, folded: bool = False) -> None:
    """Say in the sentences of `render_line` that a hybrid would be better: call it when the page is drawn."""
    if finds_hybrid(context, spec):
        _write(context, current_verdict(context, spec), sentences, folded)


def finds_hybrid(context: PageContext, spec: Spec) -> bool:
    """Whether a hybrid is found that the verdict did not know of, where trying some is quick.

    Then every server shows the same words in the end, whether it has tried before or not.
    """
    before = current_verdict(context, spec)
    return bool(before.comparisons and before.advice.hybrid is None and before.state != "not-comparable"
                and what_if_cache.gain(context.digests, context.names, context.scope, spec))


def _write(context: PageContext, verdict: Verdict, sentences: DeltaGenerator, folded: bool) -> None:
    """The verdict in short; folded: what speaks against it and what to build next below it, closed at first."""
    lines, arguments = _short_lines(verdict), _arguments(verdict)
    step = arguments.get(choice_sentences.NEXT_STEP_TITLE, "")
    with sentences.container():
        if folded and arguments:
            st.markdown(shorten_names(context, "\n\n".join(lines)), help=term_help(lines[0], [verdict.spec]))
            first, *others = arguments
            title = " and ".join([first, *(other[0].lower() + other[1:] for other in others)])
            with st.expander(shorten_names(context, title)):  # written twice, so it has no key
                st.markdown(shorten_names(context, "\n\n".join(arguments.values())), help=term_help(step))
        else:
            st.markdown(shorten_names(context, "\n\n".join([*lines, *arguments.values()])),
                        help=term_help(f"{lines[0]} {step}", [verdict.spec]))


def setting_link(context: PageContext, verdict: Verdict) -> None:
    """The way to the setting of the hybrid to build next."""
    page_links.link("what-if", "Its setting, price and recipe", icon=":material/merge:",
                    **{state.FUSED_RUNS: _fused(context, verdict)})


def _fused(context: PageContext, verdict: Verdict) -> list[str]:
    """The runs of the hybrid to build next, as links name them."""
    gain = verdict.advice.hybrid
    return [] if gain is None else [context.digests[context.names.index(run)][:SHORT] for run in gain.runs]


def _short_lines(verdict: Verdict) -> list[str]:
    """The headline, how sure it is, and what its metric does not show. The decision is on Overview, but for what to do
    about a verdict that is withheld."""
    withheld = verdict.state == "not-comparable"
    return [verdict_sentences.headline(verdict, titled=True), *differences(verdict),
            *filter(None, [verdict_sentences.decision_sentence(verdict) if withheld else
                           verdict_sentences.metric_note(verdict)])]


def _arguments(verdict: Verdict) -> dict[str, str]:
    """{title: paragraph} of what speaks against the choice and of what to build next, where there is such."""
    return {title: text for title, text in (
        (choice_sentences.risk_title(verdict), choice_sentences.risk_line(verdict)),
        (choice_sentences.NEXT_STEP_TITLE, choice_sentences.next_step_sentence(verdict))) if text}


def differences(verdict: Verdict) -> list[str]:
    """How sure the headline is."""
    sure = " ".join(filter(None, (differences_sentence(verdict), verdict_sentences.answers_sentence(verdict))))
    return [sure] if sure else []


def render_line(context: PageContext, spec: Spec, *, folded: bool = False) -> DeltaGenerator:
    """The verdict in short without its frame, in the words of Overview, and below it the checks; gives the place of
    its sentences. folded: for a page whose first screen is what follows."""
    render_slice(context)
    verdict = current_verdict(context, spec)
    sentences = st.empty()
    _write(context, verdict, sentences, folded)
    render_checks(context, unsaid_checks(verdict))
    return sentences


def unsaid_checks(verdict: Verdict) -> list[RunCheck]:
    """The checks without the one whose finding and fix the sentences have, and for which there is nothing to click."""
    is_said = verdict.state not in ("not-comparable", "clear-winner") and len(
        {check.kind for check in verdict.qualified}) <= choice_sentences.MAX_NAMES
    return [check for check in verdict.checks if check.kind != choice_sentences.FEW_QUERIES_CHECK or not is_said]


def withheld(context: PageContext, spec: Spec) -> tuple[RunCheck, ...]:
    """The checks that withhold the result on the metric, until they are fixed or accepted."""
    return withheld_checks(context.results.checks(spec), spec, tuple(state.get(state.ACCEPTED) or ()))


def render_warnings(context: PageContext, *, without: Collection[str] = ()) -> None:
    """What speaks against the runs shown, for pages without a verdict: below the title of every page with values.

    without: kinds of checks that mean nothing on the page.
    """
    render_slice(context)
    specs, _ = context.results.computable([context.selection.spec])
    spec = specs[0] if specs else spec_of(DEFAULT_METRIC, context.k)
    render_checks(context, [check for check in context.results.checks(spec) if check.kind not in without])


def render_slice(context: PageContext) -> None:
    """That a page is about a part of the queries: a link can choose it, and a phone does not show the sidebar."""
    if part := context.scope.slices.get(context.scope.slice):
        counts = f"{int(part.queries.sum()):,} of {fmt.query_count(len(part.queries))}"
        st.markdown(":orange-badge[:material/filter_alt: slice] These results are about "
                    f"{counts} only: **{fmt.escape(part.title)}**.")


def end_unless_judged(context: PageContext) -> None:
    """End the page where nothing says which documents are relevant: its pictures would be empty."""
    truth = context.scope.truth
    if not context.scope.by_evidence and truth.queries_without_relevant == len(truth):
        elements.empty("No relevant document is known", "This page shows how well relevant documents are found. Add "
                       "relevance judgments (qrels) on the **Data** page. **Answers** and **Compare** need none.")
        raise PageEnds
    if not have_rankings([entry.run for entry in context.entries]):
        elements.empty("No retrieved documents", "The files have no retrieved documents, so there are no rankings to "
                       "show. **Answers** and **Compare** need none.")
        raise PageEnds


def render_grades(context: PageContext, specs: Sequence[Spec]) -> None:
    """From which grade on a document is relevant, where the judgments have several; specs: of the page."""
    note = "" if context.scope.by_evidence else fmt.grades_note(context.scope.truth.grade_values, specs, "report")
    if note:
        st.caption(note)


def render_checks(context: PageContext, checks: Sequence[RunCheck], fixed: Collection[str] = (),
                  named: Collection[str] = ()) -> None:
    """Every check that withholds or qualifies the verdict, with its fix one click away; accepted ones can be undone.

    What was done to a run by choice is said too. Of many checks the first are shown, the rest is folded away. fixed,
    named: kinds of which the reader has just read the fix, or what was found.
    """
    accepted = tuple(state.get(state.ACCEPTED) or ())
    shown = merge_alike(checks_to_show(checks, accepted))
    many = len(shown) > MAX_CHECKS + 1
    keys = _keys(shown)
    for check, key in list(zip(shown, keys, strict=True))[:MAX_CHECKS if many else None]:
        _render_check(context, check, key, accepted, fixed, named)
    if many:
        rest = shown[MAX_CHECKS:]
        with st.expander(f"{len(rest)} more: {_kinds(rest)}", key="more_checks"):
            for check, key in zip(rest, keys[MAX_CHECKS:], strict=True):
                _render_check(context, check, key, accepted)


def _kinds(checks: Sequence[RunCheck]) -> str:
    """The kinds of the checks in words, each once."""
    return fmt.escape(", ".join(dict.fromkeys(check.kind.replace("-", " ") for check in checks)))


def _render_check(context: PageContext, check: RunCheck, key: str, accepted: Sequence[str],
                  fixed: Collection[str] = (), named: Collection[str] = ()) -> None:
    """One check: its badge, what was found and what follows, the fix, and the way to accept it."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"check_{key}"):
        line = shorten_names(context, *check_lines([check], fixed=fixed, named=named))
        st.markdown(f"{_badge(check)} {line}", width="content", help=term_help(line))
        _render_fix(context, check, key)
        if check.level == "withheld" and check.kind not in NEVER_ACCEPTED:
            _render_accept(check, key, accepted)


def _badge(check: RunCheck) -> str:
    color, icon = LOOKS[check.level == "note"]
    return f":{color}-badge[:material/{icon}: {fmt.escape(check.badge)}]"


def shorten_names(context: PageContext, text: str) -> str:
    """Markdown with long names of runs shortened in their middle."""
    pairs = zip(context.names, short_names(context.names, PAGE_NAME), strict=True)
    for name, short in sorted(pairs, key=lambda pair: -len(pair[0])):
        if name != short:
            text = text.replace(fmt.escape(name), fmt.escape(short))
    return text


def _render_fix(context: PageContext, check: RunCheck, key: str) -> None:
    if check.kind in RELINKABLE and truth_versions.can_relink():
        page_links.link("data", "Follow new ids", icon=":material/move_down:", data_part="relink")
    if check.kind == choice_sentences.FEW_QUERIES_CHECK:
        return
    if check.kind == "tuned-here":
        page_links.link("what-if", "Open What-if", icon=":material/build:")
        return
    if check.kind == NEARLY_SAME and not check.alike:
        _render_hide(context, check.runs, key)
        return
    if check.kind == "unjudged":
        page_links.link("queries", "Open Queries", icon=":material/build:")
        return
    if check.kind == "other-judges":
        page_links.link("answers", "Open LLM judge", icon=":material/gavel:", **{state.ANSWERS_PART: "judge"})
        return
    if check.option is None:
        page_links.link("data", "Open Data", icon=":material/build:")
        return
    digests = [digest for entry in context.entries if entry.name in (*check.runs, *check.alike) or not check.runs
               for digest in digests_of(entry.digest)]
    options = [check.option, *check.also]
    label = f"Use k = {check.option[1]}" if check.option[0] == "k" else fix_label(options)
    st.button(label, icon=":material/build:", key=f"fix_check_{key}", on_click=run_fixes.apply, args=(digests, options))


def _render_hide(context: PageContext, runs: Sequence[str], key: str) -> None:
    """Take one of two runs that are nearly the same out of the comparison.

    That is the one whose ids were changed here, else the second; the first if that is the baseline.
    """
    baseline = context.names[context.baseline]
    changed = [entry.name for entry in context.entries if entry.name in runs and entry.fixes]
    candidates = changed if len(changed) == 1 else [run for run in reversed(runs) if run != baseline]
    name = next(iter(candidates), runs[-1])
    digests = [digest for entry in context.entries if entry.name == name for digest in digests_of(entry.digest)]
    short = dict(zip(context.names, short_names(context.names, PAGE_NAME), strict=True))
    st.button(f"Hide {fmt.escape(short.get(name, name))}", icon=":material/visibility_off:",
              key=f"hide_check_{key}", on_click=_hide, args=(digests,))


def _hide(digests: Sequence[str]) -> None:
    shown = st.session_state.get(state.SHOWN) or [entry.digest for entry in state.runs()]
    st.session_state[state.SHOWN] = [digest for digest in shown if digest not in digests]


def _render_accept(check: RunCheck, key: str, accepted: Sequence[str]) -> None:
    is_accepted = check.kind in accepted
    st.button("Accepted: undo" if is_accepted else "Accept anyway", key=f"accept_{key}", type="tertiary",
              on_click=_set_accepted, args=(check.kind, not is_accepted))


def _set_accepted(kind: str, accept: bool) -> None:
    kinds = [other for other in st.session_state.get(state.ACCEPTED) or [] if other != kind]
    st.session_state[state.ACCEPTED] = [*kinds, kind] if accept else kinds


def _keys(checks: Sequence[RunCheck]) -> list[str]:
    """A key for the widgets of each check: its message and runs, numbered where runs share a name."""
    keys = ["".join(char if char.isalnum() else "_" for char in "_".join([check.message, *check.runs[:3]]))
            for check in checks]
    return [key if key not in keys[:index] else f"{key}_{index}" for index, key in enumerate(keys)]


def badge_line(verdict: Verdict, run: str) -> str:
    """The badges of a run in Markdown; empty where no check is about it."""
    run_checks = badges(verdict.checks, run)
    texts = [_badge(check) for check in run_checks[:MAX_BADGES]]
    if len(run_checks) > MAX_BADGES:
        texts.append(f":orange-badge[+{len(run_checks) - MAX_BADGES}]")
    return " ".join(texts)


def marks(verdict: Verdict) -> dict[str, str]:
    """Run -> "best", "highest mean" or "not clearly worse"; nothing while the verdict is withheld or with one run."""
    if verdict.best is None or verdict.state in ("not-comparable", "one-run", "undefined"):
        return {}
    return {comparison.candidate: verdict_sentences.tied_mark(comparison) for comparison in verdict.tied} | {
        verdict.best: verdict_sentences.best_mark(verdict.spec, verdict.comparisons)}


def run_marks(verdict: Verdict, entries: Sequence[SessionRun]) -> dict[int, str]:
    """What is said of each run next to its name: best, not clearly worse, the checks that are about it, its repeats."""
    best = marks(verdict)
    texts = [[*filter(None, [best.get(entry.name, ""), repeat_lines.repeats_note(entry)]),
              *(check.mark for check in badges(verdict.checks, entry.name))] for entry in entries]
    return {index: ", ".join(parts) for index, parts in enumerate(texts) if parts}
