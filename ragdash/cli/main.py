"""The command line: results go to standard output, messages to standard error.

Exit status: 0 success; 1 a bound given with --fail-under or --no-worse-than was missed, or a gate failed; 2 bad input
or usage; 3 an error of ragdash itself; 130 stopped with Ctrl+C.
"""

from __future__ import annotations

import argparse
import mmap
import os
import sys
import time
import warnings
from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ragdash.cli.command_line import (
    Parser,
    PrintCompletion,
    check_metrics,
    check_outputs,
    commands_of,
    unknown_arguments,
)
from ragdash.core.console import STANDARD_OUTPUT, discard_output, print_note, say
from ragdash.core.errors import InputError, Problem, Unavailable, is_disk_full, lacks_memory, shorten
from ragdash.core.text.quoted import printable

NEEDED = 200 << 20  # bytes of addresses: with less, OpenBLAS ends the process with words of its own, or it waits
# The module of a command is <name>.py in ragdash/cli/commands/ or a folder there, with add_options(parser) and
# run(options). It is imported when its command is used, because some of them import much.
COMMANDS = {
    "evaluate": "compute metrics of runs, with confidence intervals",
    "compare": "which candidates are better than the baseline, and can that be trusted?",
    "variants": "of many runs with different settings: which setting matters, and which runs are the best compromises?",
    "sweep": "run a command at every point of a grid of settings; each is recorded as a run; can be resumed",
    "pin": "make a run the baseline: a small file for the repository",
    "history": "show each metric over time, and its significant changes",
    "drift": "do real questions still look like the test set? Compares a production log with it, and proposes "
             "questions",
    "gate": "has a run become worse than the pinned baseline? For continuous integration",
    "diagnose": "where does each query go wrong first, and what could each fix gain?",
    "trust": "how far can a judge's verdicts be trusted? Compares them with people's labels; the interval allows for "
             "the judge's errors",
    "report": "write the result as one HTML file, for people who will never install anything",
    "ab": "ask two configurations the same questions, write their runs, compare them",
    "fuse": "fuse several runs into one, by RRF and other methods or as an engine does it; would a hybrid help?",
    "judge": "let an LLM judge answers and contexts; its verdicts are stored for evaluate and the pages",
    "verdicts": "import verdicts of RAGAS, RAGChecker or DeepEval for a run, or export those of judges",
    "testset": "let a model write questions with answers and evidence about your documents, and check them; you review "
               "them on the page",
    "audit": "is the test set any good? Which differences it can show, queries that carry the verdict, near copies, "
             "judgments that look wrong",
    "judgments": "which documents to judge next: those that settle the winner, or a sample that estimates the means; "
                 "reads the completed sheet",
    "check": "read files and report every problem; with --truth: can the runs be compared?",
    "relink": "follow judged documents to their new ids after the documents were indexed again, by their texts",
    "convert": "write a run or a ground truth in another format",
    "metrics": "list every metric: name, parameters, range, formula, source",
    "score": "let local models compute what semantic metrics need; it is stored for evaluate and the pages",
    "dashboard": "open the pages, with these files loaded",
    "view": "open the pages, with the runs that are recorded in a folder; a run appears when it is closed",
    "workspace": "set up, check and clean up a workspace that several servers share in a database",
    "worker": "do the queued jobs of a workspace in a database, such as judging",
    "jobs": "list the jobs of a workspace in a database; cancel a job",
    "bundle": "write a static site of a folder of recorded runs: an index, a page for each run, a report",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    # Our own threads share the cores. Those of OpenBLAS wait actively for each other: with them, intervals took seven
    # times the processor time on a busy machine. It reads this when numpy is imported, which commands do.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _drop_unusable_date()
        options = parse(sys.argv[1:] if arguments is None else arguments)
        check_outputs(options)
        check_metrics(options)
        command = _module_of(options.command)
        if "pyarrow" in sys.modules:
            import_module("ragdash.core.arrow_columns").leave_pandas_out()
            _require_memory()
        return command.run(options)
    except InputError as error:
        say(error.problems)
        if any(problem.file == STANDARD_OUTPUT for problem in error.problems):
            discard_output()
        return 2
    except Unavailable as missing:  # such as a negative cost in a run
        say([replace(missing.problem, severity="error")])
        return 2
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        discard_output()
        return 0
    except KeyboardInterrupt:
        print_note("error: stopped")
        return 130
    except Exception as error:  # the only place: exit status 1 means a missed bound, so a fault needs another
        if outside := _outside_fault(error):
            say([outside])
            return 2
        if import_module("ragdash.__main__").report(error) == 2:
            return 2
        return 3


def _drop_unusable_date() -> None:
    """Take SOURCE_DATE_EPOCH out of the environment where it is no time: numpy.f2py, which scipy imports, fails on it.

    No result of ragdash depends on it.
    """
    value = os.environ.get("SOURCE_DATE_EPOCH")
    if value is None:
        return
    try:
        if time.gmtime(int(value)).tm_year < 1970:
            raise ValueError(value)
    except (ValueError, OverflowError, OSError):
        del os.environ["SOURCE_DATE_EPOCH"]
        say([Problem("unusable-date", {"value": shorten(value, 60)}, field="SOURCE_DATE_EPOCH", severity="warning")])


def _require_memory() -> None:
    """Raise MemoryError where a limit of the process leaves less than NEEDED: OpenBLAS would end it with its own words.

    Without a limit, memory is taken from the system as it is used, and nothing is to be tried.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    try:
        mmap.mmap(-1, NEEDED).close()
    except OSError:
        raise MemoryError from None


def show_warnings() -> None:
    """Have warnings of Python's own kind, such as those of recordings, shown as lines like all others."""
    warnings.showwarning = lambda message, *_, **__: print_note(f"warning: {message}")


def _outside_fault(error: Exception) -> Problem | None:
    """The problem of an error that is no fault of ragdash; None where it is one.

    What the system says of a path, such as a name that is too long, is about the path that was given.
    """
    if lacks_memory(error):
        return Problem("out-of-memory")
    try:
        os.getcwd()
    except FileNotFoundError:
        return Problem("no-current-folder")
    if isinstance(error, OSError) and is_disk_full(error):
        return Problem("full-disk", {"reason": error.strerror or str(error)}, error.filename and str(error.filename))
    if isinstance(error, OSError) and error.errno and error.filename is not None:
        file = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else str(error.filename)
        if not os.path.abspath(file).startswith(os.path.dirname(os.path.dirname(__file__)) + os.sep):
            return Problem("unusable-path", {"reason": error.strerror or str(error)}, file)
    return None


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line; exits with a message where they are wrong.

    Besides what the command takes they hold `command`, its name; `given`, the arguments; and `streamlit`, the
    arguments after `--`, which `ragdash dashboard` passes on.
    """
    ragdash_arguments, streamlit = _split_at_dashes(list(arguments))
    command_name = next((argument for argument in ragdash_arguments if not argument.startswith("-")), None)
    parser = _parser([command_name])
    if not arguments:  # a newcomer's first try: which commands there are, not which word is missing
        parser.print_help(sys.stderr)
        parser.exit(2)
    options, unknown = parser.parse_known_args(ragdash_arguments)
    if unknown:
        commands = commands_of(parser)
        commands.get(options.command, parser).error(unknown_arguments(unknown, options.command, _full_parser()))
    options.given, options.streamlit = [printable(argument) for argument in ragdash_arguments], streamlit
    return options


def _full_parser() -> argparse.ArgumentParser:
    """The parser with the options of every command; it imports all of them."""
    return _parser(COMMANDS)


def _parser(with_options: Collection[str | None]) -> argparse.ArgumentParser:
    """The parser of the command line, with the options of these commands alone."""
    parser = Parser(prog="ragdash", description="Which retrieval configuration is better, where does "
                                     "it fail, can I trust that, can I show it?",
                    epilog="New here? ragdash dashboard opens the pages; press Open the samples there.")
    parser.add_argument("--version", action="version", version=f"ragdash {_version()}")
    parser.add_argument("--print-completion", action=PrintCompletion, metavar="SHELL", full_parser=_full_parser,
                        help="print a script that lets bash, zsh, fish or tcsh complete commands and options")
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")
    for name, help_line in COMMANDS.items():
        # The help option of a parser that nobody asks costs a third of the time that all of them take.
        command = commands.add_parser(name, help=help_line, add_help=name in with_options)
        if name in with_options:
            _module_of(name).add_options(command)
    return parser


def _version() -> str:
    return import_module("ragdash").__version__


def _module_of(command: str) -> ModuleType:
    folder = Path(__file__).parent / "commands"
    path = next(folder.glob(f"**/{command}.py")).relative_to(folder).with_suffix("")
    return import_module(".".join(("ragdash.cli.commands", *path.parts)))


def _split_at_dashes(arguments: list[str]) -> tuple[list[str], list[str]]:
    """(our arguments, those after the dashes) of `dashboard ... -- ...` and `view ... -- ...`."""
    if arguments[:1] not in (["dashboard"], ["view"]) or "--" not in arguments:
        return arguments, []
    dashes = arguments.index("--")
    return arguments[:dashes], arguments[dashes + 1:]
