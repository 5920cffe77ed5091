"""Does a judge still judge as it did? Some of its stored verdicts are asked again and compared with what it said then.

Letters: n verdicts asked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import orjson

from ragdash.core.console import unwritable
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import make_private_folder, workspace
from ragdash.core.storage.temporary_folders import temporary_folder
from ragdash.evaluation.scoring.rubric_drift import FEWEST, RubricDrift, rubric_drift
from ragdash.evaluation.scoring.run_judge import JudgeWork
from ragdash.evaluation.stats import SEED, label_interval
from ragdash.matching.views.rankings import ranking_of, rubric_of
from ragdash.models.judge import Budget, Endpoint, Outcome, Patience, Question, Reply, VerdictStore
from ragdash.models.judge.batch import CONCURRENCY, ask
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import planned_questions
from ragdash.models.judge.tasks.examples import prompt_additions
from ragdash.models.judge.tasks.rankings import answer_letters
from ragdash.models.judge.tasks.rubrics import Rubric

ANCHOR = 40  # verdicts asked again, of each rubric and of all other metrics together
FILE = "judge_drift.jsonl"  # in the workspace: a line for each check
VALUES = {"supported": 1.0, "entailed": 1.0, "useful": 1.0, "not stated": 0.0, "contradicted": 0.0,
          "neutral": 0.0, "contradiction": 0.0, "useless": 0.0}  # of a verdict in words


@dataclass(frozen=True, eq=False)
class Anchor:
    """A stored verdict that is asked again. rubric: by which it is; letters: of a ranking {run: letter of its
    answer}.
    """

    question: Question
    reply: Reply
    rubric: Rubric | None = None
    letters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class DriftSample:
    """Stored verdicts to ask again. skipped: {metric: verdicts} of rubrics, and "" for all other metrics, with too few
    for a check.
    """

    anchors: tuple[Anchor, ...]
    skipped: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.anchors)


@dataclass(frozen=True)
class DriftCheck:
    """n verdicts asked again; same: how many are unchanged, by value and not by reason; change: mean change of their
    values from 0 to 1, with its 95% interval (low, high); time: of the check, ISO 8601; models: of the
    stored verdicts, and of today's; months: of the stored verdicts; tasks: verdicts by task; missing: replies that
    could not be used, by reason; rubrics: the change of the verdicts of each rubric, which are not among the n;
    skipped: {metric: verdicts} with too few. change, low and high are NaN for n = 0.
    """

    judge: str
    time: str
    n: int
    same: int
    change: float
    low: float
    high: float
    models: tuple[tuple[str, ...], tuple[str, ...]]
    months: tuple[str, ...]
    tasks: Mapping[str, int]
    missing: Mapping[str, int]
    rubrics: tuple[RubricDrift, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)

    @property
    def drifted(self) -> bool:
        """Whether the interval of a mean change leaves out 0."""
        return self.low > 0 or self.high < 0 or any(rubric.drifted for rubric in self.rubrics)


def drift_questions(work: JudgeWork, number: int = ANCHOR, seed: int = SEED) -> DriftSample:
    """Stored verdicts drawn at random from those of a job, `number` of each rubric and of all other metrics together;
    first votes only.

    Raises InputError where none of these has FEWEST that can be compared.
    """
    judge = work.endpoint.judge
    questions = planned_questions(work.askings(0), work.verdict_store, judge)[0]
    by_key = {judge.key(question): question for question in questions}
    known = work.verdict_store.get(list(by_key))
    rubrics = {f"Rubric:{rubric.name}": rubric for name, _ in work.names if (rubric := rubric_of(name))}
    letters = _letters(work)
    usable: dict[str, list[Anchor]] = {"": []} if len(rubrics) < len(work.names) else {}
    usable |= {rubric.metric: [] for rubric in rubrics.values()}
    for key, question in by_key.items():
        reply, rubric = known.get(key), rubrics.get(question.task)
        if reply is not None and reply.value is not None and (rubric or comparable(reply.value) is not None):
            usable[rubric.metric if rubric else ""].append(Anchor(question, reply, rubric, letters.get(key, {})))
    skipped = {metric: len(anchors) for metric, anchors in usable.items() if len(anchors) < FEWEST}
    if len(skipped) == len(usable):
        raise InputError([Problem("too-few-to-reask", {"verdicts": sum(skipped.values()), "judge": str(judge),
                                                       "fewest": FEWEST}, field="--drift")])
    rng = np.random.default_rng(seed)
    drawn = [anchors[place] for metric, anchors in usable.items() if metric not in skipped
             for place in sorted(rng.permutation(len(anchors))[:number].tolist())]
    return DriftSample(tuple(drawn), skipped)


def _letters(work: JudgeWork) -> dict[bytes, dict[str, str]]:
    """{key of the question of a ranking: {run: letter of its answer}}."""
    letters: dict[bytes, dict[str, str]] = {}
    additions = prompt_additions()
    for name in (name for name, _ in work.names if ranking_of(name)):
        rubric = ranking_of(name)
        for view in work.judged:
            cases = view.cases if work.queries is None else [view.cases[i] for i in work.queries]
            for case, asking in zip(cases, view.askings(name, work.queries), strict=True):
                letter = next((letter for letter, text in answer_letters(case, rubric).items() if text == case.answer),
                              None)
                for question in next(asking, ()) if letter else ():
                    letters.setdefault(work.endpoint.judge.key(additions.apply(question)), {})[view.run] = letter
    return letters


def drift_due(judge: Judge, verdict_store: VerdictStore, today: str = "") -> Problem | None:
    """A reminder to ask stored verdicts again before new ones are added: the last ones are of an earlier month, and no
    check was made in this one. None where there are fewer than FEWEST, or nothing is due. today: ISO 8601.
    """
    month, rows = (today or datetime.now(UTC).isoformat())[:7], verdict_store.versions(judge)
    last = max((time[:7] for _, _, time in rows), default="")
    if not last or last >= month or sum(n for _, n, _ in rows) < FEWEST:
        return None
    path = workspace() / FILE
    try:
        checks = [orjson.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
    except (OSError, orjson.JSONDecodeError):
        checks = []
    if any(isinstance(check, dict) and check.get("judge") == str(judge) and str(check.get("time", ""))[:7] >= month
           for check in checks):
        return None
    return Problem("drift-due", {"judge": str(judge), "month": last, "number": ANCHOR}, severity="warning")


def check_drift(drawn: DriftSample, endpoint: Endpoint, *, budget: Budget | None = None,
                concurrency: int = CONCURRENCY, patience: Patience | None = None) -> DriftCheck:
    """Ask stored questions again and compare; the ledger stays as it is, the result is added to FILE.

    Raises InputError where the judge stops answering, or too few replies are usable.
    """
    with temporary_folder("drift") as scratch:
        outcome = ask([anchor.question for anchor in drawn.anchors], endpoint,
                      VerdictStore(Path(scratch) / "drift.sqlite"), budget=budget, concurrency=concurrency,
                      patience=patience)
    result = compare_replies(drawn, outcome, str(endpoint.judge))
    path = workspace() / FILE
    try:
        make_private_folder(path.parent)
        with open(path, "ab") as file:
            file.write(orjson.dumps(asdict(result)) + b"\n")
    except OSError as error:
        raise unwritable(str(path), error) from None
    return result


def compare_replies(drawn: DriftSample, outcome: Outcome, judge: str) -> DriftCheck:
    """Compare what was stored with what was answered today."""
    by_part: dict[str, list[tuple[Anchor, Reply]]] = {}
    for anchor, reply in zip(drawn.anchors, outcome.replies, strict=True):
        if reply.value is not None:
            by_part.setdefault(anchor.rubric.metric if anchor.rubric else "", []).append((anchor, reply))
    if not any(len(pairs) >= FEWEST for pairs in by_part.values()):
        problem = outcome.problem or Problem("too-few-to-reask/replies", {
            "replies": sum(map(len, by_part.values())), "asked": len(drawn), "fewest": FEWEST}, field="--drift")
        raise InputError([problem])
    skipped = {**drawn.skipped, **{part: len(pairs) for part, pairs in by_part.items() if len(pairs) < FEWEST}}
    every = [pair for part, pairs in by_part.items() if part not in skipped for pair in pairs]
    values = [(comparable(anchor.reply.value or {}) or (), comparable(after.value or {}) or ())
              for anchor, after in every if anchor.rubric is None]
    changes = np.array([_mean(after) - _mean(before) for before, after in values])
    low, high = label_interval(changes, bounds=(-1.0, 1.0)) if len(changes) else (float("nan"), float("nan"))
    models = tuple(tuple(dict.fromkeys(reply.model for reply in replies))
                   for replies in ([anchor.reply for anchor, _ in every], [after for _, after in every]))
    rubrics = tuple(
        rubric_drift(pairs[0][0].rubric, [(anchor.reply.value or {}, after.value or {}) for anchor, after in pairs],
                     [anchor.letters for anchor, _ in pairs])
        for part, pairs in by_part.items() if part and part not in skipped)
    return DriftCheck(judge, datetime.now(UTC).isoformat(timespec="seconds"), len(values),
                      sum(before == after for before, after in values),
                      float(changes.mean()) if len(changes) else float("nan"), low, high, models,
                      tuple(sorted({anchor.reply.at[:7] for anchor, _ in every})),
                      dict(Counter(anchor.question.task for anchor, _ in every)), dict(outcome.missing), rubrics,
                      skipped)


def comparable(value: Mapping) -> tuple[float | str, ...] | None:
    """The scores or verdicts of a reply of a built-in metric, in order; None for texts, such as claims.

    Examples
    --------
    >>> comparable({"reason": "so", "score": 0.75}), comparable({"claims": ["It opened."]})
    ((0.75,), None)
    >>> comparable({"verdicts": [{"id": "1", "verdict": "supported"}, {"id": "2", "verdict": "not stated"}]})
    ('supported', 'not stated')
    """
    rows = value.get("verdicts", [value])
    if not isinstance(rows, list) or not rows:
        return None
    if all(isinstance(row.get("score"), int | float) and 0 <= row["score"] <= 1 for row in rows):
        return tuple(float(row["score"]) for row in rows)
    if all(row.get("verdict") in VALUES for row in rows):
        return tuple(row["verdict"] for row in rows)
    return None


def _mean(verdicts: Sequence[float | str]) -> float:
    return float(np.mean([VALUES[verdict] if isinstance(verdict, str) else verdict for verdict in verdicts]))
