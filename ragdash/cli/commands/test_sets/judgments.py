"""`ragdash judgments`: a sheet of documents to judge goes out, and what it shows when it comes back with grades."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from ragdash.analysis.test_set.budget import draw_judgments, estimate_means
from ragdash.analysis.test_set.budget.design import TARGETS, judgment_pool
from ragdash.analysis.test_set.budget.estimate import JudgedRow
from ragdash.analysis.test_set.sheets import DESIGNS, judging_sheet, read_judging_sheet
from ragdash.analysis.test_set.texts import document_texts
from ragdash.analysis.test_set.unjudged.settle import plan_judgments
from ragdash.cli.common_options import add_metric_options, add_reading_options, add_truth_option, whole_number
from ragdash.cli.inputs import conventions_of, read_inputs, reading_arguments, source_of
from ragdash.core.console import aligned, count, print_note, say, write, write_text
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.paths import read_input
from ragdash.core.records import Run, Truth
from ragdash.core.text.template import percent
from ragdash.evaluation.stats import SEED
from ragdash.io import read_truth, write_truth
from ragdash.matching.match import Match
from ragdash.metrics import Spec, parse_specs
from ragdash.reporting.html.markdown import as_plain
from ragdash.reporting.tables.escaping import table_bytes
from ragdash.reporting.tables.evaluation import SCHEMA
from ragdash.reporting.test_set import estimate_dict, estimate_sentences, plan_dict, plan_sentences
from ragdash.workspace.reviews import Event, Reviews, reviewed

METRIC = {"decides": "nDCG@10", "documents": "P@10", "queries": "nDCG@10"}
UNIT = {"documents": "document", "queries": "query"}
SHOWN = 20  # documents in the text


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    add_metric_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the runs whose documents may be judged")
    add_truth_option(parser, "the judgments so far")
    parser.add_argument("-o", "--output", metavar="FILE", help="the sheet to judge (CSV); with --judged, the result")
    parser.add_argument("-n", type=whole_number(1), default=100, metavar="N", help="documents to judge (default: 100)")
    parser.add_argument("--design", choices=DESIGNS, default="decides", help="decides: what removes most doubt about "
                        "which run is better; documents, queries: a sample with known probabilities, to estimate the "
                        "means of full judgments")
    parser.add_argument("--for", dest="target", choices=TARGETS, default="means", help="what a sample is for")
    parser.add_argument("--k", type=whole_number(1), metavar="K", help="ranks whose documents count (default: the "
                        "cutoff of the metric, else 10)")
    parser.add_argument("--chance", type=_probability, metavar="P", help="of --design decides: the probability that an "
                        "unjudged document is relevant (default: from the judged ones)")
    parser.add_argument("--judged", metavar="SHEET", help="the sheet with grades")
    parser.add_argument("--merged", metavar="FILE", help="with --judged and the design decides: the judgments with "
                        "the new ones, in a format by its ending (.qrels, .jsonl)")
    parser.add_argument("--before", metavar="TRUTH", help="the judgments before the first sheet, where --truth already "
                        "holds those of a sheet: only the added ones show how often returned documents are relevant")
    parser.add_argument("--seed", type=whole_number(0), default=SEED, help="of the random draws")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="of the result (default: table)")


def _probability(text: str) -> float:
    """A number above 0 and below 1."""
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def run(options: argparse.Namespace) -> int:
    """Write a sheet, or read one; returns the exit status."""
    design, rows = _sheet(options.judged) if options.judged else (options.design, [])
    if options.output and not options.judged and Path(options.output).exists():
        raise InputError([Problem("sheet-exists", {}, options.output)])
    if options.before is not None and design != "decides":
        raise InputError([Problem("sheet-before/sample", field="--before")])
    runs, truth = read_inputs(options)
    spec = parse_specs(options.metrics or METRIC[design])[0]
    try:
        if design == "decides":
            return _decides(options, runs, truth, spec, rows)
        matches = [Match(run, truth, conventions_of(options)) for run in runs]
        return _estimate(options, matches, spec, design, rows) if options.judged else _sample(options, matches, spec,
                                                                                            design)
    except Unavailable as missing:
        raise InputError([missing.problem]) from None


def _sheet(path: str) -> tuple[str, list[JudgedRow]]:
    try:
        content = read_input(path)
    except OSError as error:
        raise InputError([Problem("unreadable-file", {"reason": error.strerror or str(error)}, path)]) from None
    return read_judging_sheet(content, path)


def _decides(options: argparse.Namespace, runs: Sequence[Run], truth: Truth, spec: Spec,
             rows: Sequence[JudgedRow]) -> int:
    """Say how sure the winner is, with the grades of a sheet merged; write the next sheet or the judgments."""
    before = truth if options.before is None else _before(options, truth)
    if rows:
        truth = _merged(truth, rows)
        say(truth.problems)
        if options.merged:
            say(write_truth(truth, options.merged))
    plan = plan_judgments([Match(run, truth, conventions_of(options)) for run in runs], spec, k=options.k,
                          chance=options.chance, before=before, limit=options.n, seed=options.seed)
    if options.output and not options.judged:
        _write_sheet(options.output, plan.table, "decides", runs, truth)
    sentences = plan_sentences(plan)
    if rows:
        graded = sum(row.grade is not None for row in rows)
        sentences.insert(0, f"{count(graded, 'grade')} of {len(rows):,} read. "
                         + ("Stop: the winner is settled." if not plan.rivals else "Judge on: the winner is open."))
    documents = [[row["query_id"], row["doc_id"], percent(row["chance"]), percent(row["doubt"], 1),
                  percent(row["change"], 1)] for row in plan.table.to_pylist()[:SHOWN]]
    table = aligned(["query", "document", "chance of being relevant", "share of the doubt", "leader changed by here"],
                    documents)
    _put(options, sentences, plan_dict(plan), table if documents else "")
    return 0


def _before(options: argparse.Namespace, truth: Truth) -> Truth:
    """The judgments of --before; InputError where the truth lacks some of them, which it did not come from."""
    before = read_truth(source_of(options.before), **reading_arguments(options, options.before))
    pairs = [set(zip(one.query_ids.take(pa.array(one.queries)).to_pylist(), one.docs.to_pylist(), strict=True))
             for one in (before, truth)]
    lacking = sorted(pairs[0] - pairs[1])
    if lacking:
        query, doc = lacking[0]
        raise InputError([Problem("sheet-before", {"count": len(lacking), "total": len(pairs[0]), "query": query,
                                                   "doc": doc}, options.before, field="--before")])
    return before


def _merged(truth: Truth, rows: Sequence[JudgedRow]) -> Truth:
    """The judgments with those of a sheet, which replace older ones."""
    events = tuple(Event("judgement", row.query, str(row.grade), doc_id=row.doc) for row in rows
                   if row.grade is not None)
    bare = truth.with_corpus(None)
    return reviewed(bare, Reviews(bare.digest, events)).with_corpus(truth.corpus)


def _sample(options: argparse.Namespace, matches: Sequence[Match], spec: Spec, design: str) -> int:
    """Draw a sample and write it."""
    if not options.output:
        raise InputError([Problem("sheet-output", field="-o")])
    sample = draw_judgments(matches, spec, options.n, unit=UNIT[design], target=options.target, k=options.k,
                            seed=options.seed)
    _write_sheet(options.output, sample.table, design, [match.run for match in matches], matches[0].truth)
    return 0


def _estimate(options: argparse.Namespace, matches: Sequence[Match], spec: Spec, design: str,
              rows: Sequence[JudgedRow]) -> int:
    """What the grades of a sample show."""
    if options.merged:
        raise InputError([Problem("sheet-merged", field="--merged")])
    estimate = estimate_means(judgment_pool(matches, spec, options.k), rows, UNIT[design])
    _put(options, estimate_sentences(estimate), estimate_dict(estimate), "")
    return 0


def _write_sheet(path: str, table: pa.Table, design: str, runs: Sequence[Run], truth: Truth) -> None:
    """Write the sheet of a plan or a sample, with questions and texts where they are known."""
    doc_ids = table["doc_id"].combine_chunks().unique()
    texts = dict(zip(doc_ids.to_pylist(), document_texts(doc_ids, truth, runs), strict=True))
    write(table_bytes(judging_sheet(table, design, truth, texts), "csv"), path)
    print_note(f"{count(len(table), 'document')} to judge in {path}. Write a grade into each row, then the same "
               f"command with --judged {path}")


def _put(options: argparse.Namespace, sentences: Sequence[str], content: dict, table: str) -> None:
    """The result as text or JSON; to a file only where that is not the sheet."""
    path = options.output if options.judged else None
    if options.format == "json":
        settings = {**asdict(conventions_of(options)), "k": options.k, "seed": options.seed}
        write_text(json.dumps({"schema": SCHEMA, **content, "settings": settings}, ensure_ascii=False, indent=1,
                              allow_nan=False) + "\n", path)
    else:
        write_text("\n".join([*map(as_plain, sentences), *(["", table.rstrip("\n")] if table else [])]) + "\n", path)
