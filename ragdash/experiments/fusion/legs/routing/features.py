"""What a router can know of a query: of its question before any search, of the lists after the searches.

Letters: Q queries of the truth, P runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.analysis.failure_patterns import questions
from ragdash.analysis.failure_patterns.traits import ENGLISH, HOW, OTHERS
from ragdash.analysis.run_similarity.top_k_lists import collect_top_k
from ragdash.core.records import Run, Truth
from ragdash.core.text import content_words, tokens
from ragdash.experiments.fusion.judged_pool import JudgedPool
from ragdash.matching.match import Match

LISTED = 10  # results of each list that are looked at
_QUOTED = re.compile(r"[\"“”„«»「」]|(?<!\w)'[^']+'(?!\w)")
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][\w\-]+")  # a capital that does not begin a sentence


@dataclass(frozen=True, eq=False)
class Feature:
    """Something known of each query. values (Q,) float64: a flag is 0 or 1, NaN unknown.

    title: of a flag, what a query with it has ("has a digit"), and without ("has no digit"); of a number, its name.
    """

    name: str
    title: str
    opposite: str
    values: np.ndarray

    @property
    def is_flag(self) -> bool:
        """Whether it is 0 or 1."""
        return bool(self.opposite)


def question_features(truth: Truth) -> list[Feature]:
    """Of the questions: length, digits, quotes, names, question words, how rare the rarest word is.

    Rare: in how many documents of the corpus, or else questions, the rarest content word occurs. Capitals say nothing
    in languages that write every noun with one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> details = pa.table({"query_id": ["a", "b"], "query": ["Who won in 1969?", "moon landing"]})
    >>> truth = Truth.build("qrels", ["a", "b"], ["d", "d"], [1, 1], details=details)
    >>> {feature.name: feature.values.tolist() for feature in question_features(truth)}["digits"]
    [1.0, 0.0]
    """
    texts = questions(truth)
    if not any(texts):
        return []
    words = [None if text is None else tokens(text, HOW) for text in texts]

    def flag(test) -> np.ndarray:
        return np.array([np.nan if text is None else float(bool(test(text, row)))
                         for text, row in zip(texts, words, strict=True)])

    return [
        Feature("digits", "has a digit", "has no digit", flag(lambda text, _: re.search(r"\d", text))),
        Feature("question-word", "has a question word", "has no question word", flag(
            lambda _, row: any(word in ENGLISH for word in row) or (row and row[0] in OTHERS))),
        Feature("quotes", "has a quotation", "has no quotation", flag(lambda text, _: _QUOTED.search(text))),
        Feature("names", "has a capitalized name", "has no capitalized name",
                flag(lambda text, _: _NAME.search(text))),
        Feature("words", "number of words", "", np.array([np.nan if row is None else float(len(row))
                                                          for row in words])),
        _rarity(truth, texts),
    ]


def _rarity(truth: Truth, texts: Sequence[str | None]) -> Feature:
    """In how many documents, or else questions, the rarest content word of each question occurs."""
    asked = [frozenset() if text is None else content_words(text, HOW) for text in texts]
    corpus = truth.corpus.texts.to_pylist() if truth.corpus is not None and truth.corpus.texts is not None else None
    wanted = frozenset().union(*asked)
    spread = Counter(word for text in (texts if corpus is None else corpus) if text
                     for word in content_words(text, HOW) & wanted)
    values = [min((spread[word] for word in row), default=np.nan) for row in asked]
    where = "questions" if corpus is None else "documents"
    return Feature("rarest-word", f"{where} with its rarest word", "", np.array(values, np.float64))


def list_features(pool: JudgedPool) -> list[Feature]:
    """Of the first LISTED results: for each run the gap of the first two scores and the entropy, and the overlap.

    The gap is a share of the range of the scores listed; the entropy is that of the scores above the lowest, as shares
    of their sum, over its greatest value; the overlap is the mean share of documents that two lists have in common.
    Scores that follow from the rank alone say nothing of a query: of such a run there is neither.
    """
    features = []
    for run in pool.runs:
        if run.scores is None or scores_follow_ranks(run):
            continue
        gap, entropy = _shape(Match(run, pool.truth, pool.conventions))
        features += [Feature(f"gap {run.name}", f"gap of the first two scores of {run.name}", "", gap),
                     Feature(f"entropy {run.name}", f"score entropy of {run.name}", "", entropy)]
    return [*features, Feature("overlap", "overlap of the lists", "", _overlap(pool))]


def scores_follow_ranks(run: Run) -> bool:
    """Whether every document has the score of all others at its place, as where 1 / rank was written.

    Examples
    --------
    >>> queries, docs = ["q", "q", "r", "r"], ["d", "e", "d", "f"]
    >>> [scores_follow_ranks(Run.build("a", queries, docs, scores)) for scores in ([1, 0.5, 1, 0.5], [1, 0.5, 1, 0.4])]
    [True, False]
    """
    lengths = np.diff(run.starts)
    if run.scores is None or (lengths > 1).sum() < 2:
        return False
    place = np.arange(len(run.scores)) - np.repeat(run.starts[:-1], lengths)
    first = np.full(int(place.max()) + 1, np.nan)
    first[place[::-1]] = run.scores[::-1]
    return bool(np.allclose(run.scores, first[place], rtol=1e-6, atol=0, equal_nan=True))


def _shape(match: Match) -> tuple[np.ndarray, np.ndarray]:
    """(gap of the first two scores, entropy): (Q,) each; NaN with fewer than two results."""
    run = match.run
    start, count = run.starts[:-1], np.minimum(np.diff(run.starts), LISTED)
    place = start[:, None] + np.arange(LISTED)
    inside = np.arange(LISTED) < count[:, None]
    scores = np.where(inside, run.scores[np.minimum(place, max(len(run.scores) - 1, 0))], np.nan)
    scores[count < 2] = np.nan
    with np.errstate(invalid="ignore", divide="ignore"):
        low = np.nanmin(np.where(inside, scores, np.inf), axis=1)
        span = scores[:, 0] - low
        gap = np.where(span > 0, (scores[:, 0] - scores[:, 1]) / span, 0.0)
        above = np.where(inside, scores - low[:, None], 0.0)
        share = above / above.sum(axis=1, keepdims=True)
        entropy = -np.where(share > 0, share * np.log(share), 0.0).sum(axis=1) / np.log(np.maximum(count, 2))
    few = count < 2
    gap[few], entropy[few] = np.nan, np.nan
    entropy[~few & ~(span > 0)] = 1.0  # all scores are equal
    row = match.run_query
    return tuple(np.where(row >= 0, values[row], np.nan) for values in (gap, entropy))  # type: ignore[return-value]


def _overlap(pool: JudgedPool) -> np.ndarray:
    """The mean over pairs of runs of the share of the first LISTED documents that both return: (Q,)."""
    lists = collect_top_k([Match(run, pool.truth, pool.conventions) for run in pool.runs], LISTED)
    size, shares = len(pool.truth), []
    returned = lists.ranks > 0
    for first in range(len(pool.runs)):
        for second in range(first):
            both = np.bincount(lists.queries[returned[first] & returned[second]], minlength=size)
            shortest = np.minimum(lists.lengths[first], lists.lengths[second])
            shares.append(np.where(shortest > 0, both / np.maximum(shortest, 1), np.nan))
    return np.mean(shares, axis=0)
