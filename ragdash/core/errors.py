"""Everything that a user can fix: a Problem says what happened and where; its words come from a table of messages."""

from __future__ import annotations

import errno
import math
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Self

from ragdash.core.messages import Surface, Words, needed, render, shown_facts
from ragdash.core.text.quoted import cut_middle, kind_of, object_text

SHOWN_PER_KIND = 20
_SHOWN_ONCE = {"wrong-encoding"}  # kinds that are about the whole file, whatever lines they name
LONGEST_FACT = 120
_OLDER = "verbatim"
_LACKS_MEMORY = ("can't start new thread", "Failed to launch worker thread", "Cannot allocate memory",
                 "failed to map segment")
_MOST_BITS = 14_000  # Python writes no whole number of more than 4,300 digits


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing in a user's input that is wrong (an error) or worth knowing (a warning).

    Parameters
    ----------
    message
        The name of a row in `ragdash.core.messages.MESSAGES`: a kind ("nan-score"), or one of its wordings
        ("kind/wording").
    facts
        What the words are made of: texts, numbers, booleans, lists of these, and counts by name ({reason: queries}).
        `run` is the name of a run, or a list of them.
    line
        Counts from 1; None where it means nothing.
    cause
        The problem behind this one, whose words the message repeats as {cause.actual}, {cause.expected}, {cause.fix}.
    more
        How many more problems of the kind there are that were counted only.

    Raises
    ------
    LookupError
        There is no such message, or a fact is missing that its words need.

    Examples
    --------
    >>> problem = Problem("duplicate-run", {"run": "bm25"})
    >>> problem.kind, problem.actual, problem.severity
    ('duplicate-run', "two runs called 'bm25'", 'error')
    """

    message: str
    facts: Mapping[str, object] = field(default_factory=dict, hash=False)
    file: str | None = None
    line: int | None = None
    field: str | None = None
    severity: str = "error"
    cause: Problem | None = None
    more: int = 0

    def __post_init__(self):
        object.__setattr__(self, "facts", {
            name: represent(fact) if is_deep(fact) else _plain(fact) for name, fact in self.facts.items()})
        for name in ("file", "field"):
            object.__setattr__(self, name, _plain(getattr(self, name)))
        missing = needed(self.message) - self.facts.keys() - {"file", "line", "field", "cause"}
        if missing:
            raise LookupError(f"the message {self.message!r} needs {', '.join(sorted(missing))}")

    @property
    def kind(self) -> str:
        """The stable word for programs: what comes before the slash in the name of the message."""
        return self.facts["kind"] if self.message == _OLDER else self.message.partition("/")[0]

    @property
    def actual(self) -> str:
        """What is wrong, in words."""
        return self.words().actual

    @property
    def expected(self) -> str:
        """What was expected, in words."""
        return self.words().expected

    @property
    def fix(self) -> str:
        """How to fix it on the command line, in words."""
        return self.words().fix

    def words(self, surface: Surface = "cli") -> Words:
        """Return the words of the problem on a surface: command line, page, report or JSON."""
        cause = _Cause()
        if self.cause is not None:
            cause = _Cause(**self.cause.words(surface)._asdict(), file=self.cause.file or "")
        facts = {"file": self.file, "line": self.line, "field": self.field, "cause": cause, **self.facts}
        words = render(self.message, facts, surface)
        return words._replace(actual=f"{words.actual} (and {self.more:,} more like it)") if self.more else words

    def as_dict(self) -> dict:
        """The problem in the key order of the JSON contract: in words, and as the data that `of_dict` reads."""
        words = self.words("json")
        return {"file": self.file, "line": self.line, "field": self.field, "found": words.actual,
                "expected": words.expected, "fix": words.fix, "kind": self.kind, "severity": self.severity,
                "message": self.message, "facts": {name: _finite(fact) for name, fact in self.facts.items()},
                "cause": self.cause.as_dict() if self.cause else None, "more": self.more}

    @classmethod
    def of_dict(cls, data: Mapping) -> Problem:
        """The problem that `as_dict` gave; one in words alone, as older versions wrote it, keeps its words."""
        names = ("file", "line", "field", "severity")
        if "message" not in data:
            words = {name: data.get(name, "") for name in ("kind", "found", "expected")}
            return cls(_OLDER, {**words, "fix": data.get("fix", data.get("mend", ""))}, *map(data.get, names[:3]),
                       data.get("severity", "error"))
        cause = cls.of_dict(data["cause"]) if data.get("cause") else None
        return cls(data["message"], data["facts"], *map(data.get, names), cause, data.get("more", 0))

    def __str__(self) -> str:
        words = self.words()
        return f"{self.place}found {words.actual}; expected {words.expected}. {words.fix}"

    @property
    def place(self) -> str:
        """File, line and field in front of what was found, "a.csv:3 (score): "; empty where none is known."""
        location = ":".join(str(item) for item in (self.file, self.line) if item is not None)
        facts = {"field": self.field, **self.facts}
        is_named = any(facts.get(fact) == self.field for fact in shown_facts(self.message))
        name = f"({self.field})" if self.field and not is_named else ""
        prefix = " ".join(item for item in (location, name) if item)
        return f"{prefix}: " if prefix else ""


@dataclass(frozen=True, slots=True)
class _Cause:
    """What a message may repeat of the problem behind it; empty where there is none."""

    actual: str = ""
    expected: str = ""
    fix: str = ""
    reason: str = ""
    file: str = ""


class InputError(ValueError):
    """Input that cannot be used, with every problem in it, not only the first.

    Parameters
    ----------
    problems
        What is wrong; kept in the attribute `problems`. The text of the error has a line for each.

    Examples
    --------
    >>> str(InputError([Problem("duplicate-run", {"run": "bm25"}, file="runs.json")]))[:42]
    "runs.json: found two runs called 'bm25'; e"
    """

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple:
        return type(self), (self.problems,)


class UnknownKey(InputError, KeyError):
    """A query or a metric that is not among those of an object; a KeyError, too.

    Examples
    --------
    >>> raise UnknownKey("unknown-key/query", {"query": "q9", "name": "bm25"})
    Traceback (most recent call last):
    ragdash.core.errors.UnknownKey: found no query 'q9' in 'bm25'; expected one of its queries. See its query_ids.
    """

    def __init__(self, message: str, facts: Mapping[str, object]):
        super().__init__([Problem(message, facts)])

    def __reduce__(self) -> tuple:
        return type(self), (self.problems[0].message, self.problems[0].facts)

    __str__ = Exception.__str__  # that of KeyError quotes


class Unavailable(Exception):
    """Something cannot be computed from what is there; problem says why and what would help, as a warning."""

    def __init__(self, message: str, facts: Mapping[str, object] | None = None, field: str | None = None,
                 cause: Problem | None = None):
        self.problem = Problem(f"unavailable/{message}", facts or {}, field=field, severity="warning", cause=cause)
        super().__init__(str(self.problem))

    def __reduce__(self) -> tuple:
        problem = self.problem
        return type(self), (problem.message.partition("/")[2], problem.facts, problem.field, problem.cause)

    def again(self) -> Unavailable:
        """The same, to be raised once more."""
        return copy(self)


def number_of(problems: Iterable[Problem]) -> int:
    """How many problems these are, with those that were counted only."""
    return sum(1 + problem.more for problem in problems)


def groups_of_alike(problems: Iterable[Problem], surface: Surface = "cli") -> list[list[Problem]]:
    """Problems of one file of which the same was expected and that are fixed in the same way, in order of appearance.

    Examples
    --------
    >>> bad = [Problem("bad-number", {"value": value}, file) for value, file in (("x", "a"), ("y", "b"), ("z", "a"))]
    >>> [[problem.facts["value"] for problem in group] for group in groups_of_alike(bad)]
    [['x', 'z'], ['y']]
    """
    groups: dict[tuple, list[Problem]] = {}
    for problem in problems:
        words = problem.words(surface)
        groups.setdefault((problem.severity, problem.file, problem.kind, words.expected, words.fix), []).append(problem)
    return list(groups.values())


class Collector:
    """Gathers problems of one file; of each kind the first 20 are kept whole and the rest are counted.

    Of a kind that is about the whole file, such as its encoding, the first alone is kept.

    `raise_errors()` raises one InputError with everything that was found, warnings included.
    """

    def __init__(self, file: str | None = None):
        self.file = file
        self._kept: dict[str, list[Problem]] = {}
        self._count: dict[str, int] = {}

    def add(self, message: str, facts: Mapping[str, object] | None = None, *, line: int | None = None,
            field: str | None = None, severity: str = "error", count: int = 1) -> None:
        """Note a problem; count > 1: it represents several alike."""
        kind = message.partition("/")[0]
        self._count[kind] = self._count.get(kind, 0) + count
        problems = self._kept.setdefault(kind, [])
        if len(problems) < (1 if kind in _SHOWN_ONCE else SHOWN_PER_KIND):
            short = {name: shorten(fact, LONGEST_FACT) if isinstance(fact, str) else fact
                     for name, fact in (facts or {}).items()}
            problems.append(Problem(message, short, self.file, line, field, severity))

    def has(self, message: str, facts: Mapping[str, object]) -> bool:
        """Whether this problem is one of those that are kept whole."""
        problems = self._kept.get(message.partition("/")[0], ())
        return any((problem.message, problem.facts) == (message, facts) for problem in problems)

    def take(self, problem: Problem) -> None:
        """Note a problem that is known already, as one of this file."""
        self.add(problem.message, problem.facts, line=problem.line, field=problem.field, severity=problem.severity)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems, kinds in order of appearance; the last one of a capped kind says how many more there are."""
        result = []
        for kind, problems in self._kept.items():
            more = self._count[kind] - len(problems)
            result.extend(problems if more <= 0 else [*problems[:-1], replace(problems[-1], more=more)])
        return tuple(result)

    def raise_errors(self) -> None:
        """Raise InputError if any error (not only warnings) was noted."""
        problems = self.problems
        if any(problem.severity == "error" for problem in problems):
            raise InputError(problems)


class Caught:
    """Takes what code of other people raises in a with block; to stop the program is not for it to decide.

    Examples
    --------
    >>> with Caught() as caught:
    ...     raise ValueError("no answer")
    >>> caught.error
    ValueError('no answer')
    """

    error: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        self.error = error if kind is not None and issubclass(kind, Exception) else None  # type: ignore
        return self.error is not None


def lacks_memory(error: Exception) -> bool:
    """Whether an error says that memory is too short: threads and imported libraries need memory too.

    Examples
    --------
    >>> lacks_memory(RuntimeError("can't start new thread")), lacks_memory(ImportError("No module named 'x'"))
    (True, False)
    """
    return (isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
            or any(text in str(error) for text in _LACKS_MEMORY))


def is_disk_full(error: BaseException) -> bool:
    """Whether an error says that a disk, a quota or a limit of the size of files takes no more.

    Examples
    --------
    >>> is_disk_full(OSError(errno.ENOSPC, "No space left on device")), is_disk_full(OSError("full"))
    (True, False)
    """
    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def is_away(error: InputError) -> bool:
    """Whether an error says that a shared database or its blobs cannot be used now.

    Examples
    --------
    >>> is_away(InputError([Problem("unusable-database/busy", {"reason": "full"})]))
    True
    >>> is_away(InputError([Problem("no-worker")]))
    False
    """
    return all(problem.message.startswith(("unusable-database", "unusable-blobs", "database-tables"))
               for problem in error.problems)


def shorten(text: str, limit: int = 120) -> str:
    """Return the text on one line, cut in the middle, between words where it has them, if it is longer than limit.

    Examples
    --------
    >>> shorten("a long\\nline of text", 15)
    'a long … text'
    """
    return cut_middle(" ".join(str(text).split()), limit)


def represent(value: object, limit: int = 120) -> str:
    """What Python shows of a value, shortened; its kind where Python can show nothing.

    Examples
    --------
    >>> represent("low"), represent(10**5000)
    ("'low'", 'an int')
    """
    kind = kind_of(value)
    return shorten(object_text(value, repr), limit) or f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def is_deep(value: object, limit: int = 100) -> bool:
    """Whether lists and dicts hold each other in more levels than the limit: Arrow ends the process for 50,000.

    Examples
    --------
    >>> is_deep([[1]], 1), is_deep({"a": [1]}, 2)
    (True, False)
    """
    outer = [value] if isinstance(value, list | tuple | dict) else []
    for _ in range(limit):
        if not outer:
            return False
        items = (item for one in outer for item in (one.values() if isinstance(one, dict) else one))
        outer = list({id(item): item for item in items if isinstance(item, list | tuple | dict)}.values())
    return bool(outer)


def _plain(fact: object) -> object:
    """Return a fact as a text, a number, a boolean, None, or a list or mapping of these."""
    if isinstance(fact, int) and fact.bit_length() > _MOST_BITS:
        return represent(fact)
    if isinstance(fact, str):  # half of a character has no form in UTF-8, so no message could be printed
        return fact.encode("utf-8", "backslashreplace").decode()
    if isinstance(fact, (bool, int, float)) or fact is None:
        return fact
    if isinstance(fact, (list, tuple)):
        return [_plain(item) for item in fact]
    if isinstance(fact, Mapping):
        return {str(name): _plain(item) for name, item in fact.items()}
    if hasattr(fact, "item") and getattr(fact, "size", 1) == 1:  # a number of numpy or of Arrow
        item = fact.item()
        return str(fact) if type(item) is type(fact) else _plain(item)  # a longdouble gives itself
    return object_text(fact) or kind_of(fact)


def _finite(fact: object) -> object:
    """A fact for JSON, which has no infinity."""
    if isinstance(fact, list):
        return [_finite(item) for item in fact]
    return str(fact) if isinstance(fact, float) and not math.isfinite(fact) else fact
