"""Which documents questions are asked about: drawn at random, the same for the same corpus, seed and type.

Letters: D documents of the corpus, P documents of the pool that pairs are looked for in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log

import numpy as np
import pyarrow.compute as pc

from ragdash.core.arrow_columns import take
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.text import content_words
from ragdash.experiments.testset.drafts import TYPES, Document

HOW = "unicode"  # the tokens: any script
SHORTEST = 50  # signs of a text that a question can be asked about
POOL = 2_000  # documents among which pairs are looked for
RARE = 0.01  # share of the pool in which a rare word occurs at most
RARE_LEAST, RARE_MOST = 3, 10  # documents in which it may occur in any case, and in no case more
ALIKE = 0.8  # share of words in common (of both) from which on two documents are versions of one
LAPS = 3  # times a document is asked about for one type
EXCERPTS, EXCERPT = 8, 200  # documents shown for a question out of scope, and signs of each
FIELDS = """
    architecture, astronomy, beekeeping, botany, card games, chemistry, cinema, computer hardware, contract law,
    cooking, currencies, dance, dentistry, earthquakes, economics, fashion, fishing, football, furniture, gardening,
    heraldry, insurance, jewellery, knitting, linguistics, mountaineering, music theory, mythology, opera, pets,
    philosophy, photography, pottery, railways, sailing, taxes, tennis, veterinary medicine, volcanoes, wine
"""
OUTSIDE = tuple(" ".join(field.split()) for field in FIELDS.split(","))


@dataclass(frozen=True)
class DraftSlot:
    """One question to ask for. documents: those it is about (for out_of_scope: those shown as examples); lap: 0 for
    the first question of this type about them; field: of knowledge, for out_of_scope.
    """

    type: str
    documents: tuple[Document, ...]
    lap: int = 0
    field: str = ""


class Drawing:
    """Slots of every type. passed: documents that are passed over, without a text of SHORTEST signs.

    Raises InputError where no document has such a text.
    """

    def __init__(self, corpus: Corpus, seed: int):
        self.corpus, self.seed = corpus, seed
        lengths = np.zeros(len(corpus), np.int64) if corpus.texts is None else \
            pc.fill_null(pc.utf8_length(pc.utf8_trim_whitespace(corpus.texts)), 0).to_numpy()
        self.rows = np.flatnonzero(lengths >= SHORTEST)
        self.passed = len(corpus) - len(self.rows)
        if not len(self.rows):
            raise InputError([Problem("no-texts", {"documents": len(corpus), "shortest": SHORTEST}, corpus.name,
                                      field="text")])

    def slots(self, type: str, most: int) -> tuple[DraftSlot, ...]:
        """The first slots of a type, at most `most`: fewer where the documents are used up (each is asked about
        LAPS times, a pair once). More of them only adds at the end.
        """
        rng = np.random.default_rng([self.seed, list(TYPES).index(type)])
        if type == "multi_hop":
            return tuple(islice(self._pairs(rng), most))
        if type == "out_of_scope":
            return tuple(self._outside(rng, most))
        return tuple(DraftSlot(type, self._documents([row]), lap) for row, lap in islice(self._laps(rng), most))

    def _laps(self, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
        for lap in range(LAPS):
            for row in rng.permutation(self.rows).tolist():
                yield row, lap

    def _outside(self, rng: np.random.Generator, most: int) -> Iterator[DraftSlot]:
        fields = rng.permutation(len(OUTSIDE)).tolist()
        for number in range(min(most, LAPS * len(OUTSIDE))):
            shown = rng.choice(self.rows, min(EXCERPTS, len(self.rows)), replace=False).tolist()
            lap, field = divmod(number, len(OUTSIDE))
            yield DraftSlot("out_of_scope", self._documents(shown), lap, OUTSIDE[fields[field]])

    def _pairs(self, rng: np.random.Generator) -> Iterator[DraftSlot]:
        """Each document once, in random order, with the free one that it shares the rarest words with."""
        pool = rng.permutation(self.rows)[:POOL]
        documents = self._documents(pool.tolist())
        words = [content_words(document.text, HOW) for document in documents]
        free = np.ones(len(pool), bool)
        for a, scores in partners(words):
            if not free[a]:
                continue
            b = next((b for b, _ in scores if free[b]), None)
            if b is not None:
                free[[a, b]] = False
                yield DraftSlot("multi_hop", (documents[a], documents[b]))

    def _documents(self, rows: Sequence[int]) -> tuple[Document, ...]:
        row_array = np.array(rows, np.int64)
        columns = [self.corpus.doc_ids, self.corpus.texts, self.corpus.titles]
        ids, texts, titles = ([None] * len(row_array) if column is None else take(column, row_array).to_pylist()
                              for column in columns)
        return tuple(Document(id, text or "", title or "") for id, text, title in zip(ids, texts, titles, strict=True))


def partners(words: Sequence[frozenset[str]]) -> Iterator[tuple[int, list[tuple[int, float]]]]:
    """(document, [(other, score)], best first) for each set of words (P,), in order.

    A word is rare that occurs in 2 documents or more, and in no more than 1% of them (3 in any case, never more than
    10). The score of two documents is the sum of log(P / documents with it) over the rare words that they share; those
    that share 80% of all their words are versions of one, and no pair. Equal scores keep their order.
    """
    rows_of_word: dict[str, list[int]] = {}
    for row, row_words in enumerate(words):
        for word in row_words:
            rows_of_word.setdefault(word, []).append(row)
    limit = min(max(int(RARE * len(words)), RARE_LEAST), RARE_MOST)
    rare = {word: rows for word, rows in rows_of_word.items() if 2 <= len(rows) <= limit}
    for a, row_words in enumerate(words):
        scores: Counter[int] = Counter()
        for word in sorted(row_words & rare.keys()):
            for b in rare[word]:
                scores[b] += log(len(words) / len(rare[word]))
        del scores[a]
        yield a, sorted(((b, score) for b, score in scores.items() if not _same(row_words, words[b])),
                        key=lambda pair: (-pair[1], pair[0]))


def _same(a: frozenset[str], b: frozenset[str]) -> bool:
    return len(a & b) >= ALIKE * len(a | b)
