"""`ragdash fuse`: one run from several, or the answer to "would a hybrid help, which, how sure?"."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from ragdash.analysis.verdict import withheld_checks
from ragdash.cli.common_options import add_reading_options, add_truth_option, whole_number
from ragdash.cli.comparison_checks import note_acceptance, report_checks
from ragdash.cli.file_mappings import mapping_for_file
from ragdash.cli.fusion.answer import answer_dict, answer_text
from ragdash.cli.fusion.changes import add_changes_options, show_changes
from ragdash.cli.fusion.legs import add_leg_options, show_legs
from ragdash.cli.fusion.snippet import add_snippet_options, recipe_for, snippet_dict, snippet_text
from ragdash.cli.inputs import (
    conventions_of,
    distinct_names,
    reading_arguments,
    source_of,
    truth_of,
    with_fixed_ids,
    with_reversed_scores,
)
from ragdash.core.console import say, unwritable, write_text
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import split_name
from ragdash.core.records import Run, Truth
from ragdash.evaluation.comparison_inputs import KINDS
from ragdash.evaluation.stats import SEED
from ragdash.experiments.fusion.export.for_engine import check_target
from ragdash.experiments.fusion.fuse import fuse, other_spellings
from ragdash.experiments.fusion.judged_pool import RANK_SCORES, judged_pool, rank_score_warnings
from ragdash.experiments.fusion.legs.answer import answer_of
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.pair import searches_of
from ragdash.experiments.fusion.presets import PRESETS
from ragdash.experiments.fusion.recipe import Recipe, make_recipe
from ragdash.experiments.fusion.tuning.choice import choose, chosen_run
from ragdash.io import read_corpus, read_runs, write_run
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec, parse_specs

MAIN_METRIC = "nDCG@10"  # of --legs and --changes, and of --truth alone, without --tune
_FAMILIES = ("all", "rrf", "weighted", "joint")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="two or more; where weights differ, keyword search "
                        "first, then vector search")
    parser.add_argument("--method", default="rrf", metavar="NAME", help=f"{', '.join(METHODS)} (default: rrf)")
    parser.add_argument("--preset", metavar="NAME", help=f"as an engine does it: {', '.join(PRESETS)}")
    parser.add_argument("--param", action="append", default=[], metavar="NAME=VALUE",
                        help="of the method or preset: k=60, weights=0.3,0.7, norm=min-max")
    parser.add_argument("--window", type=whole_number(1), metavar="N", help="results of each run that take part "
                        "(default: all, or what the engine takes)")
    parser.add_argument("-o", "--output", metavar="OUT", help="the fused run; its ending names the format (.trec, "
                        ".jsonl, .csv, .parquet)")
    add_truth_option(parser, "judgments, to tune on", "--qrels")
    answers = parser.add_mutually_exclusive_group()  # each is an answer of its own
    answers.add_argument("--tune", metavar="METRIC", help=f"choose a hybrid by this metric, and say what it is "
                         f"worth on held-out queries (default where only --truth is given: {MAIN_METRIC})")
    parser.add_argument("-m", "--metrics", metavar="METRICS", help="as other commands take them: the first is that of "
                        "--tune, the others those of --also")
    add_changes_options(answers)
    add_snippet_options(parser)
    add_leg_options(parser, answers)
    parser.add_argument("--accept", action="append", metavar="KIND", choices=KINDS, help="answer in spite of this "
                        "check, such as other-spellings: the runs seem to name a document in different ways")
    parser.add_argument("--also", metavar="METRICS", help="with --tune: what the choice is worth by these, such as "
                        "\"R@100 RR\"; they have no part in it")
    parser.add_argument("--family", choices=_FAMILIES, default="all", help="what --tune tries; joint: also windows, "
                        "cascades and RBC, chosen together with k and weights")
    parser.add_argument("--seed", type=whole_number(0), default=SEED, help="of the held-out divisions")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="of what --tune, --changes, "
                        "--snippet and --legs print")


def run(options: argparse.Namespace) -> int:
    """Fuse the runs, or choose how to; returns the exit status."""
    if options.snippet:
        check_target(options.snippet)
    if options.tune is not None:
        parse_spec(options.tune)
    if options.metrics:
        _take_metrics(options)
    truth = truth_of(options) if options.truth else None
    records = [record for text in options.runs
               for record in read_runs(source_of(text), name=split_name(text)[0], **reading_arguments(options))]
    records = with_reversed_scores(distinct_names(records, options.runs), options)
    runs = with_fixed_ids(records, truth or _no_truth(), options)
    if options.corpus:
        runs = with_texts(runs, options)
    if truth or options.tune:
        _refuse_other_spellings(runs, options)
    if options.legs or options.changes:
        recipe = _recipe(runs, options)
        show = show_legs if options.legs else show_changes
        show(runs, truth, parse_spec(options.tune or MAIN_METRIC), recipe, options)
        return _write_fused(runs, options) if options.output else 0
    asks_for_this = options.preset or options.param or options.method != "rrf"
    if options.snippet and not options.tune and (asks_for_this or not truth):
        _put_snippet(_recipe(runs, options), runs, options)
        return _write_fused(runs, options) if options.output else 0
    if options.tune or (truth and not options.output and not asks_for_this):
        options.tune = options.tune or MAIN_METRIC
        return _tune(runs, truth, options)
    if not options.output:
        raise InputError([Problem("fusion-output", field="-o")])
    return _write_fused(runs, options)


def _take_metrics(options: argparse.Namespace) -> None:
    """-m as --tune and --also."""
    first, *others = map(str, parse_specs(options.metrics))
    also = [*([options.also] if options.also else []), *([first] if options.tune else []), *others]
    options.tune, options.also = options.tune or first, " ".join(also) or None


def _no_truth() -> Truth:
    """What --ids takes where no judgments are given: every id becomes the common form."""
    return Truth.build("none", [], [], np.zeros(0, int))


def _refuse_other_spellings(runs: Sequence[Run], options: argparse.Namespace) -> None:
    """InputError where runs name the same document in two ways, unless that is accepted: the values would be wrong."""
    problems = [] if "other-spellings" in (options.accept or ()) else other_spellings(runs)
    if problems:
        raise InputError([replace(problem, severity="error") for problem in problems])


def _recipe(runs: Sequence[Run], options: argparse.Namespace) -> Recipe:
    return make_recipe(runs, options.method, options.window, options.preset, parameters(options.param))


def _put_snippet(recipe: Recipe, runs: Sequence[Run], options: argparse.Namespace) -> None:
    if options.format == "json":
        write_text(json.dumps(snippet_dict(recipe, options.snippet, runs), indent=2) + "\n", None)
    else:
        write_text(snippet_text(recipe, options.snippet, runs), None)


def _write_fused(runs: Sequence[Run], options: argparse.Namespace) -> int:
    recipe = _recipe(runs, options)  # before: it names parameters that there are not
    fused = fuse(runs, options.method, options.window, preset=options.preset, ties=options.ties,
                 **parameters(options.param))
    say([*fused.problems, *(rank_score_warnings(runs) if METHODS[recipe.method].reads_scores(recipe.params) else ())])
    _write(fused, options.output)
    return 0


def with_texts(runs: Sequence[Run], options: argparse.Namespace) -> list[Run]:
    """The runs with the texts of --corpus where they lack them."""
    corpus = read_corpus(source_of(options.corpus), encoding=options.encoding,
                         mapping=mapping_for_file(options, options.corpus))
    filled = []
    for record in runs:
        present = pa.nulls(len(record.docs), pa.string()) if record.texts is None else record.texts.combine_chunks()
        texts, count = corpus.filled(present, record.docs.combine_chunks())
        if count:
            say([corpus.note(count, record.name)])
        filled.append(replace(record, texts=pa.chunked_array([texts])) if count else record)
    return filled


def _write(fused: Run, path: str) -> None:
    try:
        say(write_run(fused, path))
    except OSError as error:
        raise unwritable(path, error) from None


def parameters(texts: Sequence[str]) -> dict[str, object]:
    """{name: number, name or tuple of them} of texts such as "weights=0.3,0.7"; InputError for others.

    Examples
    --------
    >>> parameters(["k=60", "weights=0.3,0.7", "norm=min-max"])
    {'k': 60.0, 'weights': (0.3, 0.7), 'norm': 'min-max'}
    """
    values: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise InputError([Problem("fusion-value/text", {"text": text}, field="--param")])
        parts = [_value(part.strip()) for part in value.split(",")]
        values[name.strip()] = parts[0] if len(parts) == 1 else tuple(parts)
    return values


def _value(text: str) -> float | str | bool:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return float(text)
    except ValueError:
        return text


def _tune(runs: Sequence[Run], truth: Truth | None, options: argparse.Namespace) -> int:
    if truth is None:
        raise InputError([Problem("no-truth", field="--truth")])
    if len(runs) < 2:
        raise InputError([Problem("fusion-runs", {"runs": [record.name for record in runs]}, field="RUN")])
    runs, left_out = searches_of(runs)
    say(left_out)
    pool = judged_pool(runs, truth, conventions_of(options))
    say([problem for problem in pool.warnings if not options.output or problem.kind == RANK_SCORES])  # else said below
    choice = choose(runs, truth, parse_spec(options.tune), window=options.window, family=options.family,
                    conventions=conventions_of(options), pool=pool, seed=options.seed)
    answer = answer_of(pool, choice, parse_specs(options.also or ""), options.seed)
    spec = answer.choice.spec
    checks = report_checks([Match(searched, truth, conventions_of(options)) for searched in runs], spec)
    withheld = withheld_checks(checks, spec, options.accept or ())
    note_acceptance(withheld, "name a hybrid to build")
    if options.format == "json":
        facts = answer_dict(answer, withheld)
        if options.snippet:
            recipe = recipe_for(choice, options.snippet, runs)
            facts["snippet"] = snippet_dict(recipe, options.snippet, runs)
        write_text(json.dumps(facts, indent=2, allow_nan=False) + "\n", None)
    else:
        write_text(answer_text(answer, withheld), None)
        if options.snippet:  # after the answer, which took its time: the engine may have no query for the choice
            recipe = recipe_for(choice, options.snippet, runs)
            write_text("\n" + snippet_text(recipe, options.snippet, runs), None)
    if options.output:
        fused = chosen_run(runs, choice, truth)
        say(fused.problems)
        _write(fused, options.output)
    return 0
