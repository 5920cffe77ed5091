"""One question that several systems answered, {"question": ..., "results": {"flat": {...}, "graph": {...}}}, and
several that one document answers, {"id": "d7", "questions": ["Who?", "When?"]}.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragdash.io.proposals.names import ANSWER, ID, METRICS, QUESTION, words

_MOST_SYSTEMS = 40
_LONGEST = 60  # of a short value, such as an id
_ASKING, _FEWEST = (("query",), ("question",)), 3  # names of questions; records
_MADE = {"generated", "hypothetical", "synthetic", "test", "sample", "user", "search", "possible"}  # before questions


def asked_once(root: Mapping, path: str, members: Sequence[Mapping]) -> dict[str, object]:
    """The question of a file, with its id and short values, for each of the systems below; {} for other files.

    members: what is under each name. Those with an answer each, and no question of their own, are systems; next to an
    answer of the file itself they are steps to it.
    """
    if "." in path or len(members) > _MOST_SYSTEMS or not all(map(_answers, members)):
        return {}
    texts = {name: value for name, value in root.items() if type(value) in (str, int)}
    asked = [name for name in texts if type(texts[name]) is str and _asks(str(name))]
    if len(asked) != 1 or any(words(str(name)) == ("answer",) for name in texts):
        return {}
    ids = [name for name, value in texts.items() if {"question", "query"} & set(words(str(name)))
           and not ID.isdisjoint(words(str(name))) and len(str(value)) < _LONGEST]
    return {name: texts[name] for name in (*asked, *ids)}


def _asks(name: str) -> bool:
    return not QUESTION.isdisjoint(words(name)) and (ID | METRICS).isdisjoint(words(name))


def _answers(member: Mapping) -> bool:
    """True for an object with an answer and no question."""
    if any(_asks(str(name)) or str(name).lower().endswith("question") for name in member):
        return False
    return any(type(value) is str and not ANSWER.isdisjoint(words(str(name))) for name, value in member.items())


def asked_each(rows: Sequence[dict]) -> list[dict]:
    """A record of each question, with the rest of what has it; the same records where a list of texts is not the one
    thing that asks. A list of answers next to the questions has one for each.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    listed = [name for name in names if _lists_questions(str(name)) and all(_is_texts(row.get(name)) for row in rows)]
    if len(listed) != 1 or sum(len(row[listed[0]]) > 1 for row in rows) * 2 <= len(rows) or any(
            _asks(str(name)) and name not in listed for name in names):
        return list(rows)
    answers = [name for name in names if words(str(name))[-1:] == ("answer",) and all(
        type(row.get(name)) is list and len(row[name]) == len(row[listed[0]]) for row in rows)]
    lists = [*listed, *answers[:1]]
    if any(type(row.get(name)) in (list, dict) for row in rows for name in names if name not in lists):
        return list(rows)
    return [{name: value[place] if name in lists else value for name, value in row.items()}
            for row in rows for place in range(len(row[listed[0]]))]


def _lists_questions(name: str) -> bool:
    parts = words(name)
    return parts[-1:] in (("question",), ("query",)) and _MADE.issuperset(parts[:-1])


def _is_texts(value: object) -> bool:
    return type(value) is list and all(type(text) is str for text in value)


def lists_of_same_queries(members: Mapping[str, Mapping]) -> Iterator[tuple[str, list[dict]]]:
    """(name, records with the key above them) of lists of the same name and questions in several of the objects, as of
    two systems next to their corpus: {"dense": {"queries": [...]}, "hybrid": {"queries": [...]}, "corpus": {...}}.
    """
    for name in dict.fromkeys(name for member in members.values() for name in member):
        lists = {key: member[name] for key, member in members.items() if type(member.get(name)) is list and len(
            member[name]) >= _FEWEST and all(type(row) is dict for row in member[name])}
        asked = {tuple(sorted(str(row[asking]) for row in rows for asking in row if words(str(asking)) in _ASKING))
                 for rows in lists.values()}
        if 1 < len(lists) < len(members) - 1 and len(asked) == 1 and asked != {()}:
            yield name, [{"*": key, **row} for key, rows in lists.items() for row in rows]
