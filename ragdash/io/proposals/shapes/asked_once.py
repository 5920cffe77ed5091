"""One question that several systems answered: {"question": ..., "results": {"flat": {...}, "graph": {...}}}."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragdash.io.proposals.names import ANSWER, ID, METRICS, QUESTION, words

_MOST_SYSTEMS = 40
_LONGEST = 60  # of a short value, such as an id


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
