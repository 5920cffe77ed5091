"""Documents dropped on the Data page: put beside the truth, whichever comes first; used, told of, taken off."""

from __future__ import annotations

from page_cases import opened, widget
from test_pages import SAMPLES, texts, upload, with_runs

from ragdash.dashboard.session.data_store import LOADED

CORPUS = ("corpus.jsonl", b'{"_id": "d1", "text": "one"}\n{"_id": "d2", "title": "Two", "text": "two"}\n')
QRELS = ("judged.txt", b"q1 0 d1 1\nq2 0 d9 2\n")


def held(at):
    return LOADED.truth(at.session_state["_truth"])


def test_documents_beside_a_truth_that_is_there():
    at = opened(**with_runs(2))
    bare = held(at).digest
    at = upload(at, ("corpus.jsonl", (SAMPLES / "corpus.jsonl").read_bytes()))
    assert not at.exception and not at.error and len(held(at).corpus) == 254
    assert held(at).judged_digest == bare != held(at).digest == at.session_state["_truth"]
    said = texts(at)
    assert "254 documents with texts and titles" in said and "3 of 3 judged documents are not" in said
    assert "read as documents" in said
    at.switch_page("pages/compare.py").run()
    assert not at.exception and at.query_params["truth"] == held(at).digest[:12]
    at.switch_page("pages/data.py").run()
    widget(at, "button", "take_off").click().run()
    assert at.session_state["_truth"] == bare and held(at).corpus is None and "254 documents" not in texts(at)


def test_documents_wait_for_a_truth():
    at = upload(opened(), CORPUS)
    assert at.session_state["_truth"] is None and "wait for judgments" in texts(at)
    at = upload(at, QRELS)
    assert held(at).corpus.doc_ids.to_pylist() == ["d1", "d2"]
    assert "1 of 2 judged documents is not among them" in texts(at)
    at = upload(at, ("other.txt", b"q1 0 x1 1\n"))
    assert held(at).corpus is None and "1 of 1 judged document is not" in texts(at) and "**not used**" in texts(at)
    widget(at, "button", "put_beside").click().run()
    assert len(held(at).corpus) == 2 and "not used" not in texts(at)


def test_both_in_one_drop_in_either_order():
    for files in ((CORPUS, QRELS), (QRELS, CORPUS)):
        at = upload(opened(), *files)
        assert len(held(at).corpus) == 2 and not at.exception


def test_the_samples():
    files = [(name, (SAMPLES / name).read_bytes()) for name in ("corpus.jsonl", "truth.jsonl", "dense.jsonl")]
    at = upload(opened(), *files)
    assert "All judged documents are among them" in texts(at) and not at.error


def test_the_role_can_be_changed_back_and_forth():
    questions = ("queries.jsonl", b'{"_id": "d1", "text": "one"}\n{"_id": "d9", "text": "two"}\n')
    at = upload(upload(opened(), QRELS), questions)
    assert held(at).corpus is None and "Read it like this?" in texts(at), "ids and texts may be questions"
    widget(at, "selectbox", "role_0").set_value("corpus").run()
    assert not at.exception and len(held(at).corpus) == 2 and not at.error
    widget(at, "selectbox", "role_0").set_value("run").run()
    assert held(at).corpus is None and not at.exception and "Read it like this?" in texts(at)
