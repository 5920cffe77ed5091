"""What long commands share: progress and problems told to a person or a program, the end by a signal; and what those
that ask a judge do: the endpoint of the options, the yes before texts leave.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import orjson

from ragdash.core.console import Progress, write
from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.scoring.judge_worker import line
from ragdash.models.judge import Endpoint, Plan, Prices

CANCELLED = 130
EVERY = 0.5  # seconds between two lines of progress for a program
STATUS = {"cancelled": CANCELLED, "error": 2}  # exit status of a job that ended early


def endpoint_of(options: argparse.Namespace) -> Endpoint:
    """The endpoint that the options name; InputError where they do not fit together."""
    prices = (options.price_in, options.price_out)
    if (prices[0] is None) != (prices[1] is None) or (options.max_cost is not None and None in prices):
        raise InputError([Problem("no-prices/both", field="--price-in")])
    parameters = {"temperature": 0}
    for text in options.parameter or ():
        name, _, value = text.partition("=")
        try:
            parameters[name.strip()] = orjson.loads(value) if value else None
        except orjson.JSONDecodeError:
            parameters[name.strip()] = value
    return Endpoint(options.base_url, options.model, options.kind, options.key_env,
                    None if None in prices else Prices(*prices),
                    {name: value for name, value in parameters.items() if value is not None})


def confirm(endpoint: Endpoint, what: str) -> None:
    """Ask whether these texts may leave this machine; InputError where nobody can be asked, or says no."""
    host = endpoint.host
    what = f"{what} go to {host}."
    if not sys.stdin.isatty():
        raise InputError([Problem("not-confirmed/unasked", {"host": host}, field="--yes")])
    print(f"{what} Send them? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise InputError([Problem("not-confirmed", {"host": host}, field="--yes")])


class Shown:
    """Progress: on a line of the terminal that is drawn again, elsewhere a line now and then."""

    def __init__(self, options: argparse.Namespace):
        self._options, self._next, self._drawn = options, 0.0, False
        self._again = options.progress == "text" and sys.stderr.isatty()

    def __call__(self, now: Progress) -> None:
        if time.monotonic() < self._next and now.done < now.total:
            return
        as_json = self._options.progress == "json"
        self._next = time.monotonic() + (EVERY if as_json or self._again else 20 * EVERY)
        if self._again:
            print(f"\r\x1b[K{now}", end="", file=sys.stderr, flush=True)
            self._drawn = True
        else:
            tell(self._options, "progress", {**now.as_dict(), "words": str(now)} if as_json else now)

    def end(self) -> None:
        """Go on below the line."""
        if self._drawn:
            print(file=sys.stderr, flush=True)


def tell(options: argparse.Namespace, kind: str, content: object) -> None:
    """A line for a program on standard output, or for a person on standard error."""
    if options.progress == "json":
        write(line(kind, content), None)
    else:
        print(content, file=sys.stderr)


@contextmanager
def problems_told(options: argparse.Namespace) -> Iterator[None]:
    """An InputError goes on as it is; a program gets its problems as a line before."""
    try:
        yield
    except InputError as error:
        if options.progress == "json":
            tell(options, "problems", [problem.as_dict() for problem in error.problems])
        raise


def tell_plan(options: argparse.Namespace, plan: Plan, endpoint: Endpoint, *reply: str) -> None:
    """What is to be asked and what that costs, where the texts go; reply: as Plan.words has it."""
    said = plan.words(*reply or ("verdict",))
    tell(options, "plan", {**plan.as_dict(), "words": said, "host": endpoint.host, "local": endpoint.local}
         if options.progress == "json" else said)


@contextmanager
def asking(options: argparse.Namespace, *also: signal.Signals) -> Iterator[tuple[Shown, Event]]:
    """(the listener of progress, what is set when the process is asked to end), for the time of the asking.

    also: signals that ask so beside SIGTERM; Ctrl+C (SIGINT), unless named, is a KeyboardInterrupt as ever.
    """
    shown, cancel = Shown(options), Event()
    before = {one: signal.signal(one, lambda *_: cancel.set()) for one in (signal.SIGTERM, *also)}
    try:
        yield shown, cancel
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        shown.end()
