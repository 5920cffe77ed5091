"""Questions looked up in the documents by their words: which document is found, and how many of the words it holds.

One pass through the documents serves all questions asked at once. Letters: D documents, Q questions, W their words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ragdash.core.corpus import Corpus
from ragdash.core.text import content_words, tokens

HOW = "unicode"
K1, B = 0.9, 0.4  # BM25 with the constants of Anserini
BATCH = 4096


class Lookup:
    """The content words of questions in every document of a corpus; titles count as text."""

    def __init__(self, corpus: Corpus, questions: Sequence[str]):
        self._corpus = corpus
        self._asked = [sorted(content_words(question, HOW)) for question in questions]
        self._column = {
            word: index
            for index, word in enumerate(dict.fromkeys(word for query_words in self._asked for word in query_words))
        }
        self._counts, self._lengths = self._pass()

    def shares(self) -> list[tuple[float, str]]:
        """(largest share of a question's content words that one document holds, that document) for each question; 0
        and "" for one without content words.
        """
        result = []
        for query_words in self._asked:
            word_counts = (self._of(query_words) > 0).sum(axis=0) if query_words else np.zeros(0)
            result.append(
                (float(word_counts.max()) / len(query_words), self._id(int(word_counts.argmax())))
                if len(word_counts)
                else (0.0, "")
            )
        return result

    def ranks(self, wanted: Sequence[Sequence[int]]) -> list[int | None]:
        """The best rank, from 1 on, of the wanted documents (rows of the corpus) by BM25, for each question; None
        where none of their words is in one. Documents of equal score count as above them.
        """
        result: list[int | None] = []
        for query_words, rows in zip(self._asked, wanted, strict=True):
            scores = self._scores(query_words)
            best = max((scores[row] for row in rows), default=0.0)
            result.append(int((scores >= best).sum()) if best > 0 else None)
        return result

    def _scores(self, query_words: Sequence[str]) -> np.ndarray:
        """BM25 of each document: (D,)."""
        scores = np.zeros(len(self._lengths))
        if not query_words:
            return scores
        mean = self._lengths.mean() or 1.0
        for counts in self._of(query_words):
            documents_with_word = int((counts > 0).sum())
            weight = np.log(1 + (len(counts) - documents_with_word + 0.5) / (documents_with_word + 0.5))
            scores += weight * counts * (K1 + 1) / (counts + K1 * (1 - B + B * self._lengths / mean))
        return scores

    def _of(self, query_words: Sequence[str]) -> np.ndarray:
        """(words of a question, D) counts."""
        counts_of = np.zeros((len(query_words), len(self._lengths)), np.float64)
        for index, word in enumerate(query_words):
            rows, counts = self._counts[self._column[word]]
            counts_of[index, rows] = counts
        return counts_of

    def _pass(self) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray]:
        """([(documents, counts) of each word], tokens of each document (D,))."""
        postings: list[tuple[list[int], list[int]]] = [([], []) for _ in self._column]
        lengths = np.zeros(len(self._corpus))
        columns = [column for column in (self._corpus.texts, self._corpus.titles) if column is not None]
        for begin in range(0, len(lengths), BATCH):
            batches = [column.slice(begin, BATCH).to_pylist() for column in columns]
            for row, texts in enumerate(zip(*batches, strict=True), begin):
                words_of_document = [token for text in texts if text for token in tokens(text, HOW)]
                lengths[row] = len(words_of_document)
                for word, count in Counter(token for token in words_of_document if token in self._column).items():
                    rows, counts = postings[self._column[word]]
                    rows.append(row)
                    counts.append(count)
        return [(np.array(rows, np.int64), np.array(counts, np.float64)) for rows, counts in postings], lengths

    def _id(self, row: int) -> str:
        return self._corpus.doc_ids[row].as_py()
