"""Which of the gold is in the corpus of the truth, if it has one.

Letters: R judgments, E gold spans.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.errors import Problem, Unavailable
from ragdash.core.records import Truth
from ragdash.matching.evidence.spans import spans


@dataclass(frozen=True, eq=False)
class GoldInCorpus:
    """What the corpus holds of the gold. Texts are not looked at.

    docs (R,) bool: the judged document is in it; sourced, sources (E,) bool: the gold span names its document, and that
    is in it.
    """

    docs: np.ndarray
    sourced: np.ndarray
    sources: np.ndarray


def in_corpus(truth: Truth) -> GoldInCorpus | None:
    """None where the truth has no corpus. The corpus may be long: it is read once."""
    if truth.corpus is None:
        return None
    try:
        of_spans = pa.array(spans(truth, split=False).sources, pa.string())
    except Unavailable:
        of_spans = pa.array([], pa.string())
    gold_ids = pa.concat_arrays([truth.docs, of_spans]).unique().drop_null()
    ids = truth.corpus.doc_ids
    present = ids.filter(pc.is_in(ids, value_set=gold_ids)).unique()
    docs, sources = (pc.is_in(column, value_set=present).to_numpy(zero_copy_only=False).astype(bool)
                     for column in (truth.docs, of_spans))
    sourced = of_spans.is_valid().to_numpy(zero_copy_only=False)
    return GoldInCorpus(docs, sourced, sources & sourced)


def foreign_corpus_problem(truth: Truth) -> Problem:
    """What to say where none of the gold is in the corpus."""
    corpus, gold_id = truth.corpus, truth.docs[0].as_py() if len(truth.docs) else "none"
    example = corpus.doc_ids[0].as_py() if len(corpus) else "none"
    return Problem("no-common-document/corpus", {"documents": len(corpus), "example": example, "truth": truth.name,
                   "gold": gold_id}, field="corpus", severity="warning")
