"""The comparability check: can these runs be compared at all, and what depends on the choices that were made?

Every run against the truth and the runs among themselves; nothing is dropped, joined or filled that it does not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragdash.analysis.comparability.as_text import as_text
from ragdash.analysis.comparability.between_runs import check_between_runs
from ragdash.analysis.comparability.convention_effects import compute_effects
from ragdash.analysis.comparability.findings import (
    SEVERITIES,
    ComparabilityEntry,
    ComparabilityReport,
    ConventionEffect,
)
from ragdash.analysis.comparability.id_mismatch import id_entries
from ragdash.analysis.comparability.near_ids import near_id_entries
from ragdash.analysis.comparability.run_coverage import check_run, check_truth
from ragdash.analysis.recomputed import Recomputed, recomputed
from ragdash.core.ids.spellings import Wanted
from ragdash.core.records import Conventions, Run, Truth
from ragdash.evaluation.repeats import group_names, repeat_groups
from ragdash.matching.file_labels import unused_labels
from ragdash.matching.match import Match
from ragdash.metrics import DEFAULT_SPECS, Spec

__all__ = [
    "SEVERITIES",
    "ComparabilityEntry",
    "ComparabilityReport",
    "ConventionEffect",
    "as_text",
    "check_comparability",
    "check_ids",
    "check_ids_of_each",
]


def check_ids(runs: Sequence[Run], truth: Truth) -> tuple[ComparabilityEntry, ...]:
    """What the ledger says of ids alone, which no convention and no metric changes; worth keeping.

    Entries of single runs, then those of all runs together (run is None).
    """
    return (*check_ids_of_each(runs, truth), *near_id_entries(runs, truth))


def check_ids_of_each(runs: Sequence[Run], truth: Truth) -> tuple[ComparabilityEntry, ...]:
    """What `check_ids` says of single runs."""
    queries, docs = Wanted(truth.query_ids), Wanted(truth.docs)
    return tuple(entry for run in runs for entry in id_entries(Match(run, truth), queries, docs))


def check_comparability(runs: Sequence[Run], truth: Truth, conventions: Conventions | None = None,
           specs: Sequence[Spec] | None = None, ids: Sequence[ComparabilityEntry] | None = None,
           matches: Sequence[Match] | None = None) -> ComparabilityReport:
    """Check whether these runs can be compared on this truth.

    specs: the metrics whose means are shown under each choice (default: those of evaluate); ids: the result of
    `check_ids` for the same runs; matches: these runs matched by id under the conventions, with duplicates="first",
    where they are there already. Never raises because of the data: a run without a query in common with the truth is
    an entry of severity "error".
    """
    conventions, specs = conventions or Conventions(), tuple(specs or DEFAULT_SPECS)
    if matches is None:
        matches = [Match(run, truth, replace(conventions, duplicates="first")) for run in runs]
    ids = check_ids(runs, truth) if ids is None else ids
    entries: list[ComparabilityEntry] = []
    effects: list[ConventionEffect] = []
    for match in matches:
        run_effects = compute_effects(match, conventions, specs)
        entries += [
            *check_run(match, conventions, specs, run_effects),
            *(entry for entry in ids if entry.run == match.run.name),
            *map(_file_metric_entry, recomputed(match)),
            *_label_entries(match),
        ]
        effects += run_effects
    return ComparabilityReport(
        (*check_truth(truth, conventions, effects), *entries, *(entry for entry in ids if entry.run is None),
         *check_between_runs(matches, conventions, specs, ids)),
        tuple(effects), _configurations(runs),
    )


def _configurations(runs: Sequence[Run]) -> dict[str, str]:
    """The configuration of each run, where groups of repeats are compared instead of runs."""
    groups = repeat_groups(runs)
    if not 1 < len(groups) < len(runs):
        return {}
    return {runs[index].name: name for group, name in zip(groups, group_names(runs, groups), strict=True)
            for index in group}


def _file_metric_entry(row: Recomputed) -> ComparabilityEntry:
    """A metric from a run's file next to the same metric as computed here."""
    return ComparabilityEntry("file-metric", "note" if row.differing else "ok", row.run, row.differing, row.n,
                              cause=row.problem)


def _label_entries(match: Match) -> tuple[ComparabilityEntry, ...]:
    """Labels of the run's file that nothing counts."""
    problem = unused_labels(match)
    if problem is None:
        return ()
    return ComparabilityEntry("unused-labels", "note", match.run.name, problem.facts["answers"], len(match.query_ids),
                              cause=problem),
