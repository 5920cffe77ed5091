"""Hubs: documents that a run returns for far more queries than chance explains.

Letters: Q queries of the truth, U rows (documents in the top k of a query), D documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragdash.evaluation.stats import ALPHA


@dataclass(frozen=True, eq=False)
class Hub:
    """A document that is in the top k of many queries.

    queries (Q,) bool: those that return it; relevant, not_relevant, unjudged: their numbers by its judgment there.
    """

    document: str
    queries: np.ndarray
    relevant: int
    not_relevant: int
    unjudged: int

    @property
    def n(self) -> int:
        """How many queries return it."""
        return int(self.queries.sum())


@dataclass(frozen=True, eq=False)
class Hubs:
    """The hubs of a run. hubs: those most often returned where they are not relevant first.

    documents: how many could be returned, or were; of_corpus: whether these are all of the corpus. skew: of the
    numbers of queries that return a document (k-occurrence), NaN without spread. places: share of the top-k places
    that hubs take.
    """

    hubs: tuple[Hub, ...]
    documents: int
    of_corpus: bool
    skew: float
    places: float


def find_hubs(queries: np.ndarray, codes: np.ndarray, names, grades: np.ndarray, size: int, documents: int,
              of_corpus: bool) -> Hubs:
    """The hubs among the documents in the top k.

    Parameters
    ----------
    queries, codes, grades : (U,)
        The query, the index of the document's name, and the grade there (NaN unjudged) of each row.
    names
        Array of the documents' names.
    size
        Queries of the truth.
    documents, of_corpus
        Documents that could be returned; whether they are all of the corpus.

    Notes
    -----
    A hub is in more top-k lists than one document of the corpus would be by chance (5%, Bonferroni over all documents)
    if every list were drawn at random: binomial with the number of lists and the mean share of lists that return a
    document. The skew of the k-occurrence is that of Radovanovic, Nanopoulos and Ivanovic 2010.
    """
    from scipy.special import bdtrc

    counts = np.bincount(codes, minlength=len(names))
    lists = len(np.unique(queries))
    if not lists:
        return Hubs((), documents, of_corpus, np.nan, np.nan)
    documents = max(documents, int((counts > 0).sum()))
    by_chance = min(len(codes) / documents / lists, 1.0)
    tail = bdtrc(np.maximum(counts - 1, 0), lists, by_chance)  # P(this many or more)
    chosen = np.flatnonzero((counts > 1) & (tail * documents < ALPHA))
    hubs = []
    for code in chosen.tolist():
        rows = codes == code
        here = np.zeros(size, bool)
        here[queries[rows]] = True
        grade = grades[rows]
        hubs.append(Hub(names[code].as_py(), here, int((grade >= 1).sum()), int((grade < 1).sum()),
                        int(np.isnan(grade).sum())))
    hubs.sort(key=lambda hub: (hub.relevant - hub.n, hub.document))
    return Hubs(tuple(hubs), documents, of_corpus, _skew(counts[counts > 0], documents),
                float(counts[chosen].sum() / len(codes)))


def _skew(counts: np.ndarray, documents: int) -> float:
    """The third standardized moment of the counts, documents that are never returned counted as 0."""
    mean = counts.sum() / documents
    rest = documents - len(counts)
    second = (((counts - mean) ** 2).sum() + rest * mean**2) / documents
    third = (((counts - mean) ** 3).sum() - rest * mean**3) / documents
    return float(third / second**1.5) if second > 1e-12 else np.nan
