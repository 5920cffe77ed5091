"""Faults of a shared workspace: a clear message each, tried again where that is safe, nothing lost, nothing double."""

from __future__ import annotations

import contextlib
import http.server
import itertools
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import team_services
from helpers import message_of
from sqlalchemy import exc, text

from ragdash.core.errors import InputError
from ragdash.core.records import Run
from ragdash.core.storage.addresses import database_address
from ragdash.core.storage.postgres import database as database_module
from ragdash.core.storage.postgres import schema
from ragdash.core.storage.postgres.database import PAGE_PATIENCE, PATIENCE, Database, database_of
from ragdash.core.storage.postgres.events import PostgresLog
from ragdash.workspace import Workspace, open_workspace
from ragdash.workspace.opening import open_blobs, open_records
from ragdash.workspace.team.catalogue import PostgresCatalogue
from ragdash.workspace.team.uploads import BlobRecords

ROOT = Path(__file__).parents[3]


def database_at(url: str, **options) -> Database:
    address = database_address(url)
    return Database(address.url, address.location, **options)


def log_in(database: Database, project: str) -> PostgresLog:
    return PostgresLog(database, project, "reviews", database.location)


def home_in(database: Database, project: str, blobs) -> Workspace:
    return Workspace("unused", storage=(PostgresCatalogue(database, project, database.location),
                                        BlobRecords(database, project, blobs, database.location)))


def run_of(name: str) -> Run:
    return Run.build(name, ["q"] * 3, [f"{name} {number}" for number in range(3)], np.array([3.0, 2.0, 1.0]))


def test_a_restart_in_the_middle_of_writing_loses_nothing_and_doubles_nothing():
    server = team_services.Postgres(durable=True)
    try:
        database_at(server.url).upgrade()
        confirmed, stop, errors = [], threading.Event(), []

        def write(number: int) -> None:
            log = log_in(database_at(server.url, patience=30), "p")  # a server of its own
            for step in itertools.count():
                if stop.is_set():
                    return
                try:
                    log.write(lambda writer, step=step: writer.add(f"{number}", (f"{step}",)))
                except InputError as error:
                    errors.append(error)
                    return
                confirmed.append((f"{number}", f"{step}"))

        running = team_services.threads(2, write)
        for _ in range(2):
            count = len(confirmed)
            while len(confirmed) < count + 20:
                time.sleep(0.01)
            server.stop()  # at once, as after a power failure
            server.start()
        count = len(confirmed)
        while len(confirmed) < count + 20 and not errors:
            time.sleep(0.01)
        stop.set()
        for thread in running:
            thread.join()
        rows = log_in(database_at(server.url), "p").rows()
        assert not errors
        assert sorted((row.key, row.values[0]) for row in rows) == sorted(confirmed)
        assert [row.number for row in rows] == list(range(1, len(rows) + 1))
        server.stop()
        quick = database_at(server.url, patience=0.3)
        assert message_of(lambda: log_in(quick, "p").stamp()) == "unusable-database/away"
    finally:
        server.close()


def test_a_commit_whose_answer_was_lost_is_not_made_again(postgres, project, monkeypatch):
    database = database_at(postgres.url)
    log, lost = log_in(database, project), []
    log.write(lambda writer: writer.add("before", ("x",)))
    real = database._engine.dialect.do_commit

    def commit_and_lose(connection):
        real(connection)
        if not lost:
            lost.append(True)
            connection.dbapi_connection.close()
            raise database._engine.dialect.loaded_dbapi.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(database._engine.dialect, "do_commit", commit_and_lose)
    added = log.write(lambda writer: [writer.add("k", (value,)) for value in "ab"])
    assert lost and [(row.key, row.id, row.values) for row in log.rows("k")] == [
        ("k", added[0], ("a",)), ("k", added[1], ("b",))]


def test_lost_connections_are_replaced_without_a_word(postgres, project):
    database = database_at(postgres.url)
    log = log_in(database, project)
    for step in range(3):
        log.write(lambda writer, step=step: writer.add("k", (f"{step}",)))
        postgres.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ragdash'")
        assert len(log.rows()) == step + 1


def test_once_the_patience_is_spent_calls_fail_at_once_until_the_database_is_back():
    server = team_services.Postgres(durable=True)
    try:
        database = database_at(server.url, patience=4.0)
        database.upgrade()
        log = log_in(database, "p")
        log.write(lambda writer: writer.add("k", ("before",)))
        server.stop()
        for least, most in ((4.0, 60.0), (0.0, 3.5), (0.0, 3.5)):  # a page asks many times as it is drawn
            started = time.monotonic()
            assert message_of(log.rows) == "unusable-database/away"
            assert least <= time.monotonic() - started < most
        server.start()
        log.write(lambda writer: writer.add("k", ("after",)))
        server.stop()
        database.patience = 60.0
        begun = threading.Timer(0.3, server.start)
        begun.start()
        assert [row.values[0] for row in log.rows()] == ["before", "after"], "it is waited for again"
        begun.join()
    finally:
        server.close()


def test_a_server_that_accepts_and_never_answers_is_not_awaited_forever():
    """Its processes are stopped: the connections stay open, and the system answers every probe of them."""
    server = team_services.Postgres(durable=True)
    processes = []
    try:
        database = database_at(server.url, patience=0.5, silence=1.5)
        database.upgrade()
        log = log_in(database, "p")
        log.write(lambda writer: writer.add("k", ("before",)))
        processes += [pid for pid, in server.sql("select pid from pg_stat_activity where application_name = 'ragdash'")]
        assert processes
        for pid in processes:  # of these connections alone: others can be opened
            os.kill(pid, signal.SIGSTOP)
        database.patience = 30.0
        started = time.monotonic()
        log.write(lambda writer: writer.add("k", ("after",)))
        assert 1.5 <= time.monotonic() - started < 25
        database.patience = 0.5
        processes += [pid for pid, in server.sql("select pid from pg_stat_activity")]
        processes.append(server._process.pid)
        for pid in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        for work in (log.rows, lambda: log.write(lambda writer: writer.add("k", ("never",)))):
            started = time.monotonic()
            assert message_of(work) == "unusable-database/away"
            assert time.monotonic() - started < 15
        _continue(processes)
        database.patience = 30.0
        assert [row.values[0] for row in log.rows()] == ["before", "after"]
    finally:
        _continue(processes)
        server.close()


def _continue(processes: list[int]) -> None:
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def test_a_statement_that_sends_rows_for_longer_than_a_silence_is_read_to_its_end(postgres):
    database = database_at(postgres.url, silence=0.5)
    slow = "select repeat('x', 9000), pg_sleep(0.01) from generate_series(1, 150)"
    assert len(database.read(lambda connection: connection.execute(text(slow)).all())) == 150


def test_a_database_that_nobody_has_keeps_no_connection(postgres):
    database = database_at(postgres.url)
    database.check()
    opened = database.read(lambda connection: connection.execute(text("select pg_backend_pid()")).scalar())
    del database
    end = time.monotonic() + 20
    while postgres.sql(f"select 1 from pg_stat_activity where pid = {opened}"):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_server_sees_its_own_change_at_once_and_those_of_others_soon(postgres, project, monkeypatch):
    mine, other = database_at(postgres.url), database_at(postgres.url)
    log, others = log_in(mine, project), log_in(other, project)
    for step in range(1, 20):
        log.write(lambda writer, step=step: writer.add("k", (f"{step}",)))
        assert log.stamp() == f"{project}-{step}"
    others.write(lambda writer: writer.add("k", ("other",)))
    end = time.monotonic() + 30
    while log.stamp() != f"{project}-20":
        assert time.monotonic() < end
    real, reads = mine.read, []

    def read_and_write(work):  # this process writes after it has read and before it takes note of that
        result = real(work)
        reads.append(result)
        if len(reads) == 1:
            log.write(lambda writer: writer.add("k", ("between",)))
        return result

    log.write(lambda writer: None)
    monkeypatch.setattr(mine, "read", read_and_write)
    assert log.stamp() == f"{project}-20" and log.stamp() == f"{project}-21"
    count = len(reads)
    log.stamp()
    assert len(reads) <= count + 1


def test_more_requests_than_connections_say_so(postgres, project):
    database = database_at(postgres.url, connections=1, extra=0, pool_wait=0.1)
    log = log_in(database, project)
    assert message_of(lambda: log.write(lambda writer: log.rows())) == "unusable-database/pool"
    assert log.rows() == []


@pytest.mark.parametrize("limited", ["role few", "database"])
def test_a_limit_of_connections_is_no_wrong_password(postgres, project, limited):
    postgres.sql(f'create database "{project}"')
    postgres.sql("drop role if exists few")
    postgres.sql("create role few login")
    what = f'database "{project}"' if limited == "database" else limited
    postgres.sql(f"alter {what} connection limit 0")
    database = database_at(f"postgresql://few@127.0.0.1:{postgres.port}/{project}", patience=0.1)
    assert message_of(database.check) == "unusable-database/busy"


def test_a_wrong_password_is_refused_and_never_shown(postgres, project, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    wrong = "not-the-password-at-all"
    url = f"postgresql://locked:{wrong}@127.0.0.1:{postgres.port}/postgres?project={project}"
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda seconds: pytest.fail("it is tried again"))
    with monkeypatch.context() as patch, pytest.raises(InputError) as raised:
        patch.setattr(database_module, "time", clock)
        open_workspace(url).check()
    assert raised.value.problems[0].message == "unusable-database/refused"
    shown = f"{raised.value!r} {raised.value} {database_address(url)!r} {open_workspace(url)!r} {caplog.text}"
    assert wrong not in shown and "127.0.0.1" in str(raised.value)
    right = url.replace(wrong, team_services.PASSWORD)
    assert message_of(lambda: open_workspace(right).runs()) == "unusable-database/rights"


def test_a_database_that_takes_no_changes_or_is_not_there(postgres, project):
    postgres.sql(f'create database "{project}"')
    url = f"postgresql://owner@127.0.0.1:{postgres.port}/{project}"
    database_at(url).upgrade()
    postgres.sql(f'alter database "{project}" set default_transaction_read_only = on')
    home = home_in(database_at(url), "p", open_blobs(url, None))
    assert home.runs() == () and message_of(lambda: home.keep_prices("x")) == "unusable-database/read-only"
    assert message_of(lambda: database_at(f"{url}-none").check()) == "unusable-database/no-such"


def test_two_upgrades_at_once_and_one_that_fails_half_way(postgres, project, monkeypatch):
    postgres.sql(f'create database "{project}"')
    url = f"postgresql://owner@127.0.0.1:{postgres.port}/{project}"
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("create table ragdash.new (x int)", "no sql")))
        assert message_of(lambda: database_at(url).upgrade()) == "unusable-database/other"
    assert message_of(lambda: database_at(url).check()) == "database-tables/missing", "all or nothing"
    versions = []
    for thread in team_services.threads(3, lambda number: versions.append(database_at(url).upgrade())):
        thread.join()
    assert sorted(versions) == [(0, schema.NEWEST), *[(schema.NEWEST, schema.NEWEST)] * 2]
    old = database_at(url)
    old.check()
    with monkeypatch.context() as patch:
        patch.setattr(schema, "NEWEST", schema.NEWEST + 1)
        assert message_of(lambda: database_at(url).check()) == "database-tables/older"
    old.check()


class Scripted(http.server.BaseHTTPRequestHandler):
    """A store that answers as the list says, and then with 200."""

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        self.server.asked += 1
        self.send_response(status)
        self.send_header("ETag", '"x"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_GET = do_DELETE = answer

    def log_message(self, *rest) -> None:
        pass


@pytest.fixture
def scripted_store(monkeypatch):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    server.statuses, server.asked = [], 0
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    for name, value in {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}", "AWS_ACCESS_KEY_ID": "key",
                        "AWS_SECRET_ACCESS_KEY": "hidden-secret", "AWS_REGION": "us-east-1"}.items():
        monkeypatch.setenv(name, value)
    yield server
    server.shutdown()
    server.server_close()


def test_a_bucket_without_rights_and_one_that_fails(scripted_store, s3, project):
    from datetime import timedelta

    from ragdash.core.storage.object_blobs import RETRY, ObjectBlobs

    quick = {**RETRY, "max_retries": 2, "backoff": {"init_backoff": timedelta(milliseconds=1), "base": 2,
                                                     "max_backoff": timedelta(milliseconds=5)}}
    blobs = ObjectBlobs("s3://bucket/prefix", retry=quick)
    scripted_store.statuses[:] = [403]
    with pytest.raises(InputError) as raised:
        blobs.put("a", b"x")
    assert raised.value.problems[0].message == "unusable-blobs/rights"
    assert "hidden-secret" not in str(raised.value) and "s3://bucket/prefix" in str(raised.value)
    scripted_store.statuses[:] = [503, 500]
    blobs.put("a", b"x")  # tried again
    scripted_store.statuses[:] = [500] * 3
    with pytest.raises(InputError) as raised:
        blobs.put("a", b"x")
    assert raised.value.problems[0].message == "unusable-blobs" and not scripted_store.statuses
    assert "PUT" in str(raised.value) and "http:" not in str(raised.value), "what failed, without internal addresses"
    scripted_store.statuses[:] = [412]
    with pytest.raises(FileExistsError):
        blobs.put("a", b"x")


def test_a_bucket_that_does_not_exist(s3, project):
    from ragdash.core.storage.object_blobs import ObjectBlobs

    assert message_of(lambda: ObjectBlobs(f"s3://{project}/x").check()) == "unusable-blobs/bucket"


class Failing:
    """Blobs whose n-th call of a kind fails, as a store that goes away in the middle."""

    def __init__(self, blobs, kind: str, number: int):
        self._blobs, self._kind, self._left, self.location = blobs, kind, number, blobs.location

    def __getattr__(self, name: str):
        def call(*given):
            if name == self._kind:
                self._left -= 1
                if self._left == 0:
                    self._blobs._unusable_now = True
                    raise self._blobs._unusable(OSError("gone"))
            return getattr(self._blobs, name)(*given)

        return call


@pytest.mark.parametrize("kind, number", [("put", 1), ("put", 2), ("get", 1), ("get", 2)])
def test_an_upload_that_ends_in_the_middle_leaves_nothing_in_the_list(postgres, project, tmp_path, kind, number):
    url, folder = postgres.url_of(project), f"file://{tmp_path}/blobs"
    database, blobs, run = database_at(url), open_blobs(url, folder), run_of("bm25")
    broken = home_in(database, project, Failing(blobs, kind, number))
    assert message_of(lambda: broken.add_run(run)) == "unusable-blobs" and broken.runs() == ()
    home = home_in(database, project, blobs)
    entry = home.add_run(run)
    assert home.load_run(entry.digest).digest == run.digest
    away = home_in(database, project, Failing(blobs, "get", 1))
    assert message_of(lambda: away.load_run(run.digest)) == "unusable-blobs" and not home.find(run.digest).broken
    records = open_records(url, folder)
    written = len(list((tmp_path / "blobs").rglob("*.parquet")))
    assert records.collect() == 0, "nothing is deleted before a day has passed"
    assert records.collect(0) == 1 and len(list((tmp_path / "blobs").rglob("*.parquet"))) == 2 <= written
    assert home.load_run(entry.digest).digest == run.digest


def test_a_half_file_is_reported_and_loading_again_repairs_it(postgres, project, tmp_path):
    url, folder = postgres.url_of(project), f"file://{tmp_path}/blobs"
    home, run = open_workspace(url, folder), run_of("bm25")
    home.add_run(run)
    for path in (tmp_path / "blobs").rglob("rows.parquet"):
        path.write_bytes(path.read_bytes()[:100])
    assert message_of(lambda: open_workspace(url, folder).load_run(run.digest)) == "broken-workspace-file"
    assert open_workspace(url, folder).find(run.digest).broken
    assert not home.add_run(run).broken and home.load_run(run.digest).digest == run.digest
    assert open_records(url, folder).collect(0) == 1 and home.load_run(run.digest).digest == run.digest
    for path in (tmp_path / "blobs").rglob("queries.parquet"):
        path.unlink()
    assert message_of(lambda: home.load_run(run.digest)) == "broken-workspace-file"


def test_two_servers_that_store_the_same_run_and_one_that_deletes_it(postgres, project, tmp_path):
    url, run = postgres.url_of(project), run_of("bm25")
    folder = f"file://{tmp_path}/blobs"
    database, blobs = database_at(url), open_blobs(url, folder)
    homes = [home_in(database, project, blobs) for _ in range(4)]
    for thread in team_services.threads(4, lambda number: homes[number].add_run(run)):
        thread.join()
    (entry,) = homes[0].runs()
    records = open_records(url, folder)
    records.collect(0)
    assert len(list((tmp_path / "blobs").rglob("*.parquet"))) == 2
    assert homes[1].load_run(run.digest).digest == run.digest
    homes[2].delete(run.digest)
    tables = records.fetch(entry)
    assert set(tables) == {"rows", "queries"}, "a server that is reading can finish"
    assert records.collect() == 0 and records.collect(0) == 1
    assert not list((tmp_path / "blobs").rglob("*.parquet"))
    assert homes[3].add_run(run).digest == run.digest and homes[0].load_run(run.digest).digest == run.digest


def test_the_clock_of_a_server_does_not_matter(postgres, project, tmp_path, monkeypatch):
    url, folder = postgres.url_of(project), f"file://{tmp_path}/blobs"
    home, records = open_workspace(url, folder), open_records(url, folder)
    rows, deleted = run_of("kept"), run_of("deleted")
    for days in (-400, 400):
        with monkeypatch.context() as patch:
            real = time.time
            patch.setattr(time, "time", lambda real=real, days=days: real() + days * 86_400)
            home.add_run(rows)
            home.add_run(deleted)
            home.delete(deleted.digest)
            assert records.collect() == 0 and home.load_run(rows.digest).digest == rows.digest
    postgres.sql(f"update ragdash.uploads set started = started - interval '25 hours' where project = '{project}'")
    assert records.collect() == 1, "an upload that a row deleted a moment ago named stays"
    postgres.sql(f"update ragdash.things set deleted = deleted - interval '25 hours' where project = '{project}'")
    assert records.collect() == 1 and home.load_run(rows.digest).digest == rows.digest


WRITER = """
import sys, itertools
from ragdash.core.records import Run
from ragdash.workspace import open_workspace
home = open_workspace(sys.argv[1], sys.argv[2])
for step in itertools.count():
    print(home.add_run(Run.build(f"{sys.argv[3]} {step}", ["q"], [f"{sys.argv[3]} {step}"])).digest, flush=True)
"""


def test_a_server_that_is_killed_leaves_only_whole_runs(postgres, project, tmp_path):
    url, folder = postgres.url_of(project), f"file://{tmp_path}/blobs"
    children = [subprocess.Popen([sys.executable, "-c", WRITER, url, folder, f"{number}"], cwd=ROOT,
                                 stdout=subprocess.PIPE, text=True) for number in range(2)]
    stored = []
    for number, child in enumerate(children):
        stored += [child.stdout.readline().strip() for _ in range(3 + number)]
        child.kill()
        stored += child.stdout.read().split()
        child.wait()
    home = open_workspace(url, folder)
    listed = [entry.digest for entry in home.runs()]
    assert set(stored) <= set(listed) and len(listed) <= len(stored) + 2
    open_records(url, folder).collect(0)
    assert all(home.load_run(digest).digest == digest for digest in listed)
    assert len(list((tmp_path / "blobs").rglob("*.parquet"))) == 2 * len(listed)


def test_a_statement_that_is_wrong_is_a_message_without_its_values(postgres, project):
    database = database_at(postgres.url)
    with pytest.raises(InputError) as raised:
        database.read(lambda connection: connection.execute(text("select cast(:x as int)"), {"x": "secret words"}))
    assert raised.value.problems[0].message == "unusable-database/other"
    assert not isinstance(raised.value.__cause__, exc.DBAPIError)


def test_a_database_that_takes_twelve_seconds_to_start_is_waited_for_in_the_background_and_not_by_a_page():
    server = team_services.Postgres(durable=True)
    try:
        database_at(server.url).upgrade()
        background, page = database_at(server.url), database_at(server.url, patience=PAGE_PATIENCE)
        for database in (background, page):
            log_in(database, "p").write(lambda writer: writer.add("k", ("before",)))
        said, seconds = [], []

        def draw(number: int) -> None:
            started = time.monotonic()
            said.append(message_of(lambda: log_in(page, "p").rows()))
            seconds.append(time.monotonic() - started)

        server.stop()
        begun = threading.Timer(12, server.start)
        begun.start()
        drawn = team_services.threads(1, draw)
        log_in(background, "p").write(lambda writer: writer.add("k", ("during",)))
        begun.join()
        drawn[0].join()
        assert said == ["unusable-database/away"] and PAGE_PATIENCE <= seconds[0] < 12
        assert [row.values[0] for row in log_in(page, "p").rows()] == ["before", "before", "during"]
    finally:
        server.close()


def test_pages_have_less_patience_than_commands_and_workers(monkeypatch):
    address = database_address("postgresql://nobody@127.0.0.1:1/none")
    for of_pages, patience in (("", PATIENCE), ("1", PAGE_PATIENCE)):
        monkeypatch.setenv("RAGDASH_PAGES", of_pages)
        database_of.cache_clear()
        assert database_of(address.url, address.location).patience == patience
    database_of.cache_clear()
