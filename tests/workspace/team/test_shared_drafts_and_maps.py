"""Test sets and query maps made by workers: killed, watched and canceled from anywhere, seen by every server."""

from __future__ import annotations

import argparse
import json
import threading
from collections import Counter
from pathlib import Path

import pytest
import test_failures_page as failures
from models.judge.server import Server
from models.local.fakes import Seeded
from page_cases import charts, keys, opened, shown, texts
from test_answer_scoring import folder as folder
from workspace.team.worker_trial import kill_the_busy_one, wait, workers

from ragdash.analysis.failure_patterns import questions
from ragdash.analysis.failure_patterns.query_map import layout, process, query_map
from ragdash.cli.commands.serving.worker import DraftJobs, MapJobs
from ragdash.cli.main import main
from ragdash.core.storage.postgres.budgets import DatabaseBudget
from ragdash.dashboard.jobs import drafting, judging, mapping, shared_queue
from ragdash.dashboard.jobs.process import write_rows
from ragdash.dashboard.pages.failures import map_choices
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.evaluation.scoring.score_worker import Worker
from ragdash.experiments.testset import Sets
from ragdash.io import read_corpus
from ragdash.models.judge import default_verdict_store
from ragdash.models.local import ENCODER, default_score_cache, find_model_folder
from ragdash.workspace.opening import open_records
from ragdash.workspace.team.job_worker import JobWorker

CORPUS = Path(__file__).resolve().parents[3] / "sample_runs" / "corpus.jsonl"


@pytest.fixture(autouse=True)
def shared_workspace(postgres, project, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "local"))
    monkeypatch.setenv("RAGDASH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RAGDASH_WORKSPACE", postgres.url_of(project))
    yield postgres.url_of(project)
    for forget in (drafting.forget, drafting.forget_plan, mapping.forget):
        forget()


@pytest.fixture
def place_of(postgres):
    def place(id: str) -> str:
        return postgres.sql("select place from ragdash.jobs join ragdash.workers on workers.project = jobs.project and "
                            f"workers.id = split_part(owner, '-', 1) where jobs.id = '{id}'")[0][0]

    return place


def a_worker(address: str) -> JobWorker:
    """A worker in this process."""
    kinds = {"testset": DraftJobs(address, None), "map": MapJobs(address, None)}
    return JobWorker(shared_queue.queue(), kinds, threading.Event(), lease=5)


def order(server: Server, questions: int, **more: object) -> drafting.DraftOrder:
    return drafting.DraftOrder(judging.JudgeOrder("openai", server.url, "toy", None, (), **more), questions,
                               ("single", "no_answer"))


def enqueue(server: Server, questions: int, **more: object) -> str:
    """Put the drafting of a set into the queue, as the page does; the id of the job."""
    corpus = read_corpus(CORPUS)
    assert drafting.start((corpus.digest,), corpus, order(server, questions, **more), None)
    assert not drafting.start((corpus.digest,), corpus, order(server, questions, **more), None), "one at a time"
    return drafting.current().id


def asked(server: Server) -> Counter:
    return Counter(json.dumps(body["messages"]) for body in server.asked)


def test_a_set_whose_worker_is_killed_is_finished_by_the_other_one_as_if_nothing_had_happened(
        tmp_path, place_of, capsys):
    queue = shared_queue.queue()
    with Server(delay=0.2) as server, workers(2, 5, tmp_path / "workers.log") as processes:
        wait(lambda: len(queue.workers()) >= 2)
        id = enqueue(server, 40, concurrency=4)
        wait(lambda: len(server.asked) >= 12)
        kill_the_busy_one(processes, place_of(id))
        assert drafting.current().running and not Sets().names()
        wait(lambda: not queue.find(id).active)
        job, calls = queue.find(id), asked(server)
        (name,) = Sets().names()
        made = Sets().read(name)
        again = enqueue(server, 40)  # the same without a kill, from what is stored
        wait(lambda: not queue.find(again).active)
        assert asked(server) == calls and Sets().read(name) == made and len(Sets().names()) == 1
    assert job.state == "done", (tmp_path / "workers.log").read_text()
    assert calls.total() - len(calls) <= job.lost <= 4, "only calls in flight at the kill, and the job says how many"
    report = job.result["report"]
    assert len(default_verdict_store().all_verdicts()) == len(calls)
    assert calls.total() <= report["asked"] <= calls.total() + 4, "what was set aside at the kill counts"
    assert report["set"] == name and len(made.passing) == 40
    assert main(["jobs"]) == 0 and "testset  done" in capsys.readouterr().out


def test_a_set_is_canceled_from_another_server_and_goes_on_from_there(shared_workspace, capsys):
    queue, worker = shared_queue.queue(), a_worker(shared_workspace)
    with Server(delay=0.3) as server:
        id = enqueue(server, 60, concurrency=2)
        running = threading.Thread(target=worker.run, args=(True,), daemon=True)
        running.start()
        wait(lambda: "words" in queue.find(id).progress and len(server.asked) > 5)
        job = drafting.current()  # another server than the one that put it there sees the same
        assert job.running and job.messages["progress"]["total"] >= 60 and job.names == ("corpus",)
        assert main(["jobs", "--cancel", id[:6]]) == 0 and "stopping" in capsys.readouterr().out
        running.join(60)
        assert queue.find(id).state == "canceled" and drafting.current().cancelled
        first = len(server.asked)
        assert len(default_verdict_store().all_verdicts()) == first < 60, "what was on its way is kept"
        (name,) = Sets().names()
        assert 0 < len(Sets().read(name).drafts) <= first
        server.delay = 0
        enqueue(server, 60)
        assert a_worker(shared_workspace).run(once=True) == 1
        assert len(Sets().read(name).passing) == 60 and not asked(server).total() - len(asked(server))


def test_a_worker_that_ends_or_lost_its_job_keeps_no_part_of_a_set(shared_workspace, postgres):
    with Server(delay=0.4) as server:
        id, worker = enqueue(server, 40, concurrency=2), a_worker(shared_workspace)
        running = threading.Thread(target=worker.run, daemon=True)
        running.start()
        wait(lambda: len(server.asked) > 3)
        worker._ended.set()
        running.join(60)
        job = shared_queue.queue().find(id)
        assert (job.state, job.attempts, job.lost) == ("waiting", 0, 0) and not Sets().names()
        worker = a_worker(shared_workspace)
        running = threading.Thread(target=worker.run, args=(True,), daemon=True)
        running.start()
        count = len(server.asked)
        wait(lambda: len(server.asked) > count + 3)
        shared_queue.queue().cancel(id, at_once=True)
        running.join(60)
        assert shared_queue.queue().find(id).state == "canceled" and not Sets().names()


def test_the_budget_of_a_set_holds_over_two_workers(shared_workspace):
    queue = shared_queue.queue()
    with Server() as server:
        id = enqueue(server, 20, max_calls=7)
        queue.lease(["testset"], "dead", -1)  # a worker that ended after two calls, one of them without a reply
        dead = DatabaseBudget(queue.database, queue._project["project"], id, 7, None)
        assert dead.reserve(0, threading.Event())
        dead.settle(0)
        assert dead.reserve(0, threading.Event())
        assert a_worker(shared_workspace).run(once=True) == 1
        report = queue.find(id).result["report"]
        assert len(server.asked) == 5 and (report["stopped"], report["asked"]) == ("budget", 7)


def test_the_page_puts_a_set_into_the_queue_and_opens_it_when_a_worker_has_made_it(shared_workspace):
    corpus = read_corpus(CORPUS)
    LOADED.put(corpus)
    with Server() as server:
        held = {state.DOCUMENTS: corpus.digest, state.JUDGE_URL: server.url, state.JUDGE_MODEL: "toy",
                state.NEW_SET_SIZE: 4, state.NEW_SET_TYPES: ["single"]}
        at = opened("test-set", state=held)
        shown(at.button(key="new_set_plan").click().run())
        wait(lambda: not drafting._plans.current().running)
        shown(at.run())
        shown(at.button(key="new_set_start").click().run())
        assert drafting.current().waiting and not server.asked
        assert "is writing questions about" in texts(at) and "no worker" in texts(at)
        assert "Waiting for a worker" in at.get("progress")[0].proto.text
        other = opened("test-set", state=held)
        assert "new_set_plan" not in keys(other, "button"), "one at a time, seen by every session"
        assert a_worker(shared_workspace).run(once=True) == 1
        shown(at.run())
        assert "Done: 4 questions kept, 4 calls" in texts(at) and at.session_state["set"] in Sets().names()
        late = opened("test-set", state=held)
        assert "Done: 4 questions kept" in texts(late) and "New test set" in [box.label for box in late.expander]


@pytest.fixture
def large(monkeypatch):
    """Every map takes a job, and no process of the server makes one."""
    monkeypatch.setattr(map_choices, "AT_ONCE", 10)
    monkeypatch.setattr(Worker, "start", lambda *_: pytest.fail("no process of the server computes"))


def marks(at) -> int:
    return sum(len(trace["hovertext"]) for trace in charts(shown(at.run()))["query_map"]["data"])


def test_a_map_is_made_by_a_worker_for_all_servers_and_again_when_it_is_gone(shared_workspace, large):
    view = {"tab": "Query map"}
    at = failures.opened("old", state=view)
    assert mapping.current().waiting and "query_map" not in charts(at)
    assert "Waiting for a worker" in at.get("progress")[0].proto.text and "no worker" in texts(at)
    assert "for a day, on all servers" in texts(at)
    worker = a_worker(shared_workspace)
    assert worker.run(once=True) == 1 and marks(at) == failures.QUERIES
    mapping.forget()  # another server
    assert marks(failures.opened("old", state=view)) == failures.QUERIES and worker.run(once=True) == 0
    mapping.forget()
    open_records(shared_workspace, None).collect(hours=0)  # a day later
    at = failures.opened("old", state=view)
    assert mapping.current().waiting and worker.run(once=True) == 1 and marks(at) == failures.QUERIES


def test_a_map_is_stopped_from_another_server_and_keeps_what_was_embedded(shared_workspace, large, folder, monkeypatch):
    for size in ("FIRST_BLOCK", "BATCH"):
        monkeypatch.setattr(f"ragdash.evaluation.scoring.run_local_models.{size}", 8)
    given: list[str] = []

    class Model(Seeded):
        stops = True

        def encode(self, texts):
            given.extend(texts)
            if self.stops:
                mapping.stop()
                wait(lambda: shared_queue.newest("map").cancelled)
                threading.Event().wait(1.5)  # the worker looks twice a second
            return super().encode(texts)

    model = Model(find_model_folder(ENCODER, str(folder)).weights())
    monkeypatch.setattr("ragdash.models.local.sentence_transformers.load", lambda *_: model)
    truth, key = failures.the_truth(), ("digest", "tiny", "pca")
    asked_texts = questions(truth)
    worker = a_worker(shared_workspace)
    assert mapping.start(key, "pca", asked_texts, model=str(folder))
    assert worker.run(once=True) == 1 and shared_queue.newest("map").record.state == "canceled"
    assert mapping.result(key) is None and 0 < len(given) < failures.QUERIES
    model.stops = False
    assert mapping.start(key, "pca", asked_texts, model=str(folder)) and worker.run(once=True) == 1
    assert sorted(given) == sorted(asked_texts), "each question once"
    expected = query_map(truth, store=default_score_cache())
    assert (mapping.result(key).places == expected.places).all()
    monkeypatch.setattr(process, "plan_texts", lambda *_: pytest.fail("nothing is embedded again"))
    other = ("digest", "tiny", "again")
    assert mapping.start(other, "pca", asked_texts, stored=mapping.result(key).source) and worker.run(once=True) == 1
    assert (mapping.result(other).places == expected.places).all()


def test_t_sne_is_stopped_in_the_middle(tmp_path):
    source = write_rows(tmp_path / "texts.jsonl", ({"text": text} for text in questions(failures.the_truth())))
    parser, steps = argparse.ArgumentParser(), []
    process.add_options(parser)
    options = parser.parse_args(process.arguments_of(source, str(tmp_path / "map.npz"), "tsne", None, None))

    def listener(content) -> bool:
        steps.append(content["words"])
        return not content["words"].startswith("t-SNE")

    assert process.write_map(options, default_score_cache(), listener) is None
    assert steps[-1].startswith("t-SNE, step") and not Path(options.out).exists()
    assert process.write_map(options, default_score_cache(), lambda content: True) == failures.QUERIES


def test_what_a_worker_lacks_for_a_map_is_said_on_the_page(shared_workspace, large, monkeypatch):
    at = failures.opened("old", state={"tab": "Query map", "map_layout": "tsne"})
    assert mapping.current().waiting
    with monkeypatch.context() as patch:
        patch.setattr(layout, "find_spec", lambda name: None)
        assert a_worker(shared_workspace).run(once=True) == 1
    words = texts(shown(at.run())) + "".join(card.value for card in at.error) + "".join(
        card.value for card in at.warning)
    words = words.replace("\\", "")
    assert shared_queue.newest("map").record.state == "failed" and "cikit-learn is not installed" in words
    shown(at.button(key="map_start").click().run())
    assert a_worker(shared_workspace).run(once=True) == 1 and marks(at) == failures.QUERIES
