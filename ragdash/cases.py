"""The texts of a run as judges get them: a Case for each query of the truth.

Letters: Q queries of the truth.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ragdash.aligned import answers, asked, first_positions, grounded, references
from ragdash.columns import take
from ragdash.errors import Unavailable
from ragdash.judging.tasks import Case
from ragdash.records import Run, Truth


def cases(run: Run, truth: Truth, rows: np.ndarray) -> tuple[Case, ...]:
    """A case for each query: (Q,). rows (Q,): the run's query for each of the truth, -1 for none (Match.run_query).

    Contexts are those that the run tells, else the texts of its first documents; a context has the id of the first
    document with its text among these, else "context 1", ... Raises Unavailable where the run has no answers.
    """
    said = answers(run, rows)
    questions, _ = asked(run, truth, rows)
    try:
        contexts = grounded(run, truth, rows).contexts
    except Unavailable:
        contexts = (None,) * len(said)
    names = truth.query_ids.to_pylist()
    named = (None if texts is None else tuple(zip(ids, texts, strict=True))
             for ids, texts in zip(_ids(run, truth, rows, contexts), contexts, strict=True))
    return tuple(Case(*parts) for parts in zip(names, questions, said, references(truth), named, strict=True))


def _ids(run: Run, truth: Truth, rows: np.ndarray, contexts: tuple[tuple[str, ...] | None, ...]) -> list[list[str]]:
    """An id for every context of a query, each once."""
    spans = first_positions(run, rows)
    wanted = run.rows(np.array([at for span in spans for at in span], np.int64))
    docs = take(run.docs, wanted)
    texts = pa.nulls(len(wanted), pa.string()) if run.texts is None else take(run.texts, wanted)
    texts = texts if truth.corpus is None else truth.corpus.filled(texts, docs)[0]
    pairs = iter(zip(docs.to_pylist(), texts.to_pylist(), strict=True))
    found = []
    for span, given in zip(spans, contexts, strict=True):
        held = [next(pairs) for _ in span]
        ids = []
        for number, text in enumerate(given or (), 1):
            same = [doc for doc, one in held if one == text and doc not in ids]
            ids.append(same[0] if same else f"context {number}")
        found.append(ids)
    return found
