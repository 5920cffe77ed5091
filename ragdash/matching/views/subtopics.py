"""What a metric of diversity may look at: which subtopics of its query each returned document is relevant to.

Letters: Q queries (of the truth).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.errors import Unavailable
from ragdash.core.ids.normalization import names_in_run
from ragdash.core.records import Run, Truth
from ragdash.matching.views.ranked import Ranked

Grades = Mapping[str, int]
"""{subtopic: grade} of a document."""


@dataclass(frozen=True, eq=False)
class Diversified:
    """Rankings next to the judgments of subtopics.

    returned: for each of the Q queries its judged documents that were returned, (rank, {subtopic: grade}) each, best
    rank first. judged: for each query the grades of all its judged documents, by id, descending.
    """

    returned: tuple[tuple[tuple[int, Grades], ...], ...]
    judged: tuple[tuple[Grades, ...], ...]

    def subtopics(self, rel: int) -> np.ndarray:
        """Subtopics that some document is relevant to: (Q,) int64."""
        return np.array([len({name for grades in documents for name, grade in grades.items() if grade >= rel})
                         for documents in self.judged], np.int64)


def numbered_truth(truth: Truth, run: Run) -> tuple[Truth, list[list[tuple[str, dict[str, int]]]]]:
    """(a truth in which the grade of a document is its number from 1, (document, {subtopic: grade}) of each query).

    So the ranking says which document is where. The documents have the names that they have in the run.
    Raises Unavailable for a truth without subtopics.
    """
    if truth.details is None or "subtopics" not in truth.details.column_names:
        raise Unavailable("no-subtopics", {"truth": truth.name}, "subtopics")
    column = truth.details["subtopics"]
    names = names_in_run(run, truth, pc.struct_field(pc.list_flatten(column), "doc_id"))
    ids, documents = truth.query_ids.to_pylist(), []
    for cell in column.to_pylist():
        grades: dict[str, dict[str, int]] = {}
        for row in cell or ():
            grades.setdefault(names[row["doc_id"]], {})[row["subtopic"]] = row["grade"]
        documents.append(sorted(grades.items(), key=lambda item: item[0].encode(), reverse=True))
    rows = [(query, doc, number) for query, items in zip(ids, documents, strict=True)
            for number, (doc, _) in enumerate(items, 1)]
    details = pa.table({"query_id": pa.array(ids, pa.string())})
    numbered = Truth.build(truth.name, [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows],
                           details=details)
    return numbered, documents


def diversified(ranked: Ranked, documents: list[list[tuple[str, dict[str, int]]]], rows: np.ndarray) -> Diversified:
    """The view, of a ranking matched with the numbered truth. rows (Q,): which of the documents each query has."""
    returned: list[list[tuple[int, Grades]]] = [[] for _ in documents]
    for query, rank, number in zip(rows[ranked.query].tolist(), ranked.rank.tolist(), ranked.grade.tolist(),
                                   strict=True):
        returned[query].append((rank, documents[query][number - 1][1]))
    return Diversified(tuple(map(tuple, returned)), tuple(tuple(grades for _, grades in items) for items in documents))
