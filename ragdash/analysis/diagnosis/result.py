"""What a diagnosis says: the stage of each query with its reasons, counts, the waterfall, what each fix could gain.

Letters: Q queries of the truth, S stages, L slices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ragdash.analysis.diagnosis.potential_gain import BestValues, Gain, RankedLow, gains, ranked_low
from ragdash.analysis.diagnosis.rules import DiagnosisRules
from ragdash.analysis.diagnosis.stages import ASIDE, FAILURES, FINE, OPTIONAL, STAGES, WAY, Stage, number
from ragdash.core.errors import Problem, UnknownKey
from ragdash.evaluation.evaluate import Evaluation
from ragdash.metrics import Spec

OF_ANSWERS = ("wrong-answer", "refused", "answered-unanswerable")  # stages of answers that are wrong
ANSWER_OUTCOMES = ("right", "wrong", "wrongly declined")


class Declined(NamedTuple):
    """How many answers decline, and whether they may; the total is the sum of the four others.

    rightly: the question has no answer, a reference declines, or a label or judge says that it is right; at_stage:
    wrongly, with the documents found (the stage "refused"); earlier: wrongly, at an earlier stage; unknown: nothing
    shows whether the question has an answer; answers: those that say something.
    """

    total: int
    rightly: int
    at_stage: int
    earlier: int
    unknown: int
    answers: int

    @property
    def wrongly(self) -> int:
        """Those that decline although the question has an answer."""
        return self.at_stage + self.earlier


class RightAnswers(NamedTuple):
    """How many answers are right and wrong, and at which stages: a query is at one stage, its first failure.

    failing: right ones at a stage of failure all the same; stages: {title: wrong ones} of the stages that are about
    the answer; earlier: wrong ones at an earlier stage.
    """

    right: int
    wrong: int
    failing: int
    stages: Mapping[str, int]
    earlier: int


@dataclass(frozen=True)
class WaterfallStep:
    """A step of the waterfall, named as the stage of those who do not pass it.

    reached: queries that come here; lost: those of them that go no further; unknown: those for which it cannot be
    assessed, which go on. The next step is reached by reached - lost.
    """

    name: str
    title: str
    reached: int
    lost: int
    unknown: int


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """A run's queries by the first stage at which they went wrong. Make one with `diagnose`.

    stage (Q,) int8: index into STAGES; known (S, Q) bool: whether the check of that stage could be made for the query
    (of "fine": whether any could); numbers: what the checks looked at, (Q,) float64 each, NaN where not known
    (ragdash.analysis.diagnosis.explanations says what they are); kinds: the edge cases that the truth marks, (Q,)
    bool each;
    own_contexts: the contexts are those that the run lists; label_column: the column of the file with the labels that
    say whether an answer is right, "" for none; judge: whose verdicts say so next, "" for none; reasons: {stage: why
    its check could be made for no query}; rules and settings: what is needed to get it again.
    """

    run: str
    digest: str
    truth_digest: str
    query_ids: pa.StringArray
    rules: DiagnosisRules
    stage: np.ndarray
    known: np.ndarray
    numbers: Mapping[str, np.ndarray]
    kinds: Mapping[str, np.ndarray]
    best: BestValues
    own_contexts: bool = False
    label_column: str = ""
    judge: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        return f"<Diagnosis of {self.run!r}: {self.counts()[FINE]:,} of {len(self.query_ids):,} queries fine>"

    def in_stage(self, name: str) -> np.ndarray:
        """The queries of a stage: (Q,) bool. KeyError for a name that is none."""
        return self.stage == number(name)

    def counts(self, queries: np.ndarray | None = None) -> np.ndarray:
        """Queries of each stage: (S,) int64, their sum is Q. queries (Q,) bool: those that count (default all)."""
        return np.bincount(self.stage if queries is None else self.stage[queries], minlength=len(STAGES))

    def waterfall(self, queries: np.ndarray | None = None) -> tuple[WaterfallStep, ...]:
        """The way from relevant documents to a right and grounded answer, then, aside, the questions that have none.

        All who take the way reach its first step. Those with a question that has no answer, and an answer to judge,
        take the other: the last step is reached by them alone. The step of permissions is left out where the truth does
        not say what is allowed. queries (Q,) bool: those that count (default all).
        """
        included = np.ones(len(self.stage), bool) if queries is None else queries
        steps = []
        for stages, reaching in ((WAY, included & ~self.aside), (ASIDE, included & self.aside)):
            for name in stages:
                if not self.mentions(name):
                    continue
                lost = reaching & self.in_stage(name)
                unknown = reaching & ~self.known[number(name)]
                steps.append(WaterfallStep(name, self.passed(name), int(reaching.sum()), int(lost.sum()),
                                  int((unknown & ~lost).sum())))
                reaching = reaching & ~lost
        return tuple(steps)

    def mentions(self, name: str) -> bool:
        """Whether a stage is shown: that of permissions only where the truth says what is allowed."""
        return name not in OPTIONAL or bool(self.known[number(name)].any())

    @property
    def aside(self) -> np.ndarray:
        """Queries judged as questions without an answer: (Q,) bool."""
        return self.known[number("answered-unanswerable")]

    @property
    def answer_outcomes(self) -> np.ndarray:
        """ "right", "wrong" or "wrongly declined" (there is an answer), "" where nothing shows it: (Q,) str."""
        declines = self.numbers["declines"] == 1
        right = (self.numbers["right"] == 1) | (declines & self.aside)
        right_name, wrong, refused = ANSWER_OUTCOMES
        return np.select([right, declines, self._judged & (self.numbers["answered"] == 1)],
                         [right_name, refused, wrong], "")

    @property
    def _judged(self) -> np.ndarray:
        """Queries of which it is known whether the answer is right, whatever it is: (Q,) bool."""
        return np.isfinite(self.numbers["right"]) | (self.aside & np.isfinite(self.numbers["declines"]))

    @property
    def right_answers(self) -> np.ndarray:
        """1 for a right answer, 0 for one that is wrong or wrongly declines, NaN where nothing shows it: (Q,).

        Of a query whose right answer is not known only a wrong one could be seen: it is left out.
        """
        return np.where(self._judged, self.answer_outcomes == ANSWER_OUTCOMES[0], np.nan)

    @property
    def fails(self) -> np.ndarray:
        """Whether something went wrong, as far as it can be assessed: (Q,) bool."""
        return np.isin(self.stage, FAILURES)

    def count_right(self, queries: np.ndarray | None = None) -> RightAnswers:
        """How many answers are right, and where the others are. queries (Q,) bool: those that count (default all)."""
        included = np.ones(len(self.stage), bool) if queries is None else queries
        right, wrong = (included & (self.right_answers == value) for value in (1, 0))
        stages = {stage.title: int((wrong & self.in_stage(stage.name)).sum()) for stage in STAGES
                  if stage.name in OF_ANSWERS}
        stages = {title: n for title, n in stages.items() if n}
        failing = right & self.fails
        return RightAnswers(int(right.sum()), int(wrong.sum()), int(failing.sum()), stages,
                            int(wrong.sum()) - sum(stages.values()))

    def declined(self, queries: np.ndarray | None = None) -> Declined:
        """How many answers decline, rightly and wrongly. queries (Q,) bool: those that count (default all)."""
        included = np.ones(len(self.stage), bool) if queries is None else queries
        declines = included & (self.numbers["declines"] == 1)
        wrongly = declines & (self.answer_outcomes != ANSWER_OUTCOMES[0])
        unknown, at_stage = (wrongly & self.in_stage(name) for name in ("no-gold", "refused"))
        return Declined(*(int(rows.sum()) for rows in (
            declines, declines & ~wrongly, at_stage, wrongly & ~unknown & ~at_stage, unknown,
            included & np.isfinite(self.numbers["declines"]))))

    def passed(self, name: str) -> str:
        """What holds for those who come past a stage: "One in the first 10"."""
        return STAGES[number(name)].passed.format(k=self.rules.k)

    @property
    def unassessed(self) -> str:
        """The steps that could be assessed for no query, in the order of `waterfall`; "" for none.

        Those with the same reason are together.
        """
        steps: dict[str, list[str]] = {}
        for name in sorted(self.reasons, key=(*WAY, *ASIDE).index):
            steps.setdefault(self.reasons[name], []).append(self.passed(name))
        return "; ".join(f"{', '.join(names)} ({reason})" for reason, names in steps.items())

    def gains(self, evaluation: Evaluation, spec: Spec | str, queries: np.ndarray | None = None) -> tuple[Gain, ...]:
        """How much each fix could gain at most (ragdash.analysis.diagnosis.potential_gain): a Gain for each stage
        but "fine".

        evaluation: of all queries; queries (Q,) bool: those whose mean it is about (default all).
        """
        return gains(self.stage, self.query_ids, self.best, evaluation, spec, queries)

    def ranked_low(self, evaluation: Evaluation, spec: Spec | str, queries: np.ndarray | None = None
                   ) -> RankedLow | None:
        """What no stage of retrieval explains of the gap of a metric of rankings; None for other metrics.

        Parameters as in `gains`.
        """
        return ranked_low(self.stage, self.query_ids, self.best, evaluation, spec, queries)

    def stage_of(self, query: int | str) -> Stage:
        """The stage of a query, by its index or its id."""
        return STAGES[self.stage[self.index_of(query)]]

    def index_of(self, query: int | str) -> int:
        if isinstance(query, str):
            index = self.query_ids.index(query).as_py()
            if index < 0:
                raise UnknownKey("unknown-key/query", {"query": query, "name": self.run})
            return index
        if not 0 <= query < len(self.query_ids):
            raise UnknownKey("unknown-key/query", {"query": query, "name": self.run})
        return int(query)
