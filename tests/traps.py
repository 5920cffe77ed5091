"""Traps: files that look fine and mean nothing, and what the verdict must say of each.

Each trap is a folder with runs, judgments and the state and the check that the verdict must have. The command line, the
API, reports and pages are tested with the same files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

QUERIES, DEPTH, DOCUMENTS = 60, 20, 400
Ranking = Mapping[str, list[tuple[str, float]]]
Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Trap:
    """Files and the verdict that they must give.

    state: of `ragdash.analysis.verdict.STATES`; check: the kind that must fire, None where none may be withheld;
    level: how serious that check is; run: the run that it names.
    """

    name: str
    runs: Mapping[str, Ranking]
    qrels: Mapping[str, Qrels]
    state: str
    check: str | None = None
    level: str = "withheld"
    run: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> tuple[list[Path], list[Path]]:
        """Write the files; their paths: (runs, judgments)."""
        folder.mkdir(parents=True, exist_ok=True)
        runs = []
        for name, rankings in self.runs.items():
            path = folder / f"{name}.run"
            path.write_text("".join(f"{query} Q0 {doc} {rank} {score:.6f} {name}\n" for query, row in rankings.items()
                                    for rank, (doc, score) in enumerate(row, 1)))
            runs.append(path)
        judgments = []
        for name, qrels in self.qrels.items():
            path = folder / f"{name}.qrels"
            path.write_text("".join(f"{query} 0 {doc} {grade}\n" for query, row in qrels.items()
                                    for doc, grade in row.items()))
            judgments.append(path)
        return runs, judgments


def queries(count: int = QUERIES) -> list[str]:
    return [f"q{index:03d}" for index in range(count)]


def make_qrels(count: int = QUERIES, judged: int = 60) -> dict[str, dict[str, int]]:
    """Judgments of `judged` documents per query, a tenth of them relevant with grades 1 and 2."""
    rng = np.random.default_rng(7)
    qrels = {}
    for query in queries(count):
        docs = rng.choice(DOCUMENTS, judged, replace=False)
        qrels[query] = {f"d{doc:05d}": int(2 - index % 2) if index < judged // 10 else 0
                        for index, doc in enumerate(docs)}
    return qrels


def make_run(qrels: Qrels, quality: float, seed: int, depth: int = DEPTH) -> dict[str, list[tuple[str, float]]]:
    """Rankings of judged documents, better with more quality."""
    rng = np.random.default_rng(seed)
    run = {}
    for query, row in qrels.items():
        docs = list(row)
        strength = np.array([row[doc] for doc in docs]) * quality + rng.gumbel(size=len(docs))
        order = np.argsort(-strength)[:depth]
        run[query] = [(docs[index], float(strength[index]) + 10) for index in order]
    return run


@cache
def every_trap() -> tuple[Trap, ...]:
    """All traps, in a fixed order."""
    return tuple(make() for make in _TRAPS)


@cache
def _pair() -> tuple[dict, dict, dict]:
    qrels = make_qrels()
    return qrels, make_run(qrels, 2.5, 1), make_run(qrels, 1.0, 2)


def _fair() -> Trap:
    qrels, good, poor = _pair()
    return Trap("fair", {"good": good, "poor": poor}, {"truth": qrels}, "clear-winner")


def _reversed_scores() -> Trap:
    qrels, good, poor = _pair()
    distances = {query: [(doc, 20 - score) for doc, score in row] for query, row in good.items()}
    return Trap("reversed-scores", {"good": distances, "poor": poor}, {"truth": qrels}, "not-comparable",
                "rising-scores", run="good")


def _half_the_queries() -> Trap:
    qrels, good, poor = _pair()
    half = {query: good[query] for query in list(good)[::2]}
    return Trap("half-the-queries", {"good": half, "poor": poor}, {"truth": qrels}, "not-comparable",
                "missing-queries", run="good")


def _one_missing_query() -> Trap:
    qrels, good, poor = _pair()
    return Trap("one-missing-query", {"good": {query: good[query] for query in list(good)[1:]}, "poor": poor},
                {"truth": qrels}, "clear-winner", "missing-queries", "qualified", "good")


def _half_the_ids() -> Trap:
    qrels, good, poor = _pair()
    odd = {query: [(doc if index % 2 else f"page-{doc[1:]}-v2", score) for index, (doc, score) in enumerate(row)]
           for query, row in good.items()}
    return Trap("half-the-ids", {"good": odd, "poor": poor}, {"truth": qrels}, "not-comparable", "unknown-ids",
                run="good")


def _lost_zeros() -> Trap:
    qrels, good, poor = _pair()

    def digits(doc: str) -> str:
        return f"0{doc[1:]}"

    qrels = {query: {digits(doc): grade for doc, grade in row.items()} for query, row in qrels.items()}
    lost = {query: [(digits(doc).lstrip("0") or "0", score) for doc, score in row] for query, row in good.items()}
    kept = {query: [(digits(doc), score) for doc, score in row] for query, row in poor.items()}
    return Trap("lost-zeros", {"good": lost, "poor": kept}, {"truth": qrels}, "not-comparable", "other-ids", run="good")


def _top_five() -> Trap:
    qrels = make_qrels()
    good, poor = make_run(qrels, 2.5, 1, depth=5), make_run(qrels, 1.0, 2, depth=60)
    return Trap("top-five", {"good": good, "poor": poor}, {"truth": qrels}, "not-comparable", "shallow-run", run="good")


def _made_from_qrels() -> Trap:
    qrels, _, poor = _pair()
    ideal = {query: [(doc, float(100 - index)) for index, (doc, grade) in enumerate(
        sorted(row.items(), key=lambda item: -item[1])) if index < DEPTH] for query, row in qrels.items()}
    return Trap("made-from-qrels", {"ideal": ideal, "poor": poor}, {"truth": qrels}, "clear-winner", "perfect-score",
                "qualified", "ideal")


def _inverted_grades() -> Trap:
    qrels, good, poor = _pair()
    inverted = {query: {doc: 2 - grade for doc, grade in row.items()} for query, row in qrels.items()}
    return Trap("inverted-grades", {"good": good, "poor": poor}, {"truth": inverted}, "clear-winner",
                "inverted-grades", "qualified")


def _another_set() -> Trap:
    qrels, good, poor = _pair()
    other = {f"other-{query}": row for query, row in qrels.items()}
    return Trap("another-set", {"good": good, "poor": poor}, {"truth": other}, "not-comparable", "no-common-query",
                run="good")


def _two_qrels() -> Trap:
    qrels, good, poor = _pair()
    second = {query: {doc: 2 - grade for doc, grade in row.items()} for query, row in qrels.items()}
    return Trap("two-qrels", {"good": good, "poor": poor}, {"first": qrels, "second": second}, "not-comparable",
                "several-truths")


def _same_file_twice() -> Trap:
    qrels, good, _ = _pair()
    return Trap("same-file-twice", {"good": good, "copy": good}, {"truth": qrels}, "no-clear-difference",
                "same-content", "qualified", "copy")


def _five_queries() -> Trap:
    qrels = make_qrels(5)
    return Trap("five-queries", {"good": make_run(qrels, 2.5, 1), "poor": make_run(qrels, 1.0, 2)}, {"truth": qrels},
                "too-few", "few-queries", "qualified")


def _no_qrels() -> Trap:
    _, good, poor = _pair()
    return Trap("no-qrels", {"good": good, "poor": poor}, {}, "no-truth")


def _one_run() -> Trap:
    qrels, good, _ = _pair()
    return Trap("one-run", {"good": good}, {"truth": qrels}, "one-run")


def _thirty_runs() -> Trap:
    qrels = make_qrels()
    runs = {f"run{index:02d}": make_run(qrels, 0.8 + 0.06 * index, index) for index in range(30)}
    return Trap("thirty-runs", runs, {"truth": qrels}, "no-clear-difference")


_TRAPS: tuple[Callable[[], Trap], ...] = (
    _fair, _reversed_scores, _half_the_queries, _one_missing_query, _half_the_ids, _lost_zeros, _top_five,
    _made_from_qrels, _inverted_grades, _another_set, _two_qrels, _same_file_twice, _five_queries, _no_qrels, _one_run,
    _thirty_runs)
