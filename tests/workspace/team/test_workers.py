"""`ragdash worker` on a real queue: judging survives the death of a worker, is watched and canceled from anywhere."""

from __future__ import annotations

import json
import signal
import threading
from collections import Counter

import page_cases
import pytest
from models.judge.server import Server
from workspace.team.worker_trial import enqueue, texts, trial, wait, workers

from ragdash.cli.commands.serving import jobs as jobs_command
from ragdash.cli.commands.serving.worker import JudgeJobs
from ragdash.cli.main import main
from ragdash.core.console import duration
from ragdash.core.storage.postgres.budgets import DatabaseBudget
from ragdash.core.storage.protocols import JobRecord
from ragdash.dashboard.jobs import judging, shared_queue
from ragdash.dashboard.session import state
from ragdash.matching.match import Match
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.tasks.policy import Policy, save_policy
from ragdash.workspace.opening import open_blobs, open_records
from ragdash.workspace.team.job_worker import JobWorker


@pytest.fixture(autouse=True)
def shared_workspace(postgres, project, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "local"))
    monkeypatch.setenv("RAGDASH_WORKSPACE", postgres.url_of(project))
    yield postgres.url_of(project)
    judging.forget_plans()
    judging.forget()


@pytest.fixture
def place_of(postgres, project):
    def place(id: str) -> str:
        return postgres.sql("select place from ragdash.jobs join ragdash.workers on workers.project = jobs.project and "
                            f"workers.id = split_part(owner, '-', 1) where jobs.id = '{id}'")[0][0]

    return place


def a_worker(address: str) -> JobWorker:
    """A worker in this process."""
    return JobWorker(shared_queue.queue(), {"judge": JudgeJobs(address, None)}, threading.Event(), lease=5)


def test_a_job_whose_worker_is_killed_is_finished_by_the_other_one_and_nothing_is_asked_twice_in_silence(
        tmp_path, place_of, capsys):
    result = trial(tmp_path, place_of)
    assert (result.state, len(result.calls)) == ("done", 40), (tmp_path / "workers.log").read_text()
    assert result.twice <= result.lost <= 4, "only calls in flight at the kill, and the job says how many"
    verdicts = default_verdict_store().all_verdicts()
    assert len(verdicts) == 40 == len({row[1] for row in verdicts})
    assert main(["jobs"]) == 0
    lines = capsys.readouterr().out
    assert ("in flight as a worker ended" in lines) == bool(result.lost) and "done" in lines and "grey" not in lines


@pytest.mark.parametrize(("state", "result", "reason"), [
    ("failed", {"problems": [{"kind": "unusable-endpoint", "found": "grey"}]}, "unusable-endpoint"),
    ("failed", {}, "its workers ended in the middle of it"), ("done", {}, "")])
def test_a_failed_job_is_listed_with_the_kind_of_its_problem(state, result, reason):
    line = jobs_command._line(JobRecord("ab12", "judge", {}, state, "", {}, result, 0, 3, 0, 60.0))
    assert line == f"ab12  judge  {state}  {duration(60.0)} ago{'  ' if reason else ''}{reason}"


def test_two_jobs_at_once_ask_each_question_once_and_one_is_canceled_from_elsewhere(tmp_path, capsys):
    queue = shared_queue.queue()
    with Server(delay=0.05) as server, workers(2, 15, tmp_path / "workers.log") as processes:
        first, second = (enqueue(server, 30, alone, concurrency=3) for alone in ("first", "second"))
        wait(lambda: not queue.find(first).active and not queue.find(second).active)
        calls = Counter(json.dumps(body["messages"]) for body in server.asked)
        assert len(calls) == 30 == calls.total() and [job.state for job in queue.listed("judge")] == ["done"] * 2
        reports = [queue.find(id).result["report"] for id in (first, second)]
        assert [report["rows"][0]["n"] for report in reports] == [30, 30]
        assert sum(report["asked"] for report in reports) == 30
        server.delay = 0.5
        third = enqueue(server, 90, "third", concurrency=2)
        wait(lambda: "words" in queue.find(third).progress)
        job = judging.current()  # another server than the one that put it there sees the same
        assert job.running and job.messages["progress"]["total"] == 90 and job.names == ("stones",)
        assert main(["jobs", "--cancel", third[:6]]) == 0 and "stopping" in capsys.readouterr().out
        wait(lambda: not judging.current().running)
        assert queue.find(third).state == "canceled" and judging.current().cancelled
        assert len(default_verdict_store().all_verdicts()) == len(server.asked) < 90, "what was on its way is kept"
        fourth = enqueue(server, 90, "fourth", concurrency=2)
        wait(lambda: queue.find(fourth).state == "running" and queue.find(fourth).progress)
        for process in processes:
            process.send_signal(signal.SIGTERM)
        assert [process.wait(120) for process in processes] == [0, 0]
        job = queue.find(fourth)
        assert (job.state, job.attempts, job.lost) == ("waiting", 0, 0), "a worker that is stopped gives it back"
        assert len(default_verdict_store().all_verdicts()) == len(server.asked)
    assert main(["jobs", "--cancel", "zzz"]) == 2 and "no job" in capsys.readouterr().err


def test_a_budget_holds_over_two_workers_and_a_job_without_its_files_says_so(shared_workspace, project):
    queue, worker = shared_queue.queue(), a_worker(shared_workspace)
    with Server() as server:
        id = enqueue(server, 20, max_calls=7)
        queue.lease(["judge"], "dead", -1)  # a worker that ended after two calls, one of them without a reply
        dead = DatabaseBudget(queue.database, project, id, 7, None)
        assert dead.reserve(0, threading.Event())
        dead.settle(0)
        assert dead.reserve(0, threading.Event())
        assert worker.run(once=True) == 1
        report = queue.find(id).result["report"]
        assert len(server.asked) == 5 and (report["stopped"], report["asked"]) == ("budget", 7)
        id = enqueue(server, 20, "gone")
        assert open_records(shared_workspace, None).collect(hours=0) == 1, "files of the job that has ended"
        open_blobs(shared_workspace, None).delete([f"{project}/jobs/{queue.find(id).upload}.zip"])
        assert worker.run(once=True) == 1 and queue.find(id).state == "failed"
        assert queue.find(id).result["problems"][0]["message"] == "job-files-gone"


def test_the_page_puts_a_job_into_the_queue_with_the_policy_and_shows_what_a_worker_says(shared_workspace, tmp_path):
    run, truth = texts(6)
    policy = Policy("right", "wrong", "wrong", "right")
    save_policy(policy)
    with Server() as server:
        held = {state.JUDGE_URL: server.url, state.JUDGE_MODEL: "toy", state.JUDGE_METRICS: ["Faithfulness"]}
        at = page_cases.opened("answers/judge", state=held, **page_cases.address(truth, [run]))
        at.button(key="judge_plan").click().run()
        wait(lambda: not any(job.running for job in judging._plans.values()))
        at.run()
        at.button(key="judge_start").click().run()
        assert not at.exception and judging.current().waiting and not server.asked
        words = "\n".join(element.value for element in (*at.markdown, *at.caption))
        assert "no worker" in words and "is judging stones" in words
        save_policy(None)  # after the job was put into the queue
        assert a_worker(shared_workspace).run(once=True) == 1
        save_policy(policy)
        at.run()
        words = "\n".join(element.value for element in (*at.markdown, *at.caption))
        assert not at.exception and "Done: 6 calls" in words and "no worker" not in words
        assert len(server.asked) == 6 and "declines to answer" in json.dumps(server.asked[0])
        verdicts = Match(run, truth).judged.by_judge("Faithfulness", default_verdict_store().judges()[0], 1)
        assert verdicts.values.tolist() == [1.0] * 6, "the page reads what the worker stored"
