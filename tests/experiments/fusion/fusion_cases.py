"""Small runs for the tests of fusion, and a plain implementation of the methods, document by document."""

from __future__ import annotations

import math
import statistics

import numpy as np

from ragdash import Run

BM25 = {"a": 12.0, "b": 9.0, "c": 3.0}
DENSE = {"c": 0.82, "d": 0.80, "a": 0.61}


def run_of(name: str, lists: dict[str, dict[str, float]], *, scores: bool = True) -> Run:
    """A run from {query: {document: score}}, each list best first."""
    rows = [(query, doc, score) for query, docs in lists.items() for doc, score in docs.items()]
    queries, docs, values = ([row[i] for row in rows] for i in range(3))
    return Run.build(name, queries, docs, values if scores else None)


def two_runs() -> list[Run]:
    return [run_of("bm25", {"q": BM25}), run_of("dense", {"q": DENSE})]


def random_lists(seed: int, queries: int = 30, depth: int = 12) -> list[dict[str, dict[str, float]]]:
    """Three systems over few documents; some lists are empty, short, constant or negative."""
    rng = np.random.default_rng(seed)
    systems = []
    for system in range(3):
        lists = {}
        for query in range(queries):
            size = int(rng.integers(0, depth + 1))
            docs = rng.permutation(20)[:size]
            scores = np.round(rng.normal(size=size) * 10 ** system - (query % 3), 2)
            if query % 5 == system:
                scores[:] = 4.0
            order = sorted(range(size), key=lambda i: (-scores[i], [-ord(c) for c in f"d{docs[i]:02}"]))
            lists[f"q{query}"] = {f"d{docs[i]:02}": float(scores[i]) for i in order}
        systems.append({query: docs for query, docs in lists.items() if docs})
    return systems


def plain_norm(norm: str, docs: dict[str, float]) -> dict[str, float]:
    """A normalization, list by list."""
    if not docs:
        return {}
    values = list(docs.values())
    low, high, mean = min(values), max(values), statistics.fmean(values)
    sd = statistics.pstdev(values) if norm == "z-score" else statistics.stdev(values) if len(values) > 1 else 0.0
    flat = low == high
    functions = {
        "min-max": lambda s, r: 1.0 if flat else (s - low) / (high - low),
        "ranx-min-max": lambda s, r: (s - low) / max(high - low, 1e-9),
        "max": lambda s, r: s / max(high, 1e-9),
        "sum": lambda s, r: (s - low) / max(sum(values) - len(values) * low, 1e-9),
        "z-score": lambda s, r: 0.0 if flat else (s - mean) / sd,
        "z-score-sample": lambda s, r: 0.0 if flat else (s - mean) / sd,
        "rank": lambda s, r: 1 - (r - 1) / len(values),
        "l2": lambda s, r: s / math.sqrt(sum(v * v for v in values)) if any(values) else 0.0,
        "arctan": lambda s, r: 0.5 + math.atan(s) / math.pi,
        "sigmoid": lambda s, r: 1 / (1 + math.exp(-s)) if s > -500 else 0.0,
        "dbsf": lambda s, r: 0.5 if flat else (s - (mean - 3 * sd)) / (6 * sd),
    }
    return {doc: functions[norm](s, r) for r, (doc, s) in enumerate(docs.items(), 1)}


def plain_fusion(method: str, systems: list[dict[str, float]], norm: str = "min-max",
                 weights: tuple[float, ...] = (1.0, 1.0, 1.0)) -> dict[str, float]:
    """The fused scores of one query by definition, with the default parameters of each method."""
    normed = [plain_norm(norm, docs) for docs in systems]
    ranks = [{doc: r for r, doc in enumerate(docs, 1)} for docs in systems]
    union = {doc for docs in systems for doc in docs}
    return {doc: _plain_score(method, doc, union, normed, ranks, weights) for doc in union}


def _plain_score(method: str, doc: str, union: set[str], normed: list[dict], ranks: list[dict], weights) -> float:
    n = [values[doc] for values in normed if doc in values]
    r = [rank[doc] for rank in ranks if doc in rank]
    w = [weight for weight, values in zip(weights, normed, strict=True) if doc in values]
    m = len(r)
    squares = sum(1 / rank ** 2 for rank in r)
    weighted = sum(weight * value for weight, value in zip(w, n, strict=True))
    votes = sum(len(union) - rank[doc] + 1 if doc in rank else (len(union) - len(rank) + 1) / 2 for rank in ranks)
    return {
        "rrf": sum(weight / (60 + rank) for weight, rank in zip(w, r, strict=True)), "weighted": weighted,
        "combsum": sum(n), "combmnz": m * sum(n), "combgmnz": m * sum(n), "combanz": sum(n) / m,
        "combmed": statistics.median(n), "combmin": min(n), "combmax": max(n), "wmnz": sum(n) * sum(w),
        "mixed": math.sqrt(m) * weighted, "isr": m * squares, "log_isr": math.log(m) * squares,
        "logn_isr": math.log(m + 0.01) * squares, "rbc": sum(0.2 * 0.8 ** (rank - 1) for rank in r), "borda": votes,
        "condorcet": sum(_duel(doc, other, ranks) for other in union - {doc}) if method == "condorcet" else 0.0,
    }[method]


def _duel(doc: str, other: str, ranks: list[dict[str, int]]) -> float:
    votes = sum(np.sign(rank.get(other, 10 ** 6) - rank.get(doc, 10 ** 6)) for rank in ranks)
    return 1.0 if votes > 0 else 0.5 if votes == 0 else 0.0
