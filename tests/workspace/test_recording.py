"""Recorded runs: what was added is kept, whatever happens then, and is read back as a run like any other."""

from __future__ import annotations

import asyncio
import errno
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa
import pytest
from speed import quick

import ragdash
from ragdash.core.errors import InputError
from ragdash.core.records import Run, RunHeader, Truth
from ragdash.io.recorded.folder import log_entries, log_entry, read_part
from ragdash.workspace import Workspace
from ragdash.workspace.recording import RecordingWarning, environment, result_file
from ragdash.workspace.recording import recorder as recorder_module

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def logs(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("RAGDASH_LOG_DIR", str(tmp_path / "logs"))
    return tmp_path / "logs"


def run_tasks(work):
    """Run a coroutine in a thread of its own: browser tests leave a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def kind_of(error: pytest.ExceptionInfo) -> str:
    return error.value.problems[0].message


def test_a_recorded_run_is_read_with_all_that_was_recorded(logs, tmp_path):
    settings = {"retriever": {"k": 2, "weights": [0.5, 0.5]}, "model": "m", "hf_token": "hf_abcdefghijklmnop",
                "llm": {"api_key": "secret!", "url": "https://me:pw@host/v1", "max_tokens": 5}}
    truth = Truth.from_dict({"q1": ["d7"], "q2": ["d1"]})
    with pytest.warns(RecordingWarning, match="look like secrets"):
        recording = ragdash.record("hybrid", settings=settings, tags=["nightly"], group="g", data={"truth": truth})
    with recording as run:
        run.add("q1", {"d2": 0.5, "d7": 1.5}, query="Who?", answer="Ada", contexts=["Ada was here."],
                usage={"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}, language="en", password="p4ss")
        with run.query("q2", "When?") as q:
            with q.stage("retrieval"):
                q.documents = [{"doc_id": "d1", "score": 2, "text": "in 1843", "source": "book"}]
            q.answer = "1843"
        with pytest.raises(TimeoutError), run.query("q3", "Where?"):
            raise TimeoutError("no reply from https://me:pw@host")
        assert run.queries == {"q1", "q2"}
    read = run.result()
    assert read.ranking("q1").column("doc_id").to_pylist() == ["d7", "d2"]
    assert read.ranking("q2").column("text").to_pylist() == ["in 1843"]
    rows = {row["query"]: row for row in read.details.to_pylist()}
    assert rows["Who?"]["prompt_tokens"] == 7 and rows["Who?"]["contexts"] == ["Ada was here."]
    assert orjson.loads(rows["Who?"]["attributes"]) == {"language": "en"}
    assert rows["When?"]["latency_ms"]["total"] >= rows["When?"]["latency_ms"]["retrieval"] >= 0
    assert read.settings == {"retriever.k": 2, "retriever.weights": [0.5, 0.5], "model": "m",
                             "llm.url": "https://host/v1", "llm.max_tokens": 5}
    header = read.header
    assert (read.name, read.tags, read.group, read.repeat) == ("hybrid", ("nightly",), "g", 1)
    assert header.removed == ("hf_token", "llm.api_key") and header.data == {"truth": truth.digest}
    assert (header.queries, header.failures, header.error) == (2, 1, None) and header.created < header.ended
    assert header.versions["ragdash"] == ragdash.__version__ and header.versions["orjson"] == orjson.__version__
    failures = [problem for problem in read.problems if problem.kind == "recorded-run"]
    assert [problem.facts for problem in failures] == [{"failed": 1, "total": 3, "reasons": {"TimeoutError": 1}}]
    written = b"".join(path.read_bytes() for path in run.path.iterdir())
    assert not [secret for secret in (b"secret!", b"hf_abc", b"me:pw", b"p4ss") if secret in written]
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        for path in run.path.iterdir():
            archive.write(path, f"{run.path.name}/{path.name}")
    packed = ragdash.read_run(tmp_path / "run.zip")
    assert packed.header == header and packed.digest == read.digest
    assert ragdash.io.detect(run.path).role == ragdash.io.detect(tmp_path / "run.zip").role == "run"
    workspace = Workspace(tmp_path / "w")
    loaded = workspace.load_run(workspace.add_run(read).digest)
    assert loaded.header == header and loaded.settings == read.settings


def test_secrets_in_objects_and_addresses_of_a_query_are_not_kept(logs):
    @dataclass
    class Call:
        api_key: str = "hidden1"
        k: int = 5
        url: str = "https://me:hidden2@host/x?token=hidden3&page=2"

    class Model:
        def model_dump(self):
            return {"password": "hidden4", "top": 3, "call": Call()}

    addresses = ["https://me:hid@den5@host/db", "https://me:hid%40den6@host", "https://host/?api_key=hidden7#top"]
    with ragdash.record("dense") as run:
        run.add("q1", ["d1"], call=Call(), calls=[Call(), {"model": Model()}], note="Basic training: 3 weeks",
                at=addresses)
    text = (run.path / "results.jsonl").read_text()
    kept = json.loads(text)["attributes"]
    assert not re.search("hid(den|@|%)", text)
    assert kept["call"] == {"k": 5, "url": "https://host/x?token=...&page=2"}
    assert kept["calls"] == [kept["call"], {"model": {"top": 3, "call": kept["call"]}}]
    assert kept["note"] == "Basic training: 3 weeks" and kept["at"][1] == "https://host"


def test_secrets_among_settings_are_left_out_and_named(logs):
    settings = {"openai": {"key": "k1", "model": "m"}, "pw": "p", "auth": "a1", "cohere_key": "c1", "db": {"pass": "p"},
                "llm": "sk-proj-abcdefghijklmnop", "prompt": "Use sk-proj-abcdefghijklmnop here.", "OpenAIKey": "k2",
                "sort_key": "date", "key": "id", "pass_at_k": 5, "max_tokens": 9, "index": {"key": "doc_id"}}
    names = ("openai.key", "pw", "auth", "cohere_key", "db.pass", "llm", "prompt", "OpenAIKey")
    with pytest.warns(RecordingWarning, match="look like secrets: openai.key, pw, auth") as caught, \
            ragdash.record("dense", settings=settings) as run:
        run.add("q1", ["d1"])
    assert len(caught) == 1 and run.header.removed == names
    assert run.result().settings == {"openai.model": "m", "prompt": "Use ... here.", "sort_key": "date", "key": "id",
                                     "pass_at_k": 5, "max_tokens": 9, "index.key": "doc_id"}


def test_what_was_added_survives_a_kill_and_the_run_can_be_resumed(logs):
    code = """
import ragdash, sys, time
with ragdash.record("dense", settings={"k": 1}) as run:
    for i in range(1000):
        run.add(f"q{i}", ["d1"])
        if i == 99:
            print("ready", flush=True)
            time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    entry, = log_entries(logs)
    assert (entry.state, entry.queries) == ("recording", 100)
    with pytest.raises(InputError) as error:
        ragdash.read_run(entry.path)
    assert kind_of(error) == "unfinished-run/recording" and "100 queries" in str(error.value)
    with pytest.raises(InputError) as error:
        ragdash.record("dense", settings={"k": 1}, resume=True).start()
    assert kind_of(error) == "recording/nothing-to-resume"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    entry = log_entry(entry.path)
    assert (entry.state, entry.queries) == ("interrupted", 100)
    with open(entry.path / "results.part.jsonl", "ab") as stream:
        stream.write(b'{"query_id": "cut')
    assert len(read_part(entry.path, ragdash.io._results)) == 100
    with pytest.raises(InputError) as error:
        ragdash.read_run(entry.path)
    assert kind_of(error) == "unfinished-run/interrupted"
    with ragdash.record("dense", settings={"k": 1}, resume=True) as run:
        assert len(run.queries) == 100
        with pytest.raises(InputError, match="second time"):
            run.add("q5", ["d1"])
        run.add("q100", ["d1"])
    assert run.path == entry.path and len(run.result()) == 101


def test_an_exception_leaves_the_run_interrupted(logs):
    with pytest.raises(KeyboardInterrupt), ragdash.record("dense") as run:
        run.add("q1", ["d1"])
        with run.query("q2", "Who?"):
            raise KeyboardInterrupt
    entry, = log_entries(logs)
    assert (entry.state, entry.queries, entry.failures) == ("interrupted", 1, 0)
    assert entry.header.error == "KeyboardInterrupt" and entry.header.ended


@pytest.mark.parametrize(("call", "message"), [
    (lambda run: run.add("q1", ["d1"]), "recording/query-repeated"),
    (lambda run: run.add("q2", {"d1": float("nan")}), "recording/score"),
    (lambda run: run.add("q2", [("d1", float("inf"))]), "recording/score"),
    (lambda run: run.add("q2", [("d1", "0.5")]), "recording/score"),
    (lambda run: run.add("q2", [("d1", 0.5), "d2"]), "recording/partly-scored"),
    (lambda run: run.add("q2", [("d1", 0.5)]), "recording/partly-scored-queries"),
    (lambda run: run.add("q2", "d1"), "recording/documents"),
    (lambda run: run.add("q2", {"d1", "d2"}), "recording/documents"),
    (lambda run: run.add("q2", pa.table({"doc_id": ["d1"]})), "recording/documents"),
    (lambda run: run.add("q2", [("d1", 10 ** 400)]), "recording/score"),
    (lambda run: run.add("q2", [], usage={"prompt_tokens": float("inf")}), "recording/number"),
    (lambda run: run.add("q2", [{"id": "d1"}]), "python-object/id"),
    (lambda run: run.add("q2", [""]), "python-object/id"),
    (lambda run: run.add(None, ["d1"]), "python-object/id"),
    (lambda run: run.add(1.0, ["d1"]), "python-object/id"),
    (lambda run: run.add("q2"), "recording/nothing"),
    (lambda run: run.add("q2", [], answer=5), "recording/text"),
    (lambda run: run.add("q2", [], latency_ms=np.timedelta64(12, "ns")), "recording/number"),
    (lambda run: run.add("q2", [], latency_ms=float("nan")), "recording/number"),
    (lambda run: run.add("q2", [], latency_ms={"retrieval": 5, "total": np.inf}), "recording/number"),
    (lambda run: run.add("q2", [], cost_usd=-1), "recording/number"),
    (lambda run: run.add("q2", [], cost_usd="1"), "recording/number"),
    (lambda run: run.add("q2", [{"doc_id": "d1", "text": 5}]), "recording/text"),
    (lambda run: run.add("q2", [], model=object()), "recording/json"),
    (lambda run: run.add("q2", [], answer="\ud800"), "recording/json"),
    (lambda run: run.start(), "recording/started"),
])
def test_what_could_not_be_read_back_is_refused_at_once(logs, call, message):
    with ragdash.record("dense") as run:
        run.add("q1", ["d1"])
        with pytest.raises(InputError) as error:
            call(run)
        assert kind_of(error) == message
        run.add(3, [])
    assert run.result().query_ids.to_pylist() == ["q1", "3"]
    with pytest.raises(InputError) as error:
        run.add("q4", ["d1"])
    assert kind_of(error) == "recording/closed"


@pytest.mark.parametrize("given", [{"repeat": "x"}, {"tags": ["\ud800"]}, {"settings": {"a": 10 ** 40}},
                                   {"group": "\ud800"}], ids=str)
def test_a_header_that_could_not_be_read_back_is_refused_before_anything_is_recorded(logs, given):
    with pytest.raises(InputError) as error:
        ragdash.record("dense", **given)
    assert kind_of(error) == "recording/header" and not logs.exists()


def test_a_number_as_group_and_no_tags_are_read_back(logs):
    with ragdash.record("nightly", group=1234, tags=None) as run:
        run.add("q1", ["d1"])
    assert log_entry(run.path).header.group == "1234" and len(run.result()) == 1


def test_threads_and_tasks_share_a_recording(logs):
    async def ask(run, number):
        with run.query(f"a{number}", "Who?") as q:
            await asyncio.sleep(0.001 * (number % 3))
            q.documents = [f"d{number}"]

    async def ask_all(run):
        await asyncio.gather(*(ask(run, number) for number in range(100)))

    with ragdash.record("dense") as run:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: run.add(f"t{number}", [f"d{number}"]), range(400)))
        run_tasks(ask_all(run))
    read = run.result()
    assert len(read) == 500
    assert all(read.ranking(f"{kind}{number}").column("doc_id").to_pylist() == [f"d{number}"]
               for kind, number in (("t", 0), ("t", 399), ("a", 0), ("a", 99)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system copies no processes")
def test_a_copy_of_the_process_adds_nothing_and_does_not_close_the_run(logs):
    reader, writer = os.pipe()
    with ragdash.record("dense", folder=logs) as run:
        run.add("q1", ["d1"])
        child = os.fork()
        if not child:
            try:
                run.add("q2", ["d2"])
            except InputError as error:
                os.write(writer, error.problems[0].message.encode())
            run.close()
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(reader, 100) == b"recording/other-process"
        run.add("q2", ["d9"])
    os.close(reader), os.close(writer)
    assert run.result().query_ids.to_pylist() == ["q1", "q2"]


def test_an_interrupted_run_that_another_process_goes_on_with_is_not_opened(logs, monkeypatch):
    with pytest.raises(RuntimeError), ragdash.record("dense", folder=logs) as run:
        run.add("q1", ["d1"])
        raise RuntimeError
    monkeypatch.setattr(result_file, "lock", lambda *_, **__: False)
    with pytest.raises(InputError) as error:
        ragdash.record("dense", folder=logs, resume=True).start()
    assert kind_of(error) == "recording/nothing-to-resume"


def test_repeats_are_numbered_and_a_name_can_be_used_twice(logs):
    for _ in range(2):
        with ragdash.record("dense", group="nightly") as run:
            run.add("q1", ["d1"])
    assert run.result().repeat == 2
    with pytest.raises(InputError) as error:
        ragdash.record("dense", group="nightly", repeat=2).start()
    assert kind_of(error) == "recording/repeat-taken"
    with ragdash.record("dense") as first:
        with pytest.warns(RecordingWarning, match="another recording of 'dense' that is open"), \
                ragdash.record("dense") as second:
            second.add("q1", ["d2"])
        first.add("q1", ["d1"])
    assert first.path != second.path and first.result().digest != second.result().digest
    assert [entry.header.repeat for entry in log_entries(logs)] == [1, 2, None, None]


def test_a_full_disk_is_reported_and_loses_nothing(logs, monkeypatch):
    write, full = os.write, []

    def write_half(descriptor, data):
        if not full:
            return write(descriptor, data)
        if len(data) < 30:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:20])

    monkeypatch.setattr(os, "write", write_half)
    with ragdash.record("dense") as run:
        run.add("q1", ["d1"])
        full.append(True)
        with pytest.raises(InputError) as error:
            run.add("q2", ["d1"], answer="a long answer " * 9)
        assert kind_of(error) == "recording/full" and "1 query of run 'dense' is safe" in str(error.value)
        full.clear()
        run.add("q2", ["d2"])
    assert run.result().ranking("q2").column("doc_id").to_pylist() == ["d2"]


def test_a_limit_of_the_system_counts_as_a_full_disk(logs):
    code = """
import ragdash, resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with ragdash.record("dense") as run:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    for i in range(1000):
        run.add(f"q{i}", ["d1"], answer="x" * 100)
"""
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "a disk that is full (File too large)" in process.stderr
    entry, = log_entries(logs)
    assert entry.queries > 20 and len(read_part(entry.path, ragdash.io._results)) == entry.queries


def test_a_folder_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError) as error:
        ragdash.record("dense", folder=tmp_path / "file").start()
    assert kind_of(error) == "recording/unwritable"


def test_foreign_files_are_passed_over_and_broken_ones_reported(logs):
    with ragdash.record("dense") as run:
        run.add("q1", ["d1"])
    (logs / "notes.txt").write_text("x")
    (logs / "empty").mkdir()
    (logs / "other").mkdir()
    (logs / "other" / "header.json").write_text('{"format": "another"}')
    (logs / "other" / "results.jsonl").write_text("{}")
    assert [entry.path for entry in log_entries(logs)] == [run.path]
    header, results = run.path / "header.json", run.path / "results.jsonl"
    content, values = results.read_bytes(), orjson.loads(header.read_bytes())
    failure = b'{"error":{"type":"X"},"query_id":"q1"}\n'
    for broken, words in ((content * 2, "second time"), (b"[1]\n", "not a recorded query"), (b"", "without a result"),
                          (failure, "1 failure")):
        results.write_bytes(broken)
        with pytest.raises(InputError, match=words):
            ragdash.read_run(run.path)
    for changes in ({"version": 2}, {"name": 5}, {"tags": "x"}, {"git": {}}):
        with pytest.raises(InputError):
            RunHeader.from_json(orjson.dumps({**values, **changes}))
    assert RunHeader.from_json(orjson.dumps({**values, "later": 1})) == run.header


def test_the_revision_of_the_code_is_recorded(tmp_path):
    def git(*arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tmp_path, check=True,
                       capture_output=True)

    assert environment.git_revision(tmp_path) is None
    git("init", "-b", "main")
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-m", "a")
    git("remote", "add", "origin", "https://user:token@example.org/a.git")
    revision = environment.git_revision(tmp_path)
    assert (revision.branch, revision.dirty, revision.origin) == ("main", False, "https://example.org/a.git")
    assert len(revision.commit) == 40
    (tmp_path / "a").write_text("2")
    assert environment.git_revision(tmp_path).dirty
    (tmp_path / ".git" / "index").write_bytes(b"damaged")
    revision = environment.git_revision(tmp_path)
    assert revision.dirty is None and revision.origin, "git status fails, so nobody knows"


def test_recording_takes_less_than_a_millisecond_per_query(logs):
    documents = [{"doc_id": f"d{rank}", "score": 1 / (rank + 1), "text": "some words " * 30} for rank in range(20)]
    with ragdash.record("dense") as run:
        numbers = itertools.count()
        quick(lambda: [run.add(f"q{next(numbers)}", documents, query="Who?", answer="Ada") for _ in range(2000)], 2.0)


def test_a_retriever_is_recorded_with_failures_and_times(logs):
    calls, guard = [], threading.Lock()

    def search(question):
        with guard:
            calls.append(question)
        if question == "bad":
            raise ValueError("no index")
        return {"documents": [("d1", 0.5)], "answer": question.upper(), "usage": {"prompt_tokens": 1}, "stage": "x"}

    questions = {f"q{i}": "bad" if i == 7 else f"question {i}" for i in range(20)}
    with pytest.warns(RecordingWarning, match=r"1 query of 20 failed and is not in the run \(ValueError\)"):
        run = ragdash.record_retriever(search, questions, settings={"k": 1})
    assert isinstance(run, Run) and (run.name, len(run), sorted(calls)) == ("search", 19, sorted(questions.values()))
    assert run.details["answer"][0].as_py().startswith("QUESTION")
    assert run.header.failures == 1 and all(ms["total"] >= 0 for ms in run.details["latency_ms"].to_pylist())

    async def search_later(question):
        await asyncio.sleep(0)
        return ["d1"] if question != "bad" else [("d1", float("nan"))]

    with pytest.warns(RecordingWarning, match="1 query of 20 failed"):
        repeats = ragdash.record_retriever(search_later, list(questions.items()), repeats=2, name="later")
    assert [(run.group, run.repeat, len(run), run.header.failures) for run in repeats] == [
        ("later", 1, 19, 1), ("later", 2, 19, 1)]

    with pytest.raises(InputError) as error:
        ragdash.record_retriever(search, questions, repeats=0)
    assert kind_of(error) == "python-object/whole"

    async def in_a_notebook():
        return ragdash.record_retriever(search_later, [{"query_id": 1, "query": "Who?"}], name="one")

    assert len(run_tasks(in_a_notebook())) == 1


def test_a_query_whose_work_was_canceled_has_failed(logs):
    """As where a client cancels a request that takes too long. Whoever cancels the recording itself interrupts it."""
    async def canceled() -> None:
        work = asyncio.ensure_future(asyncio.sleep(9))
        work.cancel()
        await work

    async def search(question):
        if question == "bad":
            await canceled()
        return ["d1"]

    with pytest.warns(RecordingWarning, match=r"1 query of 3 failed and is not in the run \(CancelledError\)"):
        run = ragdash.record_retriever(search, {"q1": "good", "q2": "bad", "q3": "good"}, name="canceled")
    assert (len(run), run.header.failures) == (2, 1)

    async def record_two():
        with ragdash.record("blocks") as recording:
            with pytest.raises(asyncio.CancelledError), recording.query("q1"):
                await canceled()

            async def interrupted() -> None:
                with recording.query("q2"):
                    await asyncio.sleep(9)

            task = asyncio.ensure_future(interrupted())
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            recording.add("q3", ["d1"])
        return recording

    recording = run_tasks(record_two())
    assert recording.header.failures == 1 and recording.result().query_ids.to_pylist() == ["q3"]


def test_an_exception_that_no_retriever_should_raise_comes_as_it_is(logs):
    async def search(question):
        raise GeneratorExit

    with pytest.raises(GeneratorExit):
        ragdash.record_retriever(search, {"q1": "a", "q2": "b"}, name="gone")


def test_calls_at_once_are_in_the_header_and_said_of_the_run(logs):
    single, several = (ragdash.record_retriever(lambda text: ["d1"], {"q1": "a", "q2": "b"}, name="r", folder=logs,
                                                **arguments) for arguments in ({}, {"concurrency": 4}))
    assert (single.header.concurrency, several.header.concurrency) == (1, 4)
    assert [problem.message for problem in single.problems] == []
    assert "4 calls at once" in str(several.problems[0]) and several.problems[0].severity == "warning"


def test_a_retriever_resumes_where_it_was_interrupted(logs):
    questions, asked = {f"q{i}": f"question {i}" for i in range(30)}, []

    def search(question):
        asked.append(question)
        if len(asked) == 10:
            raise KeyboardInterrupt
        if question == "question 3" and len(asked) < 10:
            raise ValueError("busy")
        return ["d1"]

    with pytest.raises(KeyboardInterrupt):
        ragdash.record_retriever(search, questions, concurrency=1)
    asked_before = len(asked)
    entry, = log_entries(logs)
    assert entry.state == "interrupted"
    run = ragdash.record_retriever(search, questions, concurrency=1)
    assert len(run) == 30 and run.header.failures == 0 and run.header.run_id == entry.header.run_id
    assert len(asked) - asked_before == 30 - entry.queries


def test_a_retriever_that_always_fails_is_stopped(logs):
    calls = []

    def search(question):
        calls.append(question)
        raise RuntimeError("no index at https://me:pw@host")

    with pytest.raises(InputError) as error:
        ragdash.record_retriever(search, {f"q{i}": "Who?" for i in range(100)}, concurrency=1)
    assert kind_of(error) == "recording/hopeless" and "no index at https://host" in str(error.value)
    assert len(calls) == 5


@pytest.mark.parametrize(("questions", "message"), [
    ({}, "recording/no-questions"), ({"q1": 5}, "recording/question"), (["Who?"], "recording/question"),
    ([("q1", "a"), ("q1", "b")], "recording/question-repeated"),
    (Truth.from_dict({"q1": ["d1"]}), "recording/no-questions"),
])
def test_unusable_questions_are_reported(logs, questions, message):
    with pytest.raises(InputError) as error:
        ragdash.record_retriever(len, questions)
    assert kind_of(error) == message
    assert recorder_module.log_folder() == logs and not logs.exists()


@pytest.mark.parametrize("empty", ["", " ", "\t"])
def test_an_empty_name_tag_or_group_is_refused_before_anything_is_recorded(logs, empty):
    """As of a variable that is not set: such a run would be one of all others without a name."""
    for given in ({"name": empty}, {"name": "a", "tags": empty}, {"name": "a", "tags": ["x", empty]},
                  {"name": "a", "group": empty}):
        with pytest.raises(InputError, match="found an empty text"):
            ragdash.record(**given)
    with pytest.raises(InputError, match="found an empty text"):
        ragdash.record_retriever(lambda question: ["d"], {"q": "?"}, name=empty)
    with pytest.raises(InputError, match="found an empty text"):
        ragdash.sweep(lambda k: lambda question: ["d"], {"k": [1]}, {"q": "?"}, name=empty)
    assert not logs.exists()


def test_a_name_or_tag_that_says_nothing_of_itself_is_an_input_error(tmp_path):
    class Mute:
        def __str__(self):
            raise RuntimeError("no text")

        __repr__ = __str__

    for given in ({"name": Mute()}, {"name": "a", "tags": [Mute()]}, {"name": "a", "group": Mute()}):
        with pytest.raises(InputError, match=f"an object of type Mute as {[*given][-1]}"):
            ragdash.record(**given, folder=tmp_path)
    with pytest.raises(InputError, match="an object of type Mute as name"):
        Truth.of({"q": ["d"]}, Mute())


def test_a_program_may_change_its_folder_while_it_records(tmp_path, monkeypatch):
    monkeypatch.delenv("RAGDASH_LOG_DIR", raising=False)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    with ragdash.record("moved") as run:
        run.add("q1", ["d1"])
        monkeypatch.chdir(tmp_path / "below")
        run.add("q2", ["d1"])
    assert [entry.state for entry in log_entries(tmp_path / "ragdash-logs")] == ["complete"]


@pytest.mark.parametrize("search", ["def search(text): return ['a']", "async def search(text): return ['a']"])
def test_a_retriever_is_recorded_while_the_interpreter_ends(tmp_path, search):
    """No thread can be started then: the questions are asked one after the other."""
    script = tmp_path / "ends.py"
    script.write_text(f"import atexit, ragdash\n{search}\n"
                      "ragdash.record_retriever(search, {'q0': 'Who?'}, name='before', folder='logs')\n"
                      "atexit.register(lambda: print(len(ragdash.record_retriever(\n"
                      "    search, {'q1': 'Who?', 'q2': 'When?'}, name='after', folder='logs', concurrency=4))))\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("2\n", "")
