"""What the Judge validation tab shows: verdicts of one metric on every run shown, human labels, both compared.

Cached by digests, scalars and the stamps of verdicts and labels, as in ragdash.dashboard.session.scope.
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
    NO_YES,
    CorrectedDifference,
    ErrorSource,
    JudgeValidation,
    LabelStore,
    RunVerdicts,
    StoredVerdicts,
    TrainedJudge,
    corrected_difference,
    error_sources,
    judged_verdicts,
    read_stored_verdicts,
    validate_judge,
)
from ragdash.core.errors import InputError, Problem
from ragdash.core.text.metric_names import is_human_label
from ragdash.dashboard.auth import rights
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.answers.validation import label_sources, trained_judge
from ragdash.dashboard.pages.answers.validation.trained_judge import LOCAL_JUDGE
from ragdash.dashboard.session import state
from ragdash.dashboard.session.file_metrics import session_file_specs
from ragdash.dashboard.session.scope import Scope
from ragdash.evaluation.evaluate import Evaluation
from ragdash.matching.file_labels import human_label_column, label_words
from ragdash.matching.match import Match
from ragdash.matching.views.judge_versions import split_version, stored_versions, with_version
from ragdash.metrics import METRICS, Spec, parse_spec
from ragdash.metrics.bands import YES
from ragdash.metrics.docs.human_agreement import SAYS_RIGHT, answer_score_specs, evidence_rank, right_answers_metric
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.endpoint import judge_names
from ragdash.models.judge.tasks.examples import prompt_additions
from ragdash.models.judge.tasks.policy import Policy
from ragdash.reporting.sentences import judge as sentences_judge

RARE = 0.05
ASKED_FIRST = ("Faithfulness", "Correctness")
AGREEMENT_CLASSES = {"cut": f"Yes from {YES:g}", "each": "Each value separately"}
Labels = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class TrustData:
    """Verdicts and labels of one metric, aligned by run.

    Parameters
    ----------
    verdicts, labels
        Of each run shown, on the queries in scope.
    cut
        Threshold of "yes" for agreement, None to treat each value as a class of its own.
    problems
        Problems of the label file.
    label_column
        The column of the runs' files whose labels are used too, "" for none.
    groups
        {query_id: group} of queries that depend on each other, None if queries are independent.
    local_judge, training_problems, training_key
        The judge trained on the labels, why it could not be trained, and the cache key of its verdicts.
    """

    context: PageContext
    spec: Spec
    judge: str
    cut: float | None
    verdicts: tuple[RunVerdicts, ...]
    labels: tuple[Labels, ...]
    problems: tuple[Problem, ...]
    local_judge: TrainedJudge | None = None
    training_problems: tuple[Problem, ...] = ()
    training_key: tuple = ()
    label_column: str = ""
    groups: Mapping[str, str] | None = None

    @property
    def class_names(self) -> tuple[str, str]:
        """What wrong and right answers are called: the words of the labels, where the files alone have some."""
        runs = [self.context.scope.match(digest).run for digest in self.context.digests]
        return (None if self.has_saved_labels else label_words(runs, self.label_column)) or NO_YES

    @cached_property
    def validations(self) -> tuple[JudgeValidation, ...]:
        """Validation of the judge on each run, computed on first use."""
        return tuple(_validation(*key, self.class_names, _content=(verdicts, labels, self.groups))
                     for key, verdicts, labels in zip(self._keys, self.verdicts, self.labels, strict=True))

    @cached_property
    def differences(self) -> tuple[CorrectedDifference | None, ...]:
        """Difference of each run to the baseline; None for the baseline itself."""
        base = self.context.baseline
        first = self.verdicts[base], self.labels[base]
        return tuple(
            None if index == base else _difference(self._keys[base], key, _pair=(first[0], verdicts, first[1], labels),
                                                   _groups=self.groups)
            for index, (key, verdicts, labels) in enumerate(zip(self._keys, self.verdicts, self.labels, strict=True)))

    @cached_property
    def error_sources(self) -> tuple[ErrorSource, ...]:
        """What the judge's errors depend on, over all labeled runs."""
        rows = self.labeled_runs
        if not rows:
            return ()
        matches = [self.context.scope.match(self.context.digests[index]) for index in rows]
        return _error_sources(tuple(self._keys[index] for index in rows),
                              _content=([self.verdicts[index] for index in rows],
                                        [self.labels[index] for index in rows], matches))

    @property
    def _keys(self) -> list[tuple]:
        key = (self.context.scope.cache_key([self.spec]), str(self.spec), self.cut,
               (*self.training_key, state.get(state.GROUPED)))
        return [(verdicts.run, verdicts.name, *key, tuple(labels.items()))
                for verdicts, labels in zip(self.verdicts, self.labels, strict=True)]

    @property
    def is_local(self) -> bool:
        """Whether the judge is the local one, trained on the labels."""
        return self.judge == LOCAL_JUDGE

    @property
    def label_key(self) -> str:
        """The key under which labels are saved."""
        return self.verdicts[0].what

    @property
    def has_saved_labels(self) -> bool:
        """Whether somebody has labeled an answer of a run shown on this tab."""
        return any(labels(digest, self.label_key)[0] for digest in self.context.digests)

    @property
    def judged_runs(self) -> list[int]:
        """Indices of the runs that have verdicts."""
        return [index for index, verdicts in enumerate(self.verdicts) if not np.isnan(verdicts.values).all()]

    @property
    def labeled_runs(self) -> list[int]:
        """Indices of the runs that have verdicts and labels."""
        return [index for index in self.judged_runs if self.validations[index].agreement.n]

    @property
    def binary(self) -> bool:
        """Whether every verdict and label is 0 or 1, so that means are shares."""
        values = [verdicts.values[~np.isnan(verdicts.values)] for verdicts in self.verdicts]
        labels = [list(run_labels.values()) for run_labels in self.labels]
        return bool(np.isin(np.concatenate([*values, *labels]), (0.0, 1.0)).all())


def metric_menu() -> list[str]:
    """Metrics that can be compared with labels: scores of the runs' files first, then judged metrics, then others.

    Labels are compared with values from 0 to 1.
    """
    views = ("Judged", "Entailed", "Grounded", "Answered", "Scored")
    return [*map(str, score_specs()), *(
        name for view in views for name, metric in METRICS.items()
        if metric.view == view and metric.range == (0.0, 1.0) and metric.aggregate == "mean" and metric.cutoff == "none"
    )]


def score_specs() -> list[Spec]:
    """Scores of the files from 0 to 1, those that say something of answers first, by evidence; no labels of people."""
    specs = [spec for spec in session_file_specs() if spec.metric.range == (0.0, 1.0) and not dict(spec.params)
             .get("label") and not is_human_label(spec.file_column, text=False)]
    of_answers = sorted(answer_score_specs(specs), key=evidence_rank)
    return [*of_answers, *(spec for spec in specs if spec not in of_answers)]


def spec_of(name: str, judge: str = "") -> Spec:
    """The metric of a name in the menu, by a judge where it needs one."""
    if name not in METRICS:
        return parse_spec(name)
    return METRICS[name].spec(judge=judge) if judge and judge != LOCAL_JUDGE else METRICS[name].spec()


def default_metric(context: PageContext) -> str:
    """The first judged metric whose verdicts differ, else the first with verdicts, else the first of the menu: a score
    of the files that is about answers, where there is one.

    Where nearly all verdicts are alike, labels could hardly show an error. Whether answers are grounded and right is
    asked before all else. Without verdicts, labels of people in a file check the metric that says which answers are
    right.
    """
    first = None
    menu = metric_menu()
    for name in dict.fromkeys((*ASKED_FIRST, *menu)):
        judges = judges_with_verdicts(context, name) if spec_of(name).metric.view in ("Judged", "Entailed") else []
        if judges and _differ(context, name, judges[0]):
            return name
        first = first or (name if judges else None)
    named = next((name for name in menu if name in METRICS or answer_score_specs([spec_of(name)])), menu[0])
    return first or (_labeled_metric(context) if named in METRICS else None) or named


def _labeled_metric(context: PageContext) -> str | None:
    """The computed metric to quote for how many answers are right, where a file has labels of people; else None."""
    if not any(human_label_column(context.scope.match(digest).run) for digest in context.digests):
        return None
    specs = [spec_of(name) for name in SAYS_RIGHT if METRICS[name].view == "Answered"]
    evaluations = [context.scope.evaluation(digest, specs) for digest in context.digests]
    counts = {spec: max(int(np.isfinite(evaluation.column(spec)).sum()) for evaluation in evaluations)
              for spec in specs}
    best = right_answers_metric([spec for spec in specs if counts[spec]], counts.__getitem__)
    return None if best is None else best.name


def _differ(context: PageContext, name: str, judge: str) -> bool:
    """Whether yes and no each are at least RARE of a judge's verdicts on the runs shown."""
    spec = spec_of(name, judge)
    values = np.concatenate([context.scope.evaluation(digest, [spec]).column(spec) for digest in context.digests])
    return RARE <= float(np.mean(values[np.isfinite(values)] >= YES)) <= 1 - RARE


def judges_with_verdicts(context: PageContext, name: str) -> list[str]:
    """Judges with verdicts for a metric on the runs shown.

    Returns
    -------
    list of str
        Labels of the judges, the one with most values first, and at the end the panel of all; [""] for a metric
        without a judge.
    """
    spec = spec_of(name)
    if spec.metric.view != "Judged":
        return [""] if any(_has_values(digest, context.scope, spec) for digest in context.digests) else []
    try:
        store = default_verdict_store()
        asked_judges = [with_version(name, version) for judge, name in judge_names(store.judges()).items()
                        for version in stored_versions(store, judge)]
    except InputError:
        return []
    counts = {judge: _count_verdicts(context, name, judge) for judge in dict.fromkeys(asked_judges)}
    asked = [judge for judge in counts if counts[judge]]
    newest = {split_version(judge)[0]: judge for judge in reversed(asked)}  # no panel of two versions
    judges_with_values = sorted(asked, key=lambda judge: -counts[judge])
    panel = sentences_judge.combine_judges(reversed(newest.values()))
    return [*judges_with_values, panel] if panel and _count_verdicts(context, name, panel) else judges_with_values


def _count_verdicts(context: PageContext, name: str, judge: str) -> int:
    """How many values a judge has on the runs shown."""
    spec = spec_of(name, judge)
    return sum(int(np.isfinite(context.scope.evaluation(digest, [spec]).column(spec)).sum())
               for digest in context.digests)


def _has_values(run: str, scope: Scope, spec: Spec) -> bool:
    """Whether a run has a value."""
    return bool(np.isfinite(scope.evaluation(run, [spec]).column(spec)).any())


def load(context: PageContext, name: str, judge: str) -> TrustData:
    """Load verdicts and labels of a metric for the runs shown.

    Parameters
    ----------
    context
        The runs shown and their scope.
    name
        Name of the metric, or "file:column" for a score of the files.
    judge
        Label of a judge ("model at host"), "" for a metric without one, or LOCAL_JUDGE, which is trained only in
        the view that shows its results.
    """
    spec = spec_of(name, judge)
    label_key = trained_judge.label_key_of(spec)
    saved_labels, problems = zip(*(labels(digest, label_key) for digest in context.digests), strict=True)
    column = label_sources.chosen_column(context, spec)
    if column:
        of_files = [label_sources.column_labels(digest, context.scope, column) for digest in context.digests]
        saved_labels = tuple({**of_file, **saved} for of_file, saved in zip(of_files, saved_labels, strict=True))
    trained = None
    if judge == LOCAL_JUDGE:
        trained = trained_judge.train_judge(context.digests, context.scope, label_key, saved_labels,
                                            train=state.get(state.TRUST_VIEW) not in ("label", "kept"))
    verdicts = trained.verdicts if trained else [verdicts_of(digest, context.scope, spec) for digest in context.digests]
    verdicts = tuple(replace(run_verdicts, name=run_name)
                     for run_verdicts, run_name in zip(verdicts, context.names, strict=True))
    all_queries = _all_queries(context.scope) if context.scope.part else frozenset()
    labels_in_scope = []
    for run_labels, run_verdicts in zip(saved_labels, verdicts, strict=True):
        in_scope = set(run_verdicts.query_ids.to_pylist())
        labels_in_scope.append({query: label for query, label in run_labels.items()
                                if query in in_scope or query not in all_queries})
    cut = CUT if state.get(state.CLASSED) != "each" else None
    all_problems = tuple(dict.fromkeys(problem for run_problems in problems for problem in run_problems))
    training = (trained.judge, trained.problems, trained.key) if trained else (None, (), ())
    return TrustData(context, spec, judge, cut, verdicts, tuple(labels_in_scope), all_problems, *training, column,
                     label_sources.chosen_groups(context))


def _all_queries(scope: Scope) -> frozenset[str]:
    """All queries of the ground truth."""
    return frozenset(scope.truth.query_ids.to_pylist())


def verdicts_of(run: str, scope: Scope, spec: Spec) -> RunVerdicts:
    """Verdicts on the queries in scope."""
    return _verdicts(run, scope.cache_key([spec]), str(spec), _evaluation=scope.evaluation(run, [spec]),
                     _match=scope.match(run, [spec]))


@st.cache_resource(max_entries=64, show_spinner="Reading verdicts …")
def _verdicts(run: str, key: tuple, spec: str, _evaluation: Evaluation, _match: Match) -> RunVerdicts:
    return judged_verdicts(_evaluation, _match, parse_spec(spec))


def verdict_details(run: str, scope: Scope, spec: Spec) -> StoredVerdicts:
    """Reasons and claims of every verdict of a run."""
    return _verdict_details(run, scope.cache_key([spec]), str(spec), _match=scope.match(run, [spec]))


@st.cache_resource(max_entries=16, show_spinner=False)
def _verdict_details(run: str, key: tuple, spec: str, _match: Match) -> StoredVerdicts:
    return read_stored_verdicts(_match, parse_spec(spec))


@st.cache_resource(max_entries=128, show_spinner=False)
def _validation(run: str, name: str, key: tuple, spec: str, cut: float | None, more: tuple, label_items: tuple,
                names: tuple[str, str],
                _content: tuple[RunVerdicts, Labels, Mapping[str, str] | None]) -> JudgeValidation:
    verdicts, labels, groups = _content
    return validate_judge(verdicts, labels, cut=cut, groups=groups, names=names)


@st.cache_resource(max_entries=128, show_spinner=False)
def _difference(
    baseline: tuple, candidate: tuple, _pair: tuple[RunVerdicts, RunVerdicts, Labels, Labels],
    _groups: Mapping[str, str] | None
) -> CorrectedDifference:
    return corrected_difference(*_pair, groups=_groups)


@st.cache_resource(max_entries=64, show_spinner=False)
def _error_sources(keys: tuple, _content: tuple) -> tuple[ErrorSource, ...]:
    return error_sources(*_content)


def labels_of_all_queries(data: TrustData) -> list[Labels]:
    """The labels of each run shown, whatever slice is shown."""
    column, scope = data.label_column, data.context.scope
    return [{**(label_sources.column_labels(digest, scope, column) if column else {}),
             **labels(digest, data.label_key)[0]} for digest in data.context.digests]


def has_saved_labels(context: PageContext, name: str) -> bool:
    """Whether somebody has labeled an answer of a run shown for a metric."""
    label_key = trained_judge.label_key_of(spec_of(name))
    return any(labels(digest, label_key)[0] for digest in context.digests)


def labels(run: str, label_key: str) -> tuple[Labels, tuple[Problem, ...]]:
    """Saved labels {query_id: label} of a run, and problems of the file; no labels if it cannot be read."""
    try:
        store = LabelStore()
        return _labels(run, label_key, str(store.path), f"{store.stamp()} {prompt_additions().digest}")
    except InputError as error:
        return {}, error.problems


@st.cache_resource(max_entries=256, show_spinner=False)
def _labels(run: str, label_key: str, path: str, stamp: str) -> tuple[Labels, tuple[Problem, ...]]:
    store = LabelStore()
    return store.read(run, label_key), store.problems(run)


def save_labels(run: str, label_key: str, values: Mapping[str, float | None],
                shown: Mapping[str, float | None], policy: Policy | None) -> int:
    """Save labels of a run that were given under a policy; None deletes one. shown: the labels that the person saw.

    Returns
    -------
    int
        Number of new labels, or -1 after an error, which is shown on the page.
    """
    try:
        with rights.change("label", run):
            return LabelStore().add(run, label_key, values, shown, policy=policy,
                                    when=datetime.now(UTC).isoformat(timespec="seconds"), by=rights.who())
    except InputError as error:
        state.set_notice(error.problems)
        return -1
