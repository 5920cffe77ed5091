"""SQuAD data: articles of paragraphs, each a context with questions and answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from ragdash.core.records import Truth
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats import jsonl
from ragdash.io.formats.file_start import FileStart
from ragdash.io.formats.registry import FORMATS, Format
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, parse_fast
from ragdash.io.json.head import LIST
from ragdash.io.json.typed_fields import Cell
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_truth_as_run

_QUESTIONS = ("data", LIST, "paragraphs", LIST, "qas", LIST)


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes {"data": [{"paragraphs": [{"context", "qas": [...]}]}]}."""
    if "question" not in start.keys.get(_QUESTIONS, ()) or "context" not in start.keys.get(_QUESTIONS[:4], ()):
        return None
    return DetectedFormat("json-squad", "truth", "SQuAD's data: paragraphs with questions and answers")


def read_runs(source: Source, name: str | None) -> NoReturn:
    """Raise: SQuAD data is ground truth, not a run."""
    fail_truth_as_run(source, "paragraphs with questions and answers", "SQuAD's data")


def read_truth(source: Source) -> Truth:
    """The questions with their answers, and the paragraph as evidence; unanswerable questions have neither."""
    return jsonl.read_truth(source, _entries)


def _entries(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    if exact is None:
        value = parse_fast(source.data)
        if type(value) is not dict or type(value.get("data")) is not list:
            raise NeedsExact
        articles = (InputEntry(0, article) for article in value["data"])
    else:
        articles = (article for member in exact.members() if member.key == "data" and type(member.value) is list
                    for article in (InputEntry(member.line, value) for value in member.value))
    for line, article, _ in articles:
        cell = Cell(exact.problems, line, "paragraphs") if exact else None
        for paragraph in _read_objects(article, "paragraphs", cell):
            for question in _read_objects(paragraph, "qas", cell):
                yield InputEntry(line, _query_object(article, paragraph, question))


def _read_objects(value, name: str, cell: Cell | None) -> list[dict]:
    """The objects in the list of this name; a missing list is noted."""
    objects = value.get(name) if type(value) is dict else None
    if type(objects) is list and all(type(item) is dict for item in objects):
        return objects
    if cell is None:
        raise NeedsExact
    cell.note_wrong_type(objects, f"a list of objects under {name}")
    return []


def _query_object(article: dict, paragraph: dict, question: dict) -> dict:
    """A question as one of our objects."""
    attributes = {name: value for name, value in question.items() if name not in ("id", "question", "answers",
                                                                         "plausible_answers")}
    attributes |= {"title": article["title"]} if "title" in article else {}
    result = {
        "query_id": question.get("id"),
        "query": question.get("question"),
        **({"attributes": attributes} if attributes else {}),
    }
    if question.get("is_impossible") is True:
        return {**result, "answers": []}
    answers = question.get("answers")
    if type(answers) is list:
        answers = [answer.get("text") if type(answer) is dict else answer for answer in answers]
        answers = list(dict.fromkeys(answers)) if all(type(answer) is str for answer in answers) else answers
    context = paragraph.get("context")
    evidence = [{"text": context, **({"source": article["title"]} if type(article.get("title")) is str else {})}]
    return {**result, "answers": answers, **({"evidence": evidence} if context is not None else {})}


FORMATS.register(Format("json-squad", "SQuAD data", read_runs, read_truth), kind="json", order=20, detect=detect)
