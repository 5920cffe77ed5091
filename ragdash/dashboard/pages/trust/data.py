"""What the Trust page looks at: one metric's verdicts of every run shown, the labels kept, and what both come to.

Cached by digests, scalars and the stamps of ledger and labels, as ragdash.dashboard.caches.evaluation_cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

import numpy as np
import streamlit as st

from ragdash.analysis.judge_validation import (
    CUT,
    Difference,
    LabelStore,
    LocalJudge,
    Reading,
    Trust,
    Verdicts,
    judged_verdicts,
    reading,
    trust,
    trust_difference,
)
from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.auth import roles
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.trust import trained_judge
from ragdash.dashboard.pages.trust.trained_judge import LOCAL
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import check_writable
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.evaluate import Evaluation
from ragdash.matching.match import Match
from ragdash.metrics import METRICS, Spec, parse_spec
from ragdash.metrics.bands import YES
from ragdash.models.judge import default_ledger
from ragdash.reporting.sentences import judge as sentences_judge

CLASSES = {"cut": f"Yes from {YES:g} on", "each": "Every value by itself"}
Labels = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Held:
    """One metric of the runs shown, aligned. labels: of the queries in scope; cut: see
    ragdash.analysis.judge_validation.agreement;
    problems: of the file of labels. What both come to is worked out when it is asked for. Of the judge that is trained
    here: learned, what came of the training; lacking, why it is not trained; origin, what its verdicts hang on.
    """

    context: PageContext
    spec: Spec
    judge: str
    cut: float | None
    verdicts: tuple[Verdicts, ...]
    labels: tuple[Labels, ...]
    problems: tuple[Problem, ...]
    learned: LocalJudge | None = None
    lacking: tuple[Problem, ...] = ()
    origin: tuple = ()

    @cached_property
    def found(self) -> tuple[Trust, ...]:
        """Of each run."""
        return tuple(_trust(*key, _verdicts=verdicts, _labels=labels)
                     for key, verdicts, labels in zip(self._keys, self.verdicts, self.labels, strict=True))

    @cached_property
    def differences(self) -> tuple[Difference | None, ...]:
        """Of each run to the baseline, None for the baseline itself."""
        base = self.context.baseline
        first = self.verdicts[base], self.labels[base]
        return tuple(
            None if index == base else _difference(self._keys[base], key, _pair=(first[0], verdicts, first[1], labels))
            for index, (key, verdicts, labels) in enumerate(zip(self._keys, self.verdicts, self.labels, strict=True))
        )

    @property
    def _keys(self) -> list[tuple]:
        key = (self.context.scope.cache_key([self.spec]), str(self.spec), self.cut, self.origin)
        return [(verdicts.run, verdicts.name, *key, tuple(labels.items()))
                for verdicts, labels in zip(self.verdicts, self.labels, strict=True)]

    @property
    def local(self) -> bool:
        """Whether the judge is the one that is trained here."""
        return self.judge == LOCAL

    @property
    def what(self) -> str:
        """What labels are kept under."""
        return self.verdicts[0].what

    @property
    def judged(self) -> list[int]:
        """The runs that have verdicts."""
        return [index for index, verdicts in enumerate(self.verdicts) if not np.isnan(verdicts.values).all()]

    @property
    def labelled(self) -> list[int]:
        """The runs that have verdicts and labels."""
        return [index for index in self.judged if self.found[index].agreement.n]

    @property
    def binary(self) -> bool:
        """Whether every verdict and label is yes or no, so that means are shares."""
        values = [verdicts.values[~np.isnan(verdicts.values)] for verdicts in self.verdicts]
        return bool(
            np.isin(
                np.concatenate([*values, *(list(run_labels.values()) for run_labels in self.labels)]), (0.0, 1.0)
            ).all()
        )

    @property
    def enough(self) -> bool:
        """Whether some run has an interval that is corrected."""
        return any(np.isfinite(validation.corrected.low) for validation in self.found)


def menu() -> list[str]:
    """Metrics that can be held against labels: judged ones first, then other means from 0 to 1 of answers."""
    views = ("Judged", "Entailed", "Grounded", "Answered", "Scored")
    return [
        name
        for view in views
        for name, metric in METRICS.items()
        if metric.view == view and metric.range == (0.0, 1.0) and metric.aggregate == "mean" and metric.cutoff == "none"
    ]


def usual(context: PageContext) -> str:
    """The first judged metric that has verdicts of a run shown, else the first of the menu."""
    return next((name for name in menu() if METRICS[name].view in ("Judged", "Entailed") and judges(context, name)),
                menu()[0])


def judges(context: PageContext, name: str) -> list[str]:
    """Who gave verdicts for a metric on a run shown, the one last asked first, at the end several together; [""] for a
    metric without a judge.
    """
    if METRICS[name].view != "Judged":
        return [""] if any(_values(digest, context.scope, METRICS[name].spec()) for digest in context.digests) else []
    try:
        asked_judges = [str(judge) for judge in default_ledger().judges()]
    except InputError:
        return []
    judges_with_values = [judge for judge in dict.fromkeys(asked_judges) if _spoken(context, name, judge)]
    panel = sentences_judge.combine_judges(judges_with_values)
    return [*judges_with_values, panel] if panel and _spoken(context, name, panel) else judges_with_values


def _spoken(context: PageContext, name: str, judge: str) -> bool:
    """Whether a judge has a value on a run shown."""
    return any(_values(digest, context.scope, METRICS[name].spec(judge=judge)) for digest in context.digests)


def _values(run: str, scope: Scope, spec: Spec) -> bool:
    """Whether a run has a value."""
    return bool(np.isfinite(scope.evaluation(run, [spec]).column(spec)).any())


def held(context: PageContext, name: str, judge: str) -> Held:
    """Everything of a metric. judge: "model at host", "" where none was asked, LOCAL for the one trained here, which is
    trained where its result is shown.
    """
    local = judge == LOCAL
    spec = METRICS[name].spec(judge=judge) if judge and not local else METRICS[name].spec()
    label_key = trained_judge.what_of(spec)
    saved_labels, problems = zip(*(labels(digest, label_key) for digest in context.digests), strict=True)
    taught = (
        trained_judge.taught(
            context.digests,
            context.scope,
            label_key,
            saved_labels,
            train=state.get(state.DESK) not in ("label", "kept"),
        )
        if local
        else None
    )
    run_verdicts = (
        taught.verdicts if taught else [verdicts_of(digest, context.scope, spec) for digest in context.digests]
    )
    verdicts = tuple(
        replace(verdicts_of_run, name=name) for verdicts_of_run, name in zip(run_verdicts, context.names, strict=True)
    )
    labels_in_scope = [
        {query: value for query, value in run_labels.items() if query in ids or query not in all_queries}
        for run_labels, ids, all_queries in (
            (
                run_labels,
                set(run_verdicts.query_ids.to_pylist()),
                _everything(context.scope) if context.scope.slice else frozenset(),
            )
            for run_labels, run_verdicts in zip(saved_labels, verdicts, strict=True)
        )
    ]
    cut = CUT if state.get(state.CLASSED) != "each" else None
    all_problems = tuple(dict.fromkeys(problem for run_problems in problems for problem in run_problems))
    return Held(context, spec, judge, cut, verdicts, tuple(labels_in_scope), all_problems, *(
        (taught.learned, taught.lacking, taught.key) if taught else ()))


def _everything(scope: Scope) -> frozenset[str]:
    """All queries of the truth."""
    return frozenset(scope.truth.query_ids.to_pylist())


def verdicts_of(run: str, scope: Scope, spec: Spec) -> Verdicts:
    """The verdicts on the queries in scope."""
    return _verdicts(run, scope.cache_key([spec]), str(spec), _evaluation=scope.evaluation(run, [spec]),
                     _match=scope.match(run, [spec]))


@st.cache_resource(max_entries=64, show_spinner="Reading verdicts …")
def _verdicts(run: str, key: tuple, spec: str, _evaluation: Evaluation, _match: Match) -> Verdicts:
    return judged_verdicts(_evaluation, _match, parse_spec(spec))


def read_by(run: str, scope: Scope, spec: Spec) -> Reading:
    """Reasons and claims of every verdict."""
    return _reading(run, scope.cache_key([spec]), str(spec), _match=scope.match(run, [spec]))


@st.cache_resource(max_entries=16, show_spinner=False)
def _reading(run: str, key: tuple, spec: str, _match: Match) -> Reading:
    return reading(_match, parse_spec(spec))


@st.cache_resource(max_entries=128, show_spinner=False)
def _trust(run: str, name: str, key: tuple, spec: str, cut: float | None, origin: tuple, label_items: tuple,
           _verdicts: Verdicts, _labels: Labels) -> Trust:
    return trust(_verdicts, _labels, cut=cut)


@st.cache_resource(max_entries=128, show_spinner=False)
def _difference(baseline: tuple, candidate: tuple, _pair: tuple[Verdicts, Verdicts, Labels, Labels]) -> Difference:
    return trust_difference(*_pair)


def labels(run: str, label_key: str) -> tuple[Labels, tuple[Problem, ...]]:
    """({query_id: label} kept of a run, what became of the file); none, with the reason, where it cannot be read."""
    try:
        store = LabelStore()
        return _labels(run, label_key, str(store.path), store.stamp())
    except InputError as error:
        return {}, error.problems


@st.cache_resource(max_entries=256, show_spinner=False)
def _labels(run: str, label_key: str, path: str, stamp: str) -> tuple[Labels, tuple[Problem, ...]]:
    store = LabelStore()
    return store.read(run, label_key), store.problems(run)


def keep(run: str, label_key: str, values: Mapping[str, float | None]) -> int:
    """Keep labels, None withdraws; how many are new. A failure is told on the page, and -1 returned."""
    try:
        check_writable()
        return LabelStore().add(run, label_key, values, when=datetime.now(UTC).isoformat(timespec="seconds"),
                                by=str(roles.user().get("email") or ""))
    except InputError as error:
        state.set_notice(error.problems)
        return -1
