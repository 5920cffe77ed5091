"""`ragdash relink`: follow judged documents to their new ids after the documents were indexed again."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from ragdash.cli.common_options import add_metric_options, add_reading_options
from ragdash.cli.file_mappings import mapping_for_file
from ragdash.cli.inputs import conventions_of, distinct_names, reading_arguments, source_of, specs_of
from ragdash.core.console import aligned, say, write_text
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import split_name
from ragdash.core.records import Run, Truth
from ragdash.core.text.csv_lines import csv_text
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.io import detect, read_corpus, read_runs, read_truth, write_truth
from ragdash.matching.match import Match
from ragdash.matching.relink import ACCEPTED, KINDS, Relinking, propose_links, relinked, texts_by_id


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    add_metric_options(parser)
    parser.add_argument("truth", metavar="TRUTH", help="judgments that name the old ids")
    parser.add_argument("--old", nargs="+", metavar="FILE", required=True,
                        help="a corpus, or runs with texts, under the old ids")
    parser.add_argument("--new", nargs="+", metavar="FILE", required=True,
                        help="a corpus, or runs with texts, under the new ids")
    parser.add_argument("--runs", nargs="+", metavar="RUN", default=[], help="show their means before and after")
    parser.add_argument("--accept", metavar="KINDS", default=",".join(ACCEPTED),
                        help=f"kinds of links to follow, of {', '.join(KINDS)} (default: {','.join(ACCEPTED)})")
    parser.add_argument("--reject", metavar="IDS", default="", help="old ids to leave as they are")
    parser.add_argument("--drop-gone", action="store_true", help="leave out judgments of documents that are gone")
    parser.add_argument("--links", metavar="FILE", help="write every link as CSV, to look at")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the ground truth with the new ids")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="of the result (default: table)")


def run(options: argparse.Namespace) -> int:
    """Propose a link for every judged document, show what it changes, and write what was asked for."""
    accept = [kind.strip() for kind in options.accept.split(",") if kind.strip()]
    wrong = [kind for kind in accept if kind not in ACCEPTED]
    if wrong:
        raise InputError([Problem("unknown-link-kind", {"kinds": wrong, "known": list(ACCEPTED)}, field="--accept")])
    truth = read_truth(source_of(options.truth), **reading_arguments(options, options.truth))
    relinking = propose_links(truth, *(texts_by_id(source for file in files for source in _with_texts(file, options))
                                       for files in (options.old, options.new)))
    rejected = [doc.strip() for doc in options.reject.split(",") if doc.strip()]
    if unknown := sorted({*rejected} - {link.doc_id for link in relinking.links}):
        raise InputError([Problem("unknown-rejected", {"ids": unknown}, field="--reject")])
    after = relinked(truth, relinking, accept, drop_gone=options.drop_gone, rejected=rejected)
    runs = distinct_names([record for file in options.runs for record in _read(file, options)
                           if isinstance(record, Run)], options.runs)
    means = _means(runs, truth, after, options)
    if options.links:
        write_text(_links_csv(relinking), options.links)
    losses = write_truth(after, options.output) if options.output else ()
    write_text(_as_json(relinking, means) if options.format == "json" else _as_table(relinking, means), None)
    say([*after.problems, *losses])
    return 0


def _with_texts(file: str, options: argparse.Namespace) -> Sequence[Corpus | Run]:
    """The same; InputError for a file without a text, as all documents would seem to be gone."""
    sources = _read(file, options)
    if not texts_by_id(sources):
        raise InputError([Problem("no-texts-to-link", {}, file)])
    return sources


def _read(file: str, options: argparse.Namespace) -> Sequence[Corpus | Run]:
    """The corpus of a file, or its runs."""
    source = source_of(file)
    if detect(source, **reading_arguments(options, file)).role == "corpus":
        return [read_corpus(source, encoding=options.encoding, mapping=mapping_for_file(options, file))]
    return read_runs(source, name=split_name(file)[0], **reading_arguments(options, file))


def _means(runs: Sequence[Run], before: Truth, after: Truth, options: argparse.Namespace) -> list[dict]:
    """The mean of every metric and run under both truths."""
    specs, conventions, rows = specs_of(options, runs, before), conventions_of(options), []
    for record in runs:
        old, new = (evaluate_match(Match(record, truth, conventions), specs).summary(resamples=1)
                    for truth in (before, after))
        rows += [{"run": record.name, "metric": str(first.spec), "before": _number(first.mean),
                  "after": _number(second.mean), "n": second.n} for first, second in zip(old, new, strict=True)]
    return rows


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _as_table(relinking: Relinking, means: Sequence[dict]) -> str:
    counts = [[kind, f"{count:,}", KINDS[kind]] for kind, count in relinking.counts.items() if count]
    text = aligned(["link", "documents", "meaning"], counts)
    if not means:
        return text
    cells = [[row["run"], row["metric"], *("–" if row[side] is None else f"{row[side]:.4f}"
                                           for side in ("before", "after")), f"{row['n']:,}"] for row in means]
    return f"{text}\n{aligned(['run', 'metric', 'before', 'after', 'n'], cells)}"


def _as_json(relinking: Relinking, means: Sequence[dict]) -> str:
    links = [{**asdict(link), "share": _number(link.share)} for link in relinking.links]
    return json.dumps({"counts": relinking.counts, "links": links, "means": means}, ensure_ascii=False, indent=1) + "\n"


def _links_csv(relinking: Relinking) -> str:
    rows: list[list[object]] = [["doc_id", "link", "new_ids", "share", "judgments"]]
    for link in relinking.links:
        share = "" if np.isnan(link.share) else f"{link.share:.4f}"
        rows.append([link.doc_id, link.kind, " ".join(link.targets), share, link.judgments])
    return csv_text(rows)
