"""Several files with judgments or references: which is used, what is said, and the ways to choose and to join."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from page_cases import LOADED, opened, shown, widget
from test_pages import texts, upload

QUERIES = range(25)
RUN = "".join(f"q{number} Q0 d{number} 1 2.0 run\nq{number} Q0 x{number} 2 1.0 run\n" for number in QUERIES)
QRELS = "".join(f"q{number} 0 d{number} 1\n" for number in QUERIES)
OTHER_QRELS = "".join(f"other{number} 0 d{number} 1\n" for number in QUERIES)
DIFFERENT_QRELS = "".join(f"q{number} 0 x{number} 1\n" for number in QUERIES)
REFERENCES = "".join(json.dumps({"query_id": f"q{number}", "query": f"Question {number}?", "answers": [f"a{number}"]})
                     + "\n" for number in QUERIES)
FILES = {"run.trec": RUN, "judged.qrels": QRELS, "references.jsonl": REFERENCES, "elsewhere.qrels": OTHER_QRELS}


def dropped(*names: str, page: str = "overview"):
    return shown(upload(opened(page), *((name, FILES[name].encode()) for name in names)))


def used(at):
    return LOADED.truth(at.session_state["_truth"])


def button(at, start: str):
    return next(one for one in at.button if (one.key or "").startswith(start))


@pytest.mark.parametrize("order", list(permutations(["run.trec", "judged.qrels", "references.jsonl"])))
def test_judgments_are_used_whichever_file_comes_last_and_the_other_truth_is_named(order):
    at = dropped(*order)
    assert used(at).name == "judged"
    assert "**references** is loaded and not in use" in texts(at)
    assert "**judged** is in use (25 judgments for 25 queries)" in texts(at)
    assert "Not comparable yet" not in texts(at), "references are no second judgments"


def test_judgments_of_the_queries_of_the_runs_are_preferred():
    at = dropped("judged.qrels", "elsewhere.qrels", "run.trec")
    assert used(at).name == "judged" and "**elsewhere** is loaded and not in use" in texts(at)
    assert "files with judgments are loaded" not in texts(at), "elsewhere judges no query of the run"
    shown(button(at, "use_truth").click().run())
    assert used(at).name == "elsewhere" and "files with judgments are loaded" not in texts(at)
    shown(button(at, "use_truth").click().run())
    assert used(at).name == "judged" and "files with judgments are loaded" not in texts(at)
    assert "**elsewhere** is loaded and not in use" in texts(at), "it stays in sight"


def test_judgments_of_queries_that_a_run_shown_answers_too_are_in_question(monkeypatch):
    monkeypatch.setitem(FILES, "both.trec", RUN + RUN.replace("q", "other"))
    at = dropped("judged.qrels", "elsewhere.qrels", "both.trec")
    assert "2 files with judgments are loaded" in texts(at), "nobody has chosen yet"


def test_judgments_that_are_loaded_are_what_would_change_the_result(monkeypatch):
    at = dropped("judged.qrels", "elsewhere.qrels", "run.trec")
    at.switch_page("pages/data.py").run()
    shown(button(at, "remove_truth").click().run())
    at.switch_page("pages/overview.py").run()
    assert "**What would change it:** use **elsewhere**: loaded, not in use. Or add relevance judgments" in texts(at)
    assert button(at, "use_truth").label == "Use elsewhere"
    shown(button(at, "use_truth").click().run())
    assert used(at).name == "elsewhere"


def test_judgments_that_are_not_in_use_are_removed_by_a_click():
    at = dropped("judged.qrels", "elsewhere.qrels", "run.trec")
    shown(button(at, "forget_truth").click().run())
    assert used(at).name == "judged" and "not in use" not in texts(at)
    assert "files with judgments are loaded" not in texts(at) and "Not comparable yet" not in texts(at)


def test_references_are_joined_with_the_judgments_by_a_click():
    at = dropped("run.trec", "judged.qrels", "references.jsonl")
    shown(button(at, "join_truth").click().run())
    joined = used(at)
    assert joined.name == "judged + references" and joined.judgments == 25
    assert joined.details["answers"].to_pylist() == [[f"a{number}"] for number in QUERIES]
    assert "not in use" not in texts(at)
    assert ("judged and references are joined. references adds questions and reference answers. "
            "All of its 25 queries are in judged too.") in texts(at)
    at = shown(upload(at, ("later.trec", RUN.replace("2.0", "0.5").encode())))
    assert used(at).judged_digest == joined.judged_digest, "a further file does not undo the choice"


def test_a_join_that_adds_nothing_names_what_differs(monkeypatch):
    monkeypatch.setitem(FILES, "others.jsonl", REFERENCES.replace('"a3"', '"another"'))
    at = dropped("run.trec", "references.jsonl", "others.jsonl")
    first = used(at).name
    shown(button(at, "join_truth").click().run())
    assert used(at).name == first
    assert any("give differently for 1 of their queries" in one.value for one in at.warning)


def test_a_truth_with_the_same_judgments_is_said_to_have_them(monkeypatch):
    same = "".join(json.dumps({"query_id": f"q{number}", "relevant": [f"d{number}"], "topic": "a"}) + "\n"
                   for number in QUERIES)
    monkeypatch.setitem(FILES, "same.jsonl", same)
    assert "Both have the same judgments." in texts(dropped("run.trec", "judged.qrels", "same.jsonl"))
    assert "Both have the same" not in texts(dropped("run.trec", "judged.qrels", "references.jsonl"))


def test_references_that_only_miss_other_cells_are_said_not_to_contradict_each_other(monkeypatch):
    """Two result files of one data set: each has an empty cell where the other has the right answer."""
    for name, empty in (("first.jsonl", "a1"), ("second.jsonl", "a2")):
        monkeypatch.setitem(FILES, name, REFERENCES.replace(f'["{empty}"]', "[]"))
    assert "do not contradict each other: **Join both**" in texts(dropped("run.trec", "first.jsonl", "second.jsonl"))
    monkeypatch.setitem(FILES, "second.jsonl", REFERENCES.replace('"a3"', '"another"'))
    assert "contradict" not in texts(dropped("run.trec", "first.jsonl", "second.jsonl"))


def test_two_files_of_one_name_are_told_apart(monkeypatch):
    monkeypatch.setitem(FILES, "judged.txt", DIFFERENT_QRELS.replace(" 1\n", " 2\n"))
    at = dropped("run.trec", "judged.qrels", "judged.txt", page="data")
    assert r"**judged \(2\)** is loaded and not in use" in texts(at) and "**judged** is in use" in texts(at)
    assert button(at, "use_truth").label == r"Use judged \(2\)"


def test_two_qrels_are_withheld_until_one_is_chosen_or_they_are_joined(monkeypatch):
    monkeypatch.setitem(FILES, "different.qrels", DIFFERENT_QRELS)
    at = dropped("run.trec", "judged.qrels", "different.qrels")
    assert at.header[0].value.replace("\\", "") == "2 files with judgments are loaded: judged and different."
    assert texts(at).count("files with judgments are loaded") == 1, "what the headline says is not said again"
    shown(button(at, "join_truth").click().run())
    assert used(at).judgments == 50 and "files with judgments are loaded" not in texts(at)


def test_judgments_of_documents_that_no_run_returns_are_not_joined_by_a_click(monkeypatch):
    """The same documents under two spellings: joined, each would be relevant twice and found once."""
    monkeypatch.setitem(FILES, "spelled.qrels", QRELS.replace(" d", " set:d"))
    for order in (("judged.qrels", "spelled.qrels"), ("spelled.qrels", "judged.qrels")):
        at = dropped("run.trec", *order)
        assert "spelled names relevant documents that no run returns" in texts(at)
        assert button(at, "join_truth").label == "Join both anyway"
        if used(at).name == "spelled":
            shown(button(at, "use_truth").click().run())
        assert used(at).name == "judged"


def test_judgments_that_say_the_same_are_not_in_question(monkeypatch):
    monkeypatch.setitem(FILES, "same.qrels", "".join(reversed(QRELS.splitlines(keepends=True))))
    at = dropped("run.trec", "judged.qrels", "same.qrels")
    assert "files with judgments are loaded" not in texts(at) and "not in use" not in texts(at)


def test_a_removed_truth_leaves_the_others_on_offer():
    at = dropped("judged.qrels", "references.jsonl", "run.trec", page="data")
    assert "**references** is loaded and not in use" in texts(at)
    shown(widget(at, "button", "remove_truth").click().run())
    assert at.session_state["_truth"] is None and "None is in use." in texts(at)
    shown(button(at, "use_truth").click().run())
    assert used(at).name == "references"


def marked(text: str, marks: str) -> str:
    return text.replace("q", f"q{marks}")


def test_runs_whose_queries_differ_from_the_judgments_by_punctuation_are_matched_with_one_click(monkeypatch):
    monkeypatch.setitem(FILES, "run.trec", marked(RUN, "::"))
    monkeypatch.setitem(FILES, "judged.qrels", marked(QRELS, "<::>"))
    at = dropped("run.trec", "judged.qrels")
    assert "query ids that the run and the judgments share" in at.error[0].value
    shown(button(at, "match_queries_marks").click().run())
    assert not at.error and "For your decision" in texts(at)
    assert not [one for one in at.button if one.key and one.key.startswith("match_queries")]


def test_judgments_of_queries_that_no_run_has_do_not_take_the_references_away(monkeypatch):
    monkeypatch.setitem(FILES, "run.trec", marked(RUN, "::"))
    monkeypatch.setitem(FILES, "references.jsonl", marked(REFERENCES, "::"))
    monkeypatch.setitem(FILES, "judged.qrels", marked(QRELS, "<::>"))
    at = dropped("run.trec", "references.jsonl", "judged.qrels")
    assert used(at).name == "references" and not at.error
    assert "**judged** is loaded and not in use" in texts(at)
    join = button(at, "join_truth")
    assert join.label == "Match ids with any punctuation and join both"
    shown(join.click().run())
    assert used(at).judgments == 25 and used(at).query_ids[0].as_py() == "q::0"
    assert used(at).details["answers"].to_pylist()[:1] == [["a0"]]
    assert "not in use" not in texts(at)


def test_references_whose_queries_are_spelled_in_another_way_are_joined_with_one_click(monkeypatch):
    monkeypatch.setitem(FILES, "references.jsonl", marked(REFERENCES, "<::>"))
    monkeypatch.setitem(FILES, "judged.qrels", marked(QRELS, "::"))
    monkeypatch.setitem(FILES, "run.trec", marked(RUN, "::"))
    at = dropped("run.trec", "judged.qrels", "references.jsonl")
    shown(button(at, "join_truth").click().run())
    assert not at.error and used(at).judgments == 25 and used(at).query_ids[0].as_py() == "q::0"
    assert used(at).details["answers"].to_pylist()[:1] == [["a0"]]
