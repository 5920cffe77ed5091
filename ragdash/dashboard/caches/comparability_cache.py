"""Cached comparisons of numbers: comparability reports, collapse choices, other tools' numbers and those of files.

Keyed by digests and scalars, as in ragdash.dashboard.caches.evaluation_cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

import streamlit as st

from ragdash.analysis.comparability import ComparabilityEntry as Finding
from ragdash.analysis.comparability import ComparabilityReport, check_ids_of_each
from ragdash.analysis.comparability import check_comparability as found_in
from ragdash.analysis.comparability.near_ids import near_id_entries
from ragdash.analysis.comparability.other_tools import ToolGap, show_as
from ragdash.analysis.recomputed import Recomputed, recomputed
from ragdash.core.errors import InputError
from ragdash.core.ids.collapse_choices import CollapseChoice, collapse_choices
from ragdash.core.records import Conventions, Run, Truth
from ragdash.dashboard.caches import kept_cache, score_cutoff_cache
from ragdash.dashboard.caches.shared_cache import shared
from ragdash.dashboard.session.data_store import LOADED, SessionRun
from ragdash.dashboard.session.scope import Scope
from ragdash.metrics import Spec

NO_FINDINGS = "no findings about ids"
NO_NEAR_IDS = "no nearly equal ids"


def _named(runs: Sequence[SessionRun]) -> tuple[tuple[str, str], ...]:
    return tuple((entry.digest, entry.name) for entry in runs)


@shared(max_entries=512, show_spinner="Comparing runs and judgments …", ahead=True,
        key=lambda runs, truth, conventions, spec: (_named(runs), truth, astuple(conventions), str(spec)))
def comparability_report(runs: Sequence[SessionRun], truth: str, conventions: Conventions,
                         spec: Spec) -> ComparabilityReport:
    """The comparability report of these runs and this truth, under the names of the session."""
    named, record = _named(runs), LOADED.truth(truth)
    records = [LOADED.run(digest).renamed(name) for digest, name in named]
    ids = id_findings(named, truth, _runs=records, _truth=record)
    scope = Scope(truth, lenient(conventions))
    matches = [scope.match_by_id(digest).renamed(name) for digest, name in named]
    return found_in(records, record, conventions, (spec,), ids, matches)


@shared(max_entries=64, ahead=True)
def id_findings(runs: tuple[tuple[str, str], ...], truth: str, _runs: list[Run],
                _truth: Truth) -> tuple[Finding, ...]:
    """What `check_ids` finds about runs (digest and name), which depends on no metric, cutoff or convention.

    That nothing was found is kept; findings are looked for again.
    """
    suspects = {digest: run for run, (digest, _) in zip(_runs, runs, strict=True)
                if kept_cache.read_numbers(digest, (truth,), NO_FINDINGS) is None}
    findings = check_ids_of_each([*suspects.values()], _truth) if suspects else ()
    if not findings:
        for digest in suspects:
            kept_cache.keep_numbers(digest, (truth,), [], NO_FINDINGS)
    return (*findings, *_near_ids(tuple(sorted(digest for digest, _ in runs)), truth, _runs=_runs, _truth=_truth))


@shared(max_entries=64, ahead=True)
def _near_ids(runs: tuple[str, ...], truth: str, _runs: list[Run], _truth: Truth) -> tuple[Finding, ...]:
    """What is found about the ids of all runs together, whatever their names and order."""
    key = (truth, *runs[1:])
    if not runs or kept_cache.read_numbers(runs[0], key, NO_NEAR_IDS) is not None:
        return ()
    findings = tuple(near_id_entries(_runs, _truth))
    if not findings:
        kept_cache.keep_numbers(runs[0], key, [], NO_NEAR_IDS)
    return findings


def lenient(conventions: Conventions) -> Conventions:
    """The same, but no run is refused."""
    return replace(conventions, duplicates="first")


@shared(max_entries=64, key=lambda entry, truth: (entry.loaded, truth))
def collapse_ways(entry: SessionRun, truth: str) -> list[CollapseChoice]:
    """Ways to collapse the run as it was loaded, best first."""
    return collapse_choices(LOADED.run(entry.loaded), LOADED.truth(truth))


@shared(max_entries=256,
        key=lambda run, scope, tool, specs: (run, scope.cache_key(), tool, tuple(map(str, specs))))
def gaps(run: str, scope: Scope, tool: str, specs: Sequence[Spec]) -> list[ToolGap]:
    """The means of a run here and in the tool. Raises InputError where it has no query in common with the truth."""
    return show_as(score_cutoff_cache.match(run, scope), scope.truth, tool, specs)


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
