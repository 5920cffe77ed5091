"""Queries that a run and a truth do not share: warnings, and the error where they share none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Conventions, Truth
from ragdash.core.text.quoted import cut_end
from ragdash.matching.match import Match

MOST_SHOWN = 200  # characters of an id in a message

def match_warnings(match: Match, counts: Mapping[str, int]) -> list[Problem]:
    """What of the queries does not take part as it might seem, as warnings."""
    strangers = None
    if match.matching.by == "id" and match.ranked.returned.any() and not len(match.ranked.rank) \
            and len(match.truth.docs):
        strangers = match.run.docs[0].as_py(), match.truth.docs[0].as_py()
    missing = match.query_ids.filter(pa.array(match.missing))
    return query_warnings(match.run.name, counts, match.extra[:1].to_pylist(), missing[:1].to_pylist(),
                          match.conventions, strangers)


def query_warnings(run: str, counts: Mapping[str, int], extra: Sequence[str], missing: Sequence[str],
                   conventions: Conventions, strangers: tuple[str, str] | None) -> list[Problem]:
    """Warn of queries that only the run has, of those that it lacks, and of ids that never meet.

    extra, missing: the first such query, if any; strangers: (a document of the run, one of the truth) where no
    returned document is judged.
    """
    notes = []
    if extra:
        notes.append(Problem("extra-queries", {"queries": counts["extra"], "run": run, "example": extra[0]},
                             field="query_id", severity="warning"))
    if missing:
        message = "missing-queries" if conventions.missing == "zero" else "missing-queries/skipped"
        notes.append(Problem(message, {"queries": counts["missing"], "run": run, "example": missing[0]},
                             field="query_id", severity="warning"))
    if strangers:
        notes.append(Problem("no-common-document", {"run": run, "ids": strangers[0], "truth_ids": strangers[1]},
                             field="doc_id", severity="warning"))
    return notes


def check_overlap(match: Match) -> None:
    """Raise InputError where the run and the truth have no query in common."""
    if len(match.extra) < len(match.run) or not len(match.run):
        return
    raise no_common_query(match.run.name, match.run.query_ids[0].as_py(), match.truth)


def no_common_query(run: str, run_query: str, truth: Truth) -> InputError:
    """The error of a run, named, and a truth without a common query; run_query: one of the run's."""
    truth_query = truth.query_ids[0].as_py() if len(truth) else "none"
    return InputError([Problem("no-common-query", {"run": run, "ids": _start(run_query), "truth": truth.name,
                               "truth_ids": _start(truth_query)}, field="query_id")])


def _start(query_id: str) -> str:
    """An id, or the beginning of one that would fill a screen."""
    return cut_end(query_id, MOST_SHOWN)
