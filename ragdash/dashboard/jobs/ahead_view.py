"""What the process that computes ahead computes, with the functions of the pages: they look under the same keys."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from ragdash.analysis.diagnosis import DiagnosisRules
from ragdash.analysis.diagnosis.rules import JUDGED_GROUNDED
from ragdash.analysis.verdict import MOST_RUNS, lean_specs
from ragdash.core.errors import InputError
from ragdash.dashboard.caches import (
    comparability_cache,
    diagnosis_cache,
    evaluation_cache,
    verdict_cache,
    what_if_cache,
)
from ragdash.dashboard.page_context import COLUMNS, spec_of
from ragdash.dashboard.session.data_store import SessionRun, deepest_rank
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.compare import best_first, select_comparable
from ragdash.metrics import Spec, parse_specs


class View:
    """What pages compute for a view. Each method raises InputError or Unavailable where the data cannot give it."""

    def __init__(self, runs: Sequence[tuple[str, str]], baseline: int, scope: Scope,
                 truth_names: Sequence[str]):
        self.digests, self.names = [digest for digest, _ in runs], [name for _, name in runs]
        self.baseline, self.scope, self.truth_names = baseline, scope, truth_names

    def summaries(self, templates: Sequence[str], cutoffs: Sequence[int]) -> None:
        """Means and intervals at all cutoffs: with one draw of resamples, in a third of the time of one by one."""
        evaluation_cache.summary(self.digests, self.scope, list(dict.fromkeys(
            spec for k in cutoffs for spec in _specs(templates, k))))

    def tests(self, template: str, k: int) -> None:
        """The comparisons with the baseline and with the best run, and within each kind of queries."""
        spec = spec_of(template, k)
        first = self.scope.evaluation(self.digests[0], [spec])
        if len(self.digests) < 2 or not select_comparable(first, [spec])[0]:
            return
        means = [row[0].mean for row in evaluation_cache.summary(self.digests, self.scope, [spec])]
        best = best_first(np.array(means), spec.metric.better)[0]
        rules = evaluation_cache.comparison_rules(self.scope, len(self.digests))
        for baseline in {self.baseline, best}:
            others = [digest for index, digest in enumerate(self.digests) if index != baseline]
            evaluation_cache.compared(self.digests[baseline], others, self.scope, [spec], rules)
        attributes = {part.attribute for part in self.scope.slices.values()} if len(self.digests) <= MOST_RUNS else ()
        for baseline in {self.baseline, best}:
            others = [digest for index, digest in enumerate(self.digests) if index != baseline]
            for attribute in sorted(attributes):
                evaluation_cache.compared_by_slice(
                    self.digests[baseline], others, self.scope, spec, attribute, rules)

    def rankings(self, k: int) -> None:
        """The comparisons behind the sentences of Precision-recall and Ranking, each with the best run."""
        if len(self.digests) < 2:
            return
        deepest = deepest_rank(self.digests)
        rules = evaluation_cache.comparison_rules(self.scope, len(self.digests))
        for spec in dict.fromkeys(parse_specs([f"R@{min(k, deepest)}", "Success@1", f"Success@{deepest}"])):
            values = [self.scope.evaluation(run, [spec]).column(spec) for run in self.digests]
            best = best_first(np.array([column[~np.isnan(column)].mean() if (~np.isnan(column)).any() else np.nan
                                        for column in values]), "higher")[0]
            others = [digest for index, digest in enumerate(self.digests) if index != best]
            evaluation_cache.compared(self.digests[best], others, self.scope, [spec], rules)

    def checks(self, template: str, k: int) -> None:
        """What speaks against the comparison, and what it leaves out."""
        for run in self.digests:
            evaluation_cache.counts(run, self.scope)
        spec = spec_of(template, k)
        for run in self.digests if (others := lean_specs(spec)) else ():
            self.scope.evaluation(run, others)
        verdict_cache.checks(self.digests, self.names, self.scope, spec, k, self.truth_names)
        evaluation_cache.perfect_mean(self.digests[0], self.scope, spec)

    def comparability(self, template: str, k: int) -> None:
        """What the Data page says of the comparison."""
        spec = spec_of(template, k)
        entries = [SessionRun(digest, name, 0) for digest, name in zip(self.digests, self.names, strict=True)]
        comparability_cache.comparability_report(entries, self.scope.truth_digest, self.scope.conventions, spec)

    def hybrid(self, template: str, k: int) -> None:
        """A hybrid that would be better, where trying some is quick."""
        what_if_cache.gain(self.digests, self.names, self.scope, spec_of(template, k))

    def diagnoses(self, templates: Sequence[str], k: int) -> None:
        """Where queries went wrong, by the usual rules, and what that costs."""
        for run in self.digests:
            self.scope.evaluation(run, [DiagnosisRules(k=k).grounded_spec, *parse_specs(JUDGED_GROUNDED)])
            for spec in _specs(templates, k):
                diagnosis_cache.gains_by(run, self.scope, spec, DiagnosisRules(k=k))
                diagnosis_cache.ranked_low_by(run, self.scope, spec, DiagnosisRules(k=k))

    def leaderboard(self, template: str, k: int) -> None:
        """The values of the metrics that the leaderboard shows together."""
        specs = list(dict.fromkeys(_specs([template, *COLUMNS], k)))
        for run in self.digests:
            self.scope.evaluation(run, specs)


def _specs(templates: Sequence[str], k: int) -> list[Spec]:
    specs = []
    for template in templates:
        with suppress(InputError):
            specs.append(spec_of(template, k))
    return specs
