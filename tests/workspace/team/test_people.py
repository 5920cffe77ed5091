"""Export and deletion of the data of a person and of a project, and the audit log; in a folder and in PostgreSQL."""

from __future__ import annotations

import importlib
import json
import re

import pytest
from judged_cases import TOY

from ragdash.analysis.judge_validation import LabelStore
from ragdash.analysis.test_set.relabel import RelabelItem, RelabelStore
from ragdash.cli.main import main
from ragdash.core import paths
from ragdash.core.records import Run
from ragdash.core.storage.addresses import database_address
from ragdash.core.storage.shared import open_log, shared_log
from ragdash.experiments.testset import store
from ragdash.experiments.testset.store import Decision, DraftDecisionStore
from ragdash.matching.evidence import kept_decisions
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.tasks import kept_files
from ragdash.workspace import kept_values, open_workspace
from ragdash.workspace.opening import open_blobs, shared_jobs
from ragdash.workspace.people import whole_project
from ragdash.workspace.people.audit import AuditEntry, audit_log
from ragdash.workspace.record_folders import PLACES
from ragdash.workspace.reviews import Event, ReviewStore
from ragdash.workspace.saved_views import LOG, SavedView, SavedViews

ADA, EVE = "ada@example.org", "eve@example.org"
TRUTH, RUN = "a" * 64, "b" * 64


def a_run(name: str) -> Run:
    return Run.build(name, ["q"], ["d"])


@pytest.fixture(params=["folder", "postgresql"])
def workspace_address(request, tmp_path, monkeypatch, project):
    """The address of a workspace, which the environment names."""
    where = tmp_path / "workspace"
    where.mkdir()
    address = str(where) if request.param == "folder" else request.getfixturevalue("postgres").url_of(project)
    monkeypatch.setenv("RAGDASH_WORKSPACE", address)
    return address


def said_by(person: str, name: str) -> None:
    """One thing of each kind that a person says on the pages."""
    ReviewStore().add(TRUTH, [Event("note", "q1", f"a note of {name}", by=person),
                              Event("judgement", "q2", "1", doc_id=f"d-{name}", by=person)])
    LabelStore().add(RUN, "Faithfulness", {f"q-{name}": 1.0}, by=person)
    RelabelStore().add(TRUTH, RelabelItem("k", f"q-{name}", "d1", 1, False), 0, by=person)
    DraftDecisionStore().say("docs", f"draft-{name}", Decision(state="accepted"), by=person)
    kept_decisions().keep({("q1", f"chunk-{name}", "span"): True}, person)
    SavedViews(paths.workspace(), log=shared_log(LOG)).save(
        SavedView(f"view of {name}", "compare", {"k": ["5"]}, author=name.title(), by=person))
    audit_log().add(AuditEntry("review", person, "editor", "q1", "2026-01-30T10:00:00+00:00"))


def everything() -> str:
    """All that is stored in the logs, as a text."""
    stores = [ReviewStore(), ReviewStore(name="labels.sqlite"), ReviewStore(name="testsets.sqlite"),
              ReviewStore(name="blind-labels.sqlite")]
    logs = [*(store._events for store in stores), kept_decisions()._events,
            SavedViews(paths.workspace(), log=shared_log(LOG))._log, audit_log().events]
    return repr([log.rows() for log in logs])


def test_a_person_is_exported_and_deleted_and_a_second_run_finds_nothing(workspace_address, tmp_path, capsys):
    said_by(EVE, "eve")
    said_by("Ada@Example.org", "ada")
    file = tmp_path / "ada.json"
    assert main(["workspace", "export-person", ADA, "-o", str(file)]) == 0
    found = json.loads(file.read_text())
    assert {kind: len(events) for kind, events in found.items() if kind != "person"} == {
        "reviews": 2, "labels": 1, "decisions on drafts": 1, "judgments without seeing the old labels": 1,
        "evidence decisions": 1, "saved views": 1, "entries of the audit log": 1}
    assert found["reviews"][0]["value"] == "a note of ada" and "eve" not in file.read_text()
    assert found["saved views"][0]["view"]["name"] == "view of ada" and file.stat().st_mode & 0o077 == 0
    capsys.readouterr()
    stamps = ReviewStore().stamp(), kept_decisions().stamp()
    assert main(["workspace", "delete-person", ADA]) == 0
    said = capsys.readouterr().err
    assert "deleted: reviews 2, labels 1, decisions on drafts 1, judgments without seeing the old labels 1, " \
        "evidence decisions 1, saved views 1" in said and "kept under person-" in said and "backups" in said
    left = everything()
    without_ids = re.sub("[0-9a-f]{8,}", "", left)  # random ids may have these letters by chance
    assert "ada" not in without_ids.casefold() and left.casefold().count("eve") > 8
    assert stamps[0] != ReviewStore().stamp() and stamps[1] != kept_decisions().stamp(), "servers must read again"
    events = ReviewStore().read(TRUTH).events
    assert [(event.value, event.by) for event in events] == [("a note of eve", EVE), ("1", EVE)]
    people = [entry.who for entry in audit_log().entries()]
    assert people[0] == EVE and people[1].startswith("person-") and people[2:] == ["ragdash workspace"]
    noted = audit_log().entries()[-1]
    assert (noted.action, noted.object, noted.role) == ("delete-person", people[1], "command")
    for command in (["delete-person", ADA], ["export-person", ADA, "-o", str(file)]):
        assert main(["workspace", *command]) == 0
        assert ": nothing" in capsys.readouterr().err
    assert everything() == left and json.loads(file.read_text()) == {"person": ADA}


def test_what_somebody_else_said_before_holds_again(workspace_address):
    store = ReviewStore()
    store.add(TRUTH, [Event("note", "q1", "first", by=EVE)])
    store.add(TRUTH, [Event("note", "q1", "second", by=ADA)])
    kept_decisions().keep({("q1", "c", "s"): True}, EVE)
    kept_decisions().keep({("q1", "c", "s"): False}, ADA)
    main(["workspace", "delete-person", ADA])
    assert [event.value for event in store.read(TRUTH).events] == ["first"]
    assert kept_decisions().read() == {("q1", "c", "s"): True}


def test_the_audit_log_is_printed_written_and_shortened(workspace_address, tmp_path, capsys):
    for day in ("2026-01-30", "2026-01-31"):
        audit_log().add(AuditEntry("review", ADA, "editor", "q\x1b1", f"{day}T10:00:00+00:00"))
    assert main(["workspace", "audit", "--since", "2026-01-31"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("2026-01-31T10:00:00+00:00  ada@example.org  editor  review") and "\x1b" not in printed
    assert main(["workspace", "audit", "-o", str(tmp_path / "audit.jsonl")]) == 0
    assert [json.loads(line)["who"] for line in (tmp_path / "audit.jsonl").read_text().splitlines()] == [ADA, ADA]
    assert main(["workspace", "audit", "--delete-before", "2026-01-31"]) == 0
    assert [entry.when[:10] for entry in audit_log().entries()] == ["2026-01-31"]


def test_wrong_words_are_refused(tmp_path, capsys):
    assert main(["workspace", "delete-person", "ada", "--workspace", str(tmp_path)]) == 2
    assert main(["workspace", "export-person", ADA, "--workspace", str(tmp_path / "none")]) == 2
    assert "a mail address" in (said := capsys.readouterr().err) and "no folder of this name" in said


TABLES = ("things", "events", "counters", "blobs", "uploads", "verdicts", "jobs", "kept", "mappings")


def rows_of(postgres, project: str) -> dict[str, int]:
    """How many rows each table has of a project; every table but that of versions has projects."""
    tables = [row[0] for row in postgres.sql("select table_name from information_schema.tables where "
                                             "table_schema = 'ragdash' and table_name <> 'version' order by 1")]
    assert set(TABLES) <= set(tables)
    return {table: postgres.sql(f"select count(*) from ragdash.{table} where project = '{project}'")[0][0]
            for table in tables}


def fill_every_table(postgres, project: str, other: str) -> None:
    """Give a project a row in each table where it has none, and a second project the same rows."""
    for table in rows_of(postgres, project):
        columns = dict(postgres.sql("select column_name, data_type from information_schema.columns where "
                                    f"table_schema = 'ragdash' and table_name = '{table}' and is_nullable = 'NO'"))
        values = {name: "1" if "int" in kind or "double" in kind else "now()" if "time" in kind
                  else "false" if kind == "boolean" else r"'\x01'" if kind == "bytea" else "'[]'"
                  for name, kind in columns.items()} | {"project": f"'{project}'"}
        postgres.sql(f"insert into ragdash.{table} ({', '.join(values)}) values ({', '.join(values.values())}) "
                     "on conflict do nothing")
        names = ", ".join(row[0] for row in postgres.sql(
            "select column_name from information_schema.columns where table_schema = 'ragdash' and "
            f"table_name = '{table}' and column_name <> 'project'"))
        postgres.sql(f"insert into ragdash.{table} (project, {names}) select '{other}', {names} from ragdash.{table} "
                     f"where project = '{project}'")
    postgres.sql(f"update ragdash.workers set seen = now() - interval '1 hour' where project = '{project}'")


@pytest.mark.parametrize("place", ["database", "folder", "bucket"])
def test_a_project_is_deleted_with_its_files_and_no_other_project(postgres, project, tmp_path, capsys, place, request):
    import numpy as np

    url, neighbor = postgres.url_of(project), f"{project}-2"
    bucket = f"s3://{project}/below" if place == "bucket" else f"file://{tmp_path}/blobs"
    if place == "bucket":
        request.getfixturevalue("s3").create_bucket(Bucket=project)
    options = [] if place == "database" else ["--blobs", bucket]
    homes = [open_workspace(address, *options[1:]) for address in (url, postgres.url_of(neighbor))]
    kept = a_run("kept")
    for home in homes:
        home.add_run(kept)
        home.values.keep(kept.digest, {"a" * 40: np.array([1.0])})
    stamp = open_log(database_address(url), "catalogue").stamp()
    fill_every_table(postgres, project, f"{project}-3")
    assert all(rows_of(postgres, project).values()), "every table has a row of it"
    others = [rows_of(postgres, f"{project}-{number}") for number in (2, 3)]
    assert main(["workspace", "delete-project", project, "--workspace", url, *options]) == 0
    said = capsys.readouterr().err
    assert "deleted: " in said and "things 2" in said and "files 4" in said and "backups" in said
    left = rows_of(postgres, project)
    assert {table for table, count in left.items() if count} == {"counters", "events"} and left["events"] == 1
    assert [rows_of(postgres, f"{project}-{number}") for number in (2, 3)] == others
    files = open_blobs(url, *options[1:] or [None])
    assert files.names(project) == [] and (not options or len(files.names(neighbor)) == 3)
    assert homes[0].runs() == () and homes[1].load_run(kept.digest).digest == kept.digest
    assert open_log(database_address(url), "catalogue").stamp() != stamp, "servers must read again"
    assert main(["workspace", "audit", "--workspace", url]) == 0
    assert f"ragdash workspace  command  delete-project  {project}  started" in capsys.readouterr().out


def test_a_project_is_deleted_only_when_it_is_meant(postgres, project, tmp_path, capsys):
    url, blobs = postgres.url_of(project), f"file://{tmp_path}/blobs"
    open_workspace(url, blobs).add_run(a_run("kept"))
    command = ["workspace", "delete-project", project, "--workspace", url]
    assert main([*command[:2], "default", *command[3:], "--blobs", blobs]) == 2
    assert f"Give the name {project} if it is meant" in capsys.readouterr().err
    assert main(command) == 2 and "Name it with --blobs" in capsys.readouterr().err
    shared_jobs(url).greet("w", "host 17")
    assert main([*command, "--blobs", blobs]) == 2 and "host 17" in capsys.readouterr().err
    assert len(open_workspace(url, blobs).runs()) == 1
    shared_jobs(url).leave("w")
    assert main([*command, "--blobs", blobs]) == 0 and not list((tmp_path / "blobs").rglob("*.parquet"))


def test_a_folder_is_deleted_but_for_what_is_not_of_ragdash(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "team"
    folder.mkdir()
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(folder))
    said_by(EVE, "eve")
    default_verdict_store().save(TOY, [])
    open_workspace(folder).add_run(a_run("kept"))
    for name in ("reviews.broken-1.sqlite", "reviews.lock", "judge.sqlite-wal", "notes.txt", "my.sqlite"):
        (folder / name).touch()
    assert main(["workspace", "delete-project", "other"]) == 2 and len(list(folder.iterdir())) > 8
    capsys.readouterr()
    assert main(["workspace", "delete-project", "team"]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["my.sqlite", "notes.txt"]
    said = capsys.readouterr().err
    assert "did not make it: my.sqlite, notes.txt" in said
    for name in ("notes.txt", "my.sqlite"):
        (folder / name).unlink()
    assert main(["workspace", "delete-project", "team"]) == 0 and not folder.exists()
    assert "deleted: nothing" in capsys.readouterr().err


def test_the_names_of_all_files_of_a_workspace_are_known():
    modules = ("ragdash.workspace.reviews.store", "ragdash.workspace.saved_views", "ragdash.workspace.catalogue",
               "ragdash.workspace.people.audit", "ragdash.matching.evidence.decision_store",
               "ragdash.evaluation.scoring.judge_drift", "ragdash.models.judge.batch_files.open_batches",
               "ragdash.models.judge.transport.last_endpoint", "ragdash.models.judge.transport.prices",
               "ragdash.models.judge.verdict_store.store")
    files = {importlib.import_module(module).FILE for module in modules}
    files |= {f"{name}{suffix}" for name, (folder, suffix) in kept_files.KINDS.items() if not folder}
    others = {f"{name}.sqlite" for name in ("labels", "testsets", "blind-labels")}
    assert files | others == set(whole_project.FILES)
    assert {kept_values.FOLDER, store.FOLDER, *PLACES.values()} < set(whole_project.FOLDERS)
