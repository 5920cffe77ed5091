"""Files that look fine and mean nothing, dropped on the first page: what Overview says of each in a browser."""

from __future__ import annotations

import pytest
from traps import Trap, every_trap

from ragdash.reporting.sentences.verdict import TITLES

pytestmark = pytest.mark.browser

# trap -> what Overview says: the finding, and what it means for the decision or how to fix it
SENTENCES = {
    "fair": ("good has the highest NDCG@10, 0.864", "choose good: it is better by at least 0.385",
             "No check speaks against this result."),
    "reversed-scores": ("good: the scores rise from the first document to the last in 60 of 60 queries",
                        "so the worst documents are ranked first", "Do not decide on these numbers", "scores rise"),
    "half-the-queries": ("good has no results for 30 of 60 queries (50%)", "so the run looks worse than it is",
                         "Do not decide on these numbers", "missing queries: 30"),
    "one-missing-query": ("Before you choose good, look at the warning below",
                          "good has no results for 1 of 60 queries"),
    "half-the-ids": ("good: 50% of its documents are unknown (no judgment or text has their id)",
                     "Do not decide on these numbers"),
    "lost-zeros": ("good writes ids in another way than the judgments, such as '101' for '000101'",
                   "Do not decide on these numbers", "ids differ"),
    "top-five": ("good has at most 5 documents per query; poor has 60", "Set k to 5 or less", "top 5 only"),
    "made-from-qrels": ("ideal has the best possible NDCG@10 on every one of 60 queries",
                        "It may have been made from the judgments", "perfect on every query"),
    "inverted-grades": ("Every run ranks documents with low grades before those with high grades",
                        "Before you choose poor, look at the warning"),
    "another-set": ("queries like 'q000'", "queries like 'other-q000'", "Check that they belong to the same data set"),
    "two-qrels": ("2 files with judgments are loaded", "They can disagree about the same document",
                  "Do not decide on these numbers"),
    "same-file-twice": ("copy.run has the same content as good, which is loaded already",
                        "Add a second run to compare it with"),
    "five-queries": ("With 5 queries no difference can be significant", "Do not decide on so small a test"),
    "no-qrels": ("2 runs are loaded, but nothing says which documents are relevant",
                 "no run can be called better yet", "add relevance judgments"),
    "one-run": ("good reaches NDCG@10 0.864", "Add a second run to compare it with"),
    "thirty-runs": ("Of the other 29 runs: better than 24, no significant difference from 5",
                    "24 runs can be dropped", "Compare all 30 runs"),
}
STATES = {"same-file-twice": "One run", "no-qrels": "No judgments yet",  # the copy is not added
          "another-set": None,  # refused before there is a verdict
          "thirty-runs": "6 runs tied for best; better than the baseline run00"}
WINNER_MARKS = ("best", "highest mean", "tied for best")  # of a run, on its card
FIXES = {"reversed-scores": "Reverse scores", "half-the-queries": "Use common queries only"}


def overview(app) -> str:
    return app.page.inner_text("[data-testid=stMain]")


def faults(app, trap: Trap) -> list[str]:
    """What Overview does not say of a trap, or says although it must not."""
    said = overview(app)
    state = STATES.get(trap.name, TITLES.get(trap.state))
    missing = [f"does not say {words!r}" for words in (*SENTENCES[trap.name], *([state] if state else []))
               if words not in said]
    marks = {mark.strip() for mark in app.page.locator("[data-testid=stMain] .stMarkdownBadge").all_inner_texts()}
    if state == "Clear winner" and "best" not in marks:
        missing.append(f"does not mark the best run: {marks}")
    if state in (None, "Not comparable yet", "No judgments yet"):
        missing += [f"marks a run as {mark!r}" for mark in marks.intersection(WINNER_MARKS)]
        missing += [f"says {words!r}" for words in ("Clear winner", "has the highest", "choose good") if words in said]
    return missing


def test_overview_says_of_every_trap_what_is_wrong_and_what_follows(visit, tmp_path):
    traps = every_trap()
    assert SENTENCES.keys() == {trap.name for trap in traps}
    app, wrong = visit(), {}
    for trap in traps:
        runs, judgments = trap.write(tmp_path / trap.name)
        app.open("").upload(*map(str, (*runs, *judgments))).calm()
        found = faults(app, trap)
        if fix := FIXES.get(trap.name):
            app.page.locator(".st-key-verdict").get_by_role("button", name=fix).click()  # an open check has it too
            app.settle().calm()
            found += [] if "Clear winner" in overview(app) else [f"no clear winner after {fix!r}"]
        wrong |= {trap.name: found} if found else {}
    assert not wrong, wrong
