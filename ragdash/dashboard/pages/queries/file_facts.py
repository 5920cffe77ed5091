"""What files say of the query shown: values and labels of each run, and documents that the asker may not see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragdash.core.text.quoted import isolated
from ragdash.dashboard.pages.queries.data import QueryCase
from ragdash.dashboard.pages.queries.ranking_html import RankingColumn
from ragdash.dashboard.session.data_store import LOADED
from ragdash.reporting.sentences import formatting as fmt

MAX_VALUES = 6  # of each run
FORBIDDEN = ("forbidden", False, "The ground truth does not allow this document for the asker of the query.")


def value_texts(case: QueryCase) -> list[str]:
    """For each run the values and labels that its file has for the query: "verdict Correct, mrr 0.500"; "" for none."""
    query = case.data.ids[case.row]
    return [_values_of(digest, query) for digest in case.data.context.digests]


def _values_of(digest: str, query: str) -> str:
    run = LOADED.run(digest)
    if run is None or run.file_scores is None:
        return ""
    scores = run.file_scores
    names = scores.run_names
    owner = run.name if run.name in names else names[0] if names else ""
    labels = {name: scores.aligned_labels(owner, name, [query])[0] for name in scores.label_names}
    numbers = {name: float(scores.aligned(owner, name, [query])[0]) for name in scores.names}
    values = [f"{isolated(name)} {isolated(label)}" for name, label in labels.items() if label is not None]
    values += [f"{isolated(name)} {fmt.number(value)}" for name, value in numbers.items() if value == value]
    rest = len(values) - MAX_VALUES
    return ", ".join([*values[:MAX_VALUES], *([f"and {rest} more"] if rest > 0 else [])])


def mark_forbidden(case: QueryCase, columns: Sequence[RankingColumn]) -> list[RankingColumn]:
    """The rankings with a mark at each document that the asker may not see, where the truth says what is allowed."""
    details = case.data.context.scope.truth.details
    cell = None if details is None or "allowed" not in details.column_names else details["allowed"][case.query].as_py()
    if cell is None:
        return list(columns)
    allowed = set(cell)
    return [replace(column, chunk_labels={
        **column.chunk_labels,
        **{doc: (FORBIDDEN, *column.chunk_labels.get(doc, ())) for doc in set(column.ranking.docs) - allowed}})
        if column.ranking is not None else column for column in columns]
