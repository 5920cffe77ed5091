"""Per-query values against trec_eval, gdeval and ir_measures, and against the definitions, on random cases.

Every case runs as it is, with blocks of a few rows (joints are where engines break) and with hashes that collide.
"""

from __future__ import annotations

import itertools
import shutil
from functools import cache, lru_cache

import ir_measures
import naive
import numpy as np
import pytest
import pytrec_eval
from helpers import TREC, over, random_case, run_of, truth_of

from ragdash.core import arrow_columns
from ragdash.core.ranking import judged_pair_index, rank_order
from ragdash.core.records import Run
from ragdash.evaluation import evaluate as evaluation_evaluate
from ragdash.evaluation.evaluate import Evaluation, evaluate
from ragdash.matching import match
from ragdash.matching.views import ranked as views_ranked
from ragdash.metrics import parse_specs

pytestmark = pytest.mark.filterwarnings("error")

KS = (1, 2, 3, 5, 10, 30, 1000)
CUT_OFF = {"P": "P", "R": "recall", "nDCG": "ndcg_cut", "Success": "success", "AP": "map_cut"}
WHOLE = {"RR": "recip_rank", "AP": "map", "nDCG": "ndcg", "Rprec": "Rprec"}
ENGINES = ("as shipped", *(pytest.param(name, marks=pytest.mark.slow)
                          for name in ("blocks of a few rows", "colliding hashes")))
# The constants that say how many rows one step of the engine takes.
BLOCKS = [
    (module, name)
    for module in (arrow_columns, rank_order, judged_pair_index, match, views_ranked, evaluation_evaluate)
    for name in vars(module)
    if name.endswith(("BLOCK", "GROUP"))
]
GROUPS = [range(start, start + 30) for start in range(0, 300, 30)]


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    """The engine with other sizes of its inner blocks, or with few distinct hashes: its values stay."""
    if request.param == "blocks of a few rows":
        for (module, name), rows in zip(BLOCKS, itertools.cycle([7, 5, 3]), strict=False):
            monkeypatch.setattr(module, name, rows)
        monkeypatch.setattr(match, "MANY", 1)  # every case goes the way of many judgments
    if request.param == "colliding hashes":
        real = arrow_columns._hash_block
        monkeypatch.setattr(arrow_columns, "_hash_block", lambda *args: real(*args) % np.uint64(3))


def groups(function):
    return pytest.mark.parametrize("seeds", GROUPS, ids=lambda seeds: f"seeds {seeds.start}-{seeds.stop - 1}")(function)


def agree(ours: Evaluation, expected: dict, tolerance: float = 1e-9, about: str = "") -> None:
    """expected is {"q": {spec: value}}, the specs as they were asked for; NaN only equals NaN."""
    rows = {query: row for row, query in enumerate(ours.query_ids.to_pylist())}
    found = ours.values[[rows[query] for query in expected]]
    right = np.array([list(row.values()) for row in expected.values()])
    wrong = np.argwhere(~np.isclose(found, right, rtol=0, atol=tolerance, equal_nan=True))
    shown = [(list(expected)[q], str(ours.specs[m]), found[q, m], right[q, m]) for q, m in wrong[:5]]
    assert not shown, f"{about}: {len(wrong)} values differ; (query, metric, ours, expected): {shown}"


def trec_eval(rankings: dict, grades: dict, rel: int = 1) -> dict:
    """{"q": {"P@5": value}} of trec_eval -c for every query of the grades.

    It cannot take negative grades: they go in as 0, and for bpref not at all (there it takes them as unjudged).
    """
    clipped = {query: {doc: max(grade, 0) for doc, grade in docs.items()} for query, docs in grades.items()}
    judged = {query: {doc: grade for doc, grade in docs.items() if grade >= 0} for query, docs in grades.items()}
    measures = {f"{name}.{','.join(map(str, KS))}" for name in CUT_OFF.values()} | set(WHOLE.values())
    seen = pytrec_eval.RelevanceEvaluator(clipped, measures, relevance_level=rel).evaluate(rankings)
    bpref = pytrec_eval.RelevanceEvaluator({query: docs for query, docs in judged.items() if docs}, {"bpref"},
                                           relevance_level=rel).evaluate(rankings)
    values = {}
    for query in grades:
        row = seen.get(query, {})
        values[query] = {spell(name, rel, k): row.get(f"{theirs}_{k}", 0.0)
                         for name, theirs in CUT_OFF.items() for k in KS}
        values[query] |= {spell(name, rel): row.get(theirs, 0.0) for name, theirs in WHOLE.items()}
        values[query][spell("bpref", rel)] = bpref.get(query, {}).get("bpref", 0.0)
        first = row.get("recip_rank", 0.0)
        for k in KS:
            p, r = row.get(f"P_{k}", 0.0), row.get(f"recall_{k}", 0.0)
            values[query][spell("F1", rel, k)] = 2 * p * r / (p + r) if p + r else 0.0
            values[query][spell("RR", rel, k)] = first if first * k > 1 - 1e-9 else 0.0
    return values


def spell(name: str, rel: int = 1, k: int | None = None) -> str:
    return name + (f"(rel={rel})" if rel != 1 and name != "nDCG" else "") + (f"@{k}" if k else "")


@cache
def trec_values() -> dict[int, dict]:
    """{seed: {"q": {spec: value}}} of trec_eval, which is called once for all cases with the same relevance level."""
    values: dict[int, dict] = {}
    for rel in (1, 2):
        seeds = [seed for group in GROUPS for seed in group if (2 if seed % 3 == 0 else 1) == rel]
        names = {f"{seed} {query}": (seed, query) for seed in seeds for query in random_case(seed).grades}
        rankings = {f"{seed} {query}": docs for seed in seeds for query, docs in random_case(seed).rankings.items()}
        grades = {name: random_case(seed).grades[query] for name, (seed, query) in names.items()}
        for name, row in trec_eval(rankings, grades, rel).items():
            seed, query = names[name]
            values.setdefault(seed, {})[query] = row
    return values


@groups
def test_values_are_those_of_trec_eval(engine, seeds):
    for seed in seeds:
        case, expected = random_case(seed), trec_values()[seed]
        assert expected.keys() == case.grades.keys()
        specs = parse_specs(next(iter(expected.values())))
        agree(evaluate(case.run(), case.truth(), specs, **TREC), expected, about=f"seed {seed}")


@over(seed=range(30))
def test_scores_that_differ_beyond_32_bits_have_trec_evals_values_under_its_ties(seed):
    case = random_case(seed, "close" if seed % 3 else "any")
    expected = trec_eval(case.rankings, case.grades)
    specs = parse_specs(next(iter(expected.values())))
    agree(evaluate(case.run(), case.truth(), specs, ties="trec_eval", **TREC), expected, about=f"seed {seed}")


def test_without_trec_evals_ties_close_scores_have_other_values():
    different = 0
    for seed in range(30):
        case = random_case(seed, "close")
        ours, theirs = (evaluate(case.run(), case.truth(), "RR AP", ties=ties, **TREC).values
                        for ties in ("docid", "trec_eval"))
        different += not np.allclose(ours, theirs)
    assert different > 10


def test_a_run_of_many_blocks_has_the_values_of_trec_eval():
    rng = np.random.default_rng(1)
    docs = [f"msmarco_passage_{i:08d}" for i in range(5000)]
    rankings = {f"query-{q}": {docs[i]: float(score) for i, score in
                               zip(rng.permutation(5000)[:600], rng.integers(0, 500, 600), strict=True)}
                for q in range(220)}
    grades = {query: {docs[i]: int(grade) for i, grade in
                      zip(rng.permutation(5000)[:300], rng.integers(0, 3, 300), strict=True)} for query in rankings}
    expected = trec_eval(rankings, grades)
    names = next(iter(expected.values()))
    rows = [(query, doc, score) for query, scores in rankings.items() for doc, score in scores.items()]
    assert len(BLOCKS) >= 3 and all(len(rows) > 2 * getattr(module, name) for module, name in BLOCKS)
    for order in (rows, [rows[i] for i in rng.permutation(len(rows))]):
        queries, returned, scores = zip(*order, strict=True)
        run = Run.build("large", queries, returned, np.array(scores))
        agree(evaluate(run, truth_of(grades), names, **TREC), expected)


@pytest.mark.parametrize("gain, grade_of", [("exp", lambda g: 2 ** max(g, 0) - 1), ("binary", lambda g: min(g, 1))],
                         ids=["exp", "binary"])
def test_other_gains_are_trec_evals_with_the_gain_as_grade(gain, grade_of):
    for seed in range(60):
        case = random_case(seed)
        gains = {query: {doc: grade_of(grade) for doc, grade in docs.items()} for query, docs in case.grades.items()}
        expected = {query: {name.replace("nDCG", f"nDCG(gain='{gain}')"): right for name, right in row.items()
                            if name.startswith("nDCG")} for query, row in trec_eval(case.rankings, gains).items()}
        names = next(iter(expected.values()))
        agree(evaluate(case.run(), case.truth(), names, **TREC), expected, about=f"seed {seed}")


@lru_cache(maxsize=1)
def distinct_cases() -> tuple[dict, dict]:
    """Many cases without equal scores as one run and one truth; the queries are numbers, as gdeval wants them."""
    rankings, grades = {}, {}
    for seed in range(40):
        case = random_case(seed, "distinct")
        for i, query in enumerate(query for query in case.rankings if query in case.grades):
            rankings[f"{seed * 100 + i}"], grades[f"{seed * 100 + i}"] = case.rankings[query], case.grades[query]
    return rankings, grades


def from_ir_measures(names: dict[str, str]) -> dict:
    """{"q": {ours: value}} for {ours: theirs}, where ir_measures has one."""
    rankings, grades = distinct_cases()
    ours = {ir_measures.parse_measure(theirs): name for name, theirs in names.items()}
    values: dict = {}
    for found in ir_measures.iter_calc(list(ours), grades, rankings):
        values.setdefault(found.query_id, {})[ours[found.measure]] = found.value
    return values


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is a Perl script and there is no perl")
@pytest.mark.parametrize("k", [1, 5, 20])
def test_err_and_exponential_ndcg_are_those_of_gdeval(k, engine):
    expected = from_ir_measures({f"ERR(max_grade=4)@{k}": f"ERR@{k}",
                                 f"nDCG(gain='exp')@{k}": f"nDCG(dcg='exp-log2')@{k}"})
    rankings, grades = distinct_cases()
    assert expected.keys() == rankings.keys()
    found = evaluate(run_of(rankings), truth_of(grades), next(iter(expected.values())), **TREC)
    agree(found, expected, tolerance=5.1e-6)  # gdeval prints five decimals


def test_judged_is_that_of_ir_measures(engine):
    expected = from_ir_measures({f"Judged@{k}": f"Judged@{k}" for k in KS})
    rankings, grades = distinct_cases()
    assert expected.keys() == rankings.keys()
    agree(evaluate(run_of(rankings), truth_of(grades), next(iter(expected.values()))), expected)


def naive_specs(max_grade: int) -> dict[str, tuple]:
    """{spec: (name, k, parameters of the naive definition)}"""
    table = {}
    for name in ("P", "R", "F1", "Success", "RR", "AP", "nDCG", "Judged", "AQWV"):
        table |= {f"{name}@{k}": (name, k, {}) for k in (1, 3, 10, 60)}
    for name in ("R", "RR", "AP", "nDCG", "Rprec", "bpref", "MeanRank", "FirstRank", "RBPResidual", "n_ret", "n_rel",
                 "n_rel_ret", "AUC"):
        table[name] = (name, None, {})
    for name in ("P", "R", "F1", "Success", "RR", "AP", "RBP", "AQWV"):
        table[f"{name}(rel=2)@4"] = (name, 4, {"rel": 2})
    for name in ("Rprec", "bpref", "MeanRank", "n_rel", "n_rel_ret", "AUC"):
        table[f"{name}(rel=2)"] = (name, None, {"rel": 2})
    for k in (2, 30):
        table[f"P(denominator='returned')@{k}"] = ("P", k, {"denominator": "returned"})
        table[f"AP(denominator='retrieved')@{k}"] = ("AP", k, {"denominator": "retrieved"})
        table[f"AQWV(beta=20.0)@{k}"] = ("AQWV", k, {"beta": 20.0})
        table[f"ERR@{k}"] = ("ERR", k, {"max_grade": max_grade})
        table[f"RBP@{k}"] = ("RBP", k, {})
        table[f"RBP(p=0.5, gain='graded')@{k}"] = ("RBP", k, {"p": 0.5, "gain": "graded", "max_grade": max_grade})
    graded = (0.0, 0.1, 1.0, 0.7, 0.95)
    return table | {
        "AP(denominator='retrieved')": ("AP", None, {"denominator": "retrieved"}),
        "nDCG(gain='exp')": ("nDCG", None, {"gain": "exp"}),
        "nDCG(gain='binary')@7": ("nDCG", 7, {"gain": "binary"}),
        "ERR": ("ERR", None, {"max_grade": max_grade}),
        "ERR(max_grade=5)@20": ("ERR", 20, {"max_grade": 5}),
        f"ERR(probabilities={graded})@20": ("ERR", 20, {"probabilities": graded}),
        "RBP": ("RBP", None, {}),
        "RBP(p=0.95)": ("RBP", None, {"p": 0.95}),
        "RBPResidual(p=0.5)": ("RBPResidual", None, {"p": 0.5}),
        "AUC(unretrieved='last')": ("AUC", None, {"unretrieved": "last"}),
    }


@groups
def test_values_are_those_of_the_definitions(engine, seeds):
    for seed in seeds[::5]:
        case = random_case(seed, "any" if seed % 2 else "close")
        table = naive_specs(max(1, *(grade for docs in case.grades.values() for grade in docs.values())))
        found = evaluate(case.run(), case.truth(), list(table))
        ranked = {query: naive.sorted_docs(case.rankings.get(query, {})) for query in case.grades}
        expected = {query: {spec: naive.value(name, ranked[query], judged, k, **params)
                            for spec, (name, k, params) in table.items()} for query, judged in case.grades.items()}
        agree(found, expected, about=f"seed {seed}")


@groups
def test_corpus_values_are_those_of_the_definitions(engine, seeds):
    for seed in seeds[1::10]:
        case = random_case(seed)
        names = ["AQWV(form='material', corpus_size=500)", "AQWV(form='material', corpus_size=500, threshold=1.0)",
                 "AQWV(form='material', corpus_size=500, beta=20.0, rel=2)", "MQWV(corpus_size=500)",
                 "MQWV(corpus_size=500, beta=0.5)"]
        expected = [naive.corpus_aqwv(case.rankings, case.grades, 500),
                    naive.corpus_aqwv(case.rankings, case.grades, 500, threshold=1.0),
                    naive.corpus_aqwv(case.rankings, case.grades, 500, beta=20.0, rel=2),
                    naive.corpus_mqwv(case.rankings, case.grades, 500),
                    naive.corpus_mqwv(case.rankings, case.grades, 500, beta=0.5)]
        found = evaluate(case.run(), case.truth(), names).summary(resamples=5)
        assert [summary.mean for summary in found] == pytest.approx(expected, abs=1e-9, nan_ok=True), f"seed {seed}"
