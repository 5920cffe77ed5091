"""What a file holds under a reading, and what is collected for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import compress

from ragdash.core.errors import Problem
from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run, Truth


@dataclass
class FileContent:
    """What a file holds under a reading."""

    runs: list[Run] = field(default_factory=list)
    truth: Truth | None = None
    scores: FileScores | None = None
    problems: tuple[Problem, ...] = ()


@dataclass
class QueryContent:
    """What one query has in one configuration."""

    docs: list[str] = field(default_factory=list)
    numbers: dict[str, list] = field(default_factory=lambda: {"score": [], "rank": []})
    texts: list = field(default_factory=list)
    sources: list = field(default_factory=list)
    details: dict = field(default_factory=dict)

    def keep(self, kept: list[bool]) -> None:
        """Leave out the other documents."""
        self.docs, self.texts, self.sources = (list(compress(items, kept)) for items in (
            self.docs, self.texts, self.sources))
        self.numbers = {name: list(compress(numbers, kept)) for name, numbers in self.numbers.items()}


def leave_out_unranked(configs: Iterable[Mapping[str, QueryContent]]) -> dict[str, int]:
    """Leave out the documents without a rank where others of a configuration have one; {what is missing: how often}.

    A document that a ranking gives no rank was not returned. Of the scores it is only counted how many are missing.
    """
    missing = {"document-without-rank": 0, "document-without-score": 0}
    for entries in (list(config.values()) for config in configs):
        if any(rank is not None for entry in entries for rank in entry.numbers["rank"]):
            for entry in entries:
                has_rank = [rank is not None for rank in entry.numbers["rank"]]
                missing["document-without-rank"] += has_rank.count(False)
                entry.keep(has_rank)
        scores = [score for entry in entries for score in entry.numbers["score"]]
        absent = scores.count(None)
        missing["document-without-score"] += absent if absent < len(scores) else 0
    return missing
