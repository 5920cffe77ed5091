"""Per-query values and their summaries: evaluate() and the Evaluation it returns.

Letters: Q queries (of the truth), M specs (columns), K cutoffs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.errors import InputError, Problem, Unavailable, UnknownKey, represent
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.records.arguments import checked, checked_methods, id_of, is_real, is_whole, items_of
from ragdash.evaluation.compute import (
    averaged_values,
    compute_specs,
    exact_interval,
    geometric_mean,
    value_limits,
)
from ragdash.evaluation.shown_evaluation import ShownEvaluation
from ragdash.evaluation.stats import (
    LEVEL,
    MOST_RESAMPLES,
    RESAMPLES,
    SEED,
    bootstrap_intervals,
    bootstrap_ratios,
    median_interval,
)
from ragdash.matching.match import THRESHOLD, Match, Matching
from ragdash.matching.query_overlap import check_overlap, match_warnings
from ragdash.metrics import CorpusValue, Spec, default_specs, file_specs, one_spec, parse_specs, with_guesses
from ragdash.metrics.judged import judge_request


@checked_methods
@dataclass(frozen=True)
class Summary:
    """One metric over the queries: the mean (or median, if the metric says so) with its interval; NaN = undefined.

    Attributes
    ----------
    mean, low, high
        The mean and the ends of its confidence interval.
    n, undefined
        Queries where the value is defined, and where it is not.

    Examples
    --------
    >>> from ragdash import parse_specs
    >>> Summary(parse_specs("RR")[0], 0.75, 0.5, 1.0, n=2, undefined=0).mean
    0.75
    """

    spec: Spec
    mean: float
    low: float
    high: float
    n: int
    undefined: int


@checked_methods
@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(ShownEvaluation):
    """Values of a run for every query and metric; what `evaluate` returns.

    Attributes
    ----------
    query_ids, specs
        The rows (Q,) and the columns (M,) of `values`.
    values : float64 array (Q, M)
        NaN where a metric is undefined for a query.
    settings
        What is needed to compute the same numbers again.
    counts
        Numbers of queries: "queries", "missing" (in the truth, not in the run), "unanswerable" (without a relevant
        document) and "extra" (in the run, not in the truth).
    problems
        Warnings, such as metrics that this run or truth cannot give.
    corpus
        For metrics that are no mean over the queries: the value of the whole corpus by spec.
    match
        Where `evaluate` made it: the run matched with the truth, which reports and most pictures need.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> run = Run.build("bm25", ["q1", "q1", "q2"], ["a", "b", "c"], [2.0, 1.0, 1.0])
    >>> evaluation = evaluate(run, Truth.build("qrels", ["q1", "q2"], ["b", "c"], [1, 1]), "RR")
    >>> evaluation
    <Evaluation of 'bm25': 2 queries, 1 metrics>
    >>> evaluation.column("RR").tolist(), evaluation.only(["q2"]).column("RR").tolist()
    ([0.5, 1.0], [1.0])
    >>> [(str(row.spec), row.mean, row.n) for row in evaluation.summary()]
    [('RR', 0.75, 2)]
    """

    name: str
    digest: str
    truth_digest: str
    query_ids: pa.StringArray
    specs: tuple[Spec, ...]
    values: np.ndarray
    settings: Mapping[str, object]
    counts: Mapping[str, int]
    problems: tuple[Problem, ...] = ()
    corpus: Mapping[Spec, CorpusValue] = field(default_factory=dict)
    match: Match | None = None

    def __repr__(self) -> str:
        return f"<Evaluation of {self.name!r}: {len(self.query_ids):,} queries, {len(self.specs)} metrics>"

    def column(self, spec: Spec | str) -> np.ndarray:
        """Return the values of one metric: (Q,). InputError, a KeyError too, if it was not evaluated."""
        requested = one_spec(spec)
        if requested not in self.specs:
            raise UnknownKey("unknown-key/metric", {
                "metric": str(requested), "name": self.name, "metrics": list(map(str, self.specs))})
        return self.values[:, self.specs.index(requested)]

    def only(self, query_ids: Iterable[str]) -> Evaluation:
        """Return the evaluation of these queries alone, in its order.

        InputError, a KeyError too, for a query that is not in it.
        """
        listed = items_of(query_ids)
        if listed is None:
            raise TypeError("a list of queries")  # `checked` says which argument is none
        requested = pa.array(list(map(id_of, listed)), pa.string())
        unknown = requested.filter(pc.invert(pc.is_in(requested, value_set=self.query_ids)))
        if len(unknown):
            raise UnknownKey("unknown-key/query", {"query": unknown[0].as_py(), "name": self.name})
        keep = pc.is_in(self.query_ids, value_set=requested).to_numpy(zero_copy_only=False)
        corpus = {spec: CorpusValue(value.values[keep], value.constant, tuple(
            (c, n[keep], d[keep]) for c, n, d in value.terms)) for spec, value in self.corpus.items()}
        return replace(self, query_ids=self.query_ids.filter(pa.array(keep)), values=self.values[keep], corpus=corpus,
                       counts={**self.counts, "queries": int(keep.sum())})

    def summary(self, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED) -> tuple[Summary, ...]:
        """Return a Summary for each metric. Equal seeds and numbers of queries give equal resamples in every run.

        level: of the intervals, between 0 and 1; InputError for another one, and for resamples that are none. An
        interval is NaN with fewer resamples than 2 / (1 - level): 40 for 0.95.
        """
        _check_intervals(level, resamples, seed)
        return summaries([self], level=level, resamples=resamples, seed=seed)[0]

    def means(self) -> list[tuple[float, int]]:
        """Return (mean, n) of each metric as in `summary`, without intervals, which take most of its time."""
        return [_mean(self, column) for column in range(len(self.specs))]

    def frame(self):
        """Return the values as a pandas DataFrame: a row per query_id, a column per metric."""
        import pandas as pd

        return pd.DataFrame(self.values, index=pd.Index(self.query_ids.to_pylist(), name="query_id"),
                            columns=[str(spec) for spec in self.specs])


@checked
def evaluate(run: Run | object, truth: Truth | object, metrics: str | Iterable[str | Spec] | None = None, *,
             match: str = "id", match_how: str = "partial", match_threshold: float = THRESHOLD, match_model: str = "",
             **conventions) -> Evaluation:
    """Compute every metric for every query of the truth.

    Parameters
    ----------
    run, truth
        What a configuration returned, and the relevance judgments, references and evidence. Also dicts, data frames
        and lists of records, see `Run.of` and `Truth.of`.
    metrics
        "nDCG@10 R@5, MRR" or a list of names or specs; default nDCG@10 R@10 P@5 RR AP Success@10 and the metrics
        that the run's file brings along, such as file:mrr.
    match : {"id", "evidence"}
        Which documents are relevant: by judged id, or by holding a gold span.
    match_how, match_threshold, match_model
        How a span is found in a document; see ragdash.matching.match.Matching.
    **conventions
        ties, missing, unanswerable, duplicates; see ragdash.core.records.Conventions.

    Returns
    -------
    Evaluation
        A metric that this run or truth cannot give is undefined (NaN), with its reason among the problems.

    Raises
    ------
    InputError
        A metric or a convention is unknown, or run and truth have no query in common.

    Examples
    --------
    >>> evaluate({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 1, "d": 1}}, "P@2 R@2 RR").values.tolist()
    [[0.5, 0.5, 0.5]]
    """
    run, truth = Run.of(run), Truth.of(truth)
    specs = (default_specs([run], truth) if metrics is None
             else with_guesses(check_metrics(parse_specs(metrics)), file_specs([run])))
    matching = Matching(match, match_how, match_threshold, match_model)
    match = Match(run, truth, Conventions.from_arguments(conventions), matching)
    return replace(evaluate_match(match, specs), match=match)


def check_metrics(specs: tuple[Spec, ...]) -> tuple[Spec, ...]:
    """The specs; InputError where there are none."""
    if not specs:
        raise InputError([Problem("python-object/none", {"what": "metric"}, field="metrics")])
    return specs


def evaluate_match(match: Match, specs: Sequence[Spec],
                   known: Mapping[Spec, np.ndarray] | None = None) -> Evaluation:
    """Every spec over an existing match; all cutoffs of a metric come out of one pass.

    known: values (Q,) of specs that were computed before and are means over the queries; they are not computed again.
    """
    check_overlap(match)
    values, corpus, unavailable = _with_known(match, specs, known) if known else compute_specs(match, specs)
    values.setflags(write=False)
    counts = {"queries": len(match.query_ids), "missing": int(match.missing.sum()),
              "unanswerable": int(_unanswerable(match).sum()), "extra": len(match.extra)}
    settings = {**asdict(match.conventions), **_matching_settings(match, specs), "max_grade": match.ranked.max_grade}
    problems = (
        *match.run.problems,
        *match.truth.problems,
        *match_warnings(match, counts),
        *dict.fromkeys(unavailable.values()),
        *_view_problems(match, specs),
    )
    return Evaluation(match.run.name, match.run.digest, match.truth.digest, match.query_ids, tuple(specs), values,
                      settings, counts, problems, corpus)


def _with_known(match: Match, specs: Sequence[Spec],
                known: Mapping[Spec, np.ndarray]) -> tuple[np.ndarray, dict, dict]:
    """As `compute_specs`, computing only what is not known."""
    missing = [spec for spec in specs if spec not in known]
    computed, corpus, unavailable = compute_specs(match, missing)
    values = np.empty((len(specs), len(match.query_ids))).T
    for column, spec in enumerate(specs):
        values[:, column] = known[spec] if spec in known else computed[:, missing.index(spec)]
    return values, corpus, unavailable


def _check_intervals(level: float, resamples: int, seed: int) -> None:
    is_right = {"level": is_real(level) and 0 < level < 1, "seed": _is_whole(seed, 0),
                "resamples": _is_whole(resamples, 1) and resamples <= MOST_RESAMPLES}
    facts = {"level": level, "resamples": resamples, "seed": seed}
    wrong = [Problem(f"interval-setting/{name}", {"value": represent(facts[name], 60), "most": MOST_RESAMPLES},
                     field=name) for name, right in is_right.items() if not right]
    if wrong:
        raise InputError(wrong)


def _is_whole(value: object, least: int) -> bool:
    return is_whole(value) and value >= least


def summaries(evaluations: Sequence[Evaluation], *, level: float = LEVEL, resamples: int = RESAMPLES,
              seed: int = SEED, weights: np.ndarray | None = None) -> list[tuple[Summary, ...]]:
    """Summarize several evaluations, with one draw of resamples for all that have the same queries.

    Parameters
    ----------
    level, resamples, seed
        Of the bootstrap intervals. The same seed and number of queries give the same resamples.
    weights
        stats.resample_weights for these queries, resamples and seed, where they are used more than once.

    Returns
    -------
    list of tuple of Summary
        A tuple for each evaluation, a Summary for each of its specs.
    """
    level = float(level)  # scipy takes no longdouble
    result: list[tuple[Summary, ...]] = [()] * len(evaluations)
    by_size = sorted(range(len(evaluations)), key=lambda i: len(evaluations[i].query_ids))
    for _, group in groupby(by_size, key=lambda i: len(evaluations[i].query_ids)):
        group = list(group)
        stacked = np.concatenate([averaged_values(evaluations[i].values, evaluations[i].specs) for i in group], axis=1)
        means = [spec.metric.aggregate in ("mean", "geometric", "sum") and spec not in evaluations[i].corpus
                 for i in group for spec in evaluations[i].specs]
        low, high = np.full((2, stacked.shape[1]), np.nan)
        low[means], high[means] = bootstrap_intervals(
            stacked[:, means], level=level, resamples=resamples, seed=seed, weights=weights,
            limits=value_limits([spec for i in group for spec in evaluations[i].specs])[means])
        start = 0
        for i in group:
            width = len(evaluations[i].specs)
            bounds = list(zip(low[start:start + width].tolist(), high[start:start + width].tolist(), strict=True))
            draw = {"level": level, "resamples": resamples, "seed": seed, "weights": weights}
            result[i] = tuple(_summary(evaluations[i], column, bounds[column], draw) for column in range(width))
            start += width
    return result


def _unanswerable(match: Match) -> np.ndarray:
    """Match.unanswerable, none where the evidence that decides it is not there."""
    try:
        return match.unanswerable
    except Unavailable:
        return np.zeros(len(match.query_ids), bool)


def _view_problems(match: Match, specs: Sequence[Spec]) -> list[Problem]:
    """What is worth knowing of the evidence and of what models said, where specs look at it."""
    problems: dict[Problem, None] = {}
    for spec in specs:
        view = spec.metric.view
        with suppress(Unavailable):  # already among the problems
            if view == "Covered" or (view == "Ranked" and match.matching.by == "evidence"):
                problems |= dict.fromkeys(match.evidence.problems)
            elif view == "Grounded":
                problems |= dict.fromkeys(match.grounded.problems)
            elif view in ("Scored", "Entailed"):
                problems |= dict.fromkeys(match.view(view).problems(spec.name, dict(spec.params).get("model", "")))
            elif view == "Judged":
                problems |= dict.fromkeys((*match.judged.problems, *match.judged.warnings(*judge_request(spec))))
    return list(problems)


def _matching_settings(match: Match, specs: Sequence[Spec]) -> dict[str, object]:
    """How documents were matched, and what models said, of the settings."""
    matching, settings = match.matching, {"match": match.matching.by}
    if matching.by == "evidence" or any(spec.metric.view == "Covered" for spec in specs):
        settings |= {"match_how": matching.how, "match_threshold": matching.threshold}
        with suppress(Unavailable):
            settings |= {"match_model": match.evidence.model} if matching.how == "embedding" else {}
    for view in ("Scored", "Entailed"):
        requests = [(spec.name, dict(spec.params).get("model", "")) for spec in specs if spec.metric.view == view]
        with suppress(Unavailable):
            settings |= match.view(view).settings(requests) if requests else {}
    judged = [judge_request(spec) for spec in specs if spec.metric.view == "Judged"]
    return {**settings, **(match.judged.settings(judged) if judged else {})}


def _summary(evaluation: Evaluation, column: int, bounds: tuple[float, float], draw: dict) -> Summary:
    """bounds: of the mean; metrics that are no mean find their own, with the same draw of resamples."""
    spec, values = evaluation.specs[column], evaluation.values[:, column]
    mean, n = _mean(evaluation, column)
    if spec in evaluation.corpus:
        value = evaluation.corpus[spec]
        bounds = bootstrap_ratios(value.constant, value.terms, **draw)
    elif spec.metric.aggregate == "geometric":
        bounds = tuple(float(np.exp(bound)) for bound in bounds)
    elif spec.metric.aggregate == "median":
        bounds = median_interval(values[~np.isnan(values)], level=draw["level"])
    elif spec.metric.aggregate != "sum" and spec.metric.interval == "exact":
        bounds = exact_interval(values[~np.isnan(values)], draw["level"])
    return Summary(spec, mean, *bounds, n, len(values) - n)


def _mean(evaluation: Evaluation, column: int) -> tuple[float, int]:
    """(the value of a column over all queries, its defined queries); the mean, or what the metric has in its place."""
    spec, values = evaluation.specs[column], evaluation.values[:, column]
    defined = values[~np.isnan(values)]
    n = len(defined)
    if spec in evaluation.corpus:
        value = evaluation.corpus[spec]
        mean = value.constant + sum(c * top.sum() / bottom.sum() if bottom.sum() else np.nan
                                    for c, top, bottom in value.terms)
    elif not n:
        mean = np.nan
    elif spec.metric.aggregate == "geometric":
        mean = geometric_mean(defined)
    else:
        mean = {"sum": np.sum, "median": np.median}.get(spec.metric.aggregate, np.mean)(defined)
    return float(mean), n
