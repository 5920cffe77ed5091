"""Commands that are asked: one that is run for each question, and one that stays.

As a callable does (ragdash.experiments.ab.callable_system), `ask(query_id, question, stopped, check)` gives a Said.
It raises Failed where
there is no answer and Stopped where `stopped()` became true; `check(text)` raises Failed for what is no answer.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import orjson

from ragdash.core.errors import InputError, Problem, shorten
from ragdash.experiments.ab.subprocess import MOST, Child, Failed

TIMEOUT = 120.0  # seconds for an answer
START = 600.0  # seconds for the first answer of a command that stays: it may load a model
END = 5.0  # seconds for it to end when its input is closed
WARM_UP = ("warm-up", "What is this?")  # no question of a truth, whose answer a cache would keep
HASHED = 10 << 20  # bytes of a file named in a command that is looked at for changes
_PLACES = re.compile(r"\{(question|query_id)\}")
Check = Callable[[bytes], None]
Stop = Callable[[], bool]


class Said(NamedTuple):
    """An answer: the JSON text of an object, and milliseconds by our clock."""

    text: bytes
    ms: float


class AnsweringSystem(Protocol):
    """Something that answers questions."""

    def ask(self, query_id: str, question: str, stopped: Stop, check: Check) -> Said: ...

    def close(self) -> None: ...


def command_words(text: str, field: str | None = None) -> tuple[str, ...]:
    """The words of a command as a shell splits them; nothing else of a shell is done.

    Raises InputError for a text that is no command, or a command that is not on this machine.

    Examples
    --------
    >>> command_words("sh -c 'echo 1'")
    ('sh', '-c', 'echo 1')
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise InputError([Problem("no-such-command/quotes", {"command": shorten(text, 60),
                                                             "error": str(error).lower()}, field=field)]) from None
    if not words:
        raise InputError([Problem("no-such-command/empty", field=field)])
    if shutil.which(words[0]) is None:
        raise InputError([Problem("no-such-command", {"program": words[0]}, field=field)])
    return words


@dataclass(frozen=True)
class Command:
    """A command that is run for each question and prints one JSON object.

    {question} and {query_id} in its words are replaced; where {question} is not there the question is its standard
    input. RAGDASH_QUERY_ID in its environment is the id of the query. timeout: seconds.
    """

    words: tuple[str, ...]
    timeout: float = TIMEOUT

    @property
    def version(self) -> str:
        """Digest of this command, without its words, which may hold a key."""
        return _digest(b"once", *(os.fsencode(word) for word in self.words))

    def ask(self, query_id: str, question: str, stopped: Stop, check: Check) -> Said:
        """Run it; the time is from its start to the end of its output."""
        fields = {"question": question, "query_id": query_id}
        words = [_PLACES.sub(lambda match: fields[match[1]], word) for word in self.words]
        given = any("{question}" in word for word in self.words)
        began = time.monotonic()
        deadline, output = began + self.timeout, bytearray()
        child = Child(words, {**os.environ, "RAGDASH_QUERY_ID": query_id})
        try:
            child.send(b"" if given else question.encode("utf-8", "replace") + b"\n", last=True)
            while (arrived := child.chunk(deadline, stopped))[1]:
                output += arrived[1]
                _bounded(output)
            status, complaint = child.status(deadline, stopped), child.complaint()
        finally:
            child.end()
        if status:
            raise Failed("exit-status", f"{_status(status)}{complaint or _printed(output)}")
        if not output.strip():
            raise Failed("no-answer", f"nothing on standard output{complaint}")
        check(bytes(output))
        return Said(bytes(output), (arrived[0] - began) * 1000)

    def close(self) -> None:
        """Nothing is left running."""


@dataclass(frozen=True)
class Lines:
    """A command that stays: it reads a line of JSON with query_id and question for each question, and writes one.

    The line that it writes has the same query_id, so that no answer is taken for another's. Several are started
    where several questions are asked at once. After a failure it is ended, and started again. warm_up: questions
    that each process is asked first, unmeasured; timeout: seconds for an answer, after the first one.
    """

    words: tuple[str, ...]
    timeout: float = TIMEOUT
    warm_up: int = 1
    _idle: list[Child] = field(default_factory=list, compare=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)

    def __post_init__(self) -> None:
        if any(_PLACES.search(word) for word in self.words):
            raise InputError([Problem("no-such-command/placeholders", field="--lines")])

    @property
    def version(self) -> str:
        """Digest of this command."""
        return _digest(b"lines", *(os.fsencode(word) for word in self.words))

    def ask(self, query_id: str, question: str, stopped: Stop, check: Check) -> Said:
        """Ask one that is idle; the time is from the question's writing to the line's arrival."""
        child, fine = self._take(), False
        try:
            seconds = self.timeout
            if not child.warm:
                seconds = max(self.timeout, START)
                for _ in range(self.warm_up):
                    self._exchange(child, *WARM_UP, time.monotonic() + seconds, stopped)
                    seconds = self.timeout
                child.warm = True
            answer = self._exchange(child, query_id, question, time.monotonic() + seconds, stopped)
            check(answer.text)
            fine = True
        finally:
            if fine:
                with self._lock:
                    self._idle.append(child)
            else:
                child.end()
        return answer

    def _take(self) -> Child:
        """One that is idle, or a new one."""
        while True:
            with self._lock:
                child = self._idle.pop() if self._idle else None
            if child is None:
                return Child(self.words, {"PYTHONUNBUFFERED": "1", **os.environ})
            if not child.over:
                return child
            child.end()

    def _exchange(self, child: Child, query_id: str, question: str, deadline: float, stopped: Stop) -> Said:
        unasked = child.waiting()
        if unasked:
            raise _not_json(unasked, "a line that was not asked for")
        began = time.monotonic()
        child.send(orjson.dumps({"query_id": query_id, "question": question}) + b"\n")
        line, read_at = b"", began
        while not line.strip():
            while b"\n" not in child.rest:
                read_at, data = child.chunk(deadline, stopped)
                if not data:
                    status = child.status(time.monotonic() + END, stopped)
                    raise Failed("ended", f"an end before the answer, {_status(status)}{child.complaint()}")
                child.rest += data
                _bounded(child.rest)
            line, _, rest = bytes(child.rest).partition(b"\n")
            child.rest[:] = rest
        try:
            reply = orjson.loads(line)
        except orjson.JSONDecodeError:
            raise _not_json(line, "a line that is no JSON") from None
        if not isinstance(reply, dict) or reply.get("query_id") != query_id:
            excerpt = shorten(line.decode(errors="replace"), 80)
            raise Failed("other-query", f"a line that does not have \"query_id\": {query_id!r}: {excerpt!r}")
        return Said(line, (read_at - began) * 1000)

    def close(self) -> None:
        """End all processes; they see the end of their input first."""
        with self._lock:
            idle, self._idle[:] = list(self._idle), []
        for child in idle:
            child.end(END)


def files_named(words: Sequence[str]) -> dict[str, str]:
    """{name: digest} of files among the words of a command, such as a script, to detect when they change."""
    named_files = {}
    for word in words:
        if os.path.isfile(word) and os.access(word, os.R_OK) and os.path.getsize(word) <= HASHED:
            named_files[Path(word).name] = _digest(Path(word).read_bytes())
    return named_files


def _bounded(output: bytearray) -> None:
    if len(output) > MOST:
        raise Failed("too-much-output", f"more than {MOST >> 20} MB printed for one question")


def _status(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
    return f"ended by signal {name}"


def _printed(output: bytearray) -> str:
    text = bytes(output[-300:]).decode(errors="replace").strip()
    return f"; it printed {shorten(text, 200)!r}" if text else ""


def _not_json(text: bytes, what: str) -> Failed:
    return Failed("no-json", f"{what}: {shorten(text[:300].decode(errors='replace'), 100)!r}; "
                  "logs belong on standard error")


def _digest(*pieces: bytes) -> str:
    return hashlib.sha256(b"\0".join(pieces)).hexdigest()[:32]
