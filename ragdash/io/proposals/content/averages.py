"""Rows of averages among the queries: those called mean, amean or all that no document belongs to."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from ragdash.io.proposals.fields import as_number, is_missing
from ragdash.io.proposals.names import names_average

_ROUNDING = 0.006  # of the values in a table, and of their mean
_AVERAGES = (rb'[_<\[]*(?:final\s*)?\(?(?:[ag]?mean|average|avg|overall|total|all|summary|macro|micro)[)_>\]]*'
             rb'(?:[ _](?:accuracy|score|scores|f1|recall|precision|similarity))?')
# Two patterns, each with a fixed first byte: one that could begin anywhere takes quadratic time on blank lines.
_AVERAGE_LINE = re.compile(rb'\n[^\S\n]*"?' + _AVERAGES + rb'"?\s*[,;\t|]', re.IGNORECASE)
_AVERAGE_CELL = re.compile(rb'[,;\t|]"?' + _AVERAGES + rb'"?[,;\t|]', re.IGNORECASE)  # FINAL,FINAL (mean),0.4
_AVERAGE_MEMBER = re.compile(rb'"(?:query_id|qid|id|question|query|question_id)"\s*:\s*"' + _AVERAGES + rb'"',
                             re.IGNORECASE)


def has_average(data: bytes) -> bool:
    """Whether a row of the file may be an average over the others."""
    patterns = (_AVERAGE_LINE, _AVERAGE_MEMBER, _AVERAGE_CELL)
    return any(pattern.search(data) for pattern in patterns) or bool(_AVERAGE_LINE.match(b"\n" + data[:100]))


def average_places(names: Sequence[Sequence], documents: Sequence[Sequence], numbers: Sequence[Sequence]) -> set[int]:
    """The places of rows that hold averages.

    Parameters
    ----------
    names
        What may name the query of each row.
    documents
        Columns of documents. A row called "all" with a document is a query, unless its numbers are the means of the
        other rows.
    numbers
        Columns that may hold values of metrics.

    Examples
    --------
    >>> average_places([["q1"], ["q2"], ["amean"]], [], [[0.5, 0.7, 0.6]])
    {2}
    >>> average_places([["q1"], ["all"]], [["d1", "d7"]], [[3, 2]])
    set()
    """
    named = [place for place, texts in enumerate(names) if any(
        type(text) is str and names_average(text) for text in texts)]
    return {place for place in named if all(is_missing(column[place]) for column in documents) or _are_means(
        place, numbers, set(named))}


def averages_of(rows: Sequence[Mapping], keys: Sequence[Sequence], documents: Sequence[str]) -> set[int]:
    """The places of records that hold averages; one without a key may be called so in any field.

    keys: the id and the question of each record; documents: paths of what was returned or judged.
    """
    names = [list(row.values()) if all(map(is_missing, texts)) else [
        text if is_missing(text) else str(text) for text in texts] for row, texts in zip(rows, keys, strict=True)]
    if not any(type(text) is str and names_average(text) for texts in names for text in texts):
        return set()
    fields = dict.fromkeys(name for row in rows for name in row)
    numbers = [name for name in fields if any(as_number(row.get(name)) is not None for row in rows)]
    documents_of, numbers_of = ([[row.get(path) for row in rows] for path in paths] for paths in (documents, numbers))
    return average_places(names, documents_of, numbers_of)


def _are_means(place: int, columns: Sequence[Sequence], left_out: set[int]) -> bool:
    """True where nearly all numbers of a row are the means of the others."""
    right = checked = varied = 0
    for column in columns:
        mean, others = as_number(column[place]), [number for other, value in enumerate(column)
                                                  if other not in left_out and (number := as_number(value)) is not None]
        if mean is not None and others:
            expected = math.fsum(others) / len(others)
            checked += 1
            varied += len(set(others)) > 1
            right += abs(mean - expected) <= _ROUNDING * max(1.0, abs(expected))
    return varied > 0 and 5 * right >= 4 * checked
