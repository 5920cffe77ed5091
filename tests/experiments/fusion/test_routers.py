"""Routers: features by hand, a planted rule that is found and holds on other queries, no rule where there is none."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from ragdash import Run, Truth, parse_specs
from ragdash.cli.main import main
from ragdash.core.corpus import Corpus
from ragdash.core.slices import part
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.legs.routing import (
    AFTER,
    BEFORE,
    Condition,
    Rule,
    find_routers,
    list_features,
    question_features,
)
from ragdash.experiments.fusion.legs.routing.rules import conditions_of
from ragdash.experiments.fusion.tuning.choice import choose
from ragdash.io import write_run
from ragdash.reporting.sentences.hybrid_answer import routers_sentence, sentence_of

RR = parse_specs("RR")[0]


def truth_of(questions: list[str]) -> Truth:
    ids = [f"q{number:03}" for number in range(len(questions))]
    return Truth.build("qrels", ids, [f"{name}-g" for name in ids], [1] * len(ids),
                       details=pa.table({"query_id": ids, "query": questions}))


def run_of(name: str, gold_ranks: list[int], seed: int, latency: float | None = None) -> Run:
    """Eight results for each query, the relevant one at this rank (0: not returned), scores without a pattern."""
    rng, rows = np.random.default_rng(seed), []
    for number, rank in enumerate(gold_ranks):
        query = f"q{number:03}"
        docs = [f"{query}-{name}-{place}" for place in range(8)]
        if rank:
            docs[rank - 1] = f"{query}-g"
        rows += [(query, doc, score) for doc, score in zip(docs, -np.sort(-rng.random(8)), strict=True)]
    queries, docs, scores = map(list, zip(*rows, strict=True))
    ids = list(dict.fromkeys(queries))
    details = None if latency is None else pa.table({"query_id": ids, "latency_ms": [latency] * len(ids)})
    return Run.build(name, queries, docs, scores, details=details)


def planted(count: int, seed: int) -> tuple[Truth, list[Run]]:
    """Sparse alone returns the documents of questions with a digit, dense the others; 1 in 20 is reversed."""
    rng = np.random.default_rng(seed)
    digit, wrong = rng.random(count) < 0.5, rng.random(count) < 0.05
    asked = [f"error {number} of the pump" if has else "why does the pump stop"
             for number, has in enumerate(digit.tolist())]
    sparse = np.where(digit ^ wrong, 1, 0)
    dense = np.where(digit ^ wrong, 0, 1)
    return truth_of(asked), [run_of("sparse", sparse.tolist(), seed, 10.0), run_of("dense", dense.tolist(), seed + 1,
                                                                                  40.0)]


def test_features_of_questions_and_lists_worked_by_hand():
    truth = truth_of(["Who built Apollo 11?", 'find the word "moon"', "the moon is far", "Moon"])
    values = {feature.name: feature.values.tolist() for feature in question_features(truth)}
    assert values == {"digits": [1, 0, 0, 0], "question-word": [1, 0, 0, 0], "quotes": [0, 1, 0, 0],
                      "names": [1, 0, 0, 0], "words": [4, 3, 3, 1], "rarest-word": [1, 1, 1, 3]}
    truth = replace(truth, corpus=Corpus.build("docs", ["a", "b"], ["The moon.", "A far moon, built."]))
    [rarest] = [feature for feature in question_features(truth) if feature.name == "rarest-word"]
    assert rarest.values.tolist() == [0, 0, 1, 2] and rarest.title == "documents with its rarest word"
    assert question_features(Truth.build("qrels", ["q"], ["d"], [1])) == []
    a = Run.build("a", ["q0", "q0", "q0", "q1", "q2", "q2"], ["x", "y", "z", "x", "x", "y"], [1.0, 0.5, 0.0, 1, 2, 2])
    b = Run.build("b", ["q0", "q0", "q1"], ["z", "w", "x"], [2.0, 1.0, 1.0])
    pool = judged_pool([a, b], Truth.build("qrels", ["q0", "q1", "q2", "q3"], ["x"] * 4, [1] * 4))
    features = {feature.name: feature.values for feature in list_features(pool)}
    entropy = -(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3)) / np.log(3)  # scores above the lowest: 1, 0.5, 0
    assert np.allclose(features["gap a"], [0.5, np.nan, 0, np.nan], equal_nan=True)
    assert np.allclose(features["entropy a"], [entropy, np.nan, 1, np.nan], equal_nan=True)
    assert np.allclose(features["overlap"], [0.5, 1, np.nan, np.nan], equal_nan=True)


def test_rules_choose_and_say_what_they_choose_and_small_sides_are_left_out():
    holds = np.array([True, True, False, False])
    both = Rule((Condition("a", "it is long", holds), Condition("b", "it has a digit", holds[::2].repeat(2))), 1, 0)
    assert both.chosen(4).tolist() == [1, 1, 0, 0]
    assert both.words(["bm25", "dense"]) == "if it is long and it has a digit: dense, otherwise bm25"
    assert Rule((), 1, 1).words(["bm25", "dense"]) == "always dense" and Rule((), 1, 1).chosen(2).tolist() == [1, 1]
    asked = ["pump 7"] * 4 + ["why is the pump so loud"] * 36
    names = {row.feature for row in conditions_of(question_features(truth_of(asked)), np.ones(40, bool), "it")}
    assert "digits" not in names  # 4 of 40 queries are fewer than 5


def test_a_planted_router_is_found_and_confirmed_on_queries_that_it_never_saw():
    truth, runs = planted(120, 3)
    seen = np.arange(120) < 80
    pool = judged_pool(runs, truth)
    choice = choose(runs, truth, RR, pool=pool, queries=seen)
    before, after = find_routers(pool, choice, queries=seen)
    assert (before.kind, after.kind) == (BEFORE, AFTER) and before.beats_one_weight and not after.beats_one_weight
    assert before.words == "if the question has a digit: sparse, otherwise dense"
    chosen = before.rule.chosen(120)
    routed = choice_values(pool, chosen)
    one_weight = pool.values([choice.recipe], [RR])[0, 0]
    gain = (routed - one_weight)[~seen]
    low, high = before.against_global.low, before.against_global.high
    assert low > 0 and low - 0.05 < gain.mean() < high + 0.05  # the held-out promise is kept
    assert before.oracle >= before.held_out.value and before.held_out.value > choice.held_out.value
    assert before.saved.n == 80 and before.saved.mean == pytest.approx(40 - np.where(chosen == 0, 10, 40)[seen].mean())
    text = sentence_of(before).replace("\\", "")
    assert "“if the question has a digit: sparse, otherwise dense”" in text and "better than one weight: +0." in text
    assert "It saves 1" in text and "Upper bound, the best choice for each query with hindsight" in text
    assert "A router before retrieval beats one weight" in routers_sentence([BEFORE], 9, "MRR")
    half = part(truth, ~seen)  # the same rule, measured as a run of its own on the rest
    assert len(half) == 40


def choice_values(pool, chosen: np.ndarray) -> np.ndarray:
    from ragdash.evaluation.evaluate import evaluate_match
    from ragdash.matching.match import Match

    values = [evaluate_match(Match(run, pool.truth), [RR]).column(RR) for run in pool.runs]
    return np.where(chosen == 0, values[0], values[1])


def test_a_planted_gap_moves_the_weight_after_retrieval():
    rng = np.random.default_rng(5)
    sure = rng.random(100) < 0.5  # sparse is wrong where its first score stands out
    truth = truth_of(["what is it"] * 100)
    sparse = run_of("sparse", np.where(sure, 1, 0).tolist(), 1)
    scores = sparse.scores.reshape(100, 8).copy()
    scores[~sure, 0] = scores[~sure, 1] + 5
    sparse = Run.build("sparse", np.repeat([f"q{number:03}" for number in range(100)], 8).tolist(),
                       sparse.docs.to_pylist(), scores.ravel())
    runs = [sparse, run_of("dense", np.where(sure, 0, 1).tolist(), 2)]
    pool = judged_pool(runs, truth)
    [after] = [router for router in find_routers(pool, choose(runs, truth, RR, pool=pool)) if router.kind == AFTER]
    assert after.beats_one_weight and after.rule.conditions[0].feature == "gap sparse"
    weights = [float(after.actions[action].split()[1]) for action in (after.rule.then, after.rule.otherwise)]
    assert weights[0] > weights[1] and after.actions[after.rule.then].endswith("for dense")
    assert after.saved.n == 0 and after.held_out.value > 0.95


def test_without_a_pattern_no_router_beats_one_weight_and_few_queries_have_none(tmp_path, capsys):
    rng = np.random.default_rng(11)
    asked = [f"{'error 7' if rng.random() < 0.5 else 'why'} the {'Pump' if rng.random() < 0.5 else 'pump'} stops"
             for _ in range(60)]
    truth = truth_of(asked)
    runs = [run_of(name, rng.integers(1, 9, 60).tolist(), seed) for seed, name in enumerate(("sparse", "dense"))]
    pool = judged_pool(runs, truth)
    routers = find_routers(pool, choose(runs, truth, RR, pool=pool))
    assert len(routers) == 2 and not any(router.beats_one_weight for router in routers)
    few = np.arange(60) < 15
    assert find_routers(pool, choose(runs, truth, RR, pool=pool, queries=few), queries=few) == ()
    for run in runs:
        write_run(run, tmp_path / f"{run.name}.trec")
    rows = [json.dumps({"query_id": name, "query": question, "relevant": {f"{name}-g": 1}}) for name, question in zip(
        truth.query_ids.to_pylist(), asked, strict=True)]
    (tmp_path / "truth.jsonl").write_text("\n".join(rows))
    command = ["fuse", str(tmp_path / "sparse.trec"), str(tmp_path / "dense.trec"), "--truth",
               str(tmp_path / "truth.jsonl"), "--tune", "RR"]
    assert main(command) == 0
    assert "No router beats one weight for all queries in MRR" in capsys.readouterr().out
    assert main([*command, "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)["routers"]
    assert [row["kind"] for row in printed] == [BEFORE, AFTER] and not any(row["beats_one_weight"] for row in printed)
    assert printed[0]["saved_ms"]["n"] == 0 and printed[0]["saved_ms"]["mean"] is None


def test_scores_that_follow_from_the_rank_alone_give_no_rule():
    """1 / rank has the same gaps for every query of as many documents: what differs is the length of the list alone."""
    queries, docs = ["q0", "q0", "q1", "q1", "q1"], ["d0", "d1", "d0", "d1", "d2"]
    truth = Truth.build("qrels", ["q0", "q1"], ["d0", "d0"], [1, 1])
    own = Run.build("own", queries, docs, [0.9, 0.2, 0.8, 0.7, 0.1])
    ranks = Run.build("ranks", queries, docs, [1, 1 / 2, 1, 1 / 2, 1 / 3])
    names = [feature.name for feature in list_features(judged_pool([own, ranks], truth))]
    assert names == ["gap own", "entropy own", "overlap"]
