"""Which queries depend on each other: they ask about the same document, or share an attribute."""

from __future__ import annotations

import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth

DOCUMENT = "document"


def groups_of(truth: Truth, by: str) -> dict[str, str]:
    """The group of each query, for `validate_judge` and `corrected_difference`.

    Parameters
    ----------
    truth
        With judgments, or with attributes of its queries.
    by
        "document": queries with the same most relevant document, the first of equals by id. Else the name of an
        attribute.

    Returns
    -------
    {query_id: group}
        Without the queries that have no relevant document, or not this attribute.

    Raises
    ------
    InputError
        No query has a group.

    Examples
    --------
    >>> truth = Truth.build("truth", ["q1", "q2", "q3"], ["d1", "d1", "d2"], [1, 2, 1])
    >>> groups_of(truth, "document")
    {'q1': 'd1', 'q2': 'd1', 'q3': 'd2'}
    """
    groups = _by_document(truth) if by == DOCUMENT else _by_attribute(truth, by)
    if not groups:
        raise InputError([Problem("no-groups", {"by": by}, field="--group-by")])
    return groups


def _by_document(truth: Truth) -> dict[str, str]:
    ids, groups, best = truth.query_ids.to_pylist(), {}, {}
    for query, doc, grade in zip(truth.queries.tolist(), truth.docs.to_pylist(), truth.grades.tolist(), strict=True):
        key = -grade, doc
        if grade > 0 and (query not in best or key < best[query]):
            best[query], groups[ids[query]] = key, doc
    return groups


def _by_attribute(truth: Truth, name: str) -> dict[str, str]:
    details = truth.details
    if details is None or "attributes" not in details.column_names:
        return {}
    parsed = [orjson.loads(text) if text else {} for text in details.column("attributes").to_pylist()]
    return {query: str(attributes[name]) for query, attributes in zip(truth.query_ids.to_pylist(), parsed, strict=True)
            if attributes.get(name) not in (None, "")}
