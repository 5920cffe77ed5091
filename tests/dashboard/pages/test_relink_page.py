"""Re-linking on the Data page: offered where judged ids are unknown, shown before and after, kept as a version."""

from __future__ import annotations

import json

import pytest
from page_cases import address, keys, opened, texts, widget
from test_pages import upload

from ragdash.core.records import Run, Truth
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED, workspace

SENTENCES = [f"page {i} tells how the {word} of lake {i} is measured each spring by person {i}"
             for i, word in enumerate(("depth", "salt", "heat", "flow", "color", "sound", "shore", "wind"))]


def corpus(ids_and_texts) -> bytes:
    return "\n".join(json.dumps({"_id": doc, "title": "", "text": text}) for doc, text in ids_and_texts).encode()


OLD = corpus((f"old{i}", text) for i, text in enumerate(SENTENCES))
NEW = corpus([("old0", SENTENCES[0]), *((f"new{i}", text) for i, text in enumerate(SENTENCES) if 0 < i < 7),
              ("other", "nothing of all that")])
QRELS = "".join(f"q{i} 0 old{i} 1\n" for i in range(8)).encode()
RUN = "".join(f"q{i} Q0 {'old' if i == 0 else 'new'}{i} 1 2.0 a\nq{i} Q0 other 2 1.0 a\n" for i in range(8)).encode()


@pytest.fixture
def forgotten():
    """Nothing is in memory before and after."""
    LOADED.clear()
    yield
    LOADED.clear()


def with_links():
    """The Data page with judgments of the old ids, a run on the new ones, and both corpora; the links are shown."""
    at = upload(opened(), ("qrels.txt", QRELS), ("old.jsonl", OLD), ("run.txt", RUN))
    assert "open_relink" not in keys(at), "all judged documents are there"
    at = upload(at, ("new.jsonl", NEW))
    at.button(key="open_relink").click().run()
    at.button(key="find_links").click().run()
    assert not at.exception
    return at


def run_with_texts(name: str) -> tuple[str, bytes]:
    return f"{name}.jsonl", "\n".join(json.dumps({"query_id": f"q{i}", "retrieved": [
        {"doc_id": f"{name}{i}", "score": 1.0, "text": text}]}) for i, text in enumerate(SENTENCES)).encode()


def parts(at) -> list[str]:
    """The parts of the Data page that can be opened."""
    choices = [group for group in at.get("button_group") if group.key == state.DATA_PART]
    return list(choices[0].options) if choices else []


def test_links_need_judgments_and_texts_of_two_kinds(forgotten):
    at = upload(opened(), ("qrels.txt", QRELS), run_with_texts("one"))
    assert "Re-link judgments" not in parts(at)
    assert "Re-link judgments" in parts(upload(at, run_with_texts("two")))
    answers = "\n".join(json.dumps({"query_id": f"q{i}", "query": "Who?", "answers": ["Ada"]}) for i in range(8))
    at = upload(opened(), ("answers.jsonl", answers.encode()), run_with_texts("one"), run_with_texts("two"))
    assert at.session_state["_truth"] and "Re-link judgments" not in parts(at)


def means(at) -> dict:
    frame = next(one.value for one in at.dataframe if "Before" in one.value)
    return {row["Metric"]: (row["Before"], row["After"]) for row in frame.to_dict("records")}


def test_links_are_previewed_accepted_as_a_version_and_taken_back(forgotten):
    at = with_links()
    before = at.session_state["_truth"]
    assert [LOADED.corpus(digest).name for digest in at.session_state["_old_texts"]] == ["old"]
    assert "6 of 8 judged documents have new ids" in texts(at) and "1 is the same; 1 is gone" in texts(at)
    assert dict(zip(at.table[0].value["Link"], at.table[0].value["Documents"], strict=True)) == {
        "Same": "1", "Moved": "6", "Gone": "1"}
    assert means(at)["MRR"] == (1 / 8, 7 / 8)

    at.toggle(key="_drop_gone").set_value(True).run()
    assert "1 judgment left out" in texts(at) and means(at)["MRR"] == (1 / 8, 1.0)
    at.button(key="use_links").click().run()
    assert not at.exception and not at.error
    after = at.session_state["_truth"]
    truth = LOADED.truth(after)
    assert sorted(truth.docs.to_pylist()) == ["new1", "new2", "new3", "new4", "new5", "new6", "old0"]
    assert (truth.name, truth.corpus.name) == ("qrels (relinked)", "new")
    assert "made" in texts(at) and "1 same, 6 moved and 1 gone" in texts(at)
    assert widget(at, "button", f"use_version_{after[:8]}").disabled

    at.button(key=f"use_version_{before[:8]}").click().run()
    assert at.session_state["_truth"] == before and not at.exception
    at.segmented_control(key="data_part").set_value("loaded").run()
    assert at.selectbox(key="truth_version").value == before
    at.selectbox(key="truth_version").set_value(after).run()
    assert at.session_state["_truth"] == after and not at.exception


def test_versions_are_there_after_a_restart(forgotten):
    at = with_links()
    before = at.session_state["_truth"]
    at.button(key="use_links").click().run()
    link, after = dict(at.query_params), at.session_state["_truth"]
    listed = [entry.digest for entry in workspace().truths()]
    assert after in listed and before not in listed, "the list shows the version in use"
    LOADED.clear()
    again = opened(**{**link, "data_part": "relink"})
    assert again.session_state["_truth"] == after
    again.button(key=f"use_version_{before[:8]}").click().run()
    assert again.session_state["_truth"] == before and LOADED.truth(before).docs.to_pylist()[0] == "old0"


def test_kinds_and_single_documents_can_be_left_as_they_are(forgotten):
    changed = SENTENCES[1].replace("each spring", "each long spring")
    at = upload(opened(), ("qrels.txt", QRELS), ("old.jsonl", OLD), ("run.txt", RUN),
                ("new.jsonl", corpus([("new1", changed), ("new2", SENTENCES[2])])))
    at.button(key="open_relink").click().run()
    at.button(key="find_links").click().run()
    examples = at.dataframe[0].value
    assert examples["Old id"].tolist() == ["old1"] and "long spring" in examples["New text"][0]
    assert means(at)["MRR"] == (1 / 8, 3 / 8)
    at.multiselect(key="_rejected").set_value(["old1"]).run()
    assert means(at)["MRR"] == (1 / 8, 2 / 8)
    at.button_group(key="_followed_links").set_value([]).run()
    assert not at.exception and "no judgment changes" in texts(at) and "use_links" not in keys(at)


def test_the_overview_leads_there_when_judged_documents_are_unknown(forgotten):
    at = upload(opened(), ("qrels.txt", QRELS), ("run.txt", RUN), ("new.jsonl", NEW))
    at.switch_page("pages/overview.py").run()
    assert not at.exception and "7 of 8 relevant documents are not among the documents loaded" in texts(at)
    link = next(one.proto for one in at.get("page_link") if one.proto.label == "Follow new ids")
    assert "data_part=relink" in link.query_string
    at = opened("data/relink", **dict(at.query_params))
    assert "Old and new texts are needed" in " ".join(one.value for one in at.header)


def test_a_server_that_only_shows_its_workspace_makes_no_versions(forgotten, monkeypatch):
    at = with_links()
    monkeypatch.setenv("RAGDASH_READ_ONLY", "1")
    at.run()
    assert not at.exception and "find_links" not in keys(at) and "nothing can be added" in texts(at)


def test_a_source_of_texts_has_its_share_where_its_name_is_long(forgotten):
    """A choice of the list is cut at 40 characters on a phone."""
    truth = Truth.build("truth", ["q1"], ["a"], [1])
    runs = [Run.build(f"dense (text-embedding-3-large_{size})", ["q1"], ["a"], [1.0], texts=[f"{size} and more words"])
            for size in ("256d", "256d_int8")]
    choice = widget(opened("data/relink", **address(truth, runs)), "multiselect", state.OLD_TEXTS)
    assert len(choice.options) == 2 and all(
        len(label) <= 38 and label.endswith(", 100% of judged ids") for label in choice.options), choice.options
