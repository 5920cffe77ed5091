"""Runs without relevance judgments: what can be seen all the same, and the ways to a result."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import streamlit as st

from ragdash.core.records import Run
from ragdash.core.terms import tooltip
from ragdash.core.text import is_refusal
from ragdash.core.text.short_names import PAGE_NAME, short_names
from ragdash.core.text.template import listed
from ragdash.dashboard.components import page_links
from ragdash.dashboard.pages.data import sections as data_sections
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import SessionRun
from ragdash.dashboard.session.truths import loaded_truths
from ragdash.dashboard.widgets import elements
from ragdash.metrics import has_answers, has_grounding, have_rankings
from ragdash.reporting.plots.many_runs import run_similarity
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.answers import REFERENCES_FIX
from ragdash.reporting.sentences.runs.choice import uncapital

TOP = 10  # ranks of the overlap


def render() -> None:
    """What is missing, the ways on, and the numbers that need no judgments."""
    entries = [entry for entry in state.runs() if entry.run is not None]
    data_sections.render_undo_of_removal()
    runs = [entry.run for entry in entries]
    ranked = have_rankings(runs)
    unknown = "which documents are relevant" if ranked else "which answers are right"
    with st.container(border=True, key="verdict"):
        st.badge("No judgments yet", color="orange")
        st.header(f"{fmt.count(len(entries), 'run is', 'runs are')} loaded, but nothing says {unknown}",
                  anchor=False)
        decision = "no run can be called better yet" if len(entries) > 1 else "nothing says yet how good the run is"
        st.markdown(f"**For your decision:** {decision}.  \n"
                    f"**What would change it:** {_loaded_judgments()}{_proposed_reading()}{_ways_to_a_result(runs)}")
        with st.container(horizontal=True, key="ways_on"):
            page_links.link("data", "Add judgments or scores", icon=":material/upload_file:")
            if any(map(has_answers, runs)):
                page_links.link("answers" if any(map(has_grounding, runs)) else "queries", "Look at the answers",
                                icon=":material/question_answer:")
    st.header("What needs no judgments", anchor=False)
    st.table(_run_table(entries), border="horizontal", hide_index=True,
             alt="Queries, depth, scores and answers of each run")
    if len(entries) > 1 and ranked:
        _render_overlap(entries)


def _loaded_judgments() -> str:
    """The judgments to use that are loaded already; "" for none."""
    names = [f"**{fmt.escape(truth.name)}**" for truth in loaded_truths.others() if not truth.queries_only]
    return f"use {listed(names, 'or')}: loaded, not in use. Or " if names else ""


def _proposed_reading() -> str:
    """The files of which more could be read than was; "" for none."""
    names = [f"**{fmt.escape(record.name)}**" for record in state.files() if record.proposal is not None]
    return f"apply the proposed reading of {listed(names, 'and')}, on Overview or Data. Or " if names else ""


def _ways_to_a_result(runs: Sequence[Run]) -> str:
    """What to add; of answers also what is there without it."""
    ways = "add relevance judgments (qrels), or scores per query that another tool computed."
    if not any(map(has_answers, runs)):
        return ways
    support = "**Answers** shows what needs neither: how far the contexts support the answers." if any(
        map(has_grounding, runs)) else "With a column `contexts`, **Answers** shows how far these support the answers."
    return f"{ways} To measure which answers are right, {fmt.escape(uncapital(REFERENCES_FIX))} {support}"


def _run_table(entries: Sequence[SessionRun]) -> list[dict[str, str]]:
    """Depth, scores and answers of each run: the columns of which some run has a value, a dash for the other runs."""
    rows, names = [], short_names([entry.name for entry in entries], PAGE_NAME)
    for entry, name in zip(entries, names, strict=True):
        run, lengths = entry.run, entry.run.lengths
        answers = answers_of(run)
        rows.append({
            "Run": f"**{elements.unbroken_swatch(entry.slot, name)}**",
            "Queries": f"{len(run):,}",
            "Documents per query": _depth(lengths) if len(run.docs)
            else fmt.UNDEFINED,
            "Scores, median (middle half)": _spread(run.scores),
            "Answers": f"{len(answers):,}" if answers else fmt.UNDEFINED,
            "Words per answer": f"{np.median([len(answer.split()) for answer in answers]):g}" if answers
            else fmt.UNDEFINED,
            "Refusals": _unbroken(f"{sum(map(is_refusal, answers)):,} of {len(answers):,}") if answers
            else fmt.UNDEFINED})
    return [{column: cell for column, cell in row.items() if any(other[column] != fmt.UNDEFINED for other in rows)}
            for row in rows]


def _depth(lengths: np.ndarray) -> str:
    """Documents per query: the median, and the most where that is another number."""
    most = "" if np.median(lengths) == lengths.max() else f" (at most {lengths.max():,})"
    return _unbroken(f"{np.median(lengths):,g}{most}")


def _spread(scores: np.ndarray | None) -> str:
    """Median and the middle half of the scores."""
    if scores is None or not len(scores):
        return fmt.UNDEFINED
    low, middle, high = np.quantile(scores, [0.25, 0.5, 0.75])
    return _unbroken(f"{middle:.4g} ({low:.4g} to {high:.4g})")


def _unbroken(text: str) -> str:
    """Text on one line, so that a narrow screen scrolls instead of wrapping numbers."""
    return text.replace(" ", fmt.NBSP)


def answers_of(run: Run) -> list[str]:
    """The answers that the run has."""
    if run.details is None or "answer" not in run.details.column_names:
        return []
    return [answer for answer in run.details["answer"].to_pylist() if answer is not None]


def top_overlap(*tops: dict[str, set[str]]) -> tuple[float, int]:
    """Mean share of common documents among the first of both runs, over the queries of both; and their number.

    The documents in both lists over the length of the longer list; NaN where the runs have no query in common.
    """
    shares = [len(tops[0][query] & tops[1][query]) / max(len(tops[0][query]), len(tops[1][query]))
              for query in tops[0].keys() & tops[1].keys() if tops[0][query] or tops[1][query]]
    return (float(np.mean(shares)), len(shares)) if shares else (np.nan, 0)


def top_documents(run: Run, k: int) -> dict[str, set[str]]:
    """The first k documents of each query."""
    ids, starts = run.query_ids.to_pylist(), run.starts
    counts = np.minimum(np.diff(starts), k)
    positions = np.concatenate([np.arange(start, start + count) for start, count in
                                zip(starts[:-1], counts, strict=True)]) if len(ids) else np.zeros(0, int)
    docs = run.docs.take(run.rows(positions)).to_pylist()
    ends = np.cumsum(counts)
    return {query: set(docs[end - count:end]) for query, end, count in zip(ids, ends, counts, strict=True)}


@st.cache_data(max_entries=32, show_spinner="Comparing rankings …")
def _overlaps(digests: tuple[str, ...], _runs: Sequence[Run]) -> list[tuple[float, int]]:
    tops = [top_documents(run, TOP) for run in _runs]
    return [top_overlap(first, second) for first, second in combinations(tops, 2)]


def _render_overlap(entries: Sequence[SessionRun]) -> None:
    """How many of the first documents each two runs have in common."""
    import pandas as pd

    st.header(f"Overlap of the first {TOP} documents", anchor=False,
              help=tooltip("list_overlap"))
    shares = _overlaps(tuple(entry.digest for entry in entries), _runs=[entry.run for entry in entries])
    rows = [{"Run": first.name, "Other run": second.name, "Overlap": share, "Queries": n}
            for (first, second), (share, n) in zip(combinations(entries, 2), shares, strict=True)]
    table = pd.DataFrame(rows)
    if len(entries) == 2:
        elements.frame(table, "overlap", "Overlap of each two runs", formats={"Overlap": elements.PERCENT})
        return
    mean, counts = np.full((len(entries), len(entries)), np.nan), np.zeros((len(entries), len(entries)), int)
    for (a, b), (share, n) in zip(combinations(range(len(entries)), 2), shares, strict=True):
        mean[a, b] = mean[b, a] = share
        counts[a, b] = counts[b, a] = n
    figure = run_similarity.matrix([entry.name for entry in entries], [entry.slot for entry in entries], mean, counts,
                                   title=f"Overlap@{TOP}", span=(0.0, 1.0), theme=elements.theme())
    with st.container(width=220 + 110 * min(len(entries), 8), key="overlap_matrix"):
        elements.chart(figure, table, "overlap", "Overlap of each two runs", formats={"Overlap": elements.PERCENT})
