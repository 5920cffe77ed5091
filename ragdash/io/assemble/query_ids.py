"""Which query an object is about: its id, or, where a file has none, the text of the question."""

from __future__ import annotations

import unicodedata

from ragdash.core.errors import Collector, shorten
from ragdash.io import field_names
from ragdash.io.json.typed_fields import Cell, asked, identifier, is_missing


def as_id(question: str) -> str:
    """The id of a query without one: its text in NFC, with one blank for each white space."""
    return " ".join(unicodedata.normalize("NFC", question).split())


class QueryIds:
    """Gives the query id of each object; all objects of a file have ids, or none has and the question is the id."""

    def __init__(self, problems: Collector):
        self.problems = problems
        self.by_text: bool | None = None

    def of(self, fields: dict, known: dict[str, str], line: int) -> str | None:
        """The id of the query, or None after noting that it is missing."""
        by_text = "query_id" not in known
        if (by_text and "query" not in known) or (by_text and self.by_text is False):
            several = field_names.with_questions(fields)
            fix = f"Write an object for each of the questions in {several!r}, with its query_id, query and answers; " \
                "what they share (a table, paragraphs) is evidence." if several else \
                "Give every object the id of its query, or none of them and the text of the question. A field of " \
                "another name is read with --map query_id=NAME."
            self.problems.add(
                "missing-field",
                f"the fields {', '.join(fields) or 'none'}",
                field_names.spelled("query_id"),
                fix,
                line=line,
                field="query_id",
            )
            return None
        self.by_text = by_text
        cell = Cell(self.problems, line, known["query" if by_text else "query_id"])
        value = fields.get(cell.field)
        if not by_text:
            return identifier(value, cell)
        question = None if is_missing(value) else asked(value, cell)
        if question is not None and as_id(question):
            return as_id(question)
        if question is not None or is_missing(value):
            cell.note("missing-id", "no question", "the question, or the id of the query",
                      "Give every row its question or an id.")
        return None

    def note_twice(self, query_id: str, first: int, known: dict[str, str], line: int, expected: str,
                   more: str = ".") -> None:
        """Note that a query stands on two lines."""
        fix = f"Keep one of the two{more}"
        if self.by_text:
            fix = f"The question is the id, since there is none: {fix[0].lower()}{fix[1:-1]}; or add a query_id."
        self.problems.add("duplicate-query", f"query {shorten(query_id, 80)!r} on lines {first} and {line}", expected,
                          fix, line=line, field=known["query" if self.by_text else "query_id"])
