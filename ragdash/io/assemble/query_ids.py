"""The query id of an object: its id, or the text of the question in files without ids."""

from __future__ import annotations

import unicodedata

from ragdash.core.errors import Collector, shorten
from ragdash.io import field_names
from ragdash.io.json.typed_fields import Cell, is_missing, read_id, read_question


def question_as_id(question: str) -> str:
    """The id of a query without id: its text in NFC, with single blanks for white space."""
    return " ".join(unicodedata.normalize("NFC", question).split())


class QueryIds:
    """Finds the query id of each object. Either all objects of a file have ids, or the question is the id of all."""

    def __init__(self, problems: Collector):
        self.problems = problems
        self.by_text: bool | None = None

    def identify(self, fields: dict, schema: dict[str, str], line: int) -> str | None:
        """The id of the query, or None after noting that it is missing."""
        by_text = "query_id" not in schema
        if (by_text and "query" not in schema) or (by_text and self.by_text is False):
            question_list = field_names.find_question_list(fields)
            facts = {"fields": list(fields), "names": field_names.describe_aliases("query_id")}
            if question_list:
                self.problems.add("missing-field/questions", {**facts, "list_name": question_list}, line=line,
                                  field="query_id")
            else:
                self.problems.add("missing-field/query", facts, line=line, field="query_id")
            return None
        self.by_text = by_text
        cell = Cell(self.problems, line, schema["query" if by_text else "query_id"])
        value = fields.get(cell.field)
        if not by_text:
            return read_id(value, cell)
        question = None if is_missing(value) else read_question(value, cell)
        if question is not None and question_as_id(question):
            return question_as_id(question)
        if question is not None or is_missing(value):
            cell.note("missing-id/question")
        return None

    def note_duplicate(self, query_id: str, first: int, schema: dict[str, str], line: int, role: str) -> None:
        """Note that a query is on two lines. role: run or truth."""
        message = f"duplicate-query/{role}-questions" if self.by_text else f"duplicate-query/{role}"
        self.problems.add(message, {"query": shorten(query_id, 80), "first": first}, line=line,
                          field=schema["query" if self.by_text else "query_id"])
