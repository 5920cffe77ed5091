"""The ledger of verdicts: what is kept, by whom, how fast it is read, and files that cannot be used."""

import dataclasses
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from models.judge.asking_cases import cases, questions
from speed import quick

from ragdash.core.errors import InputError
from ragdash.models.judge import Judge, Question, Reply, Usage, VerdictStore
from ragdash.models.judge.task_runner import read
from ragdash.models.judge.tasks import find_task
from ragdash.models.judge.verdict_store.jsonl import export_verdicts, import_verdicts

ROOT = Path(__file__).parents[3]
JUDGE, OTHER = Judge("localhost", "a"), Judge("localhost", "b")
VERDICT = Reply({"reason": "so", "score": 1}, None, "raw \ud800 text", Usage(10, 5), "a-1", 0.5, 1,
                "2026-01-01T00:00:00+00:00", "text", {"temperature": 0})


def test_a_ledger_that_is_not_there_is_empty(verdict_store):
    assert (verdict_store.judges(), verdict_store.find_judge(), verdict_store.get([b"x"]), verdict_store.stamp()) == (
        [],
        None,
        {},
        "",
    )
    assert not verdict_store.path.exists() and list(export_verdicts(verdict_store)) == []


def test_every_part_of_a_question_and_its_judge_is_part_of_the_key():
    one = Question("T", "1", "s", "u", {"type": "object"}, ("a",), 10)
    keys = {JUDGE.key(one), OTHER.key(one), Judge("elsewhere", "a").key(one), Judge("localhost", "a", "{}x").key(one)}
    others = [dataclasses.replace(one, **change) for change in (
        {"task": "U"}, {"version": "2"}, {"system": "x"}, {"user": "x"}, {"schema": {}}, {"ids": ("b",)}, {"vote": 1},
        {"task": "T1", "version": ""})]
    assert len(keys | {JUDGE.key(other) for other in others}) == 4 + len(others)
    assert JUDGE.key(dataclasses.replace(one, max_tokens=99)) == JUDGE.key(one)  # grows where a reply is cut off


def test_verdicts_stay_and_failures_give_way(verdict_store):
    one, two = questions(2)
    keys = [JUDGE.key(one), JUDGE.key(two)]
    verdict_store.save(JUDGE, [(one, VERDICT), (two, Reply(None, "refused", attempts=1, note="no"))])
    stamp = verdict_store.stamp()
    assert verdict_store.known_keys(keys) == {keys[0]} and verdict_store.failed(keys)[keys[1]].missing == "refused"
    verdict_store.save(JUDGE, [(one, dataclasses.replace(VERDICT, value={"score": 0})), (two, VERDICT),
                       (questions(3)[2], Reply(None, "budget", attempts=2))])
    kept = verdict_store.get(keys)[keys[0]]
    assert kept == dataclasses.replace(VERDICT, raw="raw ? text", cached=True)
    assert verdict_store.failed([*keys, JUDGE.key(questions(3)[2])]) == {} and verdict_store.stamp() != stamp
    assert verdict_store.pace(JUDGE, "Faithfulness") == (2, 5.0) and verdict_store.pace(OTHER, "Faithfulness")[0] == 0


def test_half_a_sign_in_a_verdict_becomes_a_question_mark(verdict_store):
    question, = questions(1)
    verdict_store.save(JUDGE, [(question, dataclasses.replace(VERDICT, value={"score": 1, "reason": "a \ud800"}))])
    assert verdict_store.get([JUDGE.key(question)])[JUDGE.key(question)].value == {"score": 1, "reason": "a ?"}


def test_what_cannot_be_kept_leaves_room_for_the_next(verdict_store):
    one, two = questions(2)
    with verdict_store.writing() as writer:
        with pytest.raises(OverflowError):
            writer.save(JUDGE, [(one, VERDICT), (two, dataclasses.replace(VERDICT, usage=Usage(2**70)))])
        writer.save(JUDGE, [(two, VERDICT)])
    assert verdict_store.known_keys([JUDGE.key(one), JUDGE.key(two)]) == {JUDGE.key(two)}


def test_the_judge_last_asked_comes_first(verdict_store):
    with verdict_store.writing() as writer:
        for judge in (JUDGE, OTHER, JUDGE):
            writer.use(judge)
    assert verdict_store.judges() == [JUDGE, OTHER] and verdict_store.find_judge() == JUDGE
    assert (
        verdict_store.find_judge("b") == verdict_store.find_judge("b at localhost") == OTHER
        and verdict_store.find_judge("c") is None
    )


@pytest.mark.slow
def test_ten_thousand_verdicts_are_read_in_half_a_second(verdict_store):
    asked = questions(10_000)
    verdict_store.save(JUDGE, [(question, VERDICT) for question in asked])
    keys = [JUDGE.key(question) for question in asked]
    assert len(verdict_store.get(keys)) == 10_000
    quick(lambda: verdict_store.get(keys), 0.5)


def test_another_ledger_takes_verdicts_over(verdict_store, tmp_path):
    asked, other = questions(3), VerdictStore(tmp_path / "other.sqlite")
    verdict_store.save(JUDGE, [(question, VERDICT) for question in asked])
    verdict_store.save(OTHER, [(asked[0], VERDICT)])
    lines = list(export_verdicts(verdict_store))
    assert import_verdicts(other, lines) == (4, 0) and import_verdicts(other, [*lines, b"\n"]) == (0, 4)
    keys = [JUDGE.key(question) for question in asked]
    assert other.get(keys) == verdict_store.get(keys) and set(other.judges()) == {JUDGE, OTHER}
    assert len(list(export_verdicts(verdict_store, OTHER))) == 1
    with pytest.raises(InputError) as raised:
        import_verdicts(
            VerdictStore(tmp_path / "third.sqlite"), [lines[0], b"{}", b"no", lines[1].replace(b"so", b"\\")]
        )
    assert [problem.line for problem in raised.value.problems] == [2, 3, 4]
    assert VerdictStore(tmp_path / "third.sqlite").judges() == []


@pytest.mark.parametrize("value", [{}, {"reason": "so"}, {"reason": "so", "score": "x"}, {"reason": "so", "score": -1},
                                   {"reason": "so", "score": 1e308}, {"reason": "so", "score": None}])
def test_a_stored_verdict_of_another_shape_is_missing_and_no_value(verdict_store, value):
    verdict_store.save(JUDGE, [(question, VERDICT) for question in questions(2)[:1]])
    verdict_store.save(JUDGE, [(questions(2)[1], dataclasses.replace(VERDICT, value=value))])
    found = read([find_task("Faithfulness").start(case) for case in cases(2)], verdict_store, JUDGE)
    assert [judgment.missing for judgment in found] == [None, "wrong-shape"] and found[0].value == 1


@pytest.mark.parametrize("change", [(b'"vote":0', b'"vote":1e308'), (b'"vote":0', b'"vote":18446744073709551615'),
                                    (b'"prompt":10', b'"prompt":18446744073709551615')])
def test_counts_that_no_database_holds_are_told(verdict_store, tmp_path, change):
    verdict_store.save(JUDGE, [(questions(1)[0], VERDICT)])
    line, = export_verdicts(verdict_store)
    assert change[0] in line
    with pytest.raises(InputError) as raised:
        import_verdicts(VerdictStore(tmp_path / "other.sqlite"), [line.replace(*change)])
    assert [problem.line for problem in raised.value.problems] == [1]


@pytest.mark.parametrize("content", [b"short", b"no database" * 100])
def test_a_file_of_something_else_is_left_alone(verdict_store, content):
    verdict_store.path.parent.mkdir()
    verdict_store.path.write_bytes(content)
    for use in (lambda: verdict_store.get([b"x"]), lambda: verdict_store.save(JUDGE, [(questions(1)[0], VERDICT)])):
        with pytest.raises(InputError, match="verdicts that cannot be read or written"):
            use()
    assert verdict_store.path.read_bytes() == content


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is shut for this user")
def test_a_folder_that_is_shut_is_told(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot be read or written"):
        VerdictStore(tmp_path / "a" / "judge.sqlite").save(JUDGE, [])


def test_a_newer_ledger_is_refused(verdict_store):
    import sqlite3

    verdict_store.save(JUDGE, [])
    with verdict_store.writing():
        pass
    db = sqlite3.connect(verdict_store.path)
    db.execute("pragma user_version = 99")
    db.close()
    with pytest.raises(InputError, match="version 99"):
        verdict_store.judges()


def test_several_processes_make_and_fill_one_ledger(verdict_store):
    code = ("import sys; from pathlib import Path; sys.path.insert(0, 'tests'); "
            "from models.judge.asking_cases import questions; "
            "from ragdash.models.judge import Judge, Reply, VerdictStore; "
            "n = int(sys.argv[2]); "
            "[VerdictStore(Path(sys.argv[1])).save(Judge('h', 'm'), [(one, Reply({'n': n}, attempts=1))]) "
            "for one in questions(20)[n * 5:n * 5 + 10]]")
    children = [subprocess.Popen([sys.executable, "-c", code, str(verdict_store.path), str(n)], cwd=ROOT,
                                 env={**os.environ, "PYTHONPATH": str(ROOT)}) for n in range(3)]
    assert [child.wait(60) for child in children] == [0, 0, 0]
    assert len(list(export_verdicts(verdict_store))) == 20


CLAIMING = """
import sys
from contextlib import closing
from pathlib import Path
from ragdash.models.judge.verdict_store.store import VerdictStore
with VerdictStore(Path(sys.argv[1])).writing() as writer:
    for key in sys.stdin:
        print(writer.claim(bytes.fromhex(key)), flush=True)
"""


def test_a_question_is_asked_by_one_process_at_a_time(verdict_store):
    """Until it is saved or given up, or the process that asks has ended."""
    first, second, third = questions(3)
    other = subprocess.Popen([sys.executable, "-c", CLAIMING, str(verdict_store.path)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})

    def is_free_elsewhere(question) -> bool:
        print(JUDGE.key(question).hex(), file=other.stdin, flush=True)
        return other.stdout.readline() == "True\n"

    with other, verdict_store.writing() as writer:
        assert all(writer.claim(JUDGE.key(question)) for question in (first, second))
        assert not is_free_elsewhere(first) and is_free_elsewhere(third)
        assert not writer.claim(JUDGE.key(third)) and writer.find_verdict(JUDGE.key(third)) is None
        writer.release(JUDGE.key(first))
        writer.save(JUDGE, [(second, Reply({"score": 1}, None))])
        assert is_free_elsewhere(first) and is_free_elsewhere(second)
        other.kill()
        other.wait()
        assert writer.claim(JUDGE.key(third)), "its process has ended"


@pytest.mark.parametrize("cell", ["", "null", "5", "[]", "{", b"\xff", None, 1e308])
@pytest.mark.parametrize("column", ["value", "raw", "prompt", "completion", "model", "latency", "at", "sent"])
def test_a_verdict_with_a_damaged_cell_is_missing_and_the_others_are_read(verdict_store, column, cell):
    """A text is a right value of raw, model and at, a number of latency, and null says no more than a wrong shape."""
    verdict_store.save(JUDGE, [(question, VERDICT) for question in questions(2)])
    _put(verdict_store, f"update verdicts set {column} = ? where number = 2", cell)
    judgments = read([find_task("Faithfulness").start(case) for case in cases(2)], verdict_store, JUDGE)
    is_right = {"latency": cell in ("5", 1e308), "prompt": cell == "5", "completion": cell == "5"}.get(
        column, column in ("raw", "model", "at") and isinstance(cell, str | float))
    assert [judgment.missing for judgment in judgments] == [None, None if is_right else "wrong-shape"]
    assert all(isinstance(part, str) for name, _, last in verdict_store.versions(JUDGE) for part in (name, last))
    if not is_right:
        with pytest.raises(InputError, match="damaged cell"):  # a copy would lack it without a word
            list(export_verdicts(verdict_store))


@pytest.mark.parametrize("column", ["host", "model", "parameters"])
def test_a_judge_with_a_damaged_cell_is_told(verdict_store, column):
    verdict_store.save(JUDGE, [(questions(1)[0], VERDICT)])
    _put(verdict_store, f"update judges set {column} = ?", b"\xff")
    for asked in (verdict_store.judges, verdict_store.all_verdicts):
        with pytest.raises(InputError, match="damaged"):
            asked()


def test_a_damaged_reason_or_manner_is_passed_over(verdict_store):
    verdict_store.save(JUDGE, [(questions(1)[0], Reply(None, "refused", "no", attempts=1, note="never"))])
    _put(verdict_store, "update failures set missing = ?, note = null", "x")
    failure, = verdict_store.failed([JUDGE.key(questions(1)[0])]).values()
    assert (failure.missing, failure.note) == ("not-a-reply", "")
    with verdict_store.writing() as writer:
        writer.save_mode("u", "m", {"mode": "text"})
    assert verdict_store.learned_mode("u", "m") == {"mode": "text"}
    _put(verdict_store, "update manners set manner = ?", "[]")
    assert verdict_store.learned_mode("u", "m") == {}


def _put(verdict_store, statement, cell):
    with closing(sqlite3.connect(verdict_store.path)) as db, db:
        db.execute(statement, (cell,))
