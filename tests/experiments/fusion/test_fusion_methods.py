"""Fusion methods and normalizations against plain definitions, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from fusion_cases import plain_fusion, random_lists, run_of, two_runs

import ragdash
from ragdash import InputError, Run, Truth, evaluate, fuse
from ragdash.cli.commands.fuse import parameters
from ragdash.core.arrow_columns import take
from ragdash.experiments.fusion import candidates as candidates_module
from ragdash.experiments.fusion.candidates import gather
from ragdash.experiments.fusion.fuse import documents
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.recipe import make_recipe

PLAIN = ["rrf", "weighted", "combsum", "combmnz", "combgmnz", "combanz", "combmed", "combmin", "combmax", "wmnz",
         "mixed", "isr", "log_isr", "logn_isr", "rbc", "borda", "condorcet"]
NORMS = ["min-max", "ranx-min-max", "max", "sum", "z-score", "z-score-sample", "rank", "l2", "arctan", "sigmoid",
         "dbsf"]


def scores_of(run: Run, query: str) -> dict[str, float]:
    table = run.ranking(query)
    return dict(zip(table["doc_id"].to_pylist(), table["score"].to_pylist(), strict=True))


def compare_with_plain(systems, runs, method, **params):
    fused = fuse(runs, method, **params)
    queries = {query for lists in systems for query in lists}
    assert set(fused.query_ids.to_pylist()) == queries
    for query in queries:
        plain = plain_fusion(method, [lists.get(query, {}) for lists in systems], **params)
        assert scores_of(fused, query) == pytest.approx(plain, rel=1e-9, abs=1e-9), (method, query)


@pytest.mark.parametrize("rows_in_a_block", [1 << 16, 40])
def test_every_method_gives_the_scores_of_its_plain_definition(monkeypatch, rows_in_a_block):
    blocks = candidates_module.query_blocks
    monkeypatch.setattr(candidates_module, "query_blocks", lambda starts: blocks(starts, rows_in_a_block))
    systems = random_lists(1)
    runs = [run_of(f"run{i}", lists) for i, lists in enumerate(systems)]
    for method in PLAIN:
        params = {"weights": (0.5, 0.3, 0.2)} if METHODS[method].weighted else {}
        compare_with_plain(systems, runs, method, **params)
    for norm in NORMS:
        compare_with_plain(systems, runs, "combsum", norm=norm)


@pytest.mark.parametrize("longer", [0, 40])
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("alike", ["", ("12", "13"), "9"])  # ids that end so have one hash
def test_hashes_that_collide_do_not_merge_documents(monkeypatch, alike, count, longer):
    systems = [{query: {f"document-{doc}": score for doc, score in docs.items()}
                | {f"document-{i}-{doc}": -99.0 - doc for doc in range(longer)} for query, docs in lists.items()}
               for i, lists in enumerate(random_lists(2)[:count])]  # the hash of up to 8 bytes cannot collide
    runs = [run_of(f"run{i}", lists) for i, lists in enumerate(systems)]
    expected = fuse(runs)
    pool = gather(runs)
    hashes = type(pool.rankings[0]).pairs

    def colliding(self, leg, first):
        query = np.repeat(np.arange(len(leg.lengths)), leg.lengths).astype(np.uint64)
        docs = take(self.run.docs, self.run.rows(leg.positions(np.arange(len(leg.rank))))).to_pylist()
        return np.where([doc.endswith(alike) for doc in docs], query, hashes(self, leg, first))

    monkeypatch.setattr(type(pool.rankings[0]), "pairs", colliding)
    for block in pool.blocks:
        block_of = pool.candidates(block)
        ids = documents(block_of, np.arange(len(block_of))).to_pylist()
        for q in range(len(block_of.lengths)):
            names = ids[block_of.starts[q]:block_of.starts[q + 1]]
            query = pool.query_ids[block[0] + q].as_py()
            assert sorted(names) == sorted(scores_of(expected, query)), query


@pytest.mark.parametrize("method", METHODS)
def test_scores_of_a_query_do_not_depend_on_the_queries_next_to_it(monkeypatch, method):
    systems = random_lists(6, queries=12)[:2]
    runs = [Run.build(run.name, query, run.docs, run.scores, texts=[f"text of {doc}" for doc in run.docs.to_pylist()])
            for run in (run_of(f"run{i}", lists) for i, lists in enumerate(systems))
            for query in [np.repeat(run.query_ids.to_pylist(), np.diff(run.starts)).tolist()]]
    together = fuse(runs, method)
    blocks = candidates_module.query_blocks
    monkeypatch.setattr(candidates_module, "query_blocks", lambda starts: blocks(starts, 1))
    assert fuse(runs, method).digest == together.digest


def test_a_weight_of_zero_or_one_gives_the_single_run_exactly():
    systems = random_lists(3)
    runs = [run_of(f"run{i}", lists) for i, lists in enumerate(systems)]
    truth = Truth.build("qrels", [f"q{i}" for i in range(30) for _ in range(2)], ["d03", "d11"] * 30, [1, 2] * 30)
    for method in ("rrf", "weighted", "wmnz", "mixed"):
        for index, run in enumerate(runs[:2]):
            weights = (1.0 - index, float(index))
            fused = fuse(runs[:2], method, weights=weights)
            for query in run.query_ids.to_pylist():
                assert (fused.ranking(query)["doc_id"].to_pylist() == run.ranking(query)["doc_id"].to_pylist())
            values = [evaluate(single, truth, "nDCG@10 AP RR").values for single in (run, fused)]
            np.testing.assert_array_equal(*values)


def test_a_window_takes_the_first_results_of_each_run_and_ties_are_settled_by_id():
    runs = [run_of("a", {"q": {"d1": 2.0, "d3": 1.0, "d2": 1.0}}), run_of("b", {"q": {"d2": 9.0, "d4": 8.0}})]
    fused = fuse(runs, window=2)
    assert scores_of(fused, "q") == pytest.approx({"d1": 1 / 61, "d2": 1 / 61, "d3": 1 / 62, "d4": 1 / 62})
    assert fused.settings["fusion"]["window"] == 2
    assert fused.settings["fusion"]["digests"] == [run.digest for run in runs]
    cut = fuse(runs, preset="elasticsearch-rrf", window=2)
    assert cut.ranking("q")["doc_id"].to_pylist() == fused.ranking("q", 2)["doc_id"].to_pylist() == ["d2", "d1"]


def test_the_cascade_reranks_the_top_of_the_first_run_by_the_second():
    runs = [run_of("a", {"q": {"d1": 5.0, "d2": 4.0, "d3": 3.0, "d4": 2.0}}),
            run_of("b", {"q": {"d4": 9.0, "d3": 8.0, "d1": 7.0, "d9": 6.0}})]
    assert fuse(runs, "cascade", depth=3).ranking("q")["doc_id"].to_pylist() == ["d3", "d1", "d2", "d4"]


def test_means_leave_out_or_count_what_a_list_lacks():
    # bm25 min-max: a 1, b 2/3, c 0.001; dense: c 1, d 19/21, a 0.001
    geometric, harmonic = (scores_of(fuse(two_runs(), method), "q") for method in ("geometric", "harmonic"))
    assert geometric == pytest.approx({"a": 0.001 ** 0.5, "b": 2 / 3, "c": 0.001 ** 0.5, "d": 19 / 21})
    assert harmonic == pytest.approx({"a": 2 / 1001, "b": 2 / 3, "c": 2 / 1001, "d": 19 / 21})


def test_a_fused_run_is_a_run_like_any_other():
    fused = fuse(two_runs(), name="hybrid")
    ranking = fused.ranking("q")
    rebuilt = Run.build("again", ["q"] * 4, ranking["doc_id"].to_pylist(), ranking["score"].to_pylist())
    assert fused.name == "hybrid" and fused.depth == 4 and fused.duplicates == 0
    truth = Truth.build("qrels", ["q", "q"], ["c", "b"], [2, 1])
    np.testing.assert_array_equal(evaluate(fused, truth).values, evaluate(rebuilt, truth).values)


def kinds(error: pytest.ExceptionInfo) -> list[str]:
    return [problem.message for problem in error.value.problems]


@pytest.mark.parametrize(("arguments", "message"), [
    ({"method": "rff"}, "fusion-method"), ({"preset": "elastic"}, "fusion-preset"), ({"k": -1}, "fusion-value"),
    ({"k": "60"}, "fusion-value"), ({"norm": "max"}, "fusion-parameter"), ({"window": 0}, "fusion-value"),
    ({"weights": (1, 2, 3)}, "fusion-weights"), ({"weights": (0, 0)}, "fusion-weights/values"),
    ({"weights": (1e308, 1e308)}, "fusion-weights/values"), ({"weights": (1, 5e-324)}, "fusion-weights/values"),
    ({"weights": (1, -2)}, "fusion-weights/values"), ({"weights": (1, float("nan"))}, "fusion-weights/values"),
    ({"method": "weighted", "norm": "best"}, "fusion-norm"), ({"preset": "weaviate-relative", "alpha": 2},
                                                              "fusion-value"),
    ({"preset": "redis-rrf", "weights": (1, 2)}, "fusion-parameter")])
def test_a_bad_choice_is_refused_with_its_reason(arguments, message):
    with pytest.raises(InputError) as error:
        fuse(two_runs(), **arguments)
    assert kinds(error) == [message] and str(error.value)


def test_sums_that_are_too_large_for_a_number_are_refused():
    runs = [run_of(name, {"q": {"a": 1.5e308, "b": 1e307}}) for name in ("x", "y")]
    with pytest.raises(InputError) as error, np.errstate(over="ignore"):
        fuse(runs, method="combsum", norm="none")
    assert kinds(error) == ["fusion-overflow"]


def test_runs_without_scores_are_fused_by_rank_methods_only():
    runs = [two_runs()[0], run_of("ranks", {"q": {"c": 1.0, "d": 1.0, "a": 1.0}}, scores=False)]
    assert fuse(runs).ranking("q")["doc_id"].to_pylist() == fuse(two_runs()).ranking("q")["doc_id"].to_pylist()
    for method in METHODS.values():
        if method.reads_scores({}):
            with pytest.raises(InputError) as error:
                fuse(runs, method.name)
            assert kinds(error) == ["fusion-scores"] and "rrf" in str(error.value)
        else:
            options = {"same": "id"} if "same" in method.params else {}  # these runs have no texts
            options |= {"default": 10.0} if "default" in method.params else {}
            assert len(fuse(runs, method.name, **options).docs) >= 3
    assert len(fuse(runs, "weighted", norm="rank").docs) == 4


def test_one_run_equal_runs_and_other_ids_are_reported():
    first, second = two_runs()
    with pytest.raises(InputError) as error:
        fuse([first])
    assert kinds(error) == ["fusion-runs"]
    with pytest.raises(InputError) as error:
        fuse([first, second, first], preset="weaviate-ranked")
    assert kinds(error) == ["fusion-runs/two"]
    equal = fuse([first, first.renamed("copy")])
    assert [problem.kind for problem in equal.problems] == ["fusion-equal-runs"]
    assert equal.ranking("q")["doc_id"].to_pylist() == first.ranking("q")["doc_id"].to_pylist()
    other = run_of("other", {"q": {"doc_c": 1.0}, "q2": {"doc_a": 1.0}})
    fused = fuse([first, other])
    assert [problem.kind for problem in fused.problems] == ["fusion-no-overlap", "fusion-queries"]
    assert fused.ranking("q2")["doc_id"].to_pylist() == ["doc_a"]
    repeated = Run.build("repeated", ["q"] * 3, ["a", "a", "b"], [3.0, 2.0, 1.0])
    assert scores_of(fuse([repeated, second]), "q")["b"] == pytest.approx(1 / 62)


def test_every_method_and_preset_explains_itself():
    from ragdash.experiments.fusion.normalizations import NORMALIZATIONS
    from ragdash.experiments.fusion.presets import PRESETS

    assert all(method.doc and method.source and method.formula for method in METHODS.values())
    assert all(norm.doc and norm.formula for norm in NORMALIZATIONS.values())
    assert all(preset.source and preset.engine and preset.tried for preset in PRESETS.values())
    assert any(preset.version for preset in PRESETS.values()), "empty only where the source states none"
    assert ragdash.fuse is fuse
    assert make_recipe(two_runs(), preset="haystack-rrf").params["weights"] == (30.5, 30.5)


@pytest.mark.parametrize(("method", "name", "value"), [
    *(("weighted", "norm", value) for value in (None, 0, math.nan, True, [1], {}, object())),
    *(("rrf", "decimals", value) for value in (2.5, "x", [1], 10**30, -1, True)),
    *(("rrf", "shared_ranks", value) for value in ([], {}, "abc", 1)),
    *(("rrf-common", "default", value) for value in ("x", (1, 2), -1, math.nan))])
def test_a_parameter_of_another_kind_is_named(method, name, value):
    runs = [Run.build(letter, ["q", "q"], ["d1", "d2"], [2.0, 1.0]) for letter in "ab"]
    with pytest.raises(InputError) as caught:
        fuse(runs, method, **{name: value})
    assert all(problem.kind in ("fusion-norm", "fusion-value", "fusion-choice") for problem in caught.value.problems)


def test_decimals_may_come_as_text_of_a_command_has_them():
    runs = [Run.build(letter, ["q", "q"], ["d1", "d2"], [2.0, 1.0]) for letter in "ab"]
    assert parameters(["decimals=3", "shared_ranks=true"]) == {"decimals": 3.0, "shared_ranks": True}
    assert fuse(runs, "rrf", decimals=3.0).scores.tolist() == [0.032, 0.032]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("norm", ["z-score", "sum", "min-max"])
def test_scores_as_large_as_numbers_are_lose_no_document_and_are_refused_without_a_norm(norm):
    runs = [Run.build(letter, ["q"] * 3, ["d1", "d2", "d3"], [1.7e308, 1e200, -1.7e308]) for letter in "ab"]
    fused = fuse(runs, "weighted", norm=norm)
    assert fused.ranking("q")["doc_id"].to_pylist() == ["d1", "d2", "d3"] and np.isfinite(fused.scores).all()
    with pytest.raises(InputError) as caught:
        fuse(runs, "combsum", norm="none")
    assert [problem.kind for problem in caught.value.problems] == ["fusion-overflow"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("norm", ["min-max", "ranx-min-max", "max", "sum", "z-score", "z-score-sample", "l2", "dbsf",
                                  "elasticsearch-l2_norm", "tmm-0"])
def test_scores_that_are_too_large_to_be_squared_or_subtracted_are_normalized_as_smaller_ones(norm):
    lists = [{query: {doc: 1 + math.tanh(score / 99) for doc, score in docs.items()} for query, docs in system.items()}
             for system in random_lists(4)[:2]]
    large = [{query: {doc: score * 2.0 ** 1022 for doc, score in docs.items()} for query, docs in system.items()}
             for system in lists]
    small, same = (fuse([run_of(f"run{i}", system) for i, system in enumerate(systems)], "combsum", norm=norm)
                   for systems in (lists, large))
    for query in lists[0]:
        assert scores_of(same, query) == pytest.approx(scores_of(small, query), rel=1e-9, abs=1e-9)
