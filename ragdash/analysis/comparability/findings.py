"""What a ledger is made of: entries, each something counted, and effects, each a mean under another choice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from ragdash.core.errors import Problem
from ragdash.core.messages import Surface, Words, render
from ragdash.metrics import Spec

SEVERITIES = ("error", "warning", "note", "ok")
SHOWN = 3  # examples, and metrics whose mean moves most
LEAST = 0.0001  # a change that is written with its digits
MIRRORED = "the other way"


@dataclass(frozen=True)
class ComparabilityEntry:
    """One thing counted: count of total (such as queries of the truth that the run lacks). The words are a table.

    Parameters
    ----------
    message
        A row of `ragdash.core.messages.comparability` without "compare-": "extra-queries", "missing-queries/zero".
    severity : {"ok", "note", "warning", "error"}
        ok: nothing to see; error: no numbers come of it.
    run
        Its name; None for the truth or the runs among themselves.
    count, total
        How many of how many.
    examples
        Ids or pairs of ids, for people.
    facts
        What else the words are made of.
    option
        A switch and its word that fix it, such as ("ids", "zeros"), or None.
    also
        Further switches that the fix needs to bear fruit.
    k
        The cutoff, where it is about one.
    cause
        The problem whose words these are.

    Examples
    --------
    >>> entry = ComparabilityEntry("extra-queries", "warning", "dense", 2, 10, ("q7", "q8"))
    >>> entry.kind, entry.found
    ('extra-queries', "2 of 10 queries of the run are not in the ground truth, such as 'q7', 'q8'.")
    """

    message: str
    severity: str
    run: str | None
    count: int
    total: int
    examples: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    option: tuple[str, str] | None = None
    also: tuple[tuple[str, str], ...] = ()
    k: int | None = None
    cause: Problem | None = None

    @property
    def kind(self) -> str:
        """The stable word for programs."""
        return self.message.partition("/")[0]

    @property
    def flags(self) -> str:
        """The fix as options of the command line: "--collapse prefix:_ --ids zeros"; empty where there is none."""
        if self.option == ("scores", "reverse"):
            return f"--reverse-scores {self.run!r}"
        return " ".join(f"--{name} {word}" for name, word in (*((self.option,) if self.option else ()), *self.also))

    def words(self, surface: Surface = "cli") -> Words:
        """What was counted, what follows and the fix on a surface; the last two are empty where nothing is wrong."""
        facts = {"count": self.count, "total": self.total, "share": self.count / self.total if self.total else 0.0,
                 "examples": self.examples, "k": self.k, "flags": self.flags, "also": self.also,
                 "cause": self.cause.words(surface) if self.cause else None, "each": False, **self.facts}
        words = render(f"compare-{self.message}", facts, surface)
        return words if self.count or self.severity == "error" else words._replace(expected="", fix="")

    @property
    def found(self) -> str:
        """What was counted."""
        return self.words().actual

    @property
    def effect(self) -> str:
        """What follows from it."""
        return self.words().expected

    @property
    def fix(self) -> str:
        """How to fix it on the command line."""
        return self.words().fix

    def as_dict(self) -> dict:
        """The entry for JSON."""
        words = self.words("json")
        return {"kind": self.kind, "severity": self.severity, "run": self.run, "found": words.actual,
                "count": self.count, "total": self.total, "examples": self.examples, "effect": words.expected,
                "fix": words.fix, "option": self.option, "also": self.also, "k": self.k, "facts": dict(self.facts),
                "flags": self.flags}


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
    """entries in the order truth, runs, runs among themselves; effects: a row per convention, choice, run and spec.

    configurations: that of each run, where some runs are repeats of one of several.
    """

    entries: tuple[ComparabilityEntry, ...]
    effects: tuple[ConventionEffect, ...]
    configurations: Mapping[str, str] = field(default_factory=dict)

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
                "effects": [effect.as_dict() for effect in self.effects],
                **({"configurations": dict(self.configurations)} if self.configurations else {})}


def changes(effects: Iterable[ConventionEffect], convention: str, choice: str, run: str | None = None) -> dict:
    """How the means move under a choice, as facts: the metrics that move most, more, and whether none moves."""
    relevant = [effect for effect in effects if effect.convention == convention and run in (None, effect.run)]
    rows = [effect for effect in relevant if effect.choice == choice and effect.marked and not effect.refused]
    chosen_means = {(effect.run, effect.spec): effect.mean for effect in relevant if effect.chosen}
    rows.sort(key=lambda effect: -abs(effect.change) if not math.isnan(effect.change) else -math.inf)
    moves = [
        f"{effect.spec.title if effect.spec.file_column else effect.spec}{'' if run else f' of {effect.run}'} "
        f"{_move(chosen_means[effect.run, effect.spec], effect)} (n = {effect.n:,})"
        for effect in rows[:SHOWN]
    ]
    return {"moves": moves, "more": max(len(rows) - SHOWN, 0), "unmoved": not rows}


def _move(chosen_mean: float, effect: ConventionEffect) -> str:
    if abs(effect.change) < LEAST:
        return f"by less than {LEAST}"
    return f"{_number(chosen_mean)} to {_number(effect.mean)}"


def _number(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"
