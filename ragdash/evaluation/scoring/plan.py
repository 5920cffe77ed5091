"""Plan, progress and report of the work of local models.

Letters: N texts or pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TypeAlias

from ragdash.core import console
from ragdash.core.console import duration
from ragdash.core.errors import Problem
from ragdash.matching.views.local_models import Scored
from ragdash.matching.views.nli import Entailed
from ragdash.models.local import ENCODER, NLI, SCORER, Encoder, Folder, Model, PairScorer, ScoreCache

CHARACTERS_PER_PIECE, LONGEST_PIECES = 4, 512  # of a text, as long as no model has counted them
SIZE_OF_GUESS, RATE_OF_GUESS = 90_868_376, 3_800.0  # bytes of a model, word pieces a second on a processor core
LOADING = 10.0  # seconds
TABLES = {ENCODER: "vectors", SCORER: "scores", NLI: "scores"}

Item: TypeAlias = str | tuple[str, str]
ModelSource: TypeAlias = Folder | Encoder | PairScorer


@dataclass(frozen=True, kw_only=True)
class ScoringProgress(console.Progress):
    """Progress of the work. stage: "loading" or "computing"; done, total: texts or pairs of this model."""

    kind: str
    model: str
    stage: str

    def __str__(self) -> str:
        if self.stage == "loading":
            return f"{self.model}: loading"
        unit = "texts" if self.kind == ENCODER else "pairs"
        return f"{self.model}: {self.done:,} of {self.total:,} {unit}{f', {self.pace}' if self.pace else ''}"


ScoringListener: TypeAlias = Callable[[ScoringProgress], bool | None]
"""Called with the progress; returning False stops the work after the block."""


@dataclass(frozen=True)
class ScoringTask:
    """What one model has to do. items: all that the metrics need; todo: those the store lacks, longest first; model:
    what the store knows of it, None where it is new.
    """

    kind: str
    name: str
    weights: str
    source: ModelSource
    model: Model | None
    items: tuple[Item, ...]
    todo: tuple[Item, ...]

    @property
    def seconds(self) -> float | None:
        """How long that takes, about: at the pace of the last time, or by the size of the model; None: no idea."""
        if not self.todo:
            return 0.0
        rate = self.model.rate if self.model else None
        if rate is None and isinstance(self.source, Folder) and self.source.bytes:
            rate = RATE_OF_GUESS * SIZE_OF_GUESS / self.source.bytes
        longest = self.model.max_length if self.model else LONGEST_PIECES
        return None if not rate else LOADING + sum(word_pieces(item, longest) for item in self.todo) / rate


@dataclass(frozen=True)
class ScoringPlan:
    """The work before it is done; problems: of runs that have nothing to score."""

    names: tuple[str, ...]
    tasks: tuple[ScoringTask, ...]
    scored: tuple[Scored | Entailed, ...]
    store: ScoreCache
    problems: tuple[Problem, ...] = ()

    def __str__(self) -> str:
        return "\n".join(f"{task.name}: {len(task.todo):,} {'texts' if task.kind == ENCODER else 'pairs'} to compute, "
                         f"{len(task.items) - len(task.todo):,} known" + (
                             "" if not task.todo else ", it is not known how long that takes" if task.seconds is None
                             else f", about {duration(task.seconds)}") for task in self.tasks)


@dataclass(frozen=True)
class ScoringReport:
    """What was done. computed, reused: texts and pairs; `cancelled`: stopped before the end, what is done is kept;
    problems: runs without answers, texts that were cut, metrics computed in part.
    """

    computed: int
    reused: int
    seconds: float
    cancelled: bool
    models: tuple[str, ...]
    problems: tuple[Problem, ...]

    def as_dict(self) -> dict:
        return {**asdict(self), "problems": [problem.as_dict() for problem in self.problems]}

    def __str__(self) -> str:
        end = "stopped; the same command goes on from here" if self.cancelled else "done"
        return f"{self.computed:,} computed, {self.reused:,} known before, {duration(self.seconds)}: {end}"


def characters(item: Item) -> int:
    return len(item) if isinstance(item, str) else sum(map(len, item))


def word_pieces(item: Item, longest: int) -> float:
    """Word pieces that a model reads of a text or pair, about."""
    pieces = characters(item) / CHARACTERS_PER_PIECE + 2
    return min(pieces, longest) if longest else pieces
