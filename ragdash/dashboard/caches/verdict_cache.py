"""Cached checks of a comparison, by the digests and names of its runs and by what its numbers depend on."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ragdash.analysis.verdict import RunCheck, find_checks
from ragdash.core.errors import InputError
from ragdash.dashboard.session.scope import Scope
from ragdash.metrics import Spec, parse_spec


def checks(runs: Sequence[str], names: Sequence[str], scope: Scope, spec: Spec, k: int,
           truths: Sequence[str] = ()) -> tuple[RunCheck, ...]:
    """What speaks against comparing these runs on this metric, the worst first.

    runs, names: digests and the names shown; truths: names of the files with judgments, where several are loaded.
    """
    return _checks(tuple(runs), tuple(names), scope.cache_key([spec]), str(spec), k, tuple(truths), _scope=scope)


@st.cache_resource(max_entries=64, show_spinner="Checking the comparison …")
def _checks(runs: tuple[str, ...], names: tuple[str, ...], key: tuple, spec: str, k: int, truths: tuple[str, ...],
            _scope: Scope) -> tuple[RunCheck, ...]:
    parsed = parse_spec(spec)
    matches = []
    for run, name in zip(runs, names, strict=True):
        try:
            matches.append(_scope.match(run, [parsed]).renamed(name))
        except InputError:  # no query in common: the checks say so
            matches.append(_scope.match_by_id(run).renamed(name))
    return find_checks(matches, parsed, k, truths=truths, queries=_scope.queries)
