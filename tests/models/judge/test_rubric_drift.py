"""Verdicts by rubrics asked again: ordered labels, pass and fail, numbers, rankings. Undefined is never 0."""

from __future__ import annotations

import json

import numpy as np
import pytest
from models.judge.scripted import case

from ragdash.cli.main import main
from ragdash.evaluation.scoring.rubric_drift import rubric_drift, weighted_kappa
from ragdash.evaluation.stats import label_interval
from ragdash.io import write_run, write_truth
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.tasks.rubrics import Rubric, rubric_toml

POLITE = Rubric("polite", "Polite?", "labels", ("rude", "plain", "polite"))
STARS = Rubric("stars", "How good?", "number", anchors=(("1", "bad"), ("5", "good")))
BEST = Rubric("best", "Which is best?", "ranking")
ROWS = {f"q{i}": {"question": "What?", "answer": f"Paris lies on Seine number {i}."} for i in range(30)}


pytestmark = pytest.mark.usefixtures("rubrics_forgotten")


def labels(*pairs):
    return [({"verdict": before}, {"verdict": after}) for before, after in pairs]


def test_ordered_labels_by_hand():
    result = rubric_drift(POLITE, labels(*[("rude", "rude")] * 10, *[("polite", "polite")] * 8, ("polite", "plain"),
                                         ("plain", "rude"), ("polite", "cannot decide"), ("cannot decide",) * 2))
    assert (result.n, result.same, result.undecided) == (22, 19, 2)
    assert result.change == pytest.approx(-1 / 20), "two of the 20 decided both times moved by half the scale"
    changes = np.array([0.0] * 18 + [-0.5] * 2)
    assert (result.low, result.high) == label_interval(changes, bounds=(-1.0, 1.0)) and not result.drifted
    # 0, 0.5, 1 were given 10, 1, 9 times before and 11, 1, 8 after: the mean distance of all 400 pairs is
    # (10 (0.5 + 8) + 1 (11 + 8) / 2 + 9 (11 + 0.5)) / 400 = 198 / 400
    assert result.agreement == pytest.approx(1 - (1 / 20) / (198 / 400))
    harsher = rubric_drift(POLITE, labels(*[("polite", "plain")] * 15, *[("polite", "polite")] * 15))
    assert harsher.drifted and harsher.change == -0.25
    nobody = rubric_drift(POLITE, labels(*[("cannot decide", "cannot decide")] * 25))
    assert nobody.same == 25 and all(np.isnan([nobody.change, nobody.low, nobody.high, nobody.agreement]))
    assert not nobody.drifted
    passes = rubric_drift(Rubric("ok", "OK?"), labels(*[("pass", "cannot decide")] * 25))
    assert passes.same == 0 and passes.undecided == 25 and np.isnan(passes.change)


def test_the_weighted_kappa_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    for size in (2, 3, 5):
        first, second = rng.integers(0, size, 40), rng.integers(0, size, 40)
        assert weighted_kappa(first / (size - 1), second / (size - 1)) == pytest.approx(
            metrics.cohen_kappa_score(first, second, weights="linear", labels=list(range(size))))


def test_numbers_in_their_own_unit_by_hand():
    def replies(*numbers):
        return [tuple({"verdict": value, "decidable": "no" if value is None else "yes"} for value in pair)
                for pair in numbers]

    result = rubric_drift(STARS, replies(*[(2, 4)] * 20, *[(3, 3)] * 4, (5, None)))
    assert (result.n, result.same, result.undecided) == (25, 4, 1) and result.change == pytest.approx(40 / 24)
    assert result.drifted and 0 < result.low < result.change < result.high <= 4 and np.isnan(result.agreement)
    few = rubric_drift(STARS, replies(*[(2, 4)] * 19))
    assert few.change == 2 and np.isnan(few.low) and not few.drifted


def ranking(**ranks):
    return {"reason": "so", "ranking": [{"id": letter, "rank": rank} for letter, rank in ranks.items()]}


def test_rankings_by_hand():
    letters = {"dense": "A", "sparse": "B", "web": "C"}
    pairs = [(ranking(A=1, B=2, C=3), ranking(A=1, B=3, C=5))] * 19  # the same order in other numbers
    pairs += [(ranking(A=1, B=2, C=3), ranking(B=1, A=2, C=3))] * 20  # tau 1/3, another first place
    pairs += [(ranking(A=1, B=1, C=1), ranking(A=1, B=1, C=2))]  # a tie of all: tau undefined, first places fewer
    result = rubric_drift(BEST, pairs, [letters] * 40)
    assert (result.n, result.same, result.first_changed, result.taus) == (40, 19, 21, 39)
    assert result.tau == pytest.approx((19 + 20 / 3) / 39)
    mean, low, high = result.runs["dense"]  # from 1 to 0.5 in 20 of 40, and from 0.5 to 0.75 in one
    assert mean == pytest.approx((20 * -0.5 + 0.25) / 40) and low < mean < high < 0 and result.drifted
    assert result.runs["sparse"][0] == pytest.approx((20 * 0.5 + 0.25) / 40)
    assert result.runs["web"][0] == pytest.approx(-0.5 / 40)
    changes = np.array([0.0] * 39 + [-0.5])
    assert result.runs["web"][1:] == label_interval(changes, level=1 - 0.05 / 3, bounds=(-1.0, 1.0))
    tied = rubric_drift(BEST, [(ranking(A=1, B=1), ranking(A=1, B=1))] * 20, [{"dense": "A", "sparse": "B"}] * 20)
    assert tied.same == 20 and np.isnan(tied.tau) and tied.taus == 0 and tied.runs["dense"][0] == 0
    assert tied.runs["dense"][1:] == label_interval(np.zeros(20), bounds=(-1.0, 1.0)), "two runs are one comparison"


class Changing:
    """A judge by three rubrics, who changes its mind about every other answer when told to."""

    changed = False

    def __call__(self, asked):
        answers = [(facts.get("id"), text) for tag, facts, text in asked.texts if tag == "answer"]
        odd = self.changed and int(answers[0][1].split()[-1].rstrip(".")) % 2
        if "rank answers" in asked.system:
            order = sorted(answers, key=lambda row: row[1], reverse=bool(odd))
            return ranking(**{letter: place for place, (letter, _) in enumerate(order, 1)})
        if "A number from" in asked.system:
            return {"reason": "so", "decidable": "yes", "verdict": 4 if odd else 2}
        return {"reason": "so", "verdict": "plain" if odd else "polite"}


def test_the_command_asks_again_and_tells_of_each_rubric(serve, tmp_path, capsys):
    for name, word in (("dense", "lies"), ("web", "stands")):
        rows = {query: {**row, "answer": row["answer"].replace("lies", word)} for query, row in ROWS.items()}
        run, truth = case(rows, name)
        write_run(run, tmp_path / f"{name}.jsonl", "jsonl")
    write_truth(truth, tmp_path / "truth.jsonl", "jsonl")
    rubrics = []
    for rubric in (POLITE, STARS, BEST):
        (tmp_path / f"{rubric.name}.toml").write_bytes(rubric_toml(rubric))
        rubrics += ["--rubric", str(tmp_path / f"{rubric.name}.toml")]
    judge, files = Changing(), [str(tmp_path / "dense.jsonl"), str(tmp_path / "web.jsonl")]
    server = serve(judge=judge)
    command = ["judge", *files, "--truth", str(tmp_path / "truth.jsonl"), *rubrics, "--base-url", server.url, "--model",
               "toy"]
    assert main([*command, "--drift"]) == 2 and "0 verdicts of toy" in capsys.readouterr().err
    assert main(command) == 0 and server.answered == 60 + 60 + 30
    stored = default_verdict_store().stamp()
    assert main([*command, "--drift"]) == 0 and server.answered == 150 + 40 + 40 + 30
    text = capsys.readouterr().err
    assert "Rubric.polite: 40 of 40 the same, agreement beyond chance (weighted kappa) –, mean change +0.000 [" in text
    assert "Rubric.best: 30 of 30 the same, another first place in 0, mean Kendall's tau 1.000 (n 30)" in text
    assert "No drift shown" in text
    judge.changed = True
    assert main([*command, "--drift", "--progress", "json"]) == 1
    result = next(row for row in map(json.loads, capsys.readouterr().out.splitlines()) if "drift" in row)["drift"]
    polite, stars, best = result["rubrics"]
    assert result["drifted"] and result["n"] == 0 and result["change"] is None and result["skipped"] == {}
    assert polite["high"] < 0 and polite["agreement"] == 0 and polite["same"] == 40 + round(40 * polite["change"] * 2)
    assert stars["low"] > 0 and stars["agreement"] is None and stars["change"] == pytest.approx(
        2 * (1 - stars["same"] / 40))
    assert (best["first_changed"], best["same"], best["tau"], best["taus"]) == (15, 15, 0, 30)
    assert best["runs"]["dense"][0] == -0.5 and best["runs"]["dense"][2] < 0 and best["runs"]["web"][1] > 0
    assert "Rubric.stars: " in result["words"] and "has drifted" in result["words"]
    assert default_verdict_store().stamp() == stored
    assert main([*command, "-m", "Faithfulness", "--drift", "--dry-run"]) == 0
