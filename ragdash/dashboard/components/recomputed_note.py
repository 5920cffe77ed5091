"""A note below means: where the metric of a file and the computed one differ, and why if that is known."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.dashboard.caches import comparability_cache
from ragdash.dashboard.page_context import PageContext
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.runs.file_metrics import recomputed_sentences


def render(context: PageContext, specs: Sequence[Spec]) -> None:
    """One caption; nothing where no file has a metric that is computed too, or where all agree."""
    rows = [row for entry in context.entries
            for row in comparability_cache.recomputed_rows(entry.digest, entry.name, context.scope)]
    sentences = recomputed_sentences(rows, specs)
    if sentences:
        st.caption("  \n".join(f":material/compare_arrows: {fmt.escape(sentence)}" for sentence in sentences))
