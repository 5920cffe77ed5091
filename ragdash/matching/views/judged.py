"""What the judged metrics may look at: the verdicts of judges on answers and contexts, read from their store.

Nobody is asked here. A verdict that is not there is missing with its reason, never 0; where there is none at all, the
metric is unavailable with its reason and the command that fixes it.

Letters: Q queries (of the truth).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.matching.views.judge_versions import of_one_version, split_version
from ragdash.matching.views.local_models import cosines
from ragdash.matching.views.panel_verdicts import (
    FINAL,
    LACKING,
    SETTLED,
    WHY,
    Verdicts,
    aggregate,
    pooled,
    reason_text,
    split_reasons,
)
from ragdash.matching.views.ranked import Values
from ragdash.models.judge import MISSING, Question, VerdictStore
from ragdash.models.judge.endpoint import Judge, judge_names
from ragdash.models.judge.panel import AND, MEAN, parse_choice
from ragdash.models.judge.task_runner import known_keys, read, texts_shown
from ragdash.models.judge.tasks import Case, Judgment, TaskSteps, find_task, ragchecker
from ragdash.models.judge.tasks.chunk_usefulness import NO_ENCODER
from ragdash.models.judge.tasks.examples import prompt_additions
from ragdash.models.judge.tasks.registry import EXAMPLE
from ragdash.models.judge.tasks.vote_order import case_of_vote
from ragdash.models.local.model_folder import OPTIONS
from ragdash.models.local.protocols import ENCODER
from ragdash.models.local.score_cache import Model, ScoreCache

NEVER_ASKED = ("not-asked", "budget", "cancelled")  # reasons of MISSING for which a judge was not asked
TRIED = 50  # queries whose texts are compared between votes
IMPORTED = "imported"  # the host of a judge whose verdicts came in a file
PAST = "past"  # of the host of a judge that keeps verdicts of an older version
REPLACED_IMPORT = re.compile(r" [0-9a-f]{8}$")  # the digest of a file that was replaced, in the name of its judge
RELEVANCY = "RAGAS.AnswerRelevancy"
UNEMBEDDED = WHY[NO_ENCODER]


@dataclass(frozen=True, eq=False)
class Judged:
    """The texts of each query, and the store of what judges said of them.

    cases (Q,); store: what models said, for RAGAS.AnswerRelevancy; run: its name; problems: of the contexts;
    by_default: {(metric, votes): the judge read where none is chosen}, else the one with most values (`most_values`).
    """

    cases: tuple[Case, ...]
    verdict_store: VerdictStore
    store: ScoreCache
    run: str = ""
    problems: tuple[Problem, ...] = ()
    by_default: Mapping[tuple[str, int], str] = field(default_factory=dict)
    _cache: dict = field(default_factory=dict)
    _lacks: dict = field(default_factory=dict)

    def askings(self, name: str, indices: Iterable[int] | None = None, vote: int = 0) -> list[TaskSteps]:
        """What a judge has to be asked for a metric (its canonical spelling), of all cases or of those at these places,
        with the texts in the order of a vote.

        Cases that lack a text ask nothing. InputError for a metric that is not judged.
        """
        task = find_task(name)
        cases = self.cases if indices is None else map(self.cases.__getitem__, indices)
        return [task.start(case if task.ordered else case_of_vote(case, vote)) for case in cases]

    def texts_differ(self, name: str) -> bool:
        """Whether a second vote on a metric shows most of the first queries that have its texts in another order.

        On the others, votes differ by the temperature alone.
        """
        task = find_task(name)
        tried = [i for i, case in enumerate(self.cases) if task.lacks(case) is None][:TRIED]
        differ = sum(texts_shown(first) != texts_shown(second) for first, second in zip(
            self.askings(name, tried), self.askings(name, tried, vote=1), strict=True))
        return 2 * differ > len(tried)

    def values(self, name: str, judge: str = "", votes: int = 1) -> Values:
        """The values of a judged metric: (Q,). judge: a model, or "model at host"; "": that of `by_default`; "A + B":
        the mean of both, "majority of A + B" their most frequent value; votes: the mean of that many, the most frequent
        of a majority. Raises Unavailable where there is no verdict.
        """
        return self.read(name, judge, votes).values

    def read(self, name: str, judge: str = "", votes: int = 1) -> Verdicts:
        """The verdicts with how they came about; Unavailable as `values`. Kept until the store changes."""
        if not judge and (default := self.by_default.get((name, votes))):
            with suppress(Unavailable):  # it has nothing to say of this run: then whoever has, and checks warn of it
                return self.read(name, default, votes)
        try:
            stamp = (self.verdict_store, self.verdict_store.stamp(), prompt_additions().digest,
                     self.store.stamp() if name == RELEVANCY else "")
            known_stamp, verdicts = self._cache.get((name, judge, votes), (None, None))
            if known_stamp != stamp:
                verdicts = self._read_choice(name, judge, votes)
                self._cache[name, judge, votes] = stamp, verdicts
        except InputError as error:
            raise Unavailable("unreadable", field=name, cause=error.problems[0]) from None
        if isinstance(verdicts, Unavailable):
            raise verdicts.again()
        return verdicts

    def _read_choice(self, name: str, judge: str, votes: int) -> Verdicts | Unavailable:
        """The verdicts of the judge or the judges chosen, or why there are none; a judge's own name is first."""
        pool, names = parse_choice(judge)
        if self.verdict_store.find_judge(judge):
            return self._first_with_verdicts(name, judge, votes)
        names = [member for name in names for member in self._without_blanks(name)]
        if (pool, len(names)) == (MEAN, 1):
            return self._first_with_verdicts(name, names[0], votes)
        panel = [self._first_with_verdicts(name, member, votes, pool) for member in names]
        for member in panel:
            if isinstance(member, Unavailable):
                return member
        if len({member.judge for member in panel}) < len(names):
            return Unavailable("judge-twice", {"metric": name, "judge": judge}, name)
        return pooled(panel, pool)

    def _without_blanks(self, choice: str) -> list[str]:
        """The judges of "A+B"; a name that a judge bears, such as "coder++", is that judge."""
        members = [name.strip() for name in choice.split(AND.strip())]
        known = self.verdict_store.find_judge(split_version(choice)[0]) is not None
        return [choice] if known or not all(members) else members

    def _first_with_verdicts(self, name: str, judge: str, votes: int, pool: str = MEAN) -> Verdicts | Unavailable:
        """The verdicts of the judge of this name that has values on most queries, or why there are none."""
        lacking = self._lacking(name)
        if all(lacking):
            reason = Counter(lacking).most_common(1)[0][0] if lacking else "no-answer"
            return Unavailable(f"judge-{reason}", {"metric": name, "run": self.run}, name)
        newest, unembedded, candidates, was_asked = None, False, {}, False
        called, version = split_version(judge)
        for known_judge in filter(lambda known_judge: known_judge.is_called(called), self.verdict_store.judges()):
            verdicts = self.by_judge(name, known_judge, votes, pool, version)
            reasons = Counter(row.missing for row in verdicts.judgments if row.missing not in LACKING)
            if not np.isnan(verdicts.values).all() or (reasons and reasons.keys() <= set(SETTLED)):
                candidates[known_judge] = verdicts
            elif newest is None and reasons.keys() - {"not-asked", "not-imported", EXAMPLE}:
                reason = reasons.most_common(1)[0][0]
                newest = f"{known_judge}: {reason_text(reason)[0]}"
                was_asked = reason in MISSING and reason not in NEVER_ASKED
                unembedded = NO_ENCODER in reasons
        if candidates:
            return candidates[most_values([(known_judge, int(np.isfinite(verdicts.values).sum()))
                                          for known_judge, verdicts in candidates.items()])]
        if unembedded:
            return Unavailable("not-embedded", {"metric": name}, name)
        facts = {"metric": name, "run": self.run, "judge": judge, "reason": newest or ""}
        return Unavailable("judge-failed" if was_asked else "not-judged", facts, name)

    def by_judge(self, name: str, judge: Judge, votes: int = 1, pool: str = MEAN, version: str = "") -> Verdicts:
        """What one version of a judge says, little or much; "": the version with most verdicts, of equals the newest.
        pool: how its votes are put together.
        """
        if judge.host == IMPORTED:
            rounds = [self._imported(name, judge, votes)]
        else:
            rounds = [read(self.askings(name, vote=vote), self.verdict_store, judge, vote) for vote in range(votes)]
        choice = of_one_version(rounds, judge.model, version,
                                lambda: [row[0] or judge.model for row in self.verdict_store.versions(judge)])
        rounds, model = choice.rounds, None
        if name == RELEVANCY and judge.host != IMPORTED:
            model = self.store.find_model(ENCODER)
            rounds = [self._with_relevancy(judgment, model) for judgment in rounds] if model else rounds
        values, agreement, tied = aggregate(
            np.array([[judgment.value for judgment in judgments] for judgments in rounds], np.float64), pool
        )
        judgments = (
            replace(judgment, missing="tied") if no else judgment
            for judgment, no in zip(rounds[0], tied, strict=True)
        )
        called = judge_names(self.verdict_store.judges()).get(judge, str(judge))
        return Verdicts(name, judge, values, tuple(judgments), agreement, model, called=called, version=choice.version,
                        other_versions=choice.others, among=choice.among)

    def _with_relevancy(self, judgments: Sequence[Judgment], model: Model) -> list[Judgment]:
        """RAGAS.AnswerRelevancy: mean cosine of the questions asked back with the one asked, where not evasive."""
        open_ = [i for i, judgment in enumerate(judgments) if judgment.missing == NO_ENCODER]
        pairs = [(row["question"], self.cases[i].question) for i in open_ for row in judgments[i].rows]
        if not pairs:
            return list(judgments)
        value, known, _ = cosines(self.store, model, pairs)
        changed, start = list(judgments), 0
        for i in open_:
            rows = slice(start, start + len(judgments[i].rows))
            start = rows.stop
            if known[rows].all() and not np.isnan(value[rows]).any():
                changed[i] = replace(judgments[i], value=float(value[rows].mean()), missing=None)
        return changed

    def _imported(self, name: str, judge: Judge, votes: int) -> list[Judgment]:
        """What a file said that was imported, one vote: (Q,)."""
        keys = [judge.key(imported_question(name, case)) for case in self.cases]
        verdict_rows = self.verdict_store.get(keys) if votes == 1 else {}
        judgments = []
        for key, lacking in zip(keys, self._lacking(name), strict=True):
            value = verdict_rows[key].value if key in verdict_rows else {"score": None}
            if not is_imported_value(name, value):
                judgments.append(Judgment(float("nan"), "wrong-shape"))
                continue
            score, rows = value["score"], tuple(value.get("rows", ()))
            reason = (
                ragchecker.undefined_of(name, rows)
                if score is None and key in verdict_rows
                else lacking or "not-imported"
            )
            judgments.append(Judgment(float("nan"), reason, rows) if score is None else Judgment(score, None, rows))
        return judgments

    def known_keys(self, names: Iterable[str], judge: Judge) -> set[bytes]:
        """The stored verdicts of a judge on these metrics, by key; of all votes."""
        if judge.host == IMPORTED:
            return self.verdict_store.known_keys(
                [judge.key(imported_question(name, case)) for name in names for case in self.cases])
        keys: set[bytes] = set()
        for name in names:
            for vote in count():
                new_keys = known_keys(self.askings(name, vote=vote), self.verdict_store, judge, vote)
                keys |= new_keys
                if not new_keys:
                    break
        return keys

    def _lacking(self, name: str) -> list[str | None]:
        """Why a case is not asked about: (Q,), None where its texts are there. Kept: many metrics need the same."""
        task = find_task(name)
        key = task.needs, task.counts_no_answer
        if key not in self._lacks:
            self._lacks[key] = [task.lacks(case) for case in self.cases]
        return self._lacks[key]

    def embedded_texts(self) -> list[str]:
        """The distinct texts that RAGAS.AnswerRelevancy has to have embedded: queries, and those asked back of them."""
        texts: dict[str, None] = {}
        for judge in (known_judge for known_judge in self.verdict_store.judges() if known_judge.host != IMPORTED):
            for vote in count():
                judgments = read(self.askings(RELEVANCY, vote=vote), self.verdict_store, judge, vote)
                for case, judgment in zip(self.cases, judgments, strict=True):
                    if judgment.missing == NO_ENCODER:
                        texts |= dict.fromkeys((case.question, *(row["question"] for row in judgment.rows)))
                if not any(judgment.rows for judgment in judgments):
                    break
        return list(texts)

    def warnings(self, name: str, judge: str = "", votes: int = 1) -> list[Problem]:
        """What to know of a metric's values, as warnings: missing and undefined by reason, texts cut. Never raises."""
        try:
            verdicts = self.read(name, judge, votes)
        except Unavailable:
            return []
        settled, missing = split_reasons(reason for reason in verdicts.reasons if reason not in LACKING)
        facts, problems = {"metric": name, "run": self.run}, []
        for kind, reasons in (("missing", missing), ("undefined", settled)):
            if reasons:
                ask_again, embed = helps(reasons)
                problems.append((f"{kind}-verdicts", {**facts, "missing": sum(reasons.values()), "reasons": reasons,
                                                   "queries": int(verdicts.has_texts.sum()), "again": ask_again,
                                                   "embed": embed}))
        problems += [(f"{flag}-verdicts", {**facts, "queries": verdicts.flags[flag]})
                  for flag in ("cut", "vacuous") if verdicts.flags[flag]]
        for member in verdicts.members or (verdicts,):
            if member.other_versions:
                problems.append(("judge-versions", {**facts, "judge": str(member.judge), "version": member.version,
                                                    "used": int((~np.isnan(member.values)).sum()), "versions": [
                    f"{version} ({n:,})" for version, n in member.other_versions.items()]}))
        differ = int((verdicts.agreement < 1).sum())
        if differ:
            kind = "judges-differ" if verdicts.members else "judges-differ/votes"
            problems.append((kind, {**facts, "differ": differ, "queries": int((~np.isnan(verdicts.values)).sum())}))
        return [Problem(message, facts, field=name, severity="warning") for message, facts in problems]

    def settings(self, specs: Iterable[tuple[str, str, int]]) -> dict[str, str]:
        """{"Faithfulness": the judge of the values} of (metric, judge, votes), to show with the numbers."""
        settings = {}
        for judge_spec in specs:
            with suppress(Unavailable):
                verdicts = self.read(*judge_spec)
                settings[setting(*judge_spec)] = verdicts.source + (f", {verdicts.model}" if verdicts.model else "")
        return settings


def most_values(counts: Sequence[tuple[Judge, int]]) -> Judge:
    """Whose verdicts count where no judge is chosen: of (judge, its values), the newest first, the one with most
    values; of equals the newest. So a trial on a few queries never takes the place of a result on all of them.

    Verdicts that others have replaced count only where there are no others.
    """
    return max(counts, key=lambda judge: (not _is_replaced(judge[0]), judge[1]))[0]


def _is_replaced(judge: Judge) -> bool:
    """Whether a judge keeps what was replaced: by a file imported again, or by asking a newer version again."""
    return judge.host.startswith(f"{PAST}.") or (
        judge.host == IMPORTED and REPLACED_IMPORT.search(judge.model) is not None)


def default_judge(texts: Sequence[Judged], name: str, votes: int = 1, chosen: str = "") -> str:
    """The judge whose values all of these runs show, the one chosen where it has any; "" where nobody has.

    One judge for all runs: values of different judges do not compare. A run of which it has none shows its own.
    """
    def values(judge_name: str) -> int:
        """How many values a judge has on all runs."""
        total = 0
        for text in texts:
            with suppress(Unavailable):
                total += int(np.isfinite(text.read(name, judge_name, votes).values).sum())
        return total

    if chosen and values(chosen):
        return chosen
    try:
        names = judge_names(texts[0].verdict_store.judges()) if texts else {}
    except InputError:  # the metric is unavailable, with this reason
        return ""
    counts = [(judge, n) for judge, judge_name in names.items() if (n := values(judge_name))]
    return names[most_values(counts)] if counts else ""


def setting(name: str, judge: str = "", votes: int = 1) -> str:
    """What the judge of a metric is called among the settings: Faithfulness of 'model', 3 votes."""
    return name + (f" of {judge!r}" if judge else "") + (f", {votes} votes" if votes > 1 else "")


def imported_question(name: str, case: Case) -> Question:
    """What an imported verdict is kept under: the metric, the texts that it is about, and their run. Other texts have
    another verdict; so has the same text in another run, which was imported with other results.
    """
    texts = [case.run, case.query_id, case.question, case.answer, [text for _, text in case.contexts or ()],
             *([case.history] if case.history else [])]
    return Question("Imported", "2", name, json.dumps(texts), {})


def is_imported_value(name: str, value: object) -> bool:
    """Whether a stored value is one of `imported_question`: files of verdicts can hold anything."""
    if not isinstance(value, dict) or "score" not in value:
        return False
    score, rows = value["score"], value.get("rows", [])
    is_number = isinstance(score, int | float) and not isinstance(score, bool)
    return (score is None or (is_number and (-1 if name == RELEVANCY else 0) <= score <= 1)) and (
        isinstance(rows, list) and all(isinstance(row, dict) for row in rows))


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
