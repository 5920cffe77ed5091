"""Options that several commands take, and what they may hold."""

from __future__ import annotations

import argparse

from ragdash.core.id_spellings import SPELLINGS
from ragdash.core.records import CHOICES, Conventions
from ragdash.evaluation.stats import RESAMPLES, SEED
from ragdash.io.field_names import FIELDS
from ragdash.matching.evidence import HOW
from ragdash.matching.match import MATCHES, Matching


def reading_options() -> argparse.ArgumentParser:
    """Of the commands that read runs or truths."""
    reading = argparse.ArgumentParser(add_help=False)
    reading.add_argument("--encoding", default="utf-8")
    reading.add_argument("--map", action="append", metavar="OURS=THEIRS,...", help="columns that are not recognised: "
                         f"{', '.join(FIELDS)}, and the column that holds it, such as query=question,retrieved=url; "
                         "their name first is understood too")
    reading.add_argument("--corpus", metavar="FILE", help="the documents that could be returned with their texts, such "
                         "as BEIR's corpus.jsonl; used where a run has no texts")
    reading.add_argument("--ids", metavar="SPELLING", help="read ids as the truth writes them where they are equal but "
                         f"for: {', '.join(one.name for one in SPELLINGS)}, or several with commas")
    reading.add_argument("--collapse", metavar="WAY", help="chunks become documents, by the column source or by "
                         "prefix:SEPARATOR, the id up to the last separator; the first chunk keeps its rank")
    defaults = Conventions()
    for name, choices in CHOICES.items():
        reading.add_argument(f"--{name}", choices=choices, default=getattr(defaults, name))
    return reading


def metric_options() -> argparse.ArgumentParser:
    """Of the commands that compute metrics."""
    computing = argparse.ArgumentParser(add_help=False)
    computing.add_argument("-m", "--metrics", metavar="METRICS", help='such as "nDCG@10 R@5 RR AP"')
    computing.add_argument("--cutoffs", type=cutoffs, metavar="K,K", help="for every metric written without a cutoff")
    return computing


def drawing_options() -> argparse.ArgumentParser:
    """Of the commands that put numbers with intervals out."""
    drawing = argparse.ArgumentParser(add_help=False, parents=[matching_options()])
    drawing.add_argument("--seed", type=whole(0), default=SEED)
    drawing.add_argument("--resamples", type=whole(1), default=RESAMPLES)
    return drawing


def matching_options() -> argparse.ArgumentParser:
    """Of the commands that hold runs against a truth and put out what they find."""
    matching = argparse.ArgumentParser(add_help=False)
    matching.add_argument("--truth", metavar="TRUTH", help="what is known to be right; where it stands in the rows of "
                          "the run, it can be left out")
    matching.add_argument("-o", "--output", metavar="FILE")
    matching.add_argument("--match", choices=MATCHES, default=Matching.by, help="a document is right by its id, "
                          "or where its text holds gold evidence of the truth")
    matching.add_argument("--match-how", choices=HOW, default=Matching.how,
                          help="similarity of a chunk and a gold span")
    matching.add_argument("--match-model", metavar="NAME", default=Matching.model, help="of --match-how embedding: the "
                          "model whose values count (default: the one that scored last)")
    matching.add_argument("--match-threshold", type=float, default=Matching.threshold, metavar="T",
                          help="from which similarity on a chunk holds a span")
    return matching


def cutoffs(text: str) -> list[int]:
    """1,5,10 as numbers."""
    values = sorted({int(part) for part in text.split(",")})
    if values[0] < 1:
        raise ValueError
    return values


def cut(text: str) -> str:
    """A value in (0, 1], or none."""
    if text != "none" and not 0 < float(text) <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 1, or none")
    return text


def seconds(text: str) -> float:
    """A time to wait."""
    if not 0 < float(text) < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no time in seconds above 0")
    return float(text)


def whole(least: int):
    """The type of a whole number that is not less."""
    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return int(text)

    return number
