"""Writes the input of a judging process: the same cases that the page shows, so that their verdicts match.

Letters: Q queries.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragdash.dashboard.jobs.process import write_rows
from ragdash.dashboard.jobs.scoring import plain
from ragdash.models.judge.tasks import Case

NUMBERED = re.compile(r"context \d+")  # a context that is no document of the run


def write_cases(runs: Mapping[str, Sequence[Case]], folder: Path) -> tuple[list[str], str]:
    """Write the cases of runs, by name; returns the arguments NAME=path of the runs, and the path of the truth.

    Questions and references are the same for all runs where the truth gives them; a run's own question goes with it.
    """
    files = [f"{plain(name)}={write_rows(folder / f'run-{index}.jsonl', map(_of_run, cases))}"
             for index, (name, cases) in enumerate(runs.items())]
    return files, write_rows(folder / "truth.jsonl", map(_of_truth, next(iter(runs.values()))))


def _of_truth(case: Case) -> dict:
    references = [""] if case.no_answer else list(case.references)  # an empty reference: the question has no answer
    row = {"query_id": case.query_id, "answers": references, "relevant": {}}
    return {**row, "attributes": dict(case.attributes)} if case.attributes else row


def _of_run(case: Case) -> dict:
    """Documents carry the ids of the contexts; those that have none come last, and get their number again."""
    contexts = case.contexts or ()
    documents = [{"doc_id": name, "text": text} for name, text in contexts if not NUMBERED.fullmatch(name)]
    row = {"query_id": case.query_id, "query": case.question, "answer": case.answer, "retrieved": documents,
           "contexts": None if case.contexts is None else [text for _, text in contexts],
           "chat_history": [{"role": role, "text": text} for role, text in case.history] or None}
    return {name: value for name, value in row.items() if value is not None}
