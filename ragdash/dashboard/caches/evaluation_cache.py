"""The cached calls: load, match, evaluate, and what is drawn from evaluations.

Every call is keyed by content digests and scalars; the data itself goes in unhashed (a leading underscore), because
Streamlit hashes only a sample of large arrays. What comes out is shared between sessions and must not be changed.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import pyarrow as pa
import streamlit as st

from ragdash import io
from ragdash.core.corpus import Corpus
from ragdash.core.records import Run, Truth
from ragdash.core.slices import Slice, slices
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope, facts, judged, laid, match
from ragdash.evaluation.compare import Comparison, Rules, apply_correction, compare_slices, compare_uncorrected
from ragdash.evaluation.evaluate import Curves, Evaluation, Summary, curves, evaluate_match, summaries
from ragdash.evaluation.stats import PERMUTATIONS, RESAMPLES, resample_weights
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_specs
from ragdash.reporting.plots.common import arrays

K, V = TypeVar("K"), TypeVar("V")
__all__ = ["Scope", "by_slice", "compared", "counts", "curve", "evaluation", "first_ranks", "interpolated", "key_of",
           "laid", "load", "load_path", "match", "parts", "queries", "rules", "summary"]
MANY_QUERIES = 2_000
JUDGED = ("grade", "relevant", "answers", "evidence")  # fields of a truth
RANKED = ("score", "rank", "retrieved", "contexts", "answer")  # fields of a run


def load(name: str, content: bytes, role: str | None,
         mapping: Mapping[str, str] | None = None) -> tuple[io.DetectedFormat, tuple[Run | Truth | Corpus, ...]]:
    """What an uploaded file holds; role "run", "truth", "both" or "corpus" overrides what its content says.

    mapping: {our field: their column}. Raises InputError.
    """
    return _load(key_of(content), name, role, tuple((mapping or {}).items()), _source=(name, content))


def load_path(path: str | Path, role: str | None = None) -> tuple[io.DetectedFormat, tuple[Run | Truth | Corpus, ...]]:
    """The same for a file of this machine, read again when it has changed."""
    facts = Path(path).stat()
    return _load(f"{path}|{facts.st_mtime_ns}|{facts.st_size}", Path(path).name, role, (), _source=Path(path))


def key_of(content: bytes) -> str:
    """Content in a few letters."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@st.cache_resource(max_entries=32, show_spinner=False)
def _load(key: str, name: str, role: str | None, mapping: tuple[tuple[str, str], ...],
          _source) -> tuple[io.DetectedFormat, tuple[Run | Truth | Corpus, ...]]:
    by_hand = dict(mapping)
    sniffed = io.detect(_source, mapping=by_hand)
    role = role or sniffed.role
    if role == "unknown" and not by_hand.keys().isdisjoint(JUDGED) and by_hand.keys().isdisjoint(RANKED):
        role = "truth"
    if role == "corpus":
        return sniffed, (io.read_corpus(_source, mapping=by_hand),)
    truth = (io.read_truth(_source, mapping=by_hand),) if role in ("truth", "both") else ()
    return sniffed, truth + (() if role == "truth" else tuple(io.read_runs(_source, mapping=by_hand)))


def parts(truth: str) -> dict[str, Slice]:
    """The slices of the queries of a truth by the token that names them in a Scope."""
    return _parts(truth, _truth=LOADED.truth(truth))


@st.cache_resource(max_entries=16, show_spinner=False)
def _parts(truth: str, _truth: Truth) -> dict[str, Slice]:
    return {f"{one.attribute}={one.value}": one for own in slices(_truth).values() for one in own}


def queries(scope: Scope) -> np.ndarray:
    """Which queries of the truth are in scope: (Q,) bool."""
    return parts(scope.truth)[scope.part].queries if scope.part else np.ones(len(LOADED.truth(scope.truth)), bool)


def evaluation(run: str, scope: Scope, specs: Sequence[Spec]) -> Evaluation:
    """Per-query values of the specs. Raises InputError for parameters that do not fit together."""
    return _evaluation(run, facts(scope, specs), tuple(str(spec) for spec in specs), _match=match(run, scope, specs),
                       _scope=scope)


@st.cache_resource(max_entries=256, show_spinner=False)
def _evaluation(run: str, scope: tuple, specs: tuple[str, ...], _match: Match, _scope: Scope) -> Evaluation:
    found = evaluate_match(_match, parse_specs(list(specs)))
    return found.only(found.query_ids.filter(pa.array(queries(_scope))).to_pylist()) if _scope.part else found


def weights(scope: Scope) -> np.ndarray | None:
    """The resamples of the queries in scope that all intervals share; None where they are better drawn each time."""
    return _weights(int(queries(scope).sum()))


def counts(run: str, scope: Scope) -> dict[str, int]:
    """Queries in scope, and how many of them are missing and unanswerable; extra: queries that the truth lacks."""
    found, inside = match(run, scope), queries(scope)
    return {"queries": int(inside.sum()), "missing": int((found.missing & inside).sum()),
            "unanswerable": int((found.unanswerable & inside).sum()), "extra": len(found.extra)}


class _Held(Generic[K, V]):
    """Small results by key, those used longest ago dropped: a new metric or run costs only itself.

    The draws of intervals and tests depend on the seed and the number of queries alone: computed apart or together,
    the numbers are the same.
    """

    LIMIT = 50_000

    def __init__(self):
        self._held: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            return self._held.get(key)

    def keep(self, found: Mapping[K, V]) -> None:
        with self._lock:
            self._held.update(found)
            while len(self._held) > self.LIMIT:
                self._held.popitem(last=False)


_SUMMARIES: _Held[tuple, Summary] = _Held()
_COMPARISONS: _Held[tuple, Comparison] = _Held()
_MOST_WEIGHTS = 200_000_000  # bytes


@st.cache_resource(max_entries=2, show_spinner=False)
def _weights(queries: int) -> np.ndarray | None:
    """The resamples of all intervals, drawn once; None for so many queries that they are better drawn each time."""
    return resample_weights(queries) if queries * RESAMPLES <= _MOST_WEIGHTS else None


def summary(runs: Sequence[str], scope: Scope, specs: Sequence[Spec]) -> list[tuple[Summary, ...]]:
    """Means and intervals: for each run a Summary for each spec."""
    held = {spec: (facts(scope, [spec]), str(spec)) for spec in specs}
    missing = [spec for spec in specs if any(_SUMMARIES.get((run, *held[spec])) is None for run in runs)]
    if missing:
        with st.spinner("Computing means and intervals …"):
            found = summaries([evaluation(run, scope, missing) for run in runs],
                              weights=_weights(int(queries(scope).sum())))
        _SUMMARIES.keep({(run, *held[one.spec]): one for run, row in zip(runs, found, strict=True) for one in row})
    return [tuple(_SUMMARIES.get((run, *held[spec])) for spec in specs) for run in runs]


def rules(scope: Scope, margin: float | None = None) -> Rules:
    """How differences are judged in the dashboard: fewer sign flips where there are many queries to flip."""
    many = int(queries(scope).sum()) > MANY_QUERIES
    return Rules(margin=margin, permutations=PERMUTATIONS // 10 if many else PERMUTATIONS)


def compared(baseline: str, candidates: Sequence[str], scope: Scope, specs: Sequence[Spec],
             rules: Rules) -> list[list[Comparison]]:
    """Every candidate against the baseline on every spec, p corrected over this grid: a row per candidate.

    Each Comparison names its candidate by digest. Specs that cannot be compared are not for here (comparable).
    """
    held = {spec: (facts(scope, [spec]), str(spec), rules) for spec in specs}

    def key(candidate: str, spec: Spec) -> tuple:
        return baseline, candidate, *held[spec]

    missing = [spec for spec in specs if any(_COMPARISONS.get(key(run, spec)) is None for run in candidates)]
    if missing and candidates:
        with st.spinner("Testing differences …"):
            own, *others = (replace(evaluation(run, scope, missing), name=run) for run in (baseline, *candidates))
            found = compare_uncorrected(own, [(other, spec, None) for other in others for spec in missing], rules,
                           _weights(int(queries(scope).sum())))
        _COMPARISONS.keep({key(one.candidate, one.spec): one for one in found})
    flat = apply_correction([_COMPARISONS.get(key(run, spec)) for run in candidates for spec in specs], rules)
    return [flat[at * len(specs):(at + 1) * len(specs)] for at in range(len(candidates))]


def by_slice(baseline: str, candidates: Sequence[str], scope: Scope, spec: Spec, attribute: str,
             rules: Rules) -> list[list[Comparison]]:
    """The same on one spec within each slice of an attribute: a row per slice, a column per candidate."""
    return _by_slice(baseline, tuple(candidates), facts(scope, [spec]), str(spec), attribute, rules, _scope=scope)


@st.cache_resource(max_entries=128, show_spinner="Testing slices …", hash_funcs={Rules: repr})
def _by_slice(baseline: str, candidates: tuple[str, ...], scope: tuple, spec: str, attribute: str,
              rules: Rules, _scope: Scope) -> list[list[Comparison]]:
    specs, inside = parse_specs(spec), queries(_scope)
    own = [replace(one, queries=one.queries[inside]) for one in parts(_scope.truth).values()
           if one.attribute == attribute and one.queries[inside].any()]
    first, *others = (replace(evaluation(run, _scope, specs), name=run) for run in (baseline, *candidates))
    return compare_slices(first, others, specs[0], own, rules)


def curve(run: str, scope: Scope, name: str, depth: int) -> Curves:
    """One metric at every cutoff from 1 to depth, with its band."""
    names = ("P", "R") if name in ("P", "R") else (name,)
    specs = parse_specs([f"{one}@1" for one in names])
    return _curve(run, facts(scope, specs), names, depth, _match=match(run, scope, specs), _queries=queries(scope))


@st.cache_resource(max_entries=256, show_spinner="Computing curves …")
def _curve(run: str, scope: tuple, names: tuple[str, ...], depth: int, _match: Match,
           _queries: np.ndarray) -> Curves:
    return curves(_match, names, np.arange(1, depth + 1), weights=_weights(int(_queries.sum())), queries=_queries)


def interpolated(run: str, scope: Scope) -> tuple[np.ndarray, int]:
    """(mean interpolated precision at the eleven recall levels, n queries)."""
    return _interpolated(run, facts(scope), _match=match(run, scope), _queries=queries(scope))


@st.cache_resource(max_entries=64, show_spinner=False)
def _interpolated(run: str, scope: tuple, _match: Match, _queries: np.ndarray) -> tuple[np.ndarray, int]:
    ranked = judged(_match, spans=True)
    values = arrays.interpolated_precision(*ranked.hits(), ranked.relevant())
    if _match.conventions.unanswerable == "zero":
        values[ranked.relevant() == 0] = 0.0
    defined = values[_counted(_match) & _queries & np.isfinite(values[:, 0])]
    return (defined.mean(axis=0) if len(defined) else np.full(values.shape[1], np.nan)), len(defined)


def first_ranks(run: str, scope: Scope) -> np.ndarray:
    """Rank of the first relevant document of each query that has one to find: (Q',), NaN for none returned."""
    return _first_ranks(run, facts(scope), _match=match(run, scope), _queries=queries(scope))


@st.cache_resource(max_entries=64, show_spinner=False)
def _first_ranks(run: str, scope: tuple, _match: Match, _queries: np.ndarray) -> np.ndarray:
    ranked = judged(_match)
    first = arrays.first_ranks(*ranked.hits(), ranked.queries)
    return first[_counted(_match) & _queries & (ranked.relevant() > 0)]


def _counted(found: Match) -> np.ndarray:
    """Queries that take part: all, or those that the run names: (Q,) bool."""
    return ~found.missing if found.conventions.missing == "skip" else np.ones(len(found.query_ids), bool)
