"""What the command line takes: the commands and their options."""

from __future__ import annotations

import argparse

from ragdash.analysis.diagnosis import Rules
from ragdash.cli.commands.ab_options import add_ab
from ragdash.cli.commands.judge_options import add_judge, add_testset, add_trust, add_verdicts
from ragdash.cli.common_options import drawing_options, matching_options, metric_options, reading_options, whole
from ragdash.evaluation.compare import CORRECTIONS
from ragdash.evaluation.stats import PERMUTATIONS
from ragdash.io.write.write import WRITTEN_FORMATS as WRITTEN
from ragdash.matching.evidence import HOW
from ragdash.reporting.tables import COMPARISON_FORMATS, DIAGNOSIS_FORMATS, FORMATS, SHAPES


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; `command` of what it returns is the name of one."""
    top = argparse.ArgumentParser(prog="ragdash", description="Which retrieval configuration is better, where does it "
                                  "fail, can I trust that, can I show it?")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    reading, computing, drawing = reading_options(), metric_options(), drawing_options()

    command = commands.add_parser("evaluate", parents=[reading, computing, drawing],
                                  help="metrics of runs, with intervals")
    command.add_argument("runs", nargs="+", metavar="RUN", help="a path, NAME=path, or - for standard input")
    command.add_argument("--per-query", action="store_true", help="the values of every query")
    command.add_argument("--shape", choices=SHAPES, default="rows", help="of --per-query: rows (one per run and query, "
                         "a column per metric), long (one per run, query and metric), wide (one per query)")
    command.add_argument("--format", choices=(*FORMATS, "junit"), default="table")
    command.add_argument("--fail-under", action="append", metavar="METRIC=BOUND",
                         help='exit 1 below this mean, or below the interval\'s lower end with "nDCG@10.low=0.45"')
    command.set_defaults(command="evaluate")

    command = commands.add_parser("compare", parents=[reading, computing, drawing],
                                  help="which candidates are better than the baseline, and can that be trusted?")
    command.add_argument("runs", nargs="+", metavar="RUN", help="the baseline first, then the candidates")
    command.add_argument("--margin", type=float, help="differences up to this do not matter: verdict equivalent")
    command.add_argument("--correction", choices=CORRECTIONS, default="holm",
                         help="of the p-values of all candidates and metrics (bh: Benjamini-Hochberg)")
    command.add_argument("--permutations", type=whole(1), default=PERMUTATIONS)
    command.add_argument("--format", choices=COMPARISON_FORMATS, default="table")
    command.add_argument("--no-worse-than", action="append", metavar="[METRIC=]LIMIT",
                         help="exit 1 where a candidate's mean is worse by more than this, or, with low=0.02 or "
                         '"nDCG@10.low=0.02", where the interval does not exclude it')
    command.set_defaults(command="compare")

    _add_diagnose(commands, reading)
    add_trust(commands, reading)
    _add_report(commands, [reading, computing, drawing])
    add_ab(commands, [reading, computing, drawing])
    add_judge(commands, reading)
    add_verdicts(commands, reading)
    add_testset(commands)
    _add_tools(commands, reading, computing)
    return top


def _add_diagnose(commands, reading: argparse.ArgumentParser) -> None:
    command = commands.add_parser("diagnose", parents=[reading, matching_options()],
                                  help="where does each query go wrong first, and what could each fix gain?")
    command.add_argument("runs", nargs="+", metavar="RUN", help="a path, NAME=path, or - for standard input")
    command.add_argument("-m", "--metrics", metavar="METRICS", help="whose gains are told (default: nDCG at k)")
    command.add_argument("--queries", action="store_true", help="the verdict on every query")
    command.add_argument("--format", choices=DIAGNOSIS_FORMATS, default="table")
    rules = command.add_argument_group("rules", "see docs/reference/diagnosis.md")
    for name, kind, text in (("k", whole(1), "the first k documents count"),
                             ("rel", whole(1), "grades from here on are gold"),
                             ("coverage", float, "share of the gold to stand in the first k; 0: one is enough"),
                             ("score", float, "score below which documents are cut off"),
                             ("right", float, "value from which an answer is right"),
                             ("right-by", str, "metric that tells whether it is"),
                             ("grounded", float, "value from which an answer is grounded"),
                             ("grounded-by", str, "metric that tells whether it is")):
        default = getattr(Rules, name.replace("-", "_"))
        shown = "" if default is None else f" (default: {default})"
        rules.add_argument(f"--{name}", type=kind, metavar=name.upper(), help=text + shown)
    command.set_defaults(command="diagnose")


def _add_report(commands, parents: list[argparse.ArgumentParser]) -> None:
    """The command that makes a page for others."""
    command = commands.add_parser("report", parents=parents, help="one HTML file with everything, for people who will "
                                  "never install anything")
    command.add_argument("runs", nargs="+", metavar="RUN", help="a path or NAME=path; the first is the baseline")
    command.add_argument("--baseline", metavar="NAME", help="the run that the others are held against")
    command.add_argument("--k", type=whole(1), default=10, help="cutoff of the metrics and of the curves' mark")
    command.add_argument("--title", default="Retrieval configurations compared")
    command.add_argument("--sections", metavar="NAME,NAME", help="only these, such as verdict,leaderboard,queries; a "
                         "name that there is none of tells them all")
    command.add_argument("--no-texts", action="store_true", help="no questions, documents or answers: ids alone")
    command.add_argument("--margin", type=float, help="differences up to this do not matter: verdict equivalent")
    command.add_argument("--bands", metavar="FILE", help="bands of your own (TOML) in place of the published ones")
    command.add_argument("--prices", metavar="FILE", help="price table (TOML) for what the runs cost")
    command.set_defaults(command="report")


def _add_tools(commands, reading: argparse.ArgumentParser, computing: argparse.ArgumentParser) -> None:
    """The commands that put no values of metrics out."""
    command = commands.add_parser("check", parents=[reading, computing],
                                  help="read files and report every problem; with --truth: can the runs be compared?")
    command.add_argument("files", nargs="+", metavar="FILE")
    command.add_argument("--truth", action="append", metavar="TRUTH")
    command.add_argument("--format", choices=("table", "json"), default="table")
    command.add_argument("-o", "--output", metavar="FILE")
    command.set_defaults(command="check")

    command = commands.add_parser("convert", parents=[reading], help="write a run or a truth in another format")
    command.add_argument("file", metavar="IN")
    command.add_argument("-o", "--output", required=True, metavar="OUT", help="its ending names the format")
    command.add_argument("--truth", action="store_true", help="take IN as a truth, where it could be both")
    command.add_argument("--config", metavar="NAME", help="the configuration to write, where IN holds several")
    command.add_argument("--format", choices=WRITTEN)
    command.set_defaults(command="convert")

    command = commands.add_parser("metrics", help="every metric: name, parameters, range, formula, source")
    command.add_argument("names", nargs="*", metavar="METRIC")
    command.add_argument("--format", choices=("table", "json", "markdown"), default="table")
    command.add_argument("-o", "--output", metavar="FILE")
    command.set_defaults(command="metrics")

    command = commands.add_parser("score", parents=[reading], help="let local models say what semantic metrics need; "
                                  "what they say is kept, and evaluate and the pages read it")
    command.add_argument("runs", nargs="+", metavar="RUN")
    command.add_argument("--truth", metavar="TRUTH")
    command.add_argument("-m", "--metrics", metavar="METRICS", help='such as "SBERT CrossEncoder" (default: SBERT, or '
                         "none with --match-how)")
    command.add_argument("--match-how", choices=HOW[-1:], help="what `evaluate --match evidence` needs with this "
                         "similarity of chunks and gold spans")
    command.add_argument("--model", metavar="FOLDER", help="a sentence-transformers model, or its name in the cache")
    command.add_argument("--cross-encoder", metavar="FOLDER")
    command.add_argument("--nli", metavar="FOLDER", help="a model of natural language inference, for NLIFaithfulness")
    command.add_argument("--hub", action="store_true", help="fetch a model that is not on this machine")
    command.add_argument("--device", metavar="NAME", help="cpu, cuda, mps ... (default: what the model finds)")
    command.add_argument("--progress", choices=("text", "json"), default="text")
    command.set_defaults(command="score")

    command = commands.add_parser("dashboard", help="the pages, with these files already loaded",
                                  epilog="Options behind -- go to Streamlit.")
    command.add_argument("files", nargs="*", metavar="FILE", help="runs and truths, told apart by content")
    command.add_argument("--truth", action="append", metavar="TRUTH")
    command.add_argument("--workspace", metavar="DIR", help="where uploaded runs and truths are kept; default: "
                         "RAGDASH_WORKSPACE, else a folder of the user")
    command.add_argument("--read-only", action="store_true", help="show the workspace, without upload or change")
    command.add_argument("--host", default="127.0.0.1")
    command.add_argument("--port", type=whole(1))
    command.add_argument("--no-browser", action="store_true")
    command.set_defaults(command="dashboard")


def split_at_dashes(arguments: list[str]) -> tuple[list[str], list[str]]:
    """`dashboard ... -- ...`: our arguments, and those behind the dashes, which are Streamlit's."""
    if arguments[:1] != ["dashboard"] or "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1:]
