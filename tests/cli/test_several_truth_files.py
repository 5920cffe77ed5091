"""--truth given several times: the files are joined by query id, as "Join both" does on a page."""

from __future__ import annotations

import json
from pathlib import Path

from ragdash.cli.common_options import FirstAndMore
from ragdash.cli.main import _full_parser, main

RUN = {"query_id": "q1", "query": "Who?", "retrieved": [{"doc_id": "d1", "score": 1.0}], "answer": "Eiffel"}
REFERENCES = {"query_id": "q1", "answers": ["Eiffel"]}


def write(folder, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in files]


def test_judgments_and_references_of_two_files_are_measured_together(tmp_path, capsys):
    run, qrels, references = write(tmp_path, run=json.dumps(RUN) + "\n", qrels="q1 0 d1 1\n",
                                   references=json.dumps(REFERENCES) + "\n")
    for order in ([qrels, references], [references, qrels]):
        assert main(["evaluate", run, "--truth", order[0], "--truth", order[1], "-m", "RR EM", "--format", "csv"]) == 0
        out, err = capsys.readouterr()
        assert "joined by 1 query id" in err
        assert [row.split(",")[2] for row in out.splitlines() if row.startswith("run,")] == ["mean", "1.0", "1.0"], out


def test_a_conflict_is_named_and_the_first_file_counts(tmp_path, capsys):
    run, first, second = write(tmp_path, run=json.dumps(RUN) + "\n", first="q1 0 d1 1\n", second="q1 0 d1 0\n")
    assert main(["evaluate", run, "--truth", first, "--truth", second, "-m", "RR"]) == 0
    out, err = capsys.readouterr()
    assert "1.000" in out and "judgments that 'first' and 'second' give differently" in err
    other = str(tmp_path / "other")
    documents = [{"doc_id": name, "score": 1.0} for name in ("d2", "d1")]
    Path(other).write_text(json.dumps({**RUN, "retrieved": documents}) + "\n", encoding="utf-8")
    words = ["compare", run, other, "--truth", first, "--truth", second, "-m", "RR", "--resamples", "100"]
    assert main([*words, "--format", "json"]) == 0
    checks = json.loads(capsys.readouterr().out)["verdict"]["checks"]
    assert [(check["level"], check["found"]) for check in checks if check["kind"] == "several-truths"] == [
        ("qualified", "'first' and 'second' disagree about judgments in 1 case")]
    assert main(["compare", run, other, "--truth", first, "-m", "RR", "--resamples", "100", "--format", "json"]) == 0
    assert "several-truths" not in capsys.readouterr().out


def test_check_holds_the_runs_against_all_of_them(tmp_path, capsys):
    run, first, second = write(tmp_path, run="q1 Q0 d1 1 2.0 r\nq2 Q0 d2 1 2.0 r\n", first="q1 0 d1 1\n",
                               second="q2 0 d2 1\n")
    assert main(["check", run, "--truth", first]) == 0
    assert "1 of 2" in capsys.readouterr().out  # a query of the run that the truth does not have
    assert main(["check", run, "--truth", first, "--truth", second]) == 0
    out, err = capsys.readouterr()
    assert "2 of 2" in out and "joined by 0 query ids" in err


def test_no_command_lets_the_last_of_several_truths_take_the_place_of_the_others():
    commands = next(action.choices for action in _full_parser()._actions if "evaluate" in (action.choices or ()))
    options = {name: action for name, command in commands.items() for action in command._actions
               if "--truth" in action.option_strings and action.nargs != 0}
    assert len(options) > 15
    for name, action in options.items():
        assert isinstance(action, FirstAndMore) or name in ("check", "dashboard", "view"), name


def test_the_truths_of_a_gate_and_of_a_drift_are_joined_too(tmp_path, capsys):
    questions = [f"Who wrote book {number}?" for number in range(12)]
    run, qrels, more, log = write(tmp_path, run="q1 Q0 d1 1 2.0 r\nq2 Q0 d2 1 2.0 r\n", qrels="q1 0 d1 1\n",
                                  more="q2 0 d2 1\n",
                                  log="".join(json.dumps({"query": question}) + "\n" for question in questions))
    baseline = str(tmp_path / "baseline.json")
    assert main(["pin", run, "--truth", qrels, "--truth", more, "-m", "RR", "-o", baseline]) == 0
    assert main(["gate", run, "--truth", qrels, "--truth", more, "--against", baseline]) == 1  # two queries are few
    assert "2 of its 2 queries compared" in capsys.readouterr().out
    lines = [json.dumps({"query_id": question[-3:], "query": question, "answers": ["a"]}) + "\n"
             for question in questions]
    halves = ["".join(lines[:6]), "".join(lines[6:])]
    first, second = write(tmp_path, first=halves[0], second=halves[1])
    assert main(["drift", log, "--truth", first, "--model", "tfidf"]) == 2  # six questions are too few
    assert main(["drift", log, "--truth", first, "--truth", second, "--model", "tfidf"]) == 0


def test_every_command_says_once_that_the_files_are_joined_and_disagree(tmp_path, capsys):
    lines = "q1 Q0 d1 1 2.0 {0}\nq1 Q0 d3 2 1.0 {0}\nq2 Q0 {1} 1 2.0 {0}\n"
    one, two, first, second = write(tmp_path, one=lines.format("one", "d2"), two=lines.format("two", "d4"),
                                    first="q1 0 d1 1\nq2 0 d2 1\n", second="q1 0 d1 0\nq2 0 d3 1\n")
    truths, baseline, report = ["--truth", first, "--truth", second], str(tmp_path / "b"), str(tmp_path / "o.html")
    commands = (["evaluate", one], ["compare", one, two], ["report", one, two, "-o", report], ["diagnose", one],
                ["history", one, two], ["audit", one, two], ["fuse", one, two], ["pin", one, "-o", baseline],
                ["gate", one, "--against", baseline], ["check", one],
                ["variants", one, two])  # which needs four runs, and says so below the notes
    for command in commands:
        status = main([*command, *truths]) - 2 * (command[0] == "variants")
        err = capsys.readouterr().err
        assert status in (0, 1), (command, err)
        assert err.count("joined by") == err.count("differently") == 1, (command, err)
