"""Values of recipes without building a run are those of the run that would be built."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from fusion_cases import random_lists, run_of

from ragdash import METRICS, Run, Truth, evaluate, fuse, parse_specs
from ragdash.experiments.fusion import candidates as candidates_module
from ragdash.experiments.fusion.judged_pool import JudgedPool, deepest, has_scores_of_ranks, judged_pool, least_scores
from ragdash.experiments.fusion.recipe import make_recipe
from ragdash.experiments.fusion.tuning.grids import settings

WHOLE = parse_specs("nDCG@10 RR P@3 R@5 AP bpref Judged@5 Success@1")
TOP = parse_specs("nDCG@10 P@3 R@5 Judged@5 Success@1")
CHOICES = [
    {}, {"params": {"k": 1.0}}, {"params": {"weights": (0, 1, 0)}}, {"params": {"weights": (0.4, 0.6, 0)}},
    {"window": 3}, {"preset": "elasticsearch-rrf", "window": 4}, {"preset": "milvus-rrf"},
    {"preset": "langchain-ensemble"}, {"preset": "qdrant-rrf", "params": {"weights": (1, 0, 2)}},
    {"method": "weighted", "params": {"weights": (0.2, 0.3, 0.5)}}, {"method": "weighted", "params": {"norm": "borda"}},
    {"method": "combmnz", "window": 5}, {"method": "condorcet"}, {"method": "combmin"}]


def random_pool(seed: int, monkeypatch, rows: int = 100) -> tuple[list[Run], Truth, JudgedPool]:
    """Three runs with ties, missing queries and several blocks of queries; random grades of too many to compare."""
    blocks = candidates_module.query_blocks
    monkeypatch.setattr(candidates_module, "query_blocks", lambda starts: blocks(starts, rows))
    runs = [run_of(f"run{i}", lists) for i, lists in enumerate(random_lists(seed))]
    rng = np.random.default_rng(0)
    judged = [(f"q{q}", f"d{d:02}", int(rng.integers(-1, 3))) for q in range(32) for d in rng.permutation(24)[:14]]
    truth = Truth.build("qrels", *([row[i] for row in judged] for i in range(3)))
    pool = judged_pool(runs, truth)
    assert len(pool.blocks) > 1 and not any(block._places.are_few for block in pool.blocks)
    return runs, truth, pool


@pytest.mark.parametrize("specs", [WHOLE, TOP, parse_specs("RR@1")], ids=["whole lists", "first ranks", "first rank"])
def test_values_of_recipes_are_those_of_the_fused_runs(specs, monkeypatch):
    """In two orders, as each recipe begins where the one before it ended."""
    runs, truth, pool = random_pool(5, monkeypatch)
    for choices in (CHOICES, CHOICES[::-1]):
        values = pool.values([make_recipe(runs, **choice) for choice in choices], specs)
        for choice, row in zip(choices, values, strict=True):
            arguments = {"method": "rrf", **choice, **choice.get("params", {})}
            arguments.pop("params", None)
            expected = evaluate(fuse(runs, **arguments), truth, specs).values
            np.testing.assert_array_equal(row.T, expected, err_msg=str(choice))


def test_a_metric_with_a_cutoff_looks_at_the_first_ranks_alone(monkeypatch):
    runs, _, pool = random_pool(6, monkeypatch)
    rank, lengths = (rows[0] for rows in pool.ranks([make_recipe(runs)]))
    specs = [metric.spec(k) for metric in METRICS.values() for k in (1, 4)
             if metric.view == "Ranked" and metric.cutoff != "none"]
    assert len(specs) > 20 and (rank > 4).any()
    for spec in specs:
        assert deepest([spec]) == spec.k
        top = pool.values_of(np.where(rank <= spec.k, rank, 0), lengths, [spec])
        np.testing.assert_array_equal(top, pool.values_of(rank, lengths, [spec]), err_msg=str(spec))
    assert deepest(parse_specs("P@3 P@9")) == 9 and deepest(parse_specs("P@3 RR")) is None and deepest([]) is None


def test_the_highest_scores_reach_the_least_one_whatever_is_known_of_them():
    """Lists of 0 to 40 scores with ties and documents that are left out; the reference sorts all of them."""
    rng = np.random.default_rng(3)
    starts = np.concatenate(([0], np.cumsum(rng.integers(0, 41, 60))))
    scores = np.round(rng.normal(size=starts[-1]), 1)
    scores[rng.random(len(scores)) < 0.1] = np.nan
    for share in (0.0, 0.3, 1.0):  # of the lists whose highest scores are known; of the others, any five
        some = []
        for low, high in pairwise(starts):
            order = np.argsort(-scores[low:high]) if rng.random() < share else rng.permutation(high - low)
            some.append(low + order[:5])
        ends = np.concatenate(([0], np.cumsum([len(rows) for rows in some])))
        least = least_scores(scores, np.concatenate(some), ends, 5)
        for (low, high), bound in zip(pairwise(starts), least, strict=True):
            ordered = np.sort(scores[low:high][~np.isnan(scores[low:high])])[::-1]
            assert bound <= ordered[:5].min(initial=np.inf)
            if share == 1 and len(ordered) >= 5:
                assert bound == ordered[4]
        assert share == 0 or np.isfinite(least).any()


def test_a_cascade_leaves_out_what_only_the_second_run_has():
    runs = [run_of("a", {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}), run_of("b", {"q": {"d9": 3.0, "d2": 2.0}})]
    truth = Truth.build("qrels", ["q", "q"], ["d9", "d2"], [1, 1])
    recipes = [make_recipe(runs, "cascade", params={"depth": depth}) for depth in (1, 2)]
    np.testing.assert_array_equal(judged_pool(runs, truth).values(recipes, parse_specs("RR R@9"))[:, :, 0],
                                  [[0.5, 0.5], [1.0, 0.5]])


@pytest.mark.parametrize(("change", "told"), [((), True), ((7,), False)], ids=["1 / rank", "one other score"])
def test_scores_that_say_no_more_than_the_ranks_are_told(change, told):
    """Lists of 1 to 4 documents for 16 queries; the other run has scores of its own."""
    rng = np.random.default_rng(1)
    rows = [(f"q{q:02}", f"d{rank}", 1 / rank) for q in range(16) for rank in range(1, 2 + q % 4)]
    queries, docs, scores = (list(column) for column in zip(*rows, strict=True))
    for place in change:
        scores[place] *= 1.01
    ranked = Run.build("ranked", queries, docs, scores)
    other = Run.build("other", queries, docs, rng.random(len(docs)))
    pool = judged_pool([ranked, other], Truth.build("qrels", ["q01"], ["d1"], [1]))
    noted = [problem.facts["runs"] for problem in pool.warnings if problem.kind == "fusion-rank-scores"]
    assert noted == ([["ranked"]] if told else [])
    tried = {recipe.method for family in ("all", "joint") for recipe in settings([ranked, other], family=family)}
    assert ("weighted" in tried) is not told, "a sum of scores that follow from ranks is no proposal"
    assert "rrf" in tried and "weighted" in {recipe.method for recipe in settings([ranked, other], family="weighted")}


def test_constant_scores_and_few_queries_are_not_taken_for_ranks():
    queries = [f"q{number // 2:02}" for number in range(24)]
    for scores in ([1.0] * 24, None):
        assert not has_scores_of_ranks(Run.build("a", queries, ["x", "y"] * 12, scores))
    assert not has_scores_of_ranks(Run.build("a", queries[:18], ["x", "y"] * 9, [1.0, 0.5] * 9))
    assert has_scores_of_ranks(Run.build("a", queries[:20], ["x", "y"] * 10, [1.0, 0.5] * 10))
