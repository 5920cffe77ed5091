"""How the values of a field are spread over its records: one for all, several each, a count of the rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ragdash.core.text.sentences import asks
from ragdash.io.proposals.fields import SENTENCE_ENDS, Field, as_bool, as_number, is_missing
from ragdash.io.proposals.names import ANSWER, DOCUMENT, GRADES, ID, METRICS, RETURNED, SCORES, TEXT, words
from ragdash.io.proposals.shapes.families import NUMBER

_FEW = 5  # queries
_SHORT_ANSWER = 40  # characters, as people write right answers
_TITLE = 60  # characters
_NEITHER = {"na", "n.a.", "not applicable", "partial", "partially", "partly", "unsure", "unclear", "mixed"}
_NUMBER = re.compile(r"\d+")
_NAMING = re.compile(r"[\d./\\_]")  # in names of files and in ids
_DOCUMENT_ID = re.compile(r"[A-Za-z]+(?:[_:#/-][A-Za-z]*)+\d[\w:#/.-]*")
_RESULTS = {"score", "rank", "result", "hit", "match", "candidate", "retrieved", "returned", "top"}  # with a number
_DATA_ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".xlsx", ".parquet")


def spread_columns(names: Iterable[str]) -> dict[str, list[str]]:
    """{path with {n}: its fields in order} of columns such as chunk_1_text, chunk_2_text."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        for match in re.finditer(r"(?<!\d)\d{1,3}(?!\d)", name):
            pattern = f"{name[:match.start()]}{NUMBER}{name[match.end():]}"
            groups.setdefault(pattern, []).append((int(match[0]), name))
    result, rated = {}, {}
    for pattern, members in groups.items():
        numbers = sorted(number for number, _ in members)
        is_counted = numbers in (list(range(1, len(numbers) + 1)), list(range(len(numbers))))
        stem = set(words(pattern.replace(NUMBER, " ")))
        if len(members) > 1 and is_counted and (
                stem == {"answer"} or not stem.isdisjoint(TEXT | DOCUMENT | ID | _RESULTS)) and (
                stem.isdisjoint(METRICS - SCORES)):
            result[pattern] = [name for _, name in sorted(members)]
        elif len(members) > 1 and is_counted and not stem.isdisjoint(GRADES):
            rated[pattern] = [name for _, name in sorted(members)]
    sizes = {len(names) for pattern, names in result.items() if SCORES.isdisjoint(words(pattern.replace(NUMBER, " ")))}
    return {**result, **{pattern: names for pattern, names in rated.items() if len(names) in sizes}}


def with_spread_columns(fields: dict[str, Field]) -> dict[str, Field]:
    """The fields with columns such as chunk_1_text, chunk_2_text as one list."""
    for pattern, names in spread_columns(fields).items():
        if all(name in fields for name in names) and _are_parts(pattern, [fields[name] for name in names]):
            rows = zip(*(fields.pop(name).values for name in names), strict=True)
            fields[pattern] = Field(pattern, tuple([value for value in row if not is_missing(value)] or None
                                                   for row in rows))
    return fields


def with_spread_values(row: dict, mapping: Mapping[str, str]) -> dict:
    """The record with spread columns under one path."""
    if not any(NUMBER in path for path in mapping.values()):
        return row
    for pattern, names in spread_columns(row).items():
        row[pattern] = [row[name] for name in names if not is_missing(row[name])]
    return row


def _are_parts(pattern: str, columns: Sequence[Field]) -> bool:
    """False for the answers of several systems; of several right answers to a question, most are fewer than columns."""
    if ANSWER.isdisjoint(words(pattern.replace(NUMBER, " "))):
        return True
    shares = [column.share for column in columns]
    return 2 * shares[-1] < shares[0] and shares == sorted(shares, reverse=True)


def is_constant(field: Field) -> bool:
    """True where all records have the same single value, such as the name of a model."""
    return len(field.values) > 2 and len({repr(item) for item in field.items}) == 1 and (
        set(field.name_words).isdisjoint(ID | DOCUMENT))


def says_whether(field: Field) -> bool:
    """True for true and false, or yes and no, also with "partial" and "na" where neither applies."""
    return field.is_bool or (any(as_bool(item) is not None for item in field.items) and all(
        as_bool(item) is not None or str(item).strip().lower() in _NEITHER for item in field.items))


def is_several(field: Field) -> bool:
    """True for lists, some of which have more than one value."""
    return any(type(value) is list and len(value) > 1 for value in field.present)


def are_mostly_several(field: Field) -> bool:
    """True for lists of several values; an answer may be a list of names here and there."""
    several = sum(type(value) is list and len(value) > 1 for value in field.present)
    return several > (len(field.present) // 5 if not RETURNED.isdisjoint(field.name_words) else 0)


def are_mostly_numbers(field: Field) -> bool:
    """True where most values are numbers, as in a table of means with a second row of names."""
    return 2 * sum(as_number(item) is not None for item in field.items) > len(field.items)


def is_title(field: Field) -> bool:
    """Titles or headings that can serve as ids of documents in a list of objects."""
    return "[]." in field.path and field.is_list and field.is_text and field.mean_length < 120 and not {
        "title", "heading", "name", "section", "chapter", "topic"}.isdisjoint(field.name_words)


def names_document(field: Field) -> bool:
    """True for short texts such as "Employment Act 1955" under a word for a document: its title, not what it says."""
    texts = [str(item).strip() for item in field.items]
    return field.name_words[-1:] in (("doc",), ("document",)) and field.is_text and field.mean_length < _TITLE and (
        not any(text.endswith(SENTENCE_ENDS) or "\n" in text for text in texts))


def asks_mostly(field: Field) -> bool:
    """True where most texts are questions, such as a question in other words: they answer none."""
    texts = [item for item in field.items if type(item) is str]
    return bool(texts) and 5 * sum(map(asks, texts)) > 4 * len(texts)


def is_kind(field: Field) -> bool:
    """True for a few names that many records share, such as direct_answer and scoped_summary: kinds, not texts."""
    names = {str(item) for item in field.items}
    return field.is_text and not field.is_list and 5 * len(names) < field.seen_count and field.blank_share == 0 and (
        any("_" in name for name in names))


def has_codes(field: Field) -> bool:
    """True for many short texts without blanks, nearly all with a digit and not numbers: 613.4b, d-17."""
    items = [str(item) for item in field.items]
    coded = sum(any(map(str.isdigit, item)) and not item.isdecimal() and not any(map(str.isspace, item))
                and len(item) < 40 for item in items)
    return field.is_text and not field.is_number and 10 * coded >= 9 * len(items) and (
        3 * len(set(items)) >= max(field.seen_count, 9))


def are_ids_of_documents(field: Field) -> bool:
    """True for one text in each record, nearly all of the form doc_12, faq-3 or MONDO:0010518, of which most differ."""
    if field.is_list or field.is_number or not field.is_text or 2 * field.distinct_count < len(field.present):
        return False
    texts = [str(item).strip() for item in field.items]
    return len(texts) > 2 and 10 * sum(_DOCUMENT_ID.fullmatch(text) is not None for text in texts) >= 9 * len(texts)


def holds_phrases(texts: Sequence[str]) -> bool:
    """True for lists of keywords such as "semantic coherence" and "latency", not for ids, nor for titles and files:
    some have blanks, and of these most begin with a small letter, are short and have no digit, point or slash.
    """
    spaced = [text for text in map(str.strip, texts) if " " in text]
    plain = [text for text in spaced if text[0].islower() and len(text) < _TITLE and not _NAMING.search(text)]
    return 6 * len(spaced) > len(texts) > 0 and 5 * len(plain) > 4 * len(spaced)


def is_source_name(field: Field) -> bool:
    """True for a few short texts that many records share, such as the exam that questions are from: no contexts."""
    return not field.is_list and len(field.values) >= 10 * field.distinct_count > 0 and field.mean_length < 60


def are_data_files(item: Field) -> bool:
    """True for questions.json and labels.csv: where records come from."""
    return all(str(value).lower().endswith(_DATA_ENDINGS) for value in item.items)


def are_names_of_files(field: Field) -> bool:
    """True for many names without blanks that all have a number, such as cuad_049_AGREEMENT: no names of data sets."""
    return field.distinct_count > _FEW and all(_NUMBER.search(str(value)) and " " not in str(value).strip()
                                               for value in field.items)


def counts_rows(field: Field) -> bool:
    """True for whole numbers that count the records from 0 or 1, as a row number does."""
    values = [str(value) for value in field.values]
    return len(values) > 1 and not field.is_list and values[0] in ("0", "1") and values == [
        str(number) for number in range(int(values[0]), int(values[0]) + len(values))]


def is_same_number(values: Sequence) -> bool:
    """True for lists that all have the same number of values, of three or more lists: a retriever returns its top k."""
    sizes = {len(value) if type(value) is list else 0 for value in values}
    return len(values) > 2 and len(sizes) == 1 and max(sizes) > 1


def counts_by_plural(field: Field) -> bool:
    """True for expected_chunks: 5, a number under the plural of what it counts."""
    return field.is_number and not field.is_list and ID.isdisjoint(field.name_words) and (
        field.path.lower().endswith("s")) and "[]" not in field.path


def are_codes(field: Field) -> bool:
    """True for names of one form with a number and without a blank, such as ctx_0_1: ids of what was retrieved."""
    return len({_NUMBER.sub("0", str(item)) for item in field.items}) == 1 < field.distinct_count and all(
        type(item) is str and " " not in item and _NUMBER.search(item) for item in field.items)


def crosses(item: Field, names: list[str]) -> bool:
    """True where every query has every value once, as configurations do, whatever the column is called."""
    values = list(map(repr, item.values))
    count = len(set(names)) * len(set(values))
    return count == len(names) == len(set(zip(names, values, strict=True)))


def separates(item: Field, names: list[str]) -> bool:
    """True where no query has a value twice."""
    return len(set(zip(names, map(repr, item.values), strict=True))) == len(names)


def shares_queries(item: Field, names: list[str]) -> bool:
    """True where most queries of each value but the one with the most queries have other values, too."""
    queries: dict[str, set[str]] = {}
    for value, name in zip(map(repr, item.values), names, strict=True):
        queries.setdefault(value, set()).add(name)
    counts = Counter(names)
    smaller = sorted(queries.values(), key=len)[:-1]
    return all(len(asked) > 1 and 2 * sum(counts[name] > 1 for name in asked) > len(asked) for asked in smaller)


def are_groups(item: Field, names: list[str]) -> bool:
    """True for names of groups of queries, most of which are in one group only."""
    return 4 * len(set(names)) > 3 * len(names) and not shares_queries(item, names)


def are_crossed(items: Sequence[Field], names: list[str]) -> bool:
    """True where nearly every query has nearly every combination of the values once."""
    values = list(zip(*(map(repr, item.values) for item in items), strict=True))
    return 5 * len(names) >= 4 * len(set(values)) * len(set(names)) and (
        len(set(zip(names, values, strict=True))) == len(names))


def asks_once(item: Field, names: list[str]) -> bool:
    """True for a setting of which most values come with one of several queries only: it varies from row to row."""
    counts = Counter(map(repr, item.values))
    return len(set(names)) > _FEW and 2 * sum(count == 1 for count in counts.values()) > len(counts)


def are_phrases(item: Field) -> bool:
    """True for a few words without a full stop, as people write right answers."""
    return item.mean_length < _SHORT_ANSWER and 2 * sum(str(text).strip().endswith((".", "!"))
                                                        for text in item.items) < len(item.items)
