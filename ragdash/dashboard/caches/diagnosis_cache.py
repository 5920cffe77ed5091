"""Diagnoses of the runs shown, cached by digests and rules as in ragdash.dashboard.caches.evaluation_cache. What
comes out is shared.

Letters: Q queries of the truth, S stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np
import streamlit as st

from ragdash.analysis.diagnosis import (
    STAGES,
    Diagnosis,
    DiagnosisRules,
    RankedLow,
    diagnose,
    judge_specs,
    movable_stages,
    text_specs,
)
from ragdash.analysis.diagnosis.rules import AUTO, NO_JUDGE, NO_LABELS
from ragdash.core.errors import InputError
from ragdash.dashboard.caches import shared_cache
from ragdash.dashboard.caches.shared_cache import once_a_run, shared
from ragdash.dashboard.session import state
from ragdash.dashboard.session.scope import Scope
from ragdash.metrics import Spec
from ragdash.metrics.bands import STAGE_THRESHOLDS
from ragdash.reporting.sentences import formatting as fmt

ANNOUNCED = "Looking where queries went wrong …"
SHARE = {state.COVERAGE: "coverage", state.CORRECT: "right", state.GROUNDED: "grounded"}  # rules from 0 to 1


@once_a_run
def rules(k: int) -> DiagnosisRules:
    """The rules of this session: the cutoff of the sidebar, the others as chosen on the Failures page."""
    state.text_key(state.CUT_OFF)
    for key, name in SHARE.items():
        state.fraction_key(key, 0.0, 1.0, STAGE_THRESHOLDS[name].value)
    thresholds = {name: float(state.get(key)) for key, name in SHARE.items()}
    labels = state.get(state.text_key(state.RIGHT_LABELS)) or AUTO
    judge = NO_JUDGE if state.get(state.text_key(state.RIGHT_JUDGE)) == NO_JUDGE else AUTO
    return DiagnosisRules(k=k, score=score_threshold(), label_column=labels, right_judge=judge, **thresholds)


def score_threshold() -> float | None:
    """The score threshold as typed; None where nothing, or nothing that is a number, is."""
    try:
        value = float((state.get(state.CUT_OFF) or "").strip().replace(",", "."))
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def changed_rules(rules: DiagnosisRules) -> list[str]:
    """The rules that are not the usual ones, in words."""
    usual = DiagnosisRules(k=rules.k)
    labels = {"coverage": "share of the relevant documents needed", "right": f"{rules.right_spec.title} from",
            "grounded": f"{rules.grounded_spec.title} from", "score": "score threshold"}
    changes = [f"{label} {getattr(rules, name):g}" for name, label in labels.items()
               if getattr(rules, name) != getattr(usual, name)]
    if rules.label_column != usual.label_column:
        changes.append("no labels of the files" if rules.label_column == NO_LABELS else
                       f"right by the label {rules.label_column}")
    if rules.right_judge != usual.right_judge:
        changes.append("no verdicts of a judge")
    return changes


def note_changed_rules(k: int) -> None:
    """Say which rules of the stages are not the usual ones; nothing where all are."""
    changes = changed_rules(rules(k))
    if changes:
        st.caption(f":material/rule: Stages by rules of your own: {fmt.escape(fmt.listed(changes))} (set on the "
                   "Failures page).")


def diagnosis(run: str, scope: Scope, k: int, right: float | None = None) -> Diagnosis:
    """Where each query of the truth (whatever slice is looked at) went wrong first, by the rules of this session.

    right: in place of the session's value from which an answer is right by its text.
    """
    session_rules = rules(k)
    return diagnosis_by(run, scope, session_rules if right is None else replace(session_rules, right=right))


def announced(runs: Sequence[str], scope: Scope, k: int) -> AbstractContextManager[None]:
    """Show a text while the diagnoses of these runs are computed, one after the other; nothing where all are known."""
    session_rules = rules(k)
    is_known = all(diagnosis_by.known(*_diagnosis_key(run, scope, session_rules)) is not None for run in runs)
    return nullcontext() if is_known else shared_cache.announced(ANNOUNCED)


def _specs_of(rules: DiagnosisRules) -> tuple[Spec, ...]:
    return (*text_specs(rules), *judge_specs(rules))


def _diagnosis_key(run: str, scope: Scope, rules: DiagnosisRules) -> tuple:
    return run, scope.whole.cache_key(_specs_of(rules)), repr(rules)


@shared(max_entries=64, show_spinner=ANNOUNCED, ahead=True, key=_diagnosis_key)
def diagnosis_by(run: str, scope: Scope, rules: DiagnosisRules) -> Diagnosis:
    """The same as `diagnosis` by these rules."""
    return diagnose(scope.whole.match(run, _specs_of(rules)), rules)


def _key_by_spec(run: str, scope: Scope, spec: Spec, rules: DiagnosisRules) -> tuple:
    return run, scope.cache_key([spec]), repr(diagnosis_by(run, scope, rules).rules), str(spec)


def gains(run: str, scope: Scope, k: int, spec: Spec) -> np.ndarray:
    """By how much the mean of the spec in scope could rise at most with each stage fixed: (S,), NaN undefined.

    Of "fine" queries NaN, as is every stage that no fix of which moves the metric: of the answer for a metric of
    what was retrieved, all for one of speed. All NaN where the spec has no better end or is no mean.
    """
    return gains_by(run, scope, spec, rules(k))


@shared(max_entries=512, ahead=True, key=_key_by_spec)
def gains_by(run: str, scope: Scope, spec: Spec, rules: DiagnosisRules) -> np.ndarray:
    """The same by these rules."""
    try:
        stage_gains = diagnosis_by(run, scope, rules).gains(scope.whole.evaluation(run, [spec]), spec, scope.queries)
    except InputError:  # no better end: nothing can be gained
        return np.full(len(STAGES), np.nan)
    movable = movable_stages(spec)
    return np.array([*(gain.at_most if gain.stage in movable else np.nan for gain in stage_gains), np.nan])


def ranked_low(run: str, scope: Scope, k: int, spec: Spec) -> RankedLow | None:
    """What no stage of retrieval explains of the gap of the spec in scope; None for a metric without rankings or a
    better end."""
    return ranked_low_by(run, scope, spec, rules(k))


@shared(max_entries=512, ahead=True, key=_key_by_spec)
def ranked_low_by(run: str, scope: Scope, spec: Spec, rules: DiagnosisRules) -> RankedLow | None:
    """The same by these rules."""
    try:
        return diagnosis_by(run, scope, rules).ranked_low(scope.whole.evaluation(run, [spec]), spec, scope.queries)
    except InputError:  # no better end: nothing can be gained
        return None
