"""Files that are dropped, right and wrong, several at once, and those of the command line."""

from __future__ import annotations

import gzip
import json

import pytest
from page_cases import keys, leaderboard, opened, widget
from test_pages import SAMPLES, texts, upload, with_runs

from ragdash.core.errors import InputError
from ragdash.dashboard.pages.data.columns import saved_mappings
from ragdash.dashboard.session import data_store
from ragdash.dashboard.session.run_facts import parse_typed
from ragdash.reporting.sentences.formatting import escape


def test_several_files_at_once_are_told_apart_by_content():
    run = b"q1 Q0 d1 1 2.0 bm25\nq1 Q0 d2 2 1.0 bm25\nq2 Q0 d1 1 1.0 bm25\n"
    other = gzip.compress(b"q1 Q0 d2 1 2.0 dense\nq2 Q0 d9 1 1.0 dense\n")
    at = upload(opened(), ("one.txt", run), ("two.run.gz", other), ("judged.txt", b"q1 0 d1 1\nq2 0 d9 2\n"))
    assert len(at.session_state["_runs"]) == 2 and at.session_state["_truth"]
    said = texts(at)
    assert "TREC run" in said and "TREC qrels" in said and not at.error
    at.switch_page("pages/compare.py").run()
    assert not at.exception and len(leaderboard(at)) == 2


WRONG = {
    "empty.txt": b"",
    "binary.run": bytes(range(256)) * 40,
    "nan.run": b"q1 Q0 d1 1 nan bm25\n",
    "cut.run.gz": gzip.compress(b"q1 Q0 d1 1 2.0 a\n" * 999)[:40],
    "columns.csv": b"query_id,score\nq1,2\n",
    "latin.run": "q\xe9 Q0 d1 1 2.0 a\n".encode("latin-1"),
    "words.md": b"# Notes\n\nNothing to see here.\n",
    "lines.run": b"q1 Q0 d1 1 2.0 a\n" + b"q1 Q0 d1\n" * 200_000,
    "<b>.json": b'{"q1": [1, 2',
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_a_message_and_loses_nothing(name):
    at = upload(opened(**with_runs(2)), (name, WRONG[name]))
    assert len(at.session_state["_runs"]) == 2 and at.session_state["_truth"]
    assert at.error and "Traceback" not in texts(at)
    assert len(at.error) <= 5
    assert all(":material/build:" in card.value for card in at.error)
    at.switch_page("pages/compare.py").run()
    assert not at.exception and len(leaderboard(at)) == 2


def test_a_fault_while_a_file_is_read_loses_neither_what_was_loaded_nor_the_next_file(monkeypatch):
    at, read = opened(**with_runs(2)), data_store.read_upload

    def fault(name, *rest):
        if name == "one.run":
            raise MemoryError
        return read(name, *rest)

    monkeypatch.setattr(data_store, "read_upload", fault)
    for name in ("one.run", "two.run"):
        at.file_uploader[0].upload(name, b"q1 Q0 1 1 2.0 x\n")
    at.run()
    assert "memory" in " ".join(card.value for card in at.error) and len(at.session_state["_runs"]) == 2
    at.run()
    assert not at.exception and [entry.name for entry in at.session_state["_runs"]][2:] == ["two"]


def test_the_role_of_a_file_can_be_changed():
    at = upload(opened(), ("judged.txt", b"q1 0 d1 1\nq2 0 d9 2\n"))
    assert at.session_state["_truth"]
    widget(at, "selectbox", "role_0").set_value("run").run()
    assert not at.exception and at.session_state["_truth"] is None and at.error
    widget(at, "selectbox", "role_0").set_value("truth").run()
    assert at.session_state["_truth"] and not at.error


def test_each_file_shows_the_role_it_was_read_as():
    at = upload(opened(), ("one.run", b"q1 Q0 d1 1 2.0 bm25\n"), ("judged.txt", b"q1 0 d1 1\n"),
                ("cut.run.gz", WRONG["cut.run.gz"]), ("words.md", WRONG["words.md"]))
    shown = [one.value for one in at.selectbox if (one.key or "").startswith("role_")]
    assert shown == ["run", "truth", None, None]


def test_files_of_the_command_line_are_open_at_the_first_visit(monkeypatch):
    monkeypatch.setenv(
        "RAGDASH_FILES",
        json.dumps([f"my dense={SAMPLES / 'dense.jsonl'}", str(SAMPLES / "sparse.jsonl"), "no/such/file.run"]),
    )
    monkeypatch.setenv("RAGDASH_TRUTH", json.dumps([str(SAMPLES / "truth.jsonl")]))
    at = opened()
    assert [entry.name for entry in at.session_state["_runs"]] == ["my dense", "sparse"] and at.session_state["_truth"]
    assert any("file.run" in card.value for card in at.error)


def test_where_nothing_could_be_read_the_other_pages_say_so():
    at = upload(opened(), ("cut.json", b'{"q1": [1, 2'), ("empty.txt", b""))
    at.switch_page("pages/answers.py").run()
    assert not at.exception and "2 files could not be read" in texts(at)


def test_a_file_that_waits_for_an_answer_is_not_called_unreadable():
    table = b"chatbot,nr,question,bot_answer,correct_answer\nx,1,Who?,Ann,Ann\ny,1,Who?,Eve,Ann\n"
    at = upload(opened(), ("table.csv", table), ("empty.txt", b""))
    at.switch_page("pages/answers.py").run()
    assert not at.exception and "1 file waits for your answer: the **Data** page proposes how to read it." in texts(at)
    assert "1 file could not be read" in texts(at)


def test_names_with_markup_icons_and_entities_are_shown_as_written():
    for name, shown in (("&lt;b&gt;", "\\&lt;b\\&gt;"), (":material/home:", ":color[\\:]material/home\\:"),
                        (":smile:", ":color[\\:]smile\\:"), ("a: b", "a\\: b")):
        assert escape(name) == shown


def test_removed_judgments_can_be_restored():
    at = opened("data", **with_runs(2))
    truth = at.session_state["_truth"]
    widget(at, "button", "remove_truth").click().run()
    assert at.session_state["_truth"] is None and "Judgments removed" in texts(at)
    widget(at, "button", "restore_truth").click().run()
    assert not at.exception and at.session_state["_truth"] == truth and "restore_truth" not in keys(at)


def test_a_mapping_that_was_kept_for_documents_opens(monkeypatch):
    monkeypatch.setattr(saved_mappings, "saved_for", lambda columns: {"documents": {"title": "b"}})
    at = upload(opened(), ("columns.csv", b"a,b\n1,2\n"))
    next(box for box in at.selectbox if box.label == "Mapping").set_value("documents").run()
    assert not at.exception and "b" in [box.label for box in at.selectbox]


def test_a_run_without_judgments_can_be_removed():
    at = upload(opened(), ("answers.jsonl", json.dumps({
        "query_id": "q1", "query": "Why?", "answer": "So.", "retrieved": ["d1"]}).encode()))
    assert at.session_state["_truth"]
    at.button(key=f"remove_{at.session_state['_runs'][0].key}").click().run()
    assert not at.exception and "No runs yet" in texts(at) and "No judgments yet" in texts(at)


def test_a_removed_run_comes_back_to_its_place_as_the_baseline():
    address = with_runs(3)
    at = opened("data", **address)
    before, shown_before = at.session_state["_runs"], set(at.session_state["shown"])
    assert at.session_state["baseline"] == before[0].digest
    at.button(key=f"remove_{before[0].key}").click().run()
    assert at.session_state["_runs"] == before[1:] and f"Run removed: {escape(before[0].name)}" in texts(at)
    assert at.session_state["baseline"] == before[1].digest
    widget(at, "button", "restore_run").click().run()
    assert not at.exception and at.session_state["_runs"] == before and set(at.session_state["shown"]) == shown_before
    assert at.session_state["baseline"] == before[0].digest and "restore_run" not in keys(at)
    for entry in before:  # the last one leaves an empty page, with a way back
        at.button(key=f"remove_{entry.key}").click().run()
    widget(at, "button", "restore_run").click().run()
    assert [entry.digest for entry in at.session_state["_runs"]] == [before[2].digest]


def test_a_second_file_with_the_same_content_is_named():
    lines = b"q1 Q0 a 1 2.0 x\n"
    at = upload(opened("data"), ("one.run", lines))
    at = upload(at, ("two.run", lines))
    assert len(at.session_state["_runs"]) == 1
    assert any("**two.run** has the same content as one" in note.value for note in at.info)


def test_files_that_are_not_added_are_named_before_the_result_and_many_are_counted():
    lines = b"q1 Q0 a 1 2.0 x\n"
    names = ["one", "two", "three", "four", "five", "six"]
    at = upload(opened("overview"), *((f"{name}.run", lines) for name in names))
    (note,) = at.info
    assert note.value.count("has the same content as one, which is loaded already.") == 3
    assert note.value.endswith("The same holds for 2 more files.")
    kinds = [block.type for block in at.main]
    assert kinds.index("info") < kinds.index("header")


def test_typed_settings_keep_their_commas_and_what_cannot_be_read_is_named():
    stored = "retriever = BM25 (bm25s, k1 1.5, b 0.75), Snowball stems\ngenerator = a model, one prompt\nx = 1"
    assert parse_typed(stored) == {"retriever": "BM25 (bm25s, k1 1.5, b 0.75), Snowball stems",
                                   "generator": "a model, one prompt", "x": "1"}
    assert parse_typed("a = 1, b=2\n\nlist = [1,2]") == {"a": "1", "b": "2", "list": "[1,2]"}
    for wrong in ("just a line", "= 5", "a =", "x = 1\nx = 2"):
        with pytest.raises(InputError, match="Nothing was changed"):
            parse_typed(wrong)
