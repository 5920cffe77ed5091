"""Sentences of the Queries page: filters, sort orders and the rule of failure. Does not import streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragdash.analysis.diagnosis import RANKED_LOW, STAGES
from ragdash.analysis.query_filters import Filters, find_failure_rule
from ragdash.analysis.query_rankings import QueryOutput
from ragdash.core.slices import Slice
from ragdash.core.terms import TERMS
from ragdash.core.text.quoted import isolated
from ragdash.dashboard.pages.answers.data import KINDS, UNKNOWN, UNKNOWN_TITLE
from ragdash.dashboard.pages.queries.data import DECLINED
from ragdash.metrics import Spec
from ragdash.reporting.sentences.formatting import count, escape
from ragdash.reporting.sentences.latency_cost import duration

STAGE_TITLES = {stage.name: stage.title for stage in STAGES} | {RANKED_LOW: TERMS["ranked_low"].name}
ANSWER_TITLES = {
    **{name: title for name, (title, _, _) in KINDS.items()},
    UNKNOWN: UNKNOWN_TITLE,
    DECLINED: "Declined",
}
FACET_TITLES = {"outcome": "the selection of queries", "text": "the search", "attributes": "the attributes",
          "stages": "the stage", "kinds": "the kind of answer", "marks": "your reviews",
          "picked": "the picked queries"}
QUERY_TABS = ("Rankings and verdicts", "Rank changes", "Answers", "Read, judge and note")
SEARCH_FIELDS = {"question": "Question", "answer": "Answer", "chunk": "Chunks"}
PATTERN_KINDS = {"plain": "As written", "regex": "Regular expression"}


def query_tabs(*, ranked: bool) -> tuple[str, ...]:
    """The tabs of a query in their order: without rankings the answers come first."""
    answers = QUERY_TABS[2]
    return QUERY_TABS if ranked else (answers, *(tab for tab in QUERY_TABS if tab != answers))


def outcome_titles(run: str, baseline: str, min_difference: float, k: int) -> dict[str, str]:
    """Title of each outcome. min_difference: for "worse" and "better"; k: the cutoff."""
    run, baseline = isolated(run), isolated(baseline)
    suffix = f" by {min_difference:g} or more" if min_difference else ""
    return {"": "All", "failed-all": "Failed in every run shown", "failed-only": f"Failed only in {run}",
            "worse": f"Worse than {baseline}{suffix}", "better": f"Better than {baseline}{suffix}",
            "equal": f"Equal to {baseline}", "best": f"Only {run} is best", "worst": f"Only {run} is worst",
            "alone": f"Only {run} found a relevant document in its top {k}", "undefined": "Undefined"}


def order_titles(spec: Spec, baseline: str) -> dict[str, str]:
    """Title of each sort order."""
    baseline = isolated(baseline)
    first = ("Worst first", "Best first") if spec.metric.better else ("Lowest first", "Highest first")
    return {"worst": first[0], "best": first[1], "spread": "Largest spread between runs first",
            "losses": f"Largest loss to {baseline} first", "gains": f"Largest gain on {baseline} first",
            "given": "Order of the ground truth"}


def failure_rule(spec: Spec) -> str:
    """The rule by which a query counts as failed."""
    rule = find_failure_rule(spec)
    if rule is None:
        return f"{spec.title} has no worst value, so no query counts as failed by it."
    if rule.source:
        return (f"Failed: {spec.title} below {rule.edge:g}, the lowest band ({rule.source}). Undefined values do not "
                "count as failed.")
    return (f"Failed: {spec.title} of {rule.edge:g}, the worst possible value. Undefined values do not count as "
            "failed.")


def active_filters(filters: Filters, marks: Mapping[str, str], slices: Mapping[str, Slice]) -> list[str]:
    """Active options of the filters inside the menu, as text."""
    choices = [STAGE_TITLES[name] for name in filters.stages], [ANSWER_TITLES[name] for name in filters.kinds], [
        marks[name] for name in filters.marks]
    return [" or ".join(titles).lower() for titles in choices if titles] + [
        isolated(slices[token].title if token in slices else token) for token in filters.attributes
    ]


def loosening_hint(counts: Mapping[str, int]) -> str:
    """Which filter to clear first if no query passes. counts: queries that pass without each filter.

    Examples
    --------
    >>> loosening_hint({"text": 3, "stages": 1})
    'Clear the search first: without it 3 queries pass.'
    """
    freed = {facet: n for facet, n in counts.items() if n}
    if not freed:
        return "Several filters together exclude every query: clear all of them."
    facet, n = next(iter(freed.items()))
    return f"Clear {FACET_TITLES[facet]} first: without it {count(n, 'query passes', 'queries pass')}."


def cost_columns(output: QueryOutput) -> dict[str, str]:
    """Known latency, tokens and cost of one query: {column: text}; times as on every other page.

    Examples
    --------
    >>> columns = cost_columns(QueryOutput(latency={"retrieval": 0.3, "total": 2430.0}, tokens={"prompt_tokens": 1200}))
    >>> {name: " ".join(text.split()) for name, text in columns.items()}
    {'Retrieval': '0.30 ms', 'Total': '2.43 s', 'Prompt tokens': '1,200'}
    """
    columns = {stage.capitalize(): duration(ms) for stage, ms in output.latency.items()}
    columns |= {name.replace("_", " ").capitalize(): f"{tokens:,}" for name, tokens in output.tokens.items()}
    return columns | ({"Cost (USD)": f"{output.cost:.6f}".rstrip("0").rstrip(".")} if output.cost is not None else {})


def moves_note(grades: np.ndarray, drawn: int, runs: int) -> str:
    """What the lines of the picture of rank changes are, and which runs it has.

    grades: of the documents drawn, NaN unjudged. drawn, runs: runs of the picture, and in all.

    Examples
    --------
    >>> moves_note(np.array([2.0, np.nan]), 3, 3)
    'Each line is a document. Blue diamonds: relevant, with the grade in parentheses. Gray: unjudged.'
    """
    relevant, judged = grades >= 1, np.isfinite(grades)
    return " ".join([
        "Each line is a document.",
        *(["Blue diamonds: relevant, with the grade in parentheses."] if relevant.any() else []),
        *(["Orange: judged not relevant."] if (judged & ~relevant).any() else []),
        *([] if judged.all() else ["Gray: unjudged."]),
        *([] if drawn == runs else [f"{drawn} of {runs} runs: the selected run, the baseline and the first of the "
                                    "others. The **Table** tab has all."])])


def unique_documents(names: Sequence[str], docs_alone: Sequence[Sequence[str]], grades: Mapping[str, int]) -> list[str]:
    """One line per run that alone has documents in its top k: relevant ones by id, others counted.

    Examples
    --------
    >>> unique_documents(["dense", "sparse"], [["d1", "d2"], []], {"d1": 2})
    ['dense: **relevant** d1 (grade 2) and 1 other document']
    """
    lines = []
    for name, docs in zip(names, docs_alone, strict=True):
        good = [doc for doc in docs if grades.get(doc, 0) >= 1]
        other_count = len(docs) - len(good)
        if not docs:
            continue
        relevant = [f"{escape(doc)} (grade {grades[doc]})" for doc in good]
        summary = f"**relevant** {', '.join(relevant)}" if relevant else "nothing relevant"
        lines.append(f"{name}: {summary}" + (f" and {count(other_count, 'other document')}" if other_count else ""))
    return lines
