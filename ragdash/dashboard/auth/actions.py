"""Every action of the pages that changes, starts or shows something of the server, and the role it needs.

`ragdash.dashboard.auth.rights` reads this table; docs/reference/deploy.md shows it. What is not here needs no right:
choices, links, downloads and reports of what the page shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

VIEWER, EDITOR, ADMIN = "viewer", "editor", "admin"
READ_AUDIT = "read-audit"
ROLES = ("", VIEWER, EDITOR, ADMIN)  # "": nobody; each may do what those before it may do


@dataclass(frozen=True)
class Action:
    """What somebody does on a page. page: its title; words: what is done; role: the lowest that may do it."""

    page: str
    words: str
    role: str = EDITOR


ACTIONS: Mapping[str, Action] = {
    "upload": Action("Data", "upload runs, judgments and documents, and open the samples"),
    "save-mapping": Action("Data", "name the columns of a file, for all later files"),
    "change-stored": Action("Data", "name, describe, tag, order and archive what is stored"),
    "delete-stored": Action("Data", "delete a run or judgments for good", ADMIN),
    READ_AUDIT: Action("Data", "read and download the audit log", ADMIN),
    "describe-run": Action("Data", "name or tag a run, type its settings"),
    "decide-evidence": Action("Data", "accept and reject pairs, open a file of decisions"),
    "use-relinked": Action("Data", "use judgments that follow documents to new ids"),
    "add-mix": Action("What-if", "add a fused run to the session"),
    "save-prices": Action("Threshold bands", "save prices"),
    "review": Action("Queries", "write notes, verdicts and judgments"),
    "label": Action("Answers", "label answers, open a file of labels, delete labels"),
    "save-policy": Action("Answers", "save and remove the labeling policy"),
    "save-examples": Action("Answers", "make labels examples in a judge's prompt, and remove them"),
    "save-rubric": Action("Answers", "save a criterion for judges"),
    "plan-judge": Action("Answers", "plan what a judge is asked"),
    "ask-judge": Action("Answers", "start a judge, submit and read batches"),
    "stop-judge": Action("Answers", "stop a judge"),
    "import-verdicts": Action("Answers", "open a file of verdicts"),
    "compute-scores": Action("Answers", "start and stop local models", VIEWER),
    "compute-map": Action("Failures", "start and stop the map of queries", VIEWER),
    "plan-drafts": Action("Test set", "plan the writing of questions"),
    "write-drafts": Action("Test set", "start and stop the writing of questions"),
    "save-drafts": Action("Test set", "open a file of drafts, take questions from production"),
    "decide-draft": Action("Test set", "accept, reject and edit drafts"),
    "relabel": Action("Test set", "judge documents again without seeing the old labels"),
    "save-view": Action("Share", "save, delete and restore views"),
}
