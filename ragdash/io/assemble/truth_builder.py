"""Build a Truth from objects: a query with its judgments, references and evidence, or one judgment."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import orjson
import pyarrow as pa

from ragdash.core.errors import Collector, InputError
from ragdash.core.records import Truth
from ragdash.io import field_names
from ragdash.io.assemble import kilt_objects
from ragdash.io.assemble.columns_of_scores import note_unread_attributes, without_scores
from ragdash.io.assemble.query_fields import TRUTH_TYPES, details_table, truth_details
from ragdash.io.assemble.query_ids import QueryIds
from ragdash.io.assemble.row_query_details import RowDetails
from ragdash.io.field_names import DOCUMENT_ALIASES, MEASURED_FIELDS, PARALLEL_FIELDS, RUN_MARKERS, TRUTH_MARKERS
from ragdash.io.json.exact_parser import InputEntry, NeedsExact, NumberText
from ragdash.io.json.typed_fields import (
    Cell,
    check_field_count,
    is_missing,
    note_attribute_columns,
    note_unread,
    read_id,
    read_score,
)
from ragdash.io.source.source import Source

_OF_RUNS = {*RUN_MARKERS, *MEASURED_FIELDS} - {"settings", "usage"}


class TruthReader:
    """Takes the objects of a file one by one and collects judgments and details.

    questions: whether queries alone are enough, since their judgments are in another file.
    """

    def __init__(self, problems: Collector, mapping: Mapping[str, str], schema: dict[str, str] | None = None,
                 questions: bool = False):
        self.problems, self._questions = problems, questions
        self._resolver = field_names.FieldResolver(mapping, schema)
        self._ids = QueryIds(problems)
        self._rows = RowDetails(problems, mapping, (*TRUTH_TYPES,), (*RUN_MARKERS, *MEASURED_FIELDS))
        self.is_run = self.is_truth = False
        self.of_run: dict[str, None] = {}  # fields with what a system gave
        self.fraction_count = 0  # grades such as 0.73
        self.query_lines: dict[str, int] = {}
        self.details: dict[str, dict] = {}
        self._first_judgments: dict[str, tuple] = {}  # of queries that occur once per configuration
        self.query_ids: list[str] = []
        self.docs: list[str] = []
        self.grades: list[float] = []
        self.lines: list[int] = []

    def add(self, entry: InputEntry) -> None:
        """Take one object."""
        fields = entry.value
        if type(fields) is not dict:
            return Cell(self.problems, entry.line, "object").note_wrong_type(fields, "an object")
        check_field_count(fields, Cell(self.problems, entry.line, "object"))
        fields = field_names.flatten_members(fields, self._resolver.mapping)
        if kilt_objects.is_kilt(fields):
            fields = kilt_objects.as_truth_object(fields, Cell(self.problems, entry.line, "output"))
        schema = self._resolver.resolve(fields)
        self.is_run = self.is_run or any(name in schema for name in RUN_MARKERS)
        self.is_truth = self.is_truth or any(name in schema for name in TRUTH_MARKERS)
        query_id = self._ids.identify(fields, schema, entry.line)
        self.of_run |= dict.fromkeys(schema[name] for name in _OF_RUNS & schema.keys() if not is_missing(
            fields.get(schema[name])))
        if field_names.is_document_row(schema):
            return self._add_row(query_id, fields, schema, entry.line)
        return self._add_query(query_id, fields, schema, entry)

    def _add_row(self, query_id: str | None, fields: dict, schema: dict, line: int) -> None:
        """An object that is one judgment."""
        key = schema.get("grade", schema.get("score", "grade"))
        self.is_run = self.is_run or "rank" in schema
        self.is_truth = self.is_truth or "rank" not in schema
        doc = read_id(fields.get(schema.get("doc_id", "doc_id")), Cell(self.problems, line,
                                                                         schema.get("doc_id", "doc_id")))
        grade = self._read_grade(fields.get(key), Cell(self.problems, line, key))
        read = {schema.get("query_id", schema.get("query")), schema.get("doc_id"), key}
        of_run = {schema[name] for name in ("score", "rank", "text", "source", "config") if name in schema}
        note_unread(of_run - read, Cell(self.problems, line, "row"))
        if query_id is not None:
            self.query_lines.setdefault(query_id, line)
            detail_fields = self._rows.select_fields(fields, schema)
            if detail_fields:
                self._rows.add_row((None, query_id), fields, detail_fields, line)
            self._append(query_id, [doc], [grade], line)

    def _add_query(self, query_id: str | None, fields: dict, schema: dict, entry: InputEntry) -> None:
        """An object that is a query with its ground truth."""
        line = entry.line
        schema = {
            name: key for name, key in schema.items() if name not in PARALLEL_FIELDS or type(fields.get(key)) is list
        }
        details = truth_details(fields, schema, Cell(self.problems, line, ""))
        key = schema.get("relevant", "relevant")
        docs, grades = self._read_relevant(fields.get(key), Cell(self.problems, line, entry.key or key))
        if query_id is None:
            return
        if query_id in self.query_lines:
            return self._check_duplicate(query_id, details, (docs, grades), schema, line)
        if "config" in schema:
            self._first_judgments[query_id] = (docs, grades)
        self.query_lines[query_id] = line
        self.details[query_id] = details
        self._append(query_id, docs, grades, line)

    def _check_duplicate(self, query_id: str, details: dict, judged: tuple, schema: dict, line: int) -> None:
        """Check a repeated query, which is allowed once per configuration with the same truth."""
        first_details = self.details.get(query_id, {})  # none of a query with judgments in rows of their own
        names_of_truth = {*TRUTH_TYPES} - {"attributes"}
        if "config" not in schema:
            self._ids.note_duplicate(query_id, self.query_lines[query_id], schema, line, "truth")
        elif judged != self._first_judgments.get(query_id) or any(first_details.get(name) != details.get(name)
                                                                for name in names_of_truth):
            self.problems.add(
                "conflicting-truth",
                {"query": query_id, "first": self.query_lines[query_id], "line": line},
                line=line,
                field=schema.get("query_id", "query"),
            )
        elif first_details.get("attributes") != details.get("attributes"):  # what differs belongs to the configurations
            old, new = (
                orjson.loads(details_of_row.get("attributes") or "{}") for details_of_row in (first_details, details)
            )
            shared = {key: value for key, value in old.items() if key in new and new[key] == value}
            first_details["attributes"] = orjson.dumps(shared, option=orjson.OPT_SORT_KEYS).decode() if shared else None

    def _read_relevant(self, value, cell: Cell) -> tuple[list, list]:
        """(documents, grades) of {id: grade}, of ids (grade 1), of objects with doc_id and grade, or of lists."""
        if is_missing(value):
            return [], []
        if type(value) is dict:
            return ([read_id(doc, cell.member("doc_id")) for doc in value],
                    [self._read_grade(grade, cell.member(doc)) for doc, grade in value.items()])
        if type(value) is not list:
            cell.note_wrong_type(value, "a list of ids or an object of grades")
            return [], []
        if value and all(type(item) is list for item in value):  # groups of documents, as AutoRAG writes them
            value = [item for group in value for item in group]
        pairs = [self._read_judgment(item, cell.member(i)) for i, item in enumerate(value)]
        return [doc for doc, _ in pairs], [grade for _, grade in pairs]

    def _read_judgment(self, item, cell: Cell) -> tuple[str | None, float | None]:
        if type(item) is not dict:
            return read_id(item, cell), 1
        schema = field_names.find_fields(item, ("doc_id", "grade", "score"), DOCUMENT_ALIASES)
        doc = read_id(item.get(schema.get("doc_id", "doc_id")), cell.member("doc_id"))
        key = schema.get("grade", schema.get("score"))
        return doc, 1 if key is None else self._read_grade(item[key], cell.member(key))

    def _read_grade(self, value, cell: Cell) -> float | None:
        if type(value) in (float, NumberText) and not float(value).is_integer():
            self.fraction_count += 1
        return read_score(value, cell, "grade")

    def _append(self, query_id: str, docs: list, grades: list, line: int) -> None:
        self.query_ids.extend([query_id] * len(docs))
        self.docs.extend(docs)
        self.grades.extend(grades)
        self.lines.extend([line] * len(docs))

    @property
    def looks_like_run(self) -> bool:
        """True if only returned documents were seen, or most grades are fractions."""
        return (self.is_run and not self.is_truth) or 0 < len(self.grades) <= 2 * self.fraction_count

    def finish(self, source: Source) -> Truth:
        """The truth; raises InputError for noted errors or without content."""
        for (_, query_id), values in self._rows.queries():
            self.details[query_id] = truth_details(
                values.fields, self._rows.schema, Cell(self.problems, values.line, "")
            )
        if self._resolver.attribute_fields:
            note_attribute_columns(list(self._resolver.attribute_fields), self.problems, 1, of_run=self.is_run)
        if self.of_run:
            self.problems.add("unread-field/of-run", {"names": list(self.of_run)}, field=next(iter(self.of_run)),
                              severity="warning")
        if self.is_run:
            without_scores(self.details, self.problems, self._resolver.mapping.get("attribute"))
        else:
            note_unread_attributes([self.details], self._resolver.own_attributes, self.problems)
        self.problems.raise_errors()
        if not self.docs and not self._questions and not any(
                {"answers", "evidence"} & row.keys() for row in self.details.values()):
            self.problems.add("no-rows/truth")
        self.problems.raise_errors()
        details = details_table(self.query_lines, self.details, self.query_ids, TRUTH_TYPES)
        try:
            return Truth.build(source.name, pa.array(self.query_ids, pa.string()), pa.array(self.docs, pa.string()),
                               np.array(self.grades, np.float64).astype(np.int64), details=details,
                               problems=self.problems.problems, file=source.file, lines=self.lines)
        except InputError:
            if self.lines and not self.lines[0]:
                raise NeedsExact from None  # the quick way through an array knows no lines
            raise

