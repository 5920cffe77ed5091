"""A slow object store, servers of two versions, passwords that nobody may read: more faults of a shared workspace."""

from __future__ import annotations

import threading
from datetime import timedelta

import numpy as np
import pytest
from helpers import message_of
from workspace.team.test_shared_faults import database_at, home_in, log_in, run_of, scripted_store

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.core.storage import object_blobs
from ragdash.core.storage.object_blobs import RETRY, ObjectBlobs
from ragdash.core.storage.postgres import schema
from ragdash.workspace import open_workspace
from ragdash.workspace.kept_values import KeptValues
from ragdash.workspace.opening import open_blobs, shared_jobs

__all__ = ["scripted_store"]
ONCE = {**RETRY, "max_retries": 0, "retry_timeout": timedelta(seconds=1)}


@pytest.fixture
def slow_store(scripted_store, monkeypatch):
    """A store that takes its time for each answer: `seconds`, or until the test is `over`."""
    handler = scripted_store.RequestHandlerClass
    real = handler.answer

    def answer(self) -> None:
        self.server.over.wait(self.server.seconds)
        real(self)

    for name in ("do_PUT", "do_GET", "do_DELETE", "do_POST"):
        monkeypatch.setattr(handler, name, answer, raising=False)
    scripted_store.seconds, scripted_store.over = 0.0, threading.Event()
    yield scripted_store
    scripted_store.over.set()


def test_a_slow_store_is_waited_for_and_one_that_never_answers_is_said(slow_store, monkeypatch):
    slow_store.seconds = 0.4
    ObjectBlobs("s3://bucket/prefix", retry=ONCE).put("a", b"x")
    slow_store.seconds = 600.0
    monkeypatch.setattr(object_blobs, "CLIENT", {"connect_timeout": "5s", "timeout": "300ms"})
    blobs = ObjectBlobs("s3://bucket/prefix", retry=ONCE)
    assert message_of(lambda: blobs.put("b", b"x")) == "unusable-blobs"
    assert message_of(lambda: blobs.get("a")) == "unusable-blobs"
    values = KeptValues(blobs)
    assert values.read("run", ["key"]) == {}, "what is only kept to be quick is computed instead"
    asked = slow_store.asked
    assert values.read("run", ["key"]) == {} and slow_store.asked == asked


@pytest.mark.parametrize(("status", "code", "kind"), [
    (400, "ExpiredToken", "unusable-blobs/rights"), (400, "InvalidToken", "unusable-blobs/rights"),
    (403, "RequestTimeTooSkewed", "unusable-blobs/rights"), (400, "EntityTooLarge", "unusable-blobs")])
def test_what_a_store_says_of_its_refusal_is_the_reason(scripted_store, monkeypatch, status, code, kind):
    def refuse(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(f'<?xml version="1.0"?>\n<Error><Code>{code}</Code><Message>No.</Message></Error>'.encode())

    for name in ("do_PUT", "do_GET", "do_POST"):
        monkeypatch.setattr(scripted_store.RequestHandlerClass, name, refuse, raising=False)
    blobs = ObjectBlobs("s3://bucket/prefix", retry=ONCE)
    for call in (lambda: blobs.put("a", b"x"), lambda: blobs.get("a"), lambda: blobs.names("a"),
                 lambda: blobs.delete(["a"])):
        with pytest.raises(InputError) as raised:
            call()
        problem, = raised.value.problems
        assert (problem.message, problem.facts["reason"]) == (kind, f"{code}: No.")


def test_the_files_of_a_run_are_asked_for_at_the_same_time(postgres, project, monkeypatch):
    home = home_in(database_at(postgres.url_of(project)), project, open_blobs(postgres.url_of(project), None))
    run, both = run_of("bm25"), threading.Barrier(2, timeout=60)
    home.add_run(run)
    blobs = home._records._blobs
    get = blobs.get

    def get_together(name: str) -> bytes:
        both.wait()
        return get(name)

    monkeypatch.setattr(blobs, "get", get_together)
    assert home.load_run(run.digest).digest == run.digest


def test_a_machine_of_the_database_that_vanishes_is_noticed(postgres):
    """Without these options of libpq, a request to it is awaited for two hours."""
    parameters = database_at(postgres.url).read(
        lambda connection: connection.connection.dbapi_connection.info.get_parameters())
    idle, interval, count = (int(parameters[f"keepalives_{name}"]) for name in ("idle", "interval", "count"))
    assert idle + interval * count <= 30 and 0 < int(parameters["tcp_user_timeout"]) <= 30_000


def test_a_server_that_runs_while_the_tables_change_is_not_ready_and_changes_nothing(postgres, project):
    postgres.sql(f'create database "{project}"')
    url = f"postgresql://owner@127.0.0.1:{postgres.port}/{project}"
    database = database_at(url)
    database.upgrade()
    home, log = home_in(database, "p", open_blobs(url, None)), log_in(database, "p")
    log.write(lambda writer: writer.add("k", ("before",)))
    other = database_at(url)

    def set_version(number: int, instead_of: int) -> None:
        import psycopg

        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("update ragdash.version set number = %s where number = %s", (number, instead_of))

    for number, says in ((schema.NEWEST + 1, "database-tables/newer"), (0, "database-tables/older")):
        set_version(number, schema.NEWEST)
        assert message_of(home.check) == says, "what /ready asks"
        assert message_of(lambda: log.write(lambda writer: writer.add("k", ("never",)))) == says
        assert message_of(other.check) == says
        set_version(schema.NEWEST, number)
        home.check()
    assert [row.values for row in log.rows()] == [("before",)]


def test_a_database_that_takes_no_changes_refuses_each_kind_of_them(postgres, project):
    postgres.sql(f'create database "{project}"')
    url = f"postgresql://owner@127.0.0.1:{postgres.port}/{project}"
    database_at(url).upgrade()
    home, kept = home_in(database_at(url), "p", open_blobs(url, None)), run_of("kept")
    home.add_run(kept)
    postgres.sql(f'alter database "{project}" set default_transaction_read_only = on')
    database, again = database_at(url), f"{url}?application_name=again"  # connections of before may still write
    home, log = home_in(database, "p", open_blobs(again, None)), log_in(database, "p")
    for change in (lambda: home.add_run(run_of("new")), lambda: home.delete(kept.digest),
                   lambda: home.rename(kept.digest, "other"), lambda: log.write(lambda writer: writer.add("k", ("x",))),
                   lambda: home.values.keep(kept.digest, {"a" * 40: np.array([1.0])}),
                   lambda: shared_jobs(again).enqueue("judge", b"k", {})):
        assert message_of(change) == "unusable-database/read-only"
    assert len(home.runs()) == 1 and log.rows() == []


@pytest.mark.parametrize("words", [["workspace", "check"], ["workspace", "upgrade"], ["workspace", "audit"],
                                   ["workspace", "delete-project", "default"], ["jobs"], ["worker"], ["dashboard"]],
                         ids=" ".join)
def test_no_command_shows_a_password(postgres, words, capfd, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    wrong = "Not-The-Pass%40Word"
    monkeypatch.setenv("RAGDASH_WORKSPACE", f"postgresql://locked:{wrong}@127.0.0.1:{postgres.port}/postgres")
    assert main(words) == 2
    said = "".join(capfd.readouterr())
    assert "refuses the user" in said and f"127.0.0.1:{postgres.port}" in said
    assert wrong not in said and "Not-The-Pass" not in said


def test_a_workspace_is_shown_without_its_password(postgres):
    shown = repr(open_workspace(f"postgresql://owner:hidden-words@127.0.0.1:{postgres.port}/postgres"))
    assert "hidden-words" not in shown
