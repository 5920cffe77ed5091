"""Values of recipes without building a run are those of the run that would be built."""

from __future__ import annotations

import numpy as np
from fusion_cases import random_lists, run_of

from ragdash import Truth, evaluate, fuse, parse_specs
from ragdash.experiments.fusion import candidates as candidates_module
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.recipe import make_recipe

SPECS = parse_specs("nDCG@10 RR P@3 R@5 AP bpref Judged@5 Success@1")
CHOICES = [
    {}, {"params": {"k": 1.0}}, {"params": {"weights": (0, 1, 0)}}, {"params": {"weights": (0.4, 0.6, 0)}},
    {"window": 3}, {"preset": "elasticsearch-rrf", "window": 4}, {"preset": "milvus-rrf"},
    {"preset": "langchain-ensemble"}, {"preset": "qdrant-rrf", "params": {"weights": (1, 0, 2)}},
    {"method": "weighted", "params": {"weights": (0.2, 0.3, 0.5)}}, {"method": "weighted", "params": {"norm": "borda"}},
    {"method": "combmnz", "window": 5}, {"method": "condorcet"}, {"method": "combmin"}]


def test_values_of_recipes_are_those_of_the_fused_runs(monkeypatch):
    blocks = candidates_module.query_blocks
    monkeypatch.setattr(candidates_module, "query_blocks", lambda starts: blocks(starts, 100))
    systems = random_lists(5)
    runs = [run_of(f"run{i}", lists) for i, lists in enumerate(systems)]
    rng = np.random.default_rng(0)
    judged = [(f"q{q}", f"d{d:02}", int(rng.integers(-1, 3))) for q in range(32) for d in rng.permutation(24)[:6]]
    truth = Truth.build("qrels", *([row[i] for row in judged] for i in range(3)))
    pool = judged_pool(runs, truth)
    recipes = [make_recipe(runs, **choice) for choice in CHOICES]
    values = pool.values(recipes, SPECS)
    for choice, row in zip(CHOICES, values, strict=True):
        arguments = {"method": "rrf", **choice, **choice.get("params", {})}
        arguments.pop("params", None)
        expected = evaluate(fuse(runs, **arguments), truth, SPECS).values
        np.testing.assert_array_equal(row.T, expected, err_msg=str(choice))


def test_a_cascade_leaves_out_what_only_the_second_run_has():
    runs = [run_of("a", {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}), run_of("b", {"q": {"d9": 3.0, "d2": 2.0}})]
    truth = Truth.build("qrels", ["q", "q"], ["d9", "d2"], [1, 1])
    recipes = [make_recipe(runs, "cascade", params={"depth": depth}) for depth in (1, 2)]
    np.testing.assert_array_equal(judged_pool(runs, truth).values(recipes, parse_specs("RR R@9"))[:, :, 0],
                                  [[0.5, 0.5], [1.0, 0.5]])
