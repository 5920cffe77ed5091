"""Whose verdicts the judged metrics of a page are, what of them is missing and why, and the way to ask for more."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.dashboard.page_context import PageContext
from ragdash.metrics import Spec
from ragdash.reporting.sentences import judge

PAGE = "pages/judges.py"
FEW = 6  # lines of what is missing


def note(context: PageContext, specs: Sequence[Spec], *, quiet: bool = False) -> None:
    """Beside a table of values; nothing where none of its metrics is judged. quiet: in one piece, without the way on
    where nothing is lacking altogether.
    """
    own = [spec for spec in specs if spec.metric.view == "Judged"]  # not those of a local model
    if not own:
        return
    found = context.results.evaluations(specs)
    lacking, told = (
        judge.unavailable_judged(context.names, found, own),
        judge.verdict_problems(context.names, found, own),
    )
    lines = [f":material/gavel: {line}" for line in judge.judge_sources(context.names, found, own)]
    lines += [line if quiet else f":material/info: {line}" for line in [*lacking, *told][:FEW]]
    if len(lacking) + len(told) > FEW:
        lines.append(f"And {len(lacking) + len(told) - FEW:,} more of this kind.")
    for line in ["  \n".join(lines)] if quiet and lines else lines:
        st.caption(line)
    if lacking or (told and not quiet):
        st.page_link(PAGE, label="Ask a judge", icon=":material/gavel:", width="content")
