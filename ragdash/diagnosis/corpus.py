"""Which of the gold is in the corpus, where one is given.

Letters: R judgements, E gold spans.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.columns import text_column
from ragdash.records import Truth


@dataclass(frozen=True, eq=False)
class Corpus:
    """What a corpus holds of a truth: docs (R,) bool, by judgement; ids: documents in it. Made once, for every run."""

    docs: np.ndarray
    truth_digest: str
    size: int

    @classmethod
    def build(cls, truth: Truth, ids: Iterable[str] | pa.Array | pa.ChunkedArray) -> Corpus:
        """ids: of all documents of the corpus, spelled as in the truth."""
        ids = text_column(ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else list(ids))
        held = pc.unique(ids.filter(pc.is_in(ids, value_set=truth.docs)))
        docs = pc.is_in(truth.docs, value_set=held).to_numpy(zero_copy_only=False)
        return cls(docs, truth.digest, len(ids))
