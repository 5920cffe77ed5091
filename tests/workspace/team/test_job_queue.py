"""The queue of jobs, claims before calls, and budgets of several processes: in PostgreSQL."""

from __future__ import annotations

import dataclasses
from threading import Event

import pytest
from helpers import until
from sqlalchemy import text
from team_services import threads

from ragdash.core.storage.addresses import database_address
from ragdash.core.storage.postgres.budgets import DatabaseBudget
from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.postgres.jobs import ATTEMPTS, PostgresJobs
from ragdash.models.judge import Judge, Question, Reply, Usage
from ragdash.models.judge.budget import BudgetTracker
from ragdash.models.judge.plan import Budget
from ragdash.models.judge.verdict_store.claims import Claims
from ragdash.models.judge.verdict_store.opening import verdicts_in

HOSTILE = {"text": "a\x00b \ud800 日本語 '; drop table jobs; --", "list": [1, None, "k" * 5000]}
JUDGE, VERDICT = Judge("localhost", "m"), Reply({"score": 1}, None, "raw", Usage(10, 5), "m", 0.5, 1)


@pytest.fixture
def open_queue(postgres, project):
    """A function that opens the queue as another server does."""
    address = database_address(postgres.url_of(project))
    databases = []

    def opened() -> PostgresJobs:
        databases.append(Database(address.url, address.location))
        return PostgresJobs(databases[-1], project)

    yield opened
    for database in databases:
        database.close()


@pytest.fixture
def open_store(postgres, project, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return lambda owner="": dataclasses.replace(verdicts_in(database_address(postgres.url_of(project))), owner=owner)


def test_a_job_is_taken_once_watched_and_canceled_from_elsewhere_and_done(open_queue):
    queue, other = open_queue(), open_queue()
    assert queue.lease(["judge"], "w1", 60) is None and queue.listed() == [] and queue.find("x") is None
    id, new = queue.enqueue("judge", b"key", HOSTILE, "upload")
    assert new and other.enqueue("judge", b"key", {}) == (id, False) and other.enqueue("other", b"key", {})[1]
    assert queue.lease(["nothing"], "w1", 60) is None
    job = queue.lease(["judge"], "w1", 60)
    assert (job.id, job.body, job.state, job.upload, job.attempts) == (id, HOSTILE, "running", "upload", 1)
    assert queue.lease(["judge"], "w1", 60).id == id, "an attempt whose confirmation was lost has its job"
    assert other.lease(["judge"], "w2", 60) is None
    assert queue.beat(id, "w1", 60, {"done": 3, "words": "3 of 9"}) == 0 and queue.beat(id, "w1", 60) == 0
    assert other.find(id[:5]).progress == {"done": 3, "words": "3 of 9"} and other.listed("judge")[0].active
    assert other.beat(id, "w2", 60, {}) is None and not other.finish(id, "w2", "done", {})
    other.cancel(id)
    assert queue.beat(id, "w1", 60) == 1 and queue.find(id).active
    assert queue.finish(id, "w1", "canceled", {"report": {"asked": 2}}) and not queue.finish(id, "w1", "done", {})
    ended = other.find(id)
    assert (ended.state, ended.result, ended.progress["done"], ended.active) == ("canceled", {"report": {"asked": 2}},
                                                                               3, False)
    other.cancel(id, at_once=True)
    assert other.find(id) == dataclasses.replace(ended, seconds=other.find(id).seconds) or other.find(id).cancel == 1
    assert queue.enqueue("judge", b"key", {})[1], "the same work may be asked for again"
    waiting = queue.listed("judge", 1)[0]
    queue.cancel(waiting.id)
    assert queue.find(waiting.id).state == "canceled" and queue.lease(["judge"], "w3", 60) is None
    queue.greet("a", "host 1")
    other.greet("a", "host 1")
    assert other.workers() == ["host 1"]
    queue.leave("a")
    assert other.workers() == []


def test_workers_that_take_jobs_at_once_never_take_the_same(open_queue):
    queues, taken = [open_queue(), open_queue()], []
    ids = {queues[0].enqueue("judge", b"%d" % number, {})[0] for number in range(40)}

    def work(number: int) -> None:
        step = 0
        while job := queues[number].lease(["judge"], f"{number}-{step}", 60):
            taken.append(job.id)
            queues[number].finish(job.id, f"{number}-{step}", "done", {})
            step += 1

    for thread in threads(2, work):
        thread.join()
    assert sorted(taken) == sorted(ids)


def test_a_silent_worker_loses_its_job_and_after_three_of_them_the_job_has_failed(open_queue, project):
    queue = open_queue()
    id, _ = queue.enqueue("judge", b"key", {})
    budget = DatabaseBudget(queue.database, project, id, 5, None)
    for attempt in range(1, ATTEMPTS + 1):
        assert queue.lease(["judge"], f"w{attempt}", -1).attempts == attempt
        assert queue.beat(id, f"w{attempt}", 60) is None, "its lease has ended by the clock of the database"
        claims = Claims(queue.database, project, f"w{attempt}")
        assert claims.take(b"%d" % attempt) and budget.reserve(0.5, Event())
        assert queue.sweep() == 1 and queue.sweep() == 0
        assert not queue.finish(id, f"w{attempt}", "done", {})
        job = queue.find(id)
        assert job.lost == attempt and budget.spent() == (attempt, attempt * 0.5), "it may have been paid"
        budget.settle(0.1)
        assert budget.spent()[0] == attempt, "one that comes back counts once"
    assert job.state == "failed" and queue.lease(["judge"], "w4", 60) is None
    id, _ = queue.enqueue("judge", b"key", {})
    for attempt in range(10):  # each worker gets a little further
        queue.lease(["judge"], f"further {attempt}", 0.2)
        assert queue.beat(id, f"further {attempt}", -1, {"done": attempt + 1}) == 0
        assert queue.sweep() == 1 and queue.find(id).state == "waiting"
    for attempt in range(ATTEMPTS):
        queue.lease(["judge"], f"stuck {attempt}", 0.2)
        assert queue.beat(id, f"stuck {attempt}", -1, {"done": 10}) == 0 and queue.sweep() == 1
    assert queue.find(id).state == "failed"
    id, _ = queue.enqueue("judge", b"key", {})
    queue.lease(["judge"], "w5", -1)
    queue.cancel(id)
    assert queue.find(id).state == "canceled", "nobody has to wait for a worker that is gone"
    id, _ = queue.enqueue("judge", b"key", {})
    assert queue.lease(["judge"], "w6", 60) and queue.finish(id, "w6", "waiting", {})
    assert (queue.find(id).state, queue.find(id).attempts) == ("waiting", 0), "given back, it is as before"


def test_a_job_that_is_ended_at_once_counts_the_calls_in_flight(open_queue, project):
    queue = open_queue()
    id, _ = queue.enqueue("judge", b"key", {})
    queue.lease(["judge"], "w1", 60)
    claims = Claims(queue.database, project, "w1")
    assert claims.take(b"a") and claims.take(b"b")
    queue.cancel(id, at_once=True)
    job = queue.find(id)
    assert (job.state, job.lost) == ("canceled", 2) and queue.beat(id, "w1", 60) is None
    assert Claims(queue.database, project, "w2").take(b"a"), "another process may ask now"


def test_a_question_is_claimed_by_one_process_until_its_reply_is_kept(open_store):
    store, other = open_store(), open_store()
    first, second = (Question("T", "1", "s", f"text {number}", {"type": "object"}, ("a",), 10) for number in range(2))
    key = JUDGE.key(first)
    with store.writing() as writer, other.writing() as waiting:
        assert writer.claim(key) and writer.claim(key) and not waiting.claim(key)
        assert waiting.claim(JUDGE.key(second))
        writer.save(JUDGE, [(first, VERDICT)])
        assert waiting.claim(key) and waiting.find_verdict(key).value == {"score": 1}
        waiting.release(key)
        assert writer.claim(key)
        writer.save(JUDGE, [(first, Reply(None, "cancelled"))])
        assert waiting.claim(key), "a question that was not asked after all is free"
    with store.writing() as writer:
        assert writer.claim(key) and writer.lost_calls == 0, "the end of a process frees its claims"


def test_a_claim_lives_as_long_as_its_process_and_is_taken_over_after_that(open_queue, project):
    database = open_queue().database
    living, dead, heir = (Claims(database, project, seconds=seconds) for seconds in (5, 0.4, 20))
    assert living.take(b"living") and dead.take(b"dead")
    dead._ended.set()  # as after a kill: nobody renews it, and nobody gives it up
    ends = text("select until from ragdash.claims where project = :project and key = :key")

    def end_of_living():
        return database.read(lambda connection: connection.scalar(ends, {"project": project, "key": b"living"}))

    first_end = end_of_living()
    until(lambda: heir.take(b"dead"))
    until(lambda: end_of_living() > first_end)
    assert heir.lost == 1 and not heir.take(b"living") and living.lost == 0
    for claims in (living, heir):
        claims.close()


def test_processes_together_never_overspend_a_budget(open_queue, project):
    queue = open_queue()
    most, made = [0], []
    budgets = [DatabaseBudget(open_queue().database, project, "job", 30, 2.0) for _ in range(2)]

    def call(number: int) -> None:
        tracker = BudgetTracker(Budget(), Event(), budgets[number % 2])
        while tracker.reserve(0.1):
            made.append(number)
            most[0] = max(most[0], len(made))
            tracker.settle(0.1, 0.05)  # cheaper than expected: more calls fit than the estimate allows

    for thread in threads(6, call):
        thread.join()
    calls, cost = budgets[0].spent()
    assert calls == len(made) == 30 and cost == pytest.approx(1.5)
    small = DatabaseBudget(queue.database, project, "small", None, 1.0)
    assert small.reserve(0.9, Event())
    ended = Event()
    ended.set()
    other = DatabaseBudget(open_queue().database, project, "small", None, 1.0)
    assert not other.reserve(0.5, ended), "it may fit yet, but the job has ended"
    small.settle(0.2)
    assert other.reserve(0.5, ended) and not other.reserve(5.0, ended)
    other.settle(0.0, sent=False)
    other.settle(9.0)
    assert small.spent() == (1, pytest.approx(0.2)), "a call is settled once"
