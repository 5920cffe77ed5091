"""What judges say of a metric as values, and the words for a verdict that is missing or undefined.

Letters: Q queries (of the truth).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragdash.judging import MISSING
from ragdash.judging.endpoint import Judge
from ragdash.judging.tasks import Judgement
from ragdash.judging.tasks.chunks import NO_ENCODER
from ragdash.models.cache import Model
from ragdash.views import Values

LACKING: Mapping[str, tuple[str, str]] = {
    "no-answer": ("no answer", "Give the run a column answer."),
    "no-question": ("no text of the query", "Give the truth a column query."),
    "no-references": ("no right answer", "Give the truth a column answers."),
    "no-contexts": ("no contexts", "Give the run a column contexts, or texts to its documents, or the truth a corpus."),
}
"""Reasons that lie in the texts: no judge is asked."""
WHY: Mapping[str, str] = {
    **MISSING, **{reason: words for reason, (words, _) in LACKING.items()}, "no-claims": "the text makes no claim",
    "nothing-to-share": "nothing that a share could be taken of", NO_ENCODER: "questions that no model has embedded",
    "not-imported": "no verdict in the imported file"}
"""Every reason for which a verdict is missing, in words."""
SETTLED = ("no-claims", "nothing-to-share")  # judged, and undefined: a number is not to be had by asking
FINAL = {WHY[reason] for reason in (*SETTLED, "too-long", "not-imported")}  # asking again changes nothing


def why(reason: str | None) -> tuple[str, bool]:
    """(why a query has no value, in words; whether its texts make it undefined, else a verdict is missing)."""
    return WHY.get(reason, reason) if reason else "a vote that is missing", reason in (*LACKING, *SETTLED)


def apart(reasons: Iterable[str | None]) -> tuple[dict[str, int], dict[str, int]]:
    """({why: queries} that are undefined by their texts, the same of verdicts that are missing), most queries first."""
    found: tuple[dict[str, int], dict[str, int]] = {}, {}
    for reason, n in Counter(reasons).most_common():
        words, undefined = why(reason)
        found[not undefined][words] = n
    return found


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What a judge says of a metric. values (Q,), NaN missing; judgements (Q,): of the first vote, with the claims,
    verdicts and reasons; agreement (Q,): share of the votes that gave the most frequent value, NaN where missing;
    model: that embedded questions, None where none is needed.
    """

    name: str
    judge: Judge
    values: Values
    judgements: tuple[Judgement, ...]
    agreement: np.ndarray
    model: Model | None = None

    @property
    def wanted(self) -> np.ndarray:
        """The queries that have the texts to be judged: (Q,) bool."""
        return np.array([one.missing not in LACKING for one in self.judgements], bool)

    @property
    def reasons(self) -> list[str | None]:
        """Why each query without a value has none."""
        return [one.missing for one, value in zip(self.judgements, self.values, strict=True) if np.isnan(value)]

    @property
    def flags(self) -> Counter:
        """Queries by what is worth knowing: "vacuous" (no claims), "cut" (a chunk not shown whole)."""
        return Counter(flag for one in self.judgements for flag in one.flags)

    def rows(self, query_ids: Sequence[str]) -> list[dict]:
        """Every claim or chunk with its verdict and reason, for reading and export."""
        return [{"query_id": query, "metric": self.name, **row}
                for query, one in zip(query_ids, self.judgements, strict=True) for row in one.rows]


def listed(reasons: Mapping[str, int]) -> str:
    """3 no reply in time, 1 an empty reply."""
    return ", ".join(f"{n:,} {words}" for words, n in reasons.items())
