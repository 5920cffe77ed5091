"""What the values of a field say against the meaning that a known format gives it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from ragdash.io.detected_format import DetectedFormat
from ragdash.io.proposals.content.paired_ids import PairedId
from ragdash.io.proposals.content.spread import are_ids_of_documents, has_codes
from ragdash.io.proposals.fields import SENTENCE_ENDS, Field, is_missing, leaves
from ragdash.io.proposals.reading import Reading
from ragdash.io.proposals.records import fail_quietly
from ragdash.io.source.source import Source

TABLES = ("csv", "tsv", "xlsx", "parquet")
_FEWEST, _PATHS = 3, 0.8  # rows, share of the texts
_TITLE, _WORD = 80, 40  # characters
_LIST_CELL = re.compile(rb'[,;\t]\s*"?\[')  # the beginning of a list in a cell


def are_sentences(source: Source, name: str) -> bool:
    """True for texts that are longer than titles, or mostly end as sentences do; also as members of objects."""
    rows = next((records.rows for records in fail_quietly(source) if name in records.rows[0]), [])
    items = [item for row in rows[:200] for item in leaves(row.get(name))]
    texts = [text.strip() for item in items for text in (item.values() if type(item) is dict else [item])
             if type(text) is str]
    return sum(map(len, texts)) > _TITLE * len(texts) or 2 * sum(
        text.endswith(SENTENCE_ENDS) for text in texts) > len(texts)


def names_rows(source: Source, guess: Mapping[str, str]) -> bool:
    """True where every query has a configuration of its own: its column names the call or the trace of each row."""
    rows = next((records.rows for records in fail_quietly(source)), [])
    keys = [name for name in (guess.get("query_id"), guess.get("query")) if name]
    configs = {repr(row.get(guess["config"])) for row in rows}
    queries = {repr(row.get(keys[0])) for row in rows} if keys else set()
    return len(rows) >= _FEWEST and len(configs) == len(queries) == len(rows)


def is_empty(source: Source, name: str) -> bool:
    """True where no record has a value in this field."""
    return all(is_missing(row.get(name)) for records in fail_quietly(source)[:1] for row in records.rows)


def has_lists(source: Source, detected: DetectedFormat, name: str) -> bool:
    """True for a table in which most cells of a column are lists."""
    if detected.format not in TABLES or (source.container is None and not _LIST_CELL.search(source.head)):
        return False
    values = [row.get(name) for records in fail_quietly(source)[:1] for row in records.rows[:200]]
    return 2 * sum(type(value) is list for value in values) > len(values)


def are_counts(source: Source, names: Collection[str]) -> bool:
    """True for one whole number in each record under all of these names, some of which come again: how many there are.
    """
    columns = [[str(row.get(name)) for records in fail_quietly(source)[:1] for row in records.rows] for name in names]
    return all(len(values) >= _FEWEST and len(set(values)) < len(values) and all(
        value.isdecimal() for value in values) for values in columns)


def are_kinds(source: Source, name: str) -> bool:
    """True for single short words of which each comes again in another record: what a record is about, no text."""
    values = [str(row.get(name)) for records in fail_quietly(source)[:1] for row in records.rows]
    return all(" " not in value.strip() and len(value) < _WORD for value in values) and (
        2 * len(set(values)) <= len(values) >= 2 * _FEWEST)


def are_numbers(source: Source, name: str) -> bool:
    """True where the values of this field are numbers, not texts."""
    values = [row.get(name) for records in fail_quietly(source)[:1] for row in records.rows]
    return any(type(value) is int for value in values) and not any(type(value) in (str, list, dict) for value in values)


def names_documents(source: Source, name: str) -> bool:
    """True for one text in each record of the form doc_12, the id of a document, for paths, and for lists of codes."""
    rows = next((records.rows for records in fail_quietly(source) if name in records.rows[0]), [])
    values = [row.get(name) for row in rows]
    item = Field(name, tuple(values))
    are_paths = item.path_share > _PATHS and 2 * item.distinct_count >= len(item.present)
    return are_ids_of_documents(item) or are_paths or (item.is_list and has_codes(item))


def are_its_parts(source: Source, text: str, texts: str) -> bool:
    """True where a list of texts next to one context holds the texts one by one: documents next to a context."""
    if not text or texts in ("", text) or "[]" in texts:
        return False
    rows = [row for records in fail_quietly(source)[:1] for row in records.rows[:50]]
    lists = [row.get(texts) for row in rows]
    return any(type(value) is list and len(value) > 1 for value in lists) and all(
        value is None or type(value) is list for value in lists) and all(
        row.get(text) is None or type(row[text]) is str for row in rows)


def joins_pairs(source: Source, reading: Reading) -> bool:
    """True where documents are pairs of a document and its part, which the known format takes for two documents."""
    paths = [reading.mapping.get(name, "") for name in ("relevant", "retrieved")]
    rows = [row for records in fail_quietly(source)[:1] for row in records.rows[:50]]
    lists = [row[path] for row in rows for path in paths if type(row.get(path)) is list]
    return any(isinstance(item, PairedId) for value in lists for item in value)
