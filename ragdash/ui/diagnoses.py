"""Diagnoses of the runs shown, cached by digests and rules as in ragdash.ui.cache. What comes out is shared."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ragdash.diagnosis import Diagnosis, Rules, diagnose, text_specs
from ragdash.matching import Match
from ragdash.ui import cache
from ragdash.ui.cache import Scope
from ragdash.ui.scope import facts


def diagnosis(run: str, scope: Scope, k: int, rules: Rules | None = None) -> Diagnosis:
    """Where each query of the truth (whatever slice is looked at) went wrong first. rules: by default those for k."""
    whole, rules = replace(scope, part=""), rules or Rules(k=k)
    specs = text_specs(rules)
    return _diagnosis(run, facts(whole, specs), repr(rules), _match=cache.match(run, whole, specs), _rules=rules)


@st.cache_resource(max_entries=64, show_spinner="Looking where queries went wrong …")
def _diagnosis(run: str, scope: tuple, rules: str, _match: Match, _rules: Rules) -> Diagnosis:
    return diagnose(_match, _rules)
