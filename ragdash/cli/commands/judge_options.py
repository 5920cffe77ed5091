"""What the commands about judges take."""

from __future__ import annotations

import argparse

from ragdash.cli.common_options import cut, matching_options, seconds, whole
from ragdash.evaluation.scoring.verdict_export import FORMATS as VERDICT_FORMATS
from ragdash.evaluation.stats import SEED
from ragdash.experiments.testset import TYPES, RoundTrip
from ragdash.metrics.bands import YES
from ragdash.models.judge import Patience
from ragdash.models.judge.batch import CONCURRENCY
from ragdash.models.judge.endpoint import KINDS
from ragdash.reporting.tables import TRUST_FORMATS


def asking_options() -> argparse.ArgumentParser:
    """Of the commands that ask a judge."""
    asking = argparse.ArgumentParser(add_help=False)
    asking.add_argument("--base-url", required=True, metavar="URL", help="of the endpoint, such as "
                        "http://localhost:11434/v1")
    asking.add_argument("--model", required=True, metavar="NAME")
    asking.add_argument("--kind", choices=KINDS, default=KINDS[0], help="the protocol (default: openai, which most "
                        "endpoints speak)")
    asking.add_argument("--key-env", metavar="NAME", help="the environment variable with the key (default: "
                        "OPENAI_API_KEY or ANTHROPIC_API_KEY at these two, none elsewhere)")
    asking.add_argument("--parameter", action="append", metavar="NAME=VALUE", help="such as seed=1; temperature is 0 "
                        "unless given, and left out with temperature=")
    asking.add_argument("--price-in", type=float, metavar="MONEY", help="for a million tokens read")
    asking.add_argument("--price-out", type=float, metavar="MONEY", help="for a million tokens written")
    asking.add_argument("--max-cost", type=float, metavar="MONEY", help="stop before more than this is paid")
    asking.add_argument("--max-calls", type=whole(0), metavar="N", help="stop after so many calls")
    asking.add_argument("--seed", type=whole(0), default=SEED)
    asking.add_argument("--concurrency", type=whole(1), default=CONCURRENCY, metavar="N", help="calls at once")
    asking.add_argument("--timeout", type=seconds, default=Patience.reply, metavar="SECONDS", help="for a reply")
    asking.add_argument("--dry-run", action="store_true", help="tell calls, tokens and cost; ask nothing")
    asking.add_argument("--yes", action="store_true", help="texts may leave this machine")
    asking.add_argument("--progress", choices=("text", "json"), default="text")
    return asking


def add_judge(commands, reading: argparse.ArgumentParser) -> None:
    """A model is asked."""
    command = commands.add_parser("judge", parents=[reading, asking_options()], help="let a model that reads judge "
                                  "answers and contexts; what it says is kept, and evaluate and the pages read it")
    command.add_argument("runs", nargs="+", metavar="RUN")
    command.add_argument("--truth", metavar="TRUTH")
    command.add_argument("-m", "--metrics", metavar="METRICS", default="Faithfulness",
                         help='such as "ClaimFaithfulness Correctness" (default: Faithfulness)')
    command.add_argument("--sample", type=whole(1), metavar="N", help="only so many queries, drawn at random")
    command.add_argument("--votes", type=whole(1), metavar="N", help="ask each question so often")
    command.set_defaults(command="judge")


def add_testset(commands) -> None:
    """Questions are made of documents."""
    command = commands.add_parser("testset", parents=[asking_options()], help="questions with answers and evidence, "
                                  "written by a model about your documents; checked, to be reviewed on the page")
    command.add_argument("file", metavar="CORPUS", help="documents with doc_id and text, such as BEIR's corpus.jsonl")
    command.add_argument("-n", type=whole(1), default=50, metavar="N", help="questions wanted (default: 50)")
    command.add_argument("--types", default=",".join(TYPES), metavar="TYPE,TYPE", help="shared out evenly among these "
                         f"(default: {','.join(TYPES)})")
    command.add_argument("--round-trip", nargs="?", const="", metavar="RUN", help="reject questions whose document is "
                         "not among the first k of this run, or, for questions that it was not asked (and without a "
                         "run), by the words")
    command.add_argument("--k", type=whole(1), default=RoundTrip.k, help=f"of --round-trip (default: {RoundTrip.k})")
    command.add_argument("-o", "--output", metavar="FILE", help="the truth, JSONL (default: standard output)")
    command.add_argument("--rejects", metavar="FILE", help="those that a rule rejected, with all their reasons")
    command.add_argument("--drafts", metavar="FILE", help="all of it, to be opened on the page elsewhere; the "
                         "workspace of this machine has it anyway")
    command.add_argument("--encoding", default="utf-8")
    command.add_argument("--map", action="append", metavar="OURS=THEIRS,...", help="columns that are not recognised: "
                         "doc_id, text, title, and the column that holds it")
    command.set_defaults(command="testset")


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
    command.add_argument("-m", "--metrics", metavar="METRICS", help="of the formats rows and ledger (default: all "
                         "that are there)")
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
    command.add_argument("--cut", type=cut, default=f"{YES:g}", help="values from here on are a yes; none: each value "
                         f"is a class of its own (default: {YES:g})")
    command.add_argument("--judge-model", metavar="NAME", help="who judged")
    command.add_argument("--generator", metavar="NAME", help="who wrote the answers; warned of where it is of the "
                         "judge's family")
    command.add_argument("--disagreements", type=whole(0), default=10, metavar="N", help="shown of each run")
    command.add_argument("--format", choices=TRUST_FORMATS, default="table")
    command.set_defaults(command="trust")
