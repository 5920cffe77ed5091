"""The documents of several runs, brought together query by query: what every fusion method works on.

All work is done in blocks of whole queries, so that its temporaries stay in the cache and all cores help.
Letters: Q queries (of a block), N rows of a leg, C candidates (distinct documents of a query in any leg), P legs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import in_blocks, same_hashed_texts, take
from ragdash.core.records import Run
from ragdash.experiments.fusion.blocks import matches_of_lists, query_blocks, ranges, ranks_of_rows
from ragdash.matching.tied_ranks import ranks_of

_NO_ROWS = np.zeros(0, np.int64)
REMEMBERED = 3  # tables of parts, each of P x C numbers


@dataclass(frozen=True, eq=False)
class Leg:
    """The ranking of one run as it takes part in a fusion, by query and rank.

    run; position (N,) int64 in the run, None where the positions follow each other: from `begin`;
    starts (Q + 1,): rows starts[q]:starts[q+1] belong to query q;
    rank (N,) int64 from 1; score (N,) float64 or None; candidate (N,) int64, which of the candidates a row is;
    new: the rows whose document no leg before has, where that is known; new_starts (Q + 1,): where those of each query
    begin among them.
    """

    run: Run
    position: np.ndarray | None
    starts: np.ndarray
    rank: np.ndarray
    score: np.ndarray | None
    candidate: np.ndarray
    begin: int = 0
    new: np.ndarray | None = None
    new_starts: np.ndarray | None = None

    def positions(self, rows: np.ndarray) -> np.ndarray:
        """The positions of these rows in the run: (X,) int64."""
        return rows + self.begin if self.position is None else self.position[rows]

    @cached_property
    def lengths(self) -> np.ndarray:
        """Rows of each query: (Q,) int64."""
        return np.diff(self.starts)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """The value of a row's query for every row: (Q,) becomes (N,)."""
        return np.repeat(values, self.lengths)

    def reduce(self, function: np.ufunc, values: np.ndarray) -> np.ndarray:
        """Values (N,) of each query reduced by np.minimum, np.maximum or np.add: (Q,); 0 for a query without rows."""
        out = np.zeros(len(self.lengths))
        filled = np.flatnonzero(self.lengths)
        if len(filled):
            out[filled] = function.reduceat(values, self.starts[filled])
        return out


@dataclass(frozen=True, eq=False)
class Candidates:
    """All documents of the legs in a block, by query: candidates starts[q]:starts[q+1] belong to its query q.

    Within a query, those of the first leg come first, in its order, then the new ones of the second leg, and so on.
    tables, latest: what methods, and those who ask for a recipe again, remember.
    """

    legs: tuple[Leg, ...]
    starts: np.ndarray
    tables: dict[Hashable, np.ndarray | None] = field(default_factory=dict)
    latest: dict[str, tuple] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def lengths(self) -> np.ndarray:
        """Candidates of each query: (Q,) int64."""
        return np.diff(self.starts)

    @cached_property
    def lists(self) -> np.ndarray:
        """In how many legs each candidate is: (C,) int64."""
        return np.sum([np.bincount(leg.candidate, minlength=len(self)) for leg in self.legs], axis=0)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """The value of a candidate's query for every candidate: (Q,) becomes (C,)."""
        return np.repeat(values, self.lengths)

    def total(self, parts: Sequence[np.ndarray]) -> np.ndarray:
        """The sum over the legs of one (N,) array for each: (C,)."""
        out = np.zeros(len(self))
        out[self.legs[0].candidate] = parts[0] + 0.0  # -0.0 is 0.0, as in every sum
        for leg, values in zip(self.legs[1:], parts[1:], strict=True):
            out[leg.candidate] += values
        return out

    def table(self, parts: Sequence[np.ndarray], fill: float = np.nan) -> np.ndarray:
        """One (N,) array for each leg side by side: (P, C), fill where a leg lacks the document."""
        out = np.full((len(self.legs), len(self)), fill)
        for row, leg, values in zip(out, self.legs, parts, strict=True):
            row[leg.candidate] = values
        return out

    def weighted(self, key: Hashable, parts: Callable[[], Sequence[np.ndarray]],
                 weights: Sequence[float]) -> np.ndarray:
        """The sum of weight times part over the legs: (C,).

        Parts that are asked for twice in a row are remembered as a table, for sweeps over weights.
        """
        if key not in self.tables:
            while len(self.tables) >= REMEMBERED:
                self.tables.pop(next(iter(self.tables)), None)
            self.tables[key] = None
            return self.total([part if weight == 1 else weight * part
                               for weight, part in zip(weights, parts(), strict=True)])
        table = self.tables[key]
        if table is None:
            table = self.tables[key] = self.table(parts(), 0.0)
        out = weights[0] * table[0]
        term = np.empty_like(out)
        for weight, row in zip(weights[1:], table[1:], strict=True):
            out += row if weight == 1 else np.multiply(row, weight, out=term)
        return out

    def texts(self) -> pa.Array:
        """The text of each candidate, from the first leg that has one: (C,) strings; null where none has."""
        texts = pa.nulls(len(self), pa.string())
        for leg in self.legs:
            if leg.run.texts is not None:
                row = np.full(len(self), -1)
                row[leg.candidate] = np.arange(len(leg.rank))
                mine = take(leg.run.texts, leg.run.rows(leg.positions(np.arange(len(leg.rank)))))
                texts = pc.coalesce(texts, mine.take(pa.array(row, mask=row < 0)))
        return texts

    def only(self, legs: Sequence[int], window: int | None = None) -> Candidates:
        """Only what the first `window` ranks of these legs hold, in this order; None: all ranks."""
        return self.part(legs, window)[0]

    def part(self, legs: Sequence[int], window: int | None = None) -> tuple[Candidates, np.ndarray | None]:
        """(what `only` gives, which of the candidates are in it: (C,) bool; None: all)."""
        inside = window is None or all(leg.rank.max(initial=0) <= window for leg in self.legs)
        if inside and list(legs) == list(range(len(self.legs))):
            return self, None
        chosen = [self.legs[index] for index in legs]
        masks = [np.ones(len(leg.rank), bool) if window is None else leg.rank <= window for leg in chosen]
        return self._with_rows(masks, chosen)

    def _with_rows(self, masks: Sequence[np.ndarray], legs: Sequence[Leg]) -> tuple[Candidates, np.ndarray]:
        """The candidates of these rows (a mask for each leg), numbered anew, and which they are."""
        taken = np.zeros(len(self), bool)
        for leg, mask in zip(legs, masks, strict=True):
            taken[leg.candidate[mask]] = True
        number = np.cumsum(taken) - 1
        counted = np.concatenate(([0], np.cumsum(taken)))
        shorter = []
        for leg, mask in zip(legs, masks, strict=True):
            starts = np.concatenate(([0], np.cumsum(mask)))[leg.starts]
            kept = np.flatnonzero(mask)
            shorter.append(replace(leg, position=leg.positions(kept), starts=starts, rank=leg.rank[kept],
                                   score=None if leg.score is None else leg.score[kept],
                                   candidate=number[leg.candidate[kept]], new=None, new_starts=None))
        return Candidates(tuple(shorter), counted[self.starts]), taken


@dataclass(frozen=True, eq=False)
class RunRanking:
    """The rows of one run that take part. position (rows,) in the run, None: all, in order; starts (queries + 1,)."""

    run: Run
    position: np.ndarray | None
    starts: np.ndarray

    def leg(self, first: int, last: int) -> Leg:
        """The rows of the queries first:last; the candidates are not numbered yet."""
        low, high = int(self.starts[first]), int(self.starts[last])
        starts = self.starts[first:last + 1] - low
        position = None if self.position is None else self.position[low:high]
        scores = self.run.scores
        score = None if scores is None else scores[low:high] if position is None else scores[position]
        return Leg(self.run, position, starts, ranks_of_rows(starts), score, _NO_ROWS, low)

    def pairs(self, leg: Leg, first: int) -> np.ndarray:
        """The hashes of query and document of a leg of this ranking that begins with the query `first`: (N,)."""
        low = int(self.starts[first])
        return self.run.pairs[low:low + len(leg.rank)] if self.position is None else self.run.pairs[leg.position]


@dataclass(frozen=True, eq=False)
class Pool:
    """Runs brought together: every query of any run, in order of appearance, and what each run has for it."""

    query_ids: pa.StringArray
    rankings: tuple[RunRanking, ...]

    @cached_property
    def blocks(self) -> list[tuple[int, int]]:
        """(first query, query after the last) of blocks of queries."""
        return list(query_blocks(np.sum([ranking.starts for ranking in self.rankings], axis=0)))

    def candidates(self, block: tuple[int, int]) -> Candidates:
        """The candidates of a block of queries."""
        legs = [ranking.leg(*block) for ranking in self.rankings]
        pairs = [ranking.pairs(leg, block[0]) for ranking, leg in zip(self.rankings, legs, strict=True)]
        later, first = matches_of_lists(pairs, [leg.starts for leg in legs])
        return _numbered(legs, *_of_same_text(legs, pairs, later, first))


def gather(runs: Sequence[Run], window: int | None = None, ties: str = "docid") -> Pool:
    """Bring the documents of runs together.

    Parameters
    ----------
    runs
        Two or more; a query that a run lacks has no rows in its leg.
    window
        How many results of each run take part; None: all.
    ties
        The order of documents with equal scores in a run, as in `ragdash.core.records.Conventions`.

    Examples
    --------
    >>> runs = [Run.build("a", ["q", "q"], ["d1", "d2"]), Run.build("b", ["q", "q"], ["d2", "d3"])]
    >>> pool = gather(runs)
    >>> candidates = pool.candidates(*pool.blocks)
    >>> len(candidates), candidates.legs[1].candidate.tolist(), candidates.lists.tolist()
    (3, [1, 2], [1, 2, 1])
    """
    query_ids, codes = _aligned(runs)
    return Pool(query_ids, tuple(_ranking(run, code, len(query_ids), window, ties)
                                 for run, code in zip(runs, codes, strict=True)))


def _aligned(runs: Sequence[Run]) -> tuple[pa.StringArray, list[np.ndarray]]:
    """(every query, in order of appearance; for each run the index of its queries among them)."""
    query_ids = runs[0].query_ids
    for run in runs[1:]:
        if not run.query_ids.equals(query_ids):
            fresh = run.query_ids.filter(pc.invert(pc.is_in(run.query_ids, value_set=query_ids)))
            query_ids = pa.concat_arrays([query_ids, fresh]) if len(fresh) else query_ids
    codes = [np.arange(len(run)) if run.query_ids.equals(query_ids[:len(run)]) else
             pc.index_in(run.query_ids, value_set=query_ids).to_numpy() for run in runs]
    return query_ids, codes


def _ranking(run: Run, codes: np.ndarray, queries: int, window: int | None, ties: str) -> RunRanking:
    """The rows of a run by query (codes (run queries,): their index) and rank."""
    position, starts = _by_rank(run, ties)
    begin, length = np.zeros(queries, np.int64), np.zeros(queries, np.int64)
    begin[codes] = starts[:-1]
    length[codes] = np.diff(starts) if window is None else np.minimum(np.diff(starts), window)
    new_starts = np.concatenate(([0], np.cumsum(length)))
    if new_starts[-1] < starts[-1] or not np.array_equal(begin[length > 0], new_starts[:-1][length > 0]):
        rows = ranges(begin, begin + length)
        position = rows if position is None else position[rows]
    return RunRanking(run, position, new_starts)


def _by_rank(run: Run, ties: str) -> tuple[np.ndarray | None, np.ndarray]:
    """(positions by query and rank without repeats, None: all; the first of each query and, last, their number)."""
    position, starts = None, run.starts
    if len(run.repeated):
        position = np.delete(np.arange(len(run.docs)), run.repeated)
        starts = np.searchsorted(position, starts)
    if run.ranked_by != "score" or ties == "file":
        return position, starts
    tied = _tied(run, ties)
    if len(run.repeated):
        tied = np.setdiff1d(tied, run.repeated, assume_unique=True)
    if not len(tied):
        return position, starts
    position = np.arange(len(run.docs)) if position is None else position
    position[starts[run.query_of(tied)] + ranks_of(run, tied, ties) - 1] = tied
    return position, starts


def _tied(run: Run, ties: str) -> np.ndarray:
    """Positions whose score is that of a neighbor, ascending."""
    scores = run.scores if ties == "docid" else run.scores.astype(np.float32)

    def work(a: int, b: int) -> np.ndarray:
        part = scores[max(a - 1, 0):b + 1]
        equal = part[1:] == part[:-1]
        if not equal.any():
            return _NO_ROWS
        near = np.append(equal, False) | np.append(False, equal)
        return np.flatnonzero(near[min(a, 1):][:b - a]) + a

    blocks = in_blocks(work, len(scores))
    return np.concatenate(blocks) if blocks else _NO_ROWS


def _of_same_text(legs: Sequence[Leg], pairs: Sequence[np.ndarray], later: np.ndarray,
                  first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The matches (later row, first row) whose documents have the same id: equal hashes only raise a suspicion.

    Where ids differ, all rows with such a hash are matched by their ids. pairs: the hashes of each leg.
    """
    offsets = _offsets(legs)
    differs = np.ones(len(later), bool)  # two documents of one list do; the others are compared
    apart = len(legs) == 2 and later.min(initial=offsets[1]) >= offsets[1] > first.max(initial=0)
    for index, leg in enumerate(legs[1:], 1):
        for earlier in range(index):
            chosen = slice(None)
            if not apart:
                chosen = np.flatnonzero((later >= offsets[index]) & (later < offsets[index + 1])
                                        & (first >= offsets[earlier]) & (first < offsets[earlier + 1]))
            other = legs[earlier]
            differs[chosen] = ~same_hashed_texts(*_docs_at(leg, later[chosen] - offsets[index]),
                                                 *_docs_at(other, first[chosen] - offsets[earlier]))
    if not differs.any():
        return later, first
    hashes = np.concatenate(pairs)
    suspects = np.flatnonzero(np.isin(hashes, hashes[later[differs]]))
    owner = np.searchsorted(offsets, suspects, "right") - 1
    texts = pa.concat_arrays([take(leg.run.docs, _rows(leg, suspects[owner == index] - offsets[index]))
                              for index, leg in enumerate(legs)])
    _, word = np.unique(hashes[suspects], return_inverse=True)
    keys = word * (len(suspects) + 1) + texts.dictionary_encode().indices.to_numpy()
    _, index, inverse = np.unique(keys, return_index=True, return_inverse=True)
    again = np.flatnonzero(index[inverse] != np.arange(len(suspects)))
    kept = ~np.isin(later, suspects)
    return (np.concatenate((later[kept], suspects[again])),
            np.concatenate((first[kept], suspects[index[inverse[again]]])))


def _offsets(legs: Sequence[Leg]) -> np.ndarray:
    """The first row of each leg, where the rows of all are one behind the other, and last their number: (P + 1,)."""
    return np.concatenate(([0], np.cumsum([len(leg.rank) for leg in legs])))


def _rows(leg: Leg, rows: np.ndarray) -> np.ndarray:
    return leg.run.rows(leg.positions(rows))


def _docs_at(leg: Leg, rows: np.ndarray) -> tuple[pa.ChunkedArray, np.ndarray]:
    """(a column of documents, where those of these rows of the leg are in it)."""
    if leg.position is None and leg.run.order is None:
        return leg.run.docs.slice(leg.begin, len(leg.rank)), rows
    return leg.run.docs, _rows(leg, rows)


def _numbered(legs: Sequence[Leg], later: np.ndarray, first: np.ndarray) -> Candidates:
    """Number the rows by query, leg and rank; the later rows have the number of their first row."""
    offsets = _offsets(legs)
    is_new = np.ones(offsets[-1], bool)
    is_new[later] = False
    news = [np.flatnonzero(is_new[a:b]) if a else np.arange(b) for a, b in pairwise(offsets.tolist())]
    cuts = [leg.starts if len(new) == len(leg.rank) else np.searchsorted(new, leg.starts)
            for new, leg in zip(news, legs, strict=True)]
    counts = np.diff(cuts)
    ends = np.cumsum(counts.T).reshape(counts.T.shape).T  # of the candidates that are new in a leg, for each query
    number = np.empty(offsets[-1], np.int64)
    for new, count, end, (a, b) in zip(news, counts, ends, pairwise(offsets), strict=True):
        values = ranges(end - count, end)
        if len(new) == b - a:
            number[a:b] = values
        else:
            number[a:b][new] = values
    number[later] = number[first]
    starts = np.concatenate(([0], ends[-1]))
    numbered = zip(legs, news, cuts, pairwise(offsets), strict=True)
    return Candidates(tuple(replace(leg, candidate=number[a:b], new=new, new_starts=cut)
                            for leg, new, cut, (a, b) in numbered), starts)
