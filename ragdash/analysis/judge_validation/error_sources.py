"""What fools a judge: do its errors depend on the answer's length, the evidence, a refusal, or the run?

Letters: R runs, Q queries of one run, M queries that are labeled in any run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.judge_validation.estimates import without_held_out
from ragdash.analysis.judge_validation.verdicts import RunVerdicts
from ragdash.core.errors import InputError, Unavailable
from ragdash.core.text import is_refusal
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.evaluation.stats import MIN_LABELS, SEED, holm
from ragdash.evaluation.stats.rank_correlation import midranks
from ragdash.matching.match import Match
from ragdash.metrics import parse_specs

SHUFFLES = 10_000
FEWEST_OTHERS = 5  # queries with another value of a factor than the most frequent one
RUN = "run"
FACTORS = ("answer length (characters)", "number of contexts", "rank of the first relevant document", "refusal", RUN)


@dataclass(frozen=True)
class ErrorSource:
    """How a judge's errors depend on a factor.

    queries: labeled queries with a known value; groups: (which values, mean |verdict - label|, answers) of the lower
    and the upper half, or of each run; p: of a permutation test; corrected: by Holm over the factors tested.
    """

    factor: str
    queries: int
    groups: tuple[tuple[str, float, int], ...]
    p: float
    corrected: float


def error_sources(verdicts: Sequence[RunVerdicts], labels: Sequence[Mapping[str, float]],
                  matches: Sequence[Match | None] = (), *, seed: int = SEED) -> tuple[ErrorSource, ...]:
    """Test whether the errors of a judge depend on what it was shown.

    Parameters
    ----------
    verdicts, labels
        Of each run; labels {query_id: value in [0, 1]}.
    matches
        Of each run, for answers, contexts and relevant documents; without them only the runs are compared.
    seed
        Of the shuffles.

    Returns
    -------
    (ErrorSource, ...)
        A factor each, the smallest p first. Factors with fewer than MIN_LABELS queries, or with fewer than
        FEWEST_OTHERS queries that differ from the most frequent value, are left out.

    Notes
    -----
    The error is |verdict - label|. Queries are the units: errors and values are averaged over the runs of a query, and
    Spearman's correlation of both is compared with that of shuffled errors. For runs, the spread of their mean errors
    is compared with that of errors shuffled within each query. Five factors are tested, so p-values are corrected
    (Holm).
    """
    verdicts, labels, _ = without_held_out(verdicts, labels)
    errors = np.array([_errors(run_verdicts, run_labels, verdicts[0].query_ids.to_pylist())
                       for run_verdicts, run_labels in zip(verdicts, labels, strict=True)])
    rng = np.random.default_rng(seed)
    sources = []
    for factor in FACTORS[:-1]:
        values = np.array([_values(factor, match, verdicts[0].query_ids.to_pylist())
                           for match in matches or [None] * len(verdicts)])
        sources.append(_of_values(factor, errors, values, rng))
    sources.append(_of_runs(errors, [run_verdicts.name for run_verdicts in verdicts], rng))
    tested = [source for source in sources if source is not None]
    corrected = holm(np.array([source.p for source in tested]))
    result = [ErrorSource(source.factor, source.queries, source.groups, source.p, float(p))
              for source, p in zip(tested, corrected, strict=True)]
    return tuple(sorted(result, key=lambda source: source.p))


def _errors(verdicts: RunVerdicts, labels: Mapping[str, float], query_ids: Sequence[str]) -> np.ndarray:
    """|verdict - label| of each query of the first run: (Q,), NaN where one of both is missing."""
    value = dict(zip(verdicts.query_ids.to_pylist(), verdicts.values.tolist(), strict=True))
    return np.array([abs(value.get(query, np.nan) - labels.get(query, np.nan)) for query in query_ids], np.float64)


def _values(factor: str, match: Match | None, query_ids: Sequence[str]) -> np.ndarray:
    """The factor of each query: (Q,), NaN where it is not known."""
    columns: Sequence[float] = ()
    if match is not None:
        with suppress(Unavailable, InputError):
            columns = _READERS[factor](match)
    known = {} if not len(columns) else dict(zip(match.query_ids.to_pylist(), columns, strict=True))
    return np.array([known.get(query, np.nan) for query in query_ids], np.float64)


def _lengths(match: Match) -> list[float]:
    return [np.nan if text is None else float(len(text)) for text in match.answered.answers]


def _refusals(match: Match) -> list[float]:
    return [np.nan if text is None else float(is_refusal(text, question or ""))
            for text, question in zip(match.answered.answers, match.answered.questions, strict=True)]


def _context_counts(match: Match) -> list[float]:
    return [np.nan if texts is None else float(len(texts)) for texts in match.grounded.contexts]


def _first_ranks(match: Match) -> list[float]:
    """Of queries whose ranking has a relevant document."""
    reciprocal = np.asarray(evaluate_match(match, parse_specs("RR")).column("RR"), np.float64)
    with np.errstate(divide="ignore"):
        return np.where(reciprocal > 0, 1 / reciprocal, np.nan).tolist()


_READERS = dict(zip(FACTORS, (_lengths, _context_counts, _first_ranks, _refusals), strict=False))


def _of_values(factor: str, errors: np.ndarray, values: np.ndarray, rng: np.random.Generator) -> ErrorSource | None:
    both = ~np.isnan(errors) & ~np.isnan(values)
    columns = both.any(axis=0)
    if columns.sum() < MIN_LABELS:
        return None
    error, value = (np.where(both, table, 0).sum(axis=0)[columns] / both.sum(axis=0)[columns]
                    for table in (errors, values))
    n = len(error)
    x, y = midranks(value) - (n + 1) / 2, midranks(error) - (n + 1) / 2
    if n - np.unique(value, return_counts=True)[1].max() < FEWEST_OTHERS:
        return None
    shuffled = np.abs(rng.permuted(np.broadcast_to(y, (SHUFFLES, n)), axis=1) @ x)
    p = (1 + (shuffled >= abs(x @ y) - 1e-9).sum()) / (1 + SHUFFLES)
    return ErrorSource(factor, n, _halves(factor, errors[both], values[both]), float(p), np.nan)


def _halves(factor: str, errors: np.ndarray, values: np.ndarray) -> tuple[tuple[str, float, int], ...]:
    """Errors up to the median of the values and above it; for the highest half where the median is the maximum."""
    if factor == "refusal":
        parts = [("no refusal", values == 0), ("refusal", values == 1)]
    else:
        middle = float(np.median(values))
        if middle == values.max():
            middle = float(values[values < middle].max())
        parts = [(f"up to {middle:,.0f}", values <= middle), (f"above {middle:,.0f}", values > middle)]
    return tuple((name, float(errors[rows].mean()), int(rows.sum())) for name, rows in parts if rows.any())


def _of_runs(errors: np.ndarray, names: Sequence[str], rng: np.random.Generator) -> ErrorSource | None:
    """Only queries that are labeled in every run, so that runs are compared on the same questions."""
    complete = ~np.isnan(errors).any(axis=0)
    if len(errors) < 2 or complete.sum() < MIN_LABELS:
        return None
    rows = errors[:, complete]
    spread = rows.mean(axis=1).var()
    shuffled = np.array([rng.permuted(rows, axis=0).mean(axis=1).var() for _ in range(SHUFFLES // 5)])
    p = (1 + (shuffled >= spread - 1e-12).sum()) / (1 + len(shuffled))
    groups = tuple((name, float(row.mean()), rows.shape[1]) for name, row in zip(names, rows, strict=True))
    return ErrorSource(RUN, rows.shape[1], groups, float(p), np.nan)
