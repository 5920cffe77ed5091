"""Measures that trec_eval and ir_measures print, under their names: equal to them for every query."""

from __future__ import annotations

from functools import cache

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from helpers import TREC, by_query, random_case, run_of, truth_of

from ragdash.evaluation.evaluate import evaluate
from ragdash.metrics import METRICS, Spec, parse_spec

SEEDS = range(25)
LEVELS = ("0.00", "0.10", "0.20", "0.30", "0.40", "0.50", "0.60", "0.70", "0.80", "0.90", "1.00")
MULTIPLES = ("0.20", "0.40", "0.60", "0.80", "1.00", "1.20", "1.40", "1.60", "1.80", "2.00")
TREC_EVAL = ["set_P", "set_recall", "set_F", "set_map", "set_relative_P", "11pt_avg", "infAP", "ndcg_rel", "Rndcg", "G",
             "binG", "utility", "num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret",
             *(f"relative_P_{k}" for k in (1, 5, 10, 100)), *(f"iprec_at_recall_{level}" for level in LEVELS),
             *(f"Rprec_mult_{multiple}" for multiple in MULTIPLES)]
REQUESTED = {*TREC_EVAL[:17], "relative_P.1,5,10,100", "iprec_at_recall", "Rprec_mult"}
IR_MEASURES = ["SetP", "SetP(relative=True)", "SetR", "SetF", "SetF(beta=2.0)", "SetAP", "IPrec@0.3", "IPrec@1.0",
               "infAP", "NumRet", "NumRet(rel=1)", "Compat", "Compat(p=0.8)", "Compat(p=0.8, normalize=False)",
               "SetP(rel=2)", "IPrec(rel=2)@0.5", "SetF(rel=2, beta=0.5)"]
# From ir_measures 0.4.3 with cwl-eval 1.0.12, of the three queries below.
GRADES = {"1": {"a": 3, "c": 2, "b": 1, "x": 0, "y": 0}, "2": {"a": 1, "b": 4, "c": 2, "d": 0}, "3": {"a": 2, "q": 4}}
RANKINGS = {"1": list("xabyz"), "2": list("bzdacef"), "3": list("uvwa")}
CWL = {
    "INST(max_rel=4)": (0.17574728181275606, 0.6431396769387354, 0.03203745799952565),
    "INST(T=2.5,max_rel=4)": (0.13195490613600916, 0.27883095901058425, 0.03673764287037965),
    "INSQ(max_rel=4)": (0.15367738444732426, 0.42533586263876977, 0.03105900822514344),
    "INSQ(T=3.0,max_rel=4)": (0.10654100911001423, 0.19888266303426225, 0.03423109518662001),
    "BPM(max_rel=4)@5": (0.3333333333333333, 1.0, 0.1),
    "BPM(T=2.0,max_rel=4)@3": (0.3333333333333333, 0.3333333333333333, 0.0),
    "BPM(T=0.6,max_rel=4)@10": (0.375, 1.0, 0.05),
    "SDCG(max_rel=4)@5": (0.20288472421009768, 0.4412798314904636, 0.07303417492135322),
    "SDCG(min_rel=1,max_rel=4)@3": (0.1973879406439102, 0.46927872602275655, 0.0),
}


@cache
def trec_eval(seed: int, rel: int) -> dict:
    case = random_case(seed)
    return pytrec_eval.RelevanceEvaluator(_not_negative(case), REQUESTED, relevance_level=rel).evaluate(case.rankings)


def _not_negative(case) -> dict:
    return {query: {doc: max(grade, 0) for doc, grade in docs.items()} for query, docs in case.grades.items()}


def _with_rel(name: str, rel: int) -> Spec | None:
    """The spec at a relevance level; None where the measure takes none."""
    spec = parse_spec(name)
    if rel == 1:
        return spec
    takes_level = "rel" in spec.metric.params and name != "num_ret"
    return spec.metric.spec(spec.k, **{**dict(spec.params), "rel": rel}) if takes_level else None


@pytest.mark.parametrize("rel", [1, 2])
def test_values_are_those_of_trec_eval(rel):
    asked = {name: spec for name in TREC_EVAL if (spec := _with_rel(name, rel)) is not None}
    compared = 0
    for seed in SEEDS:
        case = random_case(seed)
        found = by_query(evaluate(case.run(), truth_of(_not_negative(case)), list(asked.values()), **TREC))
        for query, row in trec_eval(seed, rel).items():
            ours = {name: found[query][str(spec)] for name, spec in asked.items()}
            assert ours == pytest.approx({name: row[name] for name in asked}, abs=1e-9), (seed, query)
            compared += 1
    assert compared > 60 and len(asked) > 30


def test_values_are_those_of_ir_measures():
    measures = {ir_measures.parse_measure(name): name for name in IR_MEASURES}
    compared = dict.fromkeys(IR_MEASURES, 0)
    for seed in SEEDS:
        case = random_case(seed, "distinct")
        grades = _not_negative(case)
        rankings = {query: {doc: score + 1 for doc, score in docs.items()}  # Compat takes 0 for not returned
                    for query, docs in case.rankings.items() if query in grades}
        found = by_query(evaluate(run_of(rankings), truth_of(grades), IR_MEASURES, **TREC))
        for expected in ir_measures.iter_calc(list(measures), grades, rankings):
            name = measures[expected.measure]
            value = found[expected.query_id][str(parse_spec(name))]
            assert value == pytest.approx(expected.value, abs=1e-9), (name, seed, expected.query_id)
            compared[name] += 1
    assert min(compared.values()) > 60


def test_dcg_adds_discounted_gains_as_worked_by_hand():
    """Grades 3, 0, 1, -1 and none at ranks 2 to 5 and 1; c, of grade 2, was not returned. Query 2 has none relevant."""
    run = run_of({"1": ["z", "a", "x", "b", "y"], "2": ["a"]})
    truth = truth_of({"1": {"a": 3, "c": 2, "b": 1, "x": 0, "y": -1}, "2": {"a": 0}})
    by_hand = {"DCG": 3 / np.log2(3) + 1 / np.log2(5), "DCG@5": 3 / np.log2(3) + 1 / np.log2(5),
               "DCG@3": 3 / np.log2(3), "DCG@1": 0.0, "dcg_at_9": 3 / np.log2(3) + 1 / np.log2(5),
               "DCG(gain='exp')@5": 7 / np.log2(3) + 1 / np.log2(5),
               "DCG(dcg='exp-log2')@2": 7 / np.log2(3), "DCG(gain='binary')@5": 1 / np.log2(3) + 1 / np.log2(5)}
    values = evaluate(run, truth, list(by_hand)).values
    columns = list(dict.fromkeys(map(parse_spec, by_hand)))
    for name, expected in by_hand.items():
        assert values[0, columns.index(parse_spec(name))] == pytest.approx(expected, abs=1e-12), name
    assert np.isnan(values[1]).all()


@pytest.mark.parametrize("gain", ["linear", "exp"])
def test_dcg_over_that_of_the_ideal_ranking_is_the_ndcg_of_ir_measures(gain):
    """For gain='exp' ir_measures has 2^grade - 1 for a grade: its own exp-log2 needs numbers for query ids."""
    compared = 0
    for seed in SEEDS:
        case = random_case(seed, "distinct")
        grades = _not_negative(case)
        rankings = {query: docs for query, docs in case.rankings.items() if query in grades}
        gained = {query: {doc: 2**grade - 1 if gain == "exp" else grade for doc, grade in docs.items()}
                  for query, docs in grades.items()}
        found = by_query(evaluate(run_of(rankings), truth_of(grades), [f"DCG(gain='{gain}')@10"], **TREC))
        for expected in ir_measures.iter_calc([ir_measures.nDCG @ 10], gained, rankings):
            gains = sorted(gained[expected.query_id].values(), reverse=True)
            ideal = sum(value / np.log2(rank + 1) for rank, value in enumerate(gains[:10], 1))
            (dcg,) = found[expected.query_id].values()
            assert np.nan_to_num(dcg) == pytest.approx(expected.value * ideal, abs=1e-9), (seed, expected.query_id)
            compared += ideal > 0
    assert compared > 60


@pytest.mark.parametrize("name", CWL)
def test_values_of_user_models_are_those_of_the_cwl_tool(name):
    found = evaluate(run_of(RANKINGS), truth_of(GRADES), [name])
    assert found.query_ids.to_pylist() == list(RANKINGS)
    assert found.values[:, 0] == pytest.approx(CWL[name], abs=1e-12)


@pytest.mark.parametrize("name, per_query", [("gm_map", "map"), ("gm_bpref", "bpref")])
def test_geometric_means_are_those_of_trec_eval(name, per_query):
    different = 0
    for seed in SEEDS:
        case, grades = random_case(seed), _not_negative(random_case(seed))
        seen = pytrec_eval.RelevanceEvaluator(grades, {name, per_query}).evaluate(case.rankings)
        rankings = {query: case.rankings[query] for query in seen}
        expected = pytrec_eval.compute_aggregated_measure(name, [row[name] for row in seen.values()])
        found = evaluate(run_of(rankings), truth_of({query: grades[query] for query in seen}), [name], **TREC)
        (summary,) = found.summary(resamples=40)
        assert summary.mean == pytest.approx(expected, abs=1e-9)
        assert summary.n == 1 or summary.low * (1 - 1e-9) <= summary.mean <= summary.high * (1 + 1e-9)
        assert found.values[:, 0] == pytest.approx([row[per_query] for row in _in_order(found, seen)], abs=1e-9)
        different += summary.mean != pytest.approx(found.values.mean())
    assert different > 5


def _in_order(found, seen: dict) -> list:
    return [seen[query] for query in found.query_ids.to_pylist()]


def test_a_geometric_mean_leaves_out_undefined_queries_and_takes_a_zero_for_the_smallest():
    """By hand: AP of 1 and 0, one query undefined: sqrt(1 · 0.00001)."""
    truth = truth_of({"a": ["d"], "b": ["d"], "c": {"d": 0}})
    (summary,) = evaluate(run_of({"a": ["d"], "b": ["x"], "c": ["d"]}), truth, "gm_map").summary(resamples=40)
    assert (summary.mean, summary.n, summary.undefined) == (pytest.approx(1e-5**0.5), 2, 1)
    (empty,) = evaluate(run_of({"c": ["d"]}), truth_of({"c": {"d": 0}}), "gm_map").summary(resamples=40)
    assert np.isnan(empty.mean) and np.isnan(empty.low)


def test_a_sum_is_the_total_and_its_interval_is_of_totals():
    """By hand: 1 + 3 + 2 documents; with missing='skip' the query that the run lacks is not counted."""
    run, truth = run_of({"a": ["d"], "b": list("xyz"), "c": list("xy")}), truth_of({q: ["d"] for q in "abcd"})
    rows = evaluate(run, truth, "num_ret num_rel num_q num_rel_ret").summary(resamples=2000)
    assert [row.mean for row in rows] == [6.0, 4.0, 4.0, 1.0]
    assert rows[0].low < 6 < rows[0].high <= 12 and (rows[2].low, rows[2].high) == (4.0, 4.0)
    rows = evaluate(run, truth, "num_q num_rel", missing="skip").summary(resamples=9)
    assert [row.mean for row in rows] == [3.0, 3.0]


@pytest.mark.parametrize("text, canonical", [
    ("iprec_at_recall_0.20", "IPrec(recall=0.2)"), ("IPrec@0.2", "IPrec(recall=0.2)"), ("IPrec@1", "IPrec(recall=1.0)"),
    ("Rprec_mult_1.20", "RprecMult(multiple=1.2)"), ("11pt_avg", "IPrecAvg"), ("set_relative_P",
                                                                               "SetP(relative='yes')"),
    ("num_rel_ret", "NumRet(rel=1)"), ("num_ret", "NumRet"), ("SetR", "R"), ("set_recall", "R"),
    ("INST(T=2.0, max_rel=4)", "INST(T=2.0, max_grade=4)"), ("BPM(max_rel=3,min_rel=1)@5",
                                                             "BPM(max_grade=3, min_grade=1)@5"),
    ("SetF(beta=2.0)", "SetF(beta=2.0)"), ("gm_map", "GMAP"), ("Compat(normalize=False)", "Compat(normalize='no')"),
])
def test_spellings_of_the_peers_are_read(text, canonical):
    assert str(parse_spec(text)) == canonical and str(parse_spec(canonical)) == canonical


def test_every_measure_of_trec_evals_all_trec_is_read():
    names = pytrec_eval.supported_nicknames["all_trec"] - {"runid", "relstring"}  # no measures
    read = {name for name in names if any(
        name.lower() in (spelled.lower() for spelled in (entry.name, *entry.aliases, *entry.presets))
        for entry in METRICS.values())}
    assert names - read == {"P", "recall", "map", "ndcg", "success"} - read
    assert {str(parse_spec(name)) for name in ("map", "ndcg", "recall")} == {"AP", "nDCG", "R"}
    assert {str(parse_spec(name)) for name in ("P_5", "success_5")} == {"P@5", "Success@5"}


def test_rounding_to_the_nearest_is_that_of_trec_eval_10():
    """By hand: 3 relevant, level 0.4 is 1.2 documents: 9 takes 2 (precision 2/4), 10 takes 1 (precision 1)."""
    run, truth = run_of({"q": ["a", "x", "y", "b", "z"]}), truth_of({"q": ["a", "b", "c"]})
    values = evaluate(run, truth, "IPrec@0.4 IPrec(rounding='nearest')@0.4").values[0].tolist()
    assert values == [0.5, 1.0]
