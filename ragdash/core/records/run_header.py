"""What is known of a recorded run besides its results: when, from which code, with which settings and versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import NamedTuple

import orjson

from ragdash.core.errors import InputError, Problem

FORMAT, VERSION = "ragdash-run", 1


@dataclass(frozen=True)
class Revision:
    """The git revision of the code. origin: without user and password; dirty: tracked files were changed, None where
    git does not say.
    """

    commit: str
    branch: str | None = None
    dirty: bool | None = False
    origin: str | None = None


class Repetition(NamedTuple):
    """Which repeat of a configuration a run is, by a column of its file, such as trial. file: same for its repeats."""

    configuration: str
    label: str
    file: str


@dataclass(frozen=True)
class RunHeader:
    """The header of a recorded run, header.json in its folder.

    Attributes
    ----------
    run_id, name
        Unique and sorted by time; and what the configuration is called, which many runs may share.
    created, ended
        ISO 8601 in UTC; ended is None where the recording was cut off.
    settings, removed
        Flat settings, see `flat_settings`; and the names whose values looked like secrets.
    group, repeat
        Runs of one group are repeats of each other, counted from 1; None for a run on its own.
    data
        Digests of what was asked, {"questions": ..., "truth": ...}.
    queries, failures
        Counted when it was closed.
    concurrency
        Calls at once, which raise each other's latency; None where the recorder did not make the calls.
    error
        What ended it early, such as "KeyboardInterrupt".

    Examples
    --------
    >>> header = RunHeader("20261122T131500Z-hybrid-1a2b3c", "hybrid", "2026-11-22T13:15:00+00:00")
    >>> RunHeader.from_json(header.to_json()) == header
    True
    """

    run_id: str
    name: str
    created: str
    ended: str | None = None
    settings: Mapping = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    group: str | None = None
    repeat: int | None = None
    data: Mapping[str, str] = field(default_factory=dict)
    git: Revision | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    queries: int | None = None
    failures: int | None = None
    error: str | None = None
    concurrency: int | None = None

    def to_json(self) -> bytes:
        """The header as JSON."""
        return orjson.dumps({"format": FORMAT, "version": VERSION, **asdict(self)}, option=orjson.OPT_INDENT_2)

    @classmethod
    def from_json(cls, content: bytes, file: str | None = None) -> RunHeader:
        """Read a header; fields of later versions are passed over.

        Raises
        ------
        InputError
            If the content is not a header, or one of a version that cannot be read.
        """
        try:
            values = orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise InputError([Problem("recorded-header", {"reason": str(error)}, file)]) from None
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise InputError([Problem("recorded-header/other", {"format": FORMAT}, file)])
        if not isinstance(values.get("version"), int) or values["version"] > VERSION:
            raise InputError([Problem("recorded-header/version", {"version": str(values.get("version")),
                                                                  "newest": VERSION}, file)])
        return _header_of(values, file)


_TEXT, _COUNT, _TEXTS = (str, type(None)), (int, type(None)), (str,)
_KINDS: dict[str, tuple[type, ...]] = {
    "run_id": (str,), "name": (str,), "created": (str,), "ended": _TEXT, "settings": (dict,), "tags": (list,),
    "group": _TEXT, "repeat": _COUNT, "data": (dict,), "git": (dict, type(None)), "versions": (dict,),
    "removed": (list,), "queries": _COUNT, "failures": _COUNT, "error": _TEXT, "concurrency": _COUNT}
_INNER: dict[str, tuple[type, ...]] = {  # what lists and objects hold
    "tags": _TEXTS, "data": _TEXTS, "versions": _TEXTS, "removed": _TEXTS}
_GIT: dict[str, tuple[type, ...]] = {"commit": _TEXTS, "branch": _TEXT, "dirty": (bool, type(None)), "origin": _TEXT}
_LARGEST = 2**53  # a count above it is none


def _header_of(values: dict, file: str | None) -> RunHeader:
    known = {name: value for name, value in values.items() if name in _KINDS}
    wrong = [name for name in ("run_id", "name", "created") if name not in known]
    wrong += [name for name, value in known.items() if not _is_right(name, value)]
    git = known.get("git")
    if isinstance(git, dict):
        wrong += [f"git.{name}" for name, kinds in _GIT.items()
                  if not isinstance(git.get(name, None if name == "commit" else kinds[0]()), kinds)]
    if wrong:
        raise InputError([Problem("recorded-header", {"reason": f"wrong or absent: {', '.join(wrong)}"}, file)])
    names = {item.name for item in fields(Revision)}
    revision = None if git is None else Revision(**{name: value for name, value in git.items() if name in names})
    lists = {name: tuple(known[name]) for name in ("tags", "removed") if name in known}
    return RunHeader(**{**known, **lists, "git": revision})


def _is_right(name: str, value: object) -> bool:
    """Whether a value of a header is of the kind of its field; a date is one that every time zone can show."""
    if not isinstance(value, _KINDS[name]) or isinstance(value, bool):
        return False
    if isinstance(value, int):
        return 0 <= value <= _LARGEST
    if isinstance(value, list | dict):
        inner = value.values() if isinstance(value, dict) else value
        return all(isinstance(item, _INNER.get(name, (object,))) for item in inner)
    if name in ("created", "ended") and isinstance(value, str):
        try:
            return 1 < datetime.fromisoformat(value).astimezone(UTC).year < 9999
        except (ValueError, OverflowError):
            return False
    return True
