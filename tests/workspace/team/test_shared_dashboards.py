"""Servers on one database, and the commands that set it up."""

from __future__ import annotations

import os

import page_cases
import pytest
import team_services
from helpers import message_of
from workspace.team.worker_trial import texts

from ragdash.cli.commands.serving import dashboard
from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.core.storage.addresses import check_blob_address, database_address, folder_of
from ragdash.core.storage.postgres import database as database_module
from ragdash.core.storage.postgres import schema
from ragdash.core.storage.postgres.database import Database
from ragdash.core.storage.shared import open_database
from ragdash.dashboard.caches import kept_cache
from ragdash.workspace import open_workspace


@pytest.fixture(autouse=True)
def local_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "local"))


def test_what_one_server_stores_the_other_shows(postgres, project, monkeypatch):
    from streamlit.testing.v1 import AppTest

    from ragdash.core.paths import home

    monkeypatch.setenv("RAGDASH_WORKSPACE", postgres.url_of(project))
    other = open_workspace(postgres.url_of(project))
    run = Run.build("stored elsewhere", ["q", "q"], ["d", "e"], [2.0, 1.0])
    other.add_run(run)
    at = AppTest.from_file(str(home() / "app.py"), default_timeout=180).run().switch_page("pages/data.py").run()
    assert not at.exception and any("stored elsewhere" in text.value for text in at.markdown)
    at.button(key=f"show_run_{run.digest[:8]}").click().run()
    assert not at.exception and any("stored elsewhere" in str(element.value) for element in at.markdown)
    from ragdash.dashboard.session import data_store, run_facts, saved_views
    from ragdash.workspace.saved_views import SavedView

    second = Run.build("stored here", ["q"], ["d"])
    data_store.workspace().add_run(second)
    assert [entry.name for entry in other.runs()] == ["stored elsewhere", "stored here"]
    assert second.digest in run_facts._saved((second.digest,))
    saved_views.store().save(SavedView("A view", "compare", {}))
    assert [view.name for view in saved_views.listed()] == ["A view"] and not os.path.exists("views.sqlite")


@pytest.mark.parametrize("page", ["overview", "data", "answers", "answers/judge", "answers/validation", "compare",
                                  "queries", "failures", "share", "what-if", "test-set"])
def test_a_page_says_that_the_database_is_away_and_comes_back(page, lost_database, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", lost_database.url)
    run, truth = texts(6)
    at = page_cases.opened(page, **page_cases.address(truth, [run]))
    assert not at.exception and not at.error
    lost_database.stop()
    try:
        at.run()
        said = [card.value for card in at.error]
        assert not at.exception and all("does not answer" in text for text in said), said
        assert said or page not in ("answers/judge", "answers/validation")
    finally:
        lost_database.start()
    at.run()
    assert not at.exception and not at.error


@pytest.mark.parametrize("page, most", [("overview", 6), ("compare", 3), ("queries", 1)])
def test_a_known_click_asks_the_database_seldom(page, most, postgres, project, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", postgres.url_of(project))
    run, truth = texts(6)
    at = page_cases.opened(page, **page_cases.address(truth, [run, Run.build("other", ["q1"], ["a"])]))
    at.run()
    kept_cache.wait()  # what the first runs of the page computed is stored, which also asks
    asked, real = [], Database._read_once
    monkeypatch.setattr(Database, "_read_once", lambda self, work: asked.append(work) or real(self, work))
    monkeypatch.setattr(database_module, "FRESH", 3600.0)  # counters are asked for once, however long the click takes
    database = open_database(database_address(postgres.url_of(project)))
    database._counters.clear()
    at.run()
    assert not at.exception and 0 < len(asked) <= most


@pytest.fixture(scope="module")
def lost_database():
    """A server that may be stopped, with a run in it."""
    server = team_services.Postgres(durable=True)
    address = database_address(server.url)
    database = open_database(address)
    database.upgrade()
    database.patience = 0.2
    open_workspace(server.url).add_run(Run.build("bm25", ["q"], ["d"]))
    yield server
    server.close()


def test_the_commands_set_up_check_and_clean_up(postgres, project, capsys, monkeypatch, tmp_path):
    postgres.sql(f'create database "{project}"')
    url = f"postgresql://owner@127.0.0.1:{postgres.port}/{project}"
    blobs = ["--blobs", f"file://{tmp_path}/blobs"]
    assert main(["workspace", "check", url]) == 2 and "ragdash workspace upgrade" in capsys.readouterr().err
    assert main(["dashboard", "--workspace", url]) == 2 and "without the tables" in capsys.readouterr().err
    assert main(["workspace", "upgrade", url]) == 0
    assert f"tables of version {schema.NEWEST} created" in capsys.readouterr().err
    assert main(["workspace", "upgrade", url]) == 0 and "as before" in capsys.readouterr().err
    workspace = open_workspace(url, blobs[1])
    workspace.add_run(Run.build("bm25", ["q"], ["d"]))
    monkeypatch.setenv("RAGDASH_WORKSPACE", url)
    assert main(["workspace", "check", *blobs]) == 0 and "runs: 1" in capsys.readouterr().err
    assert main(["workspace", "collect", *blobs]) == 0 and "deleted uploads: 0" in capsys.readouterr().err
    workspace.add_truth(Truth.build("judged", ["q"], ["d"], [1]))
    file = min(path for path in (tmp_path / "blobs").rglob("*.parquet") if "/runs/" in str(path))
    file.rename(tmp_path / "kept.parquet")
    assert main(["workspace", "check", *blobs]) == 2
    lost = capsys.readouterr().err
    assert "run 'bm25', of which a file is missing" in lost and "judged" not in lost
    (tmp_path / "kept.parquet").rename(file)
    assert main(["workspace", "check", *blobs]) == 0
    def start(program, arguments, environment):
        raise SystemExit(f"{environment['RAGDASH_WORKSPACE']} {environment['RAGDASH_BLOBS']} {arguments}")

    monkeypatch.setattr(dashboard.os, "execve", start)
    with pytest.raises(SystemExit) as started:
        main(["dashboard", *blobs, "--no-browser"])
    assert str(started.value).startswith(f"{url} {blobs[1]} [") and str(started.value).count(url) == 1
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path))
    assert main(["workspace", "check"]) == 2 and "no address of a database" in capsys.readouterr().err
    assert main(["dashboard", *blobs]) == 2 and "the workspace is a folder" in capsys.readouterr().err


def test_the_tables_of_another_version_are_refused_with_what_to_do(postgres, project, capsys):
    postgres.sql(f'create database "{project}"')
    url = f"postgresql://owner@127.0.0.1:{postgres.port}/{project}"
    assert main(["workspace", "upgrade", url]) == 0
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("insert into ragdash.version (number) values (99)")
        assert main(["workspace", "check", url]) == 2 == main(["workspace", "upgrade", url])
        assert capsys.readouterr().err.count("Install the newest ragdash") == 2
        connection.execute("update ragdash.version set number = 0 where number = 99")
        connection.execute("delete from ragdash.version where number > 0")
    assert main(["workspace", "check", url]) == 2
    assert "without the tables" in capsys.readouterr().err


@pytest.mark.parametrize("address, message", [
    ("mysql://db/x", "bad-workspace-address/scheme"), ("https://db/x", "bad-workspace-address/scheme"),
    ("postgresql://db", "bad-workspace-address/name"),
    ("postgresql://db/x?project=A B", "bad-workspace-address/project"),
    ("postgresql://u:p@[db/x", "bad-workspace-address"), ("postgresql://db:port/x", "bad-workspace-address"),
])
def test_an_address_that_cannot_be_used_is_refused(address, message):
    with pytest.raises(InputError) as raised:
        database_address(address)
    assert raised.value.problems[0].message == message


@pytest.mark.parametrize("address", [
    "postgresql://u:p@a..b:1/x", "postgresql://127.0.0.1:/x", "postgresql://127.0.0.1:1/\udcff",
    "postgresql://127.0.0.1:1/x?host=a..b", f"postgresql://{'x' * 64}/x"])
def test_an_address_that_nothing_can_have_is_refused_where_it_is_used(address):
    assert message_of(lambda: open_workspace(address).check()) == "bad-workspace-address"


@pytest.mark.parametrize("address", ["file://host/x", "file://", "file:///", "file:///a%00b"])
def test_a_folder_of_blobs_is_one_that_can_be(address):
    assert message_of(folder_of, address) == "bad-blob-address/no-folder"


@pytest.mark.parametrize("address, message", [
    ("http://host/x", "bad-blob-address"), ("ftp://host/x", "bad-blob-address"), ("memory://", "bad-blob-address"),
    ("kept/blobs", "bad-blob-address"), ("s3://key:secret@bucket/x", "bad-blob-address/secret"),
])
def test_blobs_elsewhere_than_in_a_store_are_refused(address, message):
    with pytest.raises(InputError) as raised:
        check_blob_address(address)
    assert raised.value.problems[0].message == message and "secret" not in str(raised.value).replace("/secret", "")


def test_a_folder_imports_nothing_of_the_team_set_up(tmp_path):
    import subprocess
    import sys

    code = ("import sys, ragdash.dashboard.session.data_store\nfrom ragdash.workspace import open_workspace\n"
            f"open_workspace({str(tmp_path / 'kept')!r}).check()\nfrom ragdash.workspace.reviews import ReviewStore\n"
            "ReviewStore().stamp()\n"
            "print(sorted({'sqlalchemy', 'psycopg', 'obstore'} & sys.modules.keys()))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[-2] == "[]"
