"""What to choose of the runs that tie for best, what speaks against that choice, and a hybrid that would be better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ragdash.analysis.failure_patterns.traits import outcome_attributes
from ragdash.core.errors import InputError, Unavailable
from ragdash.core.records import Truth
from ragdash.core.slices import slices
from ragdash.evaluation.compare import Comparison, ComparisonRules, test_family
from ragdash.evaluation.evaluate import Evaluation
from ragdash.evaluation.latency_cost import UNKNOWN, Amount, PriceTable, pareto_front, run_cost
from ragdash.evaluation.outcomes import direction
from ragdash.evaluation.stats import sign_test
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_specs

CLOSE = 1.1  # times as cheap: less is no reason to choose a run
LEANING = 0.1  # p of a sign test, not corrected: below it, another metric leans to another run
MUCH_DEARER = 1.25  # times the price of the other run: from here on it speaks against a better run
NOTICED = 100.0  # milliseconds per query: nobody notices less
LEAST_LEAN = 0.02  # a smaller difference is not worth a sentence
MOST_KINDS = 2  # kinds of queries that are named as speaking against a choice
UNITS = ("$", "ms")
MOST_RUNS = 8  # among more runs, the corrected test of all pairs finds hardly any difference within a slice


@dataclass(frozen=True)
class Paid:
    """What a query takes on average of each run of which it is known.

    unit: dollars or milliseconds, one of UNITS; column: that of times whose unit is not known, so that there are none.
    search_stages: the stages that the times of every run are of, where none is of an answer; () elsewhere.
    """

    unit: str
    means: Mapping[str, float]
    column: str = ""
    search_stages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lean:
    """Another metric by which a run that ties for best looks better than the run to choose; no tested difference.

    value, rival_value: their means; better, worse: queries on which the run is better and worse; n: queries of both.
    """

    spec: Spec
    run: str
    rival: str
    value: float
    rival_value: float
    better: int
    worse: int
    n: int


@dataclass(frozen=True)
class HybridGain:
    """A hybrid that is better than each of its runs: its mean on held-out queries, and it against the best of them.

    Attributes
    ----------
    runs, method, params, window, spec
        What is fused, how that method is called, its parameters and window, and the metric.
    value
        Its mean.
    baseline, difference, low, high
        The best of the runs, and the hybrid minus that one with the interval.
    time, cost
        Milliseconds and dollars per query that it takes more than the best of the runs, with parallel searches; from
        what the runs recorded.
    loaded, same
        Hybrids among the runs shown that are not fused: those of another fusion, and those of this one.
    """

    runs: tuple[str, ...]
    method: str
    spec: Spec
    value: float
    baseline: str
    difference: float
    low: float
    high: float
    loaded: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    params: Mapping[str, object] = field(default_factory=dict)
    window: int | None = None
    time: Amount = UNKNOWN
    cost: Amount = UNKNOWN


@dataclass(frozen=True)
class Advice:
    """What a verdict means for a choice.

    Attributes
    ----------
    choice
        The run to choose; None where the numbers do not say it.
    paid
        By what it is chosen among runs that tie for best.
    leans
        What speaks against the choice, a metric each.
    slices
        Kinds of queries on which another run is significantly better than the run to choose, the largest difference
        of an attribute each.
    dearer
        By what the run to choose is much dearer or slower than the baseline, or than the next best run: both means.
    hybrid
        A better hybrid, where one is known.
    unread_times
        The column of times that nothing was chosen by, because their unit is not known.
    """

    choice: str | None = None
    paid: Paid | None = None
    leans: tuple[Lean, ...] = ()
    slices: tuple[Comparison, ...] = ()
    dearer: tuple[Paid, ...] = ()
    hybrid: HybridGain | None = None
    unread_times: str = ""

    def as_dict(self) -> dict:
        """The advice for JSON."""
        return {
            "choice": self.choice,
            "choice_by": None if self.paid is None else {
                "unit": self.paid.unit,
                "means": [{"run": run, "mean": mean} for run, mean in self.paid.means.items()]},
            "leans": [{"metric": str(lean.spec), "run": lean.run, "value": lean.value, "other_run": lean.rival,
                       "other_value": lean.rival_value, "better": lean.better, "worse": lean.worse, "n": lean.n}
                      for lean in self.leans],
            "slices": [{"attribute": pair.slice.attribute, "value": pair.slice.value, "run": pair.baseline,
                        "other_run": pair.candidate, "difference": pair.mean_difference, "low": pair.low,
                        "high": pair.high, "n": pair.n} for pair in self.slices if pair.slice is not None],
            "hybrid": None if self.hybrid is None else {
                "runs": list(self.hybrid.runs), "method": self.hybrid.method, "params": dict(self.hybrid.params),
                "window": self.hybrid.window, "held_out": self.hybrid.value,
                "baseline": self.hybrid.baseline, "difference": self.hybrid.difference,
                "low": self.hybrid.low, "high": self.hybrid.high, "more_ms": self.hybrid.time.mean,
                "more_usd": self.hybrid.cost.mean}}


@dataclass(frozen=True)
class AdviceFacts:
    """What advice rests on besides the comparison: values of other metrics, what each run takes, a better hybrid.

    by_slice: gives every other run against this one, within the slices by each attribute of the queries.
    """

    evaluations: Sequence[Evaluation] = ()
    paid: Sequence[Paid] = ()
    hybrid: HybridGain | None = None
    by_slice: Callable[[str], Iterable[Comparison]] | None = None


def lean_specs(lead: Spec, answers: Sequence[Spec] = ()) -> list[Spec]:
    """The metrics that can speak against a choice by the metric of the verdict: misses, recall, then right answers.

    answers: what is known of the answers (`evidence_specs`); a judge's scores are taken of it.

    Examples
    --------
    >>> from ragdash.metrics import parse_spec
    >>> lean_specs(parse_spec("nDCG@5")), lean_specs(parse_spec("EM"))
    ([Success@5, R@5], [])
    """
    if lead.metric.view != "Ranked" or lead.metric.better is None or lead.file_column:
        return []
    k = lead.k or 10
    judged = [spec for spec in answers if spec.metric.view == "Judged"]
    return [*(spec for spec in parse_specs([f"Success@{k}", f"R@{k}"]) if spec != lead), *judged]


def paid_of(names: Sequence[str], repeats: Sequence[Sequence[Match]], queries: np.ndarray | None = None,
            prices: PriceTable | None = None) -> list[Paid]:
    """Dollars and milliseconds per query of each run, over the repeats of its configuration."""
    means: dict[str, dict[str, float]] = {unit: {} for unit in UNITS}
    for name, matches in zip(names, repeats, strict=True):
        for unit, values in _taken(name, matches, queries, prices or PriceTable()).items():
            if values.size and np.isfinite(values).any():
                means[unit][name] = float(np.nanmean(values))
    unread = [problem.facts["name"] for matches in repeats for match in matches for problem in match.run.problems
              if problem.kind == "time-unit" and "field" in problem.facts]  # a field to choose: no unit was taken
    timed = [matches for name, matches in zip(names, repeats, strict=True) if name in means["ms"]]
    stages = {"ms": search_stages(match for matches in timed for match in matches)}
    return [*(Paid(unit, runs, search_stages=stages.get(unit, ())) for unit, runs in means.items() if runs),
            *(Paid("ms", {}, name) for name in unread[:1])]


def search_stages(matches: Iterable[Match]) -> tuple[str, ...]:
    """The stages that all times of these runs are of, sorted; () where the time of an answer is in one, or none is."""
    known = []
    for match in matches:
        try:
            known.append(match.timed)
        except (Unavailable, InputError):
            continue
    timed = [view for view in known if "total" in view.stages]
    alone = all(view.is_search_alone for view in timed)
    return tuple(sorted({stage for view in timed for stage in view.stages} - {"total"})) if alone else ()


def _taken(name: str, matches: Sequence[Match], queries: np.ndarray | None,
           prices: PriceTable) -> dict[str, np.ndarray]:
    taken: dict[str, list[np.ndarray]] = {unit: [] for unit in UNITS}
    for match in matches:
        try:
            timed = match.timed
        except (Unavailable, InputError):
            continue
        taken["$"].append(run_cost(timed, match.run.settings, prices, name).values)
        if "total" in timed.stages:
            taken["ms"].append(timed.stages["total"])
    return {unit: np.concatenate([rows if queries is None else rows[queries] for rows in values] or [np.empty(0)])
            for unit, values in taken.items()}


def cheapest(names: Sequence[str], quality: np.ndarray, options: Sequence[Paid]) -> tuple[str | None, Paid | None]:
    """The cheapest run of several that are as good, or the fastest, and by what; the best of those that take the same.

    quality: (N,), higher is better. None where fewer than two runs have a price or a time. It is always on the front
    of quality and price (`ragdash.evaluation.latency_cost.pareto_front`).

    Examples
    --------
    >>> cheapest(["a", "b"], np.array([0.7, 0.6]), [Paid("ms", {"a": 20.0, "b": 2.0})])[0]
    'b'
    """
    chosen: tuple[str | None, Paid | None] = None, None
    for paid in options:
        price = np.array([paid.means.get(name, np.nan) for name in names])
        if np.isfinite(price).sum() < 2:
            continue
        near = np.where(price <= CLOSE * np.nanmin(price), np.nanmin(price), price)
        front = np.flatnonzero(pareto_front(quality, near))
        best = front[int(np.argmin(near[front]))]
        if chosen[0] is None or (near > near[best]).any():
            chosen = names[best], paid
        if (near > near[best]).any():
            break
    return chosen


def dearer_by(choice: str, rival: str, options: Sequence[Paid]) -> tuple[Paid, ...]:
    """By what a run is much dearer than another: the means of the two, the run to choose first.

    Examples
    --------
    >>> dearer_by("a", "b", [Paid("ms", {"a": 1900.0, "b": 1300.0}), Paid("$", {"a": 0.01})])
    (Paid(unit='ms', means={'a': 1900.0, 'b': 1300.0}, column='', search_stages=()),)
    >>> dearer_by("a", "b", [Paid("ms", {"a": 20.0, "b": 2.0})])
    ()
    """
    pairs = [replace(paid, means={run: paid.means[run] for run in (choice, rival)}) for paid in options
             if {choice, rival} <= paid.means.keys()]
    return tuple(pair for pair in pairs if pair.means[choice] >= MUCH_DEARER * pair.means[rival]
                 and pair.means[choice] >= (NOTICED if pair.unit == "ms" else 0) and pair.means[choice] > 0)


def slices_against(pairs: Iterable[Comparison], rivals: Sequence[str]) -> tuple[Comparison, ...]:
    """Of each attribute the kind of queries on which one of these rivals is better by most; the largest first."""
    largest: dict[str, Comparison] = {}
    for pair in sorted(pairs, key=lambda pair: -abs(pair.mean_difference)):
        if pair.slice is not None and pair.outcome == "better" and pair.candidate in rivals:
            largest.setdefault(pair.slice.attribute, pair)
    return tuple(largest.values())[:MOST_KINDS]


def leans_of(choice: str, rivals: Sequence[str], evaluations: Sequence[Evaluation], specs: Sequence[Spec]
             ) -> tuple[Lean, ...]:
    """Of each metric the rival that it prefers most, where its queries lean clearly to that run."""
    by_name = {evaluation.name: evaluation for evaluation in evaluations}
    clearest = []
    for spec in specs:
        leans = [_lean(spec, choice, rival, by_name) for rival in rivals if {choice, rival} <= by_name.keys()]
        clear = [lean for lean in leans if lean is not None]
        if clear:
            clearest.append(max(clear, key=lambda lean: abs(lean.rival_value - lean.value)))
    return tuple(clearest)


def _lean(spec: Spec, choice: str, rival: str, by_name: Mapping[str, Evaluation]) -> Lean | None:
    values, rival_values = by_name[choice].column(spec), by_name[rival].column(spec)
    both = np.isfinite(values) & np.isfinite(rival_values)
    differences = direction(spec) * (rival_values[both] - values[both])
    if not len(differences) or differences.mean() < LEAST_LEAN or not sign_test(differences[:, None])[0] < LEANING:
        return None
    return Lean(spec, choice, rival, float(values[both].mean()), float(rival_values[both].mean()),
                int((differences < 0).sum()), int((differences > 0).sum()), len(differences))


def compared_by_slice(evaluations: Sequence[Evaluation], spec: Spec, truth: Truth, rules: ComparisonRules,
                      queries: np.ndarray | None = None) -> Callable[[str], Iterator[Comparison]]:
    """Give the function that `AdviceFacts.by_slice` is: every other run against one, within each attribute's slices.

    queries (Q,) bool: those that the evaluations have; None: all. An attribute that says how a run did, such as
    failure_type, is left out: the queries that one run answers well are no kind of queries. The family of an attribute
    is all pairs of runs in all of its slices, as in `compare_slices`. The function gives nothing for more than
    MOST_RUNS runs.
    """
    def compared(run: str) -> Iterator[Comparison]:
        if len(evaluations) > MOST_RUNS:
            return
        index = [evaluation.name for evaluation in evaluations].index(run)
        outcomes = outcome_attributes(truth)
        for parts in [parts for attribute, parts in slices(truth).items() if attribute not in outcomes]:
            asked = [part if queries is None else replace(part, queries=part.queries[queries]) for part in parts]
            asked = [part for part in asked if part.queries.any()]
            if len(asked) > 1:
                family = test_family(evaluations, spec, rules, asked)
                for place in range(len(asked)):
                    yield from family.against(index, place)

    return compared
