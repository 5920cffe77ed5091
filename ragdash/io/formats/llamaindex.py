"""LlamaIndex's own files: data sets of questions with their relevant nodes; predictions, which lack their questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from ragdash.core.errors import Collector
from ragdash.core.records import Truth
from ragdash.io.formats import corpus as formats_corpus
from ragdash.io.formats import jsonl
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, note_unread_member, parse_fast
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_truth_as_run

_START = re.compile(rb'\{\s*"(?:queries"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*"|relevant_docs"\s*:\s*\{)')
_MEMBERS = ("queries", "relevant_docs")


def is_llamaindex(start: bytes) -> bool:
    """True for {"queries": {id: text}, "corpus": {id: text}, "relevant_docs": {query: [id]}}."""
    return bool(_START.match(start))


def read_runs(source: Source, name: str | None) -> NoReturn:
    """Raise: questions with their relevant nodes are no run."""
    fail_truth_as_run(source, "questions and relevant_docs", "a data set of LlamaIndex")


def read_truth(source: Source) -> Truth:
    """The questions with their relevant nodes, and the texts of the nodes in its corpus."""
    texts: dict = {}
    truth = jsonl.read_truth(source, lambda opened, exact: _entries(opened, exact, texts))
    if not texts:
        return truth
    corpus = formats_corpus.build_corpus_from_texts(source.name, source.file, texts, problems := source.collector())
    problems.raise_errors()
    return truth.with_corpus(corpus)


def _entries(source: Source, exact: ExactReader | None, texts: dict) -> Iterator[InputEntry]:
    """The queries; texts takes the corpus."""
    if exact is None:
        value = parse_fast(source.data)
        if type(value) is not dict or value.keys() - {"corpus"} != set(_MEMBERS):
            raise NeedsExact
        if type(found := value.pop("corpus", {})) is not dict:
            raise NeedsExact
        texts |= found
        parts = {key: (0, part) for key, part in value.items()}
    else:
        parts = {}
        for entry in exact.members():
            if entry.key in _MEMBERS:
                parts[entry.key] = entry.line, entry.value
            elif entry.key == "corpus" and type(entry.value) is dict:
                texts |= entry.value
            else:
                note_unread_member(entry.key or "", ("queries and relevant_docs",), exact.problems, entry.line)
    asked, relevant = (_member_object(parts, name, exact.problems if exact else None) for name in _MEMBERS)
    line = min((line for line, _ in parts.values()), default=1)
    for query_id in dict.fromkeys((*asked, *relevant)):
        question = {"query": asked[query_id]} if query_id in asked else {}
        yield InputEntry(line, {"query_id": query_id, **question, "relevant": relevant.get(query_id, [])}, query_id)


def _member_object(parts: dict, name: str, problems: Collector | None) -> dict:
    line, value = parts.get(name, (1, None))
    if type(value) is dict:
        return value
    if problems is None:
        raise NeedsExact
    facts = {"type": "" if value is None else type(value).__name__}
    problems.add("wrong-type/llamaindex", facts, line=line, field=name)
    return {}
