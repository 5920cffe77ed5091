"""How the columns and fields of files are called: our names, and the other names that people give them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

NAMES: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "question_id", "q_id"),
    "doc_id": ("doc_id", "doc", "document_id", "corpus_id", "docno", "passage_id", "chunk_id", "pid", "document"),
    "score": ("score", "similarity", "sim", "retrieval_score"),
    "rank": ("rank", "position"),
    "grade": ("grade", "relevance", "rel", "label", "judgment", "judgement"),
    "text": ("text", "passage", "chunk", "content"),
    "source": ("source", "url"),
    "config": ("config", "method", "system", "run", "model"),
    "query": ("query", "question"),
}
MISSING = ("", "NaN", "nan", "None", "null")  # text that stands for "nothing" in optional columns of tables


def plain(name: str) -> str:
    """A name without case, blanks, hyphens and underscores: "Query-ID" -> "queryid"."""
    return re.sub(r"[\W_]+", "", name.lower())


_PLAIN = {name: tuple(plain(other) for other in others) for name, others in NAMES.items()}


def find(fields: Iterable[str], wanted: str) -> str | None:
    """The field that holds `wanted`; our own name first, then its other names in the order of NAMES."""
    present: dict[str, str] = {}
    for given in fields:
        present.setdefault(plain(given), given)
    return next((present[name] for name in _PLAIN[wanted] if name in present), None)


def find_all(fields: Iterable[str], wanted: Iterable[str]) -> dict[str, str]:
    """{our name: the field that holds it} for those that are there."""
    fields = list(fields)
    found = {name: find(fields, name) for name in wanted}
    return {name: field for name, field in found.items() if field is not None}


def spelled(name: str) -> str:
    """A name with its other spellings, for messages: "doc_id (also doc, document_id ...)"."""
    others = [other for other in NAMES[name] if other != name]
    return f"{name} (also {', '.join(others)})" if others else name
