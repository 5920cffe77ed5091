"""The values of a metric that a file holds, next to those that ragdash computes, and why they differ where it is known.

Letters: Q queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match
from ragdash.metrics import Spec, counterpart, default_file_specs, read_spec
from ragdash.metrics.from_file import counted_unit

CUTOFFS = (1, 2, 3, 4, 5, 8, 10, 15, 20, 50, 100)
EQUAL, ROUNDED = 1e-6, 5.1e-4  # differences that rounding explains: of single precision, of three decimals
EXPLAINED = ("cutoff", "options", "grades", "first-document", "returned")  # reasons that give the file's values
ALMOST_ALL = 0.98  # share of the queries that a reason must explain


@dataclass(frozen=True)
class Recomputed:
    """A metric from the file of a run, and the same metric as computed from its ranking and the judgments.

    mean, file_mean: over the n queries where both are defined; differing: queries with different values; reason: ""
    (none), "rounded", "cutoff", "grades", "first-document", "options", "returned" (precision over fewer documents),
    "unit" (not known, but the name says what is counted) or "unknown"; variant: what gives the file's values, such as
    RR@5, and in how many queries (explained).
    """

    run: str
    spec: Spec
    counterpart: Spec
    file_mean: float
    mean: float
    n: int
    differing: int
    reason: str = ""
    variant: str = ""
    explained: int = 0

    @property
    def problem(self) -> Problem:
        """The comparison in words: a note."""
        facts = {"run": self.run, "name": self.spec.file_column, "file_mean": self.file_mean, "mean": self.mean,
                 "metric": str(self.counterpart), "queries": self.n}
        if not self.differing:
            return Problem("file-metric-agrees", facts, field=self.spec.file_column, severity="note")
        explained = {"variant": self.variant, "explained": self.explained}
        more = {**dict.fromkeys(EXPLAINED, explained), "unit": {"unit": counted_unit(self.spec)}}.get(self.reason, {})
        return Problem(f"file-metric-differs/{self.reason}", {**facts, "differing": self.differing, **more},
                       field=self.spec.file_column, severity="note")


def recomputed(match: Match) -> tuple[Recomputed, ...]:
    """Every metric of the run's file that ragdash computes too, next to the computed one; none without judgments.

    Examples
    --------
    >>> from ragdash import Run, Truth
    >>> from ragdash.core.file_scores import FileScores
    >>> scores = FileScores.build([("q1", "a", "mrr", 0.0), ("q2", "a", "mrr", 1.0)])
    >>> run = Run.build("a", ["q1", "q1", "q2"], ["x", "y", "z"], [2.0, 1.0, 1.0]).with_file_scores(scores)
    >>> row, = recomputed(Match(run, Truth.build("qrels", ["q1", "q2"], ["y", "z"], [1, 1])))
    >>> row.file_mean, row.mean, row.reason, row.variant
    (0.5, 0.75, 'cutoff', 'RR@1')
    """
    if match.run.file_scores is None or not match.truth.judgments or not len(match.run.docs):
        return ()
    pairs = [(spec, counterpart(spec, read_spec, match.run.depth)) for spec in default_file_specs([match.run])]
    return tuple(row for spec, known in pairs if known is not None
                 for row in [_compared(match, spec, known)] if row is not None)


def _compared(match: Match, spec: Spec, known: Spec) -> Recomputed | None:
    try:
        evaluation = evaluate_match(match, (spec, known))
    except InputError:
        return None  # no query in common: other messages say so
    file_values, values = evaluation.values.T
    both = ~np.isnan(file_values) & ~np.isnan(values)
    n = int(both.sum())
    if not n:
        return None
    distance = np.abs(file_values - values)[both]
    facts = (match.run.name, spec, known, float(file_values[both].mean()), float(values[both].mean()), n)
    if (distance <= EQUAL).all():
        return Recomputed(*facts, 0)
    if (distance <= ROUNDED).all():
        return Recomputed(*facts, int((distance > EQUAL).sum()), "rounded")
    differing = int((distance > ROUNDED).sum())
    for reason, variant, variant_values in _variants(match, known):
        explained = int((np.abs(file_values - variant_values) <= ROUNDED)[both].sum())
        if explained >= ALMOST_ALL * n and explained > n - differing:
            return Recomputed(*facts, differing, reason, variant, explained)
    if known.name == "P" and known.k:
        explained = int((np.abs(file_values - _over_returned(match, values, known.k)) <= ROUNDED)[both].sum())
        if explained >= ALMOST_ALL * n:
            return Recomputed(*facts, differing, "returned", str(known), explained)
    return Recomputed(*facts, differing, "unit" if counted_unit(spec) else "unknown")


def _over_returned(match: Match, precision: np.ndarray, k: int) -> np.ndarray:
    """Precision at k (Q,) divided by the documents returned where these are fewer."""
    returned = match.ranked.returned_at(np.array([k]))[:, 0]
    return precision * k / np.maximum(np.minimum(returned, k), 1)


def _variants(match: Match, known: Spec) -> Iterator[tuple[str, str, np.ndarray]]:
    """(reason, name, values) of what the file may have computed under the same name."""
    specs = [(reason, spec) for reason, spec in _specs_near(match, known) if spec is not None]
    values = evaluate_match(match, [spec for _, spec in specs]).values
    for column, (reason, spec) in enumerate(specs):
        yield reason, str(spec), values[:, column]
    if len(match.truth.grades) > len(np.unique(match.truth.queries)):
        first = Match(match.run, first_documents(match.truth), match.conventions)
        near = [known, *(spec for reason, spec in specs if reason == "cutoff")]
        values = evaluate_match(first, near).values
        for column, spec in enumerate(near):
            yield "first-document", str(spec), values[:, column]


def _specs_near(match: Match, known: Spec) -> Iterator[tuple[str, Spec | None]]:
    depths = [k for k in dict.fromkeys((*CUTOFFS, match.run.depth)) if 1 <= k <= max(match.run.depth, 1)]
    if known.metric.cutoff != "none":
        yield from (("cutoff", known.at_cutoff(k)) for k in depths if k != known.k)
    cutoff = f"@{known.k}" if known.k else ""
    if known.name == "nDCG":
        yield "options", read_spec(f"nDCG(gain='exp'){cutoff}")
    if "rel" in known.metric.params and match.ranked.max_grade > 1:
        for grade in range(2, int(match.ranked.max_grade) + 1):
            yield "grades", read_spec(f"{known.name}(rel={grade}){cutoff}")
            if not known.k:
                yield from (("grades", read_spec(f"{known.name}(rel={grade})@{k}")) for k in depths)


def first_documents(truth: Truth) -> Truth:
    """The truth with one relevant document for each query: that of the highest grade, the first in the file."""
    relevant = np.flatnonzero(truth.grades >= 1)
    first = relevant[np.unique(truth.queries[relevant], return_index=True)[1]]
    return Truth.build(truth.name, truth.query_ids.take(pa.array(truth.queries[first])),
                       truth.docs.take(pa.array(first)), truth.grades[first],
                       details=pa.table({"query_id": truth.query_ids}))


def recomputed_in(matches: Sequence[Match]) -> tuple[Recomputed, ...]:
    """The same for several runs."""
    return tuple(row for match in matches for row in recomputed(match))
