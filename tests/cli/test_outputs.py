"""Where an output goes: behind what an open file holds, never into a second output, never through a circle of links."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

import pytest
from helpers import call

from ragdash import InputError, evaluate, read_run, read_truth, record
from ragdash.analysis.tracking import pin
from ragdash.cli.main import main
from ragdash.core.console import write

CONVERT = ("convert", "run.trec", "--format", "trec", "-o")


@pytest.mark.parametrize("mode", ["wb", "ab"])
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_an_open_file_keeps_what_is_before_and_after(files, name, mode):
    with open(files / "log.txt", mode) as log:
        log.write(b"before\n")
        log.flush()
        subprocess.run([sys.executable, "-m", "ragdash", *CONVERT, name], cwd=files, stdout=log, check=True)
        log.write(b"after\n")
    lines = (files / "log.txt").read_text().splitlines()
    assert (lines[0], lines[-1]) == ("before", "after") and len(lines) > 2
    assert os.listdir(files).count("log.txt") == 1


def test_a_link_to_standard_output_is_standard_output(files, capfdbinary):
    (files / "out").symlink_to("/dev/stdout")
    status, out, _ = call(capfdbinary, "convert", files / "run.trec", "--format", "trec", "-o", files / "out")
    assert status == 0 and out.count(" Q0 ") > 1 and (files / "out").is_symlink()


def test_an_open_file_without_a_name_gets_the_output_and_no_other_file_is_made(files, tmp_path):
    with open(tmp_path / "gone", "w+b") as nameless:
        (tmp_path / "gone").unlink()
        before = sorted(os.listdir(tmp_path))
        subprocess.run([sys.executable, "-m", "ragdash", *CONVERT, "/dev/stdout"], cwd=files, stdout=nameless,
                       check=True)
        nameless.seek(0)
        assert nameless.read().count(b" Q0 ") > 1 and sorted(os.listdir(tmp_path)) == before


def test_a_circle_of_links_is_an_output_that_cannot_be_written(files, capfdbinary):
    (files / "a").symlink_to(files / "b")
    (files / "b").symlink_to(files / "a")
    status, _, err = call(capfdbinary, "convert", files / "run.trec", "--format", "trec", "-o", files / "a")
    assert status == 2 and "symbolic links" in err
    status, _, err = call(capfdbinary, "dashboard", "--no-browser", "--workspace", files / "a")
    assert status == 2 and "cannot be used" in err


@pytest.mark.parametrize("other", ["map.csv", "./map.csv", "link.csv"])
@pytest.mark.parametrize("exists", [True, False])
def test_two_outputs_in_one_file_are_refused(files, capfdbinary, monkeypatch, other, exists):
    monkeypatch.chdir(files)
    (files / "link.csv").symlink_to("map.csv")
    if exists:
        (files / "map.csv").write_text("as it was")
    status, _, err = call(capfdbinary, "diagnose", "run.trec", "--truth", "qrels.txt", "--format", "csv",
                          "--query-map", "map.csv", "-o", other)
    assert status == 2 and "names too" in err
    assert (files / "map.csv").exists() == exists and (not exists or (files / "map.csv").read_text() == "as it was")


def test_two_outputs_may_go_nowhere(files, capfdbinary):
    status, *_ = call(capfdbinary, "gate", files / "run.trec", "--truth", files / "qrels.txt",
                      "--against", pinned(files, capfdbinary), "-o", "/dev/null", "--result-json", "/dev/null")
    assert status in (0, 1)


def pinned(files, capfdbinary):
    baseline = files / "baseline.ragdash"
    call(capfdbinary, "pin", files / "run.trec", "--truth", files / "qrels.txt", "-m", "RR", "-o", baseline)
    return baseline


MARKUP = r"<b>x ![i](http:h) **s** `c` <!-- ~~t~~ \* $m$"


@pytest.mark.parametrize("command", [
    ("evaluate", f"{MARKUP}=run.trec", "--fail-under", "RR=1"),
    ("compare", "other.trec", f"{MARKUP}=run.trec", "--no-worse-than", "0"),
    ("compare", f"{MARKUP}=run.trec", "same=run.trec", "--no-worse-than", "0.5"),
    ("gate", f"{MARKUP}=run.trec", "--against", "baseline.ragdash"),
    ("history", "logs")])
def test_no_name_is_markup_in_markdown(files, capfdbinary, monkeypatch, command):
    """What is not escaped would be drawn in the comment of a pull request."""
    monkeypatch.chdir(files)
    run, truth = read_run("run.trec"), read_truth("qrels.txt")
    for number in range(2):
        with record(MARKUP, settings={"k": f"{number}{MARKUP}"}, folder="logs") as recording:
            for query in run.query_ids.to_pylist():
                recording.add(query, run.ranking(query)["doc_id"].to_pylist())
    (files / "baseline.ragdash").write_bytes(pin(evaluate(run.renamed(f"old {MARKUP}"), truth, "RR"), truth,
                                                 version="1", run={"settings": {MARKUP: 1}}).to_bytes())
    _, out, _ = call(capfdbinary, *command, "--truth", "qrels.txt", "-m", "RR", "--format", "markdown")
    marks = re.sub(r"\\[^\w\s]", "", out)
    assert MARKUP in re.sub(r"\\([^\w\s])", r"\1", out), out
    assert not [mark for mark in ("<", "**", "`", "](", "~", "$") if mark in marks], out


CORPUS = '{"_id": "%s", "text": "The quick brown fox jumps over the lazy dog and goes home to sleep for the day."}\n'


@pytest.fixture
def relink(tmp_path):
    """What `ragdash relink` is given in a folder of its own."""
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\n")
    for name, doc in (("old.jsonl", "a"), ("new.jsonl", "b")):
        (tmp_path / name).write_text(CORPUS % doc)
    return ("relink", tmp_path / "qrels.txt", "--old", tmp_path / "old.jsonl", "--new", tmp_path / "new.jsonl")


@pytest.mark.parametrize("held", ["queries.jsonl", "corpus.jsonl", "notes.txt"])
@pytest.mark.parametrize("command", ["relink", "convert"])
def test_a_folder_that_holds_something_is_left_alone(relink, tmp_path, capfdbinary, command, held):
    target = tmp_path / "out"
    target.mkdir()
    (target / held).write_text("mine")
    if command == "convert":
        relink = ("convert", tmp_path / "qrels.txt", "--format", "beir")
    status, _, err = call(capfdbinary, *relink, "-o", target)
    assert status == 2 and f"{target}: found a file, or a folder that holds something; expected a new" in err
    assert (target / held).read_text() == "mine" and os.listdir(target) == [held]


def test_an_empty_folder_is_filled_and_nothing_else_is_left(relink, tmp_path, capfdbinary):
    (tmp_path / "out").mkdir()
    before = {*os.listdir(tmp_path)}
    assert call(capfdbinary, *relink, "-o", tmp_path / "out")[0] == 0
    assert {*os.listdir(tmp_path)} == before and {*os.listdir(tmp_path / "out")} == {"qrels", "queries.jsonl"}


def test_a_folder_is_written_whole_or_not_at_all(tmp_path, capfdbinary):
    (tmp_path / "truth.jsonl").write_text('{"query_id": "q1", "relevant": {"a\\u0000": 1}}\n')
    status, _, err = call(capfdbinary, "convert", tmp_path / "truth.jsonl", "-o", tmp_path / "out")
    assert status == 2 and os.listdir(tmp_path) == ["truth.jsonl"]
    assert "expected ids without outer blanks, carriage returns and null characters" in err


def test_a_file_that_cannot_be_written_is_named_without_a_wrong_option(relink, tmp_path, capfdbinary):
    status, _, err = call(capfdbinary, *relink, "--links", tmp_path / "missing" / "links.csv")
    assert status == 2 and f"{tmp_path}/missing/links.csv: found No such file" in err and " -o" not in err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a system without /dev/full")
def test_a_full_disk_is_said_with_the_name_of_the_file(relink, files, capfdbinary):
    (files / "full.qrels").symlink_to("/dev/full")
    status, _, err = call(capfdbinary, *relink, "-o", files / "full.qrels")
    assert status == 2 and f"error: {files / 'full.qrels'}: found No space left on device; expected room" in err


@pytest.mark.parametrize("error", [None, BrokenPipeError()])
def test_a_text_stream_in_place_of_standard_output_gets_the_text(files, monkeypatch, error):
    """As in a notebook, where `%run -m ragdash ...` has streams without bytes."""
    class Notebook(io.StringIO):
        def flush(self) -> None:
            if error is not None:
                raise error

    monkeypatch.chdir(files)
    monkeypatch.setattr(sys, "stdout", Notebook())
    monkeypatch.setattr(sys, "stdin", io.StringIO((files / "run.trec").read_text()))
    assert main(["check", "-"]) == 0
    assert sys.stdout.getvalue().startswith("-: run 'standard input' (trec-run)")


def test_bytes_that_are_no_text_are_refused_by_a_text_stream(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(InputError, match=r"standard output: .*it takes text alone, and this is none"):
        write(b"PAR1\xff", None)
    assert sys.stdout.getvalue() == ""
