"""Several runs as one configuration: only repeats are averaged, and only `--group` makes repeats of other runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ragdash.core.errors import InputError
from ragdash.core.records import Run
from ragdash.evaluation.repeats import configurations_problem


def add_group_option(parser: argparse.ArgumentParser) -> None:
    """Add --group."""
    parser.add_argument("--group", metavar="NAME", help="the runs are repeats of one configuration of this name, "
                        "although their names or settings differ")


def check_repeats(runs: Sequence[Run], group: str | None) -> None:
    """Raise InputError if several runs are of different configurations, unless a group was named."""
    problem = None if group else configurations_problem(runs)
    if problem is not None:
        raise InputError([problem])
