"""Answers: which run answers best, by which metrics, how the values spread, how they hang on what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from ragdash.dashboard import page_context
from ragdash.dashboard.caches.score_cutoff_cache import cached_figure
from ragdash.dashboard.components import comparison_tables, judge_note
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.answers import model_scores
from ragdash.dashboard.pages.answers import tables as answers_tables
from ragdash.dashboard.pages.answers.data import KINDS, NAMES, REST, USUAL
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import answer_html, elements
from ragdash.evaluation.evaluate import Evaluation, Summary
from ragdash.metrics import Spec
from ragdash.reporting.plots import answers as plots
from ragdash.reporting.plots.common import axes
from ragdash.reporting.plots.leaderboard import best_first
from ragdash.reporting.sentences import comparison, fmt
from ragdash.reporting.sentences import judge as judged_words

FAMILIES = ("answers", "semantic", "grounding", "judged")
COLUMNS = ["EM", "CoverEM", "TokenF1", "ROUGE_L", "AnswerRelevance", "SupportCoverage", "HallucinationRate",
           "UnsupportedNumbers"]
PREFERRED = ("TokenF1", "EM", "ROUGE_L", "SupportCoverage")  # what the page asks about first
RETRIEVAL = ("Success@k", "R@k", "P@k", "nDCG@k", "RR")  # what answers are held against


@dataclass(frozen=True)
class Board:
    """The metrics of the page with what they say of each run shown: summaries and per-query values by run."""

    context: PageContext
    specs: list[Spec]
    summaries: list[tuple[Summary, ...]]
    values: list[Evaluation]
    rules: list[Evaluation]

    def column(self, spec: Spec) -> list[Summary]:
        """One metric of every run."""
        return [row[self.specs.index(spec)] for row in self.summaries]

    def defined(self, spec: Spec) -> list[int]:
        """The runs for which the metric is defined."""
        return [at for at, one in enumerate(self.column(spec)) if one.n]

    @property
    def refused(self) -> list[np.ndarray]:
        """1 for each answer that declines: (Q,) for each run."""
        return [one.column("Refusal") for one in self.rules]

    def kinds(self, at: int) -> np.ndarray:
        """Found and right, and so on, of each query of a run: indices into NAMES."""
        low = answers_data.edges()[state.get(state.RIGHT)].low
        return answers_data.kinds(self.rules[at], self.context.k, low)


def choose() -> list[str]:
    """The metrics of the tables."""
    menu = [one for one in fmt.metric_templates() if page_context.spec_of(one, 1).metric.family in FAMILIES]
    key = state.choices_key(state.ANSWERS, menu, COLUMNS, free=True)
    typed = [template for template in state.get(state.ANSWERS) if template not in menu]
    st.multiselect("Metrics of the tables", [*menu, *typed], format_func=fmt.template_title, key=key,
                   accept_new_options=True, persist_state="session",
                   help="Choose from the list, or type one, such as TokenF1(tokens='set') or "
                        "SupportCoverage(normalisation='unicode'). The Metrics page explains each one.")
    return state.get(state.ANSWERS)


def of_sidebar(context: PageContext) -> list[str]:
    """The sidebar's metric where it is one of answers: it belongs on the page, whichever are chosen there."""
    return [context.selection.template] if context.selection.spec.metric.family in FAMILIES else []


def rule(context: PageContext) -> Sequence[Spec]:
    """What parts the queries into found and not found, right and wrong, declined."""
    return answers_data.rule(context.k)


def board(context: PageContext, specs: list[Spec]) -> Board:
    """Everything that the page shows, or what is missing and an end."""
    if not specs:
        elements.empty("No metric is chosen", "Choose one or more under **Choose metrics**.")
        raise page_context.PageEnds
    found = Board(
        context,
        specs,
        context.results.summary(specs),
        context.results.evaluations(specs),
        context.results.evaluations(rule(context)),
    )
    lines = [
        *answer_html.unavailable_metrics(context.names, found.values),
        *judged_words.unavailable_judged(context.names, found.values, specs),
    ]
    if not any(one.n for row in found.summaries for one in row):
        held = any(
            told is not None for digest in context.digests for told in answers_data.told(digest, context.scope).answers
        )
        advice = "\n".join(f"- {line}" for line in lines) or "- Every value is undefined for the queries in scope."
        elements.empty("Nothing to hold the answers against" if held else "No answers are loaded",
                      f"{advice}\n\nA run may carry an **answer** and the **contexts** it was made from beside the "
                      "documents of each query; the truth, right **answers**. The samples show all of it.")
        model_scores.panel(context, specs, found.values)
        if any(spec.metric.family == "judged" for spec in specs):
            st.page_link(judge_note.PAGE, label="Ask a judge", icon=":material/gavel:")
        st.page_link("pages/runs.py", label="Go to Runs", icon=":material/upload_file:")
        raise page_context.PageEnds
    return found


def metric(board: Board) -> Spec:
    """The metric that the sentence, the pictures and the order of the queries are about: the sidebar's where that is
    one of answers, and again whenever another one is chosen there.
    """
    usual = [spec for name in PREFERRED for spec in board.specs if spec.name == name and board.defined(spec)]
    first = next(iter([*usual, *(spec for spec in board.specs if board.defined(spec))]))
    names, own = {str(spec): spec for spec in board.specs}, str(board.context.selection.spec)
    held = own in names and bool(board.defined(names[own]))
    if held and st.session_state.get(state.FOLLOWED, own) != own:
        st.session_state[state.ANSWER] = own
    st.session_state[state.FOLLOWED] = own
    key = state.choice_key(state.ANSWER, list(names), own if held else str(first))
    st.selectbox("Answer metric", list(names), format_func=lambda name: names[name].title, key=key, width=240,
                 persist_state="session", help="What the sentence above, the pictures and the order of the queries "
                                               "are about. It follows the sidebar's metric where that is one of "
                                               "answers.")
    return names[state.get(state.ANSWER)]


def _best(board: Board, spec: Spec) -> tuple[int | None, dict]:
    """The run with the best mean, and every other run compared with it; None where no end is better."""
    column = board.column(spec)
    order = best_first(np.array([one.mean for one in column]), spec.metric.better)
    if spec.metric.better is None or not column[order[0]].n:
        return None, {}
    return order[0], {at: one for (at, _), one in board.context.results.compared([spec], order[0]).items()}


def finding(board: Board, spec: Spec, place) -> None:
    """In words: which run answers best, and which is grounded best."""
    said = [comparison.leader_sentence(board.context.names, board.column(spec), _best(board, spec)[1])]
    second = next((one for one in board.specs if one.metric.family == "grounding" and board.defined(one)), None)
    if spec.metric.family != "grounding" and second is not None:
        said.append(comparison.leader_sentence(board.context.names, board.column(second), _best(board, second)[1]))
    place.markdown("\n".join(f"- {line}" for line in said) if len(said) > 1 else said[0])


def tables(board: Board, spec: Spec) -> None:
    """Runs x metrics: against the references, and against the contexts; every number one tab away."""
    context = board.context
    best, against = _best(board, spec)
    level = {at: "level with the best" for at, one in against.items()
             if one.outcome in ("undecided", "equivalent") and one.n >= 2}
    standing = {best: "best", **level} if against else {}
    order = best_first(np.array([one.mean for one in board.column(spec)]), spec.metric.better)
    deltas = context.results.compared(board.specs)
    readable, everything = st.tabs(["Answers", "All numbers"], key="answer_board", on_change="rerun")
    if readable.open is not False:
        with readable:
            _readable(board, spec, order, deltas, standing)
    if everything.open:
        with everything:
            elements.frame(comparison_tables.numbers(context, board.summaries, order, deltas), "answer_numbers",
                          "Every number of the answers", formats={"p (Holm)": "%.4f"})
    _notes(board)
    model_scores.panel(context, board.specs, board.values)


def _readable(board: Board, spec: Spec, order: list[int], deltas, standing: dict) -> None:
    """A table of each kind of metric, first the one with the metric that is asked about, which says who is best."""
    grounding = [at for at, one in enumerate(board.specs) if one.metric.family == "grounding"]
    judged = [at for at, one in enumerate(board.specs) if one.metric.family == "judged"]
    right = [at for at in range(len(board.specs)) if at not in (*grounding, *judged)]
    told = [answers_data.told(digest, board.context.scope) for digest in board.context.digests]
    declined = [answer_html.refusal_cell(one, np.array([not texts for texts in own.references], bool))
                for one, own in zip(board.refused, told, strict=True)]
    groups = ((right, "Right?", "Answers against the references and the question."), (
            grounding, "Grounded?", answer_html.LIMITS), (
            judged, "By a judge", "Verdicts of a model that read answers and contexts; the Queries page shows each."))
    asked = board.specs.index(spec)
    for columns, heading, help in sorted(groups, key=lambda group: asked not in group[0]):
        if columns:
            st.header(heading, anchor=False, help=help)
            rows = [[row[at] for at in columns] for row in board.summaries]
            st.table(
                answers_tables.group(
                    board.context,
                    [board.specs[at] for at in columns],
                    rows,
                    order,
                    deltas,
                    standing,
                    declined if columns is right else None,
                ),
                border="horizontal",
                hide_index=True,
                alt=f"{heading} {fmt.count(len(order), 'run')}, {fmt.count(len(columns), 'metric')}",
            )
            standing = {}


def _notes(board: Board) -> None:
    """What the tables count, what stands in for what, and what is undefined and why."""
    context = board.context
    said = ["Mean over n queries with its 95 % bootstrap interval; a dash is undefined."]
    if len(context.entries) > 1:
        said.append(
            f"Below it the difference to {fmt.escape(context.names[context.baseline])}, the baseline: ▲ better, ▼ "
            "worse, without a mark where it cannot be told from none."
        )
    if any(np.nansum(one) for one in board.refused):
        said.append("Declined: answers such as “I don't know”, told by a list of phrases; they count in the means.")
    st.caption(" ".join(said))
    grounding = [spec for spec in board.specs if spec.metric.family == "grounding" and board.defined(spec)]
    if grounding:
        spec = next((one for one in grounding if one.name == "HallucinationRate"), grounding[0])
        said = [answer_html.LIMITS]
        if answers_data.standing_in(context):
            names = fmt.escape(fmt.listed(answers_data.standing_in(context)))
            said.append(f"{names}: the contexts are not known; the texts of the first documents stand in for them.")
        said.append(answer_html.without_refusals(context.names, spec, [one.column(spec) for one in board.values],
                                                  board.refused))
        st.caption(" ".join(filter(None, said)))
    for line in answer_html.unavailable_metrics(context.names, board.values):
        st.caption(f":material/info: {line}")
    judge_note.note(context, board.specs)


def pictures(board: Board, spec: Spec) -> None:
    """How the values of the metric spread, and what was found against what is right."""
    left, right = st.columns(2, gap="large")
    with left:
        _spread(board, spec)
    with right:
        _quadrants(board)


def _spread(board: Board, spec: Spec) -> None:
    context, values = board.context, [one.column(spec) for one in board.values]
    st.header(f"How {spec.title} spreads", anchor=False, help=spec.metric.summary_line)
    figure = cached_figure("spread", *_facts(context, [spec]), spec, draw=lambda: plots.distribution(
        context.names, context.slots, values, axis=axes.axis_of(spec), theme=elements.theme()))
    elements.chart(figure, answers_tables.spreads(context.names, spec, values), "answer_spread",
                  f"Distribution of {spec.title} over the queries of each run")
    many = fmt.query_range([one.n for one in board.column(spec) if one.n] or [0])
    st.caption(f"Share of the answers in each part of the range, {many}; values at either end stand apart.")


def _quadrants(board: Board) -> None:
    context, edges = board.context, answers_data.edges()
    key = state.choice_key(state.RIGHT, list(edges), USUAL)
    st.header(
        "Found, and right?",
        anchor=False,
        help=f"Found: a relevant document among the first {context.k:,} (hit rate at the sidebar's k). Right: the "
        f"answer holds a reference word for word, or its {answers_data.table().spec} with one reaches "
        f"{edges[state.get(key)].low:g}, where the band “{state.get(key)}” begins. {REST}: no relevant "
        "document or no reference is known, or the run has no answer.",
    )
    counts = np.array([np.bincount(board.kinds(at), minlength=len(NAMES)) for at in range(len(context.entries))])
    if not counts[:, :len(KINDS)].any():
        st.caption("Of no query is it known both whether a relevant document was found and whether the answer is "
                   "right: the truth has to name relevant documents and right answers.")
        return
    st.selectbox("Right from", list(edges), key=key, width=240, persist_state="session",
                 format_func=lambda label: f"{label}: token F1 of {edges[label].low:g}")
    st.markdown(answer_html.right_answers_sentence(context.names, counts))
    figure = cached_figure("kinds", *_facts(context), context.k, state.get(key), draw=lambda: plots.quadrants(
        context.names, context.slots, counts, list(KINDS.values()), REST, theme=elements.theme()))
    elements.chart(
        figure,
        answers_tables.parts(context.names, counts),
        "answer_kinds",
        f"Queries by whether a relevant document was found at k = {context.k} and whether the answer is right",
    )


def correlation(board: Board) -> None:
    """Do answers get better where retrieval does? Rank correlations of one run."""
    context = board.context
    at = chosen_run(board)
    columns, _ = context.results.computable(page_context.specs(RETRIEVAL, context.k)[0])
    rows = [spec for spec in board.specs if at in board.defined(spec)]
    name = fmt.escape(context.names[at])
    st.header(f"Do better documents go with better answers? {name}", anchor=False,
              help="Spearman's rank correlation over the queries where both metrics are defined, from −1 to 1; 0: no "
                   "connection. That two go together does not say that one makes the other.")
    both = context.results.evaluations([*rows, *columns])[at]
    rho, n = answers_data.correlations(both, rows, columns)
    if not n.any():
        st.caption("No query has both: the truth names no relevant documents.")
        return
    titles = [spec.title for spec in rows], [spec.title for spec in columns]
    st.markdown(answer_html.strongest_correlation(*titles, rho, n))
    with st.container(width=860, key="correlations"):
        figure = cached_figure("correlation", *_facts(context, rows), at, *titles, draw=lambda: plots.correlation(
            *titles, rho, n, theme=elements.theme()))
        elements.chart(figure, answers_tables.correlations(rows, columns, rho, n), "answer_correlation",
                      f"Rank correlation of retrieval and answer metrics in {context.names[at]}")


def _facts(context: PageContext, specs: Sequence[Spec] = ()) -> tuple:
    """What every picture is made of: runs with names and colours, the scope, the appearance, what models have said."""
    return (
        context.digests,
        context.names,
        context.slots,
        context.scope,
        context.scope.cache_key(specs),
        elements.theme().name,
    )


def chosen_run(board: Board) -> int:
    """The run whose answers are read one by one."""
    context = board.context
    held = state.get(state.LOOKED)
    return context.digests.index(held) if held in context.digests else context.baseline
