"""What holds for the command line of every command: help, completion, and that no output replaces an input."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from itertools import combinations
from pathlib import Path

from ragdash.core.console import write, write_text
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import real_path, split_name
from ragdash.core.text.quoted import printable

MOST_OWNERS = 4  # commands that are named as those that have an option
SHELLS = ("bash", "zsh", "fish", "tcsh")
OUTPUTS = ("output", "result_json", "sheet", "drafts", "questions", "rejects", "relabel", "query_map", "links",
           "merged")  # options that name a file to write
INPUTS = ("runs", "run", "truth", "file", "files", "corpus", "log", "against", "accepted", "baseline", "bands",
          "prices", "labels", "verdicts", "read", "references", "old", "new", "judged", "relabeled", "round_trip",
          "fused", "reranked", "before", "batch_in", "rubric", "policy")  # that name one to read
# (judge checks --batch-out itself)
EMPTY_ALLOWED = ("judge_hosts", "title", "author", "date")  # whose empty text has a meaning: no host, nothing below


class Parser(argparse.ArgumentParser):
    """A parser whose help and version fail as other output does where standard output cannot be written.

    --option=-- gives the option the value "--"; argparse of Python 3.11 makes it an empty list of any type.
    """

    def _print_message(self, message: str, file=None) -> None:
        if message and file in (None, sys.stdout):
            write(message.encode(), None)
        else:
            super()._print_message(message, file)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> object:
        """The value of an option. Raises InputError for an empty one, as of a variable of a script that is not set."""
        is_passed_on = action.dest in (*EMPTY_ALLOWED, *OUTPUTS, "metrics")
        if action.option_strings and not is_passed_on and _has_blank(arg_strings):
            raise InputError([Problem("empty-option", field=action.option_strings[-1])])
        if arg_strings != ["--"] or not action.option_strings:
            return super()._get_values(action, arg_strings)
        value = self._get_value(action, "--")  # type: ignore[attr-defined]
        self._check_value(action, value)  # type: ignore[attr-defined]
        return value if action.nargs in (None, argparse.OPTIONAL) else [value]


class PrintCompletion(argparse.Action):
    """Print the script for a shell and exit. full_parser: gives the parser with the options of every command."""

    def __init__(self, *arguments, full_parser: Callable[[], argparse.ArgumentParser], **options):
        super().__init__(*arguments, choices=SHELLS, **options)
        self.full_parser = full_parser

    def __call__(self, parser, namespace, values, option_string=None):
        import shtab  # nothing else needs it

        write_text(shtab.complete(self.full_parser(), shell=values) + "\n", None)
        parser.exit()


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands by name."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(groups[0].choices) if groups else {}


def unknown_arguments(unknown: Sequence[str], command: str, full: argparse.ArgumentParser) -> str:
    """That a command does not know arguments, and what to use instead: options of a like name, other commands.

    full: the parser with the options of every command.
    """
    parsers = commands_of(full)
    known = list(parsers[command]._option_string_actions)
    hints = []
    for option in dict.fromkeys(text.partition("=")[0] for text in unknown if text.startswith("-")):
        owners = [name for name, parser in parsers.items() if option in parser._option_string_actions]
        alike = get_close_matches(option, known, 1, 0.8)
        if alike:
            hints.append(f"did you mean {alike[0]}?")
        elif owners:
            more = f" and {len(owners) - MOST_OWNERS} more" if len(owners) > MOST_OWNERS else ""
            hints.append(f"{option} is an option of: {', '.join(owners[:MOST_OWNERS])}{more}")
    hints.append(f"ragdash {command} --help lists its options")
    return f"unrecognized arguments: {' '.join(map(printable, unknown))} ({'; '.join(hints)})"


def _has_blank(value: object) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_has_blank, value))
    return isinstance(value, str) and not value.strip()


def check_metrics(options: argparse.Namespace) -> None:
    """Raise InputError where the metrics of a command name none, such as "," or blanks."""
    if isinstance(text := getattr(options, "metrics", None), str) and not text.strip(" ,\t\r\n"):
        raise InputError([Problem("no-metric/option", field="-m")])


def check_outputs(options: argparse.Namespace) -> None:
    """Raise InputError where a file to write is one that another option names, also by another path or a link.

    So is an empty name, and "-", which for a file to read means standard input.
    """
    unnamed = [Problem("unnamed-output", {"name": value.strip()}, field=_option(name)) for name in OUTPUTS
               if (value := getattr(options, name, None)) == "-" or _has_blank(value)]
    outputs = {name: Path(path) for name in OUTPUTS if isinstance(path := getattr(options, name, None), str) and path}
    inputs = [path for name in INPUTS for path in _paths(getattr(options, name, None))]
    replaced = [Problem("output-is-input", {"option": _option(name), "other": ""}, str(path))
                for name, path in outputs.items() if any(_same(path, other) for other in inputs)]
    twice = [Problem("output-is-input", {"option": _option(name), "other": _option(other)}, str(path))
             for (other, first), (name, path) in combinations(outputs.items(), 2)
             if (_same(path, first) if path.exists() else real_path(path) == real_path(first))]
    if unnamed or replaced or twice:
        raise InputError([*unnamed, *replaced, *twice])


def _option(name: str) -> str:
    """The option that sets an attribute: --result-json of result_json."""
    return "-o" if name == "output" else f"--{name.replace('_', '-')}"


def _paths(value: object) -> Iterator[Path]:
    """What the values of an option may name."""
    if isinstance(value, str):
        yield from {Path(value), Path(split_name(value)[1])}
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _paths(item)


def _same(path: Path, other: Path) -> bool:
    try:
        return not path.is_char_device() and not path.is_fifo() and path.samefile(other)
    except (OSError, ValueError):  # one of them does not exist
        return False
