"""The cached calls: load, match, evaluate, and what is drawn from evaluations.

Every call is keyed by content digests and scalars; the data itself goes in unhashed (a leading underscore), because
Streamlit hashes only a sample of large arrays. What comes out is shared between sessions and must not be changed.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple
from pathlib import Path

import numpy as np
import streamlit as st

from ragdash import io
from ragdash.evaluation import Curves, Evaluation, Summary, curves, evaluate_match, summaries
from ragdash.matching import Match
from ragdash.metrics import Spec, parse_specs
from ragdash.plots import arrays
from ragdash.records import Conventions, Run, Truth
from ragdash.stats import RESAMPLES, resample_weights
from ragdash.ui.store import LOADED

JUDGED = ("grade", "relevant", "answers", "evidence")  # fields of a truth
RANKED = ("score", "rank", "retrieved", "contexts", "answer")  # fields of a run


def load(name: str, content: bytes, role: str | None,
         mapping: Mapping[str, str] | None = None) -> tuple[io.Sniffed, tuple[Run | Truth, ...]]:
    """What an uploaded file holds; role "run", "truth" or "both" overrides what its content says.

    mapping: {our field: their column}. Raises InputError.
    """
    return _load(key_of(content), name, role, tuple((mapping or {}).items()), _source=(name, content))


def load_path(path: str | Path, role: str | None = None) -> tuple[io.Sniffed, tuple[Run | Truth, ...]]:
    """The same for a file of this machine, read again when it has changed."""
    facts = Path(path).stat()
    return _load(f"{path}|{facts.st_mtime_ns}|{facts.st_size}", Path(path).name, role, (), _source=Path(path))


def key_of(content: bytes) -> str:
    """Content in a few letters."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


@st.cache_resource(max_entries=32, show_spinner=False)
def _load(key: str, name: str, role: str | None, mapping: tuple[tuple[str, str], ...],
          _source) -> tuple[io.Sniffed, tuple[Run | Truth, ...]]:
    by_hand = dict(mapping)
    sniffed = io.sniff(_source, mapping=by_hand)
    role = role or sniffed.role
    if role == "unknown" and not by_hand.keys().isdisjoint(JUDGED) and by_hand.keys().isdisjoint(RANKED):
        role = "truth"
    truth = (io.read_truth(_source, mapping=by_hand),) if role in ("truth", "both") else ()
    return sniffed, truth + (() if role == "truth" else tuple(io.read_runs(_source, mapping=by_hand)))


def match(run: str, truth: str, conventions: Conventions) -> Match:
    """The run laid over the truth, both by digest. Raises InputError where they have no query in common."""
    found = laid(run, truth, conventions)
    evaluate_match(found, ())
    return found


def laid(run: str, truth: str, conventions: Conventions) -> Match:
    """The same, queries in common or not; InputError where the conventions refuse the run."""
    return _laid(run, truth, conventions.ties, _run=LOADED.run(run), _truth=LOADED.truth(truth)).under(
        **asdict(conventions))


@st.cache_resource(max_entries=64, show_spinner=False)
def _laid(run: str, truth: str, ties: str, _run: Run, _truth: Truth) -> Match:
    found = Match(_run, _truth, Conventions(ties=ties))
    found.ranked.relevant()  # built here, once, to be shared under every other convention
    return found


def evaluation(run: str, truth: str, conventions: Conventions, specs: Sequence[Spec]) -> Evaluation:
    """Per-query values of the specs. Raises InputError for parameters that do not fit together."""
    return _evaluation(run, truth, astuple(conventions), tuple(str(spec) for spec in specs),
                       _match=match(run, truth, conventions))


@st.cache_resource(max_entries=256, show_spinner=False)
def _evaluation(run: str, truth: str, conventions: tuple[str, ...], specs: tuple[str, ...],
                _match: Match) -> Evaluation:
    return evaluate_match(_match, parse_specs(list(specs)))


_Key = tuple[str, str, Conventions, str]


class _Summaries:
    """Summaries by (run, truth, conventions, spec), so that a new metric or run costs only itself.

    The resamples depend on the seed and the number of queries alone: computed apart or together, the numbers are
    the same.
    """

    LIMIT = 50_000

    def __init__(self):
        self._held: OrderedDict[_Key, Summary] = OrderedDict()
        self._lock = threading.Lock()

    def held(self, key: _Key) -> Summary | None:
        with self._lock:
            return self._held.get(key)

    def keep(self, found: dict[_Key, Summary]) -> None:
        with self._lock:
            self._held.update(found)
            while len(self._held) > self.LIMIT:
                self._held.popitem(last=False)


_SUMMARIES = _Summaries()
_MOST_WEIGHTS = 200_000_000  # bytes


@st.cache_resource(max_entries=1, show_spinner=False)
def _weights(queries: int) -> np.ndarray | None:
    """The resamples of all intervals, drawn once; None for so many queries that they are better drawn each time."""
    return resample_weights(queries) if queries * RESAMPLES <= _MOST_WEIGHTS else None


def summary(runs: Sequence[str], truth: str, conventions: Conventions,
            specs: Sequence[Spec]) -> list[tuple[Summary, ...]]:
    """Means and intervals: for each run a Summary for each spec."""
    under = (truth, conventions)
    missing = [spec for spec in specs if any(_SUMMARIES.held((run, *under, str(spec))) is None for run in runs)]
    if missing:
        with st.spinner("Computing means and intervals …"):
            found = summaries([evaluation(run, *under, missing) for run in runs],
                              weights=_weights(len(LOADED.truth(truth))))
        _SUMMARIES.keep(
            {(run, *under, str(one.spec)): one for run, row in zip(runs, found, strict=True) for one in row}
        )
    return [tuple(_SUMMARIES.held((run, *under, str(spec))) for spec in specs) for run in runs]


def curve(run: str, truth: str, conventions: Conventions, name: str, depth: int) -> Curves:
    """One metric at every cutoff from 1 to depth, with its band."""
    names = ("P", "R") if name in ("P", "R") else (name,)
    return _curve(run, truth, astuple(conventions), names, depth, _match=match(run, truth, conventions))


@st.cache_resource(max_entries=256, show_spinner="Computing curves …")
def _curve(run: str, truth: str, conventions: tuple[str, ...], names: tuple[str, ...], depth: int,
           _match: Match) -> Curves:
    return curves(_match, names, np.arange(1, depth + 1), weights=_weights(len(_match.query_ids)))


def interpolated(run: str, truth: str, conventions: Conventions) -> tuple[np.ndarray, int]:
    """(mean interpolated precision at the eleven recall levels, n queries)."""
    return _interpolated(run, truth, astuple(conventions), _match=match(run, truth, conventions))


@st.cache_resource(max_entries=64, show_spinner=False)
def _interpolated(run: str, truth: str, conventions: tuple[str, ...], _match: Match) -> tuple[np.ndarray, int]:
    values = arrays.interpolated_precision(*_match.ranked.hits(), _match.ranked.relevant())
    if _match.conventions.unanswerable == "zero":
        values[_match.ranked.relevant() == 0] = 0.0
    defined = values[_counted(_match) & np.isfinite(values[:, 0])]
    return (defined.mean(axis=0) if len(defined) else np.full(values.shape[1], np.nan)), len(defined)


def first_ranks(run: str, truth: str, conventions: Conventions) -> np.ndarray:
    """Rank of the first relevant document of each query that has one to find: (Q',), NaN for none returned."""
    return _first_ranks(run, truth, astuple(conventions), _match=match(run, truth, conventions))


@st.cache_resource(max_entries=64, show_spinner=False)
def _first_ranks(run: str, truth: str, conventions: tuple[str, ...], _match: Match) -> np.ndarray:
    first = arrays.first_ranks(*_match.ranked.hits(), _match.ranked.queries)
    return first[_counted(_match) & (_match.ranked.relevant() > 0)]


def _counted(found: Match) -> np.ndarray:
    """Queries that take part: all, or those that the run names: (Q,) bool."""
    return ~found.missing if found.conventions.missing == "skip" else np.ones(len(found.query_ids), bool)
