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
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.trust import trained_judge
from ragdash.dashboard.pages.trust.trained_judge import LOCAL
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED, check_writable
from ragdash.dashboard.session.scope import Scope, facts
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
        return tuple(_trust(*key, _verdicts=one, _labels=own)
                     for key, one, own in zip(self._keys, self.verdicts, self.labels, strict=True))

    @cached_property
    def differences(self) -> tuple[Difference | None, ...]:
        """Of each run to the baseline, None for the baseline itself."""
        base = self.context.baseline
        first = self.verdicts[base], self.labels[base]
        return tuple(None if at == base else _difference(self._keys[base], key, _pair=(first[0], one, first[1], own))
                     for at, (key, one, own) in enumerate(zip(self._keys, self.verdicts, self.labels, strict=True)))

    @property
    def _keys(self) -> list[tuple]:
        key = (facts(self.context.scope, [self.spec]), str(self.spec), self.cut, self.origin)
        return [(one.run, one.name, *key, tuple(own.items()))
                for one, own in zip(self.verdicts, self.labels, strict=True)]

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
        return [at for at, one in enumerate(self.verdicts) if not np.isnan(one.values).all()]

    @property
    def labelled(self) -> list[int]:
        """The runs that have verdicts and labels."""
        return [at for at in self.judged if self.found[at].agreement.n]

    @property
    def binary(self) -> bool:
        """Whether every verdict and label is yes or no, so that means are shares."""
        values = [one.values[~np.isnan(one.values)] for one in self.verdicts]
        return bool(np.isin(np.concatenate([*values, *(list(one.values()) for one in self.labels)]), (0.0, 1.0)).all())

    @property
    def enough(self) -> bool:
        """Whether some run has an interval that is corrected."""
        return any(np.isfinite(one.corrected.low) for one in self.found)


def menu() -> list[str]:
    """Metrics that can be held against labels: judged ones first, then other means from 0 to 1 of answers."""
    views = ("Judged", "Entailed", "Grounded", "Answered", "Scored")
    return [name for view in views for name, one in METRICS.items()
            if one.view == view and one.range == (0.0, 1.0) and one.aggregate == "mean" and one.cutoff == "none"]


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
        known = [str(one) for one in default_ledger().judges()]
    except InputError:
        return []
    found = [one for one in dict.fromkeys(known) if _spoken(context, name, one)]
    several = sentences_judge.combine_judges(found)
    return [*found, several] if several and _spoken(context, name, several) else found


def _spoken(context: PageContext, name: str, judge: str) -> bool:
    """Whether a judge has a value on a run shown."""
    return any(_values(digest, context.scope, METRICS[name].spec(judge=judge)) for digest in context.digests)


def _values(run: str, scope: Scope, spec: Spec) -> bool:
    """Whether a run has a value."""
    return bool(np.isfinite(evaluation_cache.evaluation(run, scope, [spec]).column(spec)).any())


def held(context: PageContext, name: str, judge: str) -> Held:
    """Everything of a metric. judge: "model at host", "" where none was asked, LOCAL for the one trained here, which is
    trained where its result is shown.
    """
    local = judge == LOCAL
    spec = METRICS[name].spec(judge=judge) if judge and not local else METRICS[name].spec()
    what = trained_judge.what_of(spec)
    kept, problems = zip(*(labels(digest, what) for digest in context.digests), strict=True)
    taught = trained_judge.taught(context.digests, context.scope, what, kept, train=state.get(state.DESK) not in (
        "label", "kept")) if local else None
    found = taught.verdicts if taught else [verdicts_of(digest, context.scope, spec) for digest in context.digests]
    verdicts = tuple(replace(one, name=shown) for one, shown in zip(found, context.names, strict=True))
    inside = [
        {query: value for query, value in own.items() if query in ids or query not in every}
        for own, ids, every in (
            (own, set(one.query_ids.to_pylist()), _everything(context.scope) if context.scope.part else frozenset())
            for own, one in zip(kept, verdicts, strict=True)
        )
    ]
    cut = CUT if state.get(state.CLASSED) != "each" else None
    told = tuple(dict.fromkeys(one for own in problems for one in own))
    return Held(context, spec, judge, cut, verdicts, tuple(inside), told, *(
        (taught.learned, taught.lacking, taught.key) if taught else ()))


def _everything(scope: Scope) -> frozenset[str]:
    """All queries of the truth."""
    return frozenset(LOADED.truth(scope.truth).query_ids.to_pylist())


def verdicts_of(run: str, scope: Scope, spec: Spec) -> Verdicts:
    """The verdicts on the queries in scope."""
    return _verdicts(run, facts(scope, [spec]), str(spec), _evaluation=evaluation_cache.evaluation(run, scope, [spec]),
                     _match=evaluation_cache.match(run, scope, [spec]))


@st.cache_resource(max_entries=64, show_spinner="Reading verdicts …")
def _verdicts(run: str, key: tuple, spec: str, _evaluation: Evaluation, _match: Match) -> Verdicts:
    return judged_verdicts(_evaluation, _match, parse_spec(spec))


def read_by(run: str, scope: Scope, spec: Spec) -> Reading:
    """Reasons and claims of every verdict."""
    return _reading(run, facts(scope, [spec]), str(spec), _match=evaluation_cache.match(run, scope, [spec]))


@st.cache_resource(max_entries=16, show_spinner=False)
def _reading(run: str, key: tuple, spec: str, _match: Match) -> Reading:
    return reading(_match, parse_spec(spec))


@st.cache_resource(max_entries=128, show_spinner=False)
def _trust(run: str, name: str, key: tuple, spec: str, cut: float | None, origin: tuple, given: tuple,
           _verdicts: Verdicts, _labels: Labels) -> Trust:
    return trust(_verdicts, _labels, cut=cut)


@st.cache_resource(max_entries=128, show_spinner=False)
def _difference(baseline: tuple, candidate: tuple, _pair: tuple[Verdicts, Verdicts, Labels, Labels]) -> Difference:
    return trust_difference(*_pair)


def labels(run: str, what: str) -> tuple[Labels, tuple[Problem, ...]]:
    """({query_id: label} kept of a run, what became of the file); none, with the reason, where it cannot be read."""
    try:
        store = LabelStore()
        return _labels(run, what, str(store.path), store.stamp())
    except InputError as error:
        return {}, error.problems


@st.cache_resource(max_entries=256, show_spinner=False)
def _labels(run: str, what: str, path: str, stamp: str) -> tuple[Labels, tuple[Problem, ...]]:
    store = LabelStore()
    return store.read(run, what), store.problems(run)


def keep(run: str, what: str, said: Mapping[str, float | None]) -> int:
    """Keep labels, None withdraws; how many are new. A failure is told on the page, and -1 returned."""
    try:
        check_writable()
        return LabelStore().add(run, what, said, when=datetime.now(UTC).isoformat(timespec="seconds"),
                                by=str(roles.user().get("email") or ""))
    except InputError as error:
        state.set_notice(error.problems)
        return -1
