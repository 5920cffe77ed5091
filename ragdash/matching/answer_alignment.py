"""What a run and a truth say of each query except its documents, aligned in the truth's order.

Letters: Q queries of the truth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import take
from ragdash.core.corpus import Corpus
from ragdash.core.errors import Problem, Unavailable
from ragdash.core.records import Run, Truth
from ragdash.core.text import listed, without_reasoning
from ragdash.io.chat_messages import messages_of
from ragdash.matching.views.texts import Answered, Grounded

if TYPE_CHECKING:
    from ragdash.matching.views.local_models import Scored

FIRST = 5  # documents whose texts replace the contexts of a run that does not list them


def answered(run: Run, truth: Truth, rows: np.ndarray) -> Answered:
    """The answers with references and questions. rows (Q,): the run's query for each of the truth, -1 for none.

    Raises Unavailable where the run has no answers. Where no query has a reference, or a question, the view says so,
    and the metrics that need them are unavailable, the others not.
    """
    return Answered(answers(run, rows), references(truth), *questions_of(run, truth, rows))


def scored(run: Run, truth: Truth, rows: np.ndarray) -> Scored:
    """The answers, references and questions with what models said of them. Raises Unavailable as `answered`."""
    from ragdash.matching.views.local_models import Scored
    from ragdash.models.local import default_score_cache

    questions, lacking = questions_of(run, truth, rows)
    return Scored(answers(run, rows), references(truth), questions, default_score_cache(), run.name, lacking)


def grounded(run: Run, truth: Truth, rows: np.ndarray) -> Grounded:
    """The answers with the texts they were made from; the first documents' texts where the run does not list them.

    Texts that the run lacks are the corpus'. Raises Unavailable where the run has no answers, or nothing has texts.
    """
    answer_texts = answers(run, rows)
    return Grounded(answer_texts, *contexts(run, truth, rows), questions_of(run, truth, rows)[0])


def contexts(run: Run, truth: Truth,
             rows: np.ndarray) -> tuple[tuple[tuple[str, ...] | None, ...], bool, tuple[Problem, ...]]:
    """(texts given to the generator (Q,); whether the run lists them; what is worth knowing), as in Grounded.

    Raises Unavailable where nothing has texts.
    """
    if _has(run.details, "contexts"):
        own_contexts = (None if value is None else tuple(text or "" for text in listed(value))
                 for value in _column(run.details, "contexts", rows))
        return tuple(own_contexts), True, ()
    unknown = Unavailable("no-contexts", {"run": run.name}, "contexts")
    if run.texts is None and truth.corpus is None:
        raise unknown
    texts, from_corpus = _first_texts(run, truth.corpus, rows)
    if run.texts is None and not from_corpus:
        raise unknown
    return texts, False, (truth.corpus.note(from_corpus, run.name),) if from_corpus else ()


def answers(run: Run, rows: np.ndarray) -> tuple[str | None, ...]:
    """What the run answered, reasoning taken off: (Q,), None where it gave nothing. Unavailable for a run without."""
    if not _has(run.details, "answer"):
        raise Unavailable("no-answers", {"run": run.name}, "answer")
    return tuple(None if text is None else without_reasoning(text) for text in _column(run.details, "answer", rows))


def references(truth: Truth) -> tuple[tuple[str, ...], ...]:
    """Right answers: (Q,), () where none is known."""
    answers_of_queries = truth.details["answers"].to_pylist() if _has(truth.details, "answers") else [None] * len(truth)
    return tuple(listed(answers or ()) for answers in answers_of_queries)


def questions_of(run: Run, truth: Truth, rows: np.ndarray) -> tuple[tuple[str | None, ...], dict[str, tuple]]:
    """(questions, the truth's before the run's; what no query has, "references" or "questions", as Unavailable takes
    it).
    """
    truth_queries = truth.details["query"].to_pylist() if _has(truth.details, "query") else [None] * len(truth)
    run_queries = _column(run.details, "query", rows) if _has(run.details, "query") else [None] * len(truth)
    questions = tuple(a if a is not None else b for a, b in zip(truth_queries, run_queries, strict=True))
    lacking = {}
    if not _has(truth.details, "answers"):
        lacking["references"] = ("no-references", {"truth": truth.name}, "answers")
    if all(question is None for question in questions):
        lacking["questions"] = ("no-questions", {"truth": truth.name, "run": run.name}, "query")
    return questions, lacking


def histories_of(run: Run, truth: Truth, rows: np.ndarray) -> list[tuple[tuple[str, str], ...]]:
    """(role, text) of what was said before each query (Q,), the truth's before the run's; () where nothing was."""
    name, nothing = "chat_history", [None] * len(truth)
    truth_messages = truth.details[name].to_pylist() if _has(truth.details, name) else nothing
    run_messages = _column(run.details, name, rows) if _has(run.details, name) else nothing
    return [history(a or b) for a, b in zip(truth_messages, run_messages, strict=True)]


def history(value) -> tuple[tuple[str, str], ...]:
    """(role, text) of each message in a cell of the details `chat_history`, in any form that files have it in."""
    return tuple((message["role"], message["text"]) for message in messages_of(value) or ()) if value else ()


def _has(details: pa.Table | None, name: str) -> bool:
    return details is not None and name in details.column_names and details[name].null_count < len(details)


def _column(details: pa.Table, name: str, rows: np.ndarray) -> list:
    """The values of a column at these rows, None at -1."""
    return details[name].combine_chunks().take(pa.array(rows, mask=rows < 0)).to_pylist()


def first_positions(run: Run, rows: np.ndarray) -> list[list[int]]:
    """Positions of the run of the first documents of each query, repeats passed over; [] at a row of -1."""
    repeated = set(run.repeated.tolist())
    return [
        []
        if row < 0
        else [
            position
            for position in range(run.starts[row], min(run.starts[row] + 2 * FIRST, run.starts[row + 1]))
            if position not in repeated
        ][:FIRST]
        for row in rows.tolist()
    ]


def _first_texts(run: Run, corpus: Corpus | None, rows: np.ndarray) -> tuple[tuple[tuple[str, ...] | None, ...], int]:
    """(texts of each query's first documents, repeats and those without text passed over; how many are the corpus').

    None where the run lacks the query, and where none of the first documents has a text: what was read is not known.
    """
    spans = first_positions(run, rows)
    rows_of_spans = run.rows(np.array([position for span in spans for position in span], np.int64))
    column = pa.nulls(len(rows_of_spans), pa.string()) if run.texts is None else take(run.texts, rows_of_spans)
    column, from_corpus = (column, 0) if corpus is None else corpus.filled(column, take(run.docs, rows_of_spans))
    texts = iter(column.to_pylist())
    texts_of_rows = [tuple(text for text in (next(texts) for _ in span) if text is not None) for span in spans]
    return tuple(None if row < 0 or (span and not row_texts) else row_texts
                 for row, span, row_texts in zip(rows.tolist(), spans, texts_of_rows, strict=True)), from_corpus
