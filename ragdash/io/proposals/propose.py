"""The best readings of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from ragdash.core.errors import InputError, shorten
from ragdash.core.records.details import conversation_text
from ragdash.io.chat_messages import messages_of
from ragdash.io.proposals.build import FileContent, build_content
from ragdash.io.proposals.content.averages import averages_of
from ragdash.io.proposals.fields import Field, is_missing
from ragdash.io.proposals.names import ANSWER, CRITERIA, DOCUMENT, GOLD, METRICS, words
from ragdash.io.proposals.reading import MEANINGS, RECORDS, ROLE, Reading, column_reader
from ragdash.io.proposals.records import KEY, RecordList, fail_quietly
from ragdash.io.proposals.roles import Assignment, assign
from ragdash.io.source.source import Source

MOST_READINGS = 3
PREVIEW_LENGTH = 48  # characters: a column of the preview has room for no more
_UNREADABLE = {"context.span_id", "document_position"}  # documents of Phoenix, without their ids
_MATTERS = GOLD | ANSWER | METRICS | DOCUMENT | CRITERIA  # words in names of what a reading should not leave out unseen
_OF_RUNS = ("scores", "labels")  # a truth has no place for them


_proposed: WeakKeyDictionary[Source, list[Reading]] = WeakKeyDictionary()  # asked for before and after a file is read


def propose(source: Source) -> list[Reading]:
    """The plausible readings, the best first; none where nothing in the file looks like queries with content."""
    if source not in _proposed:
        _proposed[source] = [reading for reading, _ in propose_with_content(source)]
    return list(_proposed[source])


def propose_with_content(source: Source) -> list[tuple[Reading, FileContent]]:
    """The readings with what they give."""
    candidates = [item for records in fail_quietly(source) if not records.rows[0].keys() >= _UNREADABLE
                  for item in assign(records)]
    if not candidates:
        return []
    if any(len(item.records.rows) > 1 for item in candidates):  # one record is the last thing that a file holds
        candidates = [item for item in candidates if len(item.records.rows) > 1]
    best = max(item.weight for item in candidates)
    first_sheet = _first_sheet_with_averages(source, candidates)
    candidates = [item for item in candidates if item.weight > (0.7 if _names_texts(item) else 0.8) * best
                  or item is first_sheet]
    order = {id(item): (-_order_weight(item, candidates), "relevant" not in item.roles) for item in candidates}
    candidates.sort(key=lambda item: (*order[id(item)], -item.weight))
    candidates = [item for item in candidates if not _is_part(item, candidates)]
    result: list[tuple[Reading, FileContent]] = []
    for item in candidates:
        mapping = _mapping(item)
        if any(reading.mapping == mapping for reading, _ in result):
            continue
        content = _try_content(source, item.records, mapping)
        if content is not None and _is_meaningful(content, mapping):
            result.append((_reading(item, mapping, content), content))
        if len(result) == MOST_READINGS:
            break
    return result


def _first_sheet_with_averages(source: Source, candidates: list[Assignment]) -> Assignment | None:
    """The best candidate of a workbook's first sheet where a row of it holds averages: it would be read as a query."""
    path = next((records.path for records in fail_quietly(source)), "") if source.container == "xlsx" else ""
    item = max((item for item in candidates if item.records.path == path), key=lambda item: item.weight, default=None)
    if not path or item is None:
        return None
    keys = [[row.get(item.roles.get(name, "")) for name in ("query_id", "query")] for row in item.records.rows]
    return item if averages_of(item.records.rows, keys, [item.roles.get("retrieved", "")]) else None


def _names_texts(item: Assignment) -> bool:
    """True for texts below ids, which may be questions as well as answers."""
    return item.roles == {"query_id": KEY, "query": "query"}


def _order_weight(item: Assignment, candidates: list[Assignment]) -> float:
    """The weight by which a reading is offered: rankings with judgments not after the same records without them."""
    if not {"retrieved", "relevant"} <= item.roles.keys():
        return item.weight
    return max(other.weight for other in candidates if other is item or (
        other.records.path == item.records.path and "retrieved" in other.roles and "relevant" not in other.roles))


def _try_content(source: Source, records: RecordList, mapping: Mapping[str, str]) -> FileContent | None:
    """The content under a mapping; None where it cannot be built."""
    try:
        content = build_content(source, records, mapping)
    except InputError:
        return None
    left_out = sum(problem.facts["count"] for problem in content.problems if problem.kind == "record-without-query")
    return None if 10 * left_out > max(len(records.rows), 10 * (len(records.rows) > 4)) else content


def _is_part(item: Assignment, candidates: list[Assignment]) -> bool:
    """True for a part of what another candidate reads: the records of one configuration, or the file as one record."""
    roles = {name: path for name, path in item.roles.items() if name != "config"}
    for other in candidates:
        if len(other.records.rows) > len(item.records.rows):
            wider = {name: path for name, path in other.roles.items() if name != "config"}
            is_whole_file = len(item.records.rows) == 1 and not item.records.path
            is_alike = {**wider, "query_id": ""} == {**roles, "query_id": ""}
            if wider == roles or is_whole_file or _is_member(item.records.path, other.records.path) or (
                    is_alike and _is_member_with_dots(item.records.path, other.records.path)):
                return True
    return False


def _is_member(path: str, pattern: str) -> bool:
    """True for base.* next to *.*: the records of one configuration."""
    parts, patterns = path.split("."), pattern.split(".")
    return path != pattern and len(parts) == len(patterns) and all(
        expected in (part, KEY) for part, expected in zip(parts, patterns, strict=True))


def _is_member_with_dots(path: str, pattern: str) -> bool:
    """The same where keys have points: runs.dense.trec.queries.* next to runs.*.queries.*."""
    steps = [("(.+)" if step == KEY else re.escape(step)) for step in pattern.split(".")]
    matched = re.fullmatch(r"\.".join(steps), path)
    return matched is not None and all(KEY not in step or step == KEY for step in matched.groups()) and path != pattern


def _is_meaningful(content: FileContent, mapping: Mapping[str, str]) -> bool:
    """True where some query has something, and some has a judgment where a field of them is read."""
    if "relevant" in mapping and content.truth is not None and not content.truth.judgments:
        return False
    if content.scores is not None:
        return True
    details = [run.details for run in content.runs] + ([content.truth.details] if content.truth else [])
    return any(len(run.docs) for run in content.runs) or bool(content.truth and content.truth.judgments) or any(
        table is not None and not {"query", "answer", "contexts", "answers", "evidence"}.isdisjoint(table.column_names)
        for table in details)


def _mapping(item: Assignment) -> dict[str, str]:
    roles = {name: path for name, path in item.roles.items() if item.role != "truth" or name not in _OF_RUNS}
    attributes = [path for path in item.ignored if _is_attribute(item.fields[path])][:12]
    if attributes:
        roles["attributes"] = "+".join(attributes)
    mapping = {ROLE: item.role}
    if item.records.path:
        mapping[RECORDS] = item.records.path
    return {**mapping, **{name: roles[name] for name in MEANINGS if name in roles}}


def _is_attribute(item: Field) -> bool:
    """True for a short value that describes the query and may group queries."""
    return (not item.is_list and not item.is_object and "." not in item.path and "+" not in item.path
            and "{" not in item.path and item.mean_length < 60 and (
                item.distinct_count <= max(2, min(40, len(item.values) // 2))))


def _reading(item: Assignment, mapping: dict[str, str], content: FileContent) -> Reading:
    notes = {name: count for name, count in (
        ("repeated", item.repeats), ("average", item.averages), ("skipped", item.records.skipped)) if count}
    attributes = set(mapping.get("attributes", "").split("+"))
    unread = [path for name in _OF_RUNS if name not in mapping for path in item.roles.get(name, "").split("+") if path]
    ignored = [path for path in (*item.ignored, *unread) if path not in attributes]
    ignored += _other_columns(item, [path for name, path in mapping.items() if name not in (ROLE, RECORDS)] + ignored)
    ignored.sort(key=lambda path: _MATTERS.isdisjoint(words(path)))  # few are shown
    return Reading(mapping, len(item.records.rows), tuple(ignored), notes, tuple(_preview(item, mapping)))


def _other_columns(item: Assignment, paths: list[str]) -> list[str]:
    """The columns with a value that none of the paths takes something from, such as parts of logs."""
    filled = dict.fromkeys(name for row in item.records.rows for name, value in row.items()
                           if not name.startswith(KEY) and not is_missing(value))
    is_read = column_reader(re.sub(r":\d+(?=\+|$)", "", path) for path in paths)
    return [name for name in filled if not is_read(name)]


def _preview(item: Assignment, mapping: dict[str, str], count: int = 3) -> list[dict[str, str]]:
    """The first records under our names, as short texts."""
    rows = []
    for index in range(min(count, len(item.records.rows))):
        row = {}
        for name, spec in mapping.items():
            if name in (ROLE, RECORDS):
                continue
            fields = [item.fields[path] for path in spec.split("+") if path in item.fields]
            values = [field.values[index] for field in fields if index < len(field.values)]
            if name == "chat_history":
                values = [conversation_text([(message["role"], message["text"]) for message in messages])
                          for value in values if type(value) is list and (messages := messages_of(value))]
            row[name] = shorten(", ".join(str(value) for value in values if value is not None), PREVIEW_LENGTH)
        rows.append(row)
    return rows
