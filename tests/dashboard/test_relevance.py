"""Relevant by id or by evidence: offered where it can be had, in the address, and followed by every page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from page_cases import address, asked, leaderboard, opened
from streamlit.testing.v1 import AppTest

from ragdash import evaluate, read_runs, read_truth
from ragdash.core.records import Conventions, Run, Truth
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.session import relevance, scope
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.matching.evidence import HOW, decision_store, embedded_texts
from ragdash.matching.match import Match, Matching
from ragdash.metrics import parse_spec, parse_specs
from ragdash.models.local import default_score_cache
from ragdash.models.local.score_cache import text_key

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["compare", "compare/queries", "threshold-bands", "precision-recall", "ranking", "answers"]
SPAN = "the probe crashed into the Sea of Crises on the same day"
NEAR = "we hear that the probe fell into the Sea of Crises on that same day, in July"  # similar: about three quarters
FAR = "The Hebrew calendar inserts a thirteenth month seven times in nineteen years"


@pytest.fixture(scope="module")
def samples():
    truth = read_truth(ROOT / "sample_runs" / "truth.jsonl")
    runs = [read_runs(ROOT / "sample_runs" / f"{name}.jsonl")[0] for name in ("dense", "sparse", "hybrid")]
    return truth, runs


def texts(at: AppTest) -> str:
    return "\n".join(one.value for one in (*at.markdown, *at.caption, *at.error))


def hand_made(texts_known: bool = True, evidence: bool = True) -> tuple[Truth, Run]:
    """q0: word for word at rank 2; q1: similar at rank 1; q2: nothing."""
    ids = ["q0", "q1", "q2"]
    details = pa.table({"query_id": ids, **({"evidence": [[SPAN]] * 3} if evidence else {})})
    truth = Truth.build("truth", ids, ["a"] * 3, np.ones(3, int), details=details)
    said = [FAR, f"They say {SPAN}.", NEAR, FAR, FAR, FAR]
    run = Run.build("mine", np.repeat(ids, 2), [f"d{at}" for at in range(6)], np.tile([2.0, 1.0], 3),
                    texts=said if texts_known else None)
    return truth, run


@pytest.mark.parametrize("page", PAGES)
def test_every_page_follows_and_says_so(samples, page):
    at = opened(page, **address(*samples), match="evidence", **{"from": "0.8"})
    assert not at.error
    assert "**Relevant by evidence**" in texts(at) and "0.80 or more similar" in texts(at)
    assert asked(at, "match") == ["evidence"] and asked(at, "from") == ["0.8"]
    assert "**Relevant by evidence**" not in texts(opened(page, **address(*samples)))


def test_the_leaderboard_has_the_numbers_of_evaluate(samples):
    truth, runs = samples
    for threshold in ("0.55", "0.9"):
        at = opened("compare", **address(truth, runs), match="evidence", **{"from": threshold})
        table = leaderboard(at)
        for run in runs:
            row = next(row for _, row in table.iterrows() if run.name in row["Run"])
            one = evaluate(run, truth, "nDCG@10 R@10 P@10", match="evidence", match_threshold=float(threshold))
            for spec, summary in zip(one.specs, one.summary(), strict=True):
                assert f"{summary.mean:.3f}" in row[spec.title].replace("\\", "")


def test_it_is_offered_only_where_it_can_be_had():
    for known, evidence, offered in ((True, True, True), (False, True, False), (True, False, False)):
        truth, run = hand_made(known, evidence)
        at = opened("compare", **address(truth, [run]), match="evidence")
        assert any(one.key == "match" for one in at.get("button_group")) is offered
        assert ("match" in at.query_params) is offered


def test_a_run_without_texts_is_named_and_the_others_are_shown():
    truth, run = hand_made()
    bare = hand_made(texts_known=False)[1].renamed("bare")
    bare = Run.build("bare", ["q0", "q1"], ["a", "b"], np.array([1.0, 1.0]))
    at = opened("compare", **address(truth, [run, bare]), match="evidence")
    assert len(at.error) == 1 and "bare" in at.error[0].value and "text" in at.error[0].value
    assert len(leaderboard(at)) == 1


def test_keys_tell_apart_what_differs_and_nothing_else():
    plain, specs = Scope("t", Conventions()), parse_specs("nDCG@10")
    moved = Scope("t", Conventions(), matching=Matching("id", threshold=0.9))
    assert plain.cache_key(specs) == moved.cache_key(specs)
    covered = parse_specs("EvidenceRecall@10")
    assert plain.cache_key(covered) != moved.cache_key(covered)
    scopes = [Scope("t", Conventions(), "", Matching("evidence", how, threshold), decided)
              for how in ("partial", "exact") for threshold in (0.7, 0.8) for decided in ("", "a-4")]
    assert len({one.cache_key(specs) for one in scopes} | {plain.cache_key(specs)}) == 9
    assert all(type(part) in (str, float, tuple) for one in scopes for part in one.cache_key(specs))  # Streamlit reads


def test_moving_the_threshold_compares_nothing_again(samples, monkeypatch):
    truth, runs = samples
    LOADED.put(truth), LOADED.put(runs[0])
    scope._evidence.clear()
    calls = []
    whole = Match.evidence.func
    monkeypatch.setattr(Match.evidence, "func", lambda self: calls.append(1) or whole(self))
    spec = parse_spec("P@5")
    values = []
    for threshold in (0.5, 0.7, 0.9, 1.0):
        own = Scope(truth.digest, Conventions(), matching=Matching("evidence", threshold=threshold))
        values.append(own.evaluation(runs[0].digest, [spec]).values[:, 0])
        expected = evaluate(runs[0], truth, [spec], match="evidence", match_threshold=threshold).values[:, 0]
        np.testing.assert_array_equal(values[-1], expected)
    assert len(calls) == 1 + 4, "one by the cache, four by evaluate"
    assert np.nansum(values[0]) > np.nansum(values[-1])


def test_every_similarity_of_the_core_is_offered():
    assert set(relevance.HOW) == set(HOW)


def test_meaning_that_no_model_has_given_says_how_to_get_it_and_is_there_once_it_has(monkeypatch):
    truth, run = hand_made()
    at = opened("compare", **address(truth, [run]), match="evidence", how="embedding", columns="P@1")
    assert len(at.error) == 1 and "ragdash score" in at.error[0].value and not at.table
    store, found = default_score_cache(), embedded_texts(run, truth)
    model = store.use("encoder", "tiny", "w" * 32, 128)
    turned = np.array([[1.0, 0.0] if "probe" in text else [0.0, 1.0] for text in found], np.float32)
    store.save("vectors", model, [text_key(text) for text in found], np.zeros(len(found), bool), turned)
    at.run()
    assert not at.exception and not at.error
    assert "0.333" in leaderboard(at)["Precision@1"][0]


def test_metrics_of_the_evidence_follow_the_threshold_under_match_by_id_too():
    truth, run = hand_made()
    LOADED.put(truth), LOADED.put(run)
    found = [
        evaluation_cache.summary(
            [run.digest],
            Scope(truth.digest, Conventions(), matching=Matching("id", threshold=low)),
            parse_specs("EvidenceRecall@2"),
        )[0][0].mean
        for low in (0.55, 1.0)
    ]
    assert found == pytest.approx([2 / 3, 1 / 3])


def test_a_decision_counts_at_every_threshold_and_can_be_left_out():
    truth, run = hand_made()
    store = decision_store.kept_decisions()
    scores = Match(run, truth, matching=Matching("evidence", threshold=0.5)).evidence
    pair = max(scores.borderline(0.7, 0.3).to_pylist(), key=lambda row: row["score"])
    key = pair["query_id"], pair["chunk"], pair["span_digest"]
    assert key[0] == "q1" and 0.55 < pair["score"] < 1
    store.keep({key: False})
    at = opened("compare", **address(truth, [run]), match="evidence", columns="P@1", **{"from": "0.55"})
    assert "1 decision of a person applied" in texts(at)
    assert "0.000" in leaderboard(at)["Precision@1"][0]
    at = opened("compare", **address(truth, [run]), match="evidence", columns="P@1", decided="no",
                **{"from": "0.55"})
    assert "decision" not in texts(at).split("Relevant by evidence")[1].split("\n")[0]
    assert "0.333" in leaderboard(at)["Precision@1"][0]
    store.keep({key: True})
    at = opened("compare", **address(truth, [run]), match="evidence", columns="P@1", **{"from": "1.0"})
    assert "0.333" in leaderboard(at)["Precision@1"][0]


@pytest.mark.parametrize(("key", "value"), [("match", "smell"), ("how", "guess"), ("from", "x"), ("from", "nan"),
                                            ("from", "0.2"), ("decided", "perhaps"), ("covers", "@@"),
                                            ("pairs", "all"), ("pair", "q1.x.y")])
def test_a_broken_link_falls_back_to_the_defaults(key, value):
    truth, run = hand_made()
    at = opened("threshold-bands", **{**address(truth, [run]), "match": "evidence", key: value})
    assert asked(at, "how") == ["partial"] and asked(at, "from") == ["0.7"] and asked(at, "decided") == ["yes"]
