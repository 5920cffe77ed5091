"""Does a judge still judge as it did? Some of its stored verdicts are asked again and compared with what it said then.

Letters: n verdicts asked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import orjson

from ragdash.core.console import unwritable
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import make_private_folder, workspace
from ragdash.core.storage.temporary_folders import temporary_folder
from ragdash.evaluation.scoring.run_judge import JudgeWork
from ragdash.evaluation.stats import SEED, label_interval
from ragdash.models.judge import Budget, Endpoint, Outcome, Patience, Question, Reply, VerdictStore
from ragdash.models.judge.batch import CONCURRENCY, ask
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.task_runner import planned_questions

ANCHOR = 40  # verdicts asked again
FEWEST = 20  # that have to come back
FILE = "judge_drift.jsonl"  # in the workspace: a line for each check
VALUES = {"supported": 1.0, "entailed": 1.0, "useful": 1.0, "pass": 1.0, "not stated": 0.0, "contradicted": 0.0,
          "neutral": 0.0, "contradiction": 0.0, "useless": 0.0, "fail": 0.0}  # of a verdict in words


@dataclass(frozen=True)
class DriftCheck:
    """n verdicts asked again; same: how many are unchanged, by value and not by reason; change: mean change of their
    values from 0 to 1, with its 95% interval (low, high); time: of the check, ISO 8601; models: of the
    stored verdicts, and of today's; months: of the stored verdicts; tasks: verdicts by task; missing: replies that
    could not be used, by reason.
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

    @property
    def drifted(self) -> bool:
        """Whether the interval of the mean change leaves out 0."""
        return self.low > 0 or self.high < 0


def drift_questions(work: JudgeWork, number: int = ANCHOR, seed: int = SEED) -> list[tuple[Question, Reply]]:
    """Stored verdicts drawn at random from those of a job, with their questions; first votes only.

    Raises InputError where fewer than FEWEST have a value that can be compared.
    """
    judge = work.endpoint.judge
    questions = planned_questions(work.askings(0), work.verdict_store, judge)[0]
    by_key = {judge.key(question): question for question in questions}
    known = work.verdict_store.get(list(by_key))
    usable = [(question, known[key]) for key, question in by_key.items()
              if key in known and known[key].value is not None and comparable(known[key].value) is not None]
    if len(usable) < FEWEST:
        raise InputError([Problem("too-few-to-reask", {"verdicts": len(usable), "judge": str(judge), "fewest": FEWEST},
                                  field="--drift")])
    order = np.random.default_rng(seed).permutation(len(usable))[:number]
    return [usable[place] for place in sorted(order.tolist())]


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
    if any(check.get("judge") == str(judge) and str(check.get("time", ""))[:7] >= month for check in checks):
        return None
    return Problem("drift-due", {"judge": str(judge), "month": last, "number": ANCHOR}, severity="warning")


def check_drift(drawn: Sequence[tuple[Question, Reply]], endpoint: Endpoint, *, budget: Budget | None = None,
                concurrency: int = CONCURRENCY, patience: Patience | None = None) -> DriftCheck:
    """Ask stored questions again and compare; the ledger stays as it is, the result is added to FILE.

    Raises InputError where the judge stops answering, or fewer than FEWEST replies are usable.
    """
    with temporary_folder("drift") as scratch:
        outcome = ask([question for question, _ in drawn], endpoint, VerdictStore(Path(scratch) / "drift.sqlite"),
                      budget=budget, concurrency=concurrency, patience=patience)
    result = compare_replies(drawn, outcome, str(endpoint.judge))
    path = workspace() / FILE
    try:
        make_private_folder(path.parent)
        with open(path, "ab") as file:
            file.write(orjson.dumps(asdict(result)) + b"\n")
    except OSError as error:
        raise unwritable(str(path), error) from None
    return result


def compare_replies(drawn: Sequence[tuple[Question, Reply]], outcome: Outcome, judge: str) -> DriftCheck:
    """Compare what was stored with what was answered today."""
    pairs = [(question, before, after) for (question, before), after in zip(drawn, outcome.replies, strict=True)
             if after.value is not None]
    if len(pairs) < FEWEST:
        problem = outcome.problem or Problem("too-few-to-reask/replies", {
            "replies": len(pairs), "asked": len(drawn), "fewest": FEWEST}, field="--drift")
        raise InputError([problem])
    values = [(comparable(before.value) or (), comparable(after.value) or ()) for _, before, after in pairs]
    changes = np.array([_mean(after) - _mean(before) for before, after in values])
    low, high = label_interval(changes, bounds=(-1.0, 1.0))
    models = tuple(tuple(dict.fromkeys(reply.model for reply in replies))
                   for replies in ([pair[1] for pair in pairs], [pair[2] for pair in pairs]))
    return DriftCheck(judge, datetime.now(UTC).isoformat(timespec="seconds"), len(pairs),
                      sum(before == after for before, after in values), float(changes.mean()), low, high, models,
                      tuple(sorted({before.at[:7] for _, before, _ in pairs})),
                      dict(Counter(question.task for question, _, _ in pairs)), dict(outcome.missing))


def comparable(value: Mapping) -> tuple[float | str, ...] | None:
    """The scores or verdicts of a reply, in order; None for texts, such as claims, and for rubrics but pass and fail.

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
