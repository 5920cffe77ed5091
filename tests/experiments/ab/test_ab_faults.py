"""Commands and everything that goes wrong with them."""

from __future__ import annotations

import json
import os
import threading
import time

import pytest
from experiments.ab.systems import QUERIES, lines, shell, truth_lines

from ragdash.core.errors import InputError
from ragdash.experiments.ab import Command, Lines, Unfinished, ask_all, command_words, run_configuration, subprocess
from ragdash.experiments.ab.journal import Journal
from ragdash.experiments.ab.runner import Configuration
from ragdash.io import read_truth
from ragdash.io.write.serializers import run_objects

ONE = read_truth(("truth.jsonl", b'{"query_id": "q1", "query": "it\'s $HOME {query_id} \\"?", "relevant": ["d"]}\n'
                                 b'{"query_id": "q2", "query": "fine", "relevant": ["d"]}\n'))
GOOD = 'echo \'{"retrieved": ["d"]}\''


def failure(call, truth=ONE):
    """Why the first query has no answer; the second has one."""
    run = run_configuration("a", call, truth)
    assert run.query_ids.to_pylist() == ["q2"]
    return next(problem.actual for problem in run.problems if problem.kind == "failed-query")


def at_first(text, **options):
    """A command that does this with the first query, and answers the second."""
    return shell(f'if [ $RAGDASH_QUERY_ID = q1 ]; then {text}; else {GOOD}; fi', **options)


def gone(pid: int, seconds: float = 60.0) -> bool:
    """Whether a process ends within this time (or is a corpse that nobody has buried)."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().split()[2] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("words", [
    ("sh", "-c", 'read -r asked; python3 -c "import json, sys; print(json.dumps({\'answer\': sys.argv[1]}))" "$asked"'),
    ("python3", "-c", "import json, sys; print(json.dumps({'answer': sys.argv[1]}))", "{question}"),
    ("python3", "-c", "import json, sys; print(json.dumps({'answer': sys.argv[1][3:-1]}))", "q=({question})")])
def test_the_question_comes_as_it_is(words):
    answers = [one["answer"] for one in run_objects(run_configuration("a", Command(words), ONE))]
    assert answers == ["it's $HOME {query_id} \"?", "fine"]


def test_the_id_comes_too():
    command = Command(("sh", "-c", 'cat >/dev/null; echo "{\\"answer\\": \\"$0 $RAGDASH_QUERY_ID\\"}"', "<{query_id}>"))
    assert [one["answer"] for one in run_objects(run_configuration("a", command, ONE))] == ["<q1> q1", "<q2> q2"]


@pytest.mark.parametrize(("text", "words"), [
    ("echo 'index not found' >&2; exit 3", ["exit status 3", "standard error ends: 'index not found'"]),
    ("echo broken; exit 1", ["exit status 1; it printed 'broken'"]),
    ("kill -9 $$", ["ended by signal SIGKILL"]),
    ("true", ["nothing on standard output"]),
    ("echo hello", ["no JSON on standard output", "'hello'"]),
    ("echo Loading model; echo '{\"retrieved\": []}'", ["other text next to the JSON", "'Loading model'", "logs"]),
    ("echo '{\"retrieved\": []}'; echo done", ["other text next to the JSON", "'done'"]),
    ("echo '[1]'", ["a list; expected one object"]),
    ("echo '{\"error\": \"no\"}'", ["an object with the fields error", "retrieved", "such as"]),
    ("echo '{\"retrieved\": [{\"text\": \"t\"}]}'", ["no id"]),
    ("echo '{\"retrieved\": [{\"doc_id\": \"d\", \"score\": NaN}]}'", ["score"]),
    ("echo '{\"retrieved\": [\"a\"], \"retrieved\": [\"b\"]}'", ["the key 'retrieved' twice"]),
    ("echo '{\"query_id\": \"q9\", \"retrieved\": []}'", ["an answer to query 'q9', not to 'q1'"]),
    ("printf '\\377\\376{}'", ["not UTF-8"]), ("echo '{\"a\": ['", ["no JSON"])])
def test_what_is_no_answer_is_missing_with_its_reason(text, words):
    found = failure(at_first(text))
    assert all(word in found for word in words), found


@pytest.mark.parametrize("text", ['printf \'{\\n "retrieved":\\n ["d"]}\'',
                                  "printf '\\357\\273\\277{\"retrieved\": []}'"])
def test_json_over_several_lines_and_with_a_mark_is_read(text, tmp_path):
    for _ in range(2):
        assert len(run_configuration("a", shell(text), ONE, journal=tmp_path / "j")) == 2


def test_numbers_as_ids_keep_their_digits(tmp_path):
    for _ in range(2):  # the second one from the journal
        run = run_configuration("a", shell('echo \'{"retrieved": [{"doc_id": 2506.00500}]}\''), ONE,
                                journal=tmp_path / "j")
        assert run.docs.to_pylist() == ["2506.00500"] * 2
        assert any(problem.kind == "number-as-text" for problem in run.problems)


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path):
    began = time.monotonic()
    found = failure(at_first(f"sleep 600 & echo $! > {tmp_path}/pid; echo waiting >&2; wait", timeout=2.0))
    assert "no answer in time; standard error ends: 'waiting'" in found and time.monotonic() - began < 300
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_command_that_answers_and_hangs_has_not_answered():
    assert "an answer, but no end in time" in failure(at_first(f"{GOOD}; exec 1>&-; sleep 600", timeout=2.0))


def test_what_a_command_leaves_running_does_not_hold_its_answer(monkeypatch, tmp_path):
    monkeypatch.setattr(subprocess, "GRACE", 0.2)
    run = run_configuration("a", at_first(f"sleep 600 & echo $! > {tmp_path}/pid; {GOOD}"), ONE)
    assert len(run) == 2 and gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("text", ["yes", "yes '{}' | tr -d '\\n'"])
def test_output_without_end_is_bounded(text):
    assert "more than 16 MB printed" in failure(at_first(text))


def test_a_long_question_that_nobody_reads_is_no_problem():
    fields = {"query_id": "q1", "query": "why? " * 100_000, "relevant": ["d"]}
    truth = read_truth(("t.jsonl", json.dumps(fields).encode() + b'\n{"query_id": "q2", "query": "short"}\n'))
    assert len(run_configuration("a", shell(GOOD), truth)) == 2
    assert "cannot be started" in failure(Command(("sh", "-c", GOOD, "{question}")), truth)


@pytest.mark.parametrize(("text", "word"), [("no-such-program --x", "is not on this machine"), ("", "an empty text"),
                                            ("python 'x", "no closing quotation"), ("/etc/passwd", "cannot be run")])
def test_no_command(text, word):
    with pytest.raises(InputError, match=word):
        command_words(text)


def test_cancel_ends_a_running_command(tmp_path):
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    began = time.monotonic()
    with pytest.raises(Unfinished, match="0 of 2 calls"):
        run_configuration("a", shell(f"echo $$ > {tmp_path}/pid; sleep 600"), ONE, cancel=cancel)
    assert time.monotonic() - began < 300 and gone(int((tmp_path / "pid").read_text()))


# Commands that stay


def test_a_command_that_stays_is_started_once_and_ended(truth, tmp_path):
    command = lines(f"open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}} {{asked[\"query_id\"]}}\\n')\n"
                    "if asked['query_id'] == 'warm-up': time.sleep(1.5)\nfine(asked)")
    run = run_configuration("a", command, truth)
    pids, ids = zip(*(line.split() for line in (tmp_path / "pids").read_text().splitlines()), strict=True)
    assert ids == ("warm-up", *run.query_ids.to_pylist()) and len(run) == QUERIES and len(set(pids)) == 1
    assert gone(int(pids[0]))
    assert all(one["latency_ms"] < 1500 for one in run_objects(run)), "neither the start nor the warm-up is measured"


def test_several_at_once_have_a_process_each(tmp_path):
    truth = read_truth(("truth.jsonl", truth_lines(12).encode()))
    command = lines(f"open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
                    "time.sleep(0.05)\nfine(asked)", warm_up=0)
    assert len(run_configuration("a", command, truth, concurrency=3)) == 12
    assert len(set((tmp_path / "pids").read_text().split())) == 3


@pytest.mark.parametrize(("code", "words"), [
    ("sys.exit('out of memory')", ["an end before the answer, exit status 1", "out of memory"]),
    ("print('Loading model')", ["a line that is no JSON: 'Loading model'", "logs belong on standard error"]),
    ("say({'retrieved': []})", ["does not have \"query_id\": 'q1'"]),
    ("say({'query_id': 'q2', 'retrieved': []})", ["does not have \"query_id\": 'q1'"]),
    ("say({'query_id': 'q1', 'error': 'x'})", ["an object with the fields query_id, error"]),
    ("time.sleep(600)", ["no answer in time"]),
    ("while True: print('x' * 100000, end='')", ["more than 16 MB printed"])])
def test_a_command_that_stays_is_started_again_after_a_failure(code, words):
    command = lines(f"if asked['query_id'] == 'q1':\n    {code}\nelse: fine(asked)",
                    timeout=2.0 if "sleep" in code else 60.0, warm_up=int("sleep" in code))
    found = failure(command)
    assert all(word in found for word in words), found


def test_no_answer_is_taken_for_that_of_another_query():
    """Two lines for one question: the second one does not answer the next question."""
    truth = read_truth(("truth.jsonl", truth_lines(4).encode()))
    command = lines("fine(asked)\nif asked['query_id'] == 'q1':\n    time.sleep(0.2)\n    say({'query_id': 'q2'})",
                    warm_up=0)
    run = run_configuration("a", command, truth)
    assert "q2" not in run.query_ids.to_pylist() and len(run) == 3


def test_a_command_that_ended_quietly_between_two_questions_is_started_again(truth):
    command = lines("fine(asked)\nsys.stdout.flush()\nsys.exit(0)", warm_up=0)

    def slowly(now):
        time.sleep(0.3)

    assert len(run_configuration("a", command, truth, progress=slowly)) == QUERIES


def test_a_command_that_stays_takes_no_words_for_the_question():
    with pytest.raises(InputError, match="in a command that stays"):
        Lines(("rag", "{question}"))


def test_processes_are_ended_when_the_asking_is_broken_off(tmp_path, truth):
    command = lines(f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nfine(asked)", warm_up=0)

    def stop(now):
        if now.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask_all([Configuration("a", command)], truth, progress=stop)
    assert gone(int((tmp_path / "pid").read_text()))


def test_keys_on_a_command_line_are_not_kept(tmp_path):
    journal = tmp_path / "j"
    run_configuration("a", Command(("sh", "-c", GOOD, "--key=sk-secret")), ONE, journal=journal)
    assert b"secret" not in journal.read_bytes() and os.path.getsize(journal)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no such device")
def test_a_journal_that_is_a_device_is_refused_and_not_read_without_end(tmp_path):
    (tmp_path / "journal.jsonl").symlink_to("/dev/full")
    with pytest.raises(InputError, match="Not a regular file"):
        Journal(tmp_path / "journal.jsonl", "asked", "questions")
