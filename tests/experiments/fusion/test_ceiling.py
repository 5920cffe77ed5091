"""The ceiling of a fusion, and what a fused run changes, by hand and against sets of documents."""

from __future__ import annotations

import ast
from types import SimpleNamespace

import numpy as np
import pytest
from fusion_cases import random_lists, run_of

from ragdash import Truth, evaluate, fuse, parse_specs
from ragdash.experiments.fusion import candidates as candidates_module
from ragdash.experiments.fusion.alternatives import mix_of
from ragdash.experiments.fusion.ceiling import ceiling, ceiling_means, changes, churn, windows_of
from ragdash.experiments.fusion.export.snippets import engine_snippet, python_snippet
from ragdash.experiments.fusion.fuse import FEW, documents
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.recipe import make_recipe
from ragdash.experiments.fusion.tuning.grids import settings
from ragdash.reporting.sentences.what_if import churn_sentence


def test_the_ceiling_is_the_best_order_of_what_any_run_returns_in_the_window():
    runs = [run_of("a", {"q": {"x": 4.0, "y": 3.0, "good": 2.0, "z": 1.0}}),
            run_of("b", {"q": {"u": 3.0, "best": 2.0, "bad": 1.0}})]
    truth = Truth.build("qrels", ["q"] * 4, ["good", "best", "bad", "lost"], [1, 2, 0, 1])
    pool = judged_pool(runs, truth)
    [rr, ndcg, recall] = parse_specs("RR nDCG@10 R@10")
    assert windows_of(pool) == [1, 3, 4]
    assert ceiling(pool, rr, [1, 2, 3])[:, 0].tolist() == [0.0, 1.0, 1.0]
    ideal = 2 + 1 / np.log2(3) + 1 / np.log2(4)
    np.testing.assert_allclose(ceiling(pool, ndcg, [2, 3])[:, 0], [2 / ideal, (2 + 1 / np.log2(3)) / ideal])
    np.testing.assert_allclose(ceiling(pool, recall, [1, 2, 4])[:, 0], [0, 1 / 3, 2 / 3])


def test_no_setting_exceeds_the_ceiling_and_changes_are_those_of_the_sets(monkeypatch):
    blocks = candidates_module.query_blocks
    monkeypatch.setattr(candidates_module, "query_blocks", lambda starts: blocks(starts, 90))
    systems = random_lists(8)[:2]
    runs = [run_of(f"run{i}", lists) for i, lists in enumerate(systems)]
    rng = np.random.default_rng(1)
    judged = [(f"q{q}", f"d{d:02}", int(rng.integers(0, 3))) for q in range(30) for d in rng.permutation(20)[:5]]
    truth = Truth.build("qrels", *([row[i] for row in judged] for i in range(3)))
    pool = judged_pool(runs, truth)
    specs = parse_specs("nDCG@10 RR R@5 P@3")
    for window in (3, None):
        values = pool.values(settings(runs, window, "weighted"), specs)
        for index, spec in enumerate(specs):
            best = ceiling(pool, spec, [window or 99])[0]
            assert np.all((values[:, index] <= best + 1e-9) | np.isnan(best))
    for recipe in (make_recipe(runs), make_recipe(runs, "weighted", 4), make_recipe(runs, preset="elasticsearch-rrf"),
                   make_recipe(runs, params={"weights": (0, 1)})):
        fused = fuse(runs, recipe.method, recipe.window, preset=recipe.preset, **recipe.given)
        changed = churn(pool, recipe, 0, 3)
        for index, query in enumerate(pool.pool.query_ids.to_pylist()):
            mine, single = ([] if query not in run.query_ids.to_pylist() else run.ranking(query)["doc_id"].to_pylist()
                            for run in (fused, runs[0]))
            assert changed.first[index] == (mine[:1] != single[:1]), (query, recipe)
            assert changed.top[index] == (set(mine[:3]) != set(single[:3])), (query, recipe)


def test_changes_name_the_queries_and_leave_out_those_that_do_not_count():
    """By hand: q1 loses its relevant first result, q2 gains one, q3 has equal lists, q4 has no judgment."""
    runs = [run_of("a", {"q1": {"good": 2.0, "x": 1.0}, "q2": {"x": 2.0, "good": 1.0}, "q3": {"x": 2.0, "y": 1.0},
                         "q4": {"x": 2.0, "y": 1.0}}),
            run_of("b", {"q1": {"x": 2.0, "z": 1.0}, "q2": {"good": 2.0, "z": 1.0}, "q3": {"x": 2.0, "y": 1.0},
                         "q4": {"z": 1.0}})]
    truth = Truth.build("qrels", ["q1", "q2", "q3"], ["good", "good", "x"], [1, 1, 1])
    [spec] = parse_specs("RR")
    mix = mix_of(judged_pool(runs, truth), spec, make_recipe(runs, params={"weights": (0, 1)}))
    assert mix.comparison.baseline == "a" and round(mix.mean, 3) == round(2 / 3, 3) and mix.ceiling.value == 1.0
    assert mix.ceiling.windows == (1, 2) and mix.ceiling.best.tolist() == [1.0, 1.0]
    assert round(mix.ceiling.single, 3) == round(2.5 / 3, 3)
    found = mix.changes
    assert (found.queries, found.first, found.top, found.tied) == (3, ("q1", "q2"), ("q1", "q2"), ())
    assert (found.gained, found.lost) == (("q2",), ("q1",))
    pool = judged_pool(runs, truth)
    only = np.array([name == "q2" for name in truth.query_ids.to_pylist()])
    part = changes(pool, make_recipe(runs, params={"weights": (0, 1)}), 0, np.array([-1.0, 0.5, 0.0]), 1, only)
    assert (part.queries, part.first, part.top, part.gained, part.lost) == (1, ("q2",), ("q2",), ("q2",), ())
    runs = [run_of("a", {"q": {"x": 2.0, "y": 1.0}}), run_of("b", {"q": {"y": 2.0, "x": 1.0}})]
    pool = judged_pool(runs, Truth.build("qrels", ["q"], ["x"], [1]))
    assert changes(pool, make_recipe(runs), 0, np.zeros(1), 1).tied == ("q",), "each is first once and second once"


def test_the_sets_of_a_short_run_are_compared_down_to_its_depth():
    """By hand: run a has two documents. Fused, both queries have three, but only q2 has other first two."""
    runs = [run_of("a", {"q1": {"x": 2.0, "y": 1.0}, "q2": {"x": 2.0, "y": 1.0}}),
            run_of("b", {"q1": {"x": 3.0, "y": 2.0, "w": 1.0}, "q2": {"x": 2.0, "z": 1.0}})]
    pool = judged_pool(runs, Truth.build("qrels", ["q1", "q2"], ["x", "z"], [1, 1]))
    recipe = make_recipe(runs, params={"weights": (0.4, 0.6)})
    found = changes(pool, recipe, 0, np.zeros(2), 10)
    assert (found.k, found.is_depth, found.top) == (2, True, ("q2",))
    assert ("Against the best single run (it returns at most 2 documents), the first result changes for 0 of 2 "
            "queries, the set of the first 2 for 1. ") in churn_sentence(found, "MRR")
    apart, alike = (churn_sentence(found, "MRR", SimpleNamespace(wins=wins, losses=0)) for wins in (2, 0))
    assert "worse for 0, on the queries that chose this setting. On held-out queries" in apart
    assert apart.endswith("it is better for 2 and worse for 0.")
    assert alike.endswith("worse for 0, also on held-out queries.")
    exact = changes(pool, recipe, 0, np.zeros(2), 2)
    assert (exact.k, exact.is_depth) == (2, False)
    assert "single run, the first result changes for 0 of 2" in churn_sentence(exact, "MRR")


def test_recipes_as_code_have_their_values():
    runs = [run_of(name, {"q": {"d": 1.0}}) for name in ("bm25", "dense")]
    recipe = make_recipe(runs, preset="elasticsearch-rrf", window=50, params={"k": 20.0, "weights": (0.3, 0.7)})
    code = engine_snippet(recipe)
    assert '"rank_constant": 20' in code and '"rank_window_size": 50' in code and '"weight": 0.7' in code
    assert "alpha=0.4" in engine_snippet(make_recipe(runs, preset="weaviate-relative", params={"alpha": 0.4}))
    for preset in ("elasticsearch-linear", "opensearch-min_max", "opensearch-rrf", "qdrant-rrf", "qdrant-dbsf",
                   "milvus-rrf", "milvus-weighted", "langchain-ensemble"):
        assert engine_snippet(make_recipe(runs, preset=preset))
    assert engine_snippet(make_recipe(runs)) is None
    code = python_snippet(recipe, ["bm25", "dense"])
    call = next(line for line in code.splitlines() if line.startswith("hybrid"))
    import ragdash

    again = eval(call.removeprefix("hybrid = "), {"ragdash": ragdash, "runs": runs})
    assert again.settings["fusion"] == fuse(runs, preset="elasticsearch-rrf", window=50, k=20.0,
                                            weights=(0.3, 0.7)).settings["fusion"]


def test_ids_of_a_few_documents_are_those_of_all():
    runs = [run_of(f"run{i}", lists) for i, lists in enumerate(random_lists(5))]
    for block in judged_pool(runs, Truth.build("qrels", ["q1"], ["d01"], [1])).blocks:
        for candidates in (block.candidates, block.candidates.only([2, 0], 3)):
            every = documents(candidates, np.arange(len(candidates))).to_pylist()
            chosen = np.random.default_rng(1).permutation(len(candidates))[:len(candidates) // 6]
            assert len(chosen) * FEW < len(candidates)
            assert documents(candidates, chosen).to_pylist() == [every[index] for index in chosen]


def test_the_curve_by_window_has_the_values_of_fusions_with_these_windows():
    runs = [run_of(f"run{i}", lists) for i, lists in enumerate(random_lists(2)[:2])]
    truth = Truth.build("qrels", [f"q{q}" for q in range(30)], [f"d{q % 20:02}" for q in range(30)], [1] * 30)
    pool, [spec] = judged_pool(runs, truth), parse_specs("RR")
    for recipe in (make_recipe(runs, params={"k": 3.0}), make_recipe(runs, preset="elasticsearch-rrf")):
        curve = ceiling_means(pool, spec, np.zeros(30), None, recipe)
        for window, value in zip(curve.windows, curve.hybrid, strict=True):
            fused = fuse(runs, recipe.method, window, preset=recipe.preset, **recipe.given)
            assert value == pytest.approx(evaluate(fused, truth, [spec]).column(spec).mean()), (recipe.preset, window)
    assert len(set(curve.hybrid)) > 2 and np.all(curve.hybrid <= curve.best)
    assert np.isnan(ceiling_means(pool, spec, np.zeros(30)).hybrid).all()


@pytest.mark.parametrize("name", ['a"b', 'a"""b', "a\nb", "a\\", '"); print("called'])
def test_a_name_of_a_run_in_code_is_a_text_whatever_it_holds(name):
    runs = [run_of(name, {"q": {"x": 1.0}}), run_of("b", {"q": {"x": 1.0}})]
    code = ast.parse(python_snippet(make_recipe(runs), [name, "b"]))
    names = [node.value for node in ast.walk(code) if isinstance(node, ast.Constant)]
    assert f"{name}.trec" in names
    assert len(code.body) == 5  # two imports, the runs, the hybrid, and the file
