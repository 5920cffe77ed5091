"""The comparability ledger: can these runs be compared at all, and what hangs on the choices that were made?

Every run against the truth and the runs among themselves; nothing is dropped, joined or filled that it does not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragdash.analysis.comparability.as_text import as_text
from ragdash.analysis.comparability.between_runs import among
from ragdash.analysis.comparability.convention_effects import effects_of
from ragdash.analysis.comparability.findings import SEVERITIES, Effect, Entry, Ledger
from ragdash.analysis.comparability.id_mismatch import id_entries
from ragdash.analysis.comparability.run_coverage import account, truth_account
from ragdash.core.id_spellings import Wanted
from ragdash.core.records import Conventions, Run, Truth
from ragdash.matching.match import Match
from ragdash.metrics import DEFAULT_SPECS, Spec

__all__ = ["SEVERITIES", "Effect", "Entry", "Ledger", "as_text", "ledger", "spelled"]


def spelled(runs: Sequence[Run], truth: Truth) -> tuple[Entry, ...]:
    """What the ledger says of ids alone, which no convention and no metric changes; worth keeping."""
    queries, docs = Wanted(truth.query_ids), Wanted(truth.docs)
    return tuple(entry for run in runs for entry in id_entries(Match(run, truth), queries, docs))


def ledger(runs: Sequence[Run], truth: Truth, conventions: Conventions | None = None,
           specs: Sequence[Spec] | None = None, ids: Sequence[Entry] | None = None) -> Ledger:
    """What stands against each other in these runs and this truth.

    specs: the metrics whose means are shown under each choice (default: those of evaluate); ids: what `spelled` said
    of the same runs. Never raises for what the
    data is like: a run without a query in common with the truth is an entry of severity "error".
    """
    conventions, specs = conventions or Conventions(), tuple(specs or DEFAULT_SPECS)
    matches = [Match(run, truth, replace(conventions, duplicates="first")) for run in runs]
    ids = spelled(runs, truth) if ids is None else ids
    entries: list[Entry] = []
    effects: list[Effect] = []
    for match in matches:
        run_effects = effects_of(match, conventions, specs)
        entries += [
            *account(match, conventions, specs, run_effects),
            *(entry for entry in ids if entry.run == match.run.name),
        ]
        effects += run_effects
    return Ledger((*truth_account(truth, conventions, effects), *entries, *among(matches, conventions, specs, ids)),
                  tuple(effects))
