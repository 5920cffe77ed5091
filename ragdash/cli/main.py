"""The command line: results go to standard output, messages to standard error.

Exit status: 0; 1 a bound given with --fail-under or --no-worse-than was missed; 2 bad input or usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from ragdash.core.console import say
from ragdash.core.errors import InputError

# The module of a command is ragdash.cli.commands.<name>, with add_options(parser) and run(options). It is imported
# when its command is used, because some of them import much.
COMMANDS = {
    "evaluate": "metrics of runs, with intervals",
    "compare": "which candidates are better than the baseline, and can that be trusted?",
    "diagnose": "where does each query go wrong first, and what could each fix gain?",
    "trust": "how far can a judge's verdicts be trusted? Beside people's labels, with an interval that allows for its "
             "errors",
    "report": "one HTML file with everything, for people who will never install anything",
    "ab": "ask two configurations the same questions, write their runs, compare them",
    "judge": "let a model that reads judge answers and contexts; what it says is kept, and evaluate and the pages "
             "read it",
    "verdicts": "read verdicts of RAGAS, RAGChecker or DeepEval on a run, or put out those that judges gave",
    "testset": "questions with answers and evidence, written by a model about your documents; checked, to be reviewed "
               "on the page",
    "check": "read files and report every problem; with --truth: can the runs be compared?",
    "convert": "write a run or a truth in another format",
    "metrics": "every metric: name, parameters, range, formula, source",
    "score": "let local models say what semantic metrics need; what they say is kept, and evaluate and the pages "
             "read it",
    "dashboard": "the pages, with these files already loaded",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = parse(sys.argv[1:] if arguments is None else arguments)
    try:
        return _module_of(options.command).run(options)
    except InputError as error:
        say(error.problems)
        return 2
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line; exits with a message where they are wrong.

    Besides what the command takes they hold `command`, its name; `given`, the arguments; and `streamlit`, the
    arguments after `--`, which `ragdash dashboard` passes on.
    """
    ragdash_arguments, streamlit = _split_at_dashes(list(arguments))
    parser = argparse.ArgumentParser(prog="ragdash", description="Which retrieval configuration is better, where does "
                                     "it fail, can I trust that, can I show it?")
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")
    command_name = next((argument for argument in ragdash_arguments if not argument.startswith("-")), None)
    for name, help_line in COMMANDS.items():
        command = commands.add_parser(name, help=help_line)
        if name == command_name:
            _module_of(name).add_options(command)
    options = parser.parse_args(ragdash_arguments)
    options.given, options.streamlit = ragdash_arguments, streamlit
    return options


def _module_of(command: str) -> ModuleType:
    return import_module(f"ragdash.cli.commands.{command}")


def _split_at_dashes(arguments: list[str]) -> tuple[list[str], list[str]]:
    """(our arguments, those after the dashes) of `dashboard ... -- ...`."""
    if arguments[:1] != ["dashboard"] or "--" not in arguments:
        return arguments, []
    dashes = arguments.index("--")
    return arguments[:dashes], arguments[dashes + 1:]
