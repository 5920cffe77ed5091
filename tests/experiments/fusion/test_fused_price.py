"""The price of a fused system: worked by hand, and said."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from ragdash import Run, Truth, fuse
from ragdash.cli.main import main
from ragdash.evaluation.latency_cost import Amount, amount
from ragdash.evaluation.stats import bootstrap_intervals
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.legs.price import context_tokens, fused_price, measured_times
from ragdash.experiments.fusion.recipe import make_recipe
from ragdash.reporting.sentences.what_if import missing_times_sentence, price_sentence

QUERIES = ["q1", "q2", "q3"]


def leg(name: str, docs: list[str], latency: list, **columns) -> Run:
    """The same documents for every query; their texts are four letters for each letter of the id."""
    details = pa.table({"query_id": QUERIES, "latency_ms": latency, **columns})
    rows = [(query, doc) for query in QUERIES for doc in docs]
    return Run.build(name, *map(list, zip(*rows, strict=True)), [float(-i) for _ in QUERIES for i in range(len(docs))],
                     texts=["x" * 4 * len(doc) for _, doc in rows], details=details)


def truth() -> Truth:
    return Truth.build("qrels", QUERIES, ["a"] * 3, [1, 1, 1])


def test_a_loaded_run_that_is_the_hybrid_gives_its_measured_time():
    """Of queries in scope: 100 and 40 ms. Another order of documents, or no time, gives nothing."""
    runs = [leg("bm25", ["a", "b", "c", "d", "e", "f"], [20.0] * 3), leg("dense", ["b", "f", "a", "e"], [30.0] * 3)]
    pool = judged_pool(runs, truth())
    recipe = make_recipe(pool.runs)
    order = fuse(pool.runs).ranking("q1").column("doc_id").to_pylist()
    hybrids = {"mine": leg("mine", order[:5], [100.0, 900.0, 40.0]), "untimed": fuse(pool.runs),
               "other": leg("other", order[:3] + order[4:2:-1], [1.0] * 3), "short": leg("short", order[:2], [1.0] * 3)}
    assert {name: time.mean for name, time in measured_times(hybrids, recipe, pool).items()} == {
        "mine": pytest.approx(1040 / 3)}
    inside = np.array([True, False, True])
    assert measured_times(hybrids, recipe, pool, inside)["mine"].mean == 70.0
    assert fused_price(pool, recipe, 0, queries=inside).parallel.tolist()[0] == 30.0


def test_time_cost_and_tokens_are_those_worked_by_hand():
    stages = [{"retrieval": 20.0, "rerank": 5.0, "generation": 900.0}, {"retrieval": 30.0, "rerank": 0.0,
              "generation": 1.0}, {"retrieval": None, "rerank": None, "generation": 1.0}]
    keyword = leg("bm25", ["a", "bbb"], stages)
    dense = leg("dense", ["cc", "a"], [100.0, 10.0, 40.0], cost_usd=[0.01, 0.02, 0.03])
    pool = judged_pool([keyword, dense], truth())
    price = fused_price(pool, make_recipe(pool.runs), 0, k=2)
    np.testing.assert_allclose(price.parallel, [100.0, 30.0, np.nan])  # 25 and 100; 30 and 10
    np.testing.assert_allclose(price.sequence, [125.0, 40.0, np.nan])
    assert price.more("parallel") == Amount(37.5, *(pytest.approx(v) for v in (0.0, 75.0)), 2)
    # RRF: a is first (ranks 1 and 2), cc (rank 1) before bbb (rank 2): 1 + 2 letters against 1 + 3 of bm25 alone
    assert price.tokens.tolist() == [3.0] * 3 and price.single_tokens.tolist() == [4.0] * 3
    assert price.more("tokens").mean == -1.0
    assert price.cost_reason == "generation" and not price.more("cost").n  # those dollars may pay for answers
    plain = judged_pool([leg("x", ["a"], [1.0] * 3, cost_usd=[0.01] * 3), dense], truth())
    priced = fused_price(plain, make_recipe(plain.runs), 0)
    np.testing.assert_allclose(priced.cost, [0.02, 0.03, 0.04])
    assert priced.more("cost").mean == pytest.approx(0.02)
    dense_alone = make_recipe(plain.runs, params={"weights": (0, 1)})  # a run of weight 0 is not searched
    assert fused_price(plain, dense_alone, 1).more("sequence").mean == 0.0
    assert fused_price(plain, dense_alone, 1, queries=np.array([True, False, False])).more("cost").n == 1
    unknown = judged_pool([Run.build(name, ["q1"], ["a"]) for name in "xy"], truth())
    nothing = fused_price(unknown, make_recipe(unknown.runs), 0)
    assert nothing.cost_reason == "not-recorded" and not any(more.n for more in nothing.extras().values())
    assert np.isnan(context_tokens(unknown, make_recipe(unknown.runs), 5)).all()
    values = np.array([1.0, 4.0, np.nan, 2.5])
    low, high = bootstrap_intervals(values[:, None], resamples=2000)
    assert amount(values).mean == 2.5 and (amount(values).low, amount(values).high) == pytest.approx(
        (low[0], high[0]), abs=0.2)


def test_the_price_is_said_next_to_the_gain_and_is_in_json(capsys, tmp_path):
    rows = {"bm25": [(20.0, "x a"), (22.0, "x a")], "dense": [(100.0, "y a"), (110.0, "y a")]}
    for name, queries in rows.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(
            {"query_id": f"q{index}", "latency_ms": {"retrieval": ms},
             "retrieved": [{"doc_id": doc, "score": 1 / (1 + place)} for place, doc in enumerate(docs.split())]}) + "\n"
            for index, (ms, docs) in enumerate(queries)))
    (tmp_path / "qrels.txt").write_text("q0 0 a 1\nq1 0 a 1\n")
    given = ["fuse", *(str(tmp_path / f"{name}.jsonl") for name in rows), "--truth", str(tmp_path / "qrels.txt"),
             "--tune", "RR"]
    assert main(given) == 0
    printed = capsys.readouterr().out.replace("\u00a0", " ")
    assert printed.count("84.0 ms more [80.0 ms, 88.0 ms] per query") == 1, "the answer says it"
    assert "With one search after the other the hybrid takes 105 ms more [100 ms, 110 ms] per query." in printed
    assert main([*given, "--format", "json"]) == 0
    price = json.loads(capsys.readouterr().out)["price"]
    assert price["parallel_ms"]["mean"] == 84.0 and price["sequence_ms"]["n"] == 2
    assert price["cost_usd"]["mean"] is None and price["cost_reason"] == "not-recorded"


def test_a_price_that_is_lower_or_unknown_is_said_so(capsys):
    from ragdash.experiments.fusion.tuning.choice import choose
    from ragdash.metrics import parse_spec

    pool = judged_pool([leg("slow", ["a", "b"], [50.0] * 3), leg("fast", ["b", "a"], [10.0] * 3)], truth())
    row = choose(pool.runs, pool.truth, parse_spec("RR"), pool=pool).against_single
    nothing = Amount(np.nan, np.nan, np.nan, 0)
    assert price_sentence(dict.fromkeys(("parallel", "sequence", "cost", "tokens"), nothing), 10, row).startswith(
        "No query has the search times of all runs of the hybrid. So the price of a hybrid is not known. It would be")
    assert price_sentence(dict.fromkeys(("parallel", "sequence", "cost", "tokens"), nothing), 10, row, runs=2,
                          untimed=["bm25"], answered=True) == (
        "bm25 does not record how long its searches take (`latency_ms`, best with stage `retrieval`). So the price of "
        "a hybrid is not known.")
    assert missing_times_sentence(["a", "b"], 2).startswith("These runs do not record how long their searches take")
    assert missing_times_sentence([], 2) == "No query has the search times of all runs of the hybrid."
    known = {"parallel": Amount(-5.0, -6.0, 1.0, 3), "sequence": Amount(2.0, -1.0, 3.0, 3),
             "cost": Amount(0.02, 0.01, 0.03, 3), "tokens": Amount(-120.0, -150.0, -90.0, 3)}
    text = price_sentence(known, 5, row).replace("\\", "").replace("\u00a0", " ")
    assert "takes 5.00 ms less [−1.00 ms, 6.00 ms] per query than slow" in text
    assert "it takes 2.00 ms more [−1.00 ms, 3.00 ms]" in text and "cost $0.0200 more per query" in text
    assert "Its first 5 results have about 120 tokens fewer [−150, −90]." in text
    assert "pay for answers too" in price_sentence({**known, "cost": nothing}, 5, row, "generation")
