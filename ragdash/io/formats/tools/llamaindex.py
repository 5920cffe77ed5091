"""LlamaIndex's data sets: questions with their relevant nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from ragdash.core.errors import Collector
from ragdash.core.records import Truth
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats import corpus as formats_corpus
from ragdash.io.formats import jsonl
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS, Format
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, note_unread_member, parse_fast
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_truth_as_run

_START = re.compile(r'\{\s*"(?:queries"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*"|relevant_docs"\s*:\s*\{)')
_MEMBERS = ("queries", "relevant_docs")


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes {"queries": {id: text}, "corpus": {id: text}, "relevant_docs": {query: [id]}}."""
    if not _START.match(start.json_text):
        return None
    return DetectedFormat("json-dataset", "truth", "a data set of LlamaIndex: queries with relevant_docs")


def read_runs(source: Source, name: str | None) -> NoReturn:
    """Raise: a LlamaIndex data set is ground truth, not a run."""
    fail_truth_as_run(source, "questions and relevant_docs", "a data set of LlamaIndex")


def read_truth(source: Source) -> Truth:
    """The questions with their relevant nodes, and the node texts as corpus."""
    texts: dict = {}
    truth = jsonl.read_truth(source, lambda file, exact: _entries(file, exact, texts))
    if not texts:
        return truth
    corpus = formats_corpus.build_corpus_from_texts(source.name, source.file, texts, problems := source.collector())
    problems.raise_errors()
    return truth.with_corpus(corpus)


def _entries(source: Source, exact: ExactReader | None, texts: dict) -> Iterator[InputEntry]:
    """The queries; the corpus is added to `texts`."""
    if exact is None:
        value = parse_fast(source.data)
        if type(value) is not dict or value.keys() - {"corpus"} != set(_MEMBERS):
            raise NeedsExact
        corpus_texts = value.pop("corpus", {})
        if type(corpus_texts) is not dict or any(type(text) in (int, float) for text in corpus_texts.values()):
            raise NeedsExact
        texts |= corpus_texts
        members = {key: (0, member) for key, member in value.items()}
    else:
        members = {}
        for entry in exact.members():
            if entry.key in _MEMBERS:
                members[entry.key] = entry.line, entry.value
            elif entry.key == "corpus" and type(entry.value) is dict:
                texts |= entry.value
            else:
                note_unread_member(entry.key or "", ("queries and relevant_docs",), exact.problems, entry.line)
    questions, relevant = (_member_object(members, name, exact.problems if exact else None) for name in _MEMBERS)
    line = min((line for line, _ in members.values()), default=1)
    for query_id in dict.fromkeys((*questions, *relevant)):
        question = {"query": questions[query_id]} if query_id in questions else {}
        yield InputEntry(line, {"query_id": query_id, **question, "relevant": relevant.get(query_id, [])}, query_id)


def _member_object(members: dict, name: str, problems: Collector | None) -> dict:
    line, value = members.get(name, (1, None))
    if type(value) is dict:
        return value
    if problems is None:
        raise NeedsExact
    facts = {"type": "" if value is None else type(value).__name__}
    problems.add("wrong-type/llamaindex", facts, line=line, field=name)
    return {}


FORMATS.register(
    Format("json-dataset", "LlamaIndex data set", read_runs, read_truth), kind="json", order=10, detect=detect
)
