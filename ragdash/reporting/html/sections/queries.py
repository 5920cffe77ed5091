"""The queries that decide between two runs, with their texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ragdash.evaluation.compare import best_first, direction
from ragdash.evaluation.compare import differences as differences_of
from ragdash.metrics import have_rankings
from ragdash.reporting.html.answer_outcomes import contradicted, contradicted_sentence, outcomes_of
from ragdash.reporting.html.blocks import Figure, Heading, QueryBlock, ReportDocument, Section, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.html.sections import judges
from ragdash.reporting.html.sections.texts import query_field, question, shorten
from ragdash.reporting.plots import compare
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.formatting import escape, new_question, query_count

MAX_PER_SIDE = 4  # queries of each side
RANKS = 3  # documents shown of each run
MAX_RELEVANT = 3  # right documents shown, those at the best ranks
NOT_RETURNED = 1 << 60  # a rank below all others


def deciding_queries(content: ReportContent, title: str) -> Section:
    """The queries with the largest differences between the baseline and the best other run."""
    candidate = _candidate(content)
    if candidate is None:
        reason = ("One run alone: there is no difference to look at." if len(content.names) == 1 else
               f"{content.lead.title} cannot be compared query by query.")
        return Section("queries", title, missing=reason)
    base, spec = content.request.baseline, content.lead
    gap = differences_of(content.evaluations[base], content.evaluations[candidate], spec)
    names = content.names[base], content.names[candidate]
    picture = Figure(
        "per-query",
        f"{spec.title}, query by query",
        _split(content, gap, names),
        lambda theme: compare.differences(
            [names[1]],
            [content.slots[candidate]],
            [gap],
            axis=axis_of(spec),
            baseline=names[0],
            labels=content.evaluations[base].query_ids.to_pylist(),
            theme=theme,
        ),
        caption=_split(content, gap, names),
    )
    no_examples = contradicted(content, (base, candidate), gap)
    oriented = np.nan_to_num(gap) * direction(spec) * ~no_examples
    order = np.argsort(-oriented, kind="stable")
    gains = [int(row) for row in order[:MAX_PER_SIDE] if oriented[row] > 0]
    losses = [int(row) for row in order[::-1][:MAX_PER_SIDE] if oriented[row] < 0]
    blocks = [Text(f"**{escape(names[1])}** against **{escape(names[0])}**, the baseline, on {spec.title}."), picture]
    for heading, rows in ((f"Better in {names[1]}", gains), (f"Worse in {names[1]}", losses)):
        if rows:
            blocks += [Heading(heading), *(query_block(content, row, (base, candidate), gap[row]) for row in rows)]
    if no_examples.any():
        blocks.append(Text(contradicted_sentence(no_examples, spec), quiet=True))
    elif not (gains or losses):
        blocks.append(Text("No query differs."))
    return Section("queries", title, blocks)


def _candidate(content: ReportContent) -> int | None:
    """The best run but for the baseline, where it can be compared on the metric of the verdict."""
    order = best_first(
        np.array([summary.mean for summary in content.metric_summaries(content.lead)]), content.lead.metric.better
    )
    return next((run for run in order if (run, content.lead) in content.comparisons), None)


def _split(content: ReportContent, gap: np.ndarray, names: tuple[str, str]) -> str:
    oriented = gap[np.isfinite(gap)] * direction(content.lead)
    return (f"{names[1]} is better than {names[0]} on {query_count(int((oriented > 0).sum()))}, worse on "
            f"{int((oriented < 0).sum()):,}, equal on {int((oriented == 0).sum()):,}.")


def query_block(content: ReportContent, row: int, pair: Sequence[int], gap: float,
                others: Sequence[int] = ()) -> QueryBlock:
    """One query with what these runs return for it; texts only where the report may contain them.

    others: runs of which only the value and the ranks of relevant documents are given.
    """
    query_id = content.evaluations[pair[0]].query_ids[row].as_py()
    query_index = content.truth.query_ids.index(query_id).as_py()
    judged_rows = np.flatnonzero(content.truth.queries == query_index)
    grades = dict(
        zip(
            content.truth.docs.take(pa.array(judged_rows)).to_pylist(),
            content.truth.grades[judged_rows].tolist(),
            strict=True,
        )
    )
    values, other_values = (", ".join(
        f"{content.names[run]} {fmt.number(content.evaluations[run].column(content.lead)[row])}" for run in runs)
        for runs in (pair, others))
    change = f" ({fmt.number(float(gap), signed=True)})" if np.isfinite(gap) else ""
    values = f"{content.lead.title}: {values}{change}{f'; {other_values}' if others else ''}"
    tables = {run: _ranking(content, run, query_id) for run in (*pair, *others)}
    texts = {doc: text for table in tables.values() for doc, text in table}
    ranks = {run: {doc: rank for rank, (doc, _) in enumerate(table, 1)} for run, table in tables.items()}
    right = [doc for doc, grade in grades.items() if grade >= 1]
    right.sort(key=lambda doc: min((run_ranks[doc] for run_ranks in ranks.values() if doc in run_ranks),
                                   default=NOT_RETURNED))
    relevant = [
        ReportDocument(
            None,
            doc,
            " · ".join(f"{content.names[run]}: {_rank(ranks[run].get(doc))}" for run in (*pair, *others)),
            shorten(content, texts.get(doc)),
        )
        for doc in right[:MAX_RELEVANT]
    ]
    runs = [
        (
            content.names[run],
            [
                ReportDocument(rank, doc, _judged(grades, doc), shorten(content, text))
                for rank, (doc, text) in enumerate(tables[run][:RANKS], 1)
            ],
            shorten(content, query_field(content.request.matches[run].run, query_id, "answer")),
        )
        for run in pair
    ]
    reference = query_field(content.truth, query_id, "answers") or []
    specs = judges.judged_specs(content)
    claims = judges.judged_claims(content, pair, query_id, specs)[0] if specs else ()
    text = new_question(query_id, question(content, query_id, pair))
    return QueryBlock(query_id, shorten(content, text), values, relevant, runs,
                 shorten(content, " / ".join(reference)), claims, len(right),
                 have_rankings([content.request.matches[run].run for run in pair]),
                 outcomes=[str(outcomes_of(content, run)[row]) for run in pair] if any(answer for *_, answer in runs)
                 else ())


def _ranking(content: ReportContent, index: int, query_id: str) -> list[tuple[str, str | None]]:
    run = content.request.matches[index].run
    if run.query_ids.index(query_id).as_py() < 0:
        return []
    table = run.ranking(query_id)
    return list(zip(table["doc_id"].to_pylist(), table["text"].to_pylist(), strict=True))


def _rank(rank: int | None) -> str:
    return f"rank {rank:,}" if rank else "not returned"


def _judged(grades: dict[str, int], doc: str) -> str:
    if doc not in grades:
        return "not judged"
    return f"✓ relevant, grade {grades[doc]}" if grades[doc] >= 1 else "✗ not relevant"
