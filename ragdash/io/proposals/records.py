"""Find the lists of records in a file: a table's rows, JSON lists of objects, objects by key, parallel lists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragdash.core.errors import Collector, InputError
from ragdash.io.detect import detect_source
from ragdash.io.json.exact_parser import NumberText, object_of_unique_keys
from ragdash.io.proposals.content.marked_options import with_right_options
from ragdash.io.proposals.content.numbered_rows import numbered_rows
from ragdash.io.proposals.content.paired_ids import with_paired_ids
from ragdash.io.proposals.names import ANSWER, DOCUMENT, GOLD, ID, QUESTION, RETURNED, words
from ragdash.io.proposals.shapes import values_of_others
from ragdash.io.proposals.shapes.asked_once import asked_each, asked_once, lists_of_same_queries
from ragdash.io.proposals.shapes.columns_of_systems import names_of_lists, rows_by_system
from ragdash.io.proposals.shapes.lists_of_metrics import with_metrics_by_name
from ragdash.io.proposals.shapes.record_kinds import queries_only, with_one_question, with_speakers
from ragdash.io.proposals.shapes.sheets import rows_without_percent_signs, with_metric_columns, with_whole_names
from ragdash.io.proposals.shapes.text_tables import table_of_rows, text_table
from ragdash.io.proposals.shapes.traces.agent_steps import with_retrieval
from ragdash.io.proposals.shapes.traces.logs import is_log
from ragdash.io.proposals.shapes.traces.span_rows import rows_by_trace
from ragdash.io.proposals.shapes.values_by_query import (
    columns_by_query,
    documents_by_query,
    doubtful_numbers,
    listed_questions,
    lists_by_word,
    pairs_by_query,
    queries_by_document,
    queries_by_id,
    questions_by_group,
    rankings_by_system,
    texts_by_query,
    turns_by_topic,
)
from ragdash.io.proposals.shapes.wrapped import (
    are_lists_by_key,
    rows_of_json_keys,
    rows_of_lists,
    rows_of_pairs,
    with_named_pairs,
    with_order,
    with_parsed_texts,
    without_envelopes,
)
from ragdash.io.source.limits import MAX_COLUMNS
from ragdash.io.source.source import Source

MAX_PROPOSED_BYTES = 64 << 20  # larger files are read in a known format only
MAX_DEPTH = 5  # of lists of records
KEY = "*"  # in a path: any key; it names the configuration, or the query
_PARTS = {"miss", "misse", "missed", "failure", "failed", "fail", "error", "wrong", "skipped", "example"}  # of a list
_OF_DOCUMENTS = {"candidate", "article", "passage", "chunk", "hit", "snippet", "citation", "source", "doc", "document"}
_MANY = 12  # records


def _parse_int(text: str) -> int | NumberText:
    """A whole number; one of more than 64 bits keeps its digits as text."""
    return int(text) if len(text) < 19 else NumberText(text)


_decoder = json.JSONDecoder(object_pairs_hook=object_of_unique_keys, parse_float=NumberText, parse_int=_parse_int,
                            parse_constant=float)


@dataclass(frozen=True)
class RecordList:
    """A list of records in a file.

    path: where it is, "" for the whole file; keys: for each record the key it was under, by its column name ("" if
    there was none); notes: {what was left out: how often}.
    """

    path: str
    rows: list[dict]
    skipped: int = 0


def read_record_lists(source: Source) -> list[RecordList]:
    """All lists of records in a file, the likeliest first; none for text that is no table and no JSON."""
    if source.container == "zip":
        detect_source(source)  # distinguishes a workbook from other archives
    if source.container == "parquet" or source.container == "xlsx":
        return _with_systems(list(_tables(source)), source)
    if source.container or source.stored_size > MAX_PROPOSED_BYTES:
        return []
    text = source.text.replace("\0", "").lstrip("\ufeff")
    start = text.lstrip()[:1]
    if start in ("{", "[", "#", "/"):
        values = _json_values(text)
        if values is not None:
            return _with_systems([replace(item, rows=asked_each(with_one_question(with_speakers(with_order(
                with_retrieval(with_paired_ids(with_right_options(with_parsed_texts(item.rows)))))))))
                                  for item in _in_json(values)], source)
    table = text_table(text, source.mapping.values())
    return _with_systems([RecordList("", table)] if table else [], source)


def _with_systems(lists: list[RecordList], source: Source) -> list[RecordList]:
    """The lists, and those with a record for each system where systems are columns, or with a number for each record.
    """
    lists = [replace(item, rows=numbered_rows(item.rows) or with_whole_names(rows_without_percent_signs(
            with_named_pairs(with_metrics_by_name(with_metric_columns(item.rows)))), source.mapping.values()))
             for item in map(_by_trace, lists)]
    return [*lists, *(RecordList(f"{item.path}.{KEY}" if item.path else KEY, rows)
                      for item in lists if (rows := rows_by_system(item.rows)))]


def _by_trace(item: RecordList) -> RecordList:
    """The records, one for each trace where they are its steps."""
    traces = rows_by_trace(item.rows)
    return replace(item, rows=traces, skipped=len(item.rows) - len(traces)) if traces else item


def _json_values(text: str) -> list | None:
    """The JSON values of a text one behind the other; comment lines are passed over. None for other text."""
    values, position, size = [], 0, len(text)
    while position < size:
        while position < size and text[position] in " \t\r\n,\x1e":
            position += 1
        if position >= size:
            break
        if text[position] == "#" or text.startswith("//", position):
            end = text.find("\n", position)
            position = size if end < 0 else end + 1
            continue
        try:
            value, position = _decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return None
        if type(value) not in (dict, list):
            return None
        values.append(value)
    return values if values and _is_encodable(text, values) else None


def _is_encodable(text: str, values: list) -> bool:
    """False for texts with half of a surrogate pair, \\ud800 to \\udfff."""
    if "\\u" not in text:
        return True
    try:
        json.dumps(values, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _in_json(values: list) -> list[RecordList]:
    """The lists of records in JSON values."""
    if len(values) > 1:
        rows = without_envelopes([value for value in values if type(value) is dict])
        typical = _typical_keys(rows)
        records = queries_only([row for row in rows if typical & row.keys()])
        if len(records) < 2 or 2 * len(records) < len(values):
            return []
        return [RecordList("", records, len(values) - len(records)), *_nested_lists(records)]
    root = values[0]
    if type(root) is list:
        if lists := rows_of_lists(root) or listed_questions(root):
            return [RecordList("", lists)]
        rows = [row for row in root if type(row) is dict]
        return [RecordList("", rows), *_nested_lists(rows)] if rows and 2 * len(rows) >= len(root) else []
    return list(_in_object(root))


def _nested_lists(rows: list[dict]) -> Iterator[RecordList]:
    """Lists of records inside of few records, as a report for each configuration: [{"name", "results": [...]}]."""
    keys = list(rows[0]) if len(rows) <= 50 else [key for key in rows[0] if _ask(rows[0][key]) and (
        not {"question", "query", "qa"}.isdisjoint(words(str(key))))]  # of many records: questions below test cases
    if any(name in rows[0] for name in ("question", "query", "input", "user_input")):
        return
    outer = names_of_lists(rows)
    for key in keys:
        if not _OF_DOCUMENTS.isdisjoint(words(str(key))):
            continue
        lists = [row.get(key) for row in rows]
        filled = [items for items in lists if items != []]
        if (filled and all(_is_records(items, 2) for items in filled)) or all(map(_ask, lists)):
            joined = [{**extra, **item} for extra, items in zip(outer, lists, strict=True) for item in items
                      if type(item) is dict]
            yield RecordList(f"{KEY}.{key}", joined)
        elif len(rows) > 1 and all(_is_records_by_key(members) for members in lists):
            yield RecordList(f"{KEY}.{key}.{KEY}", [
                {**extra, KEY + KEY: name, **item} for extra, members in zip(outer, lists, strict=True)
                for name, item in members.items()])
        elif len(rows) > 1 and all(are_lists_by_key(members) for members in lists):
            yield RecordList(f"{KEY}.{key}.{KEY}", [
                {**extra, KEY + KEY: name, key: items} for extra, members in zip(outer, lists, strict=True)
                for name, items in members.items()])


def _typical_keys(rows: list[dict]) -> set[str]:
    """The keys that most objects have."""
    counts: dict[str, int] = {}
    for row in rows:
        for key in row:
            counts[key] = counts.get(key, 0) + 1
    return {key for key, count in counts.items() if 2 * count > len(rows)}


def _in_object(root: dict) -> Iterator[RecordList]:
    """The lists of records in one object."""
    if asked := turns_by_topic(root) or questions_by_group(root):
        yield RecordList("", asked)
        return
    level: list[tuple[str, object]] = [("", root)]
    for _ in range(MAX_DEPTH):
        for path, value in level:
            yield from _at_node(path, value, root)
        level = [(f"{path}.{key}" if path else key, member) for path, value in level if type(value) is dict
                 for key, member in list(value.items())[:200] if type(member) in (dict, list)]
        if not level:
            return


def _at_node(path: str, value, root: dict) -> Iterator[RecordList]:
    if asked := questions_by_group(value) if type(value) is dict else (
            listed_questions(value) if type(value) is list and not _is_one_of_many(path.rpartition(".")[0], root)
            else []):
        yield RecordList(path, asked)
        return
    if _is_records(value):
        rows = [row for row in value if type(row) is dict]
        if "." not in path and (joined := values_of_others.joined_with_questions(root, path)):
            yield RecordList(path, joined)
        yield RecordList(path, rows)
        yield from (RecordList(f"{path}.{inner.path}", inner.rows) for inner in _nested_lists(rows))
    if type(value) is not dict or not value:
        return
    if rows := rows_of_json_keys(value) or rows_of_pairs(value):
        yield RecordList(path, rows)
        return
    prefix = f"{path}." if path else ""
    if (rows := _parallel_lists(value)) and not _is_one_of_many(path, root):
        yield RecordList(path, values_of_others.with_values_of_others(rows, root, path))
    members = list(value.values())
    if _are_alike(members) and all(columns := [_parallel_lists(member) for member in members]):
        yield RecordList(f"{prefix}{KEY}", [{KEY: key, **row} for key, rows in zip(value, columns, strict=True)
                                             for row in rows])
    if all(_is_records(member) for member in members) and len(members) > 1 and _share_keys([m[0] for m in members]):
        yield RecordList(f"{prefix}{KEY}", [{KEY: key, **row} for key, rows in value.items() for row in rows
                                             if type(row) is dict])
    if all(type(member) is dict and member for member in members):
        if _share_keys(members):
            outer = asked_once(root, path, members)
            yield RecordList(f"{prefix}{KEY}", [{KEY: key, **outer, **row} for key, row in value.items()])
        if all(type(member) is dict for inner in members for member in inner.values()):
            rows = [{KEY: key, f"{KEY}{KEY}": name, **row} for key, m in value.items() for name, row in m.items()]
            if _share_keys(rows):
                yield RecordList(f"{prefix}{KEY}.{KEY}", values_of_others.with_questions_of(root, rows, KEY + KEY))
    for rows in (*queries_by_document(value), columns_by_query(value), texts_by_query(value, is_file=not path),
                 queries_by_id(value), pairs_by_query(value),
                 values_of_others.with_texts_of(root, documents_by_query(value), KEY) if path else (
                     lists_by_word(value) or doubtful_numbers(value))):
        if rows:
            yield RecordList(path, rows)
    yield from _lists_by_key(prefix, value)
    if rows := rankings_by_system(value):
        yield RecordList(f"{prefix}{KEY}", rows)
    if len(members) > 1 and all(type(member) is dict and member and all(map(_is_records, member.values()))
                                for member in members):
        yield RecordList(f"{prefix}{KEY}.{KEY}", [
            {KEY: key, KEY + KEY: name, **row} for key, member in value.items()
            for name, items in member.items() for row in items if type(row) is dict])
    lists = {key: member for key, member in value.items() if _is_records(member) and _PARTS.isdisjoint(words(key))}
    if len(lists) > 1 and len(lists) < len(members) and _share_keys([rows[0] for rows in lists.values()]):
        yield RecordList(f"{prefix}{KEY}", [{KEY: key, **row} for key, rows in lists.items() for row in rows
                                             if type(row) is dict])
    if path == "" and 1 < len(value) <= MAX_COLUMNS:
        yield RecordList("", [value])  # one record


def _are_alike(members: list) -> bool:
    """True for several objects with the same members, all lists."""
    return len(members) > 1 and all(type(member) is dict and member and member.keys() == members[0].keys() and all(
        type(items) is list for items in member.values()) for member in members)


def _is_one_of_many(path: str, root: dict) -> bool:
    """True for an object next to others of the same lists: a part of what the file holds."""
    node: object = root
    for step in path.split(".")[:-1]:
        node = node.get(step) if type(node) is dict else None
    return type(node) is dict and bool(path) and _are_alike(list(node.values()))


def _lists_by_key(prefix: str, value: dict) -> Iterator[RecordList]:
    """Lists of the same name in objects by key: {"bm25": {"metrics": {...}, "results": [...]}, "dense": {...}}."""
    members = {key: member for key, member in value.items() if type(member) is dict}
    yield from (RecordList(f"{prefix}{KEY}.{name}", rows) for name, rows in lists_of_same_queries(members))
    if len(members) < 2 or 2 * len(members) < len(value):
        return
    for name in dict.fromkeys(name for member in list(members.values())[:2] for name in member):
        lists = {key: member[name] for key, member in members.items() if name in member}
        if len(lists) < max(2, len(members) - 1):
            continue
        if all(_is_records(rows) for rows in lists.values()):
            joined = [{KEY: key, **row} for key, rows in lists.items() for row in rows if type(row) is dict]
            yield RecordList(f"{prefix}{KEY}.{name}", joined)
        elif all(type(rows) is dict and rows and all(type(row) is dict for row in rows.values())
                 for rows in lists.values()):
            yield RecordList(f"{prefix}{KEY}.{name}.{KEY}", [
                {KEY: key, f"{KEY}{KEY}": query, **row} for key, rows in lists.items() for query, row in rows.items()])
        elif ranked := rankings_by_system(lists):
            yield RecordList(f"{prefix}{KEY}.{name}", ranked)


def _ask(value) -> bool:
    """True for a list of records with a question each and more, such as the turns of a session."""
    return _is_records(value) and type(value[0]) is dict and len(value[0]) > 1 and any(
        not QUESTION.isdisjoint(words(name)) and ID.isdisjoint(words(name)) and type(text) is str
        for name, text in value[0].items()) and any(
        not (ANSWER | RETURNED | DOCUMENT | GOLD).isdisjoint(words(name)) or name == "a" for name in value[0])


def _is_records_by_key(value) -> bool:
    """True for {"q1": {"mrr": 1}, "q2": {"mrr": 0}}: records with the same fields under names with a number."""
    if type(value) is not dict or len(value) < 3 or not all(type(item) is dict and item for item in value.values()):
        return False
    named = sum(any(char.isdigit() for char in str(name)) for name in value)
    return 10 * named >= 9 * len(value) and _share_keys(list(value.values()))


def _is_records(value, least: int = 1) -> bool:
    return type(value) is list and len(value) >= least and sum(type(row) is dict for row in value) * 2 >= len(
        value) and any(type(row) is dict and row for row in value)


def _share_keys(members: list[dict]) -> bool:
    """True if objects have mostly the same keys; one object counts if its keys look like names of fields."""
    if not all(type(member) is dict for member in members):
        return False
    typical = _typical_keys(members) - {KEY, KEY + KEY}
    if len(members) >= _MANY:  # of many records a part may have failed
        typical = max((set(member) for member in members), key=len) - {KEY, KEY + KEY}
        alike = sum(2 * len(typical & set(member)) > len(typical) for member in members)
        if 4 * alike < len(members) or any(not set(member) & typical for member in members):
            typical = _typical_keys(members) - {KEY, KEY + KEY}
    total = set().union(*members) - {KEY, KEY + KEY}
    return bool(typical) and 3 * len(typical) >= len(total)


def _parallel_lists(value: dict) -> list[dict]:
    """Rows of an object of lists of equal length, or of objects with the same keys 0, 1, 2 (as pandas writes them)."""
    names, data = value.get("columns"), value.get("data") or value.get("rows")
    if type(names) is type(data) is list and all(type(row) is list and len(row) == len(names) for row in data):
        return [dict(zip(map(str, names), row, strict=True)) for row in data]  # pandas' split form
    columns = {key: member for key, member in value.items() if type(member) is list}
    sizes = {len(member) for member in columns.values()}
    if len(columns) > 1 and len(sizes) == 1 and 2 * len(columns) >= len(value) and max(sizes) > 0:
        if sum(type(member[0]) is dict for member in columns.values()) > 1:
            return []  # two lists of records, such as documents and questions
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    members = [member for member in value.values() if type(member) is dict and member]
    if len(members) == len(value) > 1 and all(member.keys() == members[0].keys() for member in members) and all(
            key.isdecimal() for key in members[0]):
        return [{name: member[key] for name, member in value.items()} for key in members[0]]
    return []


def _tables(source: Source) -> Iterator[RecordList]:
    """The tables of a Parquet file or a workbook."""
    from ragdash.io.formats import excel_parquet

    if source.container == "parquet":
        header, rows = excel_parquet.read_table(source, Collector(source.file))
        yield RecordList("", [dict(zip(header.names, row, strict=True)) for _, row in rows])
        return
    from ragdash.io.tables.excel_sheets import read_all_sheets

    sheets = {name: table for name, rows in read_all_sheets(source)
              if (table := table_of_rows([[_cell_text(cell) for cell in row] for row in rows]))}
    alike = [name for name, table in sheets.items() if table[0].keys() == next(iter(sheets.values()))[0].keys()]
    if 1 < len(alike) == len(sheets):  # a sheet for each configuration
        yield RecordList(KEY, [{KEY: name, **row} for name, table in sheets.items() for row in table])
        return
    yield from (RecordList(name, table) for name, table in sheets.items())


def _cell_text(cell) -> str:
    return str(int(cell)) if type(cell) is float and cell.is_integer() and abs(cell) < 1e15 else str(cell)


def _is_answered(row: dict) -> bool:
    """True for a question with an answer, also below a name for logs: traces of {question, predicted_answer}."""
    names = [set(words(str(name))) for name, value in row.items() if type(value) is str]
    return any(name <= {"user", "question", "query"} for name in names) and any("answer" in name for name in names)


def fail_quietly(source: Source) -> list[RecordList]:
    """The lists of records; none for a file that cannot be read at all."""
    try:
        return [records for records in read_record_lists(source) if records.rows and (
            not is_log(records.path) or _is_answered(records.rows[0]))]
    except (InputError, RecursionError):
        return []
