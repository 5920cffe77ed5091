"""What judges say of a metric as values, votes and judges put together, and the words for a verdict that is missing.

Letters: Q queries (of the truth), N votes or judges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ragdash.matching.views.judge_versions import OTHER, SEVERAL, with_version
from ragdash.matching.views.ranked import Values
from ragdash.models.judge import MISSING
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.panel import MAJORITY, MEAN, Panel, panel_label
from ragdash.models.judge.tasks import Judgment
from ragdash.models.judge.tasks.chunk_usefulness import NO_ENCODER
from ragdash.models.judge.tasks.rankings import NO_RIVALS, TOO_MANY
from ragdash.models.judge.tasks.registry import EXAMPLE
from ragdash.models.local.score_cache import Model

LACKING: Mapping[str, str] = {"no-answer": "no answer", "no-question": "no text of the query",
                              "no-references": "no right answer", "no-contexts": "no contexts",
                              "no-criterion": "no criterion for the query",
                              "no-citations": "the answer cites nothing",
                              NO_RIVALS: "no other run has an answer to rank it against",
                              TOO_MANY: "more different answers than one call ranks"}
"""Reasons that lie in the texts: no judge is asked."""
WHY: Mapping[str, str] = {
    **MISSING, **LACKING, "no-claims": "the text makes no claim",
    "cannot-decide": "the judge cannot decide",
    EXAMPLE: "it is an example in the judge's prompt",
    "nothing-to-share": "nothing that a share could be taken of", NO_ENCODER: "questions that no model has embedded",
    OTHER: "judged by another version of the judge", SEVERAL: "its replies are of several versions of the judge",
    "tied": "a tie of the most frequent values", "no-vote": "a vote that is missing",
    "not-imported": "no verdict in the imported file"}
"""Every reason for which a verdict is missing, in words."""
DIGITS = 12  # to which values are the same
MIN_CONSTANT = 10  # scores from which on it is a warning that all are the same
BY = "|"  # between a reason and the judge of several whose it is
SETTLED = ("no-claims", "nothing-to-share", "tied", "cannot-decide", EXAMPLE)
"""Judged, or not to be judged, and undefined: asking again gives no number."""
UNDEFINED_WHY = {WHY[reason] for reason in (*LACKING, *SETTLED)}
"""Undefined by the texts or the verdicts, not missing."""
FINAL = {WHY[reason] for reason in (*SETTLED, "too-long", "not-imported", OTHER, SEVERAL)}
"""Asking again changes nothing, or needs more than the same question: see the warning on versions."""


def reason_text(reason: str | None) -> tuple[str, bool]:
    """(why a query has no value, in words, and whose fault; whether it is judged or cannot be, else a verdict is
    missing).
    """
    code, _, judge_names = (reason or "no-vote").partition(BY)
    return (f"{judge_names}: " if judge_names else "") + WHY.get(code, code), code in (*LACKING, *SETTLED)


def split_reasons(reasons: Iterable[str | None]) -> tuple[dict[str, int], dict[str, int]]:
    """({why: queries} that are undefined by their texts, the same of verdicts that are missing), most queries first."""
    counts: tuple[dict[str, int], dict[str, int]] = {}, {}
    for reason, n in Counter(reasons).most_common():
        words, undefined = reason_text(reason)
        counts[not undefined][words] = n
    return counts


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What a judge says of a metric. values (Q,), NaN missing; `judgments` (Q,): of the first vote, with the claims,
    verdicts and reasons; agreement (Q,): share of the votes that gave the most frequent value, NaN where missing;
    model: that embedded questions, None where none is needed; members: of a panel of several, each judge's own, whose
    agreement is then that of the judges; called: the name of the judge, among those of the store; version: of
    the judge, all values are of it; other_versions: {version: queries} whose verdicts are left out for it; among: which
    runs a ranking is among, "" for other metrics.
    """

    name: str
    judge: Judge | Panel
    values: Values
    judgments: tuple[Judgment, ...]
    agreement: np.ndarray
    model: Model | None = None
    members: tuple[Verdicts, ...] = ()
    called: str = ""
    version: str = ""
    other_versions: Mapping[str, int] = field(default_factory=dict)
    among: str = ""

    @property
    def source(self) -> str:
        """Whose values these are: the judge with its version, of several judges each with its own."""
        if self.members:
            return panel_label([verdicts.source for verdicts in self.members], self.judge.pool)
        judge = with_version(self.called or str(self.judge), self.version, self.judge.model)
        return f"{judge}, {self.among}" if self.among else judge

    @property
    def has_texts(self) -> np.ndarray:
        """The queries that have the texts to be judged: (Q,) bool."""
        return np.array([judgment.missing not in LACKING for judgment in self.judgments], bool)

    @property
    def reasons(self) -> list[str | None]:
        """Why each query without a value has none."""
        return [
            judgment.missing for judgment, value in zip(self.judgments, self.values, strict=True) if np.isnan(value)
        ]

    @property
    def flags(self) -> Counter:
        """Queries by what is worth knowing: "vacuous" (no claims), "cut" (a chunk not shown whole)."""
        return Counter(flag for judgment in self.judgments for flag in judgment.flags)

    def rows(self, query_ids: Sequence[str]) -> list[dict]:
        """Every claim or chunk with its verdict and reason, for reading and export."""
        return [{"query_id": query, "metric": self.name, **row}
                for query, judgment in zip(query_ids, self.judgments, strict=True) for row in judgment.rows]


def reason_counts(reasons: Mapping[str, int]) -> str:
    """3 no reply in time, 1 an empty reply."""
    return ", ".join(f"{n:,} {words}" for words, n in reasons.items())


def is_constant(values: np.ndarray) -> bool:
    """Whether a judge has given MIN_CONSTANT scores or more, all of them the same; NaN does not count.

    Examples
    --------
    >>> is_constant(np.ones(10)), is_constant(np.ones(9)), is_constant(np.array([0.0] * 9 + [1.0]))
    (True, False, False)
    """
    defined = values[~np.isnan(values)]
    return len(defined) >= MIN_CONSTANT and bool((defined == defined[0]).all())


def aggregate(values: np.ndarray, pool: str = MEAN) -> tuple[Values, np.ndarray, np.ndarray]:
    """(value, share of the most frequent one, whether a majority is tied) of values (N, Q): (Q,) each.

    NaN where one of the N is NaN, and where the most frequent of a majority are several. Values that differ by rounding
    alone are the same.
    """
    undefined, rounded = np.isnan(values).any(axis=0), values.round(DIGITS)
    times = np.array([(rounded == row).sum(axis=0) for row in rounded])
    greatest, winner = times.max(axis=0), (times.argmax(axis=0), np.arange(values.shape[1]))
    tied = ((times == greatest) & (rounded != rounded[winner])).any(axis=0) & ~undefined & (pool == MAJORITY)
    value = np.where(tied | undefined, np.nan, values[winner] if pool == MAJORITY else values.mean(axis=0))
    return value, np.where(np.isnan(value), np.nan, greatest / len(values)), tied


def pooled(members: Sequence[Verdicts], pool: str = MEAN) -> Verdicts:
    """The verdicts of several judges on a metric as those of one; those of one whose votes are pooled say so.

    Defined where every judge has a value; else missing with the reason and whose it is.
    """
    panel = Panel(tuple(verdicts.judge for verdicts in members), pool)
    if len(members) == 1:
        return replace(members[0], judge=panel)
    values, agreement, tied = aggregate(np.array([verdicts.values for verdicts in members]), pool)
    judgments = tuple(_joint(members, q, float(values[q]), bool(tied[q])) for q in range(len(values)))
    model = next((verdicts.model for verdicts in members if verdicts.model), None)
    return Verdicts(members[0].name, panel, values, judgments, agreement, model, tuple(members))


def _joint(panel: Sequence[Verdicts], q: int, value: float, tied: bool) -> Judgment:
    """What several judges say of a query, the rows of each under its name."""
    judgments = [verdicts.judgments[q] for verdicts in panel]
    rows = tuple(
        {"judge": str(verdicts.judge), **row}
        for verdicts, judgment in zip(panel, judgments, strict=True)
        for row in judgment.rows
    )
    flags = tuple(dict.fromkeys(flag for judgment in judgments for flag in judgment.flags))
    return Judgment(value, None if value == value else "tied" if tied else _missing_reason(panel, q), rows, flags)


def _missing_reason(panel: Sequence[Verdicts], q: int) -> str:
    """Why a query has no value of all judges, and whose that is; first what no asking fixes."""
    lacking = [
        (verdicts.judgments[q].missing or "no-vote", str(verdicts.judge))
        for verdicts in panel
        if np.isnan(verdicts.values[q])
    ]
    code = min((code for code, _ in lacking), key=lambda verdicts: (verdicts not in LACKING, verdicts not in SETTLED))
    return code if code in LACKING else code + BY + ", ".join(judge for names, judge in lacking if names == code)
