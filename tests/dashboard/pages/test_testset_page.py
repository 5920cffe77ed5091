"""Test set: drafts read one at a time, accepted, edited, rejected and recovered; decisions outlive the server."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import until
from page_cases import drawn, opened, shown, texts, unbound, widget
from streamlit.testing.v1 import AppTest

from ragdash.dashboard.jobs import drafting
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.experiments.testset import (
    Check,
    Decision,
    Document,
    Draft,
    DraftDecisionStore,
    DraftSet,
    Evidence,
    Sets,
    drafts_jsonl,
)
from ragdash.io import read_corpus, read_truth
from ragdash.io.recorded.question_log import read_log

CORPUS = Path(__file__).resolve().parents[3] / "sample_runs" / "corpus.jsonl"
NASTY = "<script>alert(1)</script> **bold** $x^2$ [l](http://x)"
TEXT = f"Luna 24 landed in the Sea of Crises in 1976. {NASTY} It drilled two metres deep."


def the_set() -> DraftSet:
    """Two kept ones (single, no_answer) and a reject."""
    start, stop = TEXT.index("Luna"), TEXT.index(" It drilled")
    evidence = (Evidence("d1", TEXT[start:44], start, 44),)
    assert stop > 44
    fine = Check("question", True, "it reads as a question")
    return DraftSet("moon", "0" * 32, "toy at localhost", 0, {"single": 2, "no_answer": 1}, (
        Draft("single-1", "single", "Where did Luna 24 land?", "in the Sea of Crises", evidence, ("d1",), (fine,),
              0.75),
        Draft("single-2", "single", f"What does the text say? {NASTY}", "two metres", (), ("d1",),
              (fine, Check("alone", False, "it points to something outside of it: “the text”"),
               Check("quote", False, "a quote is not in d1"))),
        Draft("no_answer-3", "no_answer", "What did Luna 24 cost?", None, (), ("d1",), (fine,))),
        {"d1": Document("d1", TEXT, "Luna 24")}, {"single": {"timeout": 2}})


def click(at: AppTest, key: str) -> AppTest:
    return shown(widget(at, "button", key).click().run())


def states(at: AppTest) -> list[str]:
    return at.dataframe[0].value["State"].tolist()


def test_without_a_set_the_page_says_what_to_do():
    at = opened("test-set")
    assert "No test set loaded yet" in at.header[0].value and "ragdash testset" in at.code[0].value
    assert "--drafts drafts.jsonl" in at.code[0].value, "the file that is asked for below"
    assert "To check a test set, load its relevance judgments on the **Data** page" in texts(at)


@pytest.fixture
def at_work(serve):
    """A scripted endpoint; the processes that the page starts end with the test."""
    yield serve()
    drafting.forget()
    drafting.forget_plan()


def run(at: AppTest) -> AppTest:
    return shown(at.run())


def test_a_set_is_made_from_documents_to_questions_to_review(at_work):
    at = opened("test-set")
    assert "No corpus with texts in this session" in texts(at) and not at_work.asked
    corpus = read_corpus(CORPUS)
    LOADED.put(corpus)
    chosen = {state.DOCUMENTS: corpus.digest, state.JUDGE_URL: at_work.url, state.JUDGE_MODEL: "toy",
              state.NEW_SET_SIZE: 4, state.NEW_SET_TYPES: ["single", "no_answer"], state.NEW_SET_CRITIQUE: True}
    at = opened("test-set", state=chosen)
    assert "254 documents" in texts(at)
    click(at, "new_set_plan")
    until(lambda: not drafting._plans.current().running)
    at = run(at)
    said = texts(at)
    assert "**4 calls**, then up to 20 more for rejects and critiques" in said and "this machine" in said
    assert not at_work.asked and drafting.current() is None
    click(at, "new_set_start")
    until(lambda: not drafting.current().running)
    at = run(at)
    assert re.search(r"Done: 4 questions kept, \d+ calls", texts(at)) and len(at_work.asked) >= 8
    assert states(at).count("To review") == 4 and len(Sets().names()) == 1
    (name,) = Sets().names()
    assert at.session_state["set"] == name and name.startswith("corpus-")
    click(at, "draft_accept")
    assert "1 accepted" in texts(at)
    click(at, "new_set_plan")
    until(lambda: not drafting._plans.current().running)
    assert "**0 calls**" in texts(run(at))


def test_an_endpoint_that_fails_is_shown_and_leaves_no_set(serve):
    server = serve(*["404"] * 50)
    corpus = read_corpus(CORPUS)
    LOADED.put(corpus)
    at = opened("test-set", state={
        state.DOCUMENTS: corpus.digest, state.JUDGE_URL: server.url, state.JUDGE_MODEL: "toy", state.NEW_SET_SIZE: 2,
        state.NEW_SET_TYPES: ["single"]})
    try:
        click(at, "new_set_plan")
        until(lambda: not drafting._plans.current().running)
        run(at).number_input(key=state.NEW_SET_SIZE).set_value(3)
        click(at, "new_set_start")
        assert drafting.current() is None and "nothing was started" in at.warning[0].value
        click(at, "new_set_plan")
        until(lambda: not drafting._plans.current().running)
        click(run(at), "new_set_start")
        until(lambda: not drafting.current().running)
        at = run(at)
        assert "base URL" in "".join(one.value for one in at.error) and not Sets().names()
    finally:
        drafting.forget()
        drafting.forget_plan()


def test_accept_reject_and_recover_are_kept_and_another_process_sees_them():
    Sets().keep(the_set())
    at = opened("test-set")
    assert states(at) == ["To review", "Rejected by a rule", "To review"]
    text = texts(at)
    assert "75%" in text and "favors BM25" in text and "no reply in time" in text and "2 to review" in text
    click(at, "draft_accept")
    assert states(at)[0] == "Accepted" and at.session_state["draft"] == "single-2"
    assert "Why the rules rejected it" in texts(at) and "It points to something outside" in texts(at)
    click(at, "draft_accept")  # a reject is recovered
    widget(at, "selectbox", "draft_why").select("Too easy")
    click(at, "draft_reject")
    assert states(at) == ["Accepted", "Accepted", "Rejected by you"]
    assert at.dataframe[0].value["Why not"].tolist()[2] == "Too easy"
    held = DraftDecisionStore().read("0" * 32)
    assert held["no_answer-3"] == Decision("rejected", "Too easy") and held["single-2"].state == "accepted"
    again = opened("test-set", draft="no_answer-3")
    assert states(again) == states(at) and "Your reason: Too easy" in texts(again)
    click(again, "draft_undo")
    assert states(again)[2] == "To review"


def test_an_edit_is_kept_checked_again_and_can_be_taken_back():
    Sets().keep(the_set())
    at = opened("test-set")
    shown(widget(at, "text_area", "draft_question").input("Where did that text land?").run())
    shown(widget(at, "text_area", "draft_answer").input("in the Sea of Rains").run())
    text = texts(at)
    assert "Edited by you" in text and "“that text”" in text and "evidence\\: rains" in text
    assert at.dataframe[0].value["Question"].tolist()[0] == "Where did that text land?"
    assert DraftDecisionStore().read("0" * 32)["single-1"] == Decision("", "", "Where did that text land?",
                                                                  "in the Sea of Rains")
    click(at, "draft_undo")
    assert widget(at, "text_area", "draft_question").value == "Where did Luna 24 land?"
    assert "Edited by you" not in texts(at)


def test_two_reviewers_of_one_draft_lose_nothing():
    """Each page was drawn before the other reviewer changed the draft."""
    Sets().keep(the_set())
    ann, bob, cleo = opened("test-set"), opened("test-set"), opened("test-set")
    shown(widget(ann, "text_area", "draft_question").input("Where did that text land?").run())
    shown(widget(bob, "text_area", "draft_answer").input("in the Sea of Rains").run())
    assert not bob.warning, "each has changed another part"
    click(cleo, "draft_accept")
    stored = DraftDecisionStore().read("0" * 32)["single-1"]
    assert stored == Decision("accepted", "", "Where did that text land?", "in the Sea of Rains")
    dora, emil = opened("test-set", draft="single-1"), opened("test-set", draft="single-1")
    shown(widget(dora, "text_area", "draft_question").input("Where is it?").run())
    shown(widget(emil, "text_area", "draft_question").input("Where did it land?").run())
    assert "question: Where is it?" in " ".join(card.value for card in emil.warning).replace("\\", "")
    assert DraftDecisionStore().read("0" * 32)["single-1"] == replace(stored, question="Where did it land?")
    click(dora, "draft_undo")
    left = DraftDecisionStore().read("0" * 32)["single-1"]
    assert left == Decision(question="Where did it land?"), "dora takes back what she has seen, and nothing else"


def test_filters_show_what_they_count_and_an_empty_one_says_so():
    Sets().keep(the_set())
    at = opened("test-set", draft_state="failed")
    assert at.dataframe[0].value["Type"].tolist() == ["Single"] and len(at.dataframe[0].value) == 1
    at = opened("test-set", draft_types="no_answer")
    assert at.dataframe[0].value["Question"].tolist() == ["What did Luna 24 cost?"]
    at = opened("test-set", draft_state="accepted")
    assert "No draft passes the filters" in at.header[0].value and not at.dataframe


def test_texts_of_others_stay_texts():
    Sets().keep(the_set())
    at = opened("test-set", draft="single-2")
    assert "<script>" not in drawn(at) and "&lt;script&gt;" in drawn(at)
    assert "<script>alert" not in "".join(one.proto.body for one in at.get("html"))  # nor in the sidebar
    assert not any("[l](http://x)" in one.value and "\\[" not in one.value for one in at.markdown)
    at = opened("test-set", draft="single-1")
    page = "".join(one.proto.body for one in at.get("html"))
    assert ">Luna 24 landed in the Sea of Crises in 1976.</mark>" in page


def test_the_accepted_ones_become_the_truth_of_the_session():
    Sets().keep(the_set())
    at = click(opened("test-set"), "draft_accept")
    shown(at.segmented_control(key="draft_taken").set_value(("accepted",)).run())
    at = click(at, "draft_use")
    assert "In use as the ground truth" in texts(at)
    from ragdash.dashboard.session.data_store import LOADED

    truth = LOADED.truth(at.session_state["_truth"])
    assert truth.query_ids.to_pylist() == ["single-1"] and truth.docs.to_pylist() == ["d1"]
    assert json.loads(truth.details["attributes"][0].as_py()) == {"type": "single", "source": "synthetic"}


def test_a_file_is_opened_kept_and_a_wrong_one_told():
    at = opened("test-set")
    shown(at.get("file_uploader")[0].upload("drafts.jsonl", drafts_jsonl(the_set())).run())
    assert states(at) == ["To review", "Rejected by a rule", "To review"] and len(Sets().names()) == 1
    shown(at.get("file_uploader")[0].upload("truth.jsonl", b'{"query_id": "q1"}\n').run())
    assert "no file of drafts" in at.error[0].value and len(states(at)) == 3


def test_a_workspace_that_is_only_shown_changes_nothing(monkeypatch):
    Sets().keep(the_set())
    monkeypatch.setenv("RAGDASH_READ_ONLY", "1")
    at = opened("test-set")
    assert widget(at, "text_area", "draft_question").disabled
    assert not [one for one in at.button if unbound(one.key) in ("draft_accept", "draft_reject")]


def test_a_set_of_thousands_is_drawn(tmp_path):
    one = the_set()
    many = tuple(replace(one.drafts[0], id=f"single-{at}", question=f"Question {at}?") for at in range(5_000))
    Sets().keep(replace(one, drafts=many))
    assert len(opened("test-set").dataframe[0].value) == 5_000


def test_a_damaged_file_of_decisions_is_told():
    Sets().keep(the_set())
    DraftDecisionStore().path.write_bytes(b"no database, but 20 bytes and more of text" * 20)
    at = opened("test-set")
    assert "testsets.broken-1.sqlite" in texts(at).replace("\\", "") and "set aside" in texts(at)


@pytest.mark.parametrize("decision", ["accepted", "rejected"])
@pytest.mark.parametrize("part", ["question", "answer"])
def test_what_somebody_else_wrote_in_a_draft_is_shown_to_who_decides_about_it(decision, part):
    store, shown_decision = DraftDecisionStore(), Decision(**{part: "mine"})
    store.say("0" * 32, "single-1", Decision(**{part: "theirs"}))
    unseen = store.say("0" * 32, "single-1", replace(shown_decision, state=decision), shown_decision)
    assert unseen == (f"{part}: theirs",)
    assert store.read("0" * 32)["single-1"] == Decision(decision, **{part: "theirs"})
    assert store.say("0" * 32, "single-1", Decision(**{part: "theirs"}), Decision(decision, **{part: "theirs"})) == ()


def test_what_is_downloaded_is_read_as_a_truth(tmp_path):
    from ragdash.experiments.testset import final, truth_jsonl

    store = DraftDecisionStore()
    store.say("0" * 32, "single-2", Decision("accepted", question="How deep did Luna 24 drill?"))
    rows = final(the_set().drafts, store.read("0" * 32), ("accepted", "open"))
    path = tmp_path / "truth.jsonl"
    path.write_bytes(truth_jsonl(rows))
    truth = read_truth(path)
    assert truth.details["query"].to_pylist() == ["Where did Luna 24 land?", "How deep did Luna 24 drill?",
                                                  "What did Luna 24 cost?"]
    assert truth.grades.tolist() == [1, 1, 0] and truth.queries_without_relevant == 1


def test_a_log_of_production_is_compared_and_its_questions_become_drafts(tmp_path):
    nouns = ["phone", "lamp", "clock", "radio", "fan", "oven", "pc", "tv", "car", "book", "pen"]
    truth = read_truth(("truth.jsonl", "".join(json.dumps(
        {"query_id": noun, "query": f"How do I reset the {noun}?", "answers": ["So."]}) + "\n"
        for noun in nouns).encode()))
    log = read_log(("log.jsonl", "".join(json.dumps(
        {"question": f"Can I return {number} things to a {other}?", "answer": "I do not know."}) + "\n"
        for number in range(11) for other in ("shop", "store")).encode()))
    LOADED.put(truth)
    at = opened("test-set", truth=truth.digest, state={state.PRODUCTION_LOG: log, state.TEST_SET_PART: "production"})
    shown_text = texts(at)
    for words in ("people ask about other things", "of 22 distinct questions", "not tested"):
        assert words in shown_text, shown_text
    proposed = next(table.value for table in at.dataframe if "Represents" in table.value)
    assert set(proposed["Why"]) == {"the system declined to answer"}
    click(at, "production_review")
    drafts = next(table.value for table in at.dataframe if "State" in table.value)
    assert set(drafts["State"]) == {"To review"} and len(Sets().names()) == 1
    assert "Asked by people in production" in texts(at)
    click(at, "draft_accept")
    assert "1 accepted" in texts(at)
