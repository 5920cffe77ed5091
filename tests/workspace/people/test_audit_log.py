"""The audit log in a folder: what an entry has, what is shown of an id, and old entries."""

from __future__ import annotations

import json
from dataclasses import replace

from ragdash.workspace.people.audit import AuditEntry, AuditLog, entry_lines, object_name

FIRST = AuditEntry("review", "ada@example.org", "editor", "q1", "2026-01-30T10:00:00+00:00")


def test_entries_come_back_in_order_and_old_ones_are_deleted(tmp_path):
    log = AuditLog(tmp_path / "audit.sqlite")
    assert log.entries() == [] and log.erase_before("2030-01-01") == 0 and not log.path.exists()
    second = replace(FIRST, when="2026-01-31T00:00:00+00:00", outcome="failed", object="")
    for entry in (FIRST, second):
        log.add(entry)
    assert log.entries() == [FIRST, second]
    assert [json.loads(line)["when"] for line in entry_lines(log.entries()).splitlines()] == [FIRST.when, second.when]
    assert log.erase_before("2026-01-31") == 1 and log.entries() == [second] and log.erase_before("2026-01-31") == 0


def test_an_id_that_may_be_a_text_is_not_shown():
    shown = ("q17", "a" * 64, "doc/7#3", "日本")
    assert [object_name(text) for text in shown] == list(shown)
    for text in ("how do I return it?", "a" * 65, "a\tb", "a\u200bb", "\ud800"):
        assert object_name(text)[0] == "#" and len(object_name(text)) == 13
