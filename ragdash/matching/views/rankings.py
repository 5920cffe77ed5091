"""Rankings of the answers of several runs: each run gets to know the answers of the others, and keeps its places.

A run is evaluated alone, so the place of each of its answers is kept in the verdict store under the run's own texts.

Letters: Q queries (of the truth).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import orjson

from ragdash.matching.views.judged import Judged
from ragdash.models.judge import Question, Reply
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import read
from ragdash.models.judge.tasks import find_task
from ragdash.models.judge.tasks.examples import prompt_additions
from ragdash.models.judge.tasks.rankings import PLACE
from ragdash.models.judge.tasks.registry import PREFIX, Case
from ragdash.models.judge.tasks.rubrics import Rubric


def ranking_of(name: str) -> Rubric | None:
    """The rubric of a metric that ranks runs, None for other metrics."""
    rubric = rubric_of(name)
    return rubric if rubric is not None and rubric.kind == "ranking" else None


def rubric_of(name: str) -> Rubric | None:
    """The rubric of a metric, None for other metrics."""
    rubric = next(iter(getattr(find_task(name).ask, "args", ())), None) if name.startswith(PREFIX) else None
    return rubric if isinstance(rubric, Rubric) else None


def with_rivals(views: Sequence[Judged]) -> tuple[Judged, ...]:
    """The views of runs (each (Q,) cases of the same queries), each case with the answers of all runs."""
    digests = [_digest(view.cases) for view in views]
    columns = list(zip(*(view.cases for view in views), strict=True))
    rivals = [tuple((digest, case.answer) for digest, case in zip(digests, row, strict=True)) for row in columns]
    return tuple(replace(view, cases=tuple(replace(case, rivals=row) for case, row in zip(view.cases, rivals,
                                                                                          strict=True)), _cache={})
                 for view in views)


def _digest(cases: Iterable[Case]) -> str:
    rows = [[case.query_id, case.answer] for case in cases]
    return hashlib.blake2b(orjson.dumps(rows), digest_size=8).hexdigest()


def keep_places(views: Sequence[Judged], name: str, judge: Judge, votes: int) -> int:
    """Keep the place of every ranked answer under its own run, in place of one among other runs; how many are new."""
    new = 0
    for view in views:
        for vote in range(votes):
            ranked = read(view.askings(name, vote=vote), view.verdict_store, judge, vote)
            rows = [(question, Reply({"share": judgment.value, **judgment.rows[0]}, model=version, attempts=1))
                    for case, judgment in zip(view.cases, ranked, strict=True) if judgment.rows
                    for question in _place_questions(name, case, vote) for version in judgment.versions or ("",)]
            stored = view.verdict_store.get([judge.key(question) for question, _ in rows])
            changed = [(question, reply) for question, reply in rows
                       if (known := stored.get(judge.key(question))) is None
                       or (known.value, known.model) != (reply.value, reply.model)]
            if changed:
                time = datetime.now(UTC).isoformat(timespec="seconds")
                view.verdict_store.save(judge, [(question, replace(reply, at=time)) for question, reply in changed],
                                        [judge.key(question) for question, _ in changed])
            new += len(changed)
    return new


def _place_questions(name: str, case: Case, vote: int) -> list[Question]:
    """The question that a reader of the run alone looks up."""
    additions = prompt_additions()
    asking = find_task(name).start(replace(case, rivals=None, vote=vote))
    return [additions.apply(question).with_vote(vote) for question in next(asking) if question.task.startswith(PLACE)]
