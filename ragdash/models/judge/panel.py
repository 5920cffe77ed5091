"""Several judges heard as one, and how the choice of judges is written: "A + B", "majority of A + B", "majority".

A name is a model or "model at host"; an empty one is any judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ragdash.models.judge.endpoint import Judge

MEAN, MAJORITY = "mean", "majority"
AND = " + "
_CHOICE = re.compile(rf"(?:({MEAN}|{MAJORITY})(?:$| of (?:\d+ judges: |votes: )?))?(.*)", re.DOTALL)


@dataclass(frozen=True)
class Panel:
    """Judges whose verdicts on a query are one value: their mean, or the most frequent. One judge: of its votes."""

    judges: tuple[Judge, ...]
    pool: str = MEAN
    host = ""  # of none

    @property
    def model(self) -> str:
        """The models of all."""
        return AND.join(member.model for member in self.judges)

    def __str__(self) -> str:
        return panel_label(map(str, self.judges), self.pool)


def panel_label(names: Iterable[str], pool: str = MEAN) -> str:
    """mean of 2 judges: A at host + B at host."""
    names = list(names)
    return f"{pool} of {f'{len(names)} judges' if len(names) > 1 else 'votes'}: {AND.join(names)}"


def parse_choice(label: str) -> tuple[str, list[str]]:
    """(how they are put together, the names) of a choice of judges, or of a panel as it calls itself."""
    pool, names = _CHOICE.fullmatch(label).groups()
    return pool or MEAN, [name.strip() for name in names.split(AND)]
