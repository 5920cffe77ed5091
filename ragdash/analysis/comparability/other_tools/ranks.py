"""The ranks of judged documents as a tool sees them: with its ties, repeats and removed documents.

Letters: Q queries of the truth, H hits (a returned judged document, each time it is returned), D repeated documents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.comparability.other_tools.rules import Rules
from ragdash.core.arrow_columns import hash_text, take, text_column
from ragdash.core.ranking.rank_order import pair_hashes
from ragdash.core.records import Run
from ragdash.matching.match import Match


@dataclass(frozen=True, eq=False)
class Ranks:
    """What the formulas need.

    query, rank, grade, judgment (H,): sorted by query and rank; judgment: its index in the truth. returned (Q,): the
    results. repeat_query, repeat_rank (D,): results that are in the list already. missing (Q,): not in the run.
    judged_query, judged_grade (R,): all judgments, sorted by query and grade descending.
    """

    query: np.ndarray
    rank: np.ndarray
    grade: np.ndarray
    judgment: np.ndarray
    returned: np.ndarray
    repeat_query: np.ndarray
    repeat_rank: np.ndarray
    missing: np.ndarray
    judged_query: np.ndarray
    judged_grade: np.ndarray


def ranks_under(match: Match, rules: Rules) -> Ranks:
    """The ranks of a run under these rules for duplicates, ties and documents with the id of their query."""
    run = match.run
    counted = run if rules.duplicates == "first" else replace(run, repeated=np.zeros(0, np.int64))
    ties = "docid" if rules.ties == "ascending" else rules.ties
    seen = Match(counted, match.truth, replace(match.conventions, ties=ties, duplicates="first"),
                 mirrored=rules.ties == "ascending")
    view, judgment = seen.ranked, seen.judgment
    removed = _own_documents(run, seen) if rules.same_id else (np.zeros(0, np.int64),) * 2
    query, rank, grade, returned = view.query, view.rank, view.grade, view.returned
    if len(removed[0]):
        query, rank, grade, judgment, returned = _without(removed, query, rank, grade, judgment, returned)
    repeat_query, repeat_rank = _repeats(run, seen) if rules.duplicates != "first" else (np.zeros(0, np.int64),) * 2
    return Ranks(query, rank, grade, judgment, returned, repeat_query, repeat_rank, seen.missing, view.judged_query,
                 view.judged_grade)


def _repeats(run: Run, seen: Match) -> tuple[np.ndarray, np.ndarray]:
    """(query of the truth, rank) of the repeated results."""
    query = seen.truth_query[run.query_of(run.repeated)] if len(run.repeated) else np.zeros(0, np.int64)
    known = query >= 0
    return query[known], seen.ranks(run.repeated[known])


def _own_documents(run: Run, seen: Match) -> tuple[np.ndarray, np.ndarray]:
    """(query of the truth, rank) of the results that have the id of their query."""
    names = text_column(run.query_ids)
    hashes = pair_hashes(hash_text(names, seed=1), np.arange(len(run.query_ids)), names)
    positions = np.flatnonzero(np.isin(run.pairs, hashes))
    positions = np.setdiff1d(positions, seen.run.repeated, assume_unique=True)
    query = run.query_of(positions)
    same = pc.equal(take(run.docs, run.rows(positions)), run.query_ids.take(pa.array(query)))
    keep = same.to_numpy(zero_copy_only=False).astype(bool) & (seen.truth_query[query] >= 0)
    return seen.truth_query[query[keep]], seen.ranks(positions[keep])


def _without(removed: tuple[np.ndarray, np.ndarray], query: np.ndarray, rank: np.ndarray, grade: np.ndarray,
             judgment: np.ndarray, returned: np.ndarray) -> tuple[np.ndarray, ...]:
    """Hits and lengths without the removed results (query, rank)."""
    size = int(max(rank.max(initial=0), removed[1].max())) + 1
    gone = np.sort(removed[0] * size + removed[1])
    place = query * size + rank
    above = np.searchsorted(gone, place) - np.searchsorted(gone, query * size)
    keep = ~np.isin(place, gone)
    lengths = returned - np.bincount(removed[0], minlength=len(returned))
    return query[keep], (rank - above)[keep], grade[keep], judgment[keep], lengths
