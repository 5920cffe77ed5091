"""Records of several kinds in one file: a log of a service, where some events are queries and others are not."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.io.proposals.names import QUESTION, words

_CONTENT = ("answer", "response", "retriev", "context", "output", "doc", "chunk")


def queries_only(rows: Sequence[dict]) -> list[dict]:
    """The records that have a question, where others have none and nothing that belongs to a query."""
    names = dict.fromkeys(name for row in rows for name in row)
    asked = next((name for name in names if not (QUESTION - {"q"}).isdisjoint(words(str(name)))
                  and "id" not in words(str(name)) and sum(bool(row.get(name)) for row in rows) > 1), None)
    if asked is None:
        return list(rows)
    queries = [row for row in rows if row.get(asked)]
    others = [row for row in rows if not row.get(asked)]
    if any(part in str(name).lower() for row in others for name in row for part in _CONTENT):
        return list(rows)
    return queries
