"""Cached metrics from files next to the same metrics as computed, by digests and by what the numbers depend on."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ragdash.analysis.recomputed import Recomputed, recomputed
from ragdash.core.errors import InputError
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope


def recomputed_rows(run: str, name: str, scope: Scope) -> tuple[Recomputed, ...]:
    """Every metric in the run's file that is computed too; none where no query is in common."""
    record = LOADED.run(run)
    if record is None or record.file_scores is None:
        return ()
    return tuple(replace(row, run=name) for row in _rows(run, scope.cache_key(), _scope=scope))


@st.cache_resource(max_entries=64, show_spinner=False)
def _rows(run: str, key: tuple, _scope: Scope) -> tuple[Recomputed, ...]:
    try:
        return recomputed(_scope.match(run))
    except InputError:
        return ()
