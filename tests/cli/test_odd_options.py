"""Options that no file fits, equal names of runs, and scores beyond what can be subtracted: a sentence each."""

from __future__ import annotations

import shutil

import pytest
from helpers import call

from ragdash.cli.command_line import EMPTY_ALLOWED, commands_of
from ragdash.cli.common_options import visible_text
from ragdash.cli.main import _full_parser


@pytest.mark.parametrize(("arguments", "words"), [
    (("--encoding", "rot13"), "the name of a text encoding"),
    (("--metric-direction", "RR=lower"), "the files hold no metrics of their own"),
    (("--match-how", "partial"), "--match-how without --match evidence"),
    (("--match-threshold", "0.5"), "--match-threshold without --match evidence"),
    (("--shape", "long"), "--shape without --per-query"),
])
def test_an_option_that_cannot_be_used_is_said_in_a_sentence(files, capfdbinary, arguments, words):
    status, _, err = call(capfdbinary, "evaluate", files / "run.trec", "--truth", files / "qrels.txt", *arguments)
    assert status == 2 and words in err


@pytest.mark.parametrize("command", ["evaluate", "compare", "check", "fuse"])
def test_one_name_for_two_files_is_refused(files, capfdbinary, command):
    more = {"check": (), "fuse": ("-o", files / "fused.trec")}.get(command, ("--truth", files / "qrels.txt"))
    status, _, err = call(capfdbinary, command, f"a={files}/run.trec", f"a={files}/other.trec", *more)
    assert status == 2 and "the name 'a' for two files" in err


def test_numbers_behind_equal_names_are_said(files, capfdbinary):
    (files / "more").mkdir()
    shutil.copy(files / "other.trec", files / "more" / "run.trec")
    status, out, err = call(capfdbinary, "evaluate", files / "run.trec", files / "more" / "run.trec",
                            "--truth", files / "qrels.txt", "-m", "RR")
    assert status == 0 and "run (2)" in out
    assert "2 runs called 'run'" in err and "In the order of the files they are 'run' and 'run (2)'" in err


def test_scores_whose_difference_is_infinite_are_no_warning_of_numpy(files, capfdbinary):
    (files / "far.json").write_text('{"q1": {"d1": -1e308, "d9": 1e308}}')
    status, _, err = call(capfdbinary, "evaluate", files / "far.json", "--truth", files / "qrels.txt", "-m", "RR")
    assert status == 0 and "overflow" not in err


def test_a_name_of_a_slice_that_is_empty_is_refused(files, capfdbinary):
    status, _, err = call(capfdbinary, "compare", files / "run.trec", files / "other.trec", "--truth",
                          files / "qrels.txt", "-m", "RR", "--by", "")
    assert status == 2 and "--by" in err


def test_an_empty_text_is_not_an_option_that_was_left_out(files, capfdbinary):
    """As `--group "$NAME"` in a pipeline in which NAME is not set."""
    taken = []
    for name, parser in commands_of(_full_parser()).items():
        texts = [action.option_strings[-1] for action in parser._actions if action.option_strings and action.nargs != 0
                 and action.type in (None, visible_text) and not action.choices and action.dest not in EMPTY_ALLOWED]
        needed = [word for action in parser._actions if action.required and action.option_strings
                  for word in (action.option_strings[-1], "x")]
        places = ["x" for action in parser._actions if not action.option_strings and action.nargs not in ("*", "?")]
        for option in texts:
            for empty in ("", " "):
                status, out, err = call(capfdbinary, name, *places, *needed, f"{option}={empty}")
                if status != 2 or out or not any(word in err for word in ("an empty", "found no metric")):
                    taken.append((name, option, empty, status, err))
    assert not taken


def test_an_id_to_reject_that_is_not_judged_is_refused(files, capfdbinary):
    texts = files / "corpus.jsonl"
    texts.write_text('{"doc_id": "d1", "text": "a text"}\n')
    status, _, err = call(capfdbinary, "relink", files / "qrels.txt", "--old", texts, "--new", texts,
                          "--reject", "nowhere")
    assert status == 2 and "(--reject): found nowhere" in err


def test_a_name_that_is_not_utf_8_is_kept_with_its_bytes(files, capfdbinary):
    status, _, err = call(capfdbinary, "pin", files / "run.trec", "--truth", files / "qrels.txt", "--group=a\udcff",
                          "-o", files / "b.ragdash")
    assert status == 0 and r"pinned a\udcff" in err
