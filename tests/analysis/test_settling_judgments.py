"""Which judgments settle the winner: against every assignment of grades, by hand, and in a small simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import norm

from ragdash import InputError, Run, Truth, evaluate, parse_specs
from ragdash.analysis.test_set.unjudged import plan_judgments
from ragdash.matching.match import Match

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


def test_chances_are_those_of_judged_documents_at_like_ranks():
    runs = runs_of({"a": [["r1", "n1", "u1"]] * 20, "b": [["r1", "u2", "n1"]] * 20})
    rows = [(f"q{i}", doc, int(doc == "r1")) for i in range(20) for doc in ("r1", "n1")]
    plan = planned(runs, Truth.build("qrels", *([row[i] for row in rows] for i in range(3))), parse_specs("P@3")[0])
    # Best ranks: r1 1, n1 2, u1 3, u2 2. Ranks 2 and 3 are one group, 0 of 20 relevant: 2.5 / 25; rank 1: 22.5 / 25.
    # Each query has 1 relevant document of 0.9 + 0.1 expected ones: like all others.
    assert plan.table["chance"].to_pylist() == pytest.approx([0.1] * plan.total)
    only = planned(runs, Truth.build("qrels", [f"q{i}" for i in range(20)], ["r1"] * 20, [1] * 20))
    assert set(only.table["chance"].to_pylist()) == {0.5}


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
