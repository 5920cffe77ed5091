"""Files that hold a run and the truth: one truth where they say the same of each query, else how they differ."""

import json

import pytest
from helpers import call

ROWS = [{"question": "Who wrote it?", "retrieved_ids": ["d7", "d2"], "relevant_ids": ["d7"], "note": "first"},
        {"question": "When?", "retrieved_ids": ["d4"], "relevant_ids": ["d4", "d9"], "note": "first"}]


@pytest.fixture
def files(tmp_path):
    """a.json; b.json with other rankings and attributes, one query less; c.json with another judgment."""
    other = [{**ROWS[1], "retrieved_ids": ["d9", "d4"], "note": "second"}]
    changed = [{**ROWS[0], "relevant_ids": ["d2"]}, ROWS[1]]
    for name, rows in (("a", ROWS), ("b", other), ("c", changed)):
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    return tmp_path


@pytest.mark.parametrize("command", ["check", "evaluate", "compare"])
def test_equal_truths_of_several_files_are_one(files, capfdbinary, command):
    accept = ["--accept", "missing-queries"] if command == "compare" else []
    metrics = [] if command == "check" else ["-m", "R@1"]
    status, _, err = call(capfdbinary, command, files / "b.json", files / "a.json", *metrics, *accept)
    assert status == 0, err
    assert "differs in attributes" in err and "a.json" in err


@pytest.mark.parametrize("command", ["check", "compare"])
def test_different_truths_say_where_they_differ(files, capfdbinary, command):
    status, _, err = call(capfdbinary, command, files / "a.json", files / "c.json")
    assert status == 2
    assert "'Who wrote it?'" in err and "d7 (grade 1)" in err and "d2 (grade 1)" in err
    assert "--truth" in err


def test_the_file_with_judgments_is_proposed_as_the_right_one(files, capfdbinary):
    """Both have the same two queries, the first without judgments."""
    (files / "bare.json").write_text(json.dumps([{key: value for key, value in row.items() if key != "relevant_ids"} | {
        "reference_answer": "It."} for row in ROWS]))
    status, _, err = call(capfdbinary, "compare", files / "bare.json", files / "a.json")
    assert status == 2 and "such as --truth a.json" in err.replace(f"{files}/", "")
