"""The texts of a run as judges get them: a Case for each query of the truth.

Letters: Q queries of the truth.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import take
from ragdash.core.errors import Problem, Unavailable
from ragdash.core.records import Run, Truth
from ragdash.matching.answer_alignment import answers, asked, contexts, first_positions, references
from ragdash.models.judge.tasks import Case


def cases(run: Run, truth: Truth, rows: np.ndarray) -> tuple[tuple[Case, ...], tuple[Problem, ...]]:
    """(a case for each query (Q,); what is worth knowing of their contexts). rows (Q,): the run's query for each of the
    truth, -1 for none (Match.run_query).

    Contexts are those that the run tells, else the texts of its first documents; a context has the id of the first
    document with its text among these, else "context 1", ... References and contexts without a sign are left out. What
    is not there is None or (): nothing is unavailable here, the questions to a judge tell what they lack.
    """
    said, texts, problems = (None,) * len(rows), (None,) * len(rows), ()
    with suppress(Unavailable):
        said = answers(run, rows)
    with suppress(Unavailable):
        texts, _, problems = contexts(run, truth, rows)
    questions, _ = asked(run, truth, rows)
    named = (None if some is None else tuple((name, text) for name, text in zip(ids, some, strict=True) if text.strip())
             for ids, some in zip(_ids(run, truth, rows, texts), texts, strict=True))
    right = (tuple(filter(str.strip, some)) for some in references(truth))
    return tuple(Case(*parts) for parts in zip(truth.query_ids.to_pylist(), questions, said, right, named,
                                               strict=True)), problems


def _ids(run: Run, truth: Truth, rows: np.ndarray, texts_of: tuple[tuple[str, ...] | None, ...]) -> list[list[str]]:
    """An id for every context of a query, each once."""
    spans = first_positions(run, rows)
    wanted = run.rows(np.array([at for span in spans for at in span], np.int64))
    docs = take(run.docs, wanted)
    texts = pa.nulls(len(wanted), pa.string()) if run.texts is None else take(run.texts, wanted)
    texts = texts if truth.corpus is None else truth.corpus.filled(texts, docs)[0]
    pairs = iter(zip(docs.to_pylist(), texts.to_pylist(), strict=True))
    found = []
    for span, given in zip(spans, texts_of, strict=True):
        held = list(islice(pairs, len(span)))
        if given is not None and [text for _, text in held] == list(given):  # as they came
            found.append([doc for doc, _ in held])
            continue
        ids = []
        for number, text in enumerate(given or (), 1):
            same = [doc for doc, one in held if one == text and doc not in ids]
            ids.append(same[0] if same else f"context {number}")
        found.append(ids)
    return found
