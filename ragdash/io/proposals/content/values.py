"""The ids and texts in the values of a record, and the names that paths give."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import orjson

from ragdash.core.text.metric_names import at_cutoff
from ragdash.io.json.exact_parser import NumberText, to_python
from ragdash.io.proposals.fields import as_number, id_text, is_missing, leaves
from ragdash.io.proposals.names import words

_NUMBERS = re.compile(r"\d+(-\d+)?")
_NONE = {"notfound", "na", "none", "null", "nodocument", "nodoc", "nosource", "outofscope", "unanswerable",
         "notapplicable", "notavailable", "unknown", "multiple", "various", "several", "multipledocuments",
         "multipledocs", "multiplefiles", "multiplesources"}


_RECORDS = {"row", "record", "item", "case", "entry", "sample", "data", "detail", "info"}  # around values of a query


def split_paths(text: str, names: Mapping[str, object]) -> list[str]:
    """The paths of a text joined with +; a name that has a + itself is one path."""
    parts, paths = text.split("+"), []
    while parts:
        size = next((size for size in range(len(parts), 0, -1) if "+".join(parts[:size]) in names), 1)
        paths.append("+".join(parts[:size]))
        parts = parts[size:]
    return paths


def metric_name(path: str) -> str:
    """The name of a metric from its path: "scores.fact.value" -> "fact", "{run}.mrr" -> "mrr", "row.score" -> "score",
    "recall.5" -> "recall@5".
    """
    name = re.sub(r"[._\s-]*\{run\}[._\s-]*", ".", path).strip(".")
    parts = name.split(".")
    generic = {"metric", "score", "value", "result", "evaluation", "eval"}
    while len(parts) > 1 and set(words(parts[0])) <= generic | _RECORDS:
        parts = parts[1:]
    while len(parts) > 1 and parts[-1].lower() in ("value", "score", "scores", "individual_scores"):
        parts = parts[:-1]
    if len(parts) > 1 and (name := at_cutoff(parts[-2], parts[-1])) != parts[-1]:
        parts = [*parts[:-2], name]
    return ".".join(parts)


def says_none(value: object) -> bool:
    """True for NOT_FOUND and NA in the place of a document, where nothing is right, and for "multiple", which names
    none.
    """
    return isinstance(value, str) and re.sub(r"[\W_]+", "", value).lower() in _NONE


def joined_key(values: Sequence):
    """The id of a query; of several parts, such as its data set and its number there, all of them. Numbers of a topic
    and of a turn in it are joined as in TREC CAsT and iKAT: 81_1, 9-1_2.
    """
    parts = [id_text(value) for value in values if not is_missing(value)]
    return values[0] if len(values) == 1 else ("_" if all(map(_NUMBERS.fullmatch, parts)) else "/").join(parts)


def joined_ids(values: Sequence) -> list[str]:
    """The ids of a ranking; parts of an id are joined with #: of one document and several pages the document with each.
    """
    lists = [value if type(value) is list else ([] if is_missing(value) else [value]) for value in values]
    if len(lists) == 1:
        return [id_text(item) for item in leaves(lists[0])]
    longest = max(map(len, lists), default=0)
    lists = [items * longest if len(items) == 1 else items for items in lists]
    return ["#".join(id_text(part) for part in parts) for parts in zip(*lists, strict=False)]


def numbers_of(value, sign: int = 1) -> list[float | None]:
    """The numbers of a value; those of the batch of one query are in a list of their own."""
    value = value[0] if type(value) is list and len(value) == 1 else value
    values = value if type(value) is list else [value] * (value is not None)
    return [None if number is None else sign * number for number in map(as_number, values)]


def text_of(value) -> str | None:
    items = list(leaves(value))
    return None if not items or type(items[0]) is dict else str(items[0]).strip()


def answer_of(values: Sequence, in_json: bool = False) -> str | None:
    """What a system wrote; in JSON, which has null for what is missing, "None" and "N/A" are answers too."""
    items = [item for value in values for item in leaves(value)]
    if not items and in_json:
        items = [value for value in values if type(value) is str and value.strip() in ("None", "N/A")]
    if items and type(items[0]) is dict:
        return orjson.dumps(to_python(items[0])).decode()
    return None if not items else str(items[0])


def texts_of(value, keep_missing: bool = False) -> list:
    """The texts of a value; of objects their text."""
    if keep_missing and type(value) is list and all(type(item) in (str, type(None), NumberText) for item in value):
        return list(value)
    texts = []
    for item in leaves(value):
        if type(item) is dict:
            item = next((item[key] for key in item if key.lower() in (
                "text", "content", "page_content", "quote", "passage", "evidence", "context", "span")), None)
        if not is_missing(item):
            texts.append(str(item))
    return texts


def for_each(docs: list[str], values: list) -> list:
    """A value for each document; None for each where there are more or fewer values."""
    return values if len(values) == len(docs) else [None] * len(docs)


def add_attributes(details: dict, row: Mapping[str, object], paths: Sequence[str], only_shared: bool = False) -> None:
    """Add what a record says of its query as JSON; of several records the first counts, or what all of them share."""
    values = {path: to_python(row[path]) for path in paths if not is_missing(row.get(path))}
    if "attributes" not in details:
        if values:
            details["attributes"] = _as_json(values)
    elif only_shared and (text := _as_json(values)) != details["attributes"]:
        known, others = (orjson.loads(item or "{}") for item in (details["attributes"], text))
        shared = {name: value for name, value in known.items() if name in others and others[name] == value}
        details["attributes"] = _as_json(shared) if shared else None


def _as_json(values: Mapping[str, object]) -> str:
    return orjson.dumps(values, default=json_value, option=orjson.OPT_SORT_KEYS).decode()


def json_value(value: object) -> object:
    """What JSON has no type for, such as a duration in a cell of a table."""
    from ragdash.io.formats import excel_parquet

    return to_python(excel_parquet.plain_value(value))
