"""`ragdash judge`: a model that reads is asked what judged metrics need; what it says is kept, and paid for once."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from threading import Event

import orjson

from ragdash.cli_inputs import read
from ragdash.console import say, write
from ragdash.errors import InputError, Problem
from ragdash.judge_work import Work, prepare, work
from ragdash.judge_worker import line
from ragdash.judging import Budget, Endpoint, Patience, Prices
from ragdash.judging.plans import Progress

CANCELLED = 130
EVERY = 0.5  # seconds between two lines of progress for a program


def judge(options: argparse.Namespace) -> int:
    """Tell what is to be asked and what that costs, ask, tell how far it is; returns the exit status."""
    try:
        return _judge(options)
    except InputError as error:
        if options.progress == "json":
            _tell(options, "problems", [problem.as_dict() for problem in error.problems])
        raise


def _judge(options: argparse.Namespace) -> int:
    endpoint, budget = _endpoint(options), Budget(options.max_calls, options.max_cost)
    runs, truth = read(options)
    prepared = prepare(runs, truth, options.metrics, endpoint, sample=options.sample, seed=options.seed,
                       votes=options.votes)
    say(prepared.problems)
    plan = prepared.plan
    _tell(options, "plan", {**plan.as_dict(), "words": str(plan), "host": endpoint.host, "local": endpoint.local}
          if options.progress == "json" else plan)
    if options.dry_run:
        return 0
    if plan.calls and not endpoint.local and not options.yes:
        _confirm(prepared)
    shown, cancel = _Shown(options), Event()
    before = signal.signal(signal.SIGTERM, lambda *_: cancel.set())
    try:
        report = work(prepared, budget=budget, concurrency=options.concurrency, progress=shown, cancel=cancel,
                      patience=Patience(reply=options.timeout))
    finally:
        signal.signal(signal.SIGTERM, before)
        shown.end()
    _tell(options, "report", report.as_dict() if options.progress == "json" else report)
    say(report.problems[len(prepared.problems):])
    return {"cancelled": CANCELLED, "error": 2}.get(report.stopped, 0)


def _endpoint(options: argparse.Namespace) -> Endpoint:
    prices = (options.price_in, options.price_out)
    if (prices[0] is None) != (prices[1] is None) or (options.max_cost is not None and None in prices):
        raise InputError([Problem("no-prices", "a budget of money, or one price, without both prices",
                                  "prices of a million tokens read and written",
                                  "Give --price-in and --price-out, or --max-calls alone.", field="--price-in")])
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


def _confirm(prepared: Work) -> None:
    """Ask whether the texts may leave this machine; InputError where nobody can be asked, or says no."""
    host = prepared.endpoint.host
    what = f"Questions, answers and documents of {prepared.plan.calls:,} calls go to {host}."
    if not sys.stdin.isatty():
        raise InputError([Problem("not-confirmed", f"texts that would leave this machine, to {host}, unconfirmed",
                                  "a yes", "Add --yes if that is what you want.", field="--yes")])
    print(f"{what} Send them? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise InputError([Problem("not-confirmed", f"no yes to sending texts to {host}", "a yes",
                                  "Nothing was sent.", field="--yes")])


class _Shown:
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
            _tell(self._options, "progress", {**now.as_dict(), "words": str(now)} if as_json else now)

    def end(self) -> None:
        """Go on below the line."""
        if self._drawn:
            print(file=sys.stderr, flush=True)


def _tell(options: argparse.Namespace, kind: str, content: object) -> None:
    """A line for a program on standard output, or for a person on standard error."""
    if options.progress == "json":
        write(line(kind, content), None)
    else:
        print(content, file=sys.stderr)
