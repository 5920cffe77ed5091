"""What a judge said of the queries of one run, whoever asked it: values with what is missing and why.

Letters: Q queries, V votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.evaluate import Evaluation
from ragdash.metrics import Spec, parse_specs
from ragdash.metrics.judged import judge_request

UNDEFINED = "undefined"  # the reason where none is known


@dataclass(frozen=True, eq=False)
class RunVerdicts:
    """Values of one run's queries in [0, 1], 1 for good: values (Q,) float64, NaN for none.

    name: of the run; what: was judged, such as a metric; run: digest of the run, "" where not known; reasons: of the
    queries without a verdict {query_id: why}; votes (Q, V) or None: every single vote that is known, of all or some of
    which a value is the mean; judge, generator: names of models, "" where not known; source: the judge with its host
    and version, "" where not known; held_out: queries whose labels are not counted, because they are examples in the
    judge's prompt or were drawn with them. Raises InputError for values outside [0, 1] and repeated queries.
    """

    name: str
    query_ids: pa.StringArray
    values: np.ndarray
    what: str = ""
    run: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)
    votes: np.ndarray | None = None
    judge: str = ""
    generator: str = ""
    problems: tuple[Problem, ...] = ()
    source: str = ""
    held_out: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        wrong = np.flatnonzero((self.values < 0) | (self.values > 1))
        if len(wrong):
            q = int(wrong[0])
            facts = {"value": self.values[q], "query": self.query_ids[q].as_py(), "run": self.name,
                     "others": len(wrong) - 1}
            raise InputError([Problem("verdict-range", facts, field=self.what or None)])
        if len(self.query_ids.unique()) < len(self.query_ids):
            raise InputError([Problem("duplicate-verdict", {"name": self.name})])

    def without_held_out(self) -> RunVerdicts:
        """The verdicts on the queries that count."""
        if not self.held_out:
            return self
        rows = pa.array([query not in self.held_out for query in self.query_ids.to_pylist()], pa.bool_())
        counted = rows.to_numpy(zero_copy_only=False)
        return replace(self, query_ids=self.query_ids.filter(rows), values=self.values[counted], held_out=frozenset(),
                       votes=None if self.votes is None else self.votes[counted])

    @property
    def missing(self) -> Mapping[str, int]:
        """Queries without a verdict, by reason, the most frequent first."""
        missing_ids = self.query_ids.filter(pa.array(np.isnan(self.values))).to_pylist()
        return dict(Counter(self.reasons.get(query) or UNDEFINED for query in missing_ids).most_common())


def verdicts_of(evaluation: Evaluation, spec: Spec | str, *, reasons: Mapping[str, str] | None = None,
                votes: np.ndarray | None = None, judge: str = "", generator: str = "") -> RunVerdicts:
    """The values of one metric as verdicts. Raises InputError where they are no means of values in [0, 1].

    What was judged is the metric, whoever judged it and however often: labels are of the answer, not of a judge.
    """
    spec = parse_specs([spec])[0]
    if spec.metric.aggregate != "mean" or spec in evaluation.corpus:
        raise InputError([Problem("no-verdicts/metric", {"spec": str(spec)}, field=str(spec))])
    problems = tuple(problem for problem in evaluation.problems if problem.kind == "unavailable")
    what = judge_request(spec)[0] if spec.metric.view == "Judged" else str(spec)
    return RunVerdicts(evaluation.name, evaluation.query_ids, np.asarray(evaluation.column(spec), np.float64), what,
                    evaluation.digest, reasons or {}, votes, judge, generator, problems)


def verdicts_of_run(verdicts: Sequence[RunVerdicts], name: str | None) -> RunVerdicts | None:
    """The verdicts of a run; without a name those of the only one; None where there is none such."""
    matching = [candidate for candidate in verdicts if name in (None, "", candidate.name)]
    return matching[0] if len(matching) == 1 else None
