"""Documents named by two texts, [document, article]: both parts together are the id."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.io.proposals.names import GOLD, QUESTION, RETURNED, words

MARK = "#"  # between the parts, as in other ids of several parts
_LONGEST = 80
_PLACES = {"location", "place", "chunk", "passage", "document", "doc"}
_FEWEST = 3  # pairs


class PairedId(str):
    """The id of a part of a document, whatever its words."""

    __slots__ = ()


def with_paired_ids(rows: Sequence[dict]) -> list[dict]:
    """The records; [["Seed act", "Article 3"], ...] under a name for documents as ["Seed act#Article 3", ...].

    Groups of documents, of which any or all are right, stay as they are: in a file of pairs what was returned has pairs
    as well, or the second part has a number and the first does not.
    """
    rows = _with_numbered_places(rows)
    first = rows[0] if rows else {}
    names = [name for name, value in first.items() if type(value) is list and _names_documents(name)]
    pairs = {name: [pair for row in rows for pair in _lists(row.get(name))] for name in names}
    pairs = {name: listed for name, listed in pairs.items() if len(listed) >= _FEWEST and all(
        _is_pair(pair) or (_is_predicted(name) and _is_numbered(pair)) for pair in listed)
             and not {pair[0] for pair in listed} & {pair[1] for pair in listed}}
    is_returned = any(not RETURNED.isdisjoint(words(str(name))) for name in pairs)
    pairs = {name: listed for name, listed in pairs.items() if is_returned or all(map(_names_part, listed))}
    if not pairs:
        return list(rows)
    return [{**row, **{name: [PairedId(MARK.join(map(str, pair))) for pair in row[name]] for name in pairs
                       if type(row.get(name)) is list}} for row in rows]


def _with_numbered_places(rows: Sequence[dict]) -> Sequence[dict]:
    """The records; expected_locations: [[1, 0]], a document and its chunk by their numbers, as ["1#0"]."""
    names = [name for name, value in (rows[0].items() if rows else ()) if type(value) is list and {
        *words(str(name))} & GOLD and {*words(str(name))} & _PLACES]
    names = [name for name in names if all(type(pair) is list and len(pair) == 2 and all(
        type(number) is int and number >= 0 for number in pair) for row in rows for pair in _lists(row.get(name)))]
    return [{**row, **{name: [PairedId(MARK.join(map(str, pair))) for pair in row[name]] for name in names
                       if type(row.get(name)) is list}} for row in rows] if names else rows


def _names_documents(name: object) -> bool:
    names = set(words(str(name)))
    return not (GOLD | RETURNED).isdisjoint(names) and QUESTION.isdisjoint(names)


def _is_predicted(name: object) -> bool:
    """True for predicted_evidence, as in FEVER: the number next to a document is that of a sentence, not a score."""
    names = set(words(str(name)))
    return "evidence" in names and not RETURNED.isdisjoint(names)


def _is_numbered(value) -> bool:
    return type(value) is list and len(value) == 2 and type(value[0]) is str and 0 < len(value[0]) < _LONGEST and (
        type(value[1]) is int and value[1] >= 0)


def _lists(value) -> list:
    return value if type(value) is list else []


def _is_pair(value) -> bool:
    return type(value) is list and len(value) == 2 and all(type(part) is str and 0 < len(part) < _LONGEST
                                                           for part in value)


def _names_part(pair: Sequence[str]) -> bool:
    """True where the second text has a number and more, as the name of an article, and the first has none."""
    first, second = (any(map(str.isdigit, part)) for part in pair)
    return second and not first and any(map(str.isalpha, pair[1]))
