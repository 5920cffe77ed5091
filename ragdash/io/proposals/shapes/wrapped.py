"""Records that are not objects of fields: lists of values, and objects in an envelope with a type."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ragdash.io.proposals.content.grades import WHOLE_GRADES
from ragdash.io.proposals.names import ANSWER, DOCUMENT, GRADES, ID, QUESTION, RETURNED, ROLE_WORDS, TEXT, words
from ragdash.io.tables.cell_lists import is_list_column, parse_columns, separates_values

_ENVELOPES = ("payload", "data", "body", "record", "properties", "row")
_LOOKED_AT = 200  # records
_LONGEST_LIST = 1000  # characters of ids with a mark between
_FEWEST_PAIRS = 6
_BETWEEN_IDS = ("::", "\t", "||", "|", "->", "/", "#", ":", "--", "__")  # the likeliest first
_NUMBER = re.compile(r"\d+")
_TYPES = ("type", "event", "kind", "section")


def rows_of_lists(items: Sequence) -> list[dict]:
    """Records of [["q1", "d7", 0.9], ...], with the names in a first row of names, or by what the values are."""
    if len(items) < 2 or not all(type(item) is list and 1 < len(item) <= 40 for item in items):
        return []
    size = len(items[0])
    if any(len(item) != size for item in items):
        return []
    first = items[0]
    if all(type(name) is str and name for name in first) and len(set(first)) == size and 2 * sum(
            not ROLE_WORDS.isdisjoint(words(name)) for name in first) > size:
        return [dict(zip(first, item, strict=True)) for item in items[1:]]
    names = _names_of_values(items)
    return [dict(zip(names, item, strict=True)) for item in items] if names else []


def _names_of_values(items: Sequence[list]) -> list[str]:
    """query, document and score for two texts and a number; question and documents for a text and a list."""
    kinds = [{_kind(item[place]) for item in items} for place in range(len(items[0]))]
    if kinds == [{"text"}, {"text"}, {"number"}]:
        is_grade = all(float(item[2]).is_integer() for item in items)
        return ["query_id", "doc_id", "grade" if is_grade else "score"]
    if kinds == [{"text"}, {"list"}]:
        return ["query", "documents"]
    return []


def rows_of_json_keys(value: dict) -> list[dict]:
    """Records of {'{"input": "Who?", "actual_output": "She."}': {...}}: what was cached under a whole test case."""
    if not value or not all(str(key).startswith('{"') and type(member) is dict for key, member in value.items()):
        return []
    try:
        cases = [json.loads(key) for key in value]
    except (ValueError, RecursionError):
        return []
    return [{**case, **{name.removeprefix("cached_").removesuffix("_data"): _unwrapped(item)
                        for name, item in member.items()}}
            for case, member in zip(cases, value.values(), strict=True)]


def rows_of_pairs(value: dict) -> list[dict]:
    """Judgments of {"q1::d7": 2, "q1::d2": {"grade": 0, "query": "Who?"}}: the query and the document are in the key.

    Where the records have questions, each query has one; else the ids of queries have one form with a number: q1, q2.
    """
    members, texts = list(value.values()), [str(key) for key in value]
    grades = [next((item for name, item in member.items() if not GRADES.isdisjoint(words(name))), None)
              if type(member) is dict else member for member in members]
    if len(texts) < _FEWEST_PAIRS or not all(type(grade) in (int, float, bool) for grade in grades) or not (
            {*map(float, grades)} <= {*WHOLE_GRADES} and (len(set(grades)) > 1 or type(members[0]) is dict)):
        return []
    for mark in _BETWEEN_IDS:
        pairs = [text.partition(mark) for text in texts]
        if not all(first and mark and second for first, mark, second in pairs):
            continue
        queries = {first for first, _, _ in pairs}
        asked = {(first, str(member["query"])) for (first, _, _), member in zip(pairs, members, strict=True)
                 if type(member) is dict and type(member.get("query")) is str}
        forms = {_NUMBER.sub("0", query) for query in queries}
        is_named = len(forms) == 1 and "0" in (form := forms.pop()) and (form != "0" or mark in _BETWEEN_IDS[:5])
        if 1 < len(queries) <= len(texts) // 2 and (len(asked) == len(queries) if asked else is_named):
            return [{"query_id": first, "doc_id": second, **(member if type(member) is dict else {"grade": member})}
                    for (first, _, second), member in zip(pairs, members, strict=True)]
    return []


def are_lists_by_key(value) -> bool:
    """True for {"q1": [{"doc_id": "d7"}], "q2": [...]}: the documents of each query."""
    return type(value) is dict and len(value) > 2 and all(
        type(items) is list and items and all(type(item) is dict for item in items) for items in value.values()) and (
        10 * sum(any(map(str.isdigit, str(name))) for name in value) >= 9 * len(value))


def _unwrapped(items):
    """[{"metric_data": {"name": ..., "score": ...}, "configuration": ...}] as the objects with a name and a score."""
    if type(items) is not list or not items or not all(type(item) is dict for item in items):
        return items
    inner = [next((part for part in item.values() if type(part) is dict and {"name", "score"} <= part.keys()), None)
             for item in items]
    return items if None in inner else inner


def _kind(value) -> str:
    if type(value) is list:
        return "list"
    if type(value) is str:
        return "text"
    try:
        return "number" if type(value) is not bool and float(value) == float(value) else ""
    except (TypeError, ValueError):
        return ""


def without_envelopes(rows: Sequence[dict]) -> list[dict]:
    """The contents of {"type": "result", "payload": {...}}, each with its type."""
    name = next((name for name in _ENVELOPES if all(type(row.get(name)) is dict for row in rows)), None)
    kind = next((kind for kind in _TYPES if all(type(row.get(kind)) is str for row in rows)), None)
    if name is None or kind is None or len({row[kind] for row in rows}) < 2:
        return list(rows)
    return [{kind: row[kind], **row[name]} for row in rows]


def with_parsed_texts(rows: Sequence[dict]) -> list[dict]:
    """The records; texts that are JSON lists, in all records that have them, or ids with a mark between are lists."""
    texts = {name: [row[name] for row in rows if type(row.get(name)) is str] for name in (rows[0] if rows else ())}
    names = [name for name, cells in texts.items() if type(rows[0][name]) is str and (
        is_list_column(cells) if _is_list_text(rows[0][name]) else _joins_ids(name, cells))]
    if not names:
        return list(rows)
    columns = parse_columns(names, [[row.get(name) if type(row.get(name)) is str else "" for row in rows]
                                    for name in names])
    return [{**row, **{name: value for name, value in zip(names, values, strict=True) if type(row.get(name)) is str}}
            for row, values in zip(rows, zip(*columns, strict=True), strict=True)]


def _joins_ids(name: str, cells: Sequence[str]) -> bool:
    """True for a field of documents whose texts are ids with a bar or a semicolon between, as a table writes them."""
    names = set(words(name))
    return not names.isdisjoint(DOCUMENT | ID | RETURNED) and names.isdisjoint(QUESTION | ANSWER | TEXT) and any(
        mark in cell for cell in cells for mark in "|;") and all(len(cell) < _LONGEST_LIST for cell in cells) and (
        separates_values(name, cells))


def _is_list_text(value) -> bool:
    return type(value) is str and value.lstrip()[:1] == "[" and value.rstrip()[-1:] == "]"


def with_named_pairs(rows: Sequence[dict]) -> list[dict]:
    """The records; [["d7", "A long text ..."], ...], [["A long text ...", 0.83], ...] and [["d7", 0.83], ...] as lists
    of objects.
    """
    sample = rows[:_LOOKED_AT]
    names = {name: members for name, value in (rows[0].items() if rows else ()) if type(value) is list
             and (members := _members_of_pairs(name, [pair for row in sample for pair in _list(row.get(name))]))}
    if not names or not all(_is_pair(pair) for name in names for row in rows for pair in _list(row.get(name))):
        return list(rows)
    return [{**row, **{name: [dict(zip(members, pair, strict=True)) for pair in row[name]]
                       for name, members in names.items() if type(row.get(name)) is list}} for row in rows]


def _members_of_pairs(name: str, pairs: Sequence) -> tuple[str, str] | None:
    """What the two values of each pair are: id and text, text and score, id and score in a list of what was returned;
    None where they are anything else.
    """
    if len(pairs) < 2 or not all(map(_is_pair, pairs)) or not all(type(pair[0]) is str for pair in pairs):
        return None
    second = [pair[1] for pair in pairs]
    lengths = [sum(len(pair[place]) for pair in pairs if type(pair[place]) is str) / len(pairs) for place in (0, 1)]
    if all(type(value) is str for value in second):
        is_id = all(" " not in pair[0] for pair in pairs) and lengths[0] < 60 < lengths[1]
        return ("doc_id", "text") if is_id else None
    is_score = all(_kind(value) == "number" for value in second) and any(not float(value).is_integer()
                                                                         for value in second)
    if is_score and lengths[0] > 60:
        return "text", "score"
    is_id = not any(" " in pair[0] for pair in pairs) and not (DOCUMENT | RETURNED).isdisjoint(words(name))
    return ("doc_id", "score") if is_score and is_id else None


def _is_pair(value) -> bool:
    return type(value) is list and len(value) == 2


def _list(value) -> list:
    return value if type(value) is list else []


def with_order(rows: Sequence[dict]) -> list[dict]:
    """The records; `documents` in the order of results that name their places, as a reranker returns them."""
    return [{**row, "documents": [row["documents"][item["index"]] for item in row["results"]]}
            if _has_places(row) else row for row in rows]


def _has_places(row: dict) -> bool:
    documents, results = row.get("documents"), row.get("results")
    return type(documents) is list and type(results) is list and bool(results) and all(
        type(item) is dict and type(item.get("index")) is int and 0 <= item["index"] < len(documents)
        for item in results)
