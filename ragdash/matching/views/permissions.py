"""What a metric of permissions may look at: which returned documents the asker may see.

Letters: Q queries (of the truth), H returned documents that are allowed, K cutoffs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.errors import Unavailable
from ragdash.core.ids.normalization import further_chunks, names_in_run
from ragdash.core.records import Run, Truth
from ragdash.matching.views.ranked import Cutoffs, Ranked, Values


@dataclass(frozen=True, eq=False)
class Permitted:
    """Rankings next to the documents that are allowed for each query.

    ranked: the ranking with the allowed documents in place of the relevant ones; known (Q,) bool: the truth says what
    is allowed; relevant: the ranking with the judgments of allowed documents alone.
    """

    ranked: Ranked
    known: np.ndarray
    relevant: Ranked

    def where_known(self, values: np.ndarray) -> Values:
        """The values, NaN for queries of which the truth does not say what is allowed: (Q, K)."""
        return np.where(self.known[:, None], values, np.nan)

    def forbidden_at(self, k: Cutoffs) -> np.ndarray:
        """Documents in the first k ranks that are not allowed: (Q, K)."""
        return self.ranked.returned_at(k) - self.ranked.hits_at(k)


def allowed_truth(truth: Truth, run: Run) -> tuple[Truth, np.ndarray]:
    """(a truth in which every allowed document has grade 1, queries of which the truth says what is allowed).

    The documents have the names that they have in the run. Further chunks of a document are allowed where it is.
    Raises Unavailable where it says so of none.
    """
    if truth.details is None or "allowed" not in truth.details.column_names:
        raise Unavailable("no-permissions", {"truth": truth.name}, "allowed")
    column, chunks = truth.details["allowed"], further_chunks(run)
    names = names_in_run(run, truth, pc.list_flatten(column))
    cells = column.to_pylist()
    ids = truth.query_ids.to_pylist()
    rows = [(query, name) for query, cell in zip(ids, cells, strict=True)
            for doc in dict.fromkeys(names[doc] for doc in cell or ()) for name in (doc, *chunks.get(doc, ()))]
    details = pa.table({"query_id": pa.array(ids, pa.string())})
    allowed = Truth.build(truth.name, [query for query, _ in rows], [doc for _, doc in rows], [1] * len(rows),
                          details=details)
    return allowed, np.array([cell is not None for cell in cells], bool)


def allowed_judgments(truth: Truth, allowed: Truth) -> Truth:
    """The judgments of allowed documents alone, for the same queries."""
    names = allowed.query_ids.to_pylist()
    pairs = {(names[query], doc) for query, doc in zip(allowed.queries.tolist(), allowed.docs.to_pylist(), strict=True)}
    ids = truth.query_ids.to_pylist()
    rows = [(ids[query], doc, grade) for query, doc, grade in
            zip(truth.queries.tolist(), truth.docs.to_pylist(), truth.grades.tolist(), strict=True)
            if (ids[query], doc) in pairs]
    details = pa.table({"query_id": pa.array(ids, pa.string())})
    return Truth.build(truth.name, [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows],
                       details=details)
