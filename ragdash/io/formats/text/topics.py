"""TREC topics: the queries of a collection with their ids, as SGML (`<top>`) or XML (`<topic number="1">`)."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import islice
from typing import NoReturn

from ragdash.core.records import Truth
from ragdash.io.assemble.truth_builder import TruthReader
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS, Format
from ragdash.io.json.exact_parser import InputEntry
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_truth_as_run

_START = re.compile(r"\s*(?>(?:<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>|"
                    r"<(?:topics|\w*track\w*)\b[^>]*>)\s*)*+<(top|topic)\b[^>]*>",
                    re.IGNORECASE | re.DOTALL)  # possessive: many comments are tried in one way
_TOPIC = r"<{0}\b([^>]*)>(.*?)(?=</{0}\s*>|<{0}\b|\Z)"
_FIELD = re.compile(r"<(?:[A-Za-z]{2}-)?(\w+)[^>]*>([^<]*)")  # EN-title, of CLEF
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*[\"']([^\"']*)[\"']")
_LABEL = re.compile(r"\s*(?:number|topic|title|description|desc|narrative)\s*:\s*", re.IGNORECASE)
_IDS = ("number", "num", "id", "qid")
_QUERIES = ("query", "title", "question", "text", "desc", "description")  # the first that a topic has is asked
_NO_PARTS = ("narr", "narrative", "note", "type", "source", "url")
_NOTES = {"desc": "description", "narr": "narrative"}


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes a first topic with an id and a text; a single `<topic>` is rather a text with a title."""
    head = start.head.decode(errors="replace")
    if start.mapping or (tag := _START.match(head)) is None:
        return None
    topics = [topic for _, topic, _ in islice(_topics(head, tag[1]), 2)]
    if not {"query_id", "query"} <= topics[0].keys() or (len(topics) < 2 and "topic" in tag[0].lower()):
        return None
    return DetectedFormat("trec-topics", "truth", f"TREC topics: <{tag[1]}> with an id and a text")


def read_runs(source: Source, name: str | None) -> NoReturn:
    """Raise: topics are queries, not a run."""
    fail_truth_as_run(source, "queries without results", "TREC topics")


def read_truth(source: Source) -> Truth:
    """The queries, each with its id and its query or title; judgments come from another file."""
    text = source.text
    tag = _START.match(text)
    problems = source.collector()
    reader = TruthReader(problems, source.mapping, questions=True)
    parts: dict[str, int] = {}  # the line of the first topic that has it
    for line, topic, joined in _topics(text, tag[1] if tag else "topic"):
        reader.add(InputEntry(line, topic))
        for name in joined:
            parts.setdefault(name, line)
    if parts:
        problems.add("joined-parts", {"parts": list(parts)}, line=min(parts.values()), severity="note")
    return reader.finish(source)


def _topics(text: str, tag: str) -> Iterator[tuple[int, dict[str, str], list[str]]]:
    """(line, topic, names of the parts that are joined as its query) of each topic, as one of our objects; what it has
    besides id and query is under its own name.
    """
    line, seen = 1, 0
    for topic in re.finditer(_TOPIC.format(tag), text, re.IGNORECASE | re.DOTALL):
        line, seen = line + text.count("\n", seen, topic.start()), topic.start()
        fields = {name.lower(): _plain(value) for name, value in _ATTRIBUTE.findall(topic[1])}
        parts: dict[str, str] = {}
        for name, value in _FIELD.findall(topic[2]):
            parts.setdefault(name.lower(), _plain(value))
        fields = parts | fields
        query_id = next((fields.pop(name) for name in _IDS if fields.get(name)), None)
        query = next((fields.pop(name) for name in _QUERIES if fields.get(name)), None)
        joined = {} if query else _parts_of_question(parts)
        query = query or " ".join(joined.values()) or ("" if "<" in topic[2] else _plain(topic[2]))
        rest = {_NOTES.get(name, name): value for name, value in fields.items()}
        yield line, {name: value for name, value in {**rest, "query_id": query_id, "query": query}.items() if value}, [
            *joined]


def _parts_of_question(parts: dict[str, str]) -> dict[str, str]:
    """What a topic asks in several parts: a disease, a gene and a patient."""
    return {name: part for name, part in parts.items() if part and name not in (*_IDS, *_NO_PARTS)}


def _plain(text: str) -> str:
    """The words of a field, without the label that old topics repeat in it."""
    return " ".join(html.unescape(_LABEL.sub("", text, count=1) if _LABEL.match(text) else text).split())


FORMATS.register(Format("trec-topics", "TREC topics", read_runs, read_truth), kind="text", order=2, detect=detect)
