"""The one truth of files that hold runs and truth: equal where they say the same of every query they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragdash.core.errors import InputError, Problem, shorten
from ragdash.core.records import Truth

_ROLES = ("relevant documents", "reference answers", "evidence")


def common_truth(truths: Mapping[str, Truth]) -> Truth:
    """The truth of several files, {file: truth}: that with all queries; InputError with the first difference.

    Attributes and texts of queries do not count: tools write what belongs to a run there.
    """
    (first_file, largest), *others = sorted(truths.items(), key=lambda item: (-len(item[1]), -item[1].judgments))
    if all(truth.digest == largest.digest for _, truth in others):
        return largest
    known = _contents_of_queries(largest)
    for file, truth in others:
        for query, content in _contents_of_queries(truth).items():
            if query not in known:
                _fail({"count": len(truths), "query": query, "what": "anything", "first": file, "second": first_file,
                       "first_values": "the query", "second_values": "no such query"})
            for role, here, there in zip(_ROLES, content, known[query], strict=True):
                if here != there:
                    _fail({"count": len(truths), "query": query, "what": role, "first": file, "second": first_file,
                           "first_values": _shown(here - there or here),
                           "second_values": _shown(there - here or there)})
    note = Problem("truths-differ-in-attributes", {"file": first_file}, severity="note")
    return replace(largest, problems=(*largest.problems, note))


def _fail(facts: dict) -> None:
    raise InputError([Problem("several-truths/runs", facts, field="--truth")])


def _contents_of_queries(truth: Truth) -> dict[str, tuple[frozenset, ...]]:
    """{query: judgments, references and evidence}."""
    queries = truth.query_ids.to_pylist()
    judged: list[set] = [set() for _ in queries]
    for code, doc, grade in zip(truth.queries.tolist(), truth.docs.to_pylist(), truth.grades.tolist(), strict=True):
        judged[code].add((doc, grade))
    answers, evidence = _texts(truth, "answers"), _texts(truth, "evidence")
    return {query: (frozenset(judged[code]), answers[code], evidence[code]) for code, query in enumerate(queries)}


def _texts(truth: Truth, name: str) -> list[frozenset]:
    if truth.details is None or name not in truth.details.column_names:
        return [frozenset()] * len(truth)
    return [frozenset(value["text"] if type(value) is dict else value for value in values or ())
            for values in truth.details[name].to_pylist()]


def _shown(values: frozenset) -> str:
    texts = sorted(f"{value[0]} (grade {value[1]})" if type(value) is tuple else str(value) for value in values)
    return shorten(", ".join(texts[:3]), 120) or "none"
