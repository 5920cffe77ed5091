"""Files of each kind, dropped on the upload field of a real browser, are read as on the command line.

tests/dashboard/pages/test_dropped_files.py drops every file on the page, without a browser.
"""

from __future__ import annotations

import json
import re
import shlex

import pytest
from dropped_files import EXPECTED, FOLDER, SIZE, Reading, of_each_kind, on_the_command_line, truth_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def on_the_page(page) -> Reading:
    """What the Data page shows of the one file that was dropped."""
    runs = set()
    for card in page.locator("[data-testid=stVerticalBlock][class*=st-key-card_]").all_inner_texts():
        lines = card.split("\n")
        size = SIZE.search(card)
        runs.add((re.sub(r"^\S\s", "", lines[0]), size[1], size[2] or "0"))
    numbers = page.locator(".st-key-truth_card [data-testid=stMetric]").all_inner_texts()
    by_label = {text.split("\n")[0]: text.split("\n")[-1] for text in numbers}
    documents = page.locator(".st-key-documents")
    count = re.search(r"([\d,]+) documents?", documents.inner_text()) if documents.count() else None
    return Reading(runs, truth_of(by_label), count and count[1],
                   " ".join(page.get_by_test_id("stAlert").all_inner_texts()))


def read_as_on_the_command_line(app, name: str, capfdbinary) -> None:
    """The page, which has read nothing else, shows what `ragdash check` reads from this file."""
    expected, path = EXPECTED[name], str(FOLDER / name)
    reading, proposed = on_the_command_line(capfdbinary, path)
    app.upload(path)
    shown, apply = on_the_page(app.page), app.page.get_by_role("button", name="Apply", exact=True)
    if "refused" in expected:
        assert expected["refused"] in reading.refused and expected["refused"] in shown.refused
        assert not shown.runs and shown.truth is None and not apply.count()
        return
    assert apply.count() == bool(proposed), "one box with one button where the command line proposes a reading"
    if expected["how"] != "as is":
        assert proposed
        app.after_a_run(apply.click)
        reading, _ = on_the_command_line(capfdbinary, *shlex.split(proposed))
        shown = on_the_page(app.page)
        assert not apply.count()
    assert (shown.runs, shown.truth) == (reading.runs, reading.truth)
    assert shown.runs or shown.truth or shown.documents
    app.calm()


def test_dropped_files_are_read_as_on_the_command_line(visit, capfdbinary):
    app = visit()
    for name in of_each_kind():
        try:
            read_as_on_the_command_line(app.open(), name, capfdbinary)
        except BaseException as fault:
            fault.add_note(name)
            raise


TOGETHER = {  # files that are dropped at once -> the runs in them
    "answers_with_mode.jsonl": {"answers_with_mode"}, "chunks_of_documents.csv": {"chunks_of_documents"},
    "settings_of_stages.csv": {"sparse", "dense"}, "query_variants.jsonl": {"query_variants"},
    "cited_reports.jsonl": {"vault-1"}}


def test_several_files_are_dropped_previewed_applied_and_shown_on_overview(visit):
    folder = FOLDER.with_name("collected_shapes")
    ways = {name: json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"][name]["how"]
            for name in TOGETHER}
    app = visit().open().upload(*(str(folder / name) for name in TOGETHER))
    boxes = app.page.locator("[class*=st-key-proposed_]:has(button):has([data-testid=stDataFrame])")
    apply = app.page.get_by_role("button", name="Apply", exact=True)
    proposed = [name for name, how in ways.items() if how != "as is"]
    assert apply.count() == len(proposed) >= 3
    for name in proposed:
        assert boxes.filter(has_text=name).first.is_visible(), "the box names its file and shows a preview"
    for left in range(len(proposed), 0, -1):
        app.after_a_run(apply.first.click)
        app.until(lambda left=left: apply.count() == left - 1)
    assert {name for name, *_ in on_the_page(app.page).runs} == set().union(*TOGETHER.values())
    app.go("Overview")
    shown = " ".join(app.page.get_by_test_id("stMain").all_inner_texts())
    assert [name for name in set().union(*TOGETHER.values()) if name not in shown] == []
