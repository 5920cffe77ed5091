"""Which query an object is about: its id, or, where a file has none, the text of the question."""

from __future__ import annotations

import unicodedata

from ragdash.core.errors import Collector, shorten
from ragdash.io import field_names
from ragdash.io.json.typed_fields import Cell, is_missing, read_id, read_question


def question_as_id(question: str) -> str:
    """The id of a query without one: its text in NFC, with one blank for each white space."""
    return " ".join(unicodedata.normalize("NFC", question).split())


class QueryIds:
    """Gives the query id of each object; all objects of a file have ids, or none has and the question is the id."""

    def __init__(self, problems: Collector):
        self.problems = problems
        self.by_text: bool | None = None

    def identify(self, fields: dict, known: dict[str, str], line: int) -> str | None:
        """The id of the query, or None after noting that it is missing."""
        by_text = "query_id" not in known
        if (by_text and "query" not in known) or (by_text and self.by_text is False):
            several = field_names.find_question_list(fields)
            facts = {"fields": list(fields), "names": field_names.describe_aliases("query_id")}
            if several:
                self.problems.add("missing-field/questions", {**facts, "list_name": several}, line=line,
                                  field="query_id")
            else:
                self.problems.add("missing-field/query", facts, line=line, field="query_id")
            return None
        self.by_text = by_text
        cell = Cell(self.problems, line, known["query" if by_text else "query_id"])
        value = fields.get(cell.field)
        if not by_text:
            return read_id(value, cell)
        question = None if is_missing(value) else read_question(value, cell)
        if question is not None and question_as_id(question):
            return question_as_id(question)
        if question is not None or is_missing(value):
            cell.note("missing-id/question")
        return None

    def note_duplicate(self, query_id: str, first: int, known: dict[str, str], line: int, role: str) -> None:
        """Note that a query is on two lines. role: run or truth."""
        message = f"duplicate-query/{role}-questions" if self.by_text else f"duplicate-query/{role}"
        self.problems.add(message, {"query": shorten(query_id, 80), "first": first}, line=line,
                          field=known["query" if self.by_text else "query_id"])
