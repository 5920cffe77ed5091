"""Ask a judge again about what its older versions judged: their verdicts are set aside under a name of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.scoring.run_judge import JudgeWork, planned_work
from ragdash.matching.views.judged import PAST
from ragdash.models.judge import Question, Reply, VerdictStore
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import planned_questions


@dataclass(frozen=True, eq=False)
class Renewal:
    """work: with its plan, as if the older verdicts were not there; version: the newest, whose verdicts stay; older:
    questions with the verdicts that are set aside.
    """

    work: JudgeWork
    version: str
    older: tuple[tuple[Question, Reply], ...]


def find_older(work: JudgeWork) -> Renewal:
    """The stored verdicts of a job that are by another version of the judge than the newest.

    The newest is the version of the judge's last verdict, on whatever texts. Raises InputError where all are by it.
    """
    judge, store = work.endpoint.judge, work.verdict_store
    newest = next((row[0] for row in reversed(store.versions(judge))), "")
    questions: dict[bytes, Question] = {}
    for vote in range(max(votes for _, votes in work.names)):
        questions |= {judge.key(question): question
                      for question in planned_questions(work.askings(vote), store, judge, vote)[0]}
    older = {key: reply for key, reply in store.get(list(questions)).items() if reply.model != newest}
    if not older:
        raise InputError([Problem("nothing-to-renew", {"judge": str(judge), "version": newest or judge.model},
                                  field="--renew")])
    hidden = replace(store, hidden=frozenset(older))
    views = tuple(replace(view, verdict_store=hidden) for view in work.judged)
    planned = planned_work(replace(work, judged=views, verdict_store=hidden))
    return Renewal(planned, newest, tuple((questions[key], reply) for key, reply in older.items()))


def set_aside(renewal: Renewal) -> JudgeWork:
    """Keep the older verdicts under a judge of their own, "model (version)", and free their questions: the work with
    the store as it is then.
    """
    work, judge = renewal.work, renewal.work.endpoint.judge
    store: VerdictStore = replace(work.verdict_store, hidden=frozenset())
    for version in sorted({reply.model for _, reply in renewal.older}):
        rows = [(question, reply) for question, reply in renewal.older if reply.model == version]
        store.save(past_judge(judge, version), rows)
    store.save(judge, [], [judge.key(question) for question, _ in renewal.older])
    store.use(judge)
    return replace(work, verdict_store=store,
                   judged=tuple(replace(view, verdict_store=store) for view in work.judged))


def past_judge(judge: Judge, version: str) -> Judge:
    """Under whom the verdicts of an older version are kept.

    Examples
    --------
    >>> str(past_judge(Judge("api.openai.com", "gpt-4o"), "gpt-4o-2024-05-13"))
    'gpt-4o (gpt-4o-2024-05-13) at past.api.openai.com'
    """
    return Judge(f"{PAST}.{judge.host}", f"{judge.model} ({version or judge.model})", judge.parameters)
