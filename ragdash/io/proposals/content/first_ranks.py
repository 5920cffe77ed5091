"""The rank of the first relevant document of each query, from which reciprocal rank and success follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragdash.io.proposals.fields import Field, as_bool, as_number, is_missing
from ragdash.io.proposals.names import words

_FIRST = {"hit", "first", "matched", "match", "gold", "relevant", "correct", "expected", "target", "found", "best",
          "positive"}
_AROUND = {"rank", "of", "the", "at", "doc", "document", "chunk", "passage", "source", "result", "retrieved", "answer"}

_RECIPROCAL, _ROUNDED = {"reciprocal", "rr", "mrr"}, 0.006  # two places


def names_first_rank(path: str) -> bool:
    """True for hit_rank, first_relevant_rank, matched_rank.

    Examples
    --------
    >>> [names_first_rank(name) for name in ("hit_rank", "rank_of_first_hit", "rank", "best_answer", "hits[].rank")]
    [True, True, False, False, False]
    """
    name = set(words(path.replace("{run}", " ").rpartition(".")[2]))
    return "[]" not in path and "rank" in name and not _FIRST.isdisjoint(name) and name <= _FIRST | _AROUND


def is_first_rank(field: Field) -> bool:
    """True for whole numbers under such a name; 0, -1 and no value say that nothing was found."""
    numbers = [as_number(item) for item in field.items]
    return names_first_rank(field.path) and not field.is_list and bool(numbers) and all(
        number is not None and number.is_integer() and number >= -1 for number in numbers) and any(
        number is not None and number >= 1 for number in numbers)


def ranks_one_document(fields: Iterable[Field]) -> bool:
    """True where a `rank` says where one document was found: 1 / rank is there too, or a hit is a rank from 1 on."""
    numbers = [item for item in fields if not item.is_list and (item.is_number or item.is_bool)]
    ranks = [item for item in numbers if item.name_words == ("rank",) and any(
        (as_number(value) or 0) > 1 for value in item.items)]
    return any(_follows(other, rank) for rank in ranks for other in numbers if len(other.values) == len(rank.values))


def _follows(other: Field, rank: Field) -> bool:
    """True for reciprocal ranks, and for hits where some query has none."""
    ranks = [as_number(value) or 0.0 for value in rank.values]
    if not _RECIPROCAL.isdisjoint(other.name_words):
        return all(abs((as_number(value) or 0.0) - (1 / place if place >= 1 else 0.0)) < _ROUNDED
                   for value, place in zip(other.values, ranks, strict=True))
    return other.name_words == ("hit",) and other.is_bool and min(ranks) < 1 and all(
        as_bool(value) == (place >= 1) for value, place in zip(other.values, ranks, strict=True))


def values_of_rank(value: object) -> Iterator[tuple[str, float]]:
    """(metric, value) for the rank of the first relevant document of a query.

    Examples
    --------
    >>> list(values_of_rank(4)), list(values_of_rank(None))
    ([('RR', 0.25), ('Success', 1.0)], [('RR', 0.0), ('Success', 0.0)])
    """
    rank = None if is_missing(value) else as_number(value)
    is_found = rank is not None and rank >= 1
    yield "RR", 1.0 / rank if rank is not None and is_found else 0.0
    yield "Success", float(is_found)
