"""RAGChecker's arithmetic: two lists of claims, and which text entails which of them.

A contradiction counts as not entailed. RAGChecker has 0 where a share is of nothing (no claim, no chunk, nothing found
that could be used); here that is undefined.

Letters: A claims of the answer, R claims of the reference, C chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

UNDEFINED = float("nan")
Table = tuple[tuple[bool, ...], ...]


@dataclass(frozen=True)
class Checked:
    """What entails what. correct (A,): the reference entails a claim of the answer; found (R,): the answer entails a
    claim of the reference; supports (A, C), holds (R, C): a chunk entails it. What a metric does not look at may be ().
    """

    correct: tuple[bool, ...] = ()
    found: tuple[bool, ...] = ()
    supports: Table = ()
    holds: Table = ()

    @property
    def faithful(self) -> list[bool]:
        """Whether some chunk entails a claim of the answer: (A,)."""
        return [any(row) for row in self.supports]

    @property
    def recalled(self) -> list[bool]:
        """Whether some chunk entails a claim of the reference: (R,)."""
        return [any(row) for row in self.holds]

    @property
    def useful(self) -> list[bool]:
        """Whether a chunk entails some claim of the reference: (C,); empty where no claim is there."""
        return [any(column) for column in zip(*self.holds, strict=True)]


def share(flags: Iterable[bool]) -> float:
    """The share that is true, NaN of nothing."""
    flags = list(flags)
    return sum(flags) / len(flags) if flags else UNDEFINED


def precision(checked: Checked) -> float:
    """Claims of the answer that the reference entails."""
    return share(checked.correct)


def recall(checked: Checked) -> float:
    """Claims of the reference that the answer entails."""
    return share(checked.found)


def f1(checked: Checked) -> float:
    """Harmonic mean of precision and recall, 0 where both are 0; NaN where one is undefined."""
    p, r = precision(checked), recall(checked)
    return 0.0 if p == r == 0 else 2 * p * r / (p + r)


def claim_recall(checked: Checked) -> float:
    """Claims of the reference that some chunk entails."""
    return share(checked.recalled)


def context_precision(checked: Checked) -> float:
    """Chunks that entail some claim of the reference."""
    return share(checked.useful)


def context_utilization(checked: Checked) -> float:
    """Of the reference's claims that some chunk entails, those that the answer entails."""
    return share(used for used, recalled in zip(checked.found, checked.recalled, strict=True) if recalled)


def noise_in_relevant(checked: Checked) -> float:
    """Claims of the answer that are wrong and supported by a useful chunk."""
    return share(_noise(checked, of_useful=True))


def noise_in_irrelevant(checked: Checked) -> float:
    """Claims of the answer that are wrong and supported by useless chunks only."""
    useful = _noise(checked, of_useful=True)
    useless = _noise(checked, of_useful=False)
    return share(b and not a for a, b in zip(useful, useless, strict=True))


def hallucination(checked: Checked) -> float:
    """Claims of the answer that are wrong and supported by no chunk."""
    return share(not right and not faithful for right, faithful in zip(checked.correct, checked.faithful, strict=True))


def self_knowledge(checked: Checked) -> float:
    """Claims of the answer that are right and supported by no chunk."""
    return share(right and not faithful for right, faithful in zip(checked.correct, checked.faithful, strict=True))


def faithfulness(checked: Checked) -> float:
    """Claims of the answer that some chunk entails."""
    return share(checked.faithful)


def _noise(checked: Checked, *, of_useful: bool) -> list[bool]:
    """Whether a claim of the answer is wrong and a chunk that is useful (or one that is not) entails it: (A,).

    Without a claim of the reference nothing is useful or useless: empty, the share is undefined.
    """
    useful = checked.useful
    if not useful:
        return []
    return [
        not right and any(useful_chunk and (use == of_useful) for useful_chunk, use in zip(row, useful, strict=True))
        for right, row in zip(checked.correct, checked.supports, strict=True)
    ]


FAMILY: Mapping[str, tuple[Callable[[Checked], float], tuple[str, ...]]] = {
    "Precision": (precision, ("correct",)),
    "Recall": (recall, ("found",)),
    "F1": (f1, ("correct", "found")),
    "ClaimRecall": (claim_recall, ("holds",)),
    "ContextPrecision": (context_precision, ("holds",)),
    "ContextUtilization": (context_utilization, ("found", "holds")),
    "NoiseSensitivityRelevant": (noise_in_relevant, ("correct", "supports", "holds")),
    "NoiseSensitivityIrrelevant": (noise_in_irrelevant, ("correct", "supports", "holds")),
    "Hallucination": (hallucination, ("correct", "supports")),
    "SelfKnowledge": (self_knowledge, ("correct", "supports")),
    "Faithfulness": (faithfulness, ("supports",)),
}
"""The value of each metric of the family, and what of Checked it looks at."""


def average_precision(useful: Iterable[bool]) -> float:
    """Mean of the precision at each useful rank, as RAGAS; 0 where none is useful, NaN of no rank."""
    useful = list(useful)
    hits = [sum(useful[:rank]) / rank for rank, is_useful in enumerate(useful, 1) if is_useful]
    return (sum(hits) / len(hits) if hits else 0.0) if useful else UNDEFINED
