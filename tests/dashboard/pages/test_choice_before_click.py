"""A choice and the click after it that reach the server together: the button does what is chosen now."""

from __future__ import annotations

import json
import shutil

import test_answer_scoring as scoring_page
import test_judges_page as judge_page
import test_proposed_reading_page as reading_page
import test_relink_page as relink_page
import test_testset_page as set_page
import test_trust_page as label_page
from models.judge.batch_endpoint import BatchEndpoint
from page_cases import widget
from test_trust_page import TRUTH
from trust_cases import IDS, a_run, judged, scores

from ragdash.analysis.judge_validation import LabelStore
from ragdash.dashboard.jobs import scoring
from ragdash.dashboard.pages.answers import model_scores
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.experiments.testset import Sets
from ragdash.models.judge.tasks.policy import current_policy

forgotten = relink_page.forgotten
own_places, folder = scoring_page.own_places, scoring_page.folder


def test_a_file_is_read_as_was_chosen_last():
    rows = [{"question": f"What is {i}?", "answer": f"It is {i}, as everybody knows.", "level": "easy", "page_no": i}
            for i in range(4)]
    at = reading_page.upload(reading_page.opened(), ("qa.json", json.dumps(
        {"meta": {}, "entries": {str(i): row for i, row in enumerate(rows)}}).encode()))
    radio, = [radio for radio in at.radio if radio.label == "Reading"]
    other = next(number for number, option in enumerate(radio.options)
                 if option.startswith("A run") != radio.options[radio.index].startswith("A run"))
    as_run = radio.options[other].startswith("A run")
    radio.set_value(radio.options[other])
    reading_page.button_of(at)[0].click().run()
    assert not at.exception and bool(at.session_state["_runs"]) is as_run


def test_judgments_follow_the_links_that_were_chosen_last(forgotten):
    at = relink_page.with_links()
    before = LOADED.truth(at.session_state["_truth"])
    at.toggle(key="_drop_gone").set_value(True)
    at.button(key="use_links").click().run()
    after = LOADED.truth(at.session_state["_truth"])
    assert not at.exception and after.judgments == before.judgments - 1


def test_links_are_looked_for_in_the_texts_that_were_chosen_last(forgotten):
    at = relink_page.with_links()
    old, new = at.multiselect(key="_old_texts"), at.multiselect(key="_new_texts")
    swapped = list(new.value), list(old.value)
    old.set_value(swapped[0])
    new.set_value(swapped[1])
    at.button(key="find_links").click().run()
    assert not at.exception and at.session_state[state.RELINKED][1:] == (tuple(swapped[0]), tuple(swapped[1]))


def test_drafts_become_the_truth_that_was_chosen_last():
    Sets().keep(set_page.the_set())
    at = set_page.click(set_page.opened("test-set"), "draft_accept")
    at.segmented_control(key="draft_taken").set_value(("accepted",))
    at = set_page.click(at, "draft_use")
    assert LOADED.truth(at.session_state["_truth"]).query_ids.to_pylist() == ["single-1"]


def test_the_model_that_was_chosen_last_is_started(own_places, folder, tmp_path, monkeypatch):
    second = tmp_path / "second"
    shutil.copytree(folder, second)
    asked = []
    monkeypatch.setattr(model_scores, "_known_models", lambda kind: [str(folder), str(second)])
    monkeypatch.setattr(scoring, "start", lambda *arguments: asked.append(arguments))
    at = scoring_page.opened(folder)
    widget(at, "selectbox", "_model_encoder").set_value(str(second))
    at.button(key="score_start").click().run()
    assert not at.exception and list(asked[0][-1].values()) == [str(second)]


def test_a_policy_is_saved_as_was_chosen_last():
    runs = [a_run("dense")]
    judged(runs[0], TRUTH, scores(1))
    at = label_page.opened(*runs, desk="label")
    at.radio(key="_policy_rounding").set_value("wrong")
    label_page.button(at, "policy_save").click().run()
    assert not at.exception and current_policy().rounding == "wrong"


def test_rows_of_a_sheet_without_a_run_are_shown_before_they_become_labels_of_another():
    runs = [a_run("dense"), a_run("sparse")]
    for number, run in enumerate(runs):
        judged(run, TRUTH, scores(number))
    at = label_page.opened(*runs, desk="kept")
    at.selectbox(key=state.LABELS_OF).set_value("dense").run()
    rows = "".join(f"{query},1\n" for query in IDS[:3])
    at.file_uploader[0].upload("sheet.csv", f"query_id,label\n{rows}".encode()).run()
    at.selectbox(key=state.LABELS_OF).set_value("sparse")
    label_page.button(at, "keep_sheet").click().run()
    assert not at.exception and not any(LabelStore().read(run.digest, "Faithfulness") for run in runs)
    label_page.button(at, "keep_sheet").click().run()
    assert not LabelStore().read(runs[0].digest, "Faithfulness")
    assert LabelStore().read(runs[1].digest, "Faithfulness") == dict.fromkeys(IDS[:3], 1.0)


def test_results_are_imported_on_the_run_that_was_chosen_last():
    first, second = (run.digest for run in judge_page.the_case()[1])
    at = judge_page.opened(None, **{"_verdicts_said": ("", ()), state.VERDICTS_FOR: second})
    rows = "user_input,response,faithfulness\n" + "".join(
        f"What is the color of stone {q}?,Stone {q} is {'grey' if q % 2 else 'purple'} one.,{q / 10}\n"
        for q in range(5))
    at.file_uploader[0].upload("ragas.csv", rows.encode())
    at.run()
    at.selectbox(key=state.VERDICTS_FOR).set_value(first)
    at.button(key="verdicts_read").click().run()
    assert not at.exception and "5 verdicts of 5 rows" in judge_page.texts(at)


def test_a_limit_set_last_holds_for_a_plan_and_a_batch(tmp_path):
    with BatchEndpoint(tmp_path) as service:
        at = judge_page.opened(None, **{
            state.JUDGE_URL: service.url, state.JUDGE_MODEL: "toy", state.BATCH_READ: ("", []),
            state.JUDGE_METRICS: ["Faithfulness"]})
        at.number_input(key=state.JUDGE_SAMPLE).set_value(2)
        at = judge_page.plan(at).run()
        assert [metric.value for metric in at.metric if metric.label == "Calls"] == ["4"]
        at.number_input(key=state.JUDGE_SAMPLE).set_value(3)
        at.button(key="batch_submit").click().run()
        assert not at.exception and "submitted 6 requests" in judge_page.texts(at)
