"""What a ledger is made of: entries, each something counted, and effects, each a mean under another choice."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from ragdash.core.text.quoted import quoted
from ragdash.metrics import Spec

SEVERITIES = ("error", "warning", "note", "ok")
SHOWN = 3  # examples, and metrics whose mean moves most
LEAST = 0.0001  # a change that is written with its digits
MIRRORED = "the other way"


@dataclass(frozen=True)
class ComparabilityEntry:
    """One thing counted: count of total (such as queries of the truth that the run lacks), and what follows from it.

    kind: a stable word for programs; severity: "ok" (nothing to see), "note", "warning", "error" (no numbers come of
    it); run: its name, None for the truth or the runs among themselves; found, effect, fix: sentences; k: the cutoff,
    where it is about one. option: a switch and its word that fix it, such as ("ids", "zeros"), or None; also: further
    switches that the fix needs to bear fruit.
    """

    kind: str
    severity: str
    run: str | None
    found: str
    count: int
    total: int
    examples: tuple[str, ...] = ()
    effect: str = ""
    fix: str = ""
    option: tuple[str, str] | None = None
    also: tuple[tuple[str, str], ...] = ()
    k: int | None = None

    @property
    def flags(self) -> str:
        """The fix as options of the command line: "--collapse prefix:_ --ids zeros"; empty where there is none."""
        return " ".join(f"--{name} {word}" for name, word in (*((self.option,) if self.option else ()), *self.also))

    def as_dict(self) -> dict:
        """The entry for JSON."""
        return {**asdict(self), "flags": self.flags}


@dataclass(frozen=True)
class ConventionEffect:
    """The mean of a spec over n queries if this choice were made; change: to the mean under the chosen conventions.

    choice "the other way" (of ties) is no switch: it shows how much depends on the order of equal scores.
    refused: under this choice the run is not evaluated at all (mean and change are NaN).
    """

    convention: str
    choice: str
    run: str
    spec: Spec
    mean: float
    n: int
    change: float
    chosen: bool
    marked: bool
    refused: bool = False

    def as_dict(self) -> dict:
        """The effect for JSON: undefined numbers are null."""
        numbers = {name: None if math.isnan(value) else value
                   for name, value in (("mean", self.mean), ("change", self.change))}
        return {**asdict(self), "spec": str(self.spec), **numbers}


@dataclass(frozen=True, eq=False)
class ComparabilityReport:
    """entries in the order truth, runs, runs among themselves; effects: a row per convention, choice, run and spec."""

    entries: tuple[ComparabilityEntry, ...]
    effects: tuple[ConventionEffect, ...]

    @property
    def findings(self) -> tuple[ComparabilityEntry, ...]:
        """The entries that are worth reading, the worst first."""
        worth = [entry for entry in self.entries if entry.severity != "ok"]
        return tuple(sorted(worth, key=lambda entry: SEVERITIES.index(entry.severity)))

    @property
    def severity(self) -> str:
        """That of the worst entry."""
        return self.findings[0].severity if self.findings else "ok"

    def of(self, kind: str, run: str | None = None, k: int | None = None) -> ComparabilityEntry | None:
        """The first entry of this kind, run and cutoff, or None."""
        return next((entry for entry in self.entries if (entry.kind, entry.run, entry.k) == (kind, run, k)), None)

    def as_dict(self) -> dict:
        """Both tables for JSON."""
        return {"entries": [entry.as_dict() for entry in self.entries],
                "effects": [effect.as_dict() for effect in self.effects]}


def describe_changes(effects: Iterable[ConventionEffect], convention: str, choice: str, run: str | None = None) -> str:
    """In words, how the means move under a choice: the metrics that move most."""
    relevant = [effect for effect in effects if effect.convention == convention and run in (None, effect.run)]
    rows = [effect for effect in relevant if effect.choice == choice and effect.marked and not effect.refused]
    chosen_means = {(effect.run, effect.spec): effect.mean for effect in relevant if effect.chosen}
    if not rows:
        return "No mean changes."
    rows.sort(key=lambda effect: -abs(effect.change) if not math.isnan(effect.change) else -math.inf)
    phrases = [
        f"{effect.spec}{'' if run else f' of {effect.run}'} {_move(chosen_means[effect.run, effect.spec], effect)} "
        f"(n = {effect.n:,})"
        for effect in rows[:SHOWN]
    ]
    return f"{', '.join(phrases)}{' and others' if len(rows) > SHOWN else ''}."


def format_examples(examples: Iterable[str]) -> str:
    """", such as 'a', 'b'", or nothing."""
    shown = ", ".join(quoted(example) for example in examples)
    return f", such as {shown}" if shown else ""


def _move(chosen_mean: float, effect: ConventionEffect) -> str:
    if abs(effect.change) < LEAST:
        return f"by less than {LEAST}"
    return f"{_number(chosen_mean)} to {_number(effect.mean)}"


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"
