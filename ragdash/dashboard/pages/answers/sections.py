"""Answers: which run answers best, by which metrics, how the values spread, how they depend on what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash.analysis.diagnosis import Declined
from ragdash.core.errors import Problem
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.dashboard import page_context
from ragdash.dashboard.components import comparison_tables, judge_note, page_links, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.answers import model_scores
from ragdash.dashboard.pages.answers import tables as answers_tables
from ragdash.dashboard.session import state
from ragdash.dashboard.session.file_metrics import measured_first, session_file_specs, with_need
from ragdash.dashboard.widgets import answer_html, elements
from ragdash.dashboard.widgets.texts import bulleted
from ragdash.evaluation.evaluate import Evaluation, Summary
from ragdash.metrics import GROUNDING_SPECS, Spec
from ragdash.metrics.docs.human_agreement import (
    ASKED,
    answer_score_specs,
    asked_of_answers,
    evidence_rank,
    is_grounding,
    is_of_answers,
    label_specs,
    leading_metric,
)
from ragdash.reporting.plots.leaderboard import best_first
from ragdash.reporting.sentences import comparison as comparison_sentences
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import judge as judged_words
from ragdash.reporting.sentences.answers import (
    REFERENCES_FIX,
    SINGLE_WORDS,
    judge_error_note,
    unavailable_metrics,
    word_overlap_note,
    wordless_answers,
)
from ragdash.reporting.sentences.failures.answer_rules import FIRST_FAILURE, declined_sentence, right_sentence
from ragdash.reporting.sentences.verdict import best_mark, tied_mark

DEFAULT_METRICS = ["SupportCoverage", "NumberMatch", "TokenF1", "ROUGE_L", "UnsupportedNumbers", "HallucinationRate",
                   "CoverEM", "EM"]  # in the order of evidence
NO_ANSWERS = "unavailable/no-answers"  # the message that a run has none
MAX_LABELS = 6  # labels and scores of the files among the default metrics
MAX_ON_FAILURES = 4  # runs of which the notes say where wrong answers and those that decline are on Failures
MAX_JUDGED = 4  # those that a judge has scored among them


@dataclass(frozen=True)
class AnswersData:
    """The metrics of the page with what they say of each run shown: summaries and per-query values by run."""

    context: PageContext
    specs: list[Spec]
    summaries: list[tuple[Summary, ...]]
    values: list[Evaluation]
    quadrant_evaluations: list[Evaluation]

    def summaries_of(self, spec: Spec) -> list[Summary]:
        """One metric of every run."""
        return [row[self.specs.index(spec)] for row in self.summaries]

    def runs_with_values(self, spec: Spec) -> list[int]:
        """The runs for which the metric is defined."""
        return [index for index, summary in enumerate(self.summaries_of(spec)) if summary.n]

    def most_queries(self, spec: Spec) -> int:
        """The queries of the run for which the metric is defined most often."""
        return max(summary.n for summary in self.summaries_of(spec))

    @property
    def refusals(self) -> list[np.ndarray]:
        """1 for each answer that declines: (Q,) for each run."""
        return [evaluation.column("Refusal") for evaluation in self.quadrant_evaluations]

    def quadrants(self, run_index: int) -> np.ndarray:
        """Found and right, and so on, of each query of a run: indices into NAMES."""
        low = answers_data.bands_by_label()[state.get(state.RIGHT)].low
        hit = self.quadrant_evaluations[run_index].column(quadrant_specs(self.context)[0])
        return answers_data.classify_queries(
            hit, answers_data.right_answers(self.context, self.context.digests[run_index], low))


def choose_metrics(judged: Sequence[str], *, with_references: bool) -> list[str]:
    """The metrics of the tables; judged: those that a judge has scored, among the first unless others are chosen.

    with_references: whether the truth has right answers; without, metrics of grounding are the default.
    """
    computed = [template for template in fmt.metric_templates() if is_of_answers(page_context.spec_of(template, 1))]
    computed.sort(key=lambda template: evidence_rank(page_context.spec_of(template, 1)))
    labels = [str(spec) for spec in label_specs(session_file_specs())]
    scores = [str(spec) for spec in sorted(answer_score_specs(session_file_specs()), key=evidence_rank)]
    menu = list(dict.fromkeys([*labels, *scores, *judged, *measured_first(computed)]))
    default = [*labels[:MAX_LABELS], *scores[:MAX_LABELS], *judged[:MAX_JUDGED],
               *(DEFAULT_METRICS if with_references else map(str, GROUNDING_SPECS))]
    if st.session_state.get(state.ANSWERS) == st.session_state.get(state.ANSWERS_DEFAULT):
        st.session_state.pop(state.ANSWERS, None)  # nothing else was chosen: verdicts that are new appear at once
    st.session_state[state.ANSWERS_DEFAULT] = default
    key = state.choices_key(state.ANSWERS, menu, default, free=True)
    typed = [template for template in state.get(state.ANSWERS) if template not in menu]
    st.multiselect("Metrics of the tables", [*menu, *typed], key=key,
                   format_func=with_need(fmt.template_title, computed), accept_new_options=True,
                   persist_state="session", help=tooltip("answer_metrics"), wrap=True)
    return state.get(state.ANSWERS)


def sidebar_metric(context: PageContext) -> list[str]:
    """The sidebar's metric where it is one of answers: it belongs on the page, whichever are chosen there."""
    spec = context.selection.spec
    return [context.selection.template] if is_of_answers(spec) else []


def quadrant_specs(context: PageContext) -> Sequence[Spec]:
    """What the Answers page looks at beside its tables: found, near to a reference, declined."""
    return answers_data.quadrant_specs(context.k)


def build_data(context: PageContext, specs: list[Spec]) -> AnswersData:
    """Everything that the page shows, or what is missing and an end."""
    if not specs:
        elements.empty("No metric is chosen", "Choose one or more under **Choose metrics**.")
        raise page_context.PageEnds
    data = AnswersData(
        context,
        specs,
        context.results.summary(specs),
        context.results.evaluations(specs),
        context.results.evaluations(quadrant_specs(context)),
    )
    lines = [
        *unavailable_metrics(context.names, data.values),
        *judged_words.unavailable_judged(context.names, data.values, specs),
    ]
    if not any(summary.n for row in data.summaries for summary in row):
        has_answers = any(
            answer is not None
            for digest in context.digests
            for answer in answers_data.read_answer_texts(digest, context.scope).answers
        )
        advice = bulleted(lines) or "Every value is undefined for the queries in scope."
        elements.empty("Nothing to compare the answers with" if has_answers else "No answers are loaded",
                      f"{advice}\n\nA run may have an **answer** to each query and the **contexts** it was made from, "
                      "the ground truth right **answers**. The samples show all of it.")
        model_scores.render(context, specs, data.values)
        if any(spec.metric.family == "judged" for spec in specs):
            judge_note.link_to_judge()
        if has_answers:
            page_links.link("queries", "Read the answers", icon=":material/manage_search:")
        st.page_link("pages/data.py", label="Go to Data", icon=":material/upload_file:")
        raise page_context.PageEnds
    return data


def choose_metric(data: AnswersData) -> Spec:
    """The metric that the sentence, the pictures and the order of the queries are about: the sidebar's where that is
    one of answers, and again whenever another one is chosen there.
    """
    first = leading_metric([spec for spec in data.specs if data.runs_with_values(spec)], data.most_queries)
    names, sidebar_name = {str(spec): spec for spec in data.specs}, str(data.context.selection.spec)
    available = sidebar_name in names and bool(data.runs_with_values(names[sidebar_name]))
    if available and st.session_state.get(state.FOLLOWED, sidebar_name) != sidebar_name:
        st.session_state[state.ANSWER] = sidebar_name
    st.session_state[state.FOLLOWED] = sidebar_name
    default = sidebar_name if available else str(first)
    chosen, (gone, instead) = st.session_state.get(state.ANSWER), st.session_state.get(state.ANSWER_GONE, ("", ""))
    if chosen is not None and chosen not in names:
        st.session_state[state.ANSWER_GONE] = chosen, default
    elif gone in names and chosen == instead:  # its verdicts are back, and nothing else was chosen meanwhile
        st.session_state[state.ANSWER] = gone
        del st.session_state[state.ANSWER_GONE]
    key = state.choice_key(state.ANSWER, list(names), default)
    st.selectbox("Answer metric", list(names), format_func=lambda name: names[name].title, key=key, width=240,
                 persist_state="session", help=tooltip("answer_metric"))
    return names[state.get(state.ANSWER)]


def _compare_with_best(data: AnswersData, spec: Spec) -> tuple[int | None, dict]:
    """The run with the best mean, and every other run compared with it; None where no end is better."""
    column = data.summaries_of(spec)
    order = best_first(np.array([summary.mean for summary in column]), spec.metric.better)
    if spec.metric.better is None or not column[order[0]].n:
        return None, {}
    return order[0], {
        index: comparison for (index, _), comparison in data.context.results.compared([spec], order[0]).items()
    }


def _metrics_of_finding(data: AnswersData, spec: Spec) -> list[Spec]:
    """The metric, and the first of grounding, or, after a metric of grounding, the first of right answers."""
    others = [other for other in data.specs if data.runs_with_values(other) and other.metric.better is not None
              and is_grounding(other) != is_grounding(spec)]
    return [spec, *([leading_metric(others, data.most_queries)] if others else [])]


def render_finding(data: AnswersData, spec: Spec, container) -> None:
    """In words: which run has the best value, and which is best grounded, or, after a metric of grounding, right.

    Where a metric counts common words, the sentence says so.
    """
    sentences = []
    for metric in _metrics_of_finding(data, spec):
        leader = comparison_sentences.leader_sentence(data.context.names, data.summaries_of(metric),
                                                      _compare_with_best(data, metric)[1])
        sentences.append(" ".join(filter(None, (
            leader, word_overlap_note(metric), judge_error_note(metric),
            *judged_words.constant_scores(data.context.names, data.values, [metric])))))
    container.markdown(verdict_panel.shorten_names(data.context, bulleted(sentences)))
    lines = data.context.results.missing_answers()
    if lines and not min(data.context.results.answered()):  # the first line is of the runs without answers
        lines[0] = f"{lines[0]} {Problem(NO_ANSWERS, {'run': data.context.names}).words('page').fix}"
    for line in lines:
        container.caption(verdict_panel.shorten_names(data.context, line))


def render_tables(data: AnswersData, spec: Spec) -> None:
    """Runs x metrics: against the references, and against the contexts; every number one tab away."""
    context = data.context
    best, comparisons = _compare_with_best(data, spec)
    level = {index: tied_mark(comparison) for index, comparison in comparisons.items() if comparison.tied}
    withheld = any(comparison.outcome == "not-comparable" for comparison in comparisons.values())
    withheld |= not any(comparison.n for comparison in comparisons.values())  # only one run has values
    run_labels = {best: best_mark(spec, comparisons.values()), **level} if comparisons and not withheld else {}
    mean = np.array([summary.mean for summary in data.summaries_of(spec)])
    shared = [index for index in run_labels if fmt.number(mean[index]) == fmt.number(mean[best])] if run_labels else []
    run_labels |= dict.fromkeys(shared, "tied for best") if len(shared) > 1 else {}
    order = best_first(mean, spec.metric.better)
    deltas = context.results.compared(_tested_metrics(data, spec))
    readable, numbers_tab = st.tabs(["Answers", "All numbers"], key="answer_board", on_change="rerun")
    if readable.open is not False:
        with readable:
            rows = answers_tables.rows_to_read(order, context.baseline)
            _render_readable_tables(data, spec, rows, deltas, run_labels)
            if rest := len(order) - len(rows):
                st.caption(f"{fmt.count(rest, 'more run')}: see **All numbers**.")
    if numbers_tab.open:
        with numbers_tab:
            elements.frame(
                comparison_tables.leaderboard_numbers(context, data.summaries, order, deltas),
                "answer_numbers",
                "Every number of the answers",
                formats={"p (corrected)": "%.4f"},
                paper=comparison_tables.leaderboard_paper(context, data.summaries, order, deltas),
            )
    _render_notes(data, uneven=any(delta.left_out for delta in deltas.values()))
    model_scores.render(context, data.specs, data.values)


def _tested_metrics(data: AnswersData, spec: Spec) -> list[Spec]:
    """The metrics whose differences are tested: all, or, of many runs, those of the sentences until asked for all.

    A metric's family is all pairs of the runs, 435 of 30.
    """
    tested = _metrics_of_finding(data, spec)
    if len(data.context.entries) <= answers_tables.MAX_ROWS or len(tested) == len(data.specs):
        return data.specs
    titles = fmt.escape(fmt.listed([metric.title for metric in tested]))
    with st.container(horizontal=True, vertical_alignment="center", key="tested"):
        every = st.toggle("Test every metric", key=state.ANSWERS_TESTED, persist_state="session")
        if not every:
            st.caption(f"Differences of {titles} are tested. The other metrics have means and intervals only.")
    return data.specs if every else tested


def _declined(data: AnswersData) -> list[Declined]:
    """How many answers of each run decline, and how many of these rightly."""
    return [data.context.results.diagnosis(digest).declined(data.context.scope.queries)
            for digest in data.context.digests]


def _render_readable_tables(data: AnswersData, spec: Spec, order: list[int], deltas, run_labels: dict) -> None:
    """A table of each kind of metric, first the one with the metric that is asked about, which says who is best."""
    judged = [index for index, column_spec in enumerate(data.specs) if column_spec.metric.family == "judged"]
    labeled = [index for index, column_spec in enumerate(data.specs)
               if column_spec.file_column and not answer_score_specs([column_spec])]
    asked = {aspect: [index for index, column_spec in enumerate(data.specs)
                      if index not in (*judged, *labeled) and asked_of_answers(column_spec) == aspect]
             for aspect in ASKED}
    declined = [answer_html.declined_cell(counts) for counts in _declined(data)]
    from_files = (" Columns marked (file) are scores of another tool, as they are in the files; ragdash has not "
                  "computed them.") if answer_score_specs(data.specs) else ""
    groups = ((labeled, "Labels from the files", "What people or another tool said of each answer."), (
            judged, "LLM judge", "Verdicts of a model that read the texts. Queries shows each with its reason."), *(
            (asked[aspect], heading, (SINGLE_WORDS if aspect == "grounded" else help) + from_files)
            for aspect, (heading, help) in ASKED.items()))
    spec_index = data.specs.index(spec)
    has_declined, with_declined = {"Declined": declined}, asked["right"] or asked["grounded"]
    right_columns = answers_tables.right_columns(data.context, [data.specs[column] for column in labeled])
    for columns, heading, help in sorted(groups, key=lambda group: spec_index not in group[0]):
        if columns:
            st.header(heading, anchor=False, help=help)
            rows = [[row[column] for column in columns] for row in data.summaries]
            st.table(
                answers_tables.answers_table(
                    data.context,
                    [data.specs[column] for column in columns],
                    rows,
                    order,
                    deltas,
                    run_labels,
                    has_declined if columns is with_declined else right_columns if columns is labeled else None,
                ),
                border="horizontal",
                hide_index=True,
                alt=f"{heading} {fmt.count(len(order), 'run')}, {fmt.count(len(columns), 'metric')}",
            )
            run_labels = {}
            if columns is labeled and right_columns:
                st.caption(answers_tables.RIGHT_NOTE)


def _render_notes(data: AnswersData, *, uneven: bool) -> None:
    """What the tables count, what is used in place of what, and what is undefined and why. uneven: some queries have
    a value in one run of a pair only.
    """
    context = data.context
    names = short_names(context.names, PAGE_NAME)
    sentences = [f"{fmt.averages(data.specs)} over n queries with its 95% bootstrap interval; a dash is undefined."]
    if len(context.entries) > 1 and any(context.baseline in data.runs_with_values(spec) for spec in data.specs):
        sentences.append(
            f"Below it the difference to **{fmt.escape(names[context.baseline])}**, the baseline: ▲ better, ▼ "
            "worse, no mark: no significant difference."
        )
        sentences += [comparison_sentences.PAIRED_NOTE] if uneven else []
    counts = _declined(data)
    if any(declined.total for declined in counts):
        sentences.append(
            "Declined: answers such as “I don't know”, found with a list of phrases. Rightly: the question has no "
            "answer or a reference declines; wrongly: there is an answer. Under Right they count as answers; for "
            "Answer holds a reference they are right where the reference declines. Under Grounded they are left out: "
            "they state nothing."
        )
    sentences += wordless_answers(context.names, context.results.answered(), [declined.answers for declined in counts])
    st.caption(" ".join(sentences))
    if len(counts) <= MAX_ON_FAILURES:
        diagnoses = [context.results.diagnosis(digest) for digest in context.digests]
        lines = [" ".join(filter(None, (right_sentence(fmt.escape(name), diagnosis.count_right(context.scope.queries)),
                                        declined_sentence(fmt.escape(name), declined) if declined.wrongly else "")))
                 for name, diagnosis, declined in zip(context.names, diagnoses, counts, strict=True)]
        if any(lines):
            with st.expander("How Failures counts these answers", key="on_failures"):
                st.caption("  \n".join([*filter(None, lines), FIRST_FAILURE]))
    if any(spec.metric.family == "grounding" and data.runs_with_values(spec) for spec in data.specs):
        sentences = [SINGLE_WORDS]
        if answers_data.runs_without_contexts(context):
            names = fmt.escape(fmt.listed_few(answers_data.runs_without_contexts(context)))
            sentences.append(
                f"{names}: the contexts are not known; the texts of the first documents are used instead."
            )
        st.caption(" ".join(filter(None, sentences)))
    excluded = (NO_ANSWERS,) if context.results.missing_answers() else ()
    for line in unavailable_metrics(context.names, data.values, excluded=excluded):
        st.caption(f":material/info: {verdict_panel.shorten_names(context, line)}")
    if not answers_data.has_references(context) and not context.scope.truth.queries_only:
        st.caption(f":material/info: No reference answers, so metrics that need them are left out. {REFERENCES_FIX}")
    judge_note.render_judge_note(context, data.specs, work=False)
