"""Progress and problems of long commands, for a person or a program, and the end of a job by a signal."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from ragdash.core.console import Progress, print_note, write
from ragdash.core.errors import InputError
from ragdash.core.text.quoted import printable
from ragdash.evaluation.scoring.judge_worker import line

CANCELLED = 130
EVERY = 0.5  # seconds between two lines of progress for a program
STATUS = {"cancelled": CANCELLED, "error": 2}  # exit status of a job that ended early


class ProgressReporter:
    """Reports progress: on one updated line of a terminal, elsewhere on a new line from time to time."""

    def __init__(self, options: argparse.Namespace):
        self._options, self._next, self._drawn = options, 0.0, False
        self._again = options.progress == "text" and sys.stderr.isatty()

    def __call__(self, progress: Progress) -> bool:
        """Report progress; False where its reader is gone."""
        if time.monotonic() < self._next and progress.done < progress.total:
            return True
        as_json = self._options.progress == "json"
        self._next = time.monotonic() + (EVERY if as_json or self._again else 20 * EVERY)
        if self._again:
            print(f"\r\x1b[K{printable(str(progress))}", end="", file=sys.stderr, flush=True)
            self._drawn = True
            return True
        return write_progress(self._options, progress)

    def end(self) -> None:
        """Move below the updated line."""
        if self._drawn:
            print(file=sys.stderr, flush=True)


def write_progress(options: argparse.Namespace, progress: Progress) -> bool:
    """Write a line on the progress of a job; False where its reader is gone, such as a page whose server was killed:
    the job then ends in order, and stores what is in flight.
    """
    as_json = options.progress == "json"
    try:
        write_message(options, "progress", {**progress.as_dict(), "words": str(progress)} if as_json else progress)
    except BrokenPipeError:
        return False
    return True


def write_message(options: argparse.Namespace, kind: str, content: object) -> None:
    """Write a line: JSON for a program to standard output, or text for a person to standard error."""
    if options.progress == "json":
        write(line(kind, content), None, needs_reader=True)  # of a page whose server is dead, nothing goes on
    else:
        print_note(*str(content).split("\n"))


@contextmanager
def reported_problems(options: argparse.Namespace) -> Iterator[None]:
    """Write the problems of an InputError for a program before it is raised further."""
    try:
        yield
    except InputError as error:
        if options.progress == "json":
            write_message(options, "problems", [problem.as_dict() for problem in error.problems])
        raise


@contextmanager
def interruptible(
    options: argparse.Namespace, *more_signals: signal.Signals
) -> Iterator[tuple[ProgressReporter, Event]]:
    """Let SIGTERM end a long job in order; yields (the progress reporter, the event that the signal sets).

    more_signals: signals with the same effect; Ctrl+C (SIGINT), unless given here, raises KeyboardInterrupt as usual.
    """
    progress, cancel = ProgressReporter(options), Event()
    handlers = {number: signal.signal(number, lambda *_: cancel.set()) for number in (signal.SIGTERM, *more_signals)}
    try:
        yield progress, cancel
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        progress.end()
