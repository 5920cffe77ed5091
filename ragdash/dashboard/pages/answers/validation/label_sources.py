"""Where the labels of the Judge validation tab come from besides the saved ones, and which queries count as a group."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from ragdash.analysis.diagnosis.rules import shows_right
from ragdash.analysis.judge_validation import DOCUMENT, groups_of
from ragdash.core.errors import InputError
from ragdash.core.text.metric_names import answer_aspect
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.session.scope import Scope
from ragdash.matching.file_labels import human_label_column, label_columns, labels_by_query
from ragdash.matching.match import Match
from ragdash.metrics import Spec
from ragdash.metrics.docs.human_agreement import answer_score_specs


def label_choices(context: PageContext, spec: Spec) -> list[str]:
    """The columns of the runs' files that can be labels, those that look like labels of people first.

    Scores of judges by their name, such as faithfulness, are what labels check. spec: the metric that is checked; its
    own column is no label.
    """
    runs = [context.scope.match(digest).run for digest in context.digests]
    people = set(filter(None, map(human_label_column, runs)))
    return [name for name in dict.fromkeys(name for run in runs for name in label_columns(run))
            if name != spec.file_column and (name in people or not answer_aspect(name))]


def default_column(context: PageContext, spec: Spec, has_saved: bool) -> str:
    """The column to begin with: a human one, where the metric says whether an answer is right and nobody has labeled
    here; else "".
    """
    if has_saved or not (shows_right(spec) or answer_score_specs([spec], "right")):
        return ""
    runs = [context.scope.match(digest).run for digest in context.digests]
    return next(filter(None, map(human_label_column, runs)), "")


def chosen_column(context: PageContext, spec: Spec) -> str:
    """The column that was chosen, "" for saved labels alone."""
    column = state.get(state.LABELS_FROM) or ""
    return column if column in label_choices(context, spec) else ""


def column_labels(run: str, scope: Scope, column: str) -> dict[str, float]:
    """{query_id: label} of a run's file, whatever slice is shown."""
    return _column_labels(run, scope.whole.cache_key(), column, _match=scope.whole.match(run))


@st.cache_resource(max_entries=64, show_spinner=False)
def _column_labels(run: str, key: tuple, column: str, _match: Match) -> dict[str, float]:
    return labels_by_query(_match, column)


def group_choices(context: PageContext) -> list[str]:
    """What can group queries that depend on each other: their document, or an attribute."""
    names = dict.fromkeys(query_slice.attribute for query_slice in context.scope.slices.values())
    return [*([DOCUMENT] if len(context.scope.truth.docs) else []), *(name for name in names if name != DOCUMENT)]


def chosen_groups(context: PageContext) -> Mapping[str, str] | None:
    """{query_id: group} of the groups that were chosen, None for independent queries."""
    by = state.get(state.GROUPED) or ""
    if by not in group_choices(context):
        return None
    try:
        return groups_of(context.scope.truth, by)
    except InputError:  # no query has a group: they are independent
        return None
