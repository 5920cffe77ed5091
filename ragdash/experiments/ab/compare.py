"""Two configurations asked and compared: the verdict is that of the paired test, not of the larger mean."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ragdash.core.errors import Problem
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.evaluation.compare import Comparison, ComparisonRules, compare, select_comparable
from ragdash.evaluation.evaluate import Evaluation, evaluate_match
from ragdash.evaluation.scoring.default_judges import with_default_judges
from ragdash.experiments.ab.budget import CostBudget
from ragdash.experiments.ab.runner import Configuration, ask_all
from ragdash.experiments.ab.sampling import truth_without
from ragdash.matching.match import Match, Matching
from ragdash.metrics import DEFAULT_SPECS, Spec, parse_specs

OF_ANSWERS = "TokenF1"
OF_TIME = "Latency"


@dataclass(frozen=True)
class Result:
    """What came of both: their runs, their values, and b against a on each metric.

    problems: what is worth knowing of runs, truth and metrics, failed queries among it.
    """

    a: Run
    b: Run
    evaluations: tuple[Evaluation, Evaluation]
    comparisons: tuple[Comparison, ...]
    problems: tuple[Problem, ...]


@checked
def ab(a: Configuration, b: Configuration, truth: Truth, *, metrics: str | Sequence[str | Spec] | None = None,
       rules: ComparisonRules | None = None, conventions: Conventions | None = None, matching: Matching | None = None,
       **options) -> Result:
    """Ask two configurations the questions of a truth, and compare b with the baseline a, query by query.

    Parameters
    ----------
    a, b
        What is asked.
    truth
        The questions, and what is right.
    metrics
        As in `evaluate`; default: the usual metrics for what the truth and the runs have.
    rules, conventions, matching
        As in `compare` and `evaluate`.
    options
        Of `ask_all`.

    Returns
    -------
    Result
        Both runs and their comparison, on the queries that were asked. A failed query is missing in its run; the
        convention `missing` decides.
    """
    rules, conventions = rules or ComparisonRules(), conventions or Conventions()
    runs = ask_all([a, b], truth, **options)
    truth = _asked(truth, options.get("only"), options.get("budget"))
    specs = usual_metrics(runs, truth) if metrics is None else parse_specs(metrics)
    matches = [Match(run, truth, conventions, matching or Matching()) for run in runs]
    baseline, candidate = evaluations = tuple(
        evaluate_match(match, specs) for match in with_default_judges(matches, specs))
    usable_specs, left_out = select_comparable(baseline, specs)
    row, = compare(baseline, [candidate], usable_specs, rules)
    problems = dict.fromkeys([*left_out, *baseline.problems, *candidate.problems])
    return Result(*runs, evaluations, tuple(row), tuple(problems))


def _asked(truth: Truth, only: Collection[str] | None, budget: CostBudget | None) -> Truth:
    """The truth of the queries that were to be asked and fit the budget."""
    left_out = set() if only is None else set(truth.query_ids.to_pylist()) - set(only)
    return truth_without(truth, left_out | (budget.left_out if budget else frozenset()))


def usual_metrics(runs: Sequence[Run], truth: Truth) -> tuple[Spec, ...]:
    """What is looked at where nothing is chosen: the usual metrics of retrieval where documents are judged and were
    returned, token F1 where there are answers and references, and the latency."""
    specs = list(DEFAULT_SPECS) if truth.judgments and any(len(run.docs) for run in runs) else []
    references = truth.details is not None and "answers" in truth.details.column_names
    if references and all(run.details is not None and "answer" in run.details.column_names for run in runs):
        specs += parse_specs(OF_ANSWERS)
    return (*specs, *parse_specs(OF_TIME))
