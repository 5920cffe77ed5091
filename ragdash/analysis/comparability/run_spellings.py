"""Documents that two runs write in different ways: what joins rankings takes them for different ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import take, text_column
from ragdash.core.ids.spellings import ALL_SPELLINGS, SPELLINGS, Spelling, spelling
from ragdash.core.ranking.rank_order import ranges
from ragdash.core.records import Run

LEAST_APART = 0.05  # share of the documents of both runs, under a spelling, from which on it is said
SAMPLE = 100_000  # returned documents of all runs that are looked at
MOST_PAIRED = 12  # runs up to which every pair is looked at; of more, each with the first


@dataclass(frozen=True)
class SpelledApart:
    """Two runs, the spelling that makes their ids alike, and of how many documents of both the ids differ now."""

    first: str
    second: str
    ids: str
    count: int
    total: int
    examples: tuple[str, str]


def spelled_apart(runs: Sequence[Run]) -> SpelledApart | None:
    """The two runs of which most documents have different ids and the same one under a spelling; None without any.

    Judged or not: the judgments have no part in it. An id that a run has in two spellings counts for nothing.

    Examples
    --------
    >>> runs = [Run.build("a", ["q", "q"], ["p01", "p02"]), Run.build("b", ["q", "q"], ["p1", "p2"])]
    >>> spelled_apart(runs)
    SpelledApart(first='a', second='b', ids='zeros', count=2, total=2, examples=('p01', 'p1'))
    """
    runs = [run for run in runs if len(run.docs)]
    if len(runs) < 2:
        return None
    columns = _documents(runs)
    every = pa.concat_arrays(columns)
    if not any(_changes(rule, every) for rule in ALL_SPELLINGS):
        return None
    columns = [pc.unique(column) for column in columns]
    ids = pc.unique(pa.concat_arrays(columns))
    returned = [pc.index_in(column, value_set=ids).to_numpy() for column in columns]
    most = _most_apart_under_any(runs, ids, returned, SPELLINGS)
    if most is None and len(ids) == sum(map(len, columns)):
        most = _most_apart_under_any(runs, ids, returned, ALL_SPELLINGS)
    return most


def _most_apart_under_any(runs: Sequence[Run], ids: pa.StringArray, returned: Sequence[np.ndarray],
                          rules: Sequence[Spelling]) -> SpelledApart | None:
    """The pair with most documents apart under one of the rules, or under all of them."""
    live = [rule for rule in rules if _changes(rule, ids)]
    together = [spelling(",".join(rule.name for rule in live))] if len(live) > 1 else []
    most = [_most_apart(runs, ids, returned, rule) for rule in (*live, *together)]
    return max(filter(None, most), key=lambda pair: pair.count, default=None)


def _changes(rule: Spelling, ids: pa.StringArray) -> bool:
    """Whether a spelling changes any of these ids."""
    return not rule.apply(ids).equals(ids)


def _documents(runs: Sequence[Run]) -> list[pa.StringArray]:
    """The documents of each run, for every n-th query of the first one where there are very many."""
    step = -(-sum(len(run.docs) for run in runs) // SAMPLE)
    queries = runs[0].query_ids.take(pa.array(np.arange(0, len(runs[0]), step)))
    columns = []
    for run in runs:
        docs = run.docs
        if step > 1:
            chosen = pc.is_in(run.query_ids, value_set=queries).to_numpy(zero_copy_only=False)
            rows = ranges(run.starts[:-1][chosen], run.starts[1:][chosen])
            columns.append(take(docs, run.rows(rows)))
        else:
            columns.append(pa.concat_arrays(text_column(docs).chunks))
    return columns


def _most_apart(runs: Sequence[Run], ids: pa.StringArray, returned: Sequence[np.ndarray],
                rule: Spelling) -> SpelledApart | None:
    """The pair with most documents apart under a spelling; returned: indices of ids of each run."""
    codes = rule.apply(ids).dictionary_encode().indices.to_numpy()
    id_of = np.full((len(runs), codes.max(initial=-1) + 1), -1)  # the id by which each run names a form, -2 for several
    for row, documents in zip(id_of, returned, strict=True):
        row[codes[documents]] = documents
        row[np.bincount(codes[documents], minlength=len(row)) > 1] = -2
    usable = (id_of != -2).all(axis=0)
    pairs = combinations(range(len(runs)), 2) if len(runs) <= MOST_PAIRED else ((0, run) for run in range(1, len(runs)))
    most = None
    for first, second in pairs:
        in_both = usable & (id_of[first] >= 0) & (id_of[second] >= 0)
        apart = np.flatnonzero(in_both & (id_of[first] != id_of[second]))
        total = int(in_both.sum())
        if len(apart) > LEAST_APART * total and len(apart) > (most.count if most else 0):
            examples = ids[int(id_of[first, apart[0]])].as_py(), ids[int(id_of[second, apart[0]])].as_py()
            most = SpelledApart(runs[first].name, runs[second].name, rule.name, len(apart), total, examples)
    return most
