"""A truth whose judgments name the new ids of the documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import numpy as np
import pyarrow as pa

from ragdash.core.errors import Problem
from ragdash.core.records import Truth
from ragdash.matching.relink.links import Relinking

ACCEPTED = ("same", "moved", "changed", "split", "merged")
"""Kinds of links that are followed unless something else is said."""


def relinked(truth: Truth, relinking: Relinking, accept: Collection[str] = ACCEPTED, *, drop_gone: bool = False,
             rejected: Collection[str] = ()) -> Truth:
    """The same judgments with the new ids, under another name; the truth itself stays.

    Parameters
    ----------
    accept
        Kinds of links that are followed. A document of another kind keeps its id.
    drop_gone
        Whether judgments of documents that are gone are left out. They stay otherwise: no run can return them.
    rejected
        Old ids whose link is not followed.

    Returns
    -------
    Truth
        A document that was split has its grade on every piece. Where several documents became one, the highest grade
        counts. Documents that an asker may see (`allowed`) follow in the same way. A note among its problems says how
        many judgments changed.
    """
    targets = {link.doc_id: link.targets for link in relinking.links
               if link.kind in accept and link.targets and link.doc_id not in rejected}
    gone = {link.doc_id for link in relinking.links if link.kind == "gone"} if drop_gone else set()
    grades: dict[tuple[int, str], int] = {}
    changed = dropped = 0
    for query, doc, grade in zip(truth.queries.tolist(), truth.docs.to_pylist(), truth.grades.tolist(), strict=True):
        if doc in gone:
            dropped += 1
            continue
        new_ids = targets.get(doc, (doc,))
        changed += new_ids != (doc,)
        for new_id in new_ids:
            grades[query, new_id] = max(grade, grades.get((query, new_id), grade))
    rows = np.fromiter((query for query, _ in grades), np.int64, len(grades))
    ids = pa.array(truth.query_ids.to_pylist(), pa.string())
    details = pa.table({"query_id": ids}) if truth.details is None else _followed(truth.details, targets).add_column(
        0, "query_id", ids)
    note = Problem("relinked-truth", {"changed": changed, "dropped": dropped, "judgments": truth.judgments},
                   field="doc_id", severity="note")
    return Truth.build(_next_name(truth.name), ids.take(pa.array(rows)), [doc for _, doc in grades],
                       list(grades.values()), details=details, problems=(*truth.problems, note))


def _next_name(name: str) -> str:
    """The name of the version after this: qrels, qrels (relinked), qrels (relinked 2)."""
    again = re.fullmatch(r"(.*) \(relinked(?: (\d+))?\)", name)
    return f"{again[1]} (relinked {int(again[2] or 1) + 1})" if again else f"{name} (relinked)"


def _followed(details: pa.Table, targets: Mapping[str, tuple[str, ...]]) -> pa.Table:
    """The details of the queries, with the new ids where they name documents that an asker may see."""
    if "allowed" not in details.column_names:
        return details
    cells = [None if cell is None else list(dict.fromkeys(new for doc in cell for new in targets.get(doc, (doc,))))
             for cell in details["allowed"].to_pylist()]
    index = details.column_names.index("allowed")
    return details.set_column(index, "allowed", pa.array(cells, details.schema.field("allowed").type))
