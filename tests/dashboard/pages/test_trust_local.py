"""The judge trained on labels, on the Judge validation tab: the command's numbers, what it lacks, its sheet."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import test_trust_page as page
from page_cases import charts
from test_trust_page import button, label_item, number, opened, said
from trust_cases import IDS, a_run, judged, labeled, scores

from ragdash import io
from ragdash.analysis.judge_validation import LabelStore, placeholder_verdicts, sample_queries
from ragdash.cli.main import main
from ragdash.core.records import Run
from ragdash.dashboard.pages.answers.validation import trained_judge
from ragdash.dashboard.session.data_store import SHORT
from ragdash.matching.match import Match
from ragdash.models.judge import default_verdict_store
from ragdash.models.local import default_score_cache

SAMPLES = Path(__file__).parents[3] / "sample_runs"
NAMED = "local judge, trained on your labels"


@pytest.fixture
def samples(monkeypatch):
    """Two runs of the samples, 60 and 50 queries of them labeled."""
    runs = [io.read_run(SAMPLES / f"{name}.jsonl") for name in ("dense", "hybrid")]
    monkeypatch.setattr(page, "TRUTH", truth := io.read_truth(SAMPLES / "truth.jsonl"))
    for run, n in zip(runs, (60, 50), strict=True):
        match = Match(run, truth)
        answers = dict(zip(match.query_ids.to_pylist(), match.answered.answers, strict=True))
        LabelStore().add(run.digest, "Faithfulness", {query: float(len(answers[query]) > 60)
                                                      for query in sample_queries([placeholder_verdicts(match)], n)})
    return runs


def by_command(capfdbinary, *more) -> dict:
    files = [str(SAMPLES / f"{name}.jsonl") for name in ("dense", "hybrid")]
    assert main(["trust", *files, "--truth", str(SAMPLES / "truth.jsonl"), "--local-judge", "-m", "Faithfulness",
                 "--format", "json", *more]) == 0
    return json.loads(capfdbinary.readouterr()[0])


def intervals(figure: dict, name: str) -> list[tuple[float, float, float]]:
    """(mean, to its low end, to its high end) of the intervals of a kind in a picture."""
    return [(number(trace["x"]), number(trace["error_x"]["arrayminus"]), number(trace["error_x"]["array"]))
            for trace in figure["data"] if trace["name"] == name and trace.get("error_x")]


def of_json(one: dict) -> tuple[float, float, float]:
    return one["mean"], one["mean"] - one["low"], one["high"] - one["mean"]


def test_its_numbers_are_those_of_the_command(samples, capfdbinary):
    content = by_command(capfdbinary)
    at = opened(*samples, judge="local")
    figure, difference = charts(at)["trust_means"], charts(at)["trust_differences"]
    assert [number(trace["x"]) for trace in figure["data"] if trace["name"] == "judge alone"
            and trace["x"] != [None]] == [one["judge"]["mean"] for one in content["runs"]]
    assert intervals(figure, "corrected") == [of_json(one["corrected"]) for one in content["runs"]]
    assert intervals(figure, "labels alone") == [of_json(one["labels"]) for one in content["runs"]]
    assert intervals(difference, "corrected") == [of_json(content["differences"][0]["corrected"])]
    first = content["runs"][0]["agreement"]
    ends = ", ".join(f"{100 * first[end]:.0f}%" for end in ("accuracy_low", "accuracy_high"))
    assert f"The judge agrees with {100 * first['accuracy']:.0f}% of 60 labels [{ends}]. Always" in said(at)
    learned = content["settings"]["local_judge"]
    assert f"Trained on {learned['labels']} labels in {learned['folds']} folds." in said(at)
    used, left = at.table[0].value, at.table[1].value
    assert sorted(used["Weight"]) == sorted(f"{value:+.2f}".replace("-", "−") for value in learned["features"].values())
    assert len(left) == len(learned["left_out"]) and "not computed yet" in str(left["Why"].tolist())
    assert f"Judge: {NAMED}" in said(at) and "capture neither negation" in said(at) and "python -m" not in said(at)
    assert "One vote" not in said(at) and "Reason of the judge" not in said(at)


def test_it_is_chosen_beside_other_judges_and_where_none_has_spoken():
    run = a_run("dense")
    labeled(run, scores(1), 40)
    at = opened(run)
    assert "No verdicts yet" in said(at) and at.selectbox(key="judge").options == ["none yet", NAMED]
    button(at, "take_local").click().run()
    assert not at.exception and "Trained on 40 labels in 5 folds" in said(at) and "% of 40 labels" in said(at)
    assert at.query_params["judge"] in ("local", ["local"])
    judged(run, page.TRUTH, scores(1))
    at = opened(run)
    assert "Judge: toy-judge" in said(at) and len(at.selectbox(key="judge").options) == 2
    at.selectbox(key="judge").set_value("local").run()
    assert not at.exception and f"Judge: {NAMED}" in said(at) and "toy-judge" not in said(at)
    at = opened(run, trusted="SupportCoverage")
    assert at.selectbox(key="judge").options == ["the metric itself", NAMED]


def test_it_is_trained_only_when_it_is_chosen_and_once(monkeypatch):
    calls, real = [], trained_judge.fit_judge
    monkeypatch.setattr(trained_judge, "fit_judge", lambda *given: calls.append(1) or real(*given))
    run = a_run("counted")
    judged(run, page.TRUTH, scores(1))
    labeled(run, scores(1), 41)
    at = opened(run)
    assert not calls
    at.selectbox(key="judge").set_value("local").run()
    at.run()
    at.session_state["classes"] = "each"
    at.run()
    assert len(calls) == 1
    at.session_state["desk"] = "label"
    at.run()
    button(at, "label_y").click().run()
    assert len(calls) == 1, "no training between two answers that are labeled"
    assert len(LabelStore().read(run.digest, "Faithfulness")) == 42
    at.session_state["desk"] = "result"
    at.run()
    assert len(calls) == 2 and "Trained on 42 labels" in said(at)


@pytest.mark.parametrize(("n", "value", "found", "needed"), [
    (12, 0.0, "labels of 12 queries with an answer", "those of 20 or more"),
    (30, 1.0, "30 labels that are all 1", "labels of both kinds")])
def test_what_it_lacks_is_said_and_leads_to_labeling(n, value, found, needed):
    run = a_run("few")
    LabelStore().add(run.digest, "Faithfulness", dict.fromkeys(IDS[:n], value))
    at = opened(run, judge="local")
    assert "Not trained yet" in said(at) and f"Found {found}" in said(at) and needed in said(at)
    assert not charts(at) and "--sheet" not in said(at)
    button(at, "start_labeling").click().run()
    assert not at.exception and at.session_state["desk"] == "label" and at.get("progress")


def test_the_sheet_is_drawn_from_all_answers():
    run, bare = a_run("dense"), Run.build("bare", IDS, [f"d{at}" for at in range(100)], [1.0] * 100)
    order = sample_queries([placeholder_verdicts(Match(run, page.TRUTH), "Faithfulness")], 50)
    at = opened(run, bare, judge="local", desk="label")
    assert f"thing {int(order[0][1:])} is" in label_item(at)
    assert "answers to each" not in str(at.get("progress")[0].proto)
    button(at, "label_y").click().run()
    assert LabelStore().read(run.digest, "Faithfulness") == {order[0]: 1.0}
    at.session_state["desk"] = "kept"
    at.run()
    assert not at.exception and at.table[0].value["Labels"].tolist() == ["1", "0"]


def test_a_run_without_answers_stays_out_and_alone_there_is_nothing():
    run, bare = a_run("dense"), Run.build("bare", IDS, [f"d{at}" for at in range(100)], [1.0] * 100)
    labeled(run, scores(1), 40)
    text = said(opened(run, bare, judge="local"))
    assert "No verdicts on bare." in text and "% of 40 labels" in text
    assert "No answers" in said(opened(bare, judge="local"))


def test_a_slice_is_judged_by_the_judge_of_all_labels():
    run = a_run("dense")
    labels = labeled(run, scores(1), 60)
    whole = trained_judge.fit_judge([Match(run, page.TRUTH)], [labels]).verdicts[0].values
    at = opened(run, judge="local", slice="kind=odd")
    assert "Trained on 60 labels" in said(at)
    (mean,) = [number(trace["x"]) for trace in charts(at)["trust_means"]["data"] if trace["name"] == "judge alone"
               and trace["x"] != [None]]
    assert mean == pytest.approx(np.mean(whole[1::2]), abs=1e-12)
    assert f"% of {sum(int(query[1:]) % 2 for query in labels)} labels" in said(at)


def test_two_runs_of_one_name_have_their_own_labels():
    runs = a_run("dense"), replace(a_run("other"), name="dense")
    labeled(runs[0], scores(1), 40), labeled(runs[1], scores(2), 30)
    at = opened(*runs, judge="local", run=[f"{one.digest[:SHORT]}.{slot}.{name}" for slot, (one, name) in
                                           enumerate(zip(runs, ("dense", "dense (2)"), strict=True))])
    assert "Trained on 70 labels" in said(at) and "% of 30 labels" in said(at)


def test_a_viewer_looks_at_it_and_nothing_is_written():
    run = a_run("dense")
    labeled(run, scores(1), 40)
    before = default_verdict_store().stamp(), LabelStore().stamp(), default_score_cache().stamp()
    secrets = {"auth": page.AUTH, "access": {"editors": ["ada@example.org"], "viewers": ["bob@example.org"]}}
    at = opened(run, secrets=secrets, user={"is_logged_in": True, "email": "bob@example.org"}, judge="local")
    assert "Trained on 40 labels" in said(at) and "% of 40 labels" in said(at)
    assert (default_verdict_store().stamp(), LabelStore().stamp(), default_score_cache().stamp()) == before
