"""What the commands about judges take."""

from __future__ import annotations

import argparse

from ragdash.cli_parents import cut, matching_options, whole
from ragdash.judging import Patience
from ragdash.judging.asking import CONCURRENCY
from ragdash.judging.endpoint import KINDS
from ragdash.report import TRUST_FORMATS
from ragdash.stats import SEED
from ragdash.verdict_exports import FORMATS as VERDICT_FORMATS


def add_judge(commands, reading: argparse.ArgumentParser) -> None:
    """A model is asked."""
    command = commands.add_parser("judge", parents=[reading], help="let a model that reads judge answers and contexts; "
                                  "what it says is kept, and evaluate and the pages read it")
    command.add_argument("runs", nargs="+", metavar="RUN")
    command.add_argument("--truth", metavar="TRUTH")
    command.add_argument("-m", "--metrics", metavar="METRICS", default="Faithfulness",
                         help='such as "ClaimFaithfulness Correctness" (default: Faithfulness)')
    command.add_argument("--base-url", required=True, metavar="URL", help="of the endpoint, such as "
                         "http://localhost:11434/v1")
    command.add_argument("--model", required=True, metavar="NAME")
    command.add_argument("--kind", choices=KINDS, default=KINDS[0], help="the protocol (default: openai, which most "
                         "endpoints speak)")
    command.add_argument("--key-env", metavar="NAME", help="the environment variable with the key (default: "
                         "OPENAI_API_KEY or ANTHROPIC_API_KEY at these two, none elsewhere)")
    command.add_argument("--parameter", action="append", metavar="NAME=VALUE", help="such as seed=1; temperature is 0 "
                         "unless given, and left out with temperature=")
    command.add_argument("--price-in", type=float, metavar="MONEY", help="for a million tokens read")
    command.add_argument("--price-out", type=float, metavar="MONEY", help="for a million tokens written")
    command.add_argument("--max-cost", type=float, metavar="MONEY", help="stop before more than this is paid")
    command.add_argument("--max-calls", type=whole(0), metavar="N", help="stop after so many calls")
    command.add_argument("--sample", type=whole(1), metavar="N", help="only so many queries, drawn at random")
    command.add_argument("--seed", type=whole(0), default=SEED)
    command.add_argument("--votes", type=whole(1), metavar="N", help="ask each question so often")
    command.add_argument("--concurrency", type=whole(1), default=CONCURRENCY, metavar="N", help="calls at once")
    command.add_argument("--timeout", type=float, default=Patience.reply, metavar="SECONDS", help="for a reply")
    command.add_argument("--dry-run", action="store_true", help="tell calls, tokens and cost; ask nothing")
    command.add_argument("--yes", action="store_true", help="texts may leave this machine")
    command.add_argument("--progress", choices=("text", "json"), default="text")
    command.set_defaults(command="judge")


def add_verdicts(commands, reading: argparse.ArgumentParser) -> None:
    """Verdicts are carried."""
    command = commands.add_parser("verdicts", parents=[reading], help="read verdicts of RAGAS, RAGChecker or DeepEval "
                                  "on a run, or put out those that judges gave")
    command.add_argument("run", metavar="RUN")
    command.add_argument("--truth", metavar="TRUTH")
    command.add_argument("--read", metavar="FILE", help="results with scores or verdicts, to be kept for this run")
    command.add_argument("--format", choices=(*VERDICT_FORMATS, "ledger"), default="rows", help="what to put out: a "
                         "line for each query and metric with its claims, the columns of another tool, or what --read "
                         "takes into the ledger of another machine")
    command.add_argument("-m", "--metrics", metavar="METRICS", help="of the format rows (default: all that are there)")
    command.add_argument("--judge", default="", metavar="NAME", help="whose verdicts (default: the one last asked)")
    command.add_argument("-o", "--output", metavar="FILE")
    command.set_defaults(command="verdicts")


def add_trust(commands, reading: argparse.ArgumentParser) -> None:
    """Verdicts are held against labels."""
    command = commands.add_parser("trust", parents=[reading, matching_options()], help="how far can a judge's "
                                  "verdicts be trusted? Beside people's labels, with an interval that allows for its "
                                  "errors")
    command.add_argument("runs", nargs="*", metavar="RUN", help="the baseline first; with --truth and -m")
    command.add_argument("-m", "--metrics", metavar="METRIC", help="the one whose values are verdicts; with "
                         "--local-judge what the labels are about (may be left out)")
    command.add_argument("--verdicts", action="append", metavar="[NAME=]FILE", help="in place of runs: CSV or JSONL "
                         "with query_id and value, and run, vote, missing, judge, generator where known")
    command.add_argument("--local-judge", action="store_true", help="in place of a metric's verdicts: those of a judge "
                         "that is trained on the labels themselves, cross-fitted; it needs no key and sends nothing")
    command.add_argument("--labels", action="append", metavar="[NAME=]FILE", help="CSV or JSONL with query_id and "
                         "label, and run for several; laid over those that were kept")
    command.add_argument("--keep", action="store_true", help="keep the labels in the workspace")
    command.add_argument("--sheet", metavar="FILE", help="draw queries to label and write them (.csv, .jsonl)")
    command.add_argument("-n", type=whole(1), default=50, metavar="N", help="queries to draw (default: 50)")
    command.add_argument("--seed", type=whole(0), default=SEED, help="of the draw, and of the local "
                         "judge's folds")
    command.add_argument("--cut", type=cut, default="0.5", help="values from here on are a yes; none: each value is a "
                         "class of its own (default: 0.5)")
    command.add_argument("--judge-model", metavar="NAME", help="who judged")
    command.add_argument("--generator", metavar="NAME", help="who wrote the answers; warned of where it is of the "
                         "judge's family")
    command.add_argument("--disagreements", type=whole(0), default=10, metavar="N", help="shown of each run")
    command.add_argument("--format", choices=TRUST_FORMATS, default="table")
    command.set_defaults(command="trust")
