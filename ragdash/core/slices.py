"""Queries by their attributes: which of them are of type "multi-hop", how long are they, where do runs differ?

Letters: Q queries of a truth, in its order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import frozen
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth

MOST_VALUES = 40  # an attribute with more different texts names single queries rather than kinds of them
FEW_NUMBERS = 8  # numbers with more different values are put in quarters
NOT_GIVEN = "not given"
SCALES = (  # words of attributes that have an order, from the lower end
    "very easy, easy, medium, moderate, normal, hard, difficult, very hard",
    "none, very low, low, medium, moderate, high, very high",
    "tiny, small, medium, large, huge",
    "very short, short, medium, long, very long",
    "simple, moderate, medium, complex",
    "basic, beginner, intermediate, advanced, expert",
    "never, rarely, sometimes, often, always",
    "poor, fair, good, excellent",
    "negative, neutral, positive",
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, eq=False)
class Slice:
    """The queries whose attribute has a value: queries (Q,) bool."""

    attribute: str
    value: str
    queries: np.ndarray

    @property
    def title(self) -> str:
        """attribute: value"""
        return f"{self.attribute}: {self.value}"


def slices(truth: Truth) -> dict[str, tuple[Slice, ...]]:
    """The slices of each attribute that the truth gives to its queries, in the order of `by_value`.

    A list counts for each of its values, so slices may overlap. Numbers with more than FEW_NUMBERS different values
    become quarters. Queries without the attribute are a slice of their own. Attributes that have more than MOST_VALUES
    different texts, or the same value everywhere, slice nothing and are left out. So is a running number of the rows.
    """
    by_attribute = {}
    for name, values in attributes(truth).items():
        if _is_running_number(values):
            continue
        parts = by_value(name, values)
        if 1 < len(parts) <= MOST_VALUES + 1:
            by_attribute[name] = parts
    return by_attribute


def attributes(truth: Truth) -> dict[str, list[object]]:
    """The value that each query has for each attribute, None where it has none: {name: [Q values]}."""
    if truth.details is None or "attributes" not in truth.details.column_names:
        return {}
    columns: dict[str, list[object]] = {}
    for index, text in enumerate(truth.details["attributes"].to_pylist()):
        for name, value in (json.loads(text) if text else {}).items():
            columns.setdefault(name, [None] * len(truth))[index] = value
    return columns


def label_slices(run: Run, query_ids: Iterable[str]) -> dict[str, tuple[Slice, ...]]:
    """The slices by the labels that a file gives to the answers of a run: {"verdict of dense": (Correct, Refusal ...)}.

    They are an outcome of this run: on the queries whose answer was labeled wrong, another run can only gain. Columns
    with the same label everywhere, or with more than MOST_VALUES labels, slice nothing and are left out.

    Examples
    --------
    >>> from ragdash.core.file_scores import FileScores
    >>> scores = FileScores.build([("q1", "dense", "verdict", "Correct"), ("q2", "dense", "verdict", "Refusal")])
    >>> run = Run.build("dense", ["q1", "q2"], ["d1", "d2"]).with_file_scores(scores)
    >>> [(part.title, part.queries.tolist()) for part in label_slices(run, ["q1", "q2", "q3"])["verdict of dense"]]
    [('verdict of dense: Correct', [True, False, False]), ('verdict of dense: Refusal', [False, True, False]), \
('verdict of dense: not given', [False, False, True])]
    """
    if run.file_scores is None:
        return {}
    ids, by_column = list(query_ids), {}
    for column in run.file_scores.label_names:
        parts = by_value(f"{column} of {run.name}", list(run.file_scores.aligned_labels(run.name, column, ids)))
        if 1 < len(parts) <= MOST_VALUES + 1:
            by_column[f"{column} of {run.name}"] = parts
    return by_column


def all_slices(truth: Truth, runs: Iterable[Run]) -> dict[str, tuple[Slice, ...]]:
    """The slices by the attributes of the queries, then those by the labels of each run."""
    known = dict(slices(truth))
    for run in runs:
        known.update(label_slices(run, truth.query_ids.to_pylist()))
    return known


def choose_slices(truth: Truth, runs: Sequence[Run], name: str) -> tuple[Slice, ...]:
    """The slices by an attribute or a label: "difficulty", "verdict of dense", or "verdict" where one run has it.

    Raises
    ------
    InputError
        Where nothing has this name, or several runs have a label of this name.
    """
    known = all_slices(truth, runs)
    names = [name] if name in known else [f"{name} of {run.name}" for run in runs if f"{name} of {run.name}" in known]
    if len(names) != 1:
        message = "unknown-slices/several" if names else "unknown-slices"
        raise InputError([Problem(message, {"name": name, "names": names or list(known)}, field="--by")])
    return known[names[0]]


def by_value(name: str, values: list[object]) -> tuple[Slice, ...]:
    """A slice for each different value of Q values, None as NOT_GIVEN and last; of many numbers, quarters.

    Everywhere in their natural order: numbers ascending, words of one of SCALES from its lower end, texts that differ
    by a number alone ("level 2", "level 10") by it. Other values have no order: the largest slice is first.

    Examples
    --------
    >>> [part.value for part in by_value("difficulty", ["medium", "medium", None, "hard", "easy"])]
    ['easy', 'medium', 'hard', 'not given']
    """
    if _are_numbers(values):
        return _quarters(name, values)
    members: dict[str, list[int]] = {}
    for index, value in enumerate(values):
        for text in dict.fromkeys(map(_text, value if isinstance(value, list) and value else [value])):
            members.setdefault(text, []).append(index)
    natural = _natural_places([text for text in members if text != NOT_GIVEN])
    order = sorted(members, key=lambda text: (text == NOT_GIVEN, natural.get(text, ()), -len(members[text]), text))
    return tuple(_slice(name, text, members[text], len(values)) for text in order)


def _natural_places(texts: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """The place of each text in their natural order; {} where they have none."""
    for scale in SCALES:
        places = {word: (float(place),) for place, word in enumerate(scale.split(", "))}
        if all(text.casefold() in places for text in texts):
            return {text: places[text.casefold()] for text in texts}
    with suppress(ValueError):
        return {text: (float(text),) for text in texts}
    if len({_NUMBER.sub("#", text) for text in texts}) != 1:
        return {}
    return {text: tuple(map(float, _NUMBER.findall(text))) for text in texts}


def _quarters(name: str, values: list[object]) -> tuple[Slice, ...]:
    """Four slices of about the same size between the quartiles; fewer where many values are equal."""
    numbers = np.array([np.nan if value is None else float(value) for value in values])
    edges = np.unique(np.quantile(numbers[~np.isnan(numbers)], [0, 0.25, 0.5, 0.75, 1]))
    quarter = np.searchsorted(edges[1:-1], numbers, "left")  # a value at an edge belongs to the lower quarter
    quarters = []
    for index in range(len(edges) - 1):
        inside = (quarter == index) & ~np.isnan(numbers)
        if inside.any():
            least, most = numbers[inside].min(), numbers[inside].max()
            quarters.append(Slice(name, f"{least:g}" if least == most else f"{least:g} to {most:g}", inside))
    if np.isnan(numbers).any():
        quarters.append(Slice(name, NOT_GIVEN, np.isnan(numbers)))
    return tuple(quarters)


def _are_numbers(values: list[object]) -> bool:
    numbers = [value for value in values if value is not None]
    return all(map(_is_number, numbers)) and len(set(numbers)) > FEW_NUMBERS


def _is_running_number(values: list[object]) -> bool:
    """Whether the values count the queries one by one, as the number of a row does."""
    return len(values) > FEW_NUMBERS and all(map(_is_number, values)) and bool(
        (np.diff(np.array(values, np.float64)) == 1).all())


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(value: object) -> str:
    if value is None:
        return NOT_GIVEN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (Mapping, list)):
        return json.dumps(value, ensure_ascii=False)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _slice(name: str, value: str, members: list[int], n: int) -> Slice:
    queries = np.zeros(n, bool)
    queries[members] = True
    return Slice(name, value, queries)


def part(truth: Truth, queries: np.ndarray) -> Truth:
    """The truth of these queries (Q,) bool alone, in the same order: judgments and details are kept."""
    chosen = queries[truth.queries]
    row = np.cumsum(queries) - 1
    details = None if truth.details is None else truth.details.filter(pa.array(queries)).combine_chunks()
    return replace(truth, query_ids=truth.query_ids.filter(pa.array(queries)),
                   queries=frozen(row[truth.queries[chosen]]), docs=truth.docs.filter(pa.array(chosen)),
                   grades=frozen(truth.grades[chosen]), details=details)
