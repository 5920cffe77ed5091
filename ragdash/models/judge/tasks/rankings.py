"""Criteria of the kind ranking: one call puts the answers of all runs to a question in order, blind to the runs.

The value of a run is the share of the other answers that its answer is ranked above, ties count half. Whoever asks
knows the answers of all runs (`Case.rivals`). A reader of one run does not: it reads the run's place, which is kept
under the texts of that run when a ranking is known (`ragdash.matching.views.rankings`).

Letters: M answers of a query.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Protocol

from ragdash.models.judge.prompts import AS_DATA, as_data
from ragdash.models.judge.question import Question
from ragdash.models.judge.tasks.prompt_texts import (
    TEXT,
    UNDEFINED,
    array_of,
    join_blocks,
    object_of,
    question_block,
    too_long,
)
from ragdash.models.judge.tasks.registry import Case, Judgment, TaskSteps
from ragdash.models.judge.tasks.vote_order import references_of_vote, vote_order

PLACE = "Place:"  # of the task of a place that is kept; nobody is asked it
MOST_ANSWERS = 26  # different answers that one call ranks
NO_RIVALS, TOO_MANY = "no-rivals", "too-many-answers"


class RankingCriterion(Protocol):
    """What a ranking reads of a rubric (`ragdash.models.judge.tasks.rubrics.Rubric`)."""

    name: str
    question: str
    anchors: tuple[tuple[str, str], ...]
    sees: tuple[str, ...]
    column: str
    version: str
    digest: str


@dataclass(frozen=True)
class Place:
    """Where an answer is ranked: above and level are numbers of other answers, of `others`; letter: its name in the
    call.
    """

    others: int
    above: int
    level: int
    letter: str = ""

    @property
    def share(self) -> float:
        """Share of the other answers that it is ranked above, ties count half.

        Examples
        --------
        >>> Place(others=3, above=1, level=1).share
        0.5
        """
        return (self.above + self.level / 2) / self.others

    def __str__(self) -> str:
        rank = self.others - self.above - self.level + 1
        letter = f", answer {self.letter}" if self.letter else ""
        return f"rank {rank} of {self.others + 1}{f', tied with {self.level}' if self.level else ''}{letter}"


def place_of(answer: str, answers: Sequence[str], ranks: Mapping[str, int], letter: str = "") -> Place:
    """Where a text is among the answers (M,) of all runs, which may be equal texts.

    Examples
    --------
    >>> place_of("a", ["a", "b", "c", "b"], {"a": 1, "b": 2, "c": 2})
    Place(others=3, above=3, level=0, letter='')
    >>> place_of("b", ["a", "b", "c", "b"], {"a": 1, "b": 2, "c": 2}).share
    0.3333333333333333
    """
    others = list(answers)
    others.remove(answer)
    return Place(len(others), sum(ranks[text] > ranks[answer] for text in others),
                 sum(ranks[text] == ranks[answer] for text in others), letter)


def answer_order(texts: Sequence[str], case: Case, rubric: RankingCriterion) -> list[str]:
    """The different answers in the order in which a vote shows them: drawn for each query, another one for each vote.

    The seed is the rubric's digest with the query id, so the order depends neither on the runs' names nor on their
    order.
    """
    different = sorted(set(texts))
    random.Random(f"{rubric.digest} {case.query_id}").shuffle(different)
    return [different[i] for i in vote_order(len(different), case.vote)]


def answer_letters(case: Case, rubric: RankingCriterion) -> dict[str, str]:
    """{letter: answer} as a vote shows them."""
    answers = [text for _, text in case.rivals or () if text and text.strip()]
    return dict(zip(ascii_uppercase, answer_order(answers, case, rubric), strict=False))


def rank_answers(rubric: RankingCriterion, case: Case, criterion: str) -> TaskSteps:
    """The asking of a case: about the answers of all runs, or the place that is kept where only one run is known."""
    if case.rivals is None:
        reply, = yield [place_question(rubric, case, criterion)]
        row = dict(reply.value)
        share = row.pop("share", None)
        if not isinstance(share, int | float) or not 0 <= share <= 1:  # from a file that somebody changed
            return Judgment(UNDEFINED, "wrong-shape")
        return Judgment(share, rows=(row,), among=str(row.get("among", "")))
    answers = [text for _, text in case.rivals if text and text.strip()]
    over = too_long(*answers, *(case.references if "references" in rubric.sees else ()))
    if over:
        return over
    if len(answers) < 2:
        return Judgment(UNDEFINED, NO_RIVALS)
    if len(set(answers)) > MOST_ANSWERS:
        return Judgment(UNDEFINED, TOO_MANY)
    letters = answer_letters(case, rubric)
    ranks, reason = dict.fromkeys(letters.values(), 1), "All answers are the same text."
    if len(letters) > 1:
        reply, = yield [_question(rubric, case, criterion, letters)]
        ranks = {letters[row["id"]]: int(row["rank"]) for row in reply.value["ranking"]}
        reason = reply.value["reason"]
    letter = next(letter for letter, text in letters.items() if text == case.answer)
    place = place_of(str(case.answer), answers, ranks, letter)
    among = runs_ranked(case)
    return Judgment(place.share, rows=({"verdict": str(place), "reason": reason, "among": among},), among=among)


def runs_ranked(case: Case) -> str:
    """Which runs a ranking is among: "3 runs ranked (1f0c9a3b)"; values of other sets of runs do not compare."""
    import hashlib

    digests = sorted(run for run, _ in case.rivals or ())
    return f"{len(digests)} runs ranked ({hashlib.blake2b(' '.join(digests).encode(), digest_size=4).hexdigest()})"


def place_question(rubric: RankingCriterion, case: Case, criterion: str) -> Question:
    """What the place of an answer is kept under: the rubric and the texts of its own run. It is never asked."""
    references = list(case.references) if "references" in rubric.sees else []
    return Question(f"{PLACE}{rubric.name}", f"{rubric.version}-{rubric.digest}", "place", json.dumps(
        [case.query_id, case.question, case.answer, references, criterion,
         *([case.history] if case.history else [])]), {"type": "object"})


def ranking_prompt(rubric: RankingCriterion) -> str:
    """The instructions to the judge."""
    meanings = [f"{label}: {text}" for label, text in rubric.anchors]
    column = ["The criterion of this query is between <criterion> and </criterion>; apply it."] if rubric.column else []
    return "\n".join([
        f"You rank answers to one question by one criterion. {AS_DATA}", f"The criterion: {rubric.question.strip()}",
        *column, *(["What counts, the best first:", *meanings] if meanings else []),
        "The answers are in random order, and their letters mean nothing. Compare what they say, not how long they are "
        "or where they come.",
        "Give a short reason first. Then give every answer, by its letter in \"id\", exactly once with its rank: 1 for "
        "the best. Answers that are equally good get the same rank.",
        "Judge by this criterion alone, whatever else is good or bad about the texts."])


def _question(rubric: RankingCriterion, case: Case, criterion: str, letters: Mapping[str, str]) -> Question:
    blocks = {"question": question_block(case),
              "references": [as_data("reference", text) for text in references_of_vote(case)]}
    text = join_blocks(as_data("criterion", criterion) if criterion else "",
                       *(blocks[name] for name in ("question", "references") if name in rubric.sees),
                       [as_data("answer", answer, id=letter) for letter, answer in letters.items()])
    entry = object_of(id=TEXT, rank={"type": "integer", "minimum": 1, "maximum": len(letters)})
    schema = object_of(reason=TEXT, ranking=array_of(entry, minItems=len(letters), maxItems=len(letters)))
    return Question(f"Rubric:{rubric.name}", f"{rubric.version}-{rubric.digest}", ranking_prompt(rubric), text, schema,
                    ids=tuple(letters))
