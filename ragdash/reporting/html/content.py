"""What a report is about, and the numbers that its sections share; each is computed when first asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from ragdash.analysis.diagnosis import Diagnosis, diagnose_runs
from ragdash.analysis.verdict import (
    AdviceFacts,
    HybridGain,
    Verdict,
    advise,
    compared_by_slice,
    evidence_specs,
    find_checks,
    lean_specs,
    paid_of,
    verdict_state,
    withhold,
)
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.evaluation.bands.best_possible import best_possible
from ragdash.evaluation.compare import (
    Comparison,
    ComparisonRules,
    FamilyTests,
    best_first,
    select_comparable,
    test_family,
)
from ragdash.evaluation.curves import Curves, curves
from ragdash.evaluation.evaluate import Evaluation, Summary, evaluate_match, summaries
from ragdash.evaluation.latency_cost import PriceTable
from ragdash.evaluation.repeats import RepeatSpread, mean_over_repeats, spreads_of_groups
from ragdash.evaluation.scoring.default_judges import default_judges
from ragdash.evaluation.stats import FAST_RESAMPLES, resample_weights
from ragdash.matching.match import Match
from ragdash.metrics import (
    DEFAULT_SPECS,
    Spec,
    default_specs,
    file_specs,
    has_answers,
    have_rankings,
    parse_spec,
    parse_specs,
)
from ragdash.metrics.bands import BANDS, Bands
from ragdash.metrics.docs.human_agreement import JUDGED_RIGHT
from ragdash.models.judge import default_verdict_store
from ragdash.reporting.sentences.hybrid_answer import (
    answer_rows,
    answer_sentences,
    ceiling_rows,
    change_rows,
    warning_sentence,
)

METRICS = ("nDCG@{k}", "R@{k}", "P@{k}", "RR", "Success@{k}")
ANSWERS = ("NumberMatch", "TokenF1", "ROUGE_L", "CoverEM", "EM", "SupportCoverage", "UnsupportedNumbers",
           "HallucinationRate")
MAX_DEPTH = 10_000
MAX_WEIGHT_BYTES = 200_000_000  # bytes


@dataclass(frozen=True)
class HybridAnswer:
    """Would a hybrid help?

    sentences: Markdown, the decision first; rows: run, mean, low, high and n as texts, of the metric. Without rows the
    only sentence says why there is no answer. runs: the names of those fused; ceiling, changes: rows of texts; code:
    the hybrid in Python.
    """

    metric: str
    sentences: tuple[str, ...]
    rows: Sequence[Sequence[str]] = ()
    ceiling: Sequence[Sequence[str]] = ()
    changes: Sequence[Sequence[str]] = ()
    code: str = ""
    runs: tuple[str, ...] = ()

    @classmethod
    def of(cls, answer, code: str = "", warnings: Sequence[Problem] = (), others: Sequence[str] = ()) -> HybridAnswer:
        """What is shown of an answer (`ragdash.experiments.fusion.legs.answer.Answer`), warnings of its runs included.

        others: names of the runs of the report that are not fused.
        """
        decision, *details = answer_sentences(answer, others)
        sentences = (decision, *map(warning_sentence, warnings), *details)
        if answer.choice.decision == "unknown":
            return cls(answer.choice.spec.title, sentences, answer_rows(answer), runs=answer.choice.runs)
        return cls(answer.choice.spec.title, sentences, answer_rows(answer), ceiling_rows(answer.ceiling),
                   change_rows(answer.changes), code, answer.choice.runs)


def default_title(runs: Sequence[Run]) -> str:
    """The title of a report that was given none."""
    if not have_rankings(runs):
        return "Answers of one configuration measured" if len(runs) == 1 else "Answers of configurations compared"
    return "One retrieval configuration measured" if len(runs) == 1 else "Retrieval configurations compared"


@dataclass(frozen=True, eq=False)
class ReportRequest:
    """What a report shows, and with which settings.

    Parameters
    ----------
    matches
        The runs matched to one ground truth, in display order.
    specs
        The metrics; the first one is the metric of the verdict.
    names, slots
        Display name and color slot of each run.
    baseline
        Index of the run that the others are compared with.
    k
        The cutoff of curves and answers.
    queries, slice_title
        (Q,) bool, the queries that count (None: all), and what they are called.
    texts
        Whether the report may contain questions, documents and answers.
    bands, prices
        Threshold bands, and prices of tokens and calls.
    command, settings
        How to make the report again: a command, and further settings.
    accepted
        Kinds of checks that withhold no verdict.
    hybrid
        The answer on fusions of the runs, where it was asked for.
    hybrid_gain
        A hybrid that is better than the runs, where one is known: the verdict names it.
    author, date
        Shown below the title where they are given.
    repeats
        For each run the matches of all repeats of its configuration: its values are means over them, its rankings and
        texts those of its match. Empty: each run is one run.
    file_specs
        The metrics in the files of the runs; None: they are guessed.
    """

    matches: tuple[Match, ...]
    specs: tuple[Spec, ...] = ()
    names: tuple[str, ...] = ()
    slots: tuple[int, ...] = ()
    baseline: int = 0
    k: int = 10
    title: str = ""
    sections: tuple[str, ...] | None = None
    texts: bool = True
    rules: ComparisonRules = field(default_factory=ComparisonRules)
    queries: np.ndarray | None = None
    slice_title: str = ""
    bands: tuple[Bands, ...] = BANDS
    prices: PriceTable = field(default_factory=PriceTable)
    command: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    accepted: tuple[str, ...] = ()
    hybrid: HybridAnswer | None = None
    author: str = ""
    date: str = ""
    repeats: tuple[tuple[Match, ...], ...] = ()
    file_specs: tuple[Spec, ...] | None = None
    hybrid_gain: HybridGain | None = None

    def __post_init__(self) -> None:
        runs = [match.run for match in self.matches]
        object.__setattr__(self, "names", self.names or tuple(run.name for run in runs))
        object.__setattr__(self, "title", self.title or default_title(runs))
        object.__setattr__(self, "slots", self.slots or tuple(range(len(runs))))
        object.__setattr__(self, "repeats", self.repeats or tuple((match,) for match in self.matches))
        object.__setattr__(
            self, "specs", self.specs or parse_specs([template.format(k=self.k) for template in METRICS])
        )


def report_specs(runs: Sequence[Run], truth: Truth, k: int, directions: Mapping[str, str] | None = None
                 ) -> tuple[Spec, ...]:
    """The metrics of a report unless others are chosen: METRICS at k, and those in the files of the runs."""
    defaults = default_specs(runs, truth, directions)
    others = [spec for spec in defaults if spec not in DEFAULT_SPECS]
    computed = parse_specs([template.format(k=k) for template in METRICS])
    return tuple(dict.fromkeys((*computed, *others))) if DEFAULT_SPECS[0] in defaults else tuple(others)


def _judged_right(request: ReportRequest) -> list[Spec]:
    """The judged metric that says whether answers are right, where a judge has scored one of the runs; [] for none."""
    try:
        if not any(has_answers(match.run) for match in request.matches) or not default_verdict_store().judges():
            return []
    except InputError:  # the section on judges says why
        return []
    spec = parse_spec(JUDGED_RIGHT)
    values = [evaluate_match(match, [spec]).column(spec) for match in request.matches]
    return [spec] if any(np.isfinite(column).any() for column in values) else []


def _read_by_one_judge(request: ReportRequest) -> ReportRequest:
    """The request with the judges of its judged metrics settled for all runs."""
    judges = default_judges([match for repeats in request.repeats for match in repeats],
                            [*request.specs, *_judged_right(request)])
    return request if not judges else replace(
        request, matches=tuple(match.by_judges(judges) for match in request.matches),
        repeats=tuple(tuple(match.by_judges(judges) for match in repeats) for repeats in request.repeats))


class ReportContent:
    """The numbers of a ReportRequest, computed on first use. Rows are its runs, columns its metrics."""

    def __init__(self, request: ReportRequest):
        self.request = request = _read_by_one_judge(request)
        self.names, self.slots = list(request.names), list(request.slots)
        self.truth = request.matches[0].truth
        queries = request.queries
        self.selected = np.ones(len(self.truth), bool) if queries is None else np.asarray(queries, bool)
        self.rules = request.rules
        self._families: dict[Spec, FamilyTests] = {}

    @property
    def lead(self) -> Spec:
        """The metric that the verdict is about."""
        return self.request.specs[0]

    @cached_property
    def weights(self) -> np.ndarray | None:
        """The resamples of all intervals, drawn once; None if there are too many queries to keep them."""
        n = int(self.selected.sum())
        return resample_weights(n, **self.resampling) if n * self.rules.resamples <= MAX_WEIGHT_BYTES else None

    @property
    def resampling(self) -> dict[str, int]:
        """Number and seed of the resamples."""
        return {"resamples": self.rules.resamples, "seed": self.rules.seed}

    def summarize(self, evaluations: Sequence[Evaluation]) -> list[tuple[Summary, ...]]:
        """Mean and interval of each run and spec."""
        return summaries(evaluations, weights=self.weights, **self.resampling)

    def evaluate(self, specs: Sequence[Spec]) -> list[Evaluation]:
        """The values of each run for the queries that count; of repeats their means."""
        evaluations = []
        for name, repeats in zip(self.names, self.request.repeats, strict=True):
            evaluation = replace(mean_over_repeats([evaluate_match(match, specs) for match in repeats]), name=name)
            if not self.selected.all():
                evaluation = evaluation.only(evaluation.query_ids.filter(pa.array(self.selected)).to_pylist())
            evaluations.append(evaluation)
        return evaluations

    @cached_property
    def evaluations(self) -> list[Evaluation]:
        """The specs asked for."""
        return self.evaluate(self.request.specs)

    @cached_property
    def summaries(self) -> list[tuple[Summary, ...]]:
        """Mean and interval of each run and spec."""
        return self.summarize(self.evaluations)

    @cached_property
    def answers(self) -> list[Evaluation]:
        """Labels and scores of the files, then metrics of answers and grounding; NaN where a run has none."""
        return self.evaluate([*self.evidence, *parse_specs(list(ANSWERS))])

    @cached_property
    def evidence(self) -> list[Spec]:
        """The labels and scores of answers in the files of the runs, labels first, but for the verdict's own metric."""
        specs = self.request.file_specs
        if specs is None:
            specs = file_specs([match.run for match in self.request.matches])
        asked = [spec for spec in self.request.specs if spec.file_column or spec.name == JUDGED_RIGHT]
        return evidence_specs([*asked, *specs, *_judged_right(self.request)], self.lead)

    @cached_property
    def evidence_rows(self) -> list[Evaluation]:
        """The values of the evidence."""
        return self.evaluate(self.evidence)

    def rows_of(self, spec: Spec) -> list[Evaluation]:
        """The evaluations that have a metric of the report."""
        if spec in self.request.specs:
            return self.evaluations
        return self.evidence_rows if spec in self.evidence else self.answers

    @cached_property
    def answer_summaries(self) -> list[tuple[Summary, ...]]:
        return self.summarize(self.answers)

    def cutoff_curves(self, names: Sequence[str]) -> list[Curves]:
        """Metrics at every cutoff from 1 to the deepest rank, for each run."""
        ks = np.arange(1, self.depth + 1)
        return [curves(repeats, names, ks, weights=self.weights, queries=self.selected, seed=self.rules.seed,
                       resamples=min(FAST_RESAMPLES, self.rules.resamples)) for repeats in self.request.repeats]

    @cached_property
    def repeat_spreads(self) -> list[RepeatSpread]:
        """How much the leading metric varies between the repeats of each run that has some, and in differences."""
        groups = [(name, np.stack([evaluate_match(match, [self.lead]).column(self.lead)[self.selected]
                                   for match in repeats], axis=1), [match.run for match in repeats])
                  for name, repeats in zip(self.names, self.request.repeats, strict=True) if len(repeats) > 1]
        return spreads_of_groups(self.lead, groups)

    @cached_property
    def diagnoses(self) -> list[Diagnosis]:
        """The stage at which each query of each run went wrong."""
        return diagnose_runs(self.request.matches, self.request.k)

    @property
    def depth(self) -> int:
        """The deepest rank of the runs."""
        return max(1, min(MAX_DEPTH, max(
            match.run.depth for repeats in self.request.repeats for match in repeats)))

    def best_run(self, spec: Spec) -> int | None:
        """The run with the best mean; None where the metric has no better end or no run has a mean."""
        column = self.metric_summaries(spec)
        order = best_first(np.array([summary.mean for summary in column]), spec.metric.better)
        return order[0] if spec.metric.better and column[order[0]].n else None

    def metric_summaries(self, spec: Spec) -> list[Summary]:
        """One spec of every run."""
        rows = self.rows_of(spec)
        summarized = self.summaries if rows is self.evaluations else (
            self.answer_summaries if rows is self.answers else self.evidence_summaries)
        return [row[list(rows[0].specs).index(spec)] for row in summarized]

    @cached_property
    def evidence_summaries(self) -> list[tuple[Summary, ...]]:
        """Mean and interval of each run and label or score of the answers."""
        return self.summarize(self.evidence_rows)

    def against_best(self, spec: Spec) -> dict[int, Comparison]:
        """Every other run against the best one; empty where there is none, or the spec cannot be compared."""
        return {run: withhold(pair, self.verdict) for run, pair in self._pairs_with(self.best_run(spec), spec).items()}

    def pairs_of_rankings(self, spec: Spec, run: int) -> list[Comparison]:
        """Every other run against this one, by a metric that the report need not show."""
        if len(self.names) < 2:
            return []
        pairs = test_family(self.evaluate([spec]), spec, self.rules).against(run)
        return [withhold(pair, self.verdict) for pair in pairs]

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict on the leading metric, with the checks of the runs under their names in the report."""
        request, lead = self.request, self.lead
        matches = [match.renamed(name) for name, match in zip(self.names, request.matches, strict=True)]
        checks = find_checks(matches, lead, request.k, queries=self.selected)
        verdict = verdict_state(
            self.names, self.metric_summaries(lead), self._pairs_with(self.best_run(lead), lead), checks,
            request.accepted, against_baseline=tuple(self._pairs_with(request.baseline, lead).values()),
            evidence=[pair for spec in self.evidence for run in (request.baseline, self.best_run(lead))
                      for pair in self._pairs_with(run, spec).values()])
        return advise(verdict, AdviceFacts(
            self.leaning, paid_of(self.names, request.repeats, self.selected, request.prices), request.hybrid_gain,
            compared_by_slice(self.rows_of(lead), lead, self.truth, self.rules, self.selected)))

    @cached_property
    def leaning(self) -> list[Evaluation]:
        """The metrics that can speak against a choice by the leading one."""
        return self.evaluate(specs) if (specs := lean_specs(self.lead, self.evidence)) else []

    def _pairs_with(self, run: int | None, spec: Spec) -> dict[int, Comparison]:
        """Every other run against this one, whatever speaks against it; none where it is None."""
        rows = self.rows_of(spec)
        if run is None or len(rows) < 2 or not select_comparable(rows[run], [spec])[0]:
            return {}
        others = [other for other in range(len(rows)) if other != run]
        return dict(zip(others, self.family(spec).against(run), strict=True))

    def best_possible(self, spec: Spec) -> float:
        """The mean of a perfect ranking; NaN for metrics that judgments of documents do not decide."""
        return best_possible(self.request.matches[0], spec, self.selected)

    def family(self, spec: Spec) -> FamilyTests:
        """All pairs of the runs on one spec, tested together: the one source of every outcome in the report."""
        if spec not in self._families:
            self._families[spec] = test_family(self.rows_of(spec), spec, self.rules)
        return self._families[spec]

    @property
    def candidates(self) -> list[int]:
        """The candidates: all runs but the baseline."""
        return [run for run in range(len(self.names)) if run != self.request.baseline]

    @cached_property
    def comparisons(self) -> dict[tuple[int, Spec], Comparison]:
        """Each candidate against the baseline on each spec that can be compared."""
        specs = select_comparable(self.evaluations[0], self.request.specs)[0]
        if not self.candidates or not specs:
            return {}
        columns = [self.family(spec).against(self.request.baseline) for spec in specs]
        return {(candidate, column[row].spec): withhold(column[row], self.verdict)
                for row, candidate in enumerate(self.candidates) for column in columns}
