"""Citations in an answer: [2], [1, 3], [2-4], (source), [source], [^1] and ² are read, and checked by a judge.

A number means the context at that place, or the one with that id. A name means the context with that id. What means no
context is fabricated. Other words in brackets are no citation, unless they name a file or begin with "source".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragdash.core.text import sentences
from ragdash.models.judge.question import Question
from ragdash.models.judge.tasks.claims import SUPPORTED, VERIFY, VERSION, batches, numbered
from ragdash.models.judge.tasks.prompt_texts import (
    TEXT,
    UNDEFINED,
    array_of,
    chunk_blocks,
    flags,
    join_blocks,
    names,
    object_of,
    question_block,
    text_enum,
    too_long,
)
from ragdash.models.judge.tasks.registry import Case, Judgment, TaskSteps, register_task

NO_CITATIONS = "no-citations"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_NOTE = re.compile(r"^[ \t]*\[\^?([\w-]{1,20})\]:[ \t]*(.+)$", re.MULTILINE)
_MARK = re.compile(r"\[\^?([^\[\]\n]{1,120})\](?:\([^()\s]+\))?|\(([^()\n]{1,120})\)|([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_AFTER_END = re.compile(r"([.!?]+)(\s*(?:\[[^\[\]\n]{1,120}\]\s*|[⁰¹²³⁴⁵⁶⁷⁸⁹]+\s*)+)")
_NUMBERS = re.compile(r"\s*\d{1,3}(?:\s*[-–]\s*\d{1,3})?(?:\s*[,;]\s*\^?\d{1,3}(?:\s*[-–]\s*\d{1,3})?)*\s*")
_SOURCE = re.compile(r"(?:sources?|doc(?:ument)?|context|passage)\s*[:#]?\s+", re.IGNORECASE)
_FILE = re.compile(r"\S\.(?:pdf|html?|md|docx?|txt|pptx?|xlsx?|csv)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """A sentence of an answer without its citations. cited: the places of the contexts, from 0; None: fabricated."""

    text: str
    cited: tuple[int | None, ...]


def statements(answer: str, ids: Sequence[str]) -> list[Statement]:
    """The sentences of an answer with what each cites.

    Parameters
    ----------
    answer
        The text.
    ids
        (C,) ids of the contexts in the order that the generator got them.

    Returns
    -------
    list of Statement
        Sentences with words; a citation after the end of a sentence belongs to it.

    Examples
    --------
    >>> statements("It landed in May. [2] It stayed (d1) [9].", ["d1", "d2"])
    [Statement(text='It landed in May.', cited=(1,)), Statement(text='It stayed.', cited=(0, None))]
    """
    notes = dict(_NOTE.findall(answer))
    text = _AFTER_END.sub(lambda match: f"{match[2].rstrip()}{match[1]} ", _NOTE.sub("", answer))
    places = {identifier.casefold(): place for place, identifier in reversed(list(enumerate(ids)))}
    result = []
    for start, stop in sentences(text):
        cited: list[int | None] = []

        def without(match: re.Match, cited: list[int | None] = cited) -> str:
            targets = _targets(match, notes, places, len(ids))
            cited.extend(targets or ())
            return match[0] if targets is None else ""

        plain = re.sub(r"\s+(?=[.!?,;:])", "", _MARK.sub(without, text[start:stop]))
        plain = " ".join(plain.split())
        if re.search(r"\w", plain):
            result.append(Statement(plain, tuple(dict.fromkeys(cited)) if None not in cited else tuple(cited)))
        elif cited and result:
            result[-1] = Statement(result[-1].text, (*result[-1].cited, *cited))
    return result


def _targets(match: re.Match, notes: Mapping[str, str], places: Mapping[str, int], contexts: int) -> \
        list[int | None] | None:
    """The contexts that a mark cites, None for a fabricated one; None altogether where it is no citation."""
    inside = (match[1] or match[2] or match[3]).translate(_SUPERSCRIPTS).strip()
    name = _SOURCE.sub("", inside).strip()
    for text in (inside, name):
        if text.casefold() in places and (match[2] is None or not text.isdecimal()):
            number = int(text) if text.isdecimal() else 0
            return [number - 1 if 1 <= number <= contexts else places[text.casefold()]]
    if inside in notes:
        noted = _note_target(notes[inside], places)
        if noted is not None or not inside.isdecimal():
            return [noted]
    if _NUMBERS.fullmatch(name) and (match[2] is None or name != inside):
        return [place if 0 <= place < contexts else None for place in _places(name)]
    is_source = name != inside or _FILE.search(inside)
    return [None] if is_source else None


def _note_target(note: str, places: Mapping[str, int]) -> int | None:
    """The context that a footnote names."""
    words = {word.strip(".,;:()[]<>\"'").casefold() for word in note.split()} | {note.strip().casefold()}
    return next((place for identifier, place in places.items() if identifier in words), None)


def _places(numbers: str) -> list[int]:
    """The places of 2, 1, 3 and 2-4, from 0."""
    result = []
    for part in re.split(r"[,;]", numbers):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        result += range(ends[0] - 1, max(ends[-1], ends[0]))
    return result


def fabricated_share(case: Case) -> float:
    """Citations of an answer that mean no context / its citations; NaN without an answer, contexts or citation."""
    if not (case.answer or "").strip() or case.contexts is None:
        return UNDEFINED
    cited = [place for statement in statements(case.answer, [name for name, _ in case.contexts])
             for place in statement.cited]
    return sum(place is None for place in cited) / len(cited) if cited else UNDEFINED


@register_task("CitationPrecision", needs=("answer", "contexts"), calls="1 per 20 sentences",
               ordered=True)
def citation_precision(case: Case) -> TaskSteps:
    """Citations whose context supports their sentence / citations."""
    checked = yield from _checked(case)
    if isinstance(checked, Judgment):
        return checked
    pairs = [place in supporting for statement, supporting, _ in checked for place in statement.cited]
    return Judgment(sum(pairs) / len(pairs), rows=_rows(case, checked), flags=flags(case))


@register_task("CitationRecall", needs=("answer", "contexts"), calls="1 per 20 sentences",
               ordered=True)
def citation_recall(case: Case) -> TaskSteps:
    """Sentences that a context they cite supports / sentences."""
    checked = yield from _checked(case)
    if isinstance(checked, Judgment):
        return checked
    good = [bool(supporting & set(statement.cited)) for statement, supporting, _ in checked]
    return Judgment(sum(good) / len(good), rows=_rows(case, checked), flags=flags(case))


_Checked = list[tuple[Statement, set[int], dict]]


def _checked(case: Case):
    """Each sentence with the places of the contexts that support it and the verdict; for an answer that cites nothing
    its `Judgment`.
    """
    over = too_long(case.answer)
    stated = statements(case.answer, [name for name, _ in case.contexts])
    if over or not stated:
        return over or Judgment(UNDEFINED, "no-claims", flags=flags(case))
    if not any(statement.cited for statement in stated):
        return Judgment(UNDEFINED, NO_CITATIONS, flags=flags(case))
    verdict = object_of(id=TEXT, reason=TEXT, verdict=text_enum(SUPPORTED, "contradicted", "not stated"),
                        chunks=array_of(text_enum(*names(case))))
    replies = yield [
        Question("Verify", VERSION, VERIFY,
                 join_blocks(question_block(case), chunk_blocks(case), numbered(batch, case.vote)),
                 object_of(verdicts=array_of(verdict)), tuple(name for name, _ in batch), 200 + 120 * len(batch))
        for batch in batches([statement.text for statement in stated])
    ]
    verdicts = [verdict for reply in replies for verdict in reply.value["verdicts"]]
    places = {name: place for place, name in enumerate(names(case))}
    return [(statement, {places[name] for name in verdict["chunks"]} if verdict["verdict"] == SUPPORTED else set(),
             verdict) for statement, verdict in zip(stated, verdicts, strict=True)]


def _rows(case: Case, checked: _Checked) -> tuple[dict, ...]:
    """Each sentence with its verdict, the contexts it cites ("" for a fabricated one) and those that support it."""
    ids = [name for name, _ in case.contexts]
    return tuple({"sentence": statement.text, "verdict": verdict["verdict"], "reason": verdict["reason"],
                  "cited": [ids[place] if place is not None else "" for place in statement.cited],
                  "supporting": [ids[place] for place in sorted(supporting)]}
                 for statement, supporting, verdict in checked)
