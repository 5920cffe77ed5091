"""Offer readings where reading in a known format fails or leaves out what matters."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Sequence
from typing import cast

from ragdash.core.errors import Collector, InputError, Problem
from ragdash.io.detect import detect_source
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import DOCUMENT_ALIASES, WHOLE_TIMES, find_field
from ragdash.io.proposals.assignment import CHECKED
from ragdash.io.proposals.content.spread import counts_by_plural
from ragdash.io.proposals.fields import SAMPLE, is_missing, profile
from ragdash.io.proposals.meanings import is_query_id, is_question
from ragdash.io.proposals.names import LACKING, NOTES, SURE_METRICS, words
from ragdash.io.proposals.propose import propose
from ragdash.io.proposals.reading import RECORDS, ROLE, Reading
from ragdash.io.proposals.records import KEY, MAX_PROPOSED_BYTES, fail_quietly
from ragdash.io.proposals.shapes.text_tables import DELIMITERS
from ragdash.io.source.source import Source
from ragdash.io.tables.cells import is_cut_off
from ragdash.io.tables.row_reader import csv_rows

REPLACED = {"unknown-format", "missing-field", "missing-column", "missing-header", "results", "bad-score", "bad-grade",
            "fractions-as-documents", "questions-as-documents", "sentences-as-documents", "fields-as-queries"}
"""Kinds of problems that say no more than that the format is not known."""
ADDED_TO = {"duplicate-query", "wrong-type", "bad-list", "conflicting-truth", "column-count"}
"""Kinds after which a reading may help as well."""
_VALUES = (("bad-score", "score", re.compile(rb"\d\s?%|[;\t]\s?\d+,\d")),
           ("bad-grade", "grade", re.compile(rb"(?i)not[ _-]?relevant|irrelevant|non-?relevant")))
"""Scores and grades that a reading understands and the known formats do not, and how they are written."""
_WEAK = ("unknown", "json-dict", "json-columns")  # formats that are assumed where nothing else fits
_WITH_CONTENT = {"retrieved", "doc_id", "contexts", "text", "answer", "relevant", "answers", "evidence"}
_WORK = {"timing", "time", "latency", "token", "usage", "metadata", "retry", "cost", "config", "setting", "debug",
         "timestamp"}
_DESCRIBING = NOTES | CHECKED
_EXPLAINS = {"reason", "reasoning", "explanation", "note", "notes", "comment", "rationale", "feedback", "justification",
             "critique", "judge", "verdict"}
_CHANGED = {"expanded", "rewritten", "reformulated", "rephrased", "transformed", "expansion"}  # in front of query
_QUERIES = {"query", "question", "qid", "topic", "id"}
_OF_ONE_QUERY = {*_QUERIES, "prompt", "input", "doc", "document", "answer"}
_SYSTEMS = (("method",), ("system",), ("config",), ("configuration",), ("pipeline",), ("variant",), ("experiment",))
_GROUPS = {"app", "type", "kind", "category", "class", "group", "count", "number"}
_LISTED = ("retrieved", "evidence", "relevant")
_MOST_MEMBERS = 100  # of a report
_PLAIN = 3  # role, records and query of a list of texts
_LONGEST_TAG, _SHARED = 60, 3  # characters, records for each tag
_COMPARED = ("query_id", "query", "config", "retrieved", "doc_id", "contexts", "text", "answer", "relevant", "grade",
             "answers", "evidence", "scores", "labels")
_BRACKET_IN_TEXT = re.compile(rb'"(?:\s|\\[nrt])*[\[{(]')  # in JSON: how a text begins that may be a list


def proposal_problem(source: Source, readings: Sequence[Reading], severity: str = "error") -> Problem:
    """The problem that offers readings of a file."""
    first, file = readings[0], shlex.quote(source.file)
    facts = {"count": first.count, "where": first.mapping.get(RECORDS, ""), "fields": first.shown_fields,
             "quoted": file, "options": first.options, "ways": len(readings),
             "mappings": [dict(reading.mapping) for reading in readings],
             "ignored": list(first.ignored[:20]),
             "previews": [[dict(row) for row in reading.preview] for reading in readings],
             "others": " or: ".join(reading.options for reading in readings[1:])}
    message = "proposed-reading/choice" if len(readings) > 1 else "proposed-reading"
    if severity == "warning":
        message = "proposed-reading/more"
    return Problem(message, facts, source.file, severity=severity)


def with_proposals(source: Source, error: InputError) -> InputError:
    """The error of reading in a known format, with readings that would work."""
    kinds = {problem.kind for problem in error.problems if problem.severity == "error"}
    if are_unnamed := any(problem.kind == "missing-id" and "[" in (problem.field or "") for problem in error.problems):
        kinds.add("missing-field")  # documents whose ids are deeper, or under another name
    if kinds == {"invalid-json"}:
        return _with_joined_objects(source, error)
    if kinds == {"summary"} and not source.mapping:  # or values of queries, by their ids
        rated = list(filter(_rates_queries, propose(source)))
        return InputError([proposal_problem(source, rated)]) if rated else error
    if kinds == {"missing-id"} and _has_empty_column(source):
        kinds = {"missing-column"}
    if any(problem.message == "no-rows/truth" for problem in error.problems) and not source.mapping:
        asked = [reading for reading in propose(source) if reading.role == "questions" and reading.count > 1]
        asked = asked or [reading for reading in propose(source) if reading.role in ("truth", "both")]
        return InputError([proposal_problem(source, asked)]) if asked else error  # questions that nobody answered yet
    if source.mapping or not kinds & (REPLACED | ADDED_TO):
        return error
    detected = detect_source(source)
    is_unknown = detected.format in _WEAK or kinds <= REPLACED or (
        detected.role == "unknown" and detected.format.startswith("trec"))
    by_question = any(problem.message.endswith("-questions") for problem in error.problems)
    proposed = propose(source)
    is_deeper = "wrong-type" in kinds  # the known format looks for texts where objects are
    known = [_paths(reading) for reading in proposed if _is_known(reading, detected)]
    listed = {problem.field for problem in error.problems if problem.kind == "wrong-type"}  # answers with several names
    settings = {problem.field for problem in error.problems if problem.facts.get("type") == "an object"}
    values = {name for kind, name, written in _VALUES if kind in kinds and written.search(source.head)}
    is_shared = "duplicate-query" in kinds and "query_id" in detected.guess  # by several questions
    readings = [reading for reading in proposed if values & reading.mapping.keys() or (
        is_shared and {"query_id", "config"}.isdisjoint(reading.mapping) and "repeated" not in reading.notes) or (
        reading.mapping.get("answer") in listed) or (
        settings >= listed and is_deeper and listed.isdisjoint(_paths(reading))) or (
        is_deeper and "[]" in "".join(reading.mapping.get(name, "") for name in _LISTED)) or (
        are_unnamed and _names_otherwise(reading)) or (
        (_paths(reading) not in known or _is_known(reading, detected)) and (
            by_question or 0 < _lacking(error, detected) < reading.count or not _is_known(reading, detected)
            or reading.notes.keys() & {"skipped", "average"} or (kinds == {"duplicate-query"} and (
                0 < 2 * reading.notes.get("repeated", 0) < min(reading.count, SAMPLE)))))]
    if "fields-as-queries" in kinds:  # two lists of texts, of which one may be asked
        readings = [reading for reading in readings if reading.role != "questions" or _has_records(reading)]
    columns = _unexplained_columns(source, error, readings)
    if columns and not _hold_tags(source, columns):
        readings = [reading for reading in readings if not _WITH_CONTENT.isdisjoint(reading.mapping) or (
            reading.role == "questions" and all(not _DESCRIBING.isdisjoint(words(name)) for name in reading.ignored))]
    if readings:
        offered = [proposal_problem(source, readings), *cut_off_lists(source, readings[0])]
        return InputError(offered if is_unknown else [*offered, *error.problems])
    is_summary = is_unknown or (kinds <= REPLACED | {"wrong-type"} and detected.format in _WEAK)
    if is_summary and "missing-question" not in kinds and (metrics := summary_metrics(source)):
        return InputError([Problem("summary/metrics", {"metrics": metrics}, source.file)])
    if detected.format == "json-dict" and "wrong-type" in kinds and (members := _members_of_report(source)):
        return InputError([Problem("summary/report", {"members": members}, source.file)])
    if kinds <= REPLACED and (names := _metric_column(source) or _metrics_of_settings(source)):
        return InputError([Problem("summary/metrics", {"metrics": names}, source.file)])
    if kinds <= REPLACED and (fields := _fields_without_query(source)):
        return InputError([Problem("rows-without-query", {"count": fields[0], "fields": fields[1]}, source.file)])
    longer = _longer_row(source) if kinds <= REPLACED else None
    cut = [] if longer else cut_off_lists(source)
    return InputError([longer]) if longer else InputError([*error.problems, *cut]) if cut else error


def _rates_queries(reading: Reading) -> bool:
    """True for values by the ids of queries, and for records of queries below the means of each system."""
    named = {"query_id", "query"} & reading.mapping.keys()
    return reading.mapping.get("query_id") == KEY or bool(named and "." in reading.mapping.get(RECORDS, ""))


def _names_otherwise(reading: Reading) -> bool:
    """True for documents in lists of objects under a name that the known format does not take for their id: title."""
    parent, mark, name = reading.mapping.get("retrieved", "").rpartition("[].")
    return bool(parent and mark) and find_field([name], "doc_id", DOCUMENT_ALIASES) is None


def _lacking(error: InputError, detected: DetectedFormat) -> int:
    """How many records have nothing that was returned, such as those of queries that failed; 0 in our own format."""
    if all(name == path for name, path in detected.guess.items()):
        return 0
    return sum(problem.message == "missing-field" for problem in error.problems)


def _has_records(reading: Reading) -> bool:
    """True for questions in records of their own with other fields, not for a list of texts."""
    return RECORDS in reading.mapping and bool(reading.ignored or len(reading.mapping) > _PLAIN)


def cut_off_lists(source: Source, reading: Reading | None = None) -> list[Problem]:
    """Warnings of columns that have lists without an end and are not read."""
    paths = _paths(reading) if reading else ()
    if source.container or (b"[" not in source.head and b"{" not in source.head):
        return []
    if source.is_json and not _BRACKET_IN_TEXT.search(source.data):
        return []
    by_column: dict[str, Problem] = {}
    for row in (row for records in fail_quietly(source)[:1] for row in records.rows):
        for name, value in row.items():
            if type(value) is str and name not in by_column and name not in paths and is_cut_off(value):
                by_column[name] = Problem("cut-list/ids", {"end": value[-40:]}, source.file, field=name,
                                      severity="warning")
    return list(by_column.values())


def _longer_row(source: Source) -> Problem | None:
    """The first row of a table that has more cells than its header and nearly all other rows."""
    if source.container or len(source.data) > MAX_PROPOSED_BYTES:
        return None
    for delimiter in DELIMITERS:
        problems = Collector(source.file)
        rows = list(csv_rows(source.text, delimiter, problems)) if delimiter in source.text[:1 << 16] else []
        width = len(rows[0][1]) if rows else 0
        longer = [(line, row) for line, row in rows if any(cell.strip() for cell in row[width:])]
        if width > 1 and longer and len(longer) < len(rows) / 10:
            line, row = longer[0]
            problems.add("column-count", {"count": len(row), "row": delimiter.join(row)[:80], "width": width},
                         line=line, count=len(longer))
            return problems.problems[-1]
    return None


def _has_empty_column(source: Source) -> bool:
    """True where the column of ids is there and has no value in any row."""
    column = detect_source(source).guess.get("query_id")
    return column is not None and any(records.rows and column in records.rows[0] and all(
        is_missing(row.get(column)) for row in records.rows) for records in fail_quietly(source)[:1])


def _unexplained_columns(source: Source, error: InputError, readings: Sequence[Reading]) -> list[str]:
    """Columns of lists, objects and long texts next to scores that neither say how an answer was made nor rate it."""
    content = [problem for problem in error.problems if problem.message == "missing-field/content"]
    columns = [name for problem in content for name in cast(list[str], problem.facts["columns"])]
    rated = {path for reading in readings for path in reading.mapping.get("scores", "").split("+") if path}
    return [name for name in columns if not _describes_work(name) and not _names_scores(source, name, rated)]


def _describes_work(name: str) -> bool:
    """True for objects such as timing, tokens and llm_metadata, for what a judge says of its scores, for what was
    missed and for what became of the query: how an answer was made and rated, not what it is.
    """
    names = {*words(name)}
    is_changed = not _CHANGED.isdisjoint(names) and not {"query", "question"}.isdisjoint(names)
    return is_changed or not (_WORK | LACKING).isdisjoint(names) or names <= _EXPLAINS


def _names_scores(source: Source, name: str, rated: Collection[str]) -> bool:
    """True for texts that name all the scores next to them: what a judge replied, of which the scores were made."""
    texts = [str(row[name]) for records in fail_quietly(source)[:1] for row in records.rows if row.get(name)]
    return bool(rated and texts) and all(path.rpartition(".")[2] in text for path in rated for text in texts)


def _hold_tags(source: Source, columns: Sequence[str]) -> bool:
    """True for lists of names that many records share or few have, such as warnings: they are no content of a query."""
    rows = [row for records in fail_quietly(source)[:1] for row in records.rows]
    for name in columns:
        tags = [tag for row in rows if row.get(name) for tag in (
            row[name] if type(row[name]) is list else [row[name]])]
        if not tags or not all(type(tag) is str and len(tag) < _LONGEST_TAG and " " not in tag for tag in tags) or (
                len(tags) < _SHARED * len(set(tags)) and 2 * sum(not is_missing(row.get(name)) for row in rows) > len(
                    rows)):
            return False
    return bool(columns)


def _paths(reading: Reading) -> set[str]:
    """The fields that a reading reads, whatever they mean."""
    return {path for name, path in reading.mapping.items() if name not in (ROLE, "attributes")}


def _with_joined_objects(source: Source, error: InputError) -> InputError:
    """The error for invalid JSON; objects one behind the other, each over several lines, can be read."""
    first = next((line.strip() for line in source.head.split(b"\n") if line.strip()), b"")
    readings = propose(source) if first[:1] == b"{" and not source.mapping else []
    if first != b"{":  # lines of systems with a list of results each
        readings = [reading for reading in readings if reading.mapping.get(RECORDS, "").startswith(f"{KEY}.")]
    return InputError([proposal_problem(source, readings)]) if readings and readings[0].count > 1 else error


def _is_known(reading: Reading, detected: DetectedFormat) -> bool:
    """True where every field of a reading has its meaning in the known format already: only values are wrong."""
    if detected.format in _WEAK or reading.role == "questions" or (
            detected.role == "unknown" and not WHOLE_TIMES.isdisjoint(reading.mapping)):
        return False
    known = {path: name for name, path in detected.guess.items()}
    for name, spec in reading.mapping.items():
        base = spec.split("[]")[0]
        if name == "scores" and {"doc_id", "retrieved"}.isdisjoint(reading.mapping):
            return False  # a score of the query, not of a document
        if name == "contexts" and known.get(base) == "retrieved" and "retrieved" not in reading.mapping:
            return False  # texts without ids
        names = {name, name.removesuffix("s")} if name != "answers" else {name}
        names |= {"doc_id"} if name != "relevant" else set()
        if name in _COMPARED and known.get(base) not in names and not (
                "[]" in spec and known.get(base) in ("retrieved", "contexts", "relevant", "evidence")):
            return False
    return True


def summary_metrics(source: Source) -> list[str]:
    """The metrics of a file of means: objects of numbers under names of metrics, nothing per query."""
    if source.container or not source.head.lstrip().startswith(b"{"):
        return []
    lists = fail_quietly(source)
    names = {}
    for records in lists:
        fields = profile(records.rows)
        numbers = [item for item in fields.values() if item.is_number and not item.is_list]
        if any(item.is_list or (item.is_long_text and not item.is_id_like) for item in fields.values()):
            return []
        names |= {item.path.rpartition(".")[2]: None for item in numbers
                  if not SURE_METRICS.isdisjoint(words(item.path.rpartition(".")[2]))}
    return list(names)[:8]


def _members_of_report(source: Source) -> list[str]:
    """The first members of an object with single values next to others, which is no object of queries; none for others.
    """
    if source.container or len(source.data) > MAX_PROPOSED_BYTES:
        return []
    try:
        root = json.loads(source.text)
    except (ValueError, RecursionError):
        return []
    single = [name for name, value in root.items() if type(value) in (str, int, float, bool)] if (
        type(root) is dict) else []
    is_mixed = 1 < len(single) < len(root) < _MOST_MEMBERS and 5 * len(single) >= len(root)
    return list(root)[:6] if is_mixed else []


def _metric_column(source: Source) -> list[str]:
    """The metrics in a table of metrics and values without queries."""
    if source.container or source.head.lstrip()[:1] in (b"{", b"["):
        return []
    lists = fail_quietly(source)
    rows = lists[0].rows if lists else []
    columns = {name.lower(): name for name in rows[0]} if rows else {}
    column = next((columns[name] for name in ("metric", "metrics", "measure") if name in columns), None)
    names = [str(row[column]) for row in rows] if column else []
    return names[:8] if names and all(not SURE_METRICS.isdisjoint(words(name)) for name in names) else []


def _metrics_of_settings(source: Source) -> list[str]:
    """The metrics in rows of metrics of systems or settings, each in one row: no field names or holds a query."""
    lists = fail_quietly(source)
    if len(lists) != 1 or not lists[0].rows:
        return []
    fields = profile(lists[0].rows)
    metrics = [name for name, item in fields.items() if item.is_number and not item.is_list
               and not SURE_METRICS.isdisjoint(words(name))]
    others = [item for name, item in fields.items() if name not in metrics]
    if not metrics or any(item.is_list or is_question(item) or (
            item.is_long_text and item.name_words not in _SYSTEMS) or (
            not (_QUERIES if item.is_number else _OF_ONE_QUERY).isdisjoint(item.words)
            and not counts_by_plural(item) and _GROUPS.isdisjoint(item.words)) for item in others):
        return []
    settings = [tuple(str(row.get(item.path)) for item in others) for row in lists[0].rows]
    return metrics[:8] if others and len(set(settings)) == len(settings) else []


def _fields_without_query(source: Source) -> tuple[int, str] | None:
    """(records, fields) of rows with content and nothing that names the query."""
    lists = fail_quietly(source)
    if not lists or len(lists[0].rows) < 2:
        return None
    fields = profile(lists[0].rows)
    if any(is_question(item) or is_query_id(item) or not {"question", "query"}.isdisjoint(item.words)
           for item in fields.values()):
        return None
    names = list(fields)
    if not any("retriev" in name or "answer" in name or "context" in name for name in names):
        return None
    return len(lists[0].rows), ", ".join(names[:6])
