"""Each trap on the first page: Overview says what the command line says."""

from __future__ import annotations

import pytest
from page_cases import keys, opened, widget
from test_pages import texts, upload
from traps import every_trap

from ragdash.dashboard import page_list
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
    title = "runs tied for best; better than the baseline" if trap.name == "thirty-runs" else TITLES[trap.state]
    assert title in said, said[:1500]
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


WITH_VALUES = [entry.path for entry in page_list.entries() if page_list.JUDGMENTS in entry.needs]


def test_every_page_with_values_warns_of_reversed_scores_until_they_are_read_as_distances(tmp_path):
    runs, judgments = TRAPS["reversed-scores"].write(tmp_path)
    at = upload(opened("overview"), *((path.name, path.read_bytes()) for path in (*runs, *judgments)))
    fix = "fix_check_rising_scores_good"
    assert len(WITH_VALUES) >= 10
    for page in WITH_VALUES:
        at.switch_page(f"pages/{page}.py").run()
        assert not at.exception, page
        said = texts(at).replace("\\", "")
        assert "scores rise]" in said and "the worst documents are ranked first" in said, page
        assert fix in keys(at) and "accept_rising_scores_good" in keys(at), page
    widget(at, "button", fix).click().run()
    for page in ("overview", *WITH_VALUES):
        at.switch_page(f"pages/{page}.py").run()
        said = texts(at).replace("\\", "")
        assert fix not in keys(at) and "the worst documents" not in said, page
        assert "scores reversed]" in said and "the documents with the smallest scores are ranked first" in said, page


def test_overview_names_a_file_that_could_not_be_read_above_the_result(tmp_path):
    runs, judgments = TRAPS["fair"].write(tmp_path)
    broken = ("broken.run", b"q000 Q0 d1 1 abc x\n")
    at = upload(opened("overview"), *((path.name, path.read_bytes()) for path in (*runs, *judgments)), broken)
    assert [one.value for one in at.warning] == [
        "**broken.run** could not be read and is not part of this result. What is wrong is at the end of this page."]
    assert "Clear winner" in texts(at)
