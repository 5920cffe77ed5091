"""Build the rows of runs from objects (JSON objects or table rows): a query with its documents, or one document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from ragdash.core.errors import Collector
from ragdash.io import field_names
from ragdash.io.assemble import kilt_objects
from ragdash.io.assemble.assemble_runs import Rows
from ragdash.io.assemble.columns_of_scores import note_unread_attributes, refuse_content_beside_scores, take_scores
from ragdash.io.assemble.document_lists import split_documents
from ragdash.io.assemble.query_fields import run_details
from ragdash.io.assemble.query_ids import QueryIds
from ragdash.io.assemble.row_buffer import RowBuffer
from ragdash.io.assemble.row_query_details import RowDetails
from ragdash.io.field_names import DOCUMENT_ALIASES, RUN_MARKERS, TRUTH_MARKERS
from ragdash.io.json.exact_parser import InputEntry
from ragdash.io.json.typed_fields import (
    Cell,
    check_field_count,
    is_missing,
    note_attribute_columns,
    note_unread,
    read_id,
    read_object,
    read_score,
    read_text,
)

DOCUMENT_FIELDS = ("doc_id", "score", "rank", "text", "source")


class RunReader:
    """Takes the objects of a file one by one; `buffers` has the rows of each configuration.

    schema: {our name: field} if all objects have the same fields, as the rows of a table.
    """

    def __init__(self, problems: Collector, mapping: Mapping[str, str], schema: dict[str, str] | None = None):
        self.problems = problems
        self.buffers: dict[str | None, RowBuffer] = {}
        self.is_run = self.is_truth = False
        self._resolver = field_names.FieldResolver(mapping, schema)
        self._ids = QueryIds(problems)
        self._rows = RowDetails(problems, mapping)
        self._document_schemas: dict[tuple, dict] = {}
        self._config_lines: dict[bool, int] = {}
        self._has_content = False  # something but metrics
        self.of_truth: dict[str, None] = {}  # fields with what is right

    def add(self, entry: InputEntry) -> None:
        """Take one object."""
        fields = (
            read_object(entry.value, Cell(self.problems, entry.line, "object")) if entry.value is not None else None
        )
        if fields is None:
            if is_missing(entry.value):
                Cell(self.problems, entry.line, "object").note_wrong_type(entry.value, "an object")
            return
        check_field_count(fields, Cell(self.problems, entry.line, "object"))
        fields = field_names.flatten_members(fields, self._resolver.mapping)
        if kilt_objects.is_kilt(fields):
            fields = kilt_objects.as_run_object(fields, Cell(self.problems, entry.line, "output"))
        schema = self._resolver.resolve(fields)
        query_id = self._ids.identify(fields, schema, entry.line)
        if field_names.is_document_row(schema):
            self._add_row(query_id, fields, schema, entry.line)
        elif self._is_query(fields, schema, entry.line):
            self._add_query(query_id, fields, schema, Cell(self.problems, entry.line, entry.key or
                                                          schema.get("retrieved", "retrieved")))

    def _is_query(self, fields: dict, schema: dict, line: int) -> bool:
        returned = any(name in schema for name in RUN_MARKERS)
        self._has_content |= any(name in schema for name in RUN_MARKERS if name != "metrics") or (
            schema.get("metrics") == "metrics")
        self.is_run = self.is_run or returned
        of_truth = [schema[name] for name in TRUTH_MARKERS if name in schema]
        self.is_truth = self.is_truth or bool(of_truth)
        self.of_truth |= dict.fromkeys(name for name in of_truth if not is_missing(fields.get(name)))
        if not returned:
            self.problems.add("missing-field", {"fields": list(fields), "names": list(RUN_MARKERS),
                                                "path": field_names.find_nested_list(fields, "retrieved") or "NAME"},
                              line=line, field="retrieved")
        return returned

    def _buffer(self, fields: dict, schema: dict, line: int) -> RowBuffer:
        """The buffer of this object's configuration."""
        config = None
        if "config" in schema:
            config = read_text(fields.get(schema["config"]), Cell(self.problems, line, schema["config"])) or None
        self._config_lines.setdefault(config is not None, line)
        if config not in self.buffers:
            self.buffers[config] = RowBuffer(config)
        return self.buffers[config]

    def _check_ranking_form(self, buffer: RowBuffer, listed: bool, line: int) -> bool:
        """True if all rankings have the same form: ordered lists, or documents with scores. Notes a mix."""
        if buffer.has_lists is None:
            buffer.has_lists = listed
        if buffer.has_lists != listed:
            self.problems.add("mixed-rows", line=line)
        return buffer.has_lists == listed

    def _add_row(self, query_id: str | None, fields: dict, schema: dict, line: int) -> None:
        """An object that is one returned document."""
        if "grade" in schema and "score" not in schema and "rank" not in schema:
            self.is_truth = True
            return
        self.is_run = self._has_content = True
        buffer = self._buffer(fields, schema, line)
        item = {name: fields.get(schema[name]) for name in DOCUMENT_FIELDS if name in schema}
        detail_fields = self._rows.select_fields(fields, schema)
        if query_id is not None and self._check_ranking_form(buffer, False, line):
            buffer.query_lines.setdefault(query_id, line)
            if detail_fields:
                self._rows.add_row((buffer.config, query_id), fields, detail_fields, line)
            self._add_list(buffer, query_id, [item], Cell(self.problems, line, "row"))

    def _add_query(self, query_id: str | None, fields: dict, schema: dict, cell: Cell) -> None:
        """An object that is a query with everything returned for it; cell: the position of its documents."""
        line = cell.line
        fields, schema, retrieved = split_documents(fields, schema, cell)
        buffer = self._buffer(fields, schema, line)
        buffer.note_settings(fields.get(schema.get("settings", "settings")), Cell(self.problems, line, "settings"))
        details = run_details(fields, schema, Cell(self.problems, line, ""))
        if query_id is None:
            return
        if query_id in buffer.query_lines:
            self._ids.note_duplicate(query_id, buffer.query_lines[query_id], schema, line, "run")
            return
        buffer.query_lines[query_id] = line
        if details:
            buffer.details[query_id] = details
        if type(retrieved) not in (dict, list):
            if not is_missing(retrieved):
                cell.note_wrong_type(retrieved, "a list of ids or of objects with doc_id")
        elif retrieved and self._check_ranking_form(buffer, type(retrieved) is list, line):
            extend = self._add_list if type(retrieved) is list else self._add_scored
            extend(buffer, query_id, retrieved, cell)

    def _add_scored(self, buffer: RowBuffer, query_id: str, scored: dict, cell: Cell) -> None:
        """Documents as {id: score}."""
        docs = [read_id(doc, cell.member("doc_id")) for doc in scored] if "" in scored else list(scored)
        values = list(scored.values())
        if not _are_numbers(values):
            values = [read_score(value, cell.member(doc)) for doc, value in scored.items()]
        self._append(buffer, query_id, docs, {"score": values}, cell)

    def _add_list(self, buffer: RowBuffer, query_id: str, items: list, cell: Cell) -> None:
        """Documents as a list of ids or of objects, in their order."""
        if set(map(type, items)) <= {str} and "" not in items:
            return self._append(buffer, query_id, items, {}, cell)
        items = [item if type(item) is dict else self._as_object(item, cell.member(i)) for i, item in enumerate(items)]
        keys = set().union(*items)
        schema = self._document_schema(tuple(sorted(keys)))
        note_unread(keys - set(schema.values()), cell)
        docs = self._read_column(items, schema.get("doc_id", "doc_id"), read_id, {str}, cell)
        columns = {}
        for name in ("score", "rank"):
            if name in schema:
                columns[name] = self._read_numbers(items, schema[name], name, cell)
        for name in ("text", "source"):
            if name in schema:
                columns[name] = self._read_column(items, schema[name], read_text, {str, type(None)}, cell)
        self._append(buffer, query_id, docs, columns, cell)

    def _document_schema(self, keys: tuple) -> dict[str, str]:
        """{our name: the key that holds it}, cached for documents with the same keys."""
        if keys not in self._document_schemas:
            self._document_schemas[keys] = field_names.find_fields(keys, DOCUMENT_FIELDS, DOCUMENT_ALIASES)
        return self._document_schemas[keys]

    def _as_object(self, item, cell: Cell) -> dict:
        if type(item) in (list, bool):
            cell.note_wrong_type(item, "an id or an object with doc_id")
        return {"doc_id": item if type(item) not in (list, bool) else "?"}

    def _read_column(self, items: list[dict], key: str, check, types: set[type], cell: Cell) -> list:
        """One field of all documents; single values are checked only if a type is unexpected."""
        values = [item.get(key) for item in items]
        if set(map(type, values)) <= types and (check is not read_id or "" not in values):
            return values
        return [check(value, cell.member(i).member(key)) for i, value in enumerate(values)]

    def _read_numbers(self, items: list[dict], key: str, name: str, cell: Cell) -> list:
        """The scores or ranks of all documents."""
        values = [item.get(key) for item in items]
        if _are_numbers(values):
            return values
        return [read_score(value, cell.member(i).member(key), name) for i, value in enumerate(values)]

    def _append(self, buffer: RowBuffer, query_id: str, docs: list, columns: dict[str, list], cell: Cell) -> None:
        if not docs:
            return
        for name in ("score", "rank"):
            buffer.number_lines.setdefault((name, name in columns), cell.line)
            if len({(name, True), (name, False)} & buffer.number_lines.keys()) == 2:
                other_line = buffer.number_lines[name, name not in columns]
                cell.member(name).note(f"missing-{name}/mixed", {"other": other_line})
        buffer.append(query_id, docs, columns)

    def finish(self) -> dict[str | None, Rows]:
        """The rows of each configuration."""
        self._rows.add_to_buffers(self.buffers)
        if self._resolver.attribute_fields:
            note_attribute_columns(list(self._resolver.attribute_fields), self.problems, 1, of_run=True)
        scores = take_scores({config: buffer.details for config, buffer in self.buffers.items()}, self.problems,
                             self._resolver.mapping.get("attribute"))
        note_unread_attributes([buffer.details for buffer in self.buffers.values()], self._resolver.own_attributes,
                       self.problems)
        if self.buffers and not self._has_content:
            refuse_content_beside_scores({config: buffer.details for config, buffer in self.buffers.items()}, scores,
                                         self.problems)
        if len(self._config_lines) == 2:
            self.problems.add("missing-config/objects", {"with_line": self._config_lines[True],
                              "without_line": self._config_lines[False]}, line=self._config_lines[False],
                              field="config")
        self.problems.raise_errors()
        return {config: replace(buffer.to_rows(), file_scores=scores.get(config, []))
                for config, buffer in self.buffers.items()}


def _are_numbers(values: list) -> bool:
    """True if all values are finite Python numbers (NumberText is not)."""
    return set(map(type, values)) <= {int, float} and all(map(math.isfinite, values))
