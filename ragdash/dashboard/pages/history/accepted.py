"""What the runs of a line are compared with: the last accepted run, the first, a chosen one, or a pinned baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from ragdash.analysis.tracking import HistoryPoint, PinnedBaseline, read_baseline
from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.tables.history import short_commit

ROLLING, FIXED, CHOSEN, PINNED = "last", "first", "run", "pinned"
AGAINST = {ROLLING: "Last accepted", FIXED: "First", CHOSEN: "Chosen", PINNED: "Pinned"}  # fit on a phone
DIGITS = 12  # of a digest in the address
MOST_MEGABYTES = 50


@dataclass(frozen=True)
class Accepted:
    """What runs are compared with. index: of the accepted run; fixed: it stays the same; baseline: instead of a run."""

    index: int = 0
    fixed: bool = False
    baseline: PinnedBaseline | None = None


def choose_against() -> None:
    """The kind of comparison, for the bar above the picture."""
    st.segmented_control("Compare with", list(AGAINST), format_func=AGAINST.__getitem__, required=True,
                         persist_state="session", help=tooltip("accepted_run"),
                         key=state.choice_key(state.HISTORY_AGAINST, list(AGAINST), ROLLING))


def choose_accepted(line: Sequence[HistoryPoint], spec: Spec) -> Accepted:
    """The accepted run of the chosen kind; its own choice appears where there is one to make."""
    against = state.get(state.HISTORY_AGAINST)
    if against == CHOSEN:
        tokens = {point.digest[:DIGITS]: index for index, point in enumerate(line)}
        st.selectbox("Accepted run", list(tokens), format_func=lambda token: _run_label(line[tokens[token]]), width=380,
                     key=state.choice_key(state.HISTORY_RUN, list(tokens), next(iter(tokens))), persist_state="session")
        return Accepted(tokens[state.get(state.HISTORY_RUN)], fixed=True)
    if against == PINNED:
        return Accepted(fixed=True, baseline=_pinned(line, spec))
    return Accepted(fixed=against == FIXED)


def _run_label(point: HistoryPoint) -> str:
    return " · ".join(filter(None, (point.label, short_commit(point), ", ".join(point.tags))))


def _pinned(line: Sequence[HistoryPoint], spec: Spec) -> PinnedBaseline | None:
    """The baseline of a file that was opened here; None, with what is wrong, where it cannot be compared."""
    file = st.file_uploader("Open a pinned baseline (baseline.ragdash)", type=["ragdash"], key=state.HISTORY_FILE,
                            max_upload_size=MOST_MEGABYTES, width=380)
    if file is None:
        st.info("`ragdash pin` writes this file. Until one is open, runs are compared with the first run.",
                icon=":material/info:")
        return None
    try:
        baseline = read_baseline(file.getvalue())
    except InputError as error:
        elements.problems(list(error.problems), "baseline_problems")
        return None
    pinned = baseline.evaluation
    if spec not in pinned.specs:
        st.warning(f"The baseline has no {fmt.escape(spec.title)}. It has "
                   f"{fmt.escape(fmt.listed([metric.title for metric in pinned.specs]))}.", icon=":material/warning:")
        return None
    settings = line[0].evaluation.settings
    other = sorted(name for name in {*settings, *pinned.settings} - {"max_grade", "missing"}
                   if settings.get(name) != pinned.settings.get(name))
    if other:
        st.warning(f"The baseline was evaluated with other settings ({fmt.escape(', '.join(other))}) and is not "
                   "compared.", icon=":material/warning:")
        return None
    age = "in the future: a clock is wrong" if baseline.is_ahead() else f"{fmt.count(baseline.age(), 'day')} ago"
    st.caption(f"Baseline {fmt.escape(baseline.name)}, pinned {baseline.pinned[:10]} ({age}). "
               "Only queries whose judgments did not change count.")
    return baseline
