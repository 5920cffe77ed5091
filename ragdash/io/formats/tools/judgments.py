"""Relevance judgments of search tools: OpenSearch, Elasticsearch's rank_eval, Rated Ranking Evaluator (RRE)."""

from __future__ import annotations

from collections.abc import Iterator

from ragdash.io.formats.tools.conversion import Keys, ToolFile, as_id, member, objects, present, register
from ragdash.io.json.head import LIST


def _is_opensearch(keys: Keys) -> bool:
    return "judgmentRatings" in keys.get((), ())


def _opensearch_rows(values: list) -> Iterator[dict]:
    """A row for each rating; a query may have several entries."""
    for entry in objects(member(values, 0, "judgmentRatings")):
        for rating in objects(entry.get("ratings")):
            yield _row(entry.get("query"), rating.get("docId"), rating.get("rating"))


def _is_rank_eval_request(keys: Keys) -> bool:
    return "requests" in keys.get((), ()) and {"id", "ratings"} <= set(keys.get(("requests", LIST), ()))


def _rank_eval_requests(values: list) -> Iterator[dict]:
    """A query for each request, with its rated documents."""
    for request in objects(member(values, 0, "requests")):
        relevant = {str(rating.get("_id")): _number(rating.get("rating")) for rating in objects(request.get("ratings"))}
        text = _first_text(member(request, "request", "query")) or _first_text(request.get("params"))
        yield present(query_id=as_id(request.get("id")), query=text, relevant=relevant)


def _first_text(value, deepest: int = 6) -> str | None:
    """The first text in an Elasticsearch query, {"match": {"title": "the question"}}, which is the question."""
    if type(value) is str:
        return value
    inner = list(value.values()) if type(value) is dict else value if type(value) is list else []
    return next((text for item in inner if deepest and (text := _first_text(item, deepest - 1)) is not None), None)


def _is_rre(keys: Keys) -> bool:
    return any({"queries", "relevant_documents"} <= set(keys.get(path, ())) for path in (
        ("topics", LIST, "query_groups", LIST), ("query_groups", LIST), ("topics", LIST)))


def _rre_rows(values: list) -> Iterator[dict]:
    """A row for each query of a group and relevant document of it, by {id: {gain}} or {gain: [ids]}."""
    root = values[0] if values else None
    topics = objects(member(root, "topics"))
    groups = [*objects(member(root, "query_groups")), *topics]
    for topic in topics:
        groups += objects(topic.get("query_groups"))
    for group in groups:
        judged = dict(_rre_judgments(group.get("relevant_documents")))
        for query in objects(group.get("queries")):
            placeholders = query.get("placeholders") if type(query.get("placeholders")) is dict else {}
            text = placeholders.get("$query") or next(
                (value for value in placeholders.values() if type(value) is str), None)
            for document, gain in judged.items():
                yield _row(text, document, gain)


def _rre_judgments(relevant) -> Iterator[tuple]:
    for key, value in relevant.items() if type(relevant) is dict else ():
        if type(value) is list:
            yield from ((as_id(document), key) for document in value if type(document) not in (dict, list))
        else:
            yield key, value.get("gain") if type(value) is dict else value


def _row(query, document, grade) -> dict:
    return {"query": query, "doc_id": as_id(document), "grade": _number(grade)}


def _number(grade):
    """A grade that is written as text, such as "1.0", as a number."""
    if type(grade) is str:
        try:
            return float(grade)
        except ValueError:
            return grade
    return grade


register("tool-judgments", "Judgments of a search tool", 15, (
    ToolFile("judgments of OpenSearch", "truth", _is_opensearch, _opensearch_rows),
    ToolFile("requests of Elasticsearch's rank_eval", "truth", _is_rank_eval_request, _rank_eval_requests),
    ToolFile("ratings of RRE", "truth", _is_rre, _rre_rows),
))
