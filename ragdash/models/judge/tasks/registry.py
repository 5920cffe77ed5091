"""The tasks by the name of their metric, and what a task gets and gives."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ragdash.core.errors import InputError, Problem
from ragdash.models.judge.question import Question, Reply
from ragdash.models.judge.tasks.examples import RUBRICS, TASKS_WITH_EXAMPLES, examples_of

OF_RIGHT_ANSWERS = ("Correctness", "RAGAS.AnswerAccuracy")  # for these, declining may be the right answer
PREFIX = RUBRICS
EXAMPLE = "example"  # why a query is not judged whose text is in the prompt
NO_ANSWER = "The question has no answer in the documents."


@dataclass(frozen=True)
class Case:
    """The texts of one query. references: right answers, () where none is known; contexts: (chunk id, text) as the
    generator got them, None where that is not known; None for other texts that are not there; attributes: (name, text)
    of the query, for criteria of its own; vote: whose order of the texts this is; run: digest of all texts of the run,
    which no judge that is asked gets; no_answer: the question has no answer: its reference is empty, or
    it has none and the truth marks it so; rivals: (digest of the run's answers, answer) of all runs that a
    ranking is among, this one too; None where they are not known; history: (role, text) of what was said before the
    question, the oldest first.
    """

    query_id: str
    question: str | None = None
    answer: str | None = None
    references: tuple[str, ...] = ()
    contexts: tuple[tuple[str, str], ...] | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    vote: int = 0
    run: str = field(default="", compare=False)
    no_answer: bool = False
    rivals: tuple[tuple[str, str | None], ...] | None = None
    history: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Judgment:
    """What a task says of a case. value: NaN where it is missing for this reason (of MISSING, or in words); rows: what
    to read of it (claim, verdict, reason, chunks ...); flags: what is worth knowing ("vacuous", "cut"); versions: of
    the judge, as the endpoint called itself in the replies that this rests on, each once; among: which runs a ranking
    is among, "" for other values.
    """

    value: float
    missing: str | None = None
    rows: tuple[dict, ...] = ()
    flags: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    among: str = ""


TaskSteps: TypeAlias = Generator[Sequence[Question], Sequence[Reply], Judgment]
"""Yields questions, gets their replies (all with a value: where one is missing the asking ends), returns a `Judgment`.

It runs again to read stored verdicts, so what it yields may depend only on the case and on the replies.
"""


@dataclass(frozen=True)
class JudgedTask:
    """name: of the metric; needs: fields of a Case that must be there ("question", "answer", "references",
    "contexts"); ask: the function; calls: judge calls per query, in words. Metrics with the same questions share them.
    ordered: the value depends on the order of the contexts, which every vote keeps; version: of a rubric.
    """

    name: str
    needs: tuple[str, ...]
    ask: Callable[[Case], TaskSteps]
    calls: str = "1"
    ordered: bool = False
    version: str = ""

    def start(self, case: Case) -> TaskSteps:
        """The asking of a case; one that lacks a text, or is an example in the prompt, asks nothing and is missing."""
        lacking = self.lacks(case)
        examples = None if lacking else examples_of(self.name, self.version)
        if examples and examples.shows(case.query_id, case.question):
            return _lacking(EXAMPLE)
        return _lacking(lacking) if lacking else self.ask(self._with_reference(case))

    @property
    def counts_no_answer(self) -> bool:
        """Whether declining may be right: a question without an answer then has a reference that says so."""
        return self.name in OF_RIGHT_ANSWERS or self.name.startswith(PREFIX)

    def lacks(self, case: Case) -> str | None:
        """Why a case is not asked about: "no-answer", "no-contexts" ...; None where all texts are there."""
        case = self._with_reference(case)
        for name in self.needs:
            if not _has_text(getattr(case, name)):
                return f"no-{name}"
        return None

    def _with_reference(self, case: Case) -> Case:
        """The case; where the question has no answer, with a reference that says so in words."""
        if not case.no_answer or not self.counts_no_answer:
            return case
        return replace(case, references=(NO_ANSWER,))


TASKS: dict[str, JudgedTask] = {}


def register_task(name: str, needs: Sequence[str], calls: str = "1", ordered: bool = False,
                  examples_in: str = "") -> Callable[[Callable[[Case], TaskSteps]], Callable[[Case], TaskSteps]]:
    """Put a function into TASKS. calls: judge calls per query, in words; examples_in: the task of its questions, where
    the reply is one score, so that labels can be examples in the prompt.
    """
    def register(function: Callable[[Case], TaskSteps]) -> Callable[[Case], TaskSteps]:
        TASKS[name] = JudgedTask(name, tuple(needs), function, calls, ordered)
        if examples_in:
            TASKS_WITH_EXAMPLES[name] = examples_in
        return function

    return register


def find_task(name: str) -> JudgedTask:
    """The task of this name; InputError for another."""
    if name not in TASKS:
        raise InputError([Problem("not-a-judged-metric", {"name": name, "tasks": list(TASKS)}, field="--metrics")])
    return TASKS[name]


def _has_text(value: str | Iterable | None) -> bool:
    """Whether a text, or one of several texts or (name, text) pairs, has more than white space."""
    if isinstance(value, str):
        return bool(value) and not value.isspace()
    return any(_has_text(text[1] if isinstance(text, tuple) else text) for text in value or ())


def _lacking(reason: str) -> TaskSteps:
    return Judgment(float("nan"), reason)
    yield ()
