"""The best readings of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from weakref import WeakKeyDictionary

from ragdash.core.errors import InputError, shorten
from ragdash.core.records.details import conversation_text
from ragdash.io.chat_messages import messages_of
from ragdash.io.proposals.assignment import CONTENT
from ragdash.io.proposals.build import FileContent, build_content
from ragdash.io.proposals.content.averages import averages_of
from ragdash.io.proposals.fields import Field, is_missing
from ragdash.io.proposals.names import ANSWER, CRITERIA, DOCUMENT, GOLD, ID, METRICS, RETURNED, words
from ragdash.io.proposals.reading import MEANINGS, RECORDS, ROLE, Reading, column_reader
from ragdash.io.proposals.records import KEY, RecordList, fail_quietly
from ragdash.io.proposals.roles import Assignment, assign
from ragdash.io.proposals.shapes.languages import LANGUAGES
from ragdash.io.source.source import Source

MOST_READINGS = 3
PREVIEW_LENGTH = 48  # characters: a column of the preview has room for no more
_UNREADABLE = {"context.span_id", "document_position"}  # documents of Phoenix, without their ids
_MATTERS = GOLD | ANSWER | METRICS | DOCUMENT | CRITERIA  # words in names of what a reading should not leave out unseen
_CHOSEN = ("retrieved", "relevant", "answers", "answer")  # what several fields of a record may be
_NO_RANKING = {"citation", "cited", "hit", "allowed", "positive", "negative"}
_NO_ANSWER = ID | {"url", "link", "label", "name", "source", "datetime", "date", "time", "timestamp"}
_DIGITS = re.compile(r"\d+")
_PREDICTED = RETURNED - {"response", "output", "result"}
_MEANS = {"average", "mean", "summary", "aggregate", "aggregated"}  # in names of files
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
    if not _MEANS.isdisjoint(words(source.name)):
        candidates = [item for item in candidates if not _only_rates(item)]
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
        _add_reading(source, item, result)
        if len(result) == MOST_READINGS:
            break
    if 0 < len(result) < MOST_READINGS:
        first = next(item for item in candidates if _mapping(item) == result[0][0].mapping)
        same = [name for name in _CHOSEN if all(reading.mapping.get(name) == first.roles.get(name)
                                                for reading, _ in result)]  # else there is a choice already
        for item in islice(_runners_up(first, same), MOST_READINGS - len(result)):
            _add_reading(source, item, result)
    return result


def _only_rates(item: Assignment) -> bool:
    """True for values alone, of nothing that is called a query: in a file of averages they are means."""
    named = {"query", "question", "qid", "topic"} & {*words(item.roles.get("query_id", ""))}
    rated = {*CONTENT} & item.roles.keys() <= {"scores", "labels"}
    return "query" not in item.roles and not named and not item.averages and rated


def _add_reading(source: Source, item: Assignment, readings: list[tuple[Reading, FileContent]]) -> None:
    """Add the reading of an assignment, with what it gives, unless it is there or gives nothing."""
    mapping = _mapping(item)
    if any(reading.mapping == mapping for reading, _ in readings):
        return
    content = _try_content(source, item.records, mapping)
    if content is not None and _is_meaningful(content, mapping):
        readings.append((_reading(item, mapping, content), content))


def _runners_up(best: Assignment, names: Sequence[str]) -> Iterator[Assignment]:
    """The readings with the second best field where it has as much to say, and everything else is as in the best one.
    """
    for name in names:
        path = best.roles.get(name, "")
        if not path or "{" in path or "+" in path:
            continue
        other = next(iter(assign(best.records, without=path.split("[]")[0])), None)
        field, chosen = other.fields.get(other.roles.get(name, "")) if other else None, best.fields.get(path)
        if other is not None and field is not None and chosen is not None and _is_alike(field, chosen, name) and (
                _rest(best, other, name) == _rest(other, other, name)) and _agrees(best, name, chosen) <= (
                _agrees(best, name, field)):
            yield other


def _agrees(best: Assignment, name: str, item: Field) -> bool:
    """Whether some of the documents that a field names were returned, if it is to be right, or are right."""
    other = best.fields.get(best.roles.get({"retrieved": "relevant", "relevant": "retrieved"}.get(name, ""), ""))
    return other is not None and not {*map(_last_part, other.items)}.isdisjoint(map(_last_part, item.items))


def _last_part(item: object) -> str:
    return str(item).rpartition("/")[2]


def _rest(item: Assignment, other: Assignment, name: str) -> dict[str, str]:
    """The fields with content other than the one that is compared; of two answers the second may become the only one.
    """
    skipped = {name, "score", "rank", "text", "source", "scores", "labels"}
    if name == "answer" and item.roles.get("answers") == other.roles.get("answer") and not (
            _PREDICTED & {*words(item.roles[name])}):
        skipped |= {"answers"}
    return {role: path for role, path in item.roles.items() if role not in skipped}


def _is_alike(item: Field, chosen: Field, name: str) -> bool:
    """Whether a field may mean the same as the chosen one, by its values and its name."""
    parts = set(words(item.path))
    if item.values == chosen.values or 2 * item.distinct_count < chosen.distinct_count or (
            _DIGITS.sub("0", item.path) == _DIGITS.sub("0", chosen.path)) or len(
            LANGUAGES & {*words(item.path)[-1:], *words(chosen.path)[-1:]}) == 2:
        return False  # of a few kinds, or another cutoff or language
    if name == "retrieved":
        return item.is_list and item.share > 0.5 and parts.isdisjoint(_NO_RANKING)
    if name == "relevant":
        return item.share > 0.5 and parts.isdisjoint(ANSWER | METRICS | {"positive", "negative"}) and (
            item.is_number <= chosen.is_number)  # the number of a chunk names no document
    if name == "answers" and item.name_words != ("answer",) and GOLD.isdisjoint(item.words):
        return False
    return item.share > 0.5 and not item.is_list and not chosen.is_list and (
        set(item.name_words).isdisjoint(_NO_ANSWER))


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
