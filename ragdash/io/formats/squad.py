"""SQuAD's data files: articles of paragraphs, each a context with its questions and their answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from ragdash.core.records import Truth
from ragdash.io.formats import jsonl
from ragdash.io.json.exact_parser import ExactReader, InputEntry, NeedsExact, parse_fast
from ragdash.io.json.head import LIST, KeyPath
from ragdash.io.json.typed_fields import Cell
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_truth_as_run

_QUESTIONS = ("data", LIST, "paragraphs", LIST, "qas", LIST)


def is_squad(keys: dict[KeyPath, list[str]]) -> bool:
    """True for {"data": [{"paragraphs": [{"context", "qas": [...]}]}]}."""
    return "question" in keys.get(_QUESTIONS, ()) and "context" in keys.get(_QUESTIONS[:4], ())


def read_runs(source: Source, name: str | None) -> NoReturn:
    """Raise: questions with their answers are no run."""
    fail_truth_as_run(source, "paragraphs with questions and answers", "SQuAD's data")


def read_truth(source: Source) -> Truth:
    """The questions: their answers, the paragraph as evidence; those that cannot be answered have neither."""
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
            for asked in _read_objects(paragraph, "qas", cell):
                yield InputEntry(line, _query_object(article, paragraph, asked))


def _read_objects(value, name: str, cell: Cell | None) -> list[dict]:
    """The objects in the list of this name; where there is none, it is noted."""
    found = value.get(name) if type(value) is dict else None
    if type(found) is list and all(type(part) is dict for part in found):
        return found
    if cell is None:
        raise NeedsExact
    cell.note_wrong_type(found, f"a list of objects under {name}")
    return []


def _query_object(article: dict, paragraph: dict, asked: dict) -> dict:
    """A question as one of our objects."""
    told = {name: value for name, value in asked.items() if name not in ("id", "question", "answers",
                                                                         "plausible_answers")}
    told |= {"title": article["title"]} if "title" in article else {}
    result = {"query_id": asked.get("id"), "query": asked.get("question"), **({"attributes": told} if told else {})}
    if asked.get("is_impossible") is True:
        return {**result, "answers": []}
    answers = asked.get("answers")
    if type(answers) is list:
        answers = [one.get("text") if type(one) is dict else one for one in answers]
        answers = list(dict.fromkeys(answers)) if all(type(one) is str for one in answers) else answers
    context = paragraph.get("context")
    evidence = [{"text": context, **({"source": article["title"]} if type(article.get("title")) is str else {})}]
    return {**result, "answers": answers, **({"evidence": evidence} if context is not None else {})}
