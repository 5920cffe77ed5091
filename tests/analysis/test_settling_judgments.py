"""Which judgments settle the winner: against every assignment of grades, by hand, and in a small simulation."""

from __future__ import annotations

import runpy
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from ragdash import InputError, Run, Truth, evaluate, parse_specs
from ragdash.analysis.test_set.unjudged import expected_ideal, relevance_chances
from ragdash.analysis.test_set.unjudged.relevance_chances import PRIOR_MEAN, PRIOR_SPREAD
from ragdash.analysis.test_set.unjudged.settle import plan_judgments
from ragdash.matching.match import Match
from ragdash.reporting.test_set import plan_cautions, plan_dict, plan_sentence, plan_sentences

[P2] = parse_specs("P@2")


def runs_of(lists: dict[str, list[list[str]]]) -> list[Run]:
    """Runs from {name: the documents of each query}."""
    return [Run.build(name, [f"q{i}" for i, docs in enumerate(queries) for _ in docs],
                      [doc for docs in queries for doc in docs]) for name, queries in lists.items()]


def planned(runs: list[Run], truth: Truth, spec=P2, **options):
    return plan_judgments([Match(run, truth) for run in runs], spec, **options)


def test_the_chance_that_the_leader_is_better_is_that_of_all_grades():
    rng = np.random.default_rng(3)
    lists = {name: [[f"d{i}" for i in rng.permutation(4)[:2]] for _ in range(5)] for name in ("a", "b")}
    runs = runs_of(lists)
    truth = Truth.build("qrels", ["q0", "q0"] + [f"q{i}" for i in range(1, 5)], [lists["a"][0][0], "x", *"yyyy"],
                        [1, 0, 1, 1, 1, 1])
    plan = planned(runs, truth, chance=0.5, limit=None)
    rows = list(zip(plan.table["query_id"].to_pylist(), plan.table["doc_id"].to_pylist(), strict=True))
    judged = list(zip(truth.query_ids.take(pa.array(truth.queries)).to_pylist(),
                      truth.docs.to_pylist(), truth.grades.tolist(), strict=True))
    differences = []
    for grades in product((0, 1), repeat=len(rows)):
        cells = [*judged, *((query, doc, grade) for (query, doc), grade in zip(rows, grades, strict=True))]
        full = Truth.build("qrels", *([cell[i] for cell in cells] for i in range(3)))
        a, b = (np.nanmean(evaluate(run, full, [P2]).values) for run in runs)
        differences.append(a - b if plan.leader == "a" else b - a)
    differences = np.array(differences)
    assert plan.sure == pytest.approx(norm.cdf(differences.mean() / differences.std()))  # P@k is a sum over documents
    assert abs(plan.sure - ((differences > 1e-9).mean() + (np.abs(differences) < 1e-9).mean() / 2)) < 0.08
    assert sum(plan.table["doubt"].to_pylist()) == pytest.approx(1.0) and plan.total == len(rows)
    assert all(chance == 0.5 for chance in plan.table["chance"].to_pylist())


def test_what_is_sure_needs_no_judgment_and_what_no_judgment_can_decide_is_said():
    ahead = runs_of({"good": [["r", "s"]] * 12, "bad": [["x", "y"]] * 12})
    rows = [(f"q{i}", doc, int(doc in "rs")) for i in range(12) for doc in "rsxy"]
    truth = Truth.build("qrels", *([row[i] for row in rows] for i in range(3)))
    plan = planned(ahead, truth)
    assert (plan.leader, plan.rivals, plan.sure, plan.needed, plan.total) == ("good", (), 1.0, (0.0, 0.0, 0.0), 0)
    equal = runs_of({"one": [["r", "x"]], "two": [["x", "r"]]})
    plan = planned(equal, Truth.build("qrels", ["q0"], ["r"], [1]))
    assert plan.sure == 0.5 and plan.total == 0 and plan.undecided == 1.0 and np.isnan(plan.needed).all()
    # One open document alone: relevant, "two" is ahead by 1/2; else both are equal.
    single = runs_of({"one": [["r", "n"]], "two": [["r", "x"]]})
    plan = planned(single, Truth.build("qrels", ["q0", "q0"], ["r", "n"], [1, 0]), chance=0.5, worlds=200)
    assert plan.leader == "two" and plan.table["doc_id"].to_pylist() == ["x"]
    assert plan.needed == (1.0, 1.0, 1.0) and 0.35 < plan.undecided < 0.65
    with pytest.raises(InputError):
        planned(single[:1], truth)


def test_chances_are_those_of_judged_documents_at_like_ranks_and_of_the_query():
    runs = runs_of({"a": [["r1", "n1", "u1"]] * 20, "b": [["r1", "u2", "n1"]] * 20})
    rows = [(f"q{i}", doc, int(doc == "r1")) for i in range(20) for doc in ("r1", "n1")]
    plan = planned(runs, Truth.build("qrels", *([row[i] for row in rows] for i in range(3))), parse_specs("P@3")[0])
    # Each query has one relevant document, always at rank 1, and it is known: what is left at ranks 2 and 3 is not.
    assert plan.basis == "judged" and (plan.judged, plan.relevant) == (40, 20)
    assert max(plan.table["chance"].to_pylist()) < 0.1 and not plan_cautions(plan)
    only = planned(runs, Truth.build("qrels", [f"q{i}" for i in range(20)], ["r1"] * 20, [1] * 20))
    assert set(only.table["chance"].to_pylist()) == {0.5} and only.basis == "unknown"
    assert "no forecast" in plan_cautions(only)[0]


def test_relevant_documents_that_came_with_the_questions_show_no_rate():
    rng = np.random.default_rng(8)
    runs = runs_of({name: [[f"d{i}" for i in rng.permutation(12)[:10]] for _ in range(60)] for name in ("a", "b")})
    known = [(f"q{i}", "d0", 1) for i in range(60)]  # the one document that each question was written for
    added = [(f"q{i}", f"d{doc}", int(rng.random() < 0.1)) for i in range(60) for doc in (1, 2)]
    before, truth = (Truth.build("qrels", *([row[i] for row in rows] for i in range(3)))
                     for rows in (known, known + added))
    p10 = parse_specs("P@10")[0]
    share = np.mean([grade for _, _, grade in added])
    plan = planned(runs, truth, p10, before=before, limit=None)
    returned = {(query, doc) for run in runs for query in truth.query_ids.to_pylist()
                for doc in run.ranking(query)["doc_id"].to_pylist()}
    assert plan.basis == "judged" and plan.judged == sum((query, doc) in returned for query, doc, _ in added)
    assert np.mean(plan.table["chance"].to_pylist()) == pytest.approx(share, abs=0.05)
    assert np.mean(planned(runs, truth, p10, limit=None).table["chance"].to_pylist()) > 2 * share
    assert planned(runs, before, p10, before=before).basis == "unknown", "none is added yet"
    some = Truth.build("qrels", *([row[i] for row in known + added[:2]] for i in range(3)))
    assert planned(runs, truth, p10, before=some).table.equals(planned(runs, truth, p10).table), "it was judged before"


def test_the_chance_that_judging_changes_the_leader_is_that_of_all_grades():
    rng = np.random.default_rng(5)
    lists = {name: [[f"d{i}" for i in rng.permutation(5)[:2]] for _ in range(6)] for name in ("a", "b")}
    lists["a"][0][0] = "r"
    runs = runs_of(lists)
    truth = Truth.build("qrels", ["q0", *(f"q{i}" for i in range(6))], ["r", *"yyyyyy"], [1, *[1] * 6])
    plan = planned(runs, truth, chance=0.4, limit=None)
    rows = plan.table.to_pylist()
    sign = [1 if row["runs"] == [plan.leader] else -1 for row in rows]  # no row is of both runs
    start = (1 if plan.leader == "a" else -1) + 0.4 * sum(sign)  # in units of one document
    assert start > 0 and len(rows) >= 8 and set(map(len, plan.table["runs"].to_pylist())) == {1}
    for n in range(1, len(rows) + 1):
        changed = 0.0
        for grades in product((0, 1), repeat=n):
            after = start + sum(side * (grade - 0.4) for side, grade in zip(sign, grades, strict=False))
            chance = 0.4 ** sum(grades) * 0.6 ** (n - sum(grades))
            changed += chance * ((after < -1e-9) + (abs(after) < 1e-9) / 2)
        assert rows[n - 1]["change"] == pytest.approx(changed, abs=0.1)  # one whole document is a step of the shares
    assert rows[-1]["change"] == pytest.approx(1 - plan.sure)
    few = planned(runs, truth, chance=0.4, limit=3)
    assert f"probability of {rows[2]['change']:.0%}; judging all {len(rows)}, of" in plan_sentences(few)[1]
    assert len(plan_sentences(plan)) > 1 and "judging all" not in plan_sentences(plan)[1]


def test_without_a_document_judged_not_relevant_several_chances_are_shown_and_no_forecast():
    runs = runs_of({"one": [["r", "x", "y"]] * 10, "two": [["z", "r", "w"]] * 12})
    truth = Truth.build("qrels", [f"q{i}" for i in range(12)], ["r"] * 12, [1] * 12)
    plan = planned(runs, truth, parse_specs("P@3")[0])
    given = [planned(runs, truth, parse_specs("P@3")[0], chance=one.chance) for one in plan.assumptions]
    assert [one.chance for one in plan.assumptions] == [0.02, 0.1, 0.5] and not any(one.assumptions for one in given)
    assert [(one.leader, one.sure, one.needed) for one in plan.assumptions] == [
        (one.leader, one.sure, one.needed) for one in given]
    first, *others = plan_sentences(plan, {"two": "second"})
    assert "cannot be forecast" in first and "With 2% of them relevant, second is better" in first
    assert all(text not in " ".join(others) for text in ("with a probability", "changes which run"))
    assert [one["chance"] for one in plan_dict(plan)["assumptions"]] == [0.02, 0.1, 0.5]


def test_the_model_of_chances_has_its_mode_where_an_optimizer_finds_it():
    rng = np.random.default_rng(2)
    features = np.column_stack([np.ones(80), np.log(rng.integers(1, 11, 80)), rng.random(80)])
    relevant = rng.random(80) < 0.3

    def loss(coefficients: np.ndarray) -> float:
        values = features @ coefficients
        center = np.array([np.log(share / (1 - share)) - features.mean(axis=0) @ PRIOR_MEAN, *PRIOR_MEAN[1:]])
        return float(np.logaddexp(0, values).sum() - values[relevant].sum()
                     + (((coefficients - center) / PRIOR_SPREAD) ** 2).sum() / 2)

    share = (relevant.sum() + 0.5) / 81
    expected = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-8})
    coefficients, covariance = relevance_chances._fitted(features, relevant)
    assert coefficients == pytest.approx(expected.x, abs=1e-4)
    steps = np.eye(3) * 1e-3
    curvature = [[(loss(expected.x + a + b) - loss(expected.x + a - b) - loss(expected.x - a + b)
                   + loss(expected.x - a - b)) / 4e-6 for b in steps] for a in steps]
    assert covariance == pytest.approx(np.linalg.inv(curvature), rel=1e-3)


def test_a_query_with_exactly_one_relevant_document_has_no_chance_left_once_it_is_known():
    # Ten queries, two judged documents each with a rate of 0.25, one relevant document in half of them, never two:
    # e = 0.5, (r - e)^2 = 0.25, noise = 0.375, pairs e^2 - 2/16 = 0.125: c = 10 (0.25 - 0.375) / (1.25 + 2) = -0.385.
    query, relevant = np.repeat(np.arange(10), 2), np.tile([True, False, False, False], 5)
    factors = relevance_chances._query_factors(query, np.full(20, 0.25), relevant, 11)
    common = 10 * (0.25 - 0.375) / (10 * 0.125 + relevance_chances.QUERY_PRIOR)
    step = common * 0.5 * 0.5 / (0.375 + common * 0.125)
    assert factors.tolist() == pytest.approx([1 + step, 1 - step] * 5 + [1.0]) and step < 0
    many = relevance_chances._query_factors(np.repeat(np.arange(1000), 2), np.full(2000, 0.25), np.tile(relevant, 100),
                                            1000)
    assert many[0] < 0.03 and many[1] == pytest.approx(2.0, abs=0.03)  # (1 - r) / (1 - e) for exactly one: 0 and 2


@pytest.mark.parametrize("kind", ["one", "about one", "many"])
def test_chances_come_true_in_a_simulation(kind):
    benchmark = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "judgments.py"))
    [spec] = parse_specs("P@10")
    for how in ("40 % at random", "depth 2"):
        rows = [benchmark["_one_plan"](spec, kind, how, seed) for seed in range(4)]
        predicted, observed = (np.concatenate([row[side] for row in rows]) for side in (0, 1))
        error = benchmark["_calibration_error"](predicted, observed, np.array([0, 0.05, 0.2, 0.5, 1.01]))
        assert error < (0.06 if kind == "many" else 0.015), (how, error)
        assert ((predicted - observed) ** 2).mean() < (0.9 if kind == "many" else 1.1) * observed.var()


def test_a_metric_with_an_ideal_is_said_to_be_too_sure_where_many_relevant_documents_are_unknown():
    rng = np.random.default_rng(1)
    runs = runs_of({name: [[f"d{i}" for i in rng.permutation(9)] for _ in range(12)] for name in ("a", "b")})
    rows = [(f"q{i}", doc, int(doc == "d1")) for i in range(12) for doc in ("d1", "d2")]
    truth = Truth.build("qrels", *([row[i] for row in rows] for i in range(3)))
    average, *others = parse_specs("AP@5 P@5 nDCG@5 R@5")
    assert "depends on their number" in plan_cautions(planned(runs, truth, average, chance=0.5))[0]
    assert not any(plan_cautions(planned(runs, truth, spec, chance=0.5)) for spec in others)
    assert not plan_cautions(planned(runs, truth, average, chance=0.01))


def test_a_winner_that_rests_on_an_assumed_chance_is_no_forecast():
    """All judged documents are relevant, so 50% is assumed, and that alone would name a sure winner."""
    runs = runs_of({"one": [["r", "x", "y"]] * 40, "two": [["r"]] * 40})
    truth = Truth.build("qrels", [f"q{i}" for i in range(40)], ["r"] * 40, [1] * 40)
    plan = planned(runs, truth, parse_specs("P@3")[0])
    assert (plan.leader, plan.rivals, plan.basis) == ("one", (), "unknown")
    assert "no forecast" in plan_cautions(plan)[0]
    assert plan_sentences(plan)[0].count("with a probability of") == 3  # of each chance that could be assumed
    sure = plan_sentence(plan.leader, plan.rivals, plan.sure, plan.needed, plan.undecided, plan.total)
    assert sure.startswith("On these queries one is better with a probability of more than 99%")


@pytest.mark.parametrize("metric", ["nDCG@3", "nDCG(gain='exp')@3", "R@3", "nDCG"])
def test_expected_values_and_changes_are_those_of_all_grades(metric):
    """A ratio under every assignment of grades to the unjudged documents, weighted by its probability."""
    [spec] = parse_specs(metric)
    runs = runs_of({"a": [["r", "u", "v", "n", "w"], ["u", "r"]], "b": [["v", "n", "r", "u", "z"], ["n", "u"]]})
    judged = [("q0", "r", 1), ("q0", "s", 2), ("q0", "n", 0), ("q1", "n", 0)]
    truth = Truth.build("qrels", *([row[i] for row in judged] for i in range(3)))
    plan = planned(runs, truth, spec, chance=0.5, limit=None, level=1.0)
    rows = list(zip(plan.table["query_id"].to_pylist(), plan.table["doc_id"].to_pylist(), strict=True))
    unjudged = [("q0", doc) for doc in ("u", "v", *("wz" if spec.k is None else ""))] + [("q1", "u"), ("q1", "r")]
    values = []
    for grades in product((0, 2), repeat=len(unjudged)):
        cells = [*judged, *((query, doc, grade) for (query, doc), grade in zip(unjudged, grades, strict=True))]
        full = Truth.build("qrels", *([cell[i] for cell in cells] for i in range(3)))
        values.append([np.nan_to_num(evaluate(run, full, [spec]).values[:, 0]).mean() for run in runs])
    gap = np.subtract(*np.array(values).T) * (1 if plan.leader == "a" else -1)
    grades = np.array(list(product((0, 1), repeat=len(unjudged))))
    wanted = {place: gap[grades[:, i] == 1].mean() - gap[grades[:, i] == 0].mean() for i, place in enumerate(unjudged)}
    assert set(rows) == {place for place, change in wanted.items() if abs(change) > 1e-9}
    variance = sum(change ** 2 for change in wanted.values()) / 4
    assert plan.sure == pytest.approx(norm.cdf(gap.mean() / variance ** 0.5))
    doubt = dict(zip(rows, plan.table["doubt"].to_pylist(), strict=True))
    for place, change in wanted.items():
        assert doubt.get(place, 0.0) == pytest.approx(change ** 2 / 4 / variance, abs=1e-12)


def test_the_distribution_of_the_number_of_relevant_documents_is_that_of_all_grades():
    rng = np.random.default_rng(4)
    query, chance = np.array([0] * 6 + [2] * 3), rng.random(9)
    counts = expected_ideal.relevant_counts(query, chance, 3, 3)  # three or more are together
    assert counts.share[1].tolist() == [1, 0, 0, 0]
    for left_out in (None, *range(9)):
        for number in (0, 2):
            part = chance[(query == number) & (np.arange(9) != left_out)]
            share = np.zeros(4)
            for grades in product((0, 1), repeat=len(part)):
                share[min(sum(grades), 3)] += np.prod(np.where(grades, part, 1 - part))
            if left_out is None:
                assert counts.share[number] == pytest.approx(share)
            elif query[left_out] == number:
                assert counts.without[left_out] == pytest.approx(share, abs=1e-9)


def test_a_plan_for_ndcg_names_the_right_run_where_many_relevant_documents_are_unknown():
    """With the ideal of today's judgments the surer a plan was, the more often it named the wrong run."""
    benchmark = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "judgments.py"))
    [spec] = parse_specs("nDCG@10")
    rows = [benchmark["_one_plan"](spec, "many", how, seed)[2] for how in ("40 % at random", "depth 2")
            for seed in range(8)]
    sure, right = np.array([row for row in rows if row is not None], float).T
    assert right.mean() > 0.6 and ((sure - right) ** 2).mean() < 0.25


def test_documents_that_both_runs_have_are_not_worth_a_judgment():
    rng = np.random.default_rng(8)
    queries, docs = 25, 30
    relevant = rng.random((queries, docs)) < 0.3
    relevant[:, 0] = True  # P@5 is defined for every query
    noise = {"a": 1.0, "b": 1.1}
    lists = {name: [[f"d{d}" for d in np.argsort(-(row + rng.normal(size=docs) * spread))[:5]] for row in relevant]
             for name, spread in noise.items()}
    runs, [spec] = runs_of(lists), parse_specs("P@5")
    seeds = [(f"q{q}", f"d{d}", int(relevant[q, d])) for q in range(queries) for d in (0, 1)]
    truth = Truth.build("qrels", *([row[i] for row in seeds] for i in range(3)))
    plan = planned(runs, truth, spec, limit=None, level=0.9999)
    doubt = np.array(plan.table["doubt"].to_pylist())
    assert np.all(np.diff(doubt) <= 1e-12) and plan.needed[0] <= plan.needed[1] <= plan.needed[2] <= plan.total
    both = [len(names) for names in plan.table["runs"].to_pylist()]
    assert set(both) == {1}  # a document that both runs have in their first five cannot decide P@5
