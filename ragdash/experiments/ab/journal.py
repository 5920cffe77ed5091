"""What a configuration said, a line for each query, on the disk before the next one is asked.

The first line says whose answers these are: the configuration (a digest of its command, which may hold a key and is
not kept itself) and the questions. Answers of another command, or to other questions, are never mixed with them.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import orjson

from ragdash.core.errors import InputError, Problem, shorten

VERSION = 1
_KINDS: dict[str, type | tuple[type, ...]] = {
    "query_id": str, "ms": (int, float), "text": str, "kind": str, "words": str, "files": dict}


@dataclass(frozen=True)
class Entry:
    """A line: an answer (text: its JSON object; ms) or a failure (kind, words)."""

    line: int
    query_id: str
    ms: float = 0.0
    text: str = ""
    kind: str = ""
    words: str = ""


class Journal:
    """Appends and reads; without a path it is kept in memory. Threads may share it, other processes are kept out.

    Raises InputError where the file belongs to another job, is damaged before its last line, or cannot be written. A
    last line that was cut off is set aside in a file next to it, and reported in `problems`.
    """

    def __init__(self, path: Path | None, asked: str, questions: str, files: Mapping[str, str] | None = None):
        self.path, self.problems, self.entries = path, [], {}
        self._file: BinaryIO | None = None
        self._lines, self._lock, self._error = 0, threading.Lock(), None
        header = {"ragdash_ab": VERSION, "asked": asked, "questions": questions, "files": dict(files or {})}
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(path, "a+b")  # noqa: SIM115  (open until `close`)
            if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):  # a device has no end
                raise OSError(errno.EINVAL, "Not a regular file")
            _alone(self._file, path)
            self._load(header)
        except OSError as error:
            self.close()
            raise _unwritable(path, error) from None
        except InputError:
            self.close()
            raise

    def _load(self, header: dict) -> None:
        self._file.seek(0)
        data = self._file.read()
        lines, good = data.splitlines(keepends=True), 0
        if self._of_no_use(lines, header):
            self._file.truncate(0)
            lines = []
        for number, line in enumerate(lines, 1):
            value = _line(line)
            if value is None:
                if good + len(line) < len(data):
                    raise _wrong(self.path, "damaged-journal",
                                 {"line": shorten(line[:200].decode(errors='replace'), 60)}, number)
                self._set_aside(line, good)
                break
            good += len(line)
            self._lines = number
            self._take(number, value, header)
        if not self._lines:
            self._append(header)

    def _of_no_use(self, lines: list[bytes], header: dict) -> bool:
        """Whether this is a journal of another job that holds failures alone, as of a command with a slip in it."""
        values = [_line(line) for line in lines]
        return bool(values and values[0] and values[0].get("ragdash_ab") == VERSION
                    and any(values[0].get(key) != header[key] for key in ("asked", "questions"))
                    and all(value and "kind" in value for value in values[1:]))

    def _take(self, number: int, value: dict, header: dict) -> None:
        if number > 1 and "ragdash_ab" in value:
            raise _wrong(self.path, "joined-journals", {}, number)
        if number > 1:
            self._know(Entry(number, **{key: value[key] for key in ("query_id", "ms", "text", "kind", "words")
                                        if key in value}))
            return
        if value.get("ragdash_ab") != VERSION:
            raise _wrong(self.path, "no-journal", {}, 1)
        for key, message in (("asked", "other-job"), ("questions", "other-job/questions")):
            if value.get(key) != header[key]:
                raise _wrong(self.path, message)
        changed = sorted(name for name, digest in value.get("files", {}).items()
                         if header["files"].get(name, digest) != digest)
        if changed:
            self.problems.append(Problem("changed-file", {"changed": changed}, str(self.path), severity="warning"))

    def _set_aside(self, line: bytes, good: int) -> None:
        damaged_path = self.path.with_name(self.path.name + ".damaged")
        with open(damaged_path, "ab") as file:
            file.write(line + b"\n")
        self._file.truncate(good)
        self.problems.append(Problem("damaged-line", {"size": len(line), "kept_in": damaged_path.name}, str(self.path),
                                     self._lines + 1, severity="warning"))

    def answered(self, query_id: str, ms: float, text: str) -> None:
        """Keep an answer."""
        self._add({"query_id": query_id, "ms": round(ms, 3), "text": text})

    def failed(self, query_id: str, kind: str, words: str) -> None:
        """Keep why there is none."""
        self._add({"query_id": query_id, "kind": kind, "words": words.encode("utf-8", "replace").decode()})

    def _add(self, fields: dict) -> None:
        with self._lock:
            try:
                if self._error is not None:  # a line may be there in part: nothing may follow it
                    raise self._error
                self._append(fields)
            except OSError as error:
                self._error = error
                raise _unwritable(self.path, error) from None
            self._know(Entry(self._lines, **fields))

    def _append(self, fields: dict) -> None:
        self._lines += 1
        if self._file is not None:
            self._file.write(orjson.dumps(fields) + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def _know(self, entry: Entry) -> None:
        known = self.entries.get(entry.query_id)
        if known is None or known.kind:  # an answer stays
            self.entries[entry.query_id] = entry

    def close(self) -> None:
        """Let others use the file."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # it writes again what a full disk did not take, which was reported then
                file.close()


def _line(line: bytes) -> dict | None:
    """The object of a line, None for a damaged one."""
    try:
        value = orjson.loads(line) if line.endswith(b"\n") else None
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict) or not all(isinstance(value[name], _KINDS[name]) for name in value.keys() & _KINDS):
        return None
    entry = isinstance(value.get("query_id"), str) and isinstance(value.get("text", value.get("kind")), str)
    return value if entry or "ragdash_ab" in value else None


def _alone(file: BinaryIO, path: Path) -> None:
    """Keep other processes from writing the same file, where the system can."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _wrong(path, "journal-in-use") from None


def _wrong(path: Path, message: str, facts: Mapping | None = None, line: int | None = None) -> InputError:
    return InputError([Problem(message, facts or {}, str(path), line)])


def _unwritable(path: Path, error: OSError) -> InputError:
    return _wrong(path, "unwritable-journal", {"reason": error.strerror or str(error)})
