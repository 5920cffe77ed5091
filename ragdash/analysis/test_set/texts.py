"""The texts of a test set: questions, reference answers, documents.

Letters: Q queries, D documents.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import encode, take
from ragdash.core.records import Run, Truth

REFERENCES = "answers"  # the column of reference answers


def questions_of(truth: Truth) -> list[str | None]:
    """The question of each query (Q,), None where the truth has none."""
    return _details(truth, "query")


def references_of(truth: Truth) -> list[tuple[str, ...]]:
    """The reference answers of each query (Q,), () where the truth has none."""
    return [tuple(text for text in texts if text and text.strip()) if texts else ()
            for texts in _details(truth, REFERENCES)]


def attributes_of(truth: Truth) -> list[str | None]:
    """The attributes of each query (Q,) as JSON, None where it has none."""
    return _details(truth, "attributes")


def _details(truth: Truth, column: str) -> list:
    if truth.details is None or column not in truth.details.column_names:
        return [None] * len(truth)
    return truth.details[column].to_pylist()


def document_texts(doc_ids: pa.Array, truth: Truth, runs: Iterable[Run] = ()) -> list[str | None]:
    """The text of each document (D,): from the documents of the truth, with its title, else as a run returned it.

    None for a document without one.

    Examples
    --------
    >>> run = Run.build("bm25", ["q", "q"], ["a", "b"], texts=["Text of a.", None])
    >>> document_texts(pa.array(["b", "a"]), Truth.build("qrels", ["q"], ["a"], [1]), [run])
    [None, 'Text of a.']
    """
    texts = pa.nulls(len(doc_ids), pa.string())
    if truth.corpus is not None:
        documents = truth.corpus.documents(doc_ids)
        titled = pc.binary_join_element_wise(documents["title"], documents["text"], "\n")
        texts = pc.coalesce(titled, documents["text"]).combine_chunks()
    for run in runs:
        missing = np.flatnonzero(texts.is_null().to_numpy(zero_copy_only=False))
        if not len(missing) or run.texts is None:
            continue
        texts = pc.coalesce(texts, _texts_of_run(run, doc_ids))
    return [text if text and text.strip() else None for text in texts.to_pylist()]


def _texts_of_run(run: Run, doc_ids: pa.Array) -> pa.Array:
    """The text with which the run returned each document first, null where it has none."""
    wanted = pc.and_(pc.is_in(run.docs, value_set=doc_ids), pc.is_valid(run.texts))
    docs, texts = run.docs.filter(wanted), run.texts.filter(wanted)
    names, codes = encode(docs)
    first = np.unique(codes, return_index=True)[1]
    return take(texts, first).take(pc.index_in(doc_ids, value_set=names))
