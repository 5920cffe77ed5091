"""What speaks against a comparison, as data: a kind, facts, and how serious it is. The words are a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ragdash.core.messages import Surface, render
from ragdash.metrics import Spec

LEVELS = ("withheld", "qualified", "note")
"""withheld: no verdict until it is fixed or accepted; qualified: the verdict says it; note: normal, worth knowing."""
NEVER_ACCEPTED = ("other-judges",)
"""Checks that cannot be accepted: the values are not of one scale, so there is no difference to show."""
OF_RANKINGS = ("rising-scores", "other-ids", "other-level", "unknown-ids", "no-common-document", "shallow-run",
               "inverted-grades")
"""Checks of the returned documents that withhold a verdict: they concern metrics of rankings alone."""
NO_RANKINGS = "no-rankings"
EXPLAIN_NOTHING = ("missing-queries/skipped", "no-references", "nearly-same")
"""Checks that are no reason for a difference: the same queries are compared, by a metric that needs no references.
Two runs that are nearly the same only make its test stricter."""
MISSING_FIELDS = ("no-references", "no-rankings/no-answers")
"""What the files lack so that nothing says how good the answers are."""
FIXES = ("reversed-scores", "modeled-times")
"""Notes on what was done to a run by choice. They are shown wherever its values are shown."""


@dataclass(frozen=True)
class RunCheck:
    """One check that fired.

    Parameters
    ----------
    message
        A row of `ragdash.core.messages.checks` without "check-": "missing-queries", "rising-scores/ranked".
    level : {"withheld", "qualified", "note"}
        How serious it is.
    runs
        Names of the runs that it is about; empty for all of them.
    facts
        What the words are made of.
    option
        The switch that fixes it, such as ("missing", "skip") or ("scores", "reverse"); None where there is none.
    also
        Switches that the fix needs too, such as a spelling of ids next to a way to collapse.
    alike
        Further runs of which the same is true; filled by `merge_alike`.
    """

    message: str
    level: str
    runs: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    option: tuple[str, str] | None = None
    also: tuple[tuple[str, str], ...] = ()
    alike: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The stable word for programs and for --accept."""
        return self.message.partition("/")[0]

    def found(self, surface: Surface = "cli") -> str:
        """What was found."""
        return self._words(surface).actual

    def effect(self, surface: Surface = "cli") -> str:
        """What follows from it."""
        return self._words(surface).expected

    def fix(self, surface: Surface = "cli") -> str:
        """How to fix it there."""
        return self._words(surface).fix

    @property
    def badge(self) -> str:
        """Two or three words next to the name of a run."""
        return self._words("page").reason

    @property
    def mark(self) -> str:
        """The badge as text: with a warning sign, unless it is a note."""
        return self.badge if self.level == "note" else f"⚠ {self.badge}"

    def concerns(self, spec: Spec) -> bool:
        """Whether it speaks against values of this metric: ids of documents do not matter to metrics of answers."""
        is_of_rankings = self.kind in OF_RANKINGS and self.facts.get("ids") != "queries"
        return not is_of_rankings or spec.metric.of_rankings

    def could_explain(self, spec: Spec) -> bool:
        """Whether a difference on this metric may come from it."""
        return self.message not in EXPLAIN_NOTHING and self.concerns(spec)

    def as_dict(self) -> dict:
        """The check for JSON."""
        words = self._words("json")
        return {"kind": self.kind, "level": self.level, "runs": list(self.runs), "facts": dict(self.facts),
                "found": words.actual, "effect": words.expected, "fix": words.fix,
                "option": list(self.option) if self.option else None}

    def _words(self, surface: Surface):
        return render(f"check-{self.message}", self.facts, surface)


def of_level(checks: Iterable[RunCheck], level: str, accepted: Iterable[str] = ()) -> tuple[RunCheck, ...]:
    """The checks of a level; those that were accepted are left out of "withheld" and join "qualified"."""
    accepted = set(accepted) - set(NEVER_ACCEPTED)
    return tuple(check for check in checks
                 if (("qualified" if check.level == "withheld" and check.kind in accepted else check.level) == level))


def can_be_accepted(checks: Iterable[RunCheck]) -> bool:
    """Whether whoever accepts all of these checks gets a verdict."""
    return all(check.kind not in NEVER_ACCEPTED for check in checks)


def withheld_checks(checks: Iterable[RunCheck], spec: Spec, accepted: Iterable[str] = ()) -> tuple[RunCheck, ...]:
    """The checks that withhold a verdict on this metric until they are fixed or accepted."""
    return tuple(check for check in of_level(checks, "withheld", accepted) if check.concerns(spec))


def badges(checks: Iterable[RunCheck], run: str) -> tuple[RunCheck, ...]:
    """The checks that are about this run, without the notes, the worst first; and what was done to it."""
    return tuple(sorted((check for check in checks
                         if run in check.runs and (check.level != "note" or check.kind in FIXES)),
                        key=lambda check: LEVELS.index(check.level)))


def checks_to_show(checks: Iterable[RunCheck], accepted: Iterable[str] = ()) -> tuple[RunCheck, ...]:
    """What is said wherever values of these runs are shown: withheld, qualified, and what was done to runs."""
    checks, accepted = tuple(checks), tuple(accepted)
    fixes = (check for check in checks if check.kind in FIXES)
    return (*of_level(checks, "withheld", accepted), *of_level(checks, "qualified", accepted), *fixes)


def merge_alike(checks: Iterable[RunCheck]) -> tuple[RunCheck, ...]:
    """One check in place of several that say the same of one run each: nine runs that are equally shallow, say."""
    groups: dict[object, list[RunCheck]] = {}
    for index, check in enumerate(checks):
        key: object = index
        if len(check.runs) == 1:
            facts = {name: value for name, value in check.facts.items() if name != "run"}
            key = (check.message, check.level, check.option, check.also, repr(sorted(facts.items())))
        groups.setdefault(key, []).append(check)
    return tuple(replace(group[0], alike=tuple(check.runs[0] for check in group[1:])) for group in groups.values())
