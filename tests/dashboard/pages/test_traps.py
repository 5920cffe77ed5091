"""Each trap on the first page: Overview says what the command line says."""

from __future__ import annotations

import pytest
from page_cases import opened
from test_pages import texts, upload
from traps import every_trap

from ragdash.reporting.sentences.verdict import TITLES

TRAPS = {trap.name: trap for trap in every_trap()}
UNREADABLE = ("another-set", "no-qrels", "same-file-twice", "two-qrels")  # said before there is a verdict
SHOWN = [name for name in TRAPS if name not in UNREADABLE]


@pytest.mark.parametrize("name", SHOWN)
def test_overview_says_the_verdict_of_a_trap(name, tmp_path):
    trap = TRAPS[name]
    runs, judgments = trap.write(tmp_path)
    at = upload(opened("overview"), *((path.name, path.read_bytes()) for path in (*runs, *judgments)))
    said = texts(at).replace("\\", "")
    assert TITLES[trap.state] in said, said[:1500]
    if trap.level == "withheld" and trap.check:
        assert "Not comparable yet" in said


@pytest.mark.parametrize(("name", "words"), [
    ("another-set", "query ids that occur in both"), ("no-qrels", "judgments"),
    ("two-qrels", "2 files with judgments are loaded")])
def test_what_hinders_a_verdict_is_said(name, words, tmp_path):
    runs, judgments = TRAPS[name].write(tmp_path)
    at = upload(opened("overview"), *((path.name, path.read_bytes()) for path in (*runs, *judgments)))
    said = texts(at).replace("\\", "")
    assert words in said and "Clear winner" not in said, said[:1500]
