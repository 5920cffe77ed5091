"""A truth whose judgments name the new ids of the documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import numpy as np
import pyarrow as pa

from ragdash.core.errors import Problem
from ragdash.core.records import Truth
from ragdash.core.records.arguments import checked
from ragdash.matching.relink.links import PIECE, Relinking, TextPart

ACCEPTED = ("same", "moved", "changed", "split", "merged")
"""Kinds of links that are followed unless something else is said."""


@checked
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
        counts. Documents of subtopics and those that an asker may see (`allowed`) follow in the same way; a new one
        that also has text of a document that the asker may not see is not allowed, and a warning says so. Judgments of
        documents that are gone are left out where another document has their id now. A note among its problems says
        how many judgments changed.
    """
    targets = {link.doc_id: link.targets for link in relinking.links
               if link.kind in accept and link.targets and link.doc_id not in rejected}
    gone = {link.doc_id for link in relinking.links if link.kind == "gone" and link.doc_id not in rejected
            and (drop_gone or link.doc_id in relinking.reused)}
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
    details, mixed = (pa.table({}), {}) if truth.details is None else _followed(
        truth.details, targets, gone, relinking, rejected)
    details = pa.table([ids, *details.columns], ["query_id", *details.column_names])
    notes = [Problem("relinked-truth", {"changed": changed, "dropped": dropped, "judgments": truth.judgments},
                     field="doc_id", severity="note")]
    if mixed:
        new_id, old_id = next(iter(mixed.items()))
        notes.insert(0, Problem("relinked-not-allowed", {"count": len(mixed), "new": new_id, "old": old_id},
                                field="allowed", severity="warning"))
    return Truth.build(_next_name(truth.name), ids.take(pa.array(rows)), [doc for _, doc in grades],
                       list(grades.values()), details=details, problems=(*truth.problems, *notes))


def _next_name(name: str) -> str:
    """The name of the version after this: qrels, qrels (relinked), qrels (relinked 2)."""
    again = re.fullmatch(r"(.*) \(relinked(?: (\d+))?\)", name)
    return f"{again[1]} (relinked {int(again[2] or 1) + 1})" if again else f"{name} (relinked)"


def _followed(details: pa.Table, targets: Mapping[str, tuple[str, ...]], gone: Collection[str], relinking: Relinking,
              rejected: Collection[str]) -> tuple[pa.Table, dict[str, str]]:
    """The details of the queries with the new ids of documents; {document that is not allowed now: an old one in it}.
    """
    mixed: dict[str, str] = {}

    def allowed(cell: list[str]) -> list[str]:
        ids = list(dict.fromkeys(new for doc in cell if doc not in gone for new in targets.get(doc, (doc,))))
        others = {new: _other_part(relinking.parts.get(new, {}), {*cell, *rejected}) for new in ids}
        mixed.update({new: doc for new, doc in others.items() if doc is not None})
        return [new for new in ids if others[new] is None]

    def subtopics(cell: list[dict]) -> list[dict]:
        grades: dict[tuple[str, str], int] = {}
        for row in cell:
            for new in () if row["doc_id"] in gone else targets.get(row["doc_id"], (row["doc_id"],)):
                key = row["subtopic"], new
                grades[key] = max(row["grade"], grades.get(key, row["grade"]))
        return [{"subtopic": name, "doc_id": doc, "grade": grade} for (name, doc), grade in grades.items()]

    for name, follow in (("allowed", allowed), ("subtopics", subtopics)):
        if name in details.column_names:
            cells = [None if cell is None else follow(cell) for cell in details[name].to_pylist()]
            details = details.set_column(details.column_names.index(name), name,
                                         pa.array(cells, details.schema.field(name).type))
    return details, mixed


def _other_part(parts: Mapping[str, TextPart], allowed: Collection[str]) -> str | None:
    """An old document that is not allowed and has a piece of a new one's text that no allowed document has."""
    known = np.unique(np.concatenate([np.zeros(0, np.int64), *(part.shingles for doc, part in parts.items()
                                                               if doc in allowed)]))
    return next((doc for doc, part in parts.items() if doc not in allowed
                 and len(np.setdiff1d(part.shingles, known)) >= PIECE * part.size), None)
