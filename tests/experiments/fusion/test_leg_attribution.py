"""Which run brings what: steps and Shapley values worked by hand, and on the command line."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest

from ragdash import Run, Truth, evaluate, fuse
from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.legs.attribution import attribute, shapley
from ragdash.experiments.fusion.recipe import make_recipe
from ragdash.metrics import parse_spec
from ragdash.reporting.sentences.what_if import steps_sentence

QUERIES = [f"q{i}" for i in range(12)]


def run_of(name: str, rankings: dict[str, str], **more) -> Run:
    rows = [(query, doc) for query, docs in rankings.items() for doc in docs.split()]
    return Run.build(name, *map(list, zip(*rows, strict=True)), **more)


def random_legs(count: int) -> tuple[list[Run], Truth]:
    rng = np.random.default_rng(5)
    docs = np.array([f"d{i:02}" for i in range(30)])
    legs = [run_of(f"leg{leg}", {query: " ".join(rng.permutation(docs)[:12]) for query in QUERIES})
            for leg in range(count)]
    rows = [(query, doc, int(grade)) for query in QUERIES
            for doc, grade in zip(rng.permutation(docs)[:6], rng.integers(0, 3, 6), strict=True)]
    return legs, Truth.build("qrels", *map(list, zip(*rows, strict=True)))


def test_each_relevant_document_is_followed_to_the_step_that_loses_it():
    truth = Truth.build("qrels", ["q"] * 7 + ["p"], [*"abcdefz", "a"], [1, 1, 2, 1, 1, 1, 0, 1])
    keyword = run_of("bm25", {"q": "a b x c", "p": "y"}, details=pa.table({"query_id": ["q"], "latency_ms": [4.0]}))
    dense = run_of("dense", {"q": "a e x d", "p": "x"})
    fused = run_of("fused", {"q": "a b x d e", "p": "x y"})
    reranked = run_of("reranked", {"q": "x a d b"})
    result = attribute([keyword, dense], truth, parse_spec("R@2"), fused=fused, reranked=reranked, k=2)
    steps = dict(zip([truth.docs[int(i)].as_py() + truth.query_ids[int(truth.queries[i])].as_py()
                      for i in result.document], result.step.tolist(), strict=True))
    assert steps == {"aq": "found", "bq": "rerank", "eq": "fusion", "cq": "depth", "dq": "depth", "fq": "search",
                     "ap": "search"}
    assert result.counts() == {"found": 1, "search": 2, "depth": 2, "fusion": 1, "rerank": 1}
    assert steps_sentence(result.counts(), 2) == (
        "1 of 7 relevant documents reaches the first 2. Of the other 6, 2 were returned by no search, 2 came only "
        "below rank 2, 1 was lost in the fusion, and 1 was lost by the re-ranker.")
    assert steps_sentence({"found": 0, "search": 0, "depth": 4, "fusion": 0}, 2) == (
        "0 of 4 relevant documents reach the first 2. The other 4 came only below rank 2.")
    assert steps_sentence({"found": 1, "search": 0, "depth": 0, "fusion": 0}, 2) == (
        "1 of 1 relevant document reaches the first 2.")
    assert [result.brought_alone(leg, only_shown=False).sum() for leg in (0, 1)] == [2, 2]  # b and c; d and e
    assert not result.brought_alone(0).any() and result.queries_of(result.step == "search") == ["q", "p"]
    assert result.time(0).mean == 4.0 and not result.time(1).n
    two = attribute([keyword, dense], truth, parse_spec("R@2"), fused=fused, k=2)
    assert "rerank" not in two.counts() and two.counts()["found"] == 2
    only_p = attribute([keyword, dense], truth, parse_spec("R@2"), k=2, queries=np.array([False, True]))
    assert len(only_p.document) == 1 and only_p.value(0).n == 1


@pytest.mark.parametrize("params", [{}, {"k": 5.0, "weights": (0.5, 0.3, 0.2)}])
def test_shapley_values_are_mean_gains_over_all_orders_and_add_up(params):
    legs, truth = random_legs(3)
    spec = parse_spec("nDCG@5")
    pool = judged_pool(legs, truth)
    values = shapley(pool, make_recipe(legs, params=params), spec)

    def worth(subset: tuple[int, ...]) -> np.ndarray:
        if not subset:
            return np.zeros(len(truth))
        chosen = [legs[leg] for leg in sorted(subset)]
        weights = [params["weights"][leg] for leg in sorted(subset)] if params else [1.0] * len(chosen)
        run = chosen[0] if len(chosen) == 1 else fuse(chosen, k=params.get("k", 60.0), weights=tuple(weights))
        return evaluate(run, truth, [spec]).column(spec)

    by_hand = np.zeros_like(values)
    for order in permutations(range(3)):
        for place, leg in enumerate(order):
            by_hand[leg] += (worth(order[:place + 1]) - worth(order[:place])) / 6
    np.testing.assert_allclose(values, by_hand, atol=1e-12)
    np.testing.assert_allclose(values.sum(axis=0), worth((0, 1, 2)), atol=1e-12)


def test_equal_runs_share_equally_and_wrong_input_is_refused():
    legs, truth = random_legs(2)
    same = [legs[0], legs[0].renamed("copy")]
    values = shapley(judged_pool(same, truth), make_recipe(same), parse_spec("RR"))
    np.testing.assert_allclose(values[0], values[1])
    for runs, spec in (([legs[0]], "RR"), (legs * 6, "RR"), (legs, "Latency")):
        with pytest.raises(InputError):
            attribute(runs, truth, parse_spec(spec))
    kinds = attribute(legs, truth, parse_spec("RR"), fused=make_recipe(legs, "combmnz" if legs[0].scores is not None
                                                                       else "isr"))
    assert kinds.fused_by.method == "rrf"  # a method without weights: the shares are those of RRF


def test_the_command_prints_the_shares_and_json_has_the_queries(capsys, tmp_path):
    for name, lines in {"bm25": ["q a 3", "q x 2", "p y 1"], "dense": ["q b 3", "q a 2"], "late": ["q x 1"]}.items():
        (tmp_path / f"{name}.trec").write_text("".join(
            f"{line.split()[0]} Q0 {line.split()[1]} 1 {line.split()[2]} r\n" for line in lines))
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 1\np 0 z 1\n")
    given = ["fuse", str(tmp_path / "bm25.trec"), str(tmp_path / "dense.trec"), "--legs"]
    assert main(given) == 2
    capsys.readouterr()
    given += ["--truth", str(tmp_path / "qrels.txt"), "-m", "R@2"]
    assert main(given) == 0
    printed = capsys.readouterr().out
    assert "2 of 3 relevant documents reach the first 2. The other one was returned by no search." in printed
    assert "dense alone brings 1 of those found. Its share (Shapley value) of Recall@2 is" in printed
    assert main([*given, "--reranked", str(tmp_path / "late.trec"), "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["steps"]["rerank"] == {"documents": 2, "queries": ["q"]} and result["relevant"] == 3
    assert [run["name"] for run in result["runs"]] == ["bm25", "dense"] and result["runs"][0]["search_ms"]["n"] == 0
    assert sum(run["shapley"]["mean"] for run in result["runs"]) == pytest.approx(0.5)


@pytest.mark.parametrize("other", [["--changes"], ["--tune", "RR"]])
def test_answers_are_given_one_at_a_time_and_none_is_passed_over(other, capsys, tmp_path):
    for name in ("bm25", "dense"):
        (tmp_path / f"{name}.trec").write_text("q Q0 a 1 3 r\n")
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    given = ["fuse", str(tmp_path / "bm25.trec"), str(tmp_path / "dense.trec"), "--truth", str(tmp_path / "qrels.txt")]
    with pytest.raises(SystemExit) as stopped:
        main([*given, "--legs", *other])
    assert stopped.value.code == 2
    assert "not allowed with argument" in capsys.readouterr().err


def test_shares_that_are_undefined_are_a_dash_and_an_empty_metric_is_an_error(capsys, tmp_path):
    for name in ("bm25", "dense"):
        (tmp_path / f"{name}.trec").write_text("q Q0 a 1 3 r\n")
    (tmp_path / "qrels.txt").write_text("q 0 a 0\n")
    fuse = ["fuse", str(tmp_path / "bm25.trec"), str(tmp_path / "dense.trec"), "--truth", str(tmp_path / "qrels.txt")]
    assert main([*fuse, "--legs"]) == 0
    printed = capsys.readouterr().out
    assert "Its share (Shapley value) of NDCG@10 is undefined." in printed and "nan" not in printed
    assert printed.split("dense ")[-1].split() == ["0", "–", "–", "–", "–"]
    assert main([*fuse, "--tune", ""]) == 2
    assert "(--tune): found an empty text" in capsys.readouterr().err
