"""How much the mean of a metric could rise at most if the queries of a stage were fixed.

Letters: Q queries of the truth, R judgments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from ragdash.analysis.diagnosis.stages import FINE, NAMES
from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.compare import direction, select_comparable
from ragdash.evaluation.evaluate import Evaluation
from ragdash.matching.match import Match
from ragdash.matching.views.ranked import Ranked, ordinal
from ragdash.metrics import Spec, cutoff_array, parse_specs
from ragdash.metrics.docs.human_agreement import asked_of_answers
from ragdash.models.judge.tasks import TASKS

OF_RETRIEVAL = NAMES[:NAMES.index("below-threshold") + 1]  # stages whose fixes change what is retrieved
RANKED_LOW = "ranked-low"  # no stage: enough relevant documents are in the first k, and a better ranking is possible
LEAST = 1e-9  # a gap below this is rounding


@dataclass(frozen=True)
class Gain:
    """stage: its name; n: its queries; defined: those of them with a value of the metric; at_most: by how much the
    mean would move towards better, 0 or more; NaN where there are queries and none has a value.
    """

    stage: str
    n: int
    defined: int
    at_most: float


@dataclass(frozen=True, eq=False)
class BestValues:
    """The best value that each query could have. judged_query, judged_grade (R,): by query and grade descending."""

    queries: int
    judged_query: np.ndarray
    judged_grade: np.ndarray

    @classmethod
    def of(cls, match: Match) -> BestValues:
        return cls(len(match.query_ids), match.truth.queries, match.truth.grades)

    def values(self, spec: Spec, by: str = "id") -> np.ndarray:
        """(Q,) float64; by: "id" or "evidence", as documents were matched.

        By id, for a metric of relevance, its value where the relevant documents and nothing else are returned, best
        first; where no document is relevant, 0. Else the better end of the metric's range; where that is infinite, the
        former again for a metric of rankings by id, NaN otherwise.
        """
        end = spec.range[1] if direction(spec) == 1 else spec.range[0]
        best = np.full(self.queries, end if np.isfinite(end) else np.nan)
        if spec.metric.view != "Ranked" or by != "id" or (np.isfinite(end) and not spec.metric.relevance):
            return best
        cutoffs = () if spec.metric.cutoff == "none" else (cutoff_array([spec]),)
        params = {key: value for key, value in spec.params if key != "average"}
        ideal = self._ideal()
        ideal_values = np.asarray(spec.metric.function(ideal, *cutoffs, **params)).reshape(self.queries)
        bare = spec.metric.relevance & (ideal.relevant(params.get("rel", 1)) == 0)
        return np.where(bare, 0.0, np.where(np.isnan(ideal_values), best, ideal_values))

    def _ideal(self) -> Ranked:
        """The view of a run that returns every relevant document, best first, and nothing else."""
        keep = self.judged_grade >= 1
        query, grade = self.judged_query[keep], self.judged_grade[keep]
        n = self.queries
        return Ranked(query, ordinal(query), grade, np.full(len(query), np.nan), self.judged_query, self.judged_grade,
                      np.bincount(query, minlength=n), np.zeros(n, bool), None, np.zeros((n, 2), np.int64),
                      np.zeros(0, np.int64))


@dataclass(frozen=True, eq=False)
class RankedLow:
    """What no stage explains of the gap of a metric of rankings: relevant documents are there, but ranked low.

    queries (Q,) bool: those that pass every stage of retrieval and whose value is below the best possible one; at_most:
    by how much the mean would rise if all of them had it.
    """

    queries: np.ndarray
    at_most: float


def gains(stage: np.ndarray, query_ids: pa.StringArray, best: BestValues, evaluation: Evaluation, spec: Spec | str,
          queries: np.ndarray | None = None) -> tuple[Gain, ...]:
    """A Gain for each stage but "fine", in their order. queries (Q,) bool: those that count (default all).

    at_most(s) = 1/n * sum over queries q of stage s with a value of |best_q - value_q|, n: all queries with a value.
    That is the mean of the spec if all queries of the stage had the best possible value there (Best.values), minus
    the mean as it is, towards better. An upper bound: what is fixed at one stage may fail at the next, and queries
    without a value stay without one. For a metric of rankings the gains of the stages of retrieval and that of
    `ranked_low` add up to the way from the mean to the best possible one. Raises InputError for a spec that is no mean
    with a better direction, and for an evaluation of other queries; KeyError where it lacks the spec.
    """
    spec = parse_specs([spec])[0]
    short, defined = _shortfall(query_ids, best, evaluation, spec, queries)
    included = np.ones(len(stage), bool) if queries is None else queries
    n = int(defined.sum())
    return tuple(_gain(name, (stage == s) & included, defined, short, n) for s, name in enumerate(NAMES) if s != FINE)


def ranked_low(stage: np.ndarray, query_ids: pa.StringArray, best: BestValues, evaluation: Evaluation,
               spec: Spec | str, queries: np.ndarray | None = None) -> RankedLow | None:
    """What is left of the gap where every stage of retrieval passes; None for a metric that measures no rankings.

    Parameters and errors as in `gains`.
    """
    spec = parse_specs([spec])[0]
    if spec.metric.view not in ("Ranked", "Covered"):
        return None
    short, defined = _shortfall(query_ids, best, evaluation, spec, queries)
    late = ~np.isin(stage, [NAMES.index(name) for name in OF_RETRIEVAL]) & defined & (short > LEAST)
    return RankedLow(late, float(short[late].sum() / max(defined.sum(), 1)))


def _shortfall(query_ids: pa.StringArray, best: BestValues, evaluation: Evaluation, spec: Spec,
               queries: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(how far each value is from the best possible one, which queries have a value and count): (Q,) each."""
    problems = [replace(problem, severity="error") for problem in select_comparable(evaluation, [spec])[1]]
    if not evaluation.query_ids.equals(query_ids):
        problems.append(Problem("different-queries/diagnosis", {"run": evaluation.name}, field="query_id"))
    if problems:
        raise InputError(problems)
    values = evaluation.column(spec)
    short = np.maximum((best.values(spec, evaluation.settings["match"]) - values) * direction(spec), 0.0)
    return short, ~np.isnan(values) & (True if queries is None else queries)


def movable_stages(spec: Spec) -> tuple[str, ...]:
    """The stages whose fixes can move a metric: to fix answers changes nothing that measures rankings, and no fix is
    about speed. A wrong answer can be faithful or relevant already.

    Examples
    --------
    >>> [("wrong-answer" in movable_stages(parse_specs(name)[0])) for name in ("nDCG@10", "TokenF1", "Latency")]
    [False, True, False]
    >>> ["wrong-answer" in movable_stages(parse_specs(name)[0]) for name in ("Faithfulness", "Correctness")]
    [False, True]
    """
    if spec.metric.view == "Timed":
        return ()
    if spec.metric.view in ("Ranked", "Covered"):
        return OF_RETRIEVAL
    return NAMES if _depends_on_rightness(spec) else tuple(name for name in NAMES if name != "wrong-answer")


def _depends_on_rightness(spec: Spec) -> bool:
    """Whether a metric can show that an answer is right: not one of contexts, grounding or relevance."""
    if spec.metric.family == "judged":
        task = TASKS.get(spec.name)
        return task is not None and {"answer", "references"} <= set(task.needs)
    return asked_of_answers(spec) == "right"


def _gain(name: str, in_stage: np.ndarray, defined: np.ndarray, short: np.ndarray, n: int) -> Gain:
    total, with_value = int(in_stage.sum()), int((in_stage & defined).sum())
    at_most = 0.0 if not total else float(short[in_stage & defined].sum() / n) if with_value else np.nan
    return Gain(name, total, with_value, at_most)
