"""Near copies in a test set: of questions, and of documents.

Letters: Q queries, D documents, X pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from ragdash.matching.near_questions import near_question_pairs
from ragdash.matching.text_copies import near_pairs, text_keys

MOST_QUESTIONS, MOST_DOCUMENTS = 10_000, 50_000  # above this only equal texts count


@dataclass(frozen=True, eq=False)
class Copies:
    """What is in the set more than once.

    Attributes
    ----------
    question_pairs
        (first, second) rows of queries whose questions are nearly the same.
    document_groups
        Documents that are near copies of each other, directly or through others; two or more in each.
    questions_compared, documents_compared
        How many had a text.
    near
        Whether near copies were looked for, or equal texts alone, since there are too many: (questions, documents).
    """

    question_pairs: tuple[tuple[int, int], ...] = ()
    document_groups: tuple[tuple[str, ...], ...] = ()
    questions_compared: int = 0
    documents_compared: int = 0
    near: tuple[bool, bool] = (True, True)

    @cached_property
    def group_of(self) -> Mapping[str, int]:
        """{document: index of its group}, those in a group alone."""
        return {doc: index for index, group in enumerate(self.document_groups) for doc in group}


def find_copies(questions: Sequence[str | None], doc_ids: Sequence[str], texts: Sequence[str | None]) -> Copies:
    """Find questions and documents that are in the set more than once.

    Parameters
    ----------
    questions
        (Q,) None where a query has none.
    doc_ids, texts
        (D,) the documents to compare, text None where one has none.

    Notes
    -----
    Questions: `ragdash.matching.near_questions.near_duplicate`. Documents: equal but for case and white space, or at
    least 0.8 of their runs of three words in common (`ragdash.matching.text_copies.near_pairs`).

    Examples
    --------
    >>> copies = find_copies(["Who built it?", "Who built it"], ["a", "b", "c"], ["One text.", "one  text.", "Other."])
    >>> copies.question_pairs, copies.document_groups
    (((0, 1),), (('a', 'b'),))
    """
    asked = sum(bool(question) for question in questions)
    near_questions = asked <= MOST_QUESTIONS
    first, second = near_question_pairs(questions) if near_questions else _equal_pairs(questions)
    rows = [row for row, text in enumerate(texts) if text]
    near_documents = len(rows) <= MOST_DOCUMENTS
    groups = _document_groups([texts[row] for row in rows], near=near_documents)
    return Copies(tuple(zip(first.tolist(), second.tolist(), strict=True)),
                  tuple(tuple(doc_ids[rows[i]] for i in group) for group in groups), asked, len(rows),
                  (near_questions, near_documents))


def _equal_pairs(texts: Sequence[str | None]) -> tuple[np.ndarray, np.ndarray]:
    """Each text with the first one that is equal to it."""
    keys = text_keys(pa.array(texts, pa.string()))
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    rows = np.flatnonzero((keys >= 0) & (first[inverse] < np.arange(len(keys))))
    return first[inverse[rows]], rows


def _document_groups(texts: Sequence[str | None], *, near: bool) -> list[list[int]]:
    """Rows of texts that are copies of each other, in groups of two or more."""
    first, second = _equal_pairs(texts)
    if near and len(texts) > 1:
        keys = text_keys(pa.array(texts, pa.string()))
        distinct = np.unique(keys, return_index=True)[1]
        near_first, near_second, _ = near_pairs([texts[row] or "" for row in distinct])
        first = np.concatenate([first, distinct[near_first]])
        second = np.concatenate([second, distinct[near_second]])
    group = list(range(len(texts)))

    def head(row: int) -> int:
        while group[row] != row:
            group[row] = group[group[row]]
            row = group[row]
        return row

    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        low, high = sorted((head(a), head(b)))
        group[high] = low
    members: dict[int, list[int]] = {}
    for row in range(len(texts)):
        members.setdefault(head(row), []).append(row)
    return [rows for rows in members.values() if len(rows) > 1]
