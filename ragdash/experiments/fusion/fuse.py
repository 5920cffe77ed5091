"""Fuse runs into one: a run like any other, with the recipe in its settings.

Letters: Q queries, C candidates, P legs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.analysis.verdict import spelling_checks
from ragdash.core.arrow_columns import on_all_cores, take
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Conventions, Run
from ragdash.core.records.arguments import checked, items_of
from ragdash.experiments.fusion.blocks import falling_order, ranges
from ragdash.experiments.fusion.candidates import Candidates, Leg, Pool, gather
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.recipe import Recipe, make_recipe

FEW = 4  # where fewer than a fourth of the texts are asked for, the others are not read


@checked
def fuse(runs: Sequence[object] | Mapping[str, object], method: str = "rrf", window: int | None = None, *,
         preset: str | None = None, name: str | None = None, ties: str = "docid", **params: object) -> Run:
    """Fuse the rankings of two or more runs into one run.

    Parameters
    ----------
    runs
        What the searches returned: Runs or what `Run.of` takes, in a list or by name. Order matters where the method
        or preset has weights.
    method
        A name of `ragdash.experiments.fusion.methods.METHODS`: rrf, weighted, combsum, combmnz, cascade ...
    window
        How many results of each run take part; default all, or what the preset has.
    preset
        The dialect of an engine in place of a method, such as "elasticsearch-rrf".
    name
        Of the new run; default the method or preset.
    ties
        The order of documents with equal scores within a run, as in `Conventions`.
    **params
        Of the method: k=60, weights=(0.3, 0.7), norm="min-max" ...

    Returns
    -------
    Run
        Every query of any of the runs. `settings["fusion"]` is the recipe: method, parameters, window, names and
        digests of the runs. Warnings of the runs come along.

    Raises
    ------
    InputError
        Fewer than two runs, an unknown method, preset, parameter or order of ties, a value out of range, or runs
        without the scores that the method needs.

    Examples
    --------
    >>> import ragdash
    >>> keyword = ragdash.Run.build("bm25", ["q", "q", "q"], ["a", "b", "c"], [12.0, 9.0, 3.0])
    >>> vector = ragdash.Run.build("dense", ["q", "q", "q"], ["c", "b", "d"], [0.82, 0.80, 0.61])
    >>> hybrid = ragdash.fuse([keyword, vector], method="weighted", weights=(0.3, 0.7))
    >>> hybrid.ranking("q").column("doc_id").to_pylist()
    ['b', 'c', 'a', 'd']
    """
    runs = _runs_of(runs)
    recipe = make_recipe(runs, method, window, preset, params)
    pool = gather(runs, recipe.window, Conventions(ties=ties).ties)
    space = Space.of(pool)
    blocks = on_all_cores(lambda index: space.block(index, pool, recipe), range(len(pool.blocks)))
    fused = _run_of(preset or method if name is None else name, pool, blocks, space)
    overlap = any(block.overlap for block in blocks)
    return replace(fused, settings={"fusion": recipe.settings(runs)},
                   problems=(*_merged_problems(runs), *warnings_of(runs, pool, overlap or len(recipe.legs) == 1),
                             *_left_out(recipe, sum(block.left_out for block in blocks))))


def _runs_of(runs: Sequence[object] | Mapping[str, object]) -> list[Run]:
    """Runs as they are, and rankings as Python programs hold them under their names or as "run 1", "run 2" ..."""
    if not isinstance(runs, Mapping):
        if (listed := items_of(runs)) is None:
            raise InputError([Problem("python-object/runs", {"kind": type(runs).__name__}, field="runs")])
        runs = {f"run {number}": run for number, run in enumerate(listed, 1)}
    return [Run.of(run, name) for name, run in runs.items()]


def fused_order(candidates: Candidates, recipe: Recipe, scores: np.ndarray,
                chosen: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """(candidates in fused order, starts (Q + 1,), their scores, whether ties are settled), without those that have no
    score.

    Equal scores are in order of appearance where they are not settled: evaluations order them by id. chosen: the only
    candidates to put into order, ascending, where more than one leg takes part.
    """
    if len(candidates.legs) == 1:
        order, starts = _cut(candidates.legs[0].candidate, candidates.starts, recipe.cut)
        return order, starts, scores[order], True
    starts = candidates.starts
    if chosen is None and len(scores) and np.isnan(scores.min()):
        chosen = np.flatnonzero(~np.isnan(scores))
    if chosen is not None:
        starts, scores = np.searchsorted(chosen, starts), scores[chosen]
    order, falling = falling_order(scores, starts)
    if recipe.cut is not None:
        order, falling, starts = _down_to_ties(order, falling, starts, recipe.cut)
    order = order if chosen is None else chosen[order]
    if recipe.ties == "id" or (recipe.cut is not None and recipe.ties == "docid"):
        order = _settle(candidates, order, falling, starts, "ascending" if recipe.ties == "id" else "descending")
    falling, _ = _cut(falling, starts, recipe.cut)
    return *_cut(order, starts, recipe.cut), falling, recipe.ties != "docid"


def _down_to_ties(order: np.ndarray, falling: np.ndarray, starts: np.ndarray,
                  cut: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(order, scores, starts) of the first `cut` of each query and of what has the score of the last of them."""
    lengths = np.diff(starts)
    if not len(falling) or lengths.max() <= cut:
        return order, falling, starts
    last = np.minimum(starts[:-1] + np.minimum(lengths, cut), len(falling)) - 1
    inside = falling >= np.repeat(falling[np.maximum(last, 0)], lengths)
    counted = np.concatenate(([0], np.cumsum(inside)))
    return order[inside], falling[inside], counted[starts]


def _cut(order: np.ndarray, starts: np.ndarray, cut: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The first `cut` values of each query, and their starts."""
    if cut is None or np.diff(starts).max(initial=0) <= cut:
        return order, starts
    lengths = np.diff(starts)
    inside = np.arange(len(order)) - np.repeat(starts[:-1], lengths) < cut
    return order[inside], np.concatenate(([0], np.cumsum(np.minimum(lengths, cut))))


def _settle(candidates: Candidates, order: np.ndarray, scores: np.ndarray, starts: np.ndarray,
            direction: str) -> np.ndarray:
    """The order with groups of equal scores sorted by document id; scores as in the order."""
    equal = scores[1:] == scores[:-1]
    inner = starts[1:-1]
    equal[inner[(inner > 0) & (inner < len(scores))] - 1] = False
    if not equal.any():
        return order
    group = np.concatenate(([0], np.cumsum(~equal)))
    tied = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
    docs = documents(candidates, order[tied])
    table = pa.table({"group": group[tied], "doc": docs.cast(pa.binary())})
    rows = pc.sort_indices(table, [("group", "ascending"), ("doc", direction)]).to_numpy()
    order = order.copy()
    order[tied] = order[tied][rows]
    return order


def documents(candidates: Candidates, chosen: np.ndarray) -> pa.Array:
    """The ids of these candidates, in their order."""
    return _column(candidates, chosen, "docs")


def texts_of(candidates: Candidates, chosen: np.ndarray) -> pa.Array:
    """The texts of these candidates, in their order; null where the run of a document has none."""
    return _column(candidates, chosen, "texts")


def _column(candidates: Candidates, chosen: np.ndarray, name: str) -> pa.Array:
    if len(chosen) * FEW < len(candidates):
        return _column_of_few(candidates, chosen, name)
    row, new_rows = _sources(candidates)
    return take(pa.chunked_array(_chunks(candidates, new_rows, name), pa.string()), row[chosen])


def _column_of_few(candidates: Candidates, chosen: np.ndarray, name: str) -> pa.Array:
    """As `_column`, without a look at the texts of the others."""
    place, parts, count = np.empty(len(chosen), np.int64), [], 0
    for leg, (asked, rows) in zip(candidates.legs, _first_rows(candidates, chosen), strict=True):
        place[asked] = np.arange(count, count + len(rows))
        count += len(rows)
        column = getattr(leg.run, name)
        parts.append(pa.nulls(len(rows), pa.string()) if column is None
                     else take(column, leg.run.rows(leg.positions(rows))))
    return take(pa.chunked_array(parts, pa.string()), place)


def _first_rows(candidates: Candidates, chosen: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each leg, which of the chosen candidates it is the first to have, and their rows in it."""
    numbered = all(leg.new is not None for leg in candidates.legs)
    if numbered:
        query = np.searchsorted(candidates.starts, chosen, "right") - 1
        rest, new_rows = chosen - candidates.starts[query], [leg.new for leg in candidates.legs]
    else:
        row, new_rows = _sources(candidates)
        rest = row[chosen]
    for leg, new in zip(candidates.legs, new_rows, strict=True):
        cuts = leg.new_starts if numbered else np.searchsorted(new, leg.starts)
        begin, count = (cuts[query], np.diff(cuts)[query]) if numbered else (0, len(new))
        asked = np.flatnonzero((rest >= 0) & (rest < count))
        yield asked, new[(rest + begin)[asked]]
        rest = rest - count


@dataclass(frozen=True, eq=False)
class Space:
    """Where all blocks write their positions, each behind the block before it, so that nothing is written twice.

    rows, pairs, scores: room for an entry for each row of the runs; begins: where each block begins, as soon as the
    size of the block before it is known. Blocks are started in order, so that none waits for one that waits itself.
    """

    rows: np.ndarray
    pairs: np.ndarray
    scores: np.ndarray
    begins: list[Future[int]]

    @classmethod
    def of(cls, pool: Pool) -> Space:
        """Space for every document of every run."""
        size = int(sum(ranking.starts[-1] for ranking in pool.rankings))
        begins: list[Future[int]] = [Future() for _ in range(len(pool.blocks) + 1)]
        begins[0].set_result(0)
        rows = np.empty(size, np.int32 if size < 1 << 31 else np.int64)
        return cls(rows, np.empty(size, np.uint64), np.empty(size), begins)

    def block(self, index: int, pool: Pool, recipe: Recipe) -> Block:
        """Fuse a block of queries, and write it."""
        try:
            return _fused_block(pool.candidates(pool.blocks[index]).only(recipe.legs), recipe, self, index)
        finally:
            self.begins[index + 1].cancel()  # only where the block has failed: the others stop too

    def part(self, index: int, size: int) -> tuple[int, list[np.ndarray]]:
        """(begin of a block of this size; its part of rows, pairs and scores)."""
        begin = self.begins[index].result()
        self.begins[index + 1].set_result(begin + size)
        return begin, [array[begin:begin + size] for array in (self.rows, self.pairs, self.scores)]

    def close(self) -> int:
        """Give the memory back that is not used. Returns how many positions are."""
        size = self.begins[-1].result()
        for array in (self.rows, self.pairs, self.scores):
            array.resize(size, refcheck=False)
            array.setflags(write=False)
        return size


@dataclass(frozen=True, eq=False)
class Block:
    """The fused lists of a block of queries: positions in ranking order from `begin` in the space.

    starts (Q + 1,), counted from there; columns: name -> chunks of text, in which the rows of
    the positions count; settled: whether equal scores are in their final order; overlap: whether two legs have a
    document in common; left_out: candidates without score.
    """

    starts: np.ndarray
    begin: int
    columns: dict[str, list[pa.Array]]
    settled: bool
    overlap: bool
    left_out: int


def _fused_block(candidates: Candidates, recipe: Recipe, space: Space, index: int) -> Block:
    """Fuse the candidates of the block with this index."""
    try:
        with np.errstate(over="raise", invalid="ignore"):
            scores = recipe.scores(candidates)
    except FloatingPointError:
        raise InputError([Problem("fusion-overflow", field="--param")]) from None
    order, starts, falling, settled = fused_order(candidates, recipe, scores)
    if np.isinf(falling).any() or (len(falling) < len(scores) and np.isnan(scores).any()
                                   and not METHODS[recipe.method].leaves_out):
        raise InputError([Problem("fusion-overflow", field="--param")])
    row, new_rows = _sources(candidates)
    new_pairs = np.concatenate([_pairs(leg, new) for leg, new in zip(candidates.legs, new_rows, strict=True)])
    columns = {name: _chunks(candidates, new_rows, name) for name in ("docs", "texts", "sources")
               if any(getattr(leg.run, name) is not None for leg in candidates.legs)}
    overlap = sum(len(leg.rank) for leg in candidates.legs) > len(candidates)
    if len(order) < len(row):
        returned = np.zeros(len(row), bool)
        returned[row[order]] = True
        mask = pa.array(returned)
        columns = {name: pa.chunked_array(chunks, pa.string()).filter(mask).chunks for name, chunks in columns.items()}
        new_pairs, row = new_pairs[returned], (np.cumsum(returned) - 1)[row]
    rows = row.take(order, mode="clip")  # never outside: "clip" only spares NumPy the look
    begin, (all_rows, pairs, keys) = space.part(index, len(order))
    np.add(rows, begin, out=all_rows, casting="same_kind")
    np.take(new_pairs, rows, out=pairs, mode="clip")
    keys[:] = falling
    left_out = int(np.isnan(scores).sum()) if len(order) < len(scores) else 0
    return Block(starts, begin, columns, settled, overlap, left_out)


def _sources(candidates: Candidates) -> tuple[np.ndarray, list[np.ndarray]]:
    """(for each candidate its row in the new rows of the legs one behind the other: (C,); those rows of each leg)."""
    if all(leg.new is not None for leg in candidates.legs):
        new_rows = [leg.new for leg in candidates.legs]
        cuts = np.stack([leg.new_starts for leg in candidates.legs])
        cuts += np.cumsum([0, *map(len, new_rows[:-1])])[:, None]
        return ranges(cuts[:, :-1].T.ravel(), cuts[:, 1:].T.ravel()), new_rows
    row, seen = np.empty(len(candidates), np.int64), np.zeros(len(candidates), bool)
    new_rows, offset = [], 0
    for leg in candidates.legs:
        new = np.flatnonzero(~seen[leg.candidate])
        seen[leg.candidate] = True
        row[leg.candidate[new]] = np.arange(offset, offset + len(new))
        new_rows.append(new)
        offset += len(new)
    return row, new_rows


def _pairs(leg: Leg, new: np.ndarray) -> np.ndarray:
    """The hashes of query and document of these rows of a leg."""
    if leg.position is not None:
        return leg.run.pairs[leg.position[new]]
    pairs = leg.run.pairs[leg.begin:leg.begin + len(leg.rank)]
    return pairs if len(new) == len(pairs) else pairs[new]


def _chunks(candidates: Candidates, new_rows: Sequence[np.ndarray], name: str) -> list[pa.Array]:
    """The texts of the new rows of the legs; null for a run without such a column. Rows in order are not copied."""
    chunks: list[pa.Array] = []
    for leg, new in zip(candidates.legs, new_rows, strict=True):
        column = getattr(leg.run, name)
        if column is None:
            chunks.append(pa.nulls(len(new), pa.string()))
        elif leg.position is not None or leg.run.order is not None:
            chunks.append(take(column, leg.run.rows(leg.positions(new))))
        else:
            column = column.slice(leg.begin, len(leg.rank))
            chunks += column.chunks if len(new) == len(leg.rank) else [take(column, new)]
    return chunks


def _run_of(name: str, pool: Pool, blocks: Sequence[Block], space: Space) -> Run:
    size = space.close()
    starts = np.concatenate([*(block.starts[:-1] + block.begin for block in blocks), [size]])
    settled = bool(blocks) and blocks[0].settled
    names = blocks[0].columns if blocks else {"docs": []}
    columns = {column: pa.chunked_array([chunk for block in blocks for chunk in block.columns[column]], pa.string())
               for column in names}
    starts.setflags(write=False)
    return Run(name, pool.query_ids, starts, columns["docs"], space.rows, space.pairs, space.scores,
               np.zeros(0, np.int64), "rank" if settled else "score", columns.get("texts"), columns.get("sources"),
               _questions(pool))


def _questions(pool: Pool) -> pa.Table | None:
    """The texts of the queries, where a run has them: nothing else of a run's details belongs to the fused run."""
    for ranking in pool.rankings:
        details = ranking.run.details
        if details is not None and "query" in details.column_names:
            index = pc.index_in(pool.query_ids, value_set=ranking.run.query_ids)
            return pa.table({"query": details["query"].combine_chunks().take(index)})
    return None


def _merged_problems(runs: Sequence[Run]) -> list[Problem]:
    return list(dict.fromkeys(problem for run in runs for problem in run.problems
                              if problem.kind != "duplicate-document"))


def _left_out(recipe: Recipe, count: int) -> list[Problem]:
    """How many documents a union left out as copies, or Chroma's RRF because a list lacks them."""
    if count and recipe.method == "rrf-common":
        return [Problem("fusion-common", {"count": count}, severity="note")]
    if not count or not METHODS[recipe.method].reads_texts(recipe.params):
        return []
    return [Problem("fusion-copies", {"count": count, "near": recipe.params["same"] == "near"}, severity="note")]


def other_spellings(runs: Sequence[Run]) -> list[Problem]:
    """A warning where runs name the same document in two ways: it would count as two."""
    return [Problem("fusion-spellings", check.facts, field="--ids", severity="warning")
            for check in spelling_checks(runs)]


def warnings_of(runs: Sequence[Run], pool: Pool, overlap: bool) -> list[Problem]:
    """What to know of these runs before the fused run is used; overlap: whether two have a document in common."""
    problems = []
    names = [run.name for run in runs]
    if len({run.digest for run in runs}) == 1:
        problems.append(Problem("fusion-equal-runs", {"runs": names}, severity="warning"))
    elif not overlap:
        problems.append(Problem("fusion-no-overlap", {"runs": names}, severity="warning"))
    problems += other_spellings(runs)
    return problems + [
        Problem("fusion-queries", {"run": run.name, "count": len(pool.query_ids) - len(run),
                                   "queries": len(pool.query_ids)}, severity="warning")
        for run in runs if len(run) < len(pool.query_ids)]
