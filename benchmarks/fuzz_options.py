"""Give every option of every command odd values: nothing but a result or a clear message may come of it.

    python benchmarks/fuzz_options.py [--seconds 300] [--seed NUMBER] [--only COMMAND]

Commands have the files that they need, and one to three options with numbers as text, negative, huge, NaN, empty,
Unicode, paths that are folders or are absent, names of other commands. Servers and workers are only parsed.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from pathlib import Path

import fuzz_types
from fuzz_roles import Roles
from fuzz_types import Search, run_command

from ragdash.cli.command_line import commands_of
from ragdash.cli.main import _full_parser, parse
from ragdash.core.errors import InputError

VALUES = (
    "0", "1", "-1", "5", "1e400", "-1e400", "nan", "inf", "1e-320", "9" * 30, "9" * 5000, "0x10", "1_000", "\u0663",
    "\u00bd", "", " ", "x", "\u00e9", "\u202e", "\u65e5\u672c", "\udcff", "a=b", "=", "a=", "=b", ":", ",", ",,",
    "a,b", "@", "@5", "nDCG@0", "nDCG@10", "nDCG@9999999999", "RR(rel=99)", "RR(", "P@5(rel=nan)", "*", "(", "[",
    "{}", "null", "-", "--", "/", ".", "/dev/null", "/dev/full", "no/such/file", "a\nb", "a\tb", "%s", "{", "\\", "'",
    '"', "all", "none", "local", "2026-11-29", "http://", "x://y", "type", "attributes", "run", "truth", "k=v",
    "RR=1", "RR=nan", "RR=1e400", "source", "prefix:", "number:", "chunks:")
PARSED = ("dashboard", "view", "worker", "jobs")  # they serve, wait, or need a database


def main(arguments: list[str] | None = None) -> int:
    """Try options until the time is over; returns the exit status."""
    search = fuzz_types.begin(arguments)
    options = search.options
    os.chdir(search.folder)
    roles = Roles(search.folder)
    commands = {name: parser for name, parser in commands_of(_full_parser()).items() if name.startswith(options.only)
                and not name.startswith("workspace")}
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        name = search.random.choice(list(commands))
        command = [name, *odd_arguments(commands[name], search, roles)]
        search.copies += 1
        act = parse_only if name in PARSED else run_command
        search.attempt(name, Path(roles.run), command, partial(act, command))
    print(f"{search.calls} commands, failures: {len(search.seen)}, slowest {search.slowest[0]:.1f} s "
          f"({search.slowest[1]})")
    return 1 if search.seen else 0


def parse_only(command: list[str]) -> None:
    """Parse a command line; it may end with a message."""
    silent = io.TextIOWrapper(io.BytesIO())  # commands write bytes too
    with redirect_stderr(silent), redirect_stdout(silent), suppress(SystemExit, InputError):
        parse(command)


def odd_arguments(parser: argparse.ArgumentParser, search: Search, roles: Roles) -> list[str]:
    """The files that a command needs, and one to three options with odd values."""
    random, words = search.random, []
    usual = {"runs": [roles.run, roles.other], "run": [roles.run], "files": [roles.run], "file": [roles.run],
             "log": [roles.run], "truth": [roles.truth[1]], "logdir": ["logs"], "names": ["RR"], "text": ["true"]}
    needed = {"--truth": roles.truth[1], "--model": "m", "--base-url": "http://127.0.0.1:1", "--set": "k=1",
              "--old": roles.corpus, "--new": roles.corpus, "--a": "true", "--b": "true", "-o": "out"}
    chosen = [action for action in parser._actions if action.option_strings and action.dest != "help"]
    for action in random.sample(chosen, min(len(chosen), random.choice((1, 1, 2, 3)))):
        option = action.option_strings[-1]
        needed.pop(option, None)
        if action.nargs == 0:
            words.append(option)
            continue
        value = random.choice([*VALUES, str(search.folder), roles.run, *map(str, action.choices or ())])
        words.append(f"{option}={value}")
    for action in parser._actions:
        if not action.option_strings:
            words += usual.get(action.dest, ["x"]) if random.random() < 0.9 else [random.choice(VALUES)]
        elif action.option_strings[-1] in needed and (action.required or random.random() < 0.9):
            words += [action.option_strings[-1], needed[action.option_strings[-1]]]
    return words


if __name__ == "__main__":
    sys.exit(main())
