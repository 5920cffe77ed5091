"""Export and deletion of the data of one person, and the audit log, by the commands; in a folder and in PostgreSQL."""

from __future__ import annotations

import json
import re

import pytest

from ragdash.analysis.judge_validation import LabelStore
from ragdash.analysis.test_set.relabel import RelabelItem, RelabelStore
from ragdash.cli.main import main
from ragdash.core import paths
from ragdash.core.storage.shared import shared_log
from ragdash.experiments.testset.store import Decision, DraftDecisionStore
from ragdash.matching.evidence import kept_decisions
from ragdash.workspace.people.audit import AuditEntry, audit_log
from ragdash.workspace.reviews import Event, ReviewStore
from ragdash.workspace.saved_views import LOG, SavedView, SavedViews

ADA, EVE = "ada@example.org", "eve@example.org"
TRUTH, RUN = "a" * 64, "b" * 64


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
    assert people[0] == EVE and people[1].startswith("person-") and len(people) == 2
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
