"""Is a test set any good? Everything that can be said of it, with these runs or without.

Letters: N runs, Q queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import orjson
import pyarrow as pa

from ragdash.analysis.test_set.copies import Copies, find_copies
from ragdash.analysis.test_set.label_lint import TOP, LabeledSet, LabelFinding, lint_labels
from ragdash.analysis.test_set.query_quality import QueryQuality, query_quality
from ragdash.analysis.test_set.relabel import ITEMS, RelabelItem, relabel_items
from ragdash.analysis.test_set.texts import attributes_of, document_texts, questions_of, references_of
from ragdash.analysis.test_set.verdict_carriers import VerdictCarriers, verdict_carriers
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.evaluation.bands.best_possible import best_possible_values
from ragdash.evaluation.compare import ComparisonRules, best_first, select_comparable
from ragdash.evaluation.evaluate import Evaluation, evaluate_match
from ragdash.evaluation.stats import SEED
from ragdash.matching.match import Match
from ragdash.matching.question_types import kinds
from ragdash.metrics import Spec, one_spec

MOST_PAIRS = 5  # other runs that the best one is compared with query by query, the closest ones
AUTHORS = frozenset(("annotator", "annotators", "annotatorid", "annotatedby", "assessor", "judgedby", "labeledby",
                     "labelledby", "labeler", "labeller", "rater", "reviewer"))  # attributes that say who judged


@dataclass(frozen=True, eq=False)
class LabelCheck:
    """What questions, judgments and documents show without any run's values.

    Attributes
    ----------
    copies, findings
        Near copies; judgments that look wrong.
    authors
        {name: queries} of those who judged; empty where the truth does not say who.
    texts
        {document: text, None for none} of the judged documents.
    """

    truth: Truth
    copies: Copies
    findings: tuple[LabelFinding, ...]
    authors: Mapping[str, int]
    texts: Mapping[str, str | None]

    def items(self, n: int = ITEMS, seed: int = SEED) -> list[RelabelItem]:
        """Judgments to give again, suspicious ones among others, in random order."""
        return relabel_items(self.truth, self.findings, {doc: bool(text) for doc, text in self.texts.items()}, n, seed)


@dataclass(frozen=True, eq=False)
class TestSetCheck:
    """What `check_test_set` returns.

    Attributes
    ----------
    spec, runs, query_ids
        The metric, the names of the runs (N,), the ids of the queries (Q,).
    values : (N, Q)
        Of the metric; NaN where undefined.
    quality
        What each query contributes; None without runs.
    carriers
        The best run against each other, the closest first, at most MOST_PAIRS; () for fewer than two runs and for
        metrics that cannot be compared query by query.
    labels
        Near copies and judgments that look wrong.
    """

    __test__ = False  # no test of pytest

    spec: Spec
    runs: tuple[str, ...]
    query_ids: tuple[str, ...]
    values: np.ndarray
    quality: QueryQuality | None
    carriers: tuple[VerdictCarriers, ...]
    labels: LabelCheck

    @cached_property
    def detectable(self) -> tuple[float, float]:
        """(least, greatest) difference that a comparison of the best run with another one would detect with 80% power.

        NaN without two runs: how much two runs differ from query to query decides it.
        """
        sizes = [pair.comparison.detectable for pair in self.carriers if np.isfinite(pair.comparison.detectable)]
        return (min(sizes), max(sizes)) if sizes else (np.nan, np.nan)


@checked
def check_test_set(runs: Sequence[Run], truth: Truth, spec: str | Spec = "nDCG@10", *,
                   conventions: Conventions | None = None, rules: ComparisonRules | None = None) -> TestSetCheck:
    """Check whether a test set can distinguish runs, and whether its judgments look right.

    Parameters
    ----------
    runs
        None or more. Without one only questions, judgments and documents are looked at; discrimination and reliability
        need three; the queries that carry a verdict, and the detectable difference, need two.
    truth
        The test set. With documents (`truth.with_corpus`) or runs with texts more can be checked.
    spec
        The metric by which queries are judged.

    Raises
    ------
    InputError
        The metric is unknown, or cannot be computed.

    Examples
    --------
    >>> truth = Truth.build("qrels", ["q1", "q2"], ["a", "b"], [1, 1])
    >>> runs = [Run.build(name, ["q1", "q2"], docs) for name, docs in (("old", ["a", "x"]), ("new", ["a", "b"]))]
    >>> check = check_test_set(runs, truth, "RR")
    >>> check.quality.solved.tolist(), check.carriers[0].leader, check.carriers[0].comparison.outcome
    ([True, False], 'new', 'too-few')
    """
    parsed = one_spec(spec)
    matches = [Match(run, truth, conventions) for run in runs]
    return check_evaluated([evaluate_match(match, [parsed]) for match in matches], matches, truth, parsed,
                           check_labels(truth, matches), rules)


def check_evaluated(evaluations: Sequence[Evaluation], matches: Sequence[Match], truth: Truth, spec: Spec,
                    labels: LabelCheck, rules: ComparisonRules | None = None) -> TestSetCheck:
    """As `check_test_set`, of runs that are evaluated already, all on the same queries."""
    names = tuple(evaluation.name for evaluation in evaluations)
    if not evaluations:
        return TestSetCheck(spec, (), tuple(truth.query_ids.to_pylist()), np.zeros((0, len(truth))), None, (), labels)
    values = np.stack([evaluation.column(spec) for evaluation in evaluations])
    query_ids = evaluations[0].query_ids
    low, high = spec.range
    best_end, worst = (low, high) if spec.metric.better == "lower" else (high, low)
    best = _best_values(matches[0], spec, query_ids)
    best = np.where(np.isnan(best), best_end if np.isfinite(best_end) else np.nan, best)
    quality = query_quality(values, best, worst if np.isfinite(worst) else np.nan)
    comparable = spec in select_comparable(evaluations[0], [spec])[0]
    carriers = _carriers(evaluations, spec, values, rules) if comparable and len(evaluations) > 1 else ()
    return TestSetCheck(spec, names, tuple(query_ids.to_pylist()), values, quality, carriers, labels)


def _best_values(match: Match, spec: Spec, query_ids: pa.StringArray) -> np.ndarray:
    """The value of a perfect ranking at each of these queries of the truth."""
    if len(query_ids) == len(match.truth):
        return best_possible_values(match, spec)
    by_id = dict(zip(match.truth.query_ids.to_pylist(), best_possible_values(match, spec).tolist(), strict=True))
    return np.array([by_id.get(query, np.nan) for query in query_ids.to_pylist()])


def _carriers(evaluations: Sequence[Evaluation], spec: Spec, values: np.ndarray,
              rules: ComparisonRules | None) -> tuple[VerdictCarriers, ...]:
    defined = ~np.isnan(values)
    counts = defined.sum(axis=1)
    means = np.where(counts > 0, np.where(defined, values, 0.0).sum(axis=1) / np.maximum(counts, 1), np.nan)
    order = [index for index in best_first(means, spec.metric.better) if counts[index]]
    return tuple(verdict_carriers(evaluations, spec, order[0], other, rules) for other in order[1:MOST_PAIRS + 1])


def check_labels(truth: Truth, matches: Sequence[Match] = ()) -> LabelCheck:
    """Look for near copies and for judgments that look wrong.

    matches: of runs with this truth, whose texts and first ranks are used; may be empty.
    """
    doc_ids = truth.docs.unique()
    texts = document_texts(doc_ids, truth, [match.run for match in matches])
    names, questions = doc_ids.to_pylist(), questions_of(truth)
    copies = find_copies(questions, names, texts)
    marks = kinds(truth)
    labeled = LabeledSet(truth.query_ids.to_pylist(), questions, references_of(truth),
                         marks["no_answer"] | marks["out_of_scope"], marks["multi_hop"], _judged(truth),
                         dict(zip(names, texts, strict=True)), any(texts), _ranked_first(truth, matches))
    return LabelCheck(truth, copies, lint_labels(labeled, copies), _authors(truth), labeled.texts)


def _judged(truth: Truth) -> list[dict[str, int]]:
    judged: list[dict[str, int]] = [{} for _ in range(len(truth))]
    for query, doc, grade in zip(truth.queries.tolist(), truth.docs.to_pylist(), truth.grades.tolist(), strict=True):
        judged[query][doc] = grade
    return judged


def _ranked_first(truth: Truth, matches: Sequence[Match]) -> list[tuple[str, ...]]:
    """The judged documents of each query that every run returns among its first TOP; [] for fewer than two runs."""
    if len(matches) < 2 or any(match.matching.by != "id" for match in matches):
        return []
    counts = np.zeros(truth.judgments, np.int64)
    for match in matches:
        counts[match.judgment[match.ranked.rank <= TOP]] += 1
    first: list[list[str]] = [[] for _ in range(len(truth))]
    rows = np.flatnonzero(counts == len(matches))
    for query, doc in zip(truth.queries[rows].tolist(), truth.docs.take(pa.array(rows)).to_pylist(), strict=True):
        first[query].append(doc)
    return [tuple(docs) for docs in first]


def _authors(truth: Truth) -> dict[str, int]:
    """{who judged: queries}, from attributes such as annotator; {} where there are none."""
    counts: dict[str, int] = {}
    for text in attributes_of(truth):
        for name, value in orjson.loads(text).items() if text else ():
            if "".join(filter(str.isalnum, name.casefold())) in AUTHORS:
                for author in {str(item) for item in (value if isinstance(value, list) else [value]) if item}:
                    counts[author] = counts.get(author, 0) + 1
    return counts
