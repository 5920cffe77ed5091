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
from ragdash.errors import Problem, Unavailable
from ragdash.evidence.spans import spans
from ragdash.records import Truth


@dataclass(frozen=True, eq=False)
class Corpus:
    """What a corpus holds of a truth; made once, for every run. Texts are not looked at.

    docs (R,) bool: the judged document is in it; sourced, sources (E,) bool: the gold span names its document, and that
    is in it; truth: digest of the truth it was made for; size: ids in it; example: one of them, for messages.
    """

    docs: np.ndarray
    sourced: np.ndarray
    sources: np.ndarray
    truth: str
    size: int
    example: str | None

    @classmethod
    def build(cls, truth: Truth, ids: Iterable[str] | pa.Array | pa.ChunkedArray) -> Corpus:
        """ids: of all documents of the corpus, spelled as in the truth; as often as they like."""
        ids = text_column(ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else list(ids))
        try:
            of_spans = pa.array(spans(truth, split=False).sources, pa.string())
        except Unavailable:
            of_spans = pa.array([], pa.string())
        wanted = pa.concat_arrays([truth.docs, of_spans]).unique().drop_null()
        held = ids.filter(pc.is_in(ids, value_set=wanted)).unique()  # the corpus may be long: it is gone through once
        docs, sources = (pc.is_in(column, value_set=held).to_numpy(zero_copy_only=False).astype(bool)
                         for column in (truth.docs, of_spans))
        sourced = of_spans.is_valid().to_numpy(zero_copy_only=False)
        return cls(docs, sourced, sources & sourced, truth.digest, len(ids), ids[0].as_py() if len(ids) else None)

    def foreign(self, truth: Truth) -> Problem:
        """What to say where none of the gold is in it."""
        ours = truth.docs[0].as_py() if len(truth.docs) else "none"
        return Problem("no-common-document", f"a corpus of {self.size:,} documents like {self.example!r}, of which the "
                       f"gold of truth {truth.name!r} is none; it has documents like {ours!r}",
                       "ids that are written the same way", "Whether gold is in the corpus is not assessed; give the "
                       "corpus to which the truth belongs.", field="corpus", severity="warning")
