"""Whose verdicts the judged metrics of a page are, what of them is missing and why, and the way to ask for more."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.metrics import Spec
from ragdash.ui.view import View
from ragdash.wording import judged

PAGE = "pages/judges.py"
FEW = 6  # lines of what is missing


def note(now: View, specs: Sequence[Spec]) -> None:
    """Below a table of values; nothing where none of its metrics is judged."""
    own = [spec for spec in specs if spec.metric.view == "Judged"]  # not those of a local model
    if not own:
        return
    found = now.evaluations(specs)
    lacking, told = judged.lacking(now.names, found, own), judged.told(found)
    for line in judged.whose(now.names, found, own):
        st.caption(f":material/gavel: {line}")
    for line in [*lacking, *told][:FEW]:
        st.caption(f":material/info: {line}")
    if len(lacking) + len(told) > FEW:
        st.caption(f"And {len(lacking) + len(told) - FEW:,} more of this kind.")
    if lacking or told:
        st.page_link(PAGE, label="Ask a judge", icon=":material/gavel:", width="content")
