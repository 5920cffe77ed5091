"""The worked examples of five published descriptions of RAG evaluation (A to E), with their true values.

Several figures printed there are wrong; the comments say which.
"""

from __future__ import annotations

import pytest
from helpers import mean, run_of, truth_of, value

from ragdash.evaluation.evaluate import evaluate

B_RETRIEVED = ["doc1", "doc3", "doc5", "doc2", "doc7"]
B_RELEVANT = ["doc1", "doc2", "doc4"]
B_GRADES = {"doc1": 3, "doc2": 2, "doc3": 0, "doc4": 1, "doc5": 0}
B_RANKED = ["doc1", "doc3", "doc2", "doc5", "doc4"]
FIVE = ["a", "x", "b", "y", "z"]  # a and b are relevant
TEN = [*FIVE, "t", "u", "v", "w", "s"]
THREE = ["a", "b", "c"]
E_GRADES = {"d1": 3, "d2": 0, "d3": 2}

ONE_QUERY = [
    ("B: recall, doc1 in the first three", "R@3", B_RETRIEVED, B_RELEVANT, 1 / 3),
    ("B: recall", "R@5", B_RETRIEVED, B_RELEVANT, 2 / 3),
    ("B: precision", "P@3", B_RETRIEVED, B_RELEVANT, 1 / 3),
    ("B: precision", "P@5", B_RETRIEVED, B_RELEVANT, 0.4),
    ("B: reciprocal rank", "RR", ["doc3", "doc1", "doc5"], ["doc1", "doc2"], 0.5),
    ("B: printed 0.85, its own code gives this", "nDCG@5", B_RANKED, B_GRADES, 0.9212478445981336),
    ("B: exponential gain", "nDCG(gain='exp')@5", B_RANKED, B_GRADES, 0.9461356536981058),
    ("B: linear at 3", "nDCG@3", B_RANKED, B_GRADES, 0.8400079830158563),
    ("B: at 1", "nDCG@1", B_RANKED, B_GRADES, 1.0),
    ("C: pages", "R@10", ["url_A", "url_C", "url_D", "url_E"], ["url_A", "url_B"], 0.5),
    ("D: three chunks back, two relevant", "P@5", ["a", "b", "x"], THREE, 0.4),
    ("D: as its code divides", "P(denominator='returned')@5", ["a", "b", "x"], THREE, 2 / 3),
    ("E: relevance 1 0 0 1 1", "P@5", ["a", "x", "y", "b", "c"], THREE, 0.6),
    ("E: six of ten found", "R", list("abcdefuvwx"), list("abcdefghij"), 0.6),
    ("E: grades 3 0 2, exponential gain", "nDCG(gain='exp')@3", ["d1", "d2", "d3"], E_GRADES, 0.95583058934618),
    ("E: the same, linear gain", "nDCG@3", ["d1", "d2", "d3"], E_GRADES, 0.9385574520455129),
    ("E: precision 0.7 and recall 0.5", "F1@10", [*"abcdefg", *"xyz"], list("abcdefghijklmn"), 7 / 12),
    ("E: probabilities 0.2 0.5 0.8", "ERR(probabilities=(0, 0.2, 0.5, 0.8))", THREE, {"a": 1, "b": 2, "c": 3},
     0.5066666666666667),
    ("A: five returned, two of three relevant among them", "AQWV@5", FIVE, THREE, -23.333333333333332),
    ("A: the same at ten: P_FA is over the returned", "AQWV@10", FIVE, THREE, -23.333333333333332),
    ("A: ten returned, two of three relevant", "AQWV@10", TEN, THREE, -31.333333333333332),
    ("A: ten returned, the one relevant first", "AQWV@10", TEN, ["a"], -35.0),
    ("A: nothing but the relevant", "AQWV@3", THREE, THREE, 1.0),
    ("A: grades count as relevant or not", "nDCG(gain='binary')@3", ["d2", "d1", "d3"], E_GRADES, 0.6934264036172708),
]


@pytest.mark.parametrize("about, metric, ranking, grades, expected", ONE_QUERY,
                         ids=[f"{row[0]} [{row[1]}]" for row in ONE_QUERY])
def test_example_of_one_query(about, metric, ranking, grades, expected):
    assert value(ranking, grades, metric) == pytest.approx(expected, abs=1e-12)


def ranked_at(*ranks: int | None) -> tuple[dict, dict]:
    """A query for each rank, its only relevant document there; None: not returned."""
    queries = {f"q{i}": rank for i, rank in enumerate(ranks)}
    return ({query: [f"d{place}" for place in range(1, 11)] for query in queries},
            {query: [f"d{rank}" if rank else "elsewhere"] for query, rank in queries.items()})


@pytest.mark.parametrize("about, metric, ranks, expected", [
    ("C: MRR", "RR", (1, 3, 2, None), 0.4583333333333333),
    ("E: MRR, printed 0.58", "RR", (2, 1, 4), 0.5833333333333334),
    ("E: mean rank", "MeanRank", (3, 2, 5), 3.3333333333333335),
    ("E: mean rank; a query that finds nothing has none", "MeanRank", (3, 2, 5, None), 3.3333333333333335),
    ("median of the first ranks", "FirstRank", (3, 2, 5, None), 3.0),
    ("E: hit rate, fifteen of twenty", "Success@5", (1, 2, 3, 4, 5) * 3 + (6, 7, 10, None, None), 0.75),
    ("B: a true zero is not left out of a mean", "RR", (1, None, 2), 0.5),
], ids=str)
def test_example_of_several_queries(about, metric, ranks, expected):
    assert mean(*ranked_at(*ranks), metric) == pytest.approx(expected, abs=1e-12)


def test_map_is_the_mean_of_average_precisions():
    """E: 0.7, 0.8 and 0.6."""
    relevant = ["r1", "r2", "r3", "r4", "r5"]
    rankings = {"q1": ["r1", "r2", "r3", "a", "b", "c", "d", "r4"], "q2": relevant[:4], "q3": relevant[:3]}
    grades = {query: relevant for query in rankings}
    assert evaluate(run_of(rankings), truth_of(grades), "AP").values[:, 0] == pytest.approx([0.7, 0.8, 0.6])
    assert mean(rankings, grades, "MAP") == pytest.approx(0.7)


@pytest.mark.parametrize("ranking, metric, expected", [
    (FIVE, "AQWV(form='material', corpus_size=1000)", 0.5463055834169174),
    (FIVE, "AQWV(form='material', corpus_size=1000, beta=20.0)", 0.6064861250417919),
    (TEN, "AQWV(form='material', corpus_size=10000)", 0.6346570637858024),
    ([], "AQWV(form='material', corpus_size=1000)", 0.0),
    ({"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0, "z": 1.0}, "AQWV(form='material', corpus_size=1000, threshold=3.0)",
     2 / 3 - 40 / 997),
    ({"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0, "z": 1.0}, "MQWV(corpus_size=1000)", 2 / 3 - 40 / 997),
    ({"a": 5.0, "x": 4.0, "b": 3.0, "y": 2.0, "z": 1.0}, "MQWV(corpus_size=10)", 1 / 3),
    ({"x": 4.0, "a": 3.0}, "MQWV(corpus_size=10)", 0.0),
], ids=str)
def test_aqwv_of_the_material_programme_is_a_value_of_the_corpus(ranking, metric, expected):
    """A, with three relevant documents: false alarms are counted against the whole collection."""
    assert mean({"q": ranking}, {"q": THREE}, metric) == pytest.approx(expected, abs=1e-12)


def test_aqwv_of_the_material_programme_averages_misses_and_alarms_apart():
    """A query without a relevant document has no misses to count, but its false alarms count."""
    rankings, grades = {"q1": FIVE, "q2": ["x", "y"]}, {"q1": THREE, "q2": {"x": 0}}
    expected = 1 - 1 / 3 - 40 * (3 / 997 + 2 / 1000) / 2
    assert mean(rankings, grades, "AQWV(form='material', corpus_size=1000)") == pytest.approx(expected, abs=1e-12)
