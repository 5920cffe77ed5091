"""Start, watch and stop the scoring process. A page never loads a model itself.

The process writes a JSON object a line to standard output (`python -m ragdash score ... --progress json`):
{"plan": text}, {"progress": {...}} and at the end {"report": {...}} or {"problems": [...]}.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from ragdash.core.errors import Problem
from ragdash.models.local.sentence_transformers import environment


def command(runs: Sequence[str], truth: str | None, metrics: str, model: str | None = None,
            cross_encoder: str | None = None, *options: str) -> list[str]:
    """The command line that scores these files, for this interpreter."""
    flags = (("--truth", truth), ("--metrics", metrics), ("--model", model), ("--cross-encoder", cross_encoder))
    return [sys.executable, "-m", "ragdash", "score", *runs,
            *(argument for name, value in flags if value for argument in (name, value)), *options]


def line(kind: str, content: object) -> bytes:
    """What the process writes: one of its lines."""
    return orjson.dumps({kind: content}, option=orjson.OPT_APPEND_NEWLINE)


@dataclass(eq=False)
class Worker:
    """A scoring process. messages: the newest content of each kind of line."""

    process: subprocess.Popen
    messages: dict[str, Any] = field(default_factory=dict)
    stderr_lines: list[str] = field(default_factory=list)
    cancelled: bool = False
    readers: list[threading.Thread] = field(default_factory=list)

    @classmethod
    def start(cls, arguments: Sequence[str], folder: str | os.PathLike | None = None,
              variables: Mapping[str, str] | None = None) -> Worker:
        """Start a command of `command`, without waiting for it; folder: where it runs, here unless given; more: of its
        environment.
        """
        process = subprocess.Popen([*arguments, "--progress", "json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, **environment(), **(variables or {})},
                                   start_new_session=os.name == "posix", cwd=folder)
        worker = cls(process)
        worker.readers += [threading.Thread(target=read, daemon=True) for read in (worker._read, worker._read_noise)]
        for reader in worker.readers:
            reader.start()
        return worker

    @property
    def running(self) -> bool:
        """Whether it is at work, or has said something that was not read yet."""
        return self.process.poll() is None or any(reader.is_alive() for reader in self.readers)

    @property
    def failed(self) -> str | None:
        """Why it came to nothing, in words; None while it runs, where it gave a report and where it was canceled."""
        if self.running or self.cancelled or "report" in self.messages:
            return None
        messages = [Problem.of_dict(problem).words("page") for problem in self.messages.get("problems") or ()]
        return "\n".join(f"{words.actual}; expected {words.expected}. {words.fix}" for words in messages) \
            or "\n".join(self.stderr_lines[-5:]) or _ending(self.process.returncode)

    def cancel(self, wait: float = 10.0) -> None:
        """Stop it at once; every block that was done is kept, and the same command goes on from there."""
        if self.process.poll() is None:
            self.cancelled = True
            self.process.terminate()
            try:
                self.process.wait(wait)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for reader in self.readers:
            reader.join(wait)

    def _read(self) -> None:
        with self.process.stdout as stdout:
            for text in stdout:
                try:
                    self.messages |= orjson.loads(text)
                except (orjson.JSONDecodeError, TypeError):
                    self.stderr_lines.append(text.decode(errors="replace").rstrip())

    def _read_noise(self) -> None:
        with self.process.stderr as stderr:
            self.stderr_lines.extend(text.decode(errors="replace").rstrip() for text in stderr)


def _ending(status: int) -> str:
    """How a process ended that said nothing; a negative status is the signal that ended it."""
    if status >= 0:
        return f"The process ended with status {status}."
    names = {number.value: number.name for number in signal.Signals}
    return (f"The process was ended by {names.get(-status, f'signal {-status}')}, as the system does where memory is "
            "short. Start it again: what it had stored is used.")
