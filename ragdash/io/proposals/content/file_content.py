"""What a file holds under a reading, and what is collected for it."""

from __future__ import annotations

from dataclasses import dataclass, field

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
