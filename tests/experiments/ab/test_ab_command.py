"""`ragdash ab` from end to end: files, resuming, what it says, and that it says what `ragdash compare` says."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from experiments.ab.systems import SYSTEM, truth_lines
from helpers import call, until

from ragdash.cli.main import main
from ragdash.experiments.ab.journal import Journal
from ragdash.io import read_run
from ragdash.io.recorded.folder import log_entries

ROOT = Path(__file__).parents[3]
GOOD, HALF = (f"{sys.executable} system.py {kind} --lines" for kind in ("good", "half"))


def words(*more, a=HALF, b=GOOD):
    return ["ab", "--a", a, "--b", b, "--truth", "truth.jsonl", "--lines", *map(str, more)]


@pytest.fixture
def command(folder, capfdbinary):
    """Run `ragdash ab` in the folder: (exit status, standard output, standard error)."""
    def run(*more, **commands):
        return call(capfdbinary, *words(*more, **commands))

    return run


def counted(folder):
    """[(which, query id)] of all questions asked so far."""
    file = folder / "counted"
    return [tuple(line.split()) for line in file.read_text().splitlines()] if file.exists() else []


def start(folder, *more, **environment):
    """`ragdash ab` as a process of its own."""
    return subprocess.Popen([sys.executable, "-m", "ragdash", *words(*more)], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), **environment})


def kept(folder):
    """[(configuration, query id)] of the whole lines of the journals."""
    return [(name, json.loads(line)["query_id"]) for name in "ab" if (folder / f"ab-a-b/{name}.journal.jsonl").exists()
            for line in (folder / f"ab-a-b/{name}.journal.jsonl").read_text().split("\n")[1:-1]]


def test_two_runs_and_the_comparison_that_compare_makes_of_them(folder, command, capfdbinary):
    (folder / "truth.jsonl").write_text(truth_lines(24))
    status, out, err = command("--format", "json", "--permutations", "2000", "--margin", "0.1", "--seed", "3")
    assert status == 0 and sorted(os.listdir("ab-a-b")) == ["a.journal.jsonl", "a.jsonl", "b.journal.jsonl", "b.jsonl"]
    assert "Judged metrics can follow: ragdash judge ab-a-b/a.jsonl ab-a-b/b.jsonl --truth truth.jsonl" in err
    said = json.loads(out)
    metrics = "nDCG@10 R@10 P@5 RR AP Success@10 Latency"
    assert [one["metric"] for one in said["comparisons"]] == metrics.split()
    assert said["comparisons"][3]["mean_difference"] == 0.5 and said["comparisons"][3]["outcome"] == "better"
    assert main(["compare", "ab-a-b/a.jsonl", "ab-a-b/b.jsonl", "--truth", "truth.jsonl", "-m", metrics, "--format",
                 "json", "--permutations", "2000", "--margin", "0.1", "--seed", "3"]) == 0
    assert json.loads(capfdbinary.readouterr().out) == said
    assert len(counted(folder)) == 48


def test_the_larger_mean_is_not_the_verdict(folder, command):
    status, out, _ = command("-m", "RR")  # three of six queries better, none worse: p = 0.25
    assert status == 0 and "b shows no significant difference from a (+0.500" in out and "  0.25  " in out
    assert " better than " not in out


def test_names_formats_and_gates(folder, command):
    status, out, _ = command("--name-a", "bm25", "--name-b", "dense-v1.2", "-m", "RR", "--format", "markdown")
    assert status == 0 and "| dense-v1.2" in out and (folder / "ab-bm25-dense-v1.2" / "dense-v1.2.jsonl").is_file()
    where = "--name-a", "bm25", "--name-b", "dense-v1.2", "-m", "RR", "--no-worse-than", "0.1"
    assert command(*where)[0] == 0 and len(counted(folder)) == 12
    status, _, err = command("-m", "RR", "--no-worse-than", "0.1", "--output-dir", "turned", a=GOOD, b=HALF)
    assert status == 1 and "b: MRR is 0.5 worse than the baseline" in err


def test_the_report_names_no_command(folder, command):
    key = f"{GOOD} --key=sk-secret"
    status, out, err = command("--format", "html", b=key)
    page = (folder / "ab-a-b" / "report.html").read_text()
    assert status == 0 and not out and "Report: ab-a-b/report.html" in err
    assert "ragdash report a.jsonl b.jsonl --truth truth.jsonl" in page and "secret" not in page
    assert not any(b"secret" in file.read_bytes() for file in (folder / "ab-a-b").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_job_that_was_ended_asks_exactly_the_rest(folder, command, ending):
    (folder / "truth.jsonl").write_text(truth_lines(20))
    process = start(folder, "-m", "RR", SLOW_AFTER="12")
    until(lambda: len(kept(folder)) >= 9)
    process.send_signal(ending)
    _, err = process.communicate(timeout=180)
    assert process.returncode == (-9 if ending == signal.SIGKILL else 130)
    if ending != signal.SIGKILL:
        assert "stopped; " in err and "goes on from here" in err
    known = kept(folder)
    assert 9 <= len(known) < 40
    time.sleep(0.2)  # what was being asked is counted as well
    (folder / "counted").unlink()
    if ending == signal.SIGKILL:
        with open("ab-a-b/a.journal.jsonl", "ab") as file:  # as a crash leaves it
            file.write(b'{"query_id":"q20","ms":12.5,"te')
    status, out, err = command("-m", "RR")
    names = {"good": "b", "half": "a"}
    asked = [(names[kind], query) for kind, query in counted(folder)]
    everything = {(name, f"q{i}") for name in "ab" for i in range(1, 21)}
    assert len(asked) == 40 - len(known) and set(asked) == everything - set(known)
    assert status == 0 and re.search(r" 20 +▲ better", out)
    assert ("a last line that was cut off" in err) == (ending == signal.SIGKILL) == os.path.exists(
        "ab-a-b/a.journal.jsonl.damaged")
    assert command("-m", "RR")[1] == out and len(counted(folder)) == len(asked)  # and once more: nothing is asked


def test_the_same_runs_whether_interrupted_or_not(folder, command):
    command("--output-dir", "whole")
    lines = (folder / "whole" / "a.journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "cut").mkdir()
    (folder / "cut" / "a.journal.jsonl").write_bytes(b"".join(lines[:4]))
    command("--output-dir", "cut")
    runs = [read_run(folder / name / "a.jsonl") for name in ("whole", "cut")]
    assert runs[0].query_ids.equals(runs[1].query_ids) and runs[0].docs.equals(runs[1].docs)


@pytest.mark.parametrize(("change", "words"), [
    ("command", "answers of another command"), ("staying", "answers of another command"),
    ("question", "answers to other questions"), ("query", "answers to other questions")])
def test_answers_of_another_job_are_not_mixed_in(folder, command, change, words):
    assert command()[0] == 0
    before = [(folder / "ab-a-b" / name).read_bytes() for name in ("a.jsonl", "b.journal.jsonl")]
    if change == "question":
        (folder / "truth.jsonl").write_text(truth_lines(6).replace("question 3?", "question three?"))
    if change == "query":
        (folder / "truth.jsonl").write_text(truth_lines(7))
    more = {"b": f"{GOOD} --top 5"} if change == "command" else {}
    status, out, err = command(*(["b"] if change == "staying" else []), **more)
    assert (status, out) == (2, "") and words in err and "--output-dir" in err and len(counted(folder)) == 12
    assert [(folder / "ab-a-b" / name).read_bytes() for name in ("a.jsonl", "b.journal.jsonl")] == before


def test_corrected_judgments_hold_for_answers_that_are_there(folder, command):
    command("-m", "RR")
    (folder / "truth.jsonl").write_text(truth_lines(6).replace("right-q2", "wrong-q2"))
    status, out, _ = command("-m", "RR", "--format", "json")
    assert status == 0 and len(counted(folder)) == 12
    assert json.loads(out)["comparisons"][0]["mean_difference"] == pytest.approx((2 - 1) / 6)


def test_a_changed_script_is_told(folder, command):
    command()
    (folder / "system.py").write_text((folder / "system.py").read_text() + "\n# another version\n")
    status, _, err = command()
    assert status == 0 and "system.py changed since the first of these answers" in err


def test_failed_queries_are_missing_counted_and_asked_again(folder, command):
    script = (folder / "system.py").read_text()
    (folder / "system.py").write_text(script.replace("    doc = ", "    if query_id == 'q1' and 'good' in sys.argv:"
                                                     " sys.exit('no memory')\n    doc = "))
    status, out, err = command("-m", "RR", "--format", "json")
    answered = read_run(folder / "ab-a-b" / "b.jsonl").query_ids.to_pylist()
    assert status == 0 and answered == [f"q{i}" for i in range(2, 7)]
    assert "query 'q1' of b without an answer" in err and "no memory" in err and "--retry-failed" in err
    assert "1 of 6 queries of b without an answer (ended 1)" in err and "--missing skip" in err
    assert "1 of 6 queries of b without" in out and "no memory" not in out  # its own words are nobody else's business
    one = json.loads(out)["comparisons"][0]
    assert (one["n"], one["losses"], one["mean_difference"]) == (6, 1, pytest.approx((3 - 1) / 6))
    one = json.loads(command("-m", "RR", "--format", "json", "--missing", "skip")[1])["comparisons"][0]
    assert (one["n"], one["left_out"], one["losses"]) == (5, 1, 0)
    (folder / "system.py").write_text(script)
    before = len(counted(folder))
    status, out, err = command("-m", "RR", "--max-failed", "0.1")
    assert status == 1 and out.startswith("1 of 6 queries of b failed, above the limit of 10%. Its run lacks them.\n")
    status, out, err = command("-m", "RR", "--format", "json", "--max-failed", "0.1")
    assert status == 1 and json.loads(out) and "1 of 6 queries of b failed, above the limit of 10%" in err
    status, out, _ = command("-m", "RR")
    assert status == 0 and out.startswith("1 of 6 queries of b failed. Its run lacks them.\n")
    assert len(counted(folder)) == before
    status, out, err = command("-m", "RR", "--retry-failed")
    assert status == 0 and len(counted(folder)) == before + 1 and "without an answer" not in err
    assert len(read_run(folder / "ab-a-b" / "b.jsonl")) == 6


@pytest.mark.parametrize(("more", "commands", "word"), [
    ((), {"a": "no-such-program"}, "not on this machine"), ((), {"b": "x 'y"}, "quotation"),
    (("--name-a", "../x"), {}, "a name that a file can have"), (("--name-a", "B", "--name-b", "b"), {}, "two names"),
    (("--output-dir", "system.py"), {}, "unwritable" if os.name == "nt" else "a file that can be written"),
    ((), {"a": f"{GOOD} {{question}}"}, "a command that stays")])
def test_refused_before_anything_is_asked(folder, command, more, commands, word):
    status, out, err = command(*more, **commands)
    assert (status, out) == (2, "") and word in err and counted(folder) == []


def test_nothing_of_others_is_replaced(folder, command):
    (folder / "a.jsonl").write_text("mine")
    status, _, err = command("--output-dir", ".")
    assert status == 2 and "not of this job" in err and (folder / "a.jsonl").read_text() == "mine"
    (folder / "x").mkdir()
    (folder / "x" / "a.journal.jsonl").write_text('{"mine": 1}\n{"query_id": "q1"}\n')
    status, _, err = command("--output-dir", "x")
    assert status == 2 and (folder / "x" / "a.journal.jsonl").read_text() == '{"mine": 1}\n{"query_id": "q1"}\n'


def test_a_damaged_line_within_is_an_error_with_its_number(folder, command):
    command()
    file = folder / "ab-a-b" / "a.journal.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines[:2], "{broken\n", *lines[3:]]))
    status, _, err = command()
    assert status == 2 and "a.journal.jsonl:3" in err and "Remove the line" in err
    file.write_text("".join([*lines[:2], *lines[3:]]))
    assert command()[0] == 0 and len(counted(folder)) == 13


@pytest.mark.parametrize("at", [3, -1])
def test_two_journals_in_one_file_are_an_error_with_the_line(folder, command, at):
    command()
    file = folder / "ab-a-b" / "a.journal.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    at %= len(lines) + 1
    text = "".join([*lines[:at], lines[0], *lines[at:]])
    file.write_text(text)
    status, _, err = command()
    assert status == 2 and f"a.journal.jsonl:{at + 1}" in err and "a first line again" in err
    assert file.read_text() == text
    file.write_text("".join(lines))
    assert command()[0] == 0


@pytest.mark.parametrize(("number", "changed"), [(0, {"files": []}), (2, {"ms": "fast"}), (2, {"query_id": 7})])
def test_a_line_of_a_journal_with_another_kind_of_value_is_an_error_with_the_line(folder, command, number, changed):
    command()
    file = folder / "ab-a-b" / "a.journal.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    lines[number] = json.dumps({**json.loads(lines[number]), **changed}) + "\n"
    file.write_text("".join(lines))
    status, _, err = command()
    assert status == 2 and f"a.journal.jsonl:{number + 1}" in err and file.read_text() == "".join(lines)


@pytest.mark.skipif(os.name == "nt", reason="no locks of files there")
def test_a_journal_is_written_by_one_process_at_a_time(folder, command):
    command()
    header = json.loads((folder / "ab-a-b" / "a.journal.jsonl").read_text().splitlines()[0])
    journal = Journal(folder / "ab-a-b" / "a.journal.jsonl", header["asked"], header["questions"])
    assert command()[0] == 2
    journal.close()
    assert command()[0] == 0


def test_nothing_but_failures_ends_early_with_the_reason(folder, command):
    (folder / "truth.jsonl").write_text(truth_lines(30))
    (folder / "system.py").write_text("import sys; sys.exit('ModuleNotFoundError: no such thing')")
    status, out, err = command()
    assert (status, out) == (2, "") and "no answer of" in err and "ModuleNotFoundError" in err
    assert 5 <= len(kept(folder)) <= 10
    (folder / "system.py").write_text(SYSTEM)  # fixed: nothing else is needed, with this command or another
    status, _, err = command(b=f"{GOOD} --top 5")
    assert status == 0 and "without an answer" not in err and len(counted(folder)) == 60
    assert command(b=GOOD)[0] == 2  # now there are answers of it


GUIDE = (ROOT / "docs" / "guide" / "ab.md").read_text()


def test_the_guide_shows_what_its_command_prints(tmp_path, capfdbinary, monkeypatch):
    shown, output = re.search(r"```\n(ragdash ab [^\n]*)\n```\n\n<!-- output -->\n```\n(.*?)^```", GUIDE,
                              re.MULTILINE | re.DOTALL).groups()
    monkeypatch.chdir(ROOT)
    assert main([*shlex.split(shown)[1:], "--output-dir", str(tmp_path / "out")]) == 0
    assert capfdbinary.readouterr().out.decode() == output, "run: python tests/regenerate_documents.py"


def test_the_toy_of_the_guide_answers_once_as_well():
    toy = [sys.executable, ROOT / "docs/examples/keyword_search.py", ROOT / "sample_runs/corpus.jsonl", "--rare"]
    said = subprocess.run(toy, input="Luna 15", capture_output=True, text=True, check=True).stdout
    assert json.loads(said)["retrieved"][0]["doc_id"] == "luna-15"


def test_the_python_of_the_guide_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    exec(re.search(r"```python\n(.*?)```", GUIDE, re.DOTALL)[1], {})
    assert capsys.readouterr().out.split()[0] in ("better", "worse", "undecided", "too-few")


def test_a_sample_and_a_budget_ask_some_questions_and_more_of_them_later(folder, command):
    (folder / "truth.jsonl").write_text(truth_lines(20))
    status, out, err = command("-m", "RR", "--sample", "5", "--format", "json")
    first = set(counted(folder))
    assert status == 0 and "5 of 20 questions asked, drawn with seed 0" in err and len(first) == 10
    assert json.loads(out)["comparisons"][0]["n"] == 5
    command("-m", "RR", "--max-calls", "17")  # of both: 8 questions, the 5 and 3 more
    assert len(counted(folder)) == 16 and first < set(counted(folder))
    assert len(read_run(folder / "ab-a-b" / "a.jsonl")) == 8
    status, _, err = command("-m", "RR", "--max-calls", "1")
    assert status == 2 and "2 or more: one for each system" in err


def test_repeats_are_compared_as_one_configuration(folder, command):
    status, out, _ = command("-m", "RR", "--repeats", "3", "--format", "json")
    said = json.loads(out)
    assert status == 0 and len(counted(folder)) == 36
    assert {f"{name}{end}.jsonl" for name in "ab" for end in ("", "-2", "-3")} < set(os.listdir("ab-a-b"))
    assert [one["candidate"] for one in said["comparisons"]] == ["b"] and said["comparisons"][0]["n"] == 6
    assert [(one["run"], one["repeats"]) for one in said["repeats"]][:2] == [("a", 3), ("b", 3)]
    assert command("--repeats", "2", "--name-a", "x", "--name-b", "x-2")[0] == 2


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_budget_in_money_asks_a_random_sample_and_is_not_passed(folder, command, monkeypatch, concurrency):
    (folder / "truth.jsonl").write_text(truth_lines(20))
    monkeypatch.setenv("COST", "0.25")
    spend = "-m", "RR", "--format", "json", "--concurrency", concurrency, "--max-cost"
    status, out, err = command(*spend, "2.2")
    assert status == 0 and len(counted(folder)) == 8 and "2 of 2.2 dollars spent, as the answers report it" in err
    assert "4 of 20 questions asked, drawn with seed 0" in err and json.loads(out)["comparisons"][0]["n"] == 4
    first = {query for _, query in counted(folder)}
    assert first != {f"q{i}" for i in range(1, 5)}, "not the first of the file"
    status, out, err = command(*spend, "3")  # what the journals hold counts
    assert len(counted(folder)) == 12 and json.loads(out)["comparisons"][0]["n"] == 6
    assert command(*spend, "3")[0] == 0 and len(counted(folder)) == 12
    assert first < {query for _, query in counted(folder)}
    monkeypatch.delenv("COST")
    status, _, err = command(*spend, "4", "--name-a", "silent")
    assert status == 2 and "an answer of silent without its cost" in err and "--max-calls" in err
    assert command(*spend, "0")[0] == 2


def test_repeats_are_recorded_as_repeats_of_one_configuration(folder, command, capfdbinary):
    status, out, err = command("-m", "RR", "--repeats", "2", "--logdir", "logs", "--format", "json")
    assert status == 0 and "4 runs recorded in logs; see them with ragdash view logs" in err
    entries = log_entries(Path("logs"))
    assert sorted((entry.header.name, entry.header.repeat) for entry in entries) == [
        ("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert len({entry.header.group for entry in entries}) == 1 and all(entry.state == "complete" for entry in entries)
    paths = sorted((str(entry.path) for entry in entries), key=lambda path: ("-b-" in path, path))
    status, again, _ = call(capfdbinary, "compare", *paths, "--truth", "truth.jsonl", "-m", "RR", "--format", "json")
    before, text = json.loads(again), json.loads(out)
    assert status == 0 and before["repeats"] == text["repeats"] and before["comparisons"] == text["comparisons"]
    assert "0 runs recorded" in command("-m", "RR", "--repeats", "2", "--logdir", "logs")[2]
    assert len(log_entries(Path("logs"))) == 4
