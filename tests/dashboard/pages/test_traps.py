"""Files that look fine and mean nothing, dropped on the first page: Overview says what is wrong and what follows."""

from __future__ import annotations

import html
import re
from collections.abc import Set

import pytest
from page_cases import drawn, keys, opened, widget
from test_pages import texts, upload
from traps import Trap, every_trap

from ragdash.dashboard import page_list
from ragdash.reporting.sentences.verdict import TITLES

TRAPS = {trap.name: trap for trap in every_trap()}
# trap -> what Overview says: the finding, and what it means for the decision or how to fix it
SENTENCES = {
    "fair": ("good has the highest NDCG@10, 0.864", "choose good: it is better by at least 0.385",
             "A mix of good (weight 0.95) and poor (weight 0.05) would reach NDCG@10 0.892"),
    "reversed-scores": ("good: the scores rise from the first document to the last in 60 of 60 queries",
                        "so the worst documents are ranked first", "Do not decide on these numbers", "scores rise"),
    "half-the-queries": ("good has no results for 30 of 60 queries (50%)", "so the run looks worse than it is",
                         "Do not decide on these numbers", "missing queries: 30"),
    "one-missing-query": ("Before you choose good, look at the warning below",
                          "good has no results for 1 of 60 queries"),
    "half-the-ids": ("50% of the documents of good are unknown, 0% of those of the best other run",
                     "Do not decide on these numbers"),
    "lost-zeros": ("good writes ids in another way than the judgments, such as '101' for '000101'",
                   "Do not decide on these numbers", "Fix it with the button on Overview", "ids differ"),
    "top-five": ("good has at most 5 documents per query; poor has 60", "Set k to 5 or less", "top 5 only"),
    "made-from-qrels": ("ideal has the best possible NDCG@10 on every one of 60 queries",
                        "It may have been made from the judgments", "perfect on every query"),
    "inverted-grades": ("Every run ranks documents with low grades before those with high grades",
                        "Before you choose poor, look at the warning"),
    "another-set": ("queries like 'q000'", "queries like 'other-q000'", "Check that they belong to the same data set"),
    "two-qrels": ("2 files with judgments are loaded", "Only the judgments of one of them count",
                  "Do not decide on these numbers"),
    "same-file-twice": ("copy.run has the same content as good, which is loaded already",
                        "Add a second run to compare it with"),
    "five-queries": ("With 5 queries no difference can be significant", "Do not decide on so small a test"),
    "no-qrels": ("2 runs are loaded, but nothing says which documents are relevant",
                 "no run can be called better yet", "add relevance judgments"),
    "one-run": ("good reaches NDCG@10 0.864", "Add a second run to compare it with"),
    "thirty-runs": ("is better than 24 and shows no significant difference from 5",
                    "24 runs can be dropped", "Compare all 30 runs"),
}
STATES = {"same-file-twice": "One run", "no-qrels": "No judgments yet",  # the copy is not added
          "another-set": None,  # refused before there is a verdict
          "thirty-runs": "6 runs without a clear best; better than the baseline run00"}
WINNER_MARKS = ("best", "highest mean", "not clearly worse")  # of a run, on its card
FIXES = {"reversed-scores": "Reverse scores", "half-the-queries": "Use common queries only"}


def faults(said: str, marks: Set[str], trap: Trap) -> list[str]:
    """What Overview does not say of a trap, or says although it must not; marks: those of the runs, among others."""
    state = STATES.get(trap.name, TITLES.get(trap.state))
    missing = [f"does not say {words!r}" for words in (*SENTENCES[trap.name], *([state] if state else []))
               if words not in said]
    if state == "Clear winner" and "best" not in marks:
        missing.append(f"does not mark the best run: {marks}")
    if state in (None, "Not comparable yet", "No judgments yet"):
        missing += [f"marks a run as {mark!r}" for mark in marks.intersection(WINNER_MARKS)]
        missing += [f"says {words!r}" for words in ("Clear winner", "has the highest", "choose good") if words in said]
    return missing


def test_what_overview_says_of_each_trap_is_listed():
    assert SENTENCES.keys() == TRAPS.keys()


def read(at) -> tuple[str, set[str]]:
    """(what a visitor reads in the main area, the marks in it)."""
    kinds = ("title", "header", "subheader", "markdown", "caption", "error", "warning", "info", "success")
    raw = "\n".join(part.value for kind in kinds for part in at.main.get(kind))
    labels = [part.proto.label for kind in ("metric", "button", "page_link", "expander") for part in at.main.get(kind)]
    written = "\n".join([raw, html.unescape(re.sub(r"<[^>]+>", "", drawn(at))), *labels])
    plain = re.sub(r":\w+-badge\[(.*?)\]|(?<!\\)\[(.*?)(?<!\\)\]\([^)]*\)", lambda found: found[1] or found[2], written)
    marks = re.findall(r":\w+-badge\[(.*?)\]", raw)
    return plain.replace("**", "").replace("\\", ""), {re.sub(r":material/\w+:", "", mark).strip() for mark in marks}


@pytest.mark.parametrize("name", TRAPS)
def test_overview_says_of_a_trap_what_is_wrong_and_what_follows(name, tmp_path):
    trap = TRAPS[name]
    runs, judgments = trap.write(tmp_path)
    at = upload(opened("overview"), *((path.name, path.read_bytes()) for path in (*runs, *judgments)))
    said, marks = read(at)
    assert not faults(said, marks, trap), said
    if name == "another-set":
        assert "query ids that the run and the judgments share" in said
    if fix := FIXES.get(name):
        next(button for button in at.main.button if button.label == fix).click().run()
        assert not at.exception and "Clear winner" in read(at)[0]


WITH_VALUES = [entry.path for entry in page_list.entries() if page_list.JUDGMENTS in entry.needs] + ["test-set"]
VERDICTS = {"test-set": "Yes: it shows that good is the best of these 2 runs", "what-if": "Yes: build this hybrid"}
WITHHELD = {"test-set": "so no run is named best", "what-if": "so no hybrid is proposed"}


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
        assert WITHHELD.get(page, "") in said and "Yes: " not in said and "▲ better." not in said, page
    widget(at, "button", fix).click().run()
    for page in ("overview", *WITH_VALUES):
        at.switch_page(f"pages/{page}.py").run()
        said = texts(at).replace("\\", "")
        assert fix not in keys(at) and "the worst documents" not in said, page
        assert VERDICTS.get(page, "") in said.replace("**", "") and "Not comparable yet" not in said, page
        assert "scores reversed]" in said and "the documents with the smallest scores are ranked first" in said, page


def test_overview_names_a_file_that_could_not_be_read_above_the_result(tmp_path):
    runs, judgments = TRAPS["fair"].write(tmp_path)
    broken = ("broken.run", b"q000 Q0 d1 1 abc x\n")
    at = upload(opened("overview"), *((path.name, path.read_bytes()) for path in (*runs, *judgments)), broken)
    assert [one.value for one in at.warning] == [
        "**broken.run** could not be read and is not part of this result. What is wrong is at the end of this page."]
    assert "Clear winner" in texts(at)
