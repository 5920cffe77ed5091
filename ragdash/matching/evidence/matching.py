"""(Run, Truth) -> the similarity of every returned chunk with every gold span of its query.

Letters: N rows of the run, Q queries of the truth, C chunks compared, P distinct pairs of texts, X rows of scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import take
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.records import Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.matching.evidence.embedding import Embedded, TextCollector
from ragdash.matching.evidence.pair_shards import score_pairs_by
from ragdash.matching.evidence.scores import EvidenceScores
from ragdash.matching.evidence.similarity import HOW, WHOLE, score_pairs
from ragdash.matching.evidence.spans import Spans, is_empty, normalize, spans
from ragdash.models.engines import LOCAL, Engine
from ragdash.models.local import ScoreCache, default_score_cache

FLOOR = 0.5


@checked
def match_evidence(run: Run, truth: Truth, how: str = "partial", floor: float = FLOOR, depth: int | None = None,
                   ranks: np.ndarray | None = None, store: ScoreCache | None = None, model: str = "",
                   engine: Engine = LOCAL) -> EvidenceScores:
    """Score every pair of a returned chunk and a gold span of its query.

    Parameters
    ----------
    run, truth
        The run needs texts, the truth evidence.
    how
        The similarity, one of HOW.
    floor
        Pairs from this similarity are kept; no threshold can be lower.
    depth
        The run counts as cut after this rank.
    ranks
        (N,) rank of each position of the run, ignored for repeats; default: the run's order and, for equal scores, the
        order of the file.
    store, model
        Of how="embedding"; default: the user's store and the model used last.
    engine
        Where texts are compared; vectors are read here.

    Returns
    -------
    EvidenceScores
        Each distinct pair of texts is compared once.

    Raises
    ------
    Unavailable
        The truth has no evidence, the run no texts, or the store no vectors.
    InputError
        A setting does not exist.
    """
    _check(how, floor, depth)
    if how != "embedding":
        return _matched(run, truth, how, partial(score_pairs_by, engine, how), floor, depth, ranks)
    embedded = Embedded(store or default_score_cache(), model)
    scores = _matched(run, truth, how, partial(score_pairs, embedded), floor, depth, ranks)
    return replace(scores, model=str(embedded.used or ""), problems=(*scores.problems, *embedded.problems))


def embedded_texts(run: Run, truth: Truth) -> list[str]:
    """The distinct texts that match_evidence(how="embedding") needs vectors of. Raises Unavailable as it does."""
    requested = TextCollector()
    _matched(run, truth, "embedding", partial(score_pairs, requested), FLOOR, None, None)
    return list(requested.texts)


def _matched(run: Run, truth: Truth, how: str, compare: Callable, floor: float, depth: int | None,
             ranks: np.ndarray | None) -> EvidenceScores:
    gold = spans(truth, split=how not in WHOLE)
    run_query = pc.fill_null(pc.index_in(truth.query_ids, value_set=run.query_ids), -1).to_numpy().astype(np.int64)
    positions, query, rank = _chunks(run, run_query, np.bincount(gold.query, minlength=len(truth)), ranks, depth)
    chunk_texts, from_corpus = _texts(run, truth.corpus, run.rows(positions))
    if chunk_texts.null_count == len(chunk_texts) and (run.texts is None or run.texts.null_count == len(run.texts)):
        raise Unavailable("no-texts", {"run": run.name}, "text")
    texts, code = _distinct(chunk_texts)
    returned = np.where(run_query >= 0, run.lengths[run_query] if len(run) else 0, 0)
    row_chunk, row_part, score, kind = _scores(compare, floor, gold, query, texts, code)
    order = np.lexsort((rank[row_chunk], row_part))
    unread = int((code < 0).sum())
    problems = [truth.corpus.note(from_corpus, run.name)] if from_corpus else []
    if unread:
        problems.insert(0, Problem("chunk-without-text", {"chunks": unread, "run": run.name}, field="text",
                                   severity="warning"))
    return EvidenceScores(run, truth.query_ids, gold, how, floor, depth, positions, query, rank, texts, code,
                          row_chunk[order], row_part[order], score[order], kind[order],
                          np.zeros(len(order), np.int8), np.minimum(returned, depth or np.iinfo(np.int64).max),
                          run_query < 0, (*gold.problems, *problems))


def _texts(run: Run, corpus: Corpus | None, rows: np.ndarray) -> tuple[pa.Array, int]:
    """(the text of each of these rows, the corpus' where the run has none; how many are from there)."""
    texts = pa.nulls(len(rows), pa.string()) if run.texts is None else take(run.texts, rows)
    return (texts, 0) if corpus is None else corpus.filled(texts, take(run.docs, rows))


def _check(how: str, floor: float, depth: int | None) -> None:
    wrong = []
    if how not in HOW:
        wrong.append(Problem("unknown-similarity", {"how": how, "choices": list(HOW)}, field="how"))
    if not 0 < floor <= 1:
        wrong.append(Problem("wrong-floor", {"floor": floor}, field="floor"))
    if depth is not None and depth < 1:
        wrong.append(Problem("wrong-depth", {"depth": depth}, field="depth"))
    if wrong:
        raise InputError(wrong)


def _chunks(run: Run, run_query: np.ndarray, gold: np.ndarray, ranks: np.ndarray | None,
            depth: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(position, query of the truth, rank) of the chunks to compare, sorted by query and rank: (C,) int64 each.

    known (Q,): the run's query for each of the truth, -1 for none; gold (Q,): spans of each.
    """
    queries = np.flatnonzero((run_query >= 0) & (gold > 0))
    sizes = run.starts[run_query[queries] + 1] - run.starts[run_query[queries]]
    first = np.repeat(run.starts[run_query[queries]], sizes)
    positions = first + np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    query = np.repeat(queries, sizes)
    rank = positions - first + 1
    if len(run.repeated):
        rank -= np.searchsorted(run.repeated, positions) - np.searchsorted(run.repeated, first)
    rank = rank if ranks is None else ranks[positions]
    counted = ~np.isin(positions, run.repeated) & (rank <= (depth or np.iinfo(np.int64).max))
    positions, query, rank = positions[counted], query[counted], rank[counted]
    order = np.lexsort((rank, query))
    return positions[order], query[order], rank[order]


def _distinct(column: pa.Array) -> tuple[tuple[str, ...], np.ndarray]:
    """(distinct texts; the text of each chunk (C,) int64, -1 for none)."""
    encoded = column.dictionary_encode()
    return tuple(encoded.dictionary.to_pylist()), pc.fill_null(encoded.indices, -1).to_numpy().astype(np.int64)


def _scores(compare: Callable, floor: float, gold: Spans, query: np.ndarray, texts: tuple[str, ...],
            code: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(chunk, part, score, kind) (X,) of all that reaches the floor. compare: `score_pairs` after its first argument.
    """
    plain = [normalize(text) for text in texts]
    has_text = np.array([not is_empty(text) for text in plain] + [False])[code]  # -1 is the last one
    first = np.searchsorted(gold.query, np.arange(gold.queries + 1))
    chunk = np.flatnonzero(has_text)
    sizes = np.diff(first)[query[chunk]]
    chunk = np.repeat(chunk, sizes)
    span = first[query[chunk]] + np.arange(len(chunk)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    distinct = {text: i for i, text in enumerate(dict.fromkeys(gold.plain))}
    text_of = np.array([distinct[text] for text in gold.plain])
    keys, inverse = np.unique(code[chunk] * len(distinct) + text_of[span], return_inverse=True)
    part_first = np.searchsorted(gold.part_span, np.arange(len(gold) + 1))
    parts_of = {text: gold.parts[part_first[i]:part_first[i + 1]] for i, text in enumerate(gold.plain)}
    pair, part_row, score, kind = compare(plain, list(distinct), [parts_of[text] for text in distinct], floor,
                                          keys // len(distinct), keys % len(distinct))
    begin = np.searchsorted(pair, np.arange(len(keys) + 1))
    counts = np.diff(begin)[inverse]
    row = np.repeat(begin[inverse], counts) + np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(chunk, counts), part_first[np.repeat(span, counts)] + part_row[row], score[row], kind[row]
