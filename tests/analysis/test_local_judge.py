"""The judge that is trained here: folds by queries, no leak, the estimate without bias, what cannot be learned from."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from helpers import call, problems_of

from ragdash.analysis.judge_validation import (
    LabelStore,
    corrected_difference,
    fit_judge,
    placeholder_verdicts,
    validate_judge,
)
from ragdash.analysis.judge_validation.features import features_of
from ragdash.core.records import Run, Truth
from ragdash.evaluation.stats import logistic
from ragdash.matching.match import Match
from ragdash.models.local import ENCODER, default_score_cache
from ragdash.models.local.score_cache import text_key

SAMPLES = Path(__file__).parents[2] / "sample_runs"
RUNS = [str(SAMPLES / "dense.jsonl"), str(SAMPLES / "hybrid.jsonl"), "--truth", str(SAMPLES / "truth.jsonl")]
Q = 120


@pytest.fixture(autouse=True)
def own_places(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path / "cache"))


def the_match(name="run", seed=0, silent=(), scores=True) -> tuple[Match, dict[str, float]]:
    """A run whose answers stand in their context where they are right; (its match, {query: 1 where right})."""
    rng = np.random.default_rng(seed)
    ids = [f"q{i:03d}" for i in range(Q)]
    right = rng.random(Q) < 0.6
    noisy = np.where(rng.random(Q) < 0.85, right, ~right)
    answers = [None if i in silent else f"alpha{i} beta{i} gamma" if noisy[i] else f"delta{i} epsilon{i} gamma"
               for i in range(Q)]
    details = pa.table({"query_id": ids, "query": [f"what is alpha{i}?" for i in range(Q)],
                        "answer": pa.array(answers, pa.string()),
                        "contexts": [[f"surely alpha{i} beta{i}", "gamma"] for i in range(Q)]})
    run = Run.build(name, ids, ["d"] * Q, rng.normal(size=Q) if scores else None, details=details)
    return Match(run, Truth.build("truth", ids, ["d"] * Q, [1] * Q)), dict(zip(ids, map(float, right), strict=True))


def first(right: dict[str, float], n: int, start: int = 0) -> dict[str, float]:
    return dict(list(right.items())[start:start + n])


def kinds(call) -> list[str]:
    return [problem.kind for problem in problems_of(call)]


def test_it_learns_and_its_interval_holds_the_mean():
    match, right = the_match()
    judge = fit_judge([match], {"run": first(right, 50)}, "right")
    found = validate_judge(judge.verdicts[0], first(right, 50))
    assert found.agreement.kappa > 0.4 and found.corrected.n == 50 and found.rest == 70
    assert found.corrected.low < np.mean(list(right.values())) < found.corrected.high
    weights = dict(zip(judge.features, judge.weights.mean(axis=0), strict=True))
    assert max(weights, key=lambda name: abs(weights[name])) in ("SupportCoverage", "AnswerRelevance")
    assert {"SBERT", "TokenF1", "UnsupportedNumbers"} <= judge.left_out.keys() and "SBERT" not in judge.features
    assert "not computed yet" in judge.left_out["SemanticRelevance"] and "right answers" in judge.left_out["SBERT"]
    assert "right answers" in judge.left_out["TokenF1"] and judge.left_out["UnsupportedNumbers"] == "defined nowhere"
    assert "lexical-only" in [one.kind for one in found.problems]


def test_the_verdicts_are_those_of_the_folds_models():
    match, right = the_match()
    labels = first(right, 50)
    judge = fit_judge([match], {"run": labels})
    features = features_of(match)
    assert judge.features == features.names
    fold = np.array([judge.folds.get(query, -1) for query in right])
    assert sorted(np.bincount(fold[:50]).tolist()) == [10] * 5 and (fold[50:] == -1).all()
    y, values = np.array(list(right.values())), judge.verdicts[0].values
    rest = []
    for k in range(5):
        use = np.flatnonzero((fold >= 0) & (fold != k))
        model = logistic(features.values[use], y[use], penalty=judge.penalty)
        assert values[fold == k] == pytest.approx(model.predict(features.values[fold == k]), abs=1e-9)
        rest.append(model.predict(features.values[fold < 0]))
    assert values[fold < 0] == pytest.approx(np.mean(rest, axis=0), abs=1e-9)


def test_no_label_of_a_query_has_a_part_in_what_is_said_of_it_in_any_run():
    (one, right), (two, other) = the_match("one"), the_match("two", seed=1)
    labels = {"one": first(right, 40), "two": first(other, 40, start=10)}
    before = fit_judge([one, two], labels)
    inside = [query for query, fold in before.folds.items() if fold == 3]
    assert len(before.folds) == 50 and len(inside) == 10
    changed = {name: {query: 1 - label if query in inside else label for query, label in given.items()}
               for name, given in labels.items()}
    after = fit_judge([one, two], changed)
    assert after.folds == before.folds, "labels play no part in the folds"
    at = np.isin(list(right), inside)
    for old, new in zip(before.verdicts, after.verdicts, strict=True):
        assert np.array_equal(old.values[at], new.values[at]) and (old.values[~at] != new.values[~at]).any()


def test_the_same_input_gives_the_same_verdicts_in_any_order_of_labels():
    match, right = the_match()
    labels = first(right, 40)
    once = fit_judge([match], {"run": labels})
    again = fit_judge([match], {"run": dict(reversed(labels.items()))})
    assert np.array_equal(once.verdicts[0].values, again.verdicts[0].values)
    assert fit_judge([match], {"run": labels}, seed=1).folds != once.folds


def test_each_model_weighs_as_much_as_its_fold_has_labels_of_the_run():
    """So that the estimate has no bias: over all ways to draw the labels, each model meets both kinds as often."""
    (one, right), (two, other) = the_match("one"), the_match("two", seed=1)
    labels = {"one": first(right, 23), "two": first(other, 60)}
    judge = fit_judge([one, two], labels)
    share = np.bincount([judge.folds[query] for query in labels["one"]], minlength=5) / 23
    assert len(set(share.tolist())) > 1
    free = np.array([query not in judge.folds for query in right])
    stacked = np.concatenate([features_of(one).values, features_of(two).values])
    y = np.array([labels[name].get(query, np.nan) for name in labels for query in right])
    fold = np.array([judge.folds.get(query, -1) for query in right] * 2)
    said = []
    for k in range(5):
        use = ~np.isnan(y) & (fold != k)
        said.append(logistic(stacked[use], y[use], penalty=judge.penalty).predict(features_of(one).values[free]))
    assert judge.verdicts[0].values[free] == pytest.approx(share @ np.array(said), abs=1e-9)


def test_runs_of_one_name_have_their_own_labels():
    (one, right), (two, other) = the_match("one"), the_match("two", seed=1)
    given = first(right, 30), first(other, 40)
    once = fit_judge([one, two], dict(zip(("one", "two"), given, strict=True)))
    again = fit_judge([the_match("same")[0], the_match("same", seed=1)[0]], given)
    for old, new in zip(once.verdicts, again.verdicts, strict=True):
        assert np.array_equal(old.values, new.values)


def test_differences_of_two_runs_and_a_run_without_labels():
    (one, right), (two, other) = the_match("one"), the_match("two", seed=1)
    judge = fit_judge([one, two], {"one": first(right, 50), "two": first(other, 50)})
    found = corrected_difference(*judge.verdicts, first(right, 50), first(other, 50))
    truth = np.mean(list(other.values())) - np.mean(list(right.values()))
    assert found.corrected.n == 50 and found.corrected.low < truth < found.corrected.high
    alone = fit_judge([one, two], {"one": first(right, 50)})
    assert np.isfinite(alone.verdicts[1].values).all()


def test_queries_without_an_answer_have_no_verdict_and_train_nothing():
    match, right = the_match(silent=range(0, 120, 4))
    judge = fit_judge([match], {"run": first(right, 60)})
    assert judge.labels == 45 and judge.verdicts[0].missing == {"no answer": 30}
    assert not np.isnan(judge.verdicts[0].values[1::4]).any()
    assert validate_judge(judge.verdicts[0], first(right, 60)).without_verdict == 15
    assert placeholder_verdicts(match).missing == {"no answer": 30}


def test_cosines_join_where_vectors_are_in_the_cache():
    match, right = the_match()
    store = default_score_cache()
    model = store.use(ENCODER, "tiny", "tiny", 0)
    answers = match.run.details["answer"].to_pylist()
    texts = dict.fromkeys([*answers, *match.run.details["query"].to_pylist(),
                           *(text for some in match.run.details["contexts"].to_pylist() for text in some)])
    vectors = np.random.default_rng(0).normal(size=(len(texts), 4)).astype(np.float32)
    store.save("vectors", model, [text_key(text) for text in texts], np.zeros(len(texts), bool), vectors)
    found = features_of(match)
    names = ("SemanticRelevance", "best cosine of answer and context", "mean cosine of answer and context")
    assert set(names) <= set(found.names) and "SBERT" in found.left_out
    unit = dict(zip(texts, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True))
    wanted = [float(unit[answers[0]] @ unit[text]) for text in ("surely alpha0 beta0", "gamma")]
    at = [found.names.index(name) for name in names[1:]]
    assert found.values[0, at].tolist() == pytest.approx([max(wanted), np.mean(wanted)], abs=2e-3)
    judge = fit_judge([match], {"run": first(right, 40)})
    assert judge.settings["local_judge"]["models"] == {"SemanticRelevance": str(model)}
    assert not judge.verdicts[0].problems and judge.settings["local_judge"]["features"].keys() >= set(names)


def test_scores_are_of_one_scale_and_left_out_without_a_fall():
    found = features_of(the_match()[0])
    top = found.values[:, found.names.index("top score")]
    assert top.mean() == pytest.approx(0, abs=1e-12) and top.std() == pytest.approx(1)
    assert "score margin" in found.left_out, "a single document has no second"
    assert "top score" in features_of(the_match(scores=False)[0]).left_out


@pytest.mark.parametrize(("n", "change", "options", "kind"), [
    (19, lambda label: label, {}, "few-labels"), (40, lambda label: 1.0, {}, "one-class"),
    (40, lambda label: 0.5, {}, "one-class"), (40, lambda label: 2 * label, {}, "label-range"),
    (0, lambda label: label, {}, "few-labels"), (40, lambda label: label, {"folds": 1}, "few-folds")])
def test_what_cannot_be_learned_from(n, change, options, kind):
    match, right = the_match()
    labels = {query: change(label) for query, label in first(right, n).items()}
    assert kinds(lambda: fit_judge([match], {"run": labels}, **options)) == [kind]


def test_a_run_without_answers_is_told():
    match, right = the_match()
    bare = Match(Run.build("run", list(right), ["d"] * Q), match.truth)
    assert kinds(lambda: fit_judge([bare], {"run": first(right, 40)})) == ["unavailable"]
    assert kinds(lambda: placeholder_verdicts(bare)) == ["unavailable"]


def test_fractions_and_a_single_no_are_learned_from():
    match, right = the_match()
    half = {query: 0.25 + label / 2 for query, label in first(right, 40).items()}
    values = fit_judge([match], {"run": half}).verdicts[0].values
    assert ((values > 0.1) & (values < 0.9)).all()
    lone = {query: float(at > 0) for at, query in enumerate(first(right, 40))}
    judge = fit_judge([match], {"run": lone})
    assert judge.verdicts[0].values[0] == 1, "the model of its fold has seen no other label than 1"
    assert ((judge.verdicts[0].values >= 0) & (judge.verdicts[0].values <= 1)).all()


def test_more_folds_than_queries_leave_one_out():
    match, right = the_match()
    assert len(fit_judge([match], {"run": first(right, 20)}, folds=1000).weights) == 20


def test_the_command_from_a_sheet_to_an_interval(tmp_path, capfdbinary):
    path = tmp_path / "sheet.csv"
    assert call(capfdbinary, "trust", *RUNS, "--local-judge", "--sheet", path, "-n", 40)[0] == 0
    rows = list(csv.DictReader(path.open()))
    with path.open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": int(len(row["answer"]) > 60)} for row in rows)
    status, out, err = call(capfdbinary, "trust", *RUNS, "--local-judge", "--labels", path, "--keep", "--format",
                            "json")
    content = json.loads(out)
    assert status == 0 and "trained on 80 labels in 5 folds, by SupportCoverage" in err and "lexical" not in out[:20]
    assert [run["corrected"]["n"] for run in content["runs"]] == [40, 40]
    assert all(run["corrected"]["pseudo_rectifiers"] and run["agreement"]["kappa"] > 0.5 for run in content["runs"])
    assert len(content["differences"]) == 1 and content["runs"][0]["judged"] == "label"
    learned = content["settings"]["local_judge"]
    assert learned["labels"] == 80 and learned["folds"] == 5 and "length of answer" in learned["features"]
    assert LabelStore().label_counts(content["runs"][0]["digest"]) == {"label": 40}
    again = json.loads(call(capfdbinary, "trust", *RUNS, "--local-judge", "--format", "json")[1])
    assert again["runs"] == content["runs"]


def test_labels_of_a_metric_train_it_too(capfdbinary):
    table = json.loads(call(capfdbinary, "trust", *RUNS, "-m", "SupportCoverage", "--format", "json")[1])
    digest = table["runs"][0]["digest"]
    ids = [f"q{i:03d}" for i in range(1, 61)]
    LabelStore().add(digest, "Faithfulness", {query: float(i % 3 > 0) for i, query in enumerate(ids)})
    status, out, _ = call(capfdbinary, "trust", *RUNS, "--local-judge", "-m", "Faithfulness", "--format", "json")
    assert status == 0 and json.loads(out)["runs"][0]["judged"] == "Faithfulness"


@pytest.mark.parametrize(("more", "words"), [
    (("--local-judge",), "labels of 0 queries"), (("--local-judge", "--judge-model", "x"), "one judge"),
    (("--local-judge", "-m", "RR AP"), "2 metrics")])
def test_what_is_wrong_is_told(capfdbinary, more, words):
    status, _, err = call(capfdbinary, "trust", *RUNS, *more)
    assert status == 2 and words in err


def test_not_a_number_is_no_label():
    match, right = the_match()
    labels = {**first(right, 40), "q050": math.nan}
    assert fit_judge([match], {"run": labels}).labels == 40
