"""Values of metrics, answers or rankings for each query, without anything that names the queries: numbered in their
order.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.io.proposals.fields import as_bool, as_number
from ragdash.io.proposals.names import ANSWER, CONFIGS, GOLD, ID, LATENCIES, QUESTION, SURE_METRICS, TEXT, words

NAME = "row number"  # the field with the place of a record
_FEWEST = 5  # fewer may be configurations or cutoffs
_MANY = 20
_LONGEST = 80  # characters of a value that is no question
_PREDICTED = {"predicted", "pred", "prediction"}
_COUNTED = {"id", "step", "rank", "fold", "cutoff", "top", "row"}  # of other records, or of known ones
_REASONS = {"reason", "reasoning", "explanation", "rationale", "comment", "feedback"}
_COVERING = {"recall", "hit", "success"}  # of one ranking, these never fall with the cutoff


def numbered_rows(rows: Sequence[dict]) -> list[dict]:
    """The records with their number; [] where a record has more than values of metrics, or they may be cutoffs.

    The number is that of the first column where many records have a different whole number each in it.
    """
    if len(rows) >= _MANY and len(rows[0]) > 1:
        first = next(iter(rows[0]))
        numbers = [str(row.get(first)) for row in rows]
        if all(map(str.isdecimal, numbers)) and len(set(numbers)) == len(rows) and (
                _COUNTED | CONFIGS | QUESTION | SURE_METRICS).isdisjoint(words(str(first))):
            numbered = numbered_rows([{name: value for name, value in row.items() if name != first} for row in rows])
            return [{**row, NAME: number} for row, number in zip(numbered, numbers, strict=False)]
    if len(rows) < _FEWEST or any(row.keys() != rows[0].keys() for row in rows):
        return []
    if _compares_answers(rows) or _holds_rankings(rows) or _holds_generations(rows):
        return [{NAME: str(place), **row} for place, row in enumerate(rows, 1)]
    if not all(map(_has_metrics_only, rows)):
        return []
    for name in rows[0]:
        values = [as_number(row[name]) for row in rows]
        known = [value for value in values if value is not None]
        if not _COVERING.isdisjoint(words(str(name))) and known == sorted(known) and len(set(known)) > 2:
            return []
    return [{NAME: str(place), **row} for place, row in enumerate(rows, 1)]


def _compares_answers(rows: Sequence[dict]) -> bool:
    """True for predicted and right answers, some of them the same, next to short values that name no query."""
    names = {name: words(str(name)) for name in rows[0]}
    texts = {name: parts for name, parts in names.items() if all(type(row[name]) is str for row in rows)}
    predicted = [name for name, parts in texts.items() if {*parts} & _PREDICTED and {*parts} <= _PREDICTED | ANSWER]
    right = [name for name, parts in texts.items() if {*parts} & GOLD and {*parts} <= GOLD | ANSWER]
    if len(predicted) != 1 or len(right) != 1 or any({*parts} & (ID | QUESTION | TEXT) for parts in names.values()):
        return False
    return any(row[predicted[0]] == row[right[0]] for row in rows) and all(
        len(str(value)) < _LONGEST for row in rows for value in row.values())


def _holds_rankings(rows: Sequence[dict]) -> bool:
    """True for lists of what was retrieved, next to their scores and metrics, and nothing else, as AutoRAG writes them.
    """
    listed = [name for name in rows[0] if {"retrieved", "retrieve"} & {*words(str(name))}
              and all(type(row[name]) is list for row in rows)]
    return bool(listed) and all(name in listed or (as_number(row[name]) is not None and {
        "retrieval", "retrieved", "retrieve", *LATENCIES} & {*words(str(name))}) for row in rows for name in row)


def _holds_generations(rows: Sequence[dict]) -> bool:
    """True for the texts that were generated, next to their tokens and metrics, and nothing else, as AutoRAG writes
    them.
    """
    generated = [name for name in rows[0] if "generated" in words(str(name))]
    return any(all(type(row[name]) is str for row in rows) for name in generated) and all(
        name in generated or as_number(row[name]) is not None for row in rows for name in row)


def _has_metrics_only(row: dict) -> bool:
    return bool(row) and any(as_number(value) is not None for value in row.values()) and all(
        (not (SURE_METRICS | LATENCIES).isdisjoint(words(str(name))) and _is_value(value)) or _explains(str(name), row)
        for name, value in row.items())


def _explains(name: str, row: dict) -> bool:
    """True for the reason of a value: Faithfulness Reason next to Faithfulness Score."""
    parts = words(name)
    return len(parts) > 1 and parts[-1] in _REASONS and any(
        words(str(other))[:-1] == parts[:-1] and other != name for other in row)


def _is_value(value) -> bool:
    return value is None or value == "" or as_number(value) is not None or as_bool(value) is not None
