"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

from ragdash.core.ids.spellings import ALL_SPELLINGS
from ragdash.core.records import CHOICES, Conventions
from ragdash.io.field_names import FIELDS
from ragdash.io.proposals.reading import ROLES
from ragdash.models.engines.opening import ENGINES

CONVENTIONS = {
    "ties": "order of documents with the same score: by id, as in the file, or as trec_eval does it (default: docid)",
    "missing": "a query that a run lacks counts as an empty ranking, or is left out (default: zero)",
    "unanswerable": "a query without a relevant document is left out, or counts as 0 (default: skip)",
    "duplicates": "of a document that a ranking has twice the first counts, or it is an error (default: first)",
}


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Options of the commands that read runs or truths."""
    parser.add_argument("--encoding", default="utf-8", help="of files that are text (default: utf-8)")
    parser.add_argument("--map", action="append", metavar="OURS=THEIRS,...", help="which column is what, where "
                        "it is not recognized, such as query=question,retrieved=url; OURS is one of "
                        f"{', '.join(FIELDS)}; THEIRS=OURS works too, and FILE:OURS=THEIRS is for one of the files")
    parser.add_argument("--role", choices=ROLES, help="what the files hold, for a proposed reading")
    parser.add_argument("--records", metavar="PATH", help="the list of records in a JSON file, such as results.items, "
                        "or the sheet of a workbook")
    parser.add_argument("--corpus", metavar="FILE", help="all documents with their texts, such as BEIR's "
                        "corpus.jsonl; used where a run has no texts")
    parser.add_argument("--ids", metavar="SPELLING", help="match ids with those of the ground truth that are "
                        f"written differently: {', '.join(spelling.name for spelling in ALL_SPELLINGS)}, or several "
                        "with commas")
    parser.add_argument("--collapse", metavar="WAY", help="rank documents instead of chunks: by the column source, "
                        "by prefix:SEPARATOR (the id up to the last separator) or by number:SEPARATOR (the same, where "
                        "only a number follows); the top 10 are then 10 documents. With chunks:source, "
                        "chunks:prefix:SEPARATOR or chunks:id they are 10 chunks")
    parser.add_argument("--reverse-scores", action="append", metavar="NAME", help="scores of this run are distances: "
                        "rank the smallest first")
    defaults = Conventions()
    for name, choices in CHOICES.items():
        parser.add_argument(f"--{name}", choices=choices, default=getattr(defaults, name), help=CONVENTIONS[name])


def add_metric_options(parser: argparse.ArgumentParser) -> None:
    """Options of the commands that compute metrics."""
    parser.add_argument("-m", "--metrics", metavar="METRICS", help='what to compute, such as "nDCG@10 R@5 RR '
                        'AP"')
    parser.add_argument("--metric-direction", action="append", metavar="NAME=WAY", help="which end of a metric from "
                        "the file is better: higher, lower or none, such as latency=lower (default: by the name)")
    parser.add_argument("--cutoffs", type=cutoffs, metavar="K,K", help="cutoffs of the metrics that are written "
                        "without one")


class FirstAndMore(argparse.Action):
    """The first value under the option's name, those after it in more_truths: none takes the place of another."""

    def __call__(self, parser, namespace, values, option_string=None) -> None:
        if getattr(namespace, self.dest, None) is None:
            setattr(namespace, self.dest, values)
        else:
            namespace.more_truths = [*getattr(namespace, "more_truths", ()), values]


def add_truth_option(parser: argparse.ArgumentParser, words: str, *names: str) -> None:
    """The option of the truth, which may be given several times; names: further names of it."""
    parser.add_argument("--truth", *names, action=FirstAndMore, metavar="TRUTH",
                        help=f"{words}; may be given several times: each fills the gaps of those before it")


def add_matching_options(parser: argparse.ArgumentParser) -> None:
    """Options of the commands that match runs with a truth and write results."""
    from ragdash.matching.evidence import HOW
    from ragdash.matching.match import MATCHES, Matching

    add_truth_option(parser, "the ground truth; not needed where the rows of the run have it")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result to this file")
    parser.add_argument("--match", choices=MATCHES, default=Matching.by, help="what makes a document relevant: "
                        "its id, or a text that contains gold evidence (default: id)")
    parser.add_argument("--match-how", choices=HOW, help="with --match evidence: how a chunk is compared with a "
                        "gold span")
    parser.add_argument("--match-model", metavar="NAME", help="with --match-how embedding: the "
                        "model whose values count (default: the one that scored last)")
    parser.add_argument("--match-threshold", type=float, metavar="T",
                        help="with --match evidence: the least similarity at which a chunk contains a span")
    add_engine_option(parser)


def add_engine_option(parser: argparse.ArgumentParser) -> None:
    """The option of the commands whose work a cluster can do."""
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help="where models run, judges are called and "
                        "texts are compared: this machine, or a Ray cluster, found by RAY_ADDRESS (default: local)")


def add_resampling_options(parser: argparse.ArgumentParser) -> None:
    """Options of the commands that compute intervals by resampling queries."""
    from ragdash.evaluation.stats import FEWEST_RESAMPLES, MOST_RESAMPLES, RESAMPLES, SEED

    parser.add_argument("--seed", type=whole_number(0), default=SEED, help=f"of the random draws (default: {SEED})")
    parser.add_argument("--resamples", type=whole_number(FEWEST_RESAMPLES, MOST_RESAMPLES), default=RESAMPLES,
                        help=f"of the bootstrap intervals (default: {RESAMPLES:,})")


def add_evaluation_options(parser: argparse.ArgumentParser) -> None:
    """Options of the commands that evaluate runs: reading, metrics, matching, resampling."""
    add_reading_options(parser)
    add_metric_options(parser)
    add_matching_options(parser)
    add_resampling_options(parser)


def cutoffs(text: str) -> list[int]:
    """Cutoffs of a text such as "1,5,10", in ascending order."""
    values = sorted({int(value) for value in text.split(",")})
    if values[0] < 1:
        raise ValueError
    return values


def score_cutoffs(text: str) -> list[float]:
    """Finite scores of a text such as "0.3,0.5", in ascending order."""
    values = sorted({float(value) for value in text.split(",")})
    if not all(map(math.isfinite, values)):
        raise ValueError
    return values


def level(text: str) -> float:
    """The argparse type of the level of a test: above 0 and below 1."""
    if not 0 < float(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no level between 0 and 1")
    return float(text)


def seconds(text: str) -> float:
    """A duration above 0 and below a million seconds."""
    if not 0 < float(text) < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no time in seconds above 0")
    return float(text)


def visible_text(text: str) -> str:
    """The argparse type of a text that is written to a file: bytes that are not UTF-8 become visible."""
    return text.encode("utf-8", "backslashreplace").decode()


LARGEST = 2**53  # of whole numbers: those above it are none to arrays and JSON


def whole_number(minimum: int, maximum: int = LARGEST) -> Callable[[str], int]:
    """The argparse type of a whole number that is at least `minimum` and at most `maximum`."""
    def number(text: str) -> int:
        if int(text) < minimum:
            raise argparse.ArgumentTypeError(f"{text} is less than {minimum}")
        if int(text) > maximum:
            raise argparse.ArgumentTypeError(f"{text} is more than {maximum:,}")
        return int(text)

    return number
