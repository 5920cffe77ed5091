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
from ragdash.core.slices import attributes
from ragdash.matching.answer_alignment import answers, contexts, first_positions, histories_of, questions_of, references
from ragdash.matching.question_types import kinds
from ragdash.models.judge.tasks import Case
from ragdash.models.judge.tasks.registry import NO_ANSWER


def cases(run: Run, truth: Truth, rows: np.ndarray) -> tuple[tuple[Case, ...], tuple[Problem, ...]]:
    """(a case for each query (Q,); what is worth knowing of their contexts). rows (Q,): the run's query for each of the
    truth, -1 for none (Match.run_query).

    Contexts are those that the run lists, else the texts of its first documents; a context has the id of the first
    document with its text among these, else "context 1", ... References and contexts without a sign are left out. What
    is not there is None or (): nothing is unavailable here, the questions to a judge say what they lack.
    """
    answer_parts, texts, problems = (None,) * len(rows), (None,) * len(rows), ()
    with suppress(Unavailable):
        answer_parts = answers(run, rows)
    with suppress(Unavailable):
        texts, _, problems = contexts(run, truth, rows)
    questions, _ = questions_of(run, truth, rows)
    named_contexts = (
        None if texts is None else tuple((name, text) for name, text in zip(ids, texts, strict=True) if text.strip())
        for ids, texts in zip(_ids(run, truth, rows, texts), texts, strict=True)
    )
    given = references(truth)
    right = (tuple(filter(str.strip, texts)) for texts in given)
    no_answer = _without_answer(truth, given)
    return tuple(
        Case(*fields, run=run.texts_digest, no_answer=empty, history=history)
        for *fields, empty, history in zip(truth.query_ids.to_pylist(), questions, answer_parts, right, named_contexts,
                                  _text_attributes(truth), no_answer,
                                  histories_of(run, truth, rows), strict=True)
    ), problems


def stated_references(truth: Truth) -> tuple[tuple[str, ...], ...]:
    """Right answers as people and judges get them: (Q,); a question without an answer has one that says so.

    Examples
    --------
    >>> details = pa.table({"query_id": ["q1", "q2", "q3"], "answers": [["Ada"], [""], []]})
    >>> stated_references(Truth.build("truth", [], [], [], details=details))
    (('Ada',), ('The question has no answer in the documents.',), ())
    """
    given = references(truth)
    return tuple((NO_ANSWER,) if empty else texts
                 for texts, empty in zip(given, _without_answer(truth, given), strict=True))


def _without_answer(truth: Truth, given: tuple[tuple[str, ...], ...]) -> list[bool]:
    """Whether a query has no answer: its references are empty, or it has none and the truth marks it so: (Q,)."""
    marked = kinds(truth)
    unanswerable = (marked["no_answer"] | marked["out_of_scope"]).tolist()
    return [not any(map(str.strip, texts)) and (bool(texts) or mark)
            for texts, mark in zip(given, unanswerable, strict=True)]


def _text_attributes(truth: Truth) -> list[tuple[tuple[str, str], ...]]:
    """(name, text) of the attributes of each query that are texts: (Q,)."""
    columns = attributes(truth)
    return [tuple((name, values[i]) for name, values in columns.items() if isinstance(values[i], str))
            for i in range(len(truth))]


def _ids(run: Run, truth: Truth, rows: np.ndarray, texts_of: tuple[tuple[str, ...] | None, ...]) -> list[list[str]]:
    """An id for every context of a query, each once."""
    if all(texts is None for texts in texts_of):
        return [[] for _ in texts_of]
    spans = first_positions(run, rows)
    rows_of_spans = run.rows(np.array([position for span in spans for position in span], np.int64))
    docs = take(run.docs, rows_of_spans)
    texts = pa.nulls(len(rows_of_spans), pa.string()) if run.texts is None else take(run.texts, rows_of_spans)
    texts = texts if truth.corpus is None else truth.corpus.filled(texts, docs)[0]
    pairs = iter(zip(docs.to_pylist(), texts.to_pylist(), strict=True))
    ids_of_queries = []
    for span, query_texts in zip(spans, texts_of, strict=True):
        span_pairs = list(islice(pairs, len(span)))
        if query_texts is not None and [text for _, text in span_pairs] == list(query_texts):  # as they came
            ids_of_queries.append([doc for doc, _ in span_pairs])
            continue
        ids = []
        for number, text in enumerate(query_texts or (), 1):
            same_text = [doc for doc, doc_text in span_pairs if doc_text == text and doc not in ids]
            ids.append(same_text[0] if same_text else f"context {number}")
        ids_of_queries.append(ids)
    return ids_of_queries
