"""The metrics that the files of this session's runs bring along, in the direction chosen on the Data page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from ragdash.core.records import Run, Truth
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED, SHORT
from ragdash.metrics import (
    Spec,
    counterpart,
    default_file_specs,
    file_specs,
    has_answers,
    has_grounding,
    have_rankings,
    measurable_first,
    needed_by,
    parse_specs,
    read_spec,
    specs_without_rankings,
)
from ragdash.metrics.from_file import DIRECTIONS, redirected
from ragdash.reporting.sentences import formatting as fmt

MAX_SECOND = 2  # metrics of files that come right after the main one


def session_file_specs() -> tuple[Spec, ...]:
    """The metrics in the files of the runs shown."""
    return _specs(_shown(), _directions())[0]


def loaded_file_specs() -> tuple[Spec, ...]:
    """The metrics in the files of all runs of the session, shown or not."""
    return _specs(_digests(), _directions())[0]


def of_shown_runs(templates: Sequence[str]) -> list[str]:
    """The metrics without those that only files of runs have that are not shown."""
    hidden = {str(spec) for spec in loaded_file_specs()} - {str(spec) for spec in session_file_specs()}
    return [template for template in templates if template not in hidden]


def menu() -> list[str]:
    """The metrics to choose from: those of the files, those that can be measured, and those that lack something."""
    return [*map(str, session_file_specs()), *measured_first(fmt.metric_templates())]


def measured_first(templates: list[str]) -> list[str]:
    """Metrics in the order of a menu: those that the runs shown and the truth can measure come first."""
    truth = LOADED.truth(state.truth() or "")
    return templates if truth is None else measurable_first(templates, _shown_runs(), truth)


def needs(templates: Sequence[str]) -> dict[str, str]:
    """{metric: what it needs that is not loaded}."""
    truth = LOADED.truth(state.truth() or "")
    return {} if truth is None else needed_by(templates, _shown_runs(), truth)


def with_need(title: Callable[[str], str], templates: Sequence[str]) -> Callable[[str], str]:
    """How a menu calls metrics: by the title, and what it needs that is not loaded."""
    needed = needs(templates)
    return lambda template: f"{title(template)} (needs {needed[template]})" if template in needed else title(template)


def default_metric(computed: str) -> str:
    """The sidebar's first metric: the computed one; without judged rankings one of the files, or of answers.

    It follows the data that is loaded until the reader chooses another one.
    """
    default = next(iter(_instead_of_rankings()), computed)
    if st.session_state.get(state.METRIC) == st.session_state.get(state.METRIC_DEFAULT):
        st.session_state.pop(state.METRIC, None)
    st.session_state[state.METRIC_DEFAULT] = default
    return default


def default_columns(computed: list[str]) -> list[str]:
    """The leaderboard's first metrics: the computed ones, and those of the files next to their counterparts.

    A few without a counterpart, such as scores of answers, come second: a narrow table cuts off its last columns. They
    follow the runs shown until the reader chooses others.
    """
    default = _instead_of_rankings() or _with_file_metrics(computed)
    if st.session_state.get(state.METRICS) == st.session_state.get(state.METRICS_DEFAULT):
        st.session_state.pop(state.METRICS, None)
    st.session_state[state.METRICS_DEFAULT] = default
    return default


def _with_file_metrics(computed: list[str]) -> list[str]:
    pairs = [(spec, counterpart(spec, read_spec)) for spec in _specs(_shown(), _directions())[1]]
    alone = [str(spec) for spec, other in pairs if other is None]
    second = alone if len(alone) <= MAX_SECOND else []
    return list(dict.fromkeys([*computed[:1], *second, *computed[1:],
                               *(str(spec) for pair in pairs for spec in pair if spec is not None)]))


def choose_direction(column: str, better: str) -> None:
    """Say which end of a file's metric is better; metrics chosen on any page follow."""
    old = loaded_file_specs()
    ways = {**_directions_by_column(), column: better}
    st.session_state[state.DIRECTIONS] = [f"{name}={way}" for name, way in ways.items()]
    renamed = {str(spec): str(redirected(spec, better)) for spec in old if spec.file_column == column
               and not dict(spec.params).get("label")}
    st.session_state[state.METRIC] = renamed.get(st.session_state.get(state.METRIC), st.session_state.get(state.METRIC))
    if st.session_state.get(state.METRICS):
        st.session_state[state.METRICS] = [renamed.get(name, name) for name in st.session_state[state.METRICS]]


def use_queries_of_runs() -> None:
    """Where there are no judgments, measure runs whose files hold scores or answers on their own queries."""
    truth = LOADED.truth(state.truth() or "")
    if truth is not None and not truth.queries_only:
        return
    runs = [run for run in _runs() if run.file_scores is not None or has_answers(run)]
    if not runs:
        return
    queries = Truth.of_queries(runs)
    if queries.digest.startswith(state.missing_truth()[:SHORT]):  # else the link's judgments are still to come
        LOADED.put(queries)
        state.set_truth(queries.digest, removed=state.removed_truth())


def is_measured() -> bool:
    """Whether there is something to measure the runs by: a truth, or metrics that need none.

    Rankings that nothing judges are no result, although their answers may have values.
    """
    truth = LOADED.truth(state.truth() or "")
    if truth is None or not truth.queries_only:
        return truth is not None
    runs = _shown_runs()
    return any(run.file_scores is not None for run in runs) or (
        not have_rankings(runs) and any(map(has_grounding, runs)))


def _shown() -> tuple[str, ...]:
    return tuple(entry.digest for entry in state.shown_runs() or state.runs())


def _shown_runs() -> list[Run]:
    return [run for run in map(LOADED.run, _shown()) if run is not None]


def _digests() -> tuple[str, ...]:
    return tuple(entry.digest for entry in state.runs())


def _runs() -> list[Run]:
    return [run for run in map(LOADED.run, _digests()) if run is not None]


def _instead_of_rankings() -> list[str]:
    """Metrics of the files, or of answers, where rankings cannot be judged; [] where they can, or there are none."""
    truth = LOADED.truth(state.truth() or "")
    runs = _shown_runs()
    columns = () if truth is None or truth.details is None else truth.details.column_names
    if truth is not None and (truth.judgments or "evidence" in columns) and have_rankings(runs):
        return []
    from_files = _specs(_shown(), _directions())[1]
    return list(map(str, from_files if truth is None else specs_without_rankings(from_files, runs, truth)))


def _directions_by_column() -> dict[str, str]:
    pairs = (text.rpartition("=") for text in st.session_state.get(state.DIRECTIONS) or ())
    return {name: way for name, _, way in pairs if name and way in DIRECTIONS}


def _directions() -> tuple[tuple[str, str], ...]:
    return tuple(_directions_by_column().items())


def _specs(digests: tuple[str, ...], directions: tuple[tuple[str, str], ...]) -> tuple[tuple[Spec, ...], ...]:
    """(all metrics of the files, those to show first)."""
    runs = [run for run in map(LOADED.run, digests) if run is not None and run.file_scores is not None]
    if not runs:
        return (), ()
    spellings = _spellings(tuple(run.digest for run in runs), directions, _runs=runs)
    return parse_specs(spellings[0]), parse_specs(spellings[1])


@st.cache_data(max_entries=64, show_spinner=False)
def _spellings(digests: tuple[str, ...], directions: tuple[tuple[str, str], ...], _runs: list[Run]
               ) -> tuple[list[str], list[str]]:
    columns = {name for run in _runs if run.file_scores is not None for name in
               (*run.file_scores.names, *run.file_scores.label_names)}
    known = {name: way for name, way in directions if name in columns}
    return ([str(spec) for spec in file_specs(_runs, known)], [str(spec) for spec in default_file_specs(_runs, known)])
