"""Which lists a retriever returned: those with scores that fall, whatever the lists are called."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from itertools import combinations

from ragdash.io.proposals import meanings
from ragdash.io.proposals.content import ratings
from ragdash.io.proposals.content.shared_ids import with_shared_ids
from ragdash.io.proposals.content.spread import is_title
from ragdash.io.proposals.fields import Field, ReturnedField, as_number, leaves
from ragdash.io.proposals.names import AGAINST, GOLD, ID, RETRIEVING, WEAK_GOLD, words

_EVIDENCE = re.compile(r"^(?:e|ev|c|ctx|src)[_-]?(?=\d{1,2}$)", re.IGNORECASE)
_NUMBERED = re.compile(r"[^\W\d]+\.? \d[\w.()-]*")
_FEWER = 4  # times fewer repeats, with a place in the document
_VARIED = 0.5  # share of different titles
_FEWEST = 4  # records
_FILES = 0.9  # share of titles that are names of files
_MOST_LOCAL = 1000
_MANY, _MOST_PLACES = 20, 64


def with_returned_lists(fields: dict[str, Field]) -> dict[str, Field]:
    """The fields; those of lists of objects with falling fractional scores know that they were returned, and those
    that share names with what is right know that they name documents.
    """
    scored = {item.path.split("[]")[0] for item in fields.values() if "[]." in item.path
              and ratings.parallel_role(item) in ("score", "grade") and falls(item)}
    scored = {path for path in scored if (GOLD - WEAK_GOLD).isdisjoint(words(path)) and words(path)[-1:] != ("answer",)}
    return with_shared_ids({path: ReturnedField(path, item.values) if path.split("[]")[0] in scored and "[]" in path
                            else item for path, item in fields.items()})


def falls(item: Field) -> bool:
    """True for fractional numbers that fall within nearly each record, as scores of a ranking do; distances rise."""
    rows = [[as_number(value) for value in leaves(value)] for value in item.present]
    rows = [row for row in rows if row and None not in row]
    numbers = [number for row in rows for number in row]
    if not numbers or 2 * sum(not number.is_integer() for number in numbers) < len(numbers):
        return False
    several = [row for row in rows if len(row) > 1]
    way = -1 if {"distance", "dist"} & set(item.name_words) else 1
    sorted_rows = sum(all(way * a >= way * b for a, b in itertools.pairwise(row)) for row in several)
    return bool(several) and sorted_rows >= 0.8 * len(several)


def lists_with_scores(free: dict[str, Field]) -> list[Field]:
    """Lists of ids next to a list of falling scores of the same length."""
    scores = [item for item in free.values() if item.is_list and "[]" not in item.path
              and ratings.parallel_role(item) == "score" and falls(item)]
    return [item for item in free.values() if item.is_list and "[]" not in item.path and AGAINST.isdisjoint(item.words)
            and (meanings.is_neutral_documents(item) or (item.is_id_like and not ID.isdisjoint(item.name_words)))
            and any(same_lengths(item, score) for score in scores)]


def files_of_hits(free: dict[str, Field]) -> list[Field]:
    """Titles that are names of files in a list of hits without ids: retrieved[].title."""
    return [item for item in free.values() if is_title(item) and item.path_share > _FILES and not RETRIEVING.isdisjoint(
        words(item.path.rpartition("[].")[0]))]


def judged_titles(free: dict[str, Field]) -> list[Field]:
    """Titles in lists of objects with a mark, a grade or a falling score each, and no id: results[].title next to
    results[].relevant.
    """
    judged = {item.path.rpartition("[].")[0] for item in free.values() if ratings.parallel_role(item) == "grade" or (
        ratings.parallel_role(item) == "score" and falls(item))}
    return [item for item in free.values() if is_title(item) and item.distinct_share > _VARIED and (
        item.path.rpartition("[].")[0] in judged)]


def same_lengths(item: Field, other: Field) -> bool:
    pairs = [(a, b) for a, b in zip(item.values, other.values, strict=False) if type(a) is list and type(b) is list]
    return bool(pairs) and sum(len(a) == len(b) for a, b in pairs) >= 0.9 * len(pairs)


def is_beginning(item: Field, other: Field) -> bool:
    """True for top_3 next to top_5: in each record the first ones of a longer list."""
    pairs = [(one, longer) for one, longer in zip(item.values, other.values, strict=False)
             if type(one) is list and type(longer) is list]
    is_alike = item is not other and re.sub(r"\d+", "0", item.path) == re.sub(r"\d+", "0", other.path)
    return is_alike and len(pairs) > 1 and all(one == longer[:len(one)] for one, longer in pairs) and any(
        len(one) < len(longer) for one, longer in pairs)


def are_places(item: Field) -> bool:
    """True for small whole numbers called idxs in many records: places in a list that each query has of its own."""
    numbers = [as_number(value) for value in item.items]
    return not {"idx", "idxs"}.isdisjoint(item.name_words) and len(item.values) >= _MANY and all(
        number is not None and number.is_integer() and number < _MOST_PLACES for number in numbers)


def counts_evidence(item: Field) -> bool:
    """True for e1, e2, e3, which begin again in each of several records: pieces of its evidence, no documents."""
    rows = [[_EVIDENCE.sub("", str(value)) for value in leaves(value)] for value in item.present]
    return len(rows) >= _FEWEST and item.is_text and all(
        set(row) <= {str(number) for number in range(len(row) + 1)} for row in rows)


def counts_within(item: Field) -> bool:
    """True for numbers that begin again in each record: 0, 1, 2."""
    rows = [[str(value) for value in value] for value in item.present if type(value) is list]
    if sum(len(row) > 1 for row in rows) < 2:
        return False
    return all(len(set(row)) == len(row) and set(row) <= {str(number) for number in range(len(row) + 1)}
               for row in rows if len(row) < _MOST_LOCAL)


def distinguishing(documents: Field, siblings: Sequence[Field]) -> list[Field]:
    """Members that make the ids of chunks distinct within each list, such as page and chunk_index."""
    def repeats(items: Sequence[Field]) -> int:
        count = 0
        for values in zip(*(item.values for item in items), strict=True):
            if all(type(value) is list for value in values):
                keys = list(zip(*values, strict=False))
                count += len(keys) - len({repr(key) for key in keys})
        return count

    if not repeats([documents]):
        return []
    places = [item for item in siblings if not {"chunk", "page", "index", "paragraph", "passage", "section", "start",
                                                "position", "part", "segment", "line", "label", "article", "clause"
                                                }.isdisjoint(item.name_words)
              and (item.is_id_like or _are_numbered(item)) and not ratings.parallel_role(item) and item.share > 0.9
              and len(item.values) == len(documents.values)]
    for size in range(1, len(places) + 1):
        for chosen in combinations(places, size):
            if not repeats([documents, *chosen]):
                return list(chosen)
    return [item for item in places if _FEWER * repeats([documents, item]) < repeats([documents])][:1]


def _are_numbered(item: Field) -> bool:
    """True for names of one word and a number, such as Article 5: places in a document."""
    return item.is_text and 10 * sum(_NUMBERED.fullmatch(str(text)) is not None for text in item.items) >= 9 * len(
        item.items)
