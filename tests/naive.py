"""Every retrieval metric once more, as its definition reads: slow, for one query, and without a line of the package.

ranking: document ids, best first; grades: {document: grade}; k: a cutoff or None. NaN is undefined.
"""

from __future__ import annotations

import math
from itertools import product

NAN = math.nan


def sorted_docs(scores: dict[str, float]) -> list[str]:
    """Best first; equal scores by document id, descending in its UTF-8 bytes."""
    return sorted(scores, key=lambda doc: (scores[doc], doc.encode()), reverse=True)


def relevant_docs(grades, rel=1):
    return {doc for doc, grade in grades.items() if grade >= rel}


def hits(ranking, grades, k=None, rel=1):
    """1 or 0 for each of the first k ranks."""
    relevant = relevant_docs(grades, rel)
    return [int(doc in relevant) for doc in ranking[:k]]


def P(ranking, grades, k, rel=1, denominator="k"):
    below = k if denominator == "k" else min(k, len(ranking))
    return sum(hits(ranking, grades, k, rel)) / below if below else 0.0


def R(ranking, grades, k=None, rel=1):
    return sum(hits(ranking, grades, k, rel)) / len(relevant_docs(grades, rel))


def F1(ranking, grades, k, rel=1):
    p, r = P(ranking, grades, k, rel), R(ranking, grades, k, rel)
    return 2 * p * r / (p + r) if p + r else 0.0


def Success(ranking, grades, k, rel=1):
    return float(any(hits(ranking, grades, k, rel)))


def RR(ranking, grades, k=None, rel=1):
    return next((1 / rank for rank, hit in enumerate(hits(ranking, grades, k, rel), 1) if hit), 0.0)


def AP(ranking, grades, k=None, rel=1, denominator="relevant"):
    at = [rank for rank, hit in enumerate(hits(ranking, grades, k, rel), 1) if hit]
    below = len(relevant_docs(grades, rel)) if denominator == "relevant" else len(at)
    return sum(n / rank for n, rank in enumerate(at, 1)) / below if below else 0.0


def nDCG(ranking, grades, k=None, gain="linear"):
    gains = {"linear": lambda g: g, "exp": lambda g: 2.0**g - 1, "binary": lambda g: 1}

    def dcg(some):
        return sum(gains[gain](g) / math.log2(rank + 1) for rank, g in enumerate(some[:k], 1) if g > 0)

    return dcg([grades.get(doc, 0) for doc in ranking]) / dcg(sorted(grades.values(), reverse=True))


def Rprec(ranking, grades, k=None, rel=1):
    return P(ranking, grades, len(relevant_docs(grades, rel)), rel)


def bpref(ranking, grades, k=None, rel=1):
    n_rel, n_non = len(relevant_docs(grades, rel)), sum(0 <= g < rel for g in grades.values())
    above, total = 0, 0.0
    for doc in ranking:
        if grades.get(doc, -1) >= rel:
            total += 1 - min(above, n_rel) / min(n_rel, n_non) if above else 1
        elif grades.get(doc, -1) >= 0:
            above += 1
    return total / n_rel


def ERR(ranking, grades, k=None, max_grade=None, probabilities=None):
    value, going_on = 0.0, 1.0
    for rank, doc in enumerate(ranking[:k], 1):
        grade = max(grades.get(doc, 0), 0)
        p = probabilities[grade] if probabilities else (2.0**grade - 1) / 2.0**max_grade
        value += going_on * p / rank
        going_on *= 1 - p
    return value


def RBP(ranking, grades, k=None, p=0.8, rel=1, gain="binary", max_grade=1):
    gains = {"binary": lambda g: g >= rel, "graded": lambda g: max(g, 0) / max_grade}
    return (1 - p) * sum(gains[gain](grades.get(doc, 0)) * p**i for i, doc in enumerate(ranking[:k]))


def RBPResidual(ranking, grades, k=None, p=0.8):
    return (1 - p) * sum(p**i for i, doc in enumerate(ranking) if doc not in grades) + p ** len(ranking)


def MeanRank(ranking, grades, k=None, rel=1):
    return next((float(rank) for rank, hit in enumerate(hits(ranking, grades, None, rel), 1) if hit), NAN)


FirstRank = MeanRank


def Judged(ranking, grades, k):
    return sum(doc in grades for doc in ranking[:k]) / min(k, len(ranking)) if ranking else NAN


def n_ret(ranking, grades, k=None):
    return float(len(ranking))


def n_rel(ranking, grades, k=None, rel=1):
    return float(len(relevant_docs(grades, rel)))


def n_rel_ret(ranking, grades, k=None, rel=1):
    return float(sum(hits(ranking, grades, None, rel)))


def AUC(ranking, grades, k=None, rel=1, unretrieved="ignore"):
    place = {doc: -rank for rank, doc in enumerate(ranking) if doc in grades}
    if unretrieved == "last":
        place = {doc: place.get(doc, -math.inf) for doc in grades}
    pairs = [(place[good], place[bad]) for good, bad in product(place, place) if grades[good] >= rel > grades[bad]]
    return sum((good > bad) + (good == bad) / 2 for good, bad in pairs) / len(pairs) if pairs else NAN


def AQWV(ranking, grades, k, beta=40.0, rel=1):
    top = hits(ranking, grades, k, rel)
    return R(ranking, grades, k, rel) - (beta * top.count(0) / len(top) if top else 0)


WITHOUT_RELEVANT = {MeanRank, Judged, RBPResidual, n_ret, n_rel, n_rel_ret, AUC}  # have a say where R = 0


def value(metric: str, ranking, grades, k=None, *, rel=1, **params):
    """The metric by name; NaN for a query without a relevant document where that leaves it undefined."""
    function = globals()[metric]
    if "rel" in function.__code__.co_varnames[: function.__code__.co_argcount]:
        params["rel"] = rel
    if function not in WITHOUT_RELEVANT and not relevant_docs(grades, rel):
        return NAN
    return function(ranking, grades, k, **params)


def corpus_aqwv(scores: dict, grades: dict, corpus_size: int, beta=40.0, rel=1, threshold=-math.inf):
    """AQWV of the MATERIAL programme over all queries of the truth: {query: {document: score}}, {query: grades}."""
    misses, alarms = [], []
    for query, judged in grades.items():
        relevant = relevant_docs(judged, rel)
        found = {doc for doc, score in scores.get(query, {}).items() if score >= threshold}
        if relevant:
            misses.append(1 - len(found & relevant) / len(relevant))
        alarms.append(len(found - relevant) / (corpus_size - len(relevant)))
    return 1 - sum(misses) / len(misses) - beta * sum(alarms) / len(alarms) if misses else NAN


def corpus_mqwv(scores: dict, grades: dict, corpus_size: int, beta=40.0, rel=1):
    """The greatest AQWV over all thresholds, one that detects nothing among them."""
    thresholds = {math.inf, *(score for query in grades for score in scores.get(query, {}).values())}
    return max(corpus_aqwv(scores, grades, corpus_size, beta, rel, t) for t in thresholds)
