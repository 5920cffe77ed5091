"""What production does, next to the test set: do the questions, the refusals and the times differ?

Letters: n requests or questions, m measures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragdash.analysis.failure_patterns.clusters import Cluster, clusters
from ragdash.analysis.tracking.drift.language import language_of
from ragdash.analysis.tracking.drift.question_texts import HOW, QuestionVectors, normalized_question, shares, vectors_of
from ragdash.analysis.tracking.drift.two_sample import SPLITS, category_p, kernel_p, mean_p, nearest_p, quantile_p
from ragdash.core.errors import InputError, Problem
from ragdash.core.records.arguments import check_whole, checked
from ragdash.core.text import is_refusal, tokens
from ragdash.evaluation.stats import ALPHA, LEVEL, MOST_RESAMPLES, SEED, holm
from ragdash.evaluation.stats.percentiles import percentiles
from ragdash.io.recorded.question_log import QuestionLog

FEWEST = 10  # questions on each side
MOST_TESTED = 1_500  # questions or requests of a side in a permutation test; a seeded sample of more
MOST_SPLITS = 1_000  # of the tests of what is asked
MOST_GROUPED = 2_000  # new questions that are put in groups
FAR = 0.05  # share of the test questions that are as far from the others as a new question must be
MEASURES = {"topics": "What is asked", "length": "Words of a question", "language": "Language",
            "refused": "Refusals", "unanswered": "Without an answer", "p50": "Median latency", "p95": "P95 latency"}
"""The measures, in the order of the table."""


@dataclass(frozen=True)
class MeasuredValue:
    """A value of one side with its 95% interval. n: questions or requests; NaN where it is not known."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Measure:
    """A measure on both sides, and whether they differ.

    Attributes
    ----------
    name
        Of MEASURES.
    log, reference
        "topics": the mean similarity to the nearest other test question. "length": mean words. "language": the share of
        the most frequent language. "refused", "unanswered": shares of requests. "p50", "p95": milliseconds.
    p, p_corrected
        Of a two-sample test, and corrected by Holm over all measures tested; NaN where one side is not known.
    label
        What the value is of, such as the language.
    """

    name: str
    log: MeasuredValue
    reference: MeasuredValue
    p: float
    p_corrected: float = np.nan
    label: str = ""

    def differs(self, alpha: float = ALPHA) -> bool:
        """Whether both sides differ significantly."""
        return bool(self.p_corrected < alpha)


@dataclass(frozen=True, eq=False)
class Drift:
    """A log next to the questions of a test set, or next to an earlier log.

    Attributes
    ----------
    log, reference
        The requests of both sides.
    measures
        Those that at least the log has.
    model
        What questions were compared by: an embedding model, or "TF-IDF".
    texts, reference_texts, counts
        The distinct questions of both sides, and how often each of the log was asked.
    nearest, similarity
        For each distinct question of the log, the most similar one of the reference, and its cosine.
    threshold, new, new_share, reference_share
        A question is new where its similarity is at most the threshold; at most FAR of the reference's own questions
        are this far from the others, or more where many have nothing in common with any. The share of new questions,
        with an interval, and that of the reference.
    groups
        New questions in groups of similar ones, the largest first; the numbers are places in `texts`.
    languages
        {language: (share of the log, share of the reference)}.
    alpha
        Level of the family of tests.
    sessions
        Whether one request of each session was used for intervals and tests.
    """

    log: QuestionLog
    reference: QuestionLog
    measures: tuple[Measure, ...]
    model: str
    texts: tuple[str, ...]
    reference_texts: tuple[str, ...]
    counts: np.ndarray
    nearest: np.ndarray
    similarity: np.ndarray
    threshold: float
    new: np.ndarray
    new_share: MeasuredValue
    reference_share: float
    groups: tuple[Cluster, ...]
    languages: dict[str, tuple[float, float]]
    vectors: QuestionVectors
    alpha: float = ALPHA
    sessions: bool = False

    @property
    def changes(self) -> tuple[Measure, ...]:
        """The measures that differ significantly."""
        return tuple(measure for measure in self.measures if measure.differs(self.alpha))


@checked
def compare_logs(log: QuestionLog, reference: QuestionLog, *, model: str | None = None, alpha: float = ALPHA,
                 splits: int = SPLITS, seed: int = SEED) -> Drift:
    """Compare the requests of a log with the questions of a test set, or with an earlier log.

    Questions are compared as distinct questions: a test set has each once. Where the log has sessions, one request of
    each counts, because those of a session depend on each other.

    Parameters
    ----------
    log, reference
        What `ragdash.io.recorded.question_log` reads: `read_log`, or `log_of_truth`.
    model
        The embedding model to compare questions by, if its vectors are cached ("tfidf": none); default the last used.
    alpha
        Share of comparisons without a true difference that find any.
    splits, seed
        Of the permutation tests.

    Returns
    -------
    Drift

    Raises
    ------
    InputError
        A side has fewer than 10 distinct questions.

    Examples
    --------
    >>> from ragdash.io.recorded.question_log import read_log
    >>> def asked(begin, words):
    ...     return read_log(("log", "\\n".join(["question", *(f"{begin} {word}" for word in words.split())]).encode()))
    >>> test = asked("How do I reset the", "phone router lamp clock radio tv fan oven car pc")
    >>> log = asked("Wie teuer ist", "Gas Brot Milch Holz Stahl Salz Öl Reis Tee Wein")
    >>> [measure.name for measure in compare_logs(log, test, model="tfidf").changes]
    ['topics', 'length', 'language']
    """
    check_whole(1, MOST_RESAMPLES, splits=splits)
    chosen, earlier = (independent_requests(side, seed) for side in (log, reference))
    texts, counts = distinct_questions(chosen)
    known, _ = distinct_questions(earlier)
    for side, questions in ((log, texts), (reference, known)):
        if len(questions) < FEWEST:
            facts = {"count": len(questions), "fewest": FEWEST}
            raise InputError([Problem("production-log/too-few", facts, side.name)])
    vectors = vectors_of([*texts, *known], model=model)
    rows, others = np.split(np.arange(len(texts) + len(known)), [len(texts)])
    nearest, similarity = vectors.nearest(rows, others)
    similarity, within = np.round(similarity, 6), np.round(vectors.nearest(others, others, same=True)[1], 6)
    threshold = far_below(within)
    new = similarity <= threshold
    topics_p = _topics_p(vectors, len(texts), len(known), splits, seed)
    measures = [Measure("topics", _mean(similarity), _mean(within), topics_p),
                *_of_texts(texts, known, splits, seed), *_of_requests(chosen, earlier, splits, seed)]
    corrected = holm(np.array([measure.p for measure in measures]))
    measures = [replace(measure, p_corrected=float(p)) for measure, p in zip(measures, corrected, strict=True)]
    return Drift(log, reference, tuple(measures), vectors.model, tuple(texts), tuple(known), counts,
                 nearest - len(texts), similarity, threshold, new, _share_of_new(similarity, within, seed),
                 float((within <= threshold).mean()), _groups(vectors, texts, new, seed),
                 _languages(texts, known), vectors, alpha, len(chosen) < len(log) or len(earlier) < len(reference))


def independent_requests(log: QuestionLog, seed: int = SEED) -> QuestionLog:
    """One request of each session, drawn at random; all requests without a session."""
    order = np.random.default_rng(seed).permutation(len(log)).tolist()
    first: dict[object, int] = {}
    for row in order:
        first.setdefault(log.sessions[row] if log.sessions[row] is not None else row, row)
    rows = sorted(first.values())
    if len(rows) == len(log):
        return log
    texts = {name: tuple(getattr(log, name)[row] for row in rows) for name in
             ("questions", "answers", "times", "sessions")}
    return replace(log, refused=log.refused[rows], latency=log.latency[rows], **texts)


def distinct_questions(log: QuestionLog) -> tuple[list[str], np.ndarray]:
    """(the distinct questions as they were first written, how often each was asked)."""
    texts: dict[str, str] = {}
    counts: dict[str, int] = {}
    for text in log.questions:
        key = normalized_question(text)
        texts.setdefault(key, text)
        counts[key] = counts.get(key, 0) + 1
    return list(texts.values()), np.array(list(counts.values()))


def refusals(log: QuestionLog) -> np.ndarray:
    """(n,) 1.0 where a request was answered by a refusal, 0.0 where not; NaN where answers were not logged."""
    if not log.has_answers and np.isnan(log.refused).all():
        return np.full(len(log), np.nan)
    by_text = np.array([0.0 if answer is None else float(is_refusal(answer, question or ""))
                        for answer, question in zip(log.answers, log.questions, strict=True)])
    return np.where(np.isnan(log.refused), by_text, log.refused)


def unanswered(log: QuestionLog) -> np.ndarray:
    """(n,) 1.0 where a request failed or its answer is empty, else 0.0; NaN where answers were not logged."""
    if not log.has_answers:
        return np.full(len(log), np.nan)
    return np.array([float(answer is None) for answer in log.answers])


def _of_texts(texts: Sequence[str], known: Sequence[str], splits: int, seed: int) -> list[Measure]:
    words = [np.array([len(tokens(text, HOW)) for text in side], float) for side in (texts, known)]
    length = Measure("length", _mean(words[0]), _mean(words[1]), mean_p(*_sampled(words, seed), splits=splits,
                                                                        seed=seed))
    codes = [np.array([language_of(text) for text in side]) for side in (texts, known)]
    main = next(iter(shares(codes[1].tolist())))
    return [length, Measure("language", *(_proportion(side == main) for side in codes), category_p(
        *(side.tolist() for side in _sampled(codes, seed)), splits=splits, seed=seed), label=main)]


def _of_requests(log: QuestionLog, reference: QuestionLog, splits: int, seed: int) -> list[Measure]:
    measures = []
    for name, of in (("refused", refusals), ("unanswered", unanswered)):
        sides = [values[~np.isnan(values)] for values in (of(log), of(reference))]
        if len(sides[0]):
            measures.append(Measure(name, *map(_proportion, sides), _fisher_p(*sides)))
    sides = [side.latency[~np.isnan(side.latency)] for side in (log, reference)]
    if len(sides[0]):
        sampled = _sampled(sides, seed)
        for name, share in (("p50", 0.5), ("p95", 0.95)):
            measures.append(Measure(name, *(_quantile(side, share, seed) for side in sides),
                                    quantile_p(*sampled, share, splits=splits, seed=seed)))
    return measures


def _topics_p(vectors: QuestionVectors, first: int, second: int, splits: int, seed: int) -> float:
    """p that both sides ask about the same: the smaller of two tests, doubled.

    One looks for questions of the log that are far from the reference (nearest neighbors), the other for any difference
    (maximum mean discrepancy, with a Gaussian kernel of the median distance).
    """
    rng = np.random.default_rng(seed)
    rows = [np.sort(rng.permutation(size)[:MOST_TESTED]) + start for size, start in ((first, 0), (second, first))]
    together = np.concatenate(rows)
    cosines = vectors.latent_cosines(together)
    distance = np.maximum(2 - 2 * cosines, 0)
    np.fill_diagonal(distance, 0)
    scale = float(np.median(distance[np.triu_indices(len(together), 1)])) or 1.0
    size, splits = len(rows[0]), min(splits, MOST_SPLITS)
    far = nearest_p(cosines, size, splits=splits, seed=seed)
    return float(min(2 * min(far, kernel_p(np.exp(-distance / scale), size, splits=splits, seed=seed)[1]), 1.0))


def _sampled(sides: Sequence[np.ndarray], seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [side if len(side) <= MOST_TESTED else side[np.sort(rng.permutation(len(side))[:MOST_TESTED])]
            for side in sides]


def _mean(values: np.ndarray) -> MeasuredValue:
    """A mean with Student's interval."""
    from scipy import stats

    n = len(values)
    if n < 2:
        return MeasuredValue(float(values.mean()) if n else np.nan, np.nan, np.nan, n)
    half = stats.t.ppf(0.5 + LEVEL / 2, n - 1) * values.std(ddof=1) / np.sqrt(n)
    return MeasuredValue(float(values.mean()), float(values.mean() - half), float(values.mean() + half), n)


def _proportion(flags: np.ndarray) -> MeasuredValue:
    """A share with Wilson's interval."""
    from scipy import stats

    n, count = len(flags), int(np.asarray(flags, bool).sum())
    if not n:
        return MeasuredValue(np.nan, np.nan, np.nan, 0)
    interval = stats.binomtest(count, n).proportion_ci(LEVEL, method="wilson")
    return MeasuredValue(count / n, float(interval.low), float(interval.high), n)


def _quantile(values: np.ndarray, share: float, seed: int) -> MeasuredValue:
    value, low, high = percentiles(values, [100 * share], seed=seed)
    return MeasuredValue(float(value[0]), float(low[0]), float(high[0]), len(values))


def _fisher_p(first: np.ndarray, second: np.ndarray) -> float:
    """Fisher's exact test: the permutation test of two shares, with all splits."""
    from scipy import stats

    if not len(first) or not len(second):
        return np.nan
    table = [[int(side.sum()), int(len(side) - side.sum())] for side in (first, second)]
    return float(stats.fisher_exact(table).pvalue)


def far_below(within: np.ndarray) -> float:
    """The similarity below which a question is far: at most FAR of the reference's own questions are.

    0 where more have nothing in common with any other.

    Examples
    --------
    >>> round(far_below(np.arange(100) / 100), 2), far_below(np.array([0.0, 0.0, 0.5]))
    (0.04, 0.0)
    """
    values, counts = np.unique(within, return_counts=True)
    few = counts.cumsum() <= FAR * len(within) + 1e-9
    if few.any():
        return float(values[few][-1])
    return 0.0 if values[0] <= 0 else float(np.nextafter(values[0], -1))


def _share_of_new(similarity: np.ndarray, within: np.ndarray, seed: int, draws: int = 1_000) -> MeasuredValue:
    """The share of new questions; both sides, and so the threshold, are drawn again for its interval."""
    rng = np.random.default_rng(seed)
    ordered = np.sort(similarity)

    def share(sample: Callable[[np.ndarray], np.ndarray]) -> float:
        return float(np.searchsorted(ordered, far_below(sample(within)), "right")) / len(ordered)

    value = share(lambda side: side)
    resampled = np.array([share(lambda side: rng.choice(side, len(side))) for _ in range(draws)])
    n = len(ordered)  # the questions of the log are drawn too: their number below the threshold is binomial
    resampled = rng.binomial(n, np.clip(resampled, 0, 1)) / n
    low, high = np.percentile(resampled, [50 * (1 - LEVEL), 50 * (1 + LEVEL)])
    return MeasuredValue(value, float(low), float(high), n)


def _groups(vectors: QuestionVectors, texts: Sequence[str], new: np.ndarray, seed: int) -> tuple[Cluster, ...]:
    rows = np.flatnonzero(new)
    rows = np.sort(np.random.default_rng(seed).permutation(rows)[:MOST_GROUPED])
    if len(rows) < 2:
        return ()
    groups = clusters(vectors.dense(rows), [texts[row] for row in rows], np.ones(len(rows), bool), seed=seed)
    return tuple(replace(group, queries=rows[group.queries]) for group in groups)


def _languages(texts: Sequence[str], known: Sequence[str]) -> dict[str, tuple[float, float]]:
    sides = [shares([language_of(text) for text in side]) for side in (texts, known)]
    return {name: (sides[0].get(name, 0.0), sides[1].get(name, 0.0)) for name in dict.fromkeys([*sides[0], *sides[1]])}
