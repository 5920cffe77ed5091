"""`--map FILE:field=column`: each file of a command has a mapping of its own."""

from __future__ import annotations

import json

import pytest

from ragdash.cli import file_mappings
from ragdash.cli.main import main

DENSE = "frage,gefunden\nWho wrote it?,d7|d2\nWhen?,d9\n"
SPARSE = '[{"q": "Who wrote it?", "hits": [{"ref": "d2"}]}, {"q": "When?", "hits": [{"ref": "d9"}]}]'
GOLD = "question,answer,file\nWho wrote it?,She did.,d2\nWhen?,In 1999.,d9\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in (("dense.csv", DENSE), ("sparse.json", SPARSE), ("gold.csv", GOLD)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    return status, *capsys.readouterr()


MAPS = ["--map", "dense.csv:query=frage,retrieved=gefunden", "--map", "sparse.json:query=q,retrieved=hits[].ref",
        "--map", "gold.csv:role=truth,query=question,answers=answer", "--map", "gold.csv:relevant=file"]


def test_files_with_different_mappings_are_evaluated_together(folder, capsys):
    status, out, err = call(capsys, "evaluate", "dense.csv", "sparse.json", "--truth", "gold.csv", *MAPS, "-m", "RR",
                            "--format", "json")
    assert status == 0, err
    means = {run["name"]: run["metrics"]["RR"]["mean"] for run in json.loads(out)["runs"]}
    assert means == {"dense": 0.75, "sparse": 1.0}


@pytest.mark.parametrize("name", ["dense.csv", "./dense.csv", "frage"])
def test_a_file_is_named_by_its_argument_its_run_or_its_name(folder, capsys, name):
    argument = {"frage": "frage=dense.csv"}.get(name, name)
    maps = [text.replace("dense.csv:", f"{name}:") for text in MAPS]
    for command in ("check", "compare"):
        status, out, err = call(capsys, command, argument, "sparse.json", "--truth", "gold.csv", *maps)
        assert status == 0, err
    assert ("frage" if name == "frage" else "dense") in out


def test_a_mapping_of_a_file_is_read_instead_of_the_one_for_all(folder, capsys):
    status, out, err = call(capsys, "evaluate", "dense.csv", "sparse.json", "--truth", "gold.csv", "--map",
                            "query=frage,retrieved=gefunden", *MAPS[2:], "-m", "RR", "--format", "json")
    assert status == 0, err
    assert [run["metrics"]["RR"]["mean"] for run in json.loads(out)["runs"]] == [0.75, 1.0]


def test_converting_and_a_corpus_take_a_mapping_too(folder, capsys):
    assert call(capsys, "convert", "dense.csv", "-o", "dense.jsonl", *MAPS[:2])[0] == 0
    assert json.loads((folder / "dense.jsonl").read_text().splitlines()[0])["retrieved"] == ["d7", "d2"]
    (folder / "docs.csv").write_text("doc_id,body_of_it\nd2,The book is hers.\nd9,It was in 1999.\n")
    status, _, err = call(capsys, "check", "sparse.json", "--truth", "gold.csv", "--corpus", "docs.csv", *MAPS[2:],
                          "--map", "docs.csv:text=body_of_it")
    assert status == 0, err


def test_a_file_that_the_command_does_not_have_is_an_error(folder, capsys):
    status, _, err = call(capsys, "check", "dense.csv", "--map", "dence.csv:query=frage")
    assert status == 2 and "'dence.csv'" in err and "dense.csv" in err


def test_a_column_with_a_colon_is_no_file(folder, capsys):
    (folder / "odd.csv").write_text("the: question,found\nWho?,d1|d2\n")
    status, out, err = call(capsys, "check", "odd.csv", "--map", "query=the: question,retrieved=found")
    assert status == 0 and "1 query" in out, err
    status, out, err = call(capsys, "check", "odd.csv", "--map", "the: question=query,found=retrieved")
    assert status == 0 and "1 query" in out, err


def test_proposals_for_several_files_work_as_they_are_printed(folder, capsys):
    (folder / "sparse.json").write_text(SPARSE.replace('"ref"', '"doc_id"').replace('"q"', '"question"'))
    (folder / "records.json").write_text(json.dumps({"meta": 1, "runs_of_today": [
        {"query_text": "Who wrote it?", "top_hits": [{"doc_id": "d7", "score": 0.5}]},
        {"query_text": "When?", "top_hits": [{"doc_id": "d9", "score": 0.4}]}]}))
    files = ["gold.csv", "records.json"]
    status, _, err = call(capsys, "check", *files)
    assert status == 2
    options = [line.split(" --map ", 1)[1] for line in err.splitlines() if "Try: " in line]
    assert len(options) == 2 and options[0].startswith("gold.csv:") and "records.json:" in options[1]
    import shlex
    words = [word for text in options for word in shlex.split("--map " + text.split(" or: ")[0])]
    status, out, err = call(capsys, "check", *files, *words)
    assert status == 0, err
    assert "records.json: run" in out and "gold.csv: ground truth" in out


def test_a_field_that_is_a_column_is_named_alone_behind_others_too(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.csv").write_text('version,question,contexts,"right, answer"\nsmall,Who?,"[""She.""]",She\n'
                                      'large,Who?,"[""He.""]",She\n')
    status, out, err = call(capsys, "check", "bot.csv", "--role", "both", "--map",
                            "config=version,contexts,query=question", "--map", "answers=right, answer")
    assert status == 0, err
    assert "small" in out and "large" in out


@pytest.mark.parametrize("maps", [[], ["--map", "r0.jsonl:query_id=id"]])
def test_the_names_of_the_files_are_compared_once_a_command(tmp_path, monkeypatch, capsys, maps):
    """Not once for each file: then 3,000 files took a minute."""
    for number in range(6):
        name = "id" if maps and not number else "query_id"
        (tmp_path / f"r{number}.jsonl").write_text(json.dumps({name: "q1", "retrieved": ["d1"]}) + "\n")
    compared = []
    names_of = file_mappings._names
    monkeypatch.setattr(file_mappings, "_names", lambda file: compared.append(file) or names_of(file))
    monkeypatch.chdir(tmp_path)
    status, _, err = call(capsys, "check", *(f"r{number}.jsonl" for number in range(6)), *maps)
    assert status == 0, err
    assert len(compared) == len(set(compared))
