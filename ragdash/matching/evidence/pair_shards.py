"""Pairs of texts compared in shards, by an engine. A pair is compared alone, so that the cut changes no value.

Letters: P pairs, X rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.matching.evidence.similarity import LIKE, score_pairs
from ragdash.models.engines import Engine, Task

PAIRS = 16_384  # of a shard: about half a second of one core


@dataclass(frozen=True, eq=False)
class PairShard:
    """The texts of some pairs and their parts; chunk, text (P,): the pairs, as `score_pairs` takes them."""

    chunks: Sequence[str]
    texts: Sequence[str]
    parts: Sequence[Sequence[str]]
    chunk: np.ndarray
    text: np.ndarray


@dataclass(frozen=True)
class PairComparison:
    """The work on a shard. how: of LIKE; floor: as `score_pairs` takes it."""

    how: str
    floor: float

    def __call__(self, shard: PairShard) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(pair, part, score, kind) (X,) of the shard."""
        return score_pairs(LIKE[self.how], shard.chunks, shard.texts, shard.parts, self.floor, shard.chunk, shard.text)


def pair_shards(chunks: Sequence[str], texts: Sequence[str], parts: Sequence[Sequence[str]], chunk: np.ndarray,
                text: np.ndarray) -> Iterator[PairShard]:
    """PAIRS pairs at a time, with the texts that these need; one shard where there is no pair."""
    for start in range(0, max(len(chunk), 1), PAIRS):
        used_chunks, chunk_of = np.unique(chunk[start:start + PAIRS], return_inverse=True)
        used_texts, text_of = np.unique(text[start:start + PAIRS], return_inverse=True)
        yield PairShard([chunks[i] for i in used_chunks.tolist()], [texts[i] for i in used_texts.tolist()],
                        [parts[i] for i in used_texts.tolist()], chunk_of, text_of)


def score_pairs_by(engine: Engine, how: str, chunks: Sequence[str], texts: Sequence[str],
                   parts: Sequence[Sequence[str]], floor: float, chunk: np.ndarray,
                   text: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What `score_pairs` gives for a similarity of LIKE: (pair, part, score, kind) (X,)."""
    shards = pair_shards(chunks, texts, parts, chunk, text)
    rows = list(engine.map(Task(PairComparison(how, floor)), shards))
    pair = [row[0] + index * PAIRS for index, row in enumerate(rows)]
    part, score, kind = (np.concatenate([row[column] for row in rows]) for column in (1, 2, 3))
    return np.concatenate(pair), part, score, kind
