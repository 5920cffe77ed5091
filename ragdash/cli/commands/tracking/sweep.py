"""`ragdash sweep`: a command at every point of a grid of settings, each recorded as a run."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from ragdash.cli.common_options import seconds, visible_text
from ragdash.core.console import count, print_note, query_count, write_text
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import log_folder
from ragdash.experiments.sweep import OUTPUT, check_command, command_words, grid_points, sweep_command


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("text", metavar="COMMAND", help="the command, with a placeholder {NAME} for each setting, and "
                        "{out} for the file of the run (without it, the run is read from standard output)")
    parser.add_argument("--set", action="append", required=True, metavar="NAME=VALUE,VALUE", dest="settings",
                        help="a setting and its values; may be given several times")
    parser.add_argument("--name", type=visible_text, help="begins the names of all runs, before their settings "
                        "(default: the first word of the command)")
    parser.add_argument("--tag", type=visible_text, action="append", metavar="WORD",
                        help="a tag of all runs; may be given several times")
    parser.add_argument("--logdir", metavar="DIR", help="where runs are recorded; default: RAGDASH_LOG_DIR, else "
                        "./ragdash-logs")
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help="end a command that takes longer")
    parser.add_argument("--dry-run", action="store_true", help="print the commands, and run none")


def run(options: argparse.Namespace) -> int:
    """Run the command at each point; returns the exit status."""
    grid = grid_of(options.settings)
    points = grid_points(grid)
    check_command(options.text, grid)
    if options.dry_run:
        write_text("".join(f"{shlex.join(command_words(options.text, point, f'{{{OUTPUT}}}'))}\n" for point in points),
                   None)
        return 0
    folder = Path(options.logdir or log_folder())
    name = options.name or Path(shlex.split(options.text)[0]).name
    failed: list[tuple[dict, str]] = []
    steps = sweep_command(options.text, grid, name=name, folder=folder, tags=options.tag or (),
                          timeout=options.timeout)
    for number, (point, item, before, reason) in enumerate(steps, 1):
        outcome = f"failed: {reason}" if item is None else query_count(len(item)) + (", as before" if before else "")
        values = ", ".join(f"{setting}={value}" for setting, value in point.items())
        print_note(f"{number:,} of {len(points):,}: {values}: {outcome}")
        if item is None:
            failed.append((point, reason))
    if failed:
        point, reason = failed[0]
        raise InputError([Problem("sweep/failed", {
            "failed": len(failed), "points": len(points), "reason": reason,
            "command": shlex.join(command_words(options.text, point, "run.out"))}, field="COMMAND")])
    print_note(f"{count(len(points), 'run')} in {folder}: compare them with ragdash variants "
               f"{shlex.quote(str(folder))}")
    return 0


def grid_of(texts: Sequence[str]) -> dict[str, list]:
    """{setting: values} of NAME=VALUE,VALUE; values that are numbers, true or false in JSON are these."""
    grid: dict[str, list] = {}
    for text in texts:
        name, equal, values = text.partition("=")
        name = name.strip()
        if not equal or not name or name in grid or name == OUTPUT or not all(
                value.strip() for value in values.split(",")):
            raise InputError([Problem("sweep/set", {"text": text}, field="--set")])
        grid[name] = list(dict.fromkeys(_value(value.strip()) for value in values.split(",")))
    return grid


def _value(text: str) -> object:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) and str(value).lower() == text else text
