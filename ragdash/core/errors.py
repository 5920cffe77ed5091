"""Everything that a user can fix: a Problem says where, what was found, what was expected and how to fix it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

SHOWN_PER_KIND = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing in a user's input that is wrong (an error) or worth knowing (a warning).

    kind is a stable word for programs ("nan-score"); line counts from 1 and is None where it means nothing.
    """

    kind: str
    found: str
    expected: str
    fix: str
    file: str | None = None
    line: int | None = None
    field: str | None = None
    severity: str = "error"

    def as_dict(self) -> dict:
        """The problem in the key order of the JSON contract."""
        order = ("file", "line", "field", "found", "expected", "fix", "kind", "severity")
        values = asdict(self)
        return {key: values[key] for key in order}

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        said = bool(self.field) and self.found.startswith((f"{self.field} of ", f"{self.field}, "))
        where = " ".join(part for part in (place, f"({self.field})" if self.field and not said else "") if part)
        head = f"{where}: " if where else ""
        return f"{head}found {self.found}; expected {self.expected}. {self.fix}"


class InputError(ValueError):
    """Input that cannot be used, with every problem found, not only the first."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Unavailable(Exception):
    """Something cannot be computed from what is there; problem says why and what would help, as a warning."""

    def __init__(self, found: str, expected: str, fix: str, field: str | None = None):
        self.problem = Problem("unavailable", found, expected, fix, field=field, severity="warning")
        super().__init__(str(self.problem))


class Collector:
    """Gathers problems of one file; of each kind the first 20 are kept whole and the rest are counted.

    `raise_errors()` raises one InputError with everything that was found, warnings included.
    """

    def __init__(self, file: str | None = None):
        self.file = file
        self._kept: dict[str, list[Problem]] = {}
        self._count: dict[str, int] = {}

    def add(self, kind: str, found: str, expected: str, fix: str, *, line: int | None = None,
            field: str | None = None, severity: str = "error", count: int = 1) -> None:
        """Note a problem; count > 1 says that this one stands for several alike."""
        self._count[kind] = self._count.get(kind, 0) + count
        kept = self._kept.setdefault(kind, [])
        if len(kept) < SHOWN_PER_KIND:
            kept.append(Problem(kind, shorten(found), expected, fix, self.file, line, field, severity))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems, kinds in order of appearance; the last kept of a capped kind tells how many more there are."""
        result = []
        for kind, kept in self._kept.items():
            more = self._count[kind] - len(kept)
            if more > 0:
                last = kept[-1]
                kept = [*kept[:-1], replace(last, found=f"{last.found} (and {more:,} more like it)")]
            result.extend(kept)
        return tuple(result)

    def raise_errors(self) -> None:
        """Raise InputError if any error (not only warnings) was noted."""
        problems = self.problems
        if any(problem.severity == "error" for problem in problems):
            raise InputError(problems)


def shorten(text: str, limit: int = 120) -> str:
    """The text on one line, cut in the middle where it is longer than limit."""
    text = " ".join(str(text).split())
    if len(text) <= limit:
        return text
    half = (limit - 3) // 2
    return f"{text[:half]} … {text[-half:]}"
