"""Tables of spans, as a tracing tool exports them: a row for each step of a trace."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ragdash.io.proposals.fields import is_missing
from ragdash.io.proposals.names import words

_COLUMNS = ((("trace", "id"),), (("span", "id"),), (("parent", "id"), ("parent", "span", "id")), (("span", "kind"),))
_MOST_COLUMNS = 1_000  # of such a table: each is looked at
_OF_RETRIEVER = {"retrieval"}  # in names of columns with what it returned


def rows_by_trace(rows: Sequence[dict]) -> list[dict]:
    """A record for each trace: the row of its root, with what its one retriever returned.

    [] for other tables, and for those with one row for each trace, such as the spans of retrievers alone.

    Examples
    --------
    >>> rows_by_trace([{"trace_id": "t1", "span_id": "a", "parent_id": "", "span_kind": "CHAIN"},
    ...                {"trace_id": "t1", "span_id": "b", "parent_id": "a", "span_kind": "RETRIEVER",
    ...                 "retrieval.documents": ["d1"]}])
    [{'trace_id': 't1', 'span_id': 'a', 'parent_id': '', 'span_kind': 'CHAIN', 'retrieval.documents': ['d1']}]
    """
    names = dict.fromkeys(name for row in rows[:50] for name in row)
    if not has_spans(names):
        return []
    trace, span, parent = (_column(names, ends) for ends in _COLUMNS[:3])
    traces: dict[str, list[dict]] = {}
    for row in rows:
        traces.setdefault(str(row.get(trace)), []).append(row)
    if len(traces) == len(rows):
        return []
    returned = [name for name in names if not _OF_RETRIEVER.isdisjoint(words(name))]
    return [_of_trace(steps, span, parent, returned) for steps in traces.values()]


def has_spans(names: Collection[str]) -> bool:
    """True for the columns of such a table."""
    return len(names) <= _MOST_COLUMNS and all(_column(names, ends) is not None for ends in _COLUMNS)


def _of_trace(steps: Sequence[dict], span: str, parent: str, returned: Sequence[str]) -> dict:
    """The root, which no other step of the trace is above; what several retrievers returned is left out."""
    ids = {str(step.get(span)) for step in steps}
    root = next((step for step in steps if is_missing(step.get(parent)) or str(step[parent]) not in ids), steps[0])
    documents = [{name: step[name] for name in returned} for step in steps
                 if any(not is_missing(step.get(name)) for name in returned)]
    return {**root, **dict.fromkeys(returned)} | (documents[0] if len(documents) == 1 else {})


def _column(names: Iterable[str], ends: Sequence[tuple[str, ...]]) -> str | None:
    """The first column whose words end so."""
    return next((name for name in names for end in ends if words(name)[-len(end):] == end), None)
