"""The cached numbers of several runs in a scope: means, differences, curves, first ranks.

As in ragdash.dashboard.session.scope every call is keyed by content digests and scalars, and what comes out is shared
between sessions and must not be changed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, fields, replace
from typing import Generic, TypeVar

import numpy as np

from ragdash.core.slices import Slice, label_slices
from ragdash.dashboard.caches import kept_cache
from ragdash.dashboard.caches.shared_cache import AHEAD, announced, shared
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope, by_scope
from ragdash.evaluation.bands.best_possible import best_possible
from ragdash.evaluation.compare import Comparison, ComparisonRules, FamilyTests, test_family
from ragdash.evaluation.curves import Curves, curves
from ragdash.evaluation.evaluate import Evaluation, Summary, summaries
from ragdash.evaluation.repeats import digests_of, mean_of_defined
from ragdash.evaluation.stats import PairTests
from ragdash.matching.match import Match
from ragdash.matching.views.ranked import Ranked
from ragdash.metrics import Spec, parse_specs
from ragdash.reporting.plots.common import arrays

K, V = TypeVar("K"), TypeVar("V")


def counts(run: str, scope: Scope) -> dict[str, int]:
    """Queries in scope, and how many of them are missing and unanswerable; extra: queries that the truth lacks."""
    return dict(_counts(run, scope))


@shared(max_entries=256, ahead=True, key=by_scope)
def _counts(run: str, scope: Scope) -> dict[str, int]:
    match, in_scope = scope.match(run), scope.queries_of_slice
    return {"queries": int(in_scope.sum()), "missing": int((match.missing & in_scope).sum()),
            "unanswerable": int((match.unanswerable & in_scope).sum()), "extra": len(match.extra)}


class _ResultCache(Generic[K, V]):
    """Small results by key, those used longest ago dropped: a new metric or run costs only itself.

    The draws of intervals and tests depend on the seed and the number of queries alone: computed apart or together,
    the numbers are the same to seven digits (intervals are of 32-bit sums).
    """

    LIMIT = 50_000

    def __init__(self, name: str):
        AHEAD[f"{__name__}.{name}"] = self
        self._results: OrderedDict[K, V] = OrderedDict()
        self._computing: dict[K, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            return self._results.get(key)

    def update(self, results: Mapping[K, V]) -> None:
        with self._lock:
            self._results.update(results)
            while len(self._results) > self.LIMIT:
                self._results.popitem(last=False)

    def items(self) -> list[tuple[K, V]]:
        """The results by their keys."""
        with self._lock:
            return list(self._results.items())

    def adopt(self, key: K, result: V) -> None:
        """Take a result that was computed elsewhere, where there is room and none is known."""
        with self._lock:
            if len(self._results) < self.LIMIT:
                self._results.setdefault(key, result)

    @contextmanager
    def computing(self, keys: Iterable[K]) -> Iterator[None]:
        """Compute these alone: a session that asks for one of them waits here, and looks for it again.

        The locks are taken in one order, so that no two sessions wait for each other.
        """
        ordered = sorted(set(keys), key=repr)
        with self._lock:
            locks = [self._computing.setdefault(key, threading.Lock()) for key in ordered]
        with ExitStack() as stack:
            for lock in locks:
                stack.enter_context(lock)
            try:
                yield
            finally:
                with self._lock:
                    for key in ordered:
                        self._computing.pop(key, None)


_SUMMARIES: _ResultCache[tuple, Summary] = _ResultCache("summaries")
_COMPARISONS: _ResultCache[tuple, Comparison] = _ResultCache("comparisons")
_FAMILIES: _ResultCache[tuple, PairTests] = _ResultCache("families")


def summary(runs: Sequence[str], scope: Scope, specs: Sequence[Spec]) -> list[tuple[Summary, ...]]:
    """Means and intervals: for each run a Summary for each spec."""
    keys = {spec: (scope.cache_key([spec]), str(spec)) for spec in specs}

    def missing() -> list[Spec]:
        return [spec for spec in specs if any(_SUMMARIES.get((run, *keys[spec])) is None for run in runs)]

    if wanted := missing():
        with _SUMMARIES.computing((run, *keys[spec]) for run in runs for spec in wanted):
            for run in runs:
                _SUMMARIES.update({(run, *keys[spec]): summary for spec, summary in _kept_summaries(
                    run, scope, [spec for spec in wanted if _SUMMARIES.get((run, *keys[spec])) is None]).items()})
            if wanted := missing():  # what no other session has computed meanwhile
                with announced("Computing means and intervals …"):
                    rows = summaries([scope.evaluation(run, wanted) for run in runs], weights=scope.resample_weights)
                _SUMMARIES.update({(run, *keys[summary.spec]): summary
                                   for run, row in zip(runs, rows, strict=True) for summary in row})
                for run, row in zip(runs, rows, strict=True):
                    _keep_summaries(run, scope, row)
    return [tuple(_SUMMARIES.get((run, *keys[spec])) for spec in specs) for run in runs]


def _kept_summaries(run: str, scope: Scope, specs: Sequence[Spec]) -> dict[Spec, Summary]:
    """Those of these summaries that the workspace has."""
    arrays = kept_cache.read(run, {spec: scope.cache_key([spec]) for spec in specs if scope.is_kept([spec])}, "summary")
    return {spec: Summary(spec, *map(float, array[:3]), n=int(array[3]), undefined=int(array[4]))
            for spec, array in arrays.items()}


def _keep_summaries(run: str, scope: Scope, row: Sequence[Summary]) -> None:
    keys = {summary.spec: scope.cache_key([summary.spec]) for summary in row if scope.is_kept([summary.spec])}
    arrays = {one.spec: np.array([one.mean, one.low, one.high, one.n, one.undefined])
              for one in row if one.spec in keys}
    kept_cache.keep(run, keys, arrays, "summary")


def comparison_rules(scope: Scope, runs: int, margin: float | None = None) -> ComparisonRules:
    """How differences are tested: as by every command and report, with the number of sign flips in figures."""
    rules = ComparisonRules(margin=margin)
    return replace(rules, permutations=rules.flips(int(scope.queries.sum()), runs))


def compared(baseline: str, candidates: Sequence[str], scope: Scope, specs: Sequence[Spec],
             rules: ComparisonRules) -> list[list[Comparison]]:
    """Every candidate against the baseline on every spec: a row per candidate. All specs must be comparable.

    The family of each spec is all pairs of these runs, so the baseline does not change an outcome. Each Comparison
    names its candidate by digest.
    """
    runs = tuple(sorted({baseline, *candidates}))
    pairs = {(candidate, spec): (runs, baseline, candidate, scope.cache_key([spec]), str(spec), rules)
             for candidate in candidates for spec in specs}
    missing = dict.fromkeys(spec for (_, spec), key in pairs.items() if _COMPARISONS.get(key) is None)
    if missing:
        with announced("Testing differences …"):
            for spec in missing:
                family = _family(runs, scope, spec, rules)
                rows = family.compare([(runs.index(candidate), runs.index(baseline)) for candidate in candidates])
                _COMPARISONS.update({pairs[candidate, spec]: comparison
                                     for candidate, comparison in zip(candidates, rows, strict=True)})
    return [[_COMPARISONS.get(pairs[candidate, spec]) for spec in specs] for candidate in candidates]


def _family(runs: Sequence[str], scope: Scope, spec: Spec, rules: ComparisonRules) -> FamilyTests:
    """All pairs of these runs on one spec, whichever of them is the baseline."""
    key = (runs, scope.cache_key([spec]), str(spec), replace(rules, margin=None))
    evaluations = [replace(scope.evaluation(run, [spec]), name=run) for run in runs]
    if _FAMILIES.get(key) is None:
        with _FAMILIES.computing([key]):
            if _FAMILIES.get(key) is None and (kept := _kept_tests(runs, scope, spec, key)) is not None:
                _FAMILIES.update({key: kept})
            if _FAMILIES.get(key) is None:
                family = test_family(evaluations, spec, rules)
                _FAMILIES.update({key: family.tests})
                _keep_tests(runs, scope, spec, key, family.tests)
                return family
    return FamilyTests(tuple(evaluations), spec, rules, (), _FAMILIES.get(key))


def _kept_tests(runs: Sequence[str], scope: Scope, spec: Spec, key: tuple) -> PairTests | None:
    """The tests of a family, where the workspace has them: with the first of its runs."""
    if not scope.is_kept([spec]):
        return None
    array = kept_cache.read(runs[0], {spec: key}, "tests").get(spec)
    if array is None:
        return None
    n, *others = kept_cache.parts_of(array, len(fields(PairTests)))
    return PairTests(n.astype(np.int64), *others)


def _keep_tests(runs: Sequence[str], scope: Scope, spec: Spec, key: tuple, tests: PairTests | None) -> None:
    if tests is not None and scope.is_kept([spec]):
        kept_cache.keep(runs[0], {spec: key}, {spec: kept_cache.rows_of(astuple(tests))}, "tests")


@shared(max_entries=512, key=lambda baseline, candidates, scope, spec, attribute, rules, labeled="": (
    baseline, tuple(candidates), scope.cache_key([spec]), str(spec), attribute, rules, labeled))
def compared_by_slice(baseline: str, candidates: Sequence[str], scope: Scope, spec: Spec, attribute: str,
                      rules: ComparisonRules, labeled: str = "") -> list[list[Comparison]]:
    """The same on one spec within each slice of an attribute: a row per slice, a column per candidate.

    labeled: the run whose labels are the attribute; "" for an attribute of the queries.
    """
    runs = tuple(sorted({baseline, *candidates}))
    evaluations, slices = _sliced(runs, spec, attribute, labeled, scope)
    tests = _slice_tests(runs, scope, spec, attribute, rules, labeled)
    family = FamilyTests(evaluations, spec, rules, slices, tests)
    pairs = [(runs.index(candidate), runs.index(baseline)) for candidate in candidates]
    return [family.compare(pairs, index) for index in range(len(family.slices))]


@shared(max_entries=64, key=lambda run, scope: (run, scope.truth_digest))
def slices_of_labels(run: str, scope: Scope) -> dict[str, tuple[Slice, ...]]:
    """The slices by the labels in the file of a run: {column of the run: slices}."""
    return label_slices(LOADED.run(run), scope.truth.query_ids.to_pylist())


@shared(max_entries=512, show_spinner="Testing slices …", ahead=True,
        key=lambda runs, scope, spec, *facts: (runs, scope.cache_key([spec]), str(spec), *facts))
def _slice_tests(runs: tuple[str, ...], scope: Scope, spec: Spec, attribute: str, rules: ComparisonRules,
                 labeled: str) -> PairTests | None:
    evaluations, slices = _sliced(runs, spec, attribute, labeled, scope)
    return test_family(evaluations, spec, rules, slices).tests


def _sliced(runs: Sequence[str], spec: Spec, attribute: str, labeled: str,
            scope: Scope) -> tuple[tuple[Evaluation, ...], tuple[Slice, ...]]:
    """(the evaluations of runs under their digests, the slices of an attribute that are in scope)."""
    in_scope = scope.queries
    every = slices_of_labels(labeled, scope)[attribute] if labeled else scope.slices.values()
    slices = tuple(replace(query_slice, queries=query_slice.queries[in_scope]) for query_slice in every
                   if query_slice.attribute == attribute and query_slice.queries[in_scope].any())
    return tuple(replace(scope.evaluation(run, [spec]), name=run) for run in runs), slices


@shared(max_entries=1024, ahead=True, key=lambda run, scope, spec: (scope.cache_key([spec]), str(spec)))
def perfect_mean(run: str, scope: Scope, spec: Spec) -> float:
    """The mean of a perfect ranking on the queries in scope; the run lends its conventions alone."""
    return best_possible(scope.match(run, [spec]), spec, scope.queries)


def curve(run: str, scope: Scope, name: str, depth: int) -> Curves:
    """A metric at every cutoff from 1 to depth, with its confidence band."""
    names = ("P", "R") if name in ("P", "R") else (name,)
    specs = parse_specs([f"{name}@1" for name in names])
    return _curve(run, scope.cache_key(specs), names, depth, _specs=specs, _scope=scope)


@shared(max_entries=1024, show_spinner="Computing curves …")
def _curve(run: str, key: tuple, names: tuple[str, ...], depth: int, _specs: Sequence[Spec], _scope: Scope) -> Curves:
    repeats = [_scope.match(repeat, _specs) for repeat in digests_of(run)]
    return curves(repeats, names, np.arange(1, depth + 1), weights=_scope.resample_weights, queries=_scope.queries)


def interpolated(run: str, scope: Scope) -> tuple[np.ndarray, int]:
    """(mean interpolated precision at the eleven recall levels, n queries); of repeats the mean of each query first."""
    values = mean_of_defined(np.stack([_interpolated(repeat, scope) for repeat in digests_of(run)]))
    defined = values[np.isfinite(values[:, 0])]
    return (defined.mean(axis=0) if len(defined) else np.full(values.shape[1], np.nan)), len(defined)


@shared(max_entries=256, key=by_scope)
def _interpolated(run: str, scope: Scope) -> np.ndarray:
    """The values of every query, NaN where it does not count: (Q, 11)."""
    match = scope.match(run)
    ranked = _relevant(match, spans=True)
    values = arrays.interpolated_precision(*ranked.hits(), ranked.relevant())
    if match.conventions.unanswerable == "zero":
        values[ranked.relevant() == 0] = 0.0
    values[~(_answered(match) & scope.queries)] = np.nan
    return values


def first_ranks(run: str, scope: Scope) -> np.ndarray:
    """Rank of the first relevant document of each query that has one: (Q',), NaN where none is returned.

    Of repeats those of all of them: each query counts once for each repeat.
    """
    return np.concatenate([_first_ranks(repeat, scope) for repeat in digests_of(run)])


@shared(max_entries=256, key=by_scope)
def _first_ranks(run: str, scope: Scope) -> np.ndarray:
    match = scope.match(run)
    ranked = _relevant(match)
    ranks = arrays.first_ranks(*ranked.hits(), ranked.queries)
    return ranks[_answered(match) & scope.queries & (ranked.relevant() > 0)]


def _relevant(match: Match, *, spans: bool = False) -> Ranked:
    """The ranks of relevant documents: by id, or by evidence of the chunks that cover a span.

    spans: those of the gold spans themselves, each at the first rank that covers it.
    """
    if match.matching.by == "id":
        return match.ranked
    return match.covered.spans if spans else match.covered.ranks


def _answered(match: Match) -> np.ndarray:
    """Queries that count: all, or under missing="skip" those that the run has: (Q,) bool."""
    return ~match.missing if match.conventions.missing == "skip" else np.ones(len(match.query_ids), bool)
