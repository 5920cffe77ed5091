"""What the judged metrics may look at: the verdicts of judges on answers and contexts, read from their ledger.

Nobody is asked here. A verdict that is not there is missing with its reason, never 0; where there is none at all, the
metric is unavailable with its reason and the command that fixes it.

Letters: Q queries (of the truth).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.matching.views.local_models import cosines
from ragdash.matching.views.panel_verdicts import (
    FINAL,
    LACKING,
    SETTLED,
    WHY,
    Verdicts,
    apart,
    pooled,
    together,
    why,
)
from ragdash.matching.views.ranked import Values
from ragdash.models.judge import Ledger, Question
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.panel import MEAN, chosen
from ragdash.models.judge.task_runner import known_keys, read
from ragdash.models.judge.tasks import Asking, Case, Judgement, find_task, ragchecker
from ragdash.models.judge.tasks.chunk_usefulness import NO_ENCODER
from ragdash.models.local.model_folder import OPTIONS
from ragdash.models.local.protocols import ENCODER
from ragdash.models.local.score_cache import Model, Store

IMPORTED = "imported"  # the host of a judge whose verdicts came in a file
RELEVANCY = "RAGAS.AnswerRelevancy"
UNEMBEDDED = WHY[NO_ENCODER]


@dataclass(frozen=True, eq=False)
class Judged:
    """The texts of each query beside the ledger of what judges said of them.

    cases (Q,); store: what models said, for RAGAS.AnswerRelevancy; run: its name; problems: of the contexts.
    """

    cases: tuple[Case, ...]
    ledger: Ledger
    store: Store
    run: str = ""
    problems: tuple[Problem, ...] = ()
    _kept: dict = field(default_factory=dict)

    def askings(self, name: str, at: Iterable[int] | None = None) -> list[Asking]:
        """What a judge has to be asked for a metric (its canonical spelling), of all cases or of those at these places.

        Cases that lack a text ask nothing. InputError for a metric that is not judged.
        """
        task = find_task(name)
        return [task.start(case) for case in (self.cases if at is None else map(self.cases.__getitem__, at))]

    def values(self, name: str, judge: str = "", votes: int = 1) -> Values:
        """The values of a judged metric: (Q,). judge: a model, or "model at host"; "": the one last asked that has a
        verdict; "A + B": the mean of both, "majority of A + B" their most frequent value; votes: the mean of that many,
        the most frequent of a majority. Raises Unavailable where there is no verdict.
        """
        return self.read(name, judge, votes).values

    def read(self, name: str, judge: str = "", votes: int = 1) -> Verdicts:
        """The verdicts with how they came about; Unavailable as `values`. Kept until the ledger changes."""
        try:
            said = (self.ledger, self.ledger.stamp(), self.store.stamp() if name == RELEVANCY else "")
            when, found = self._kept.get((name, judge, votes), (None, None))
            if when != said:
                found = self._heard(name, judge, votes)
                self._kept[name, judge, votes] = said, found
        except InputError as error:
            raise Unavailable("unreadable", field=name, cause=error.problems[0]) from None
        if isinstance(found, Unavailable):
            raise found.again()
        return found

    def _heard(self, name: str, judge: str, votes: int) -> Verdicts | Unavailable:
        """The verdicts of the judge or the judges chosen, or why there are none; a judge's own name stands first."""
        pool, names = chosen(judge)
        if self.ledger.named(judge):
            return self._found(name, judge, votes)
        if (pool, len(names)) == (MEAN, 1):
            return self._found(name, names[0], votes)
        found = [self._found(name, one, votes, pool) for one in names]
        for one in found:
            if isinstance(one, Unavailable):
                return one
        if len({one.judge for one in found}) < len(names):
            return Unavailable("judge-twice", {"metric": name, "judge": judge}, name)
        return pooled(found, pool)

    def _found(self, name: str, judge: str, votes: int, pool: str = MEAN) -> Verdicts | Unavailable:
        """The verdicts of the first judge that has any, or why there are none."""
        lacking = self._lacking(name)
        if all(lacking):
            reason = Counter(lacking).most_common(1)[0][0] if lacking else "no-answer"
            return Unavailable(f"judge-{reason}", {"metric": name, "run": self.run}, name)
        told = None
        for one in filter(lambda one: one.is_called(judge), self.ledger.judges()):
            verdicts = self.by(name, one, votes, pool)
            reasons = Counter(row.missing for row in verdicts.judgements if row.missing not in LACKING)
            if not np.isnan(verdicts.values).all() or (reasons and reasons.keys() <= set(SETTLED)):
                return verdicts
            if told is None and reasons.keys() - {"not-asked", "not-imported"}:
                told = f"{one}: {why(reasons.most_common(1)[0][0])[0]}"
                if NO_ENCODER in reasons:
                    return Unavailable("not-embedded", {"metric": name}, name)
        facts = {"metric": name, "run": self.run, "judge": judge, "reason": told or ""}
        return Unavailable("not-judged", facts, name)

    def by(self, name: str, judge: Judge, votes: int = 1, pool: str = MEAN) -> Verdicts:
        """What one judge says, little or much. pool: how its votes are put together."""
        if judge.host == IMPORTED:
            rounds = [self._imported(name, judge, votes)]
        else:
            rounds = [read(self.askings(name), self.ledger, judge, vote) for vote in range(votes)]
        model = None
        if name == RELEVANCY and judge.host != IMPORTED:
            model = self.store.named(ENCODER)
            rounds = [self._alike(one, model) for one in rounds] if model else rounds
        values, agreement, tied = together(np.array([[one.value for one in found] for found in rounds], np.float64),
                                           pool)
        judgements = (replace(one, missing="tied") if no else one for one, no in zip(rounds[0], tied, strict=True))
        return Verdicts(name, judge, values, tuple(judgements), agreement, model)

    def _alike(self, judgements: Sequence[Judgement], model: Model) -> list[Judgement]:
        """RAGAS.AnswerRelevancy: mean cosine of the questions asked back with the one asked, where not evasive."""
        open_ = [i for i, one in enumerate(judgements) if one.missing == NO_ENCODER]
        pairs = [(row["question"], self.cases[i].question) for i in open_ for row in judgements[i].rows]
        if not pairs:
            return list(judgements)
        value, there, _ = cosines(self.store, model, pairs)
        found, at = list(judgements), 0
        for i in open_:
            part = slice(at, at + len(judgements[i].rows))
            at = part.stop
            if there[part].all() and not np.isnan(value[part]).any():
                found[i] = replace(judgements[i], value=float(value[part].mean()), missing=None)
        return found

    def _imported(self, name: str, judge: Judge, votes: int) -> list[Judgement]:
        """What a file said that was imported, one vote: (Q,)."""
        keys = [judge.key(imported_question(name, case)) for case in self.cases]
        known = self.ledger.get(keys) if votes == 1 else {}
        found = []
        for key, lacking in zip(keys, self._lacking(name), strict=True):
            value = known[key].value if key in known else {"score": None}
            score, rows = value["score"], tuple(value.get("rows", ()))
            why = ragchecker.undefined_of(name, rows) if score is None and key in known else lacking or "not-imported"
            found.append(Judgement(float("nan"), why, rows) if score is None else Judgement(score, None, rows))
        return found

    def known_keys(self, names: Iterable[str], judge: Judge) -> set[bytes]:
        """What the ledger holds of a judge on these metrics, by key; of all votes."""
        found: set[bytes] = set()
        for name in names:
            if judge.host == IMPORTED:
                found |= self.ledger.known([judge.key(imported_question(name, case)) for case in self.cases])
                continue
            for vote in count():
                more = known_keys(self.askings(name), self.ledger, judge, vote)
                found |= more
                if not more:
                    break
        return found

    def _lacking(self, name: str) -> list[str | None]:
        """Why a case is not asked about: (Q,), None where its texts are there."""
        return [find_task(name).lacks(case) for case in self.cases]

    def embedded_texts(self) -> list[str]:
        """The distinct texts that RAGAS.AnswerRelevancy has to have embedded: queries, and those asked back of them."""
        texts: dict[str, None] = {}
        for judge in (one for one in self.ledger.judges() if one.host != IMPORTED):
            for vote in count():
                said = read(self.askings(RELEVANCY), self.ledger, judge, vote)
                for case, found in zip(self.cases, said, strict=True):
                    if found.missing == NO_ENCODER:
                        texts |= dict.fromkeys((case.question, *(row["question"] for row in found.rows)))
                if not any(found.rows for found in said):
                    break
        return list(texts)

    def told(self, name: str, judge: str = "", votes: int = 1) -> list[Problem]:
        """What to know of a metric's values, as warnings: missing and undefined by reason, texts cut. Never raises."""
        try:
            verdicts = self.read(name, judge, votes)
        except Unavailable:
            return []
        settled, missing = apart(reason for reason in verdicts.reasons if reason not in LACKING)
        facts, found = {"metric": name, "run": self.run}, []
        for kind, own in (("missing", missing), ("undefined", settled)):
            if own:
                again, embed = helps(own)
                found.append((f"{kind}-verdicts", {**facts, "missing": sum(own.values()), "reasons": own,
                                                   "queries": int(verdicts.wanted.sum()), "again": again,
                                                   "embed": embed}))
        found += [(f"{flag}-verdicts", {**facts, "queries": verdicts.flags[flag]})
                  for flag in ("cut", "vacuous") if verdicts.flags[flag]]
        return [Problem(message, facts, field=name, severity="warning") for message, facts in found]

    def settings(self, asked: Iterable[tuple[str, str, int]]) -> dict[str, str]:
        """{"Faithfulness": the judge whose verdicts the values are} of (metric, judge, votes), beside the numbers."""
        found = {}
        for one in asked:
            with suppress(Unavailable):
                verdicts = self.read(*one)
                found[setting(*one)] = str(verdicts.judge) + (f", {verdicts.model}" if verdicts.model else "")
        return found


def setting(name: str, judge: str = "", votes: int = 1) -> str:
    """What the judge of a metric is called among the settings: Faithfulness of 'model', 3 votes."""
    return name + (f" of {judge!r}" if judge else "") + (f", {votes} votes" if votes > 1 else "")


def imported_question(name: str, case: Case) -> Question:
    """What an imported verdict is kept under: the metric and the texts that it is about; other texts, other verdict."""
    texts = [case.query_id, case.question, case.answer, [text for _, text in case.contexts or ()]]
    return Question("Imported", "1", name, json.dumps(texts), {})


def command(name: str, embed: bool = False) -> str:
    """What asks a judge for a metric, or has the questions embedded that the judge asked back."""
    if embed:
        return f'python -m ragdash score RUN --truth TRUTH --metrics "{name}" {OPTIONS[ENCODER]} FOLDER'
    return f'python -m ragdash judge RUN --truth TRUTH --metrics "{name}" --base-url URL --model MODEL'


def helps(reasons: Iterable[str]) -> tuple[bool, bool]:
    """Whether asking the judge again, and whether embedding the questions, may give the values that are missing for
    these reasons (in words of WHY).
    """
    bare = {reason.rpartition(": ")[2] for reason in reasons}  # whose they are, of several judges, does not matter
    return bool(bare - FINAL - {UNEMBEDDED}), UNEMBEDDED in bare
