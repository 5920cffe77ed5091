"""What `ragdash ab` takes."""

from __future__ import annotations

import argparse

from ragdash.cli.common_options import seconds, whole
from ragdash.evaluation.compare import CORRECTIONS
from ragdash.evaluation.stats import PERMUTATIONS
from ragdash.experiments.ab.command_system import TIMEOUT
from ragdash.reporting.tables import COMPARISON_FORMATS

FORMATS = (*COMPARISON_FORMATS, "html")
OF_REPORT = {"baseline": None, "k": 10, "title": "Two configurations compared", "sections": None, "no_texts": False,
             "bands": None, "prices": None}


def add_ab(commands, parents: list[argparse.ArgumentParser]) -> None:
    """Add the command."""
    command = commands.add_parser(
        "ab", parents=parents, help="ask two configurations the same questions, write their runs, compare them",
        description="A command is run for each question, which is its standard input, or stands where {question} is in "
        "it, and prints one JSON object with answer and retrieved. There is no shell. See docs/guide/ab.md.")
    command.add_argument("--a", required=True, metavar="COMMAND", help="the baseline, such as 'python dense.py'")
    command.add_argument("--b", required=True, metavar="COMMAND", help="the candidate")
    command.add_argument("--name-a", default="a", metavar="NAME")
    command.add_argument("--name-b", default="b", metavar="NAME")
    command.add_argument("--lines", nargs="?", const="both", choices=("both", "a", "b"), help="the commands stay: they "
                         "read a line of JSON for each question and write one (both, or a or b alone)")
    command.add_argument("--output-dir", metavar="DIR", help="for the runs and the journals (default: ab-NAME-NAME)")
    command.add_argument("--timeout", type=seconds, default=TIMEOUT, metavar="SECONDS", help="for an answer (default: "
                         f"{TIMEOUT:g})")
    command.add_argument("--concurrency", type=whole(1), default=1, metavar="N", help="queries at once; latencies are "
                         "then those under load (default: 1)")
    command.add_argument("--warm-up", type=whole(0), metavar="N", help="unmeasured calls of each before the first "
                         "(default: 0; with --lines 1, of each process)")
    command.add_argument("--retry-failed", action="store_true", help="ask queries that failed again")
    command.add_argument("--margin", type=float, help="differences up to this do not matter: verdict equivalent")
    command.add_argument("--correction", choices=CORRECTIONS, default="holm", help="of the p-values of all metrics")
    command.add_argument("--permutations", type=whole(1), default=PERMUTATIONS)
    command.add_argument("--format", choices=FORMATS, default="table", help="of the comparison; html: a report")
    command.add_argument("--no-worse-than", action="append", metavar="[METRIC=]LIMIT", help="exit 1 where b is worse "
                         "by more than this, as in `ragdash compare`")
    command.set_defaults(command="ab", progress="text", **OF_REPORT)
