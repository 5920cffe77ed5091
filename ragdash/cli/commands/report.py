"""`ragdash report`: one HTML file for people who will never install anything; one page, or everything."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np

from ragdash.analysis.verdict import HybridGain
from ragdash.cli.common_options import add_evaluation_options, visible_text, whole_number
from ragdash.cli.comparison_checks import add_check_options
from ragdash.cli.inputs import (
    conventions_of,
    id_settings,
    matching_of,
    metric_directions,
    read_inputs,
    say_unsaid,
    specs_of,
)
from ragdash.core.console import write
from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.paths import split_name
from ragdash.core.records import Run, Truth
from ragdash.evaluation.bands.toml_file import read_bands
from ragdash.evaluation.compare import ComparisonRules
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.evaluation.latency_cost import PriceTable, read_prices
from ragdash.evaluation.repeats import group_names, repeat_groups
from ragdash.experiments.fusion.export.snippets import python_snippet
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.legs.answer import answer_of
from ragdash.experiments.fusion.legs.price import gain_of
from ragdash.experiments.fusion.pair import (
    OF_HYBRIDS,
    QUICK,
    SPELLED_APART,
    fused_from,
    places_last,
    runs_to_fuse,
    searches_of,
)
from ragdash.experiments.fusion.tuning.choice import choose
from ragdash.matching.match import Match
from ragdash.metrics import Spec
from ragdash.metrics.bands import BANDS
from ragdash.reporting.html.content import HybridAnswer, ReportContent, ReportRequest, report_specs
from ragdash.reporting.html.report_page import render_report, select_sections
from ragdash.reporting.html.sections import ONE_PAGE, SECTIONS
from ragdash.reporting.sentences.merge_problems import merged_problems


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_evaluation_options(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a path or NAME=path; the first is the baseline")
    parser.add_argument("--baseline", metavar="NAME", help="the run that the others are compared with")
    parser.add_argument("--k", type=whole_number(1), default=10, help="cutoff of the metrics and of the curves' mark")
    parser.add_argument("--title", type=visible_text, default="",
                        help="default: how many configurations it is about")
    parser.add_argument("--author", type=visible_text, default="", help="who made it, below the title")
    parser.add_argument("--date", type=visible_text, metavar="TEXT", help="below the title (default: today)")
    parser.add_argument("--full", action="store_true", help="the one page, and everything else as an appendix")
    parser.add_argument("--sections", metavar="NAME,NAME", help="only these, such as verdict,leaderboard,queries; an "
                        "unknown name lists them all")
    parser.add_argument("--no-texts", action="store_true", help="no questions, documents or answers: ids alone")
    parser.add_argument("--margin", type=float, help="differences up to this do not matter: verdict equivalent")
    add_check_options(parser)
    parser.add_argument("--bands", metavar="FILE", help="bands of your own (TOML) in place of the published ones")
    parser.add_argument("--what-if", action="store_true", help="also say whether a hybrid of the runs would help, at "
                        "what price, and what each run brings")
    parser.add_argument("--test-set", action="store_true", help="also say whether the test set is any good, as "
                        "`ragdash audit` and the full report do")
    parser.add_argument("--prices", metavar="FILE", help="price table (TOML) for what the runs cost")


def run(options: argparse.Namespace) -> int:
    """Read, compute, write; what the files lack is left out and named in the report."""
    sections = None
    if options.sections is not None:  # an unknown name is reported before large files are read
        sections = tuple(select_sections(name.strip() for name in options.sections.split(",") if name.strip()))
    elif not options.full:
        sections = (*ONE_PAGE, "hybrid") if options.what_if else ONE_PAGE
    if options.test_set and sections is not None:  # the full report has it anyway
        sections = tuple(name for name in SECTIONS if name in (*sections, "testset"))
    runs, truth = read_inputs(options)
    return write_report(runs, truth, options, sections)


def write_report(runs: list[Run], truth: Truth, options: argparse.Namespace,
                 sections: tuple[str, ...] | None = None) -> int:
    """Write the report of runs that are already read (`sections`: only these); `ragdash ab` ends with it too."""
    matches = [Match(run, truth, conventions_of(options), matching_of(options)) for run in runs]
    groups = repeat_groups(runs)
    repeats = tuple(tuple(matches[index] for index in group) for group in groups)
    names = group_names(runs, groups)
    shown = tuple(max(group, key=lambda match: int(match.missing.sum())) for group in repeats)
    specs = specs_of(options, runs, truth) if options.metrics or options.cutoffs else report_specs(
        runs, truth, options.k, metric_directions(options.metric_direction or ()))
    asks = getattr(options, "what_if", False) or (sections is not None and "hybrid" in sections)
    named = [match.run.renamed(name) for match, name in zip(shown, names, strict=True)]
    request = ReportRequest(
        shown,
        tuple(specs),
        names=tuple(names),
        repeats=repeats,
        hybrid=hybrid_answer(shown, named, truth, specs, options) if asks else None,
        hybrid_gain=hybrid_gain(shown, named, truth, specs[0], options),
        baseline=_baseline(options.baseline, names, [[runs[index].name for index in group] for group in groups]),
        k=options.k,
        title=options.title,
        sections=sections,
        texts=not options.no_texts,
        command=_shareable_command(options.given),
        bands=read_bands(options.bands) if options.bands else BANDS,
        prices=read_prices(options.prices) if options.prices else PriceTable(),
        settings=id_settings(options),
        accepted=tuple(options.accept or ()),
        author=options.author,
        date=date.today().isoformat() if options.date is None else options.date,
        rules=ComparisonRules(margin=options.margin, resamples=options.resamples, seed=options.seed),
    )
    content = ReportContent(request)
    html = render_report(content)
    say_unsaid(merged_problems(content.evaluations))
    write(html, options.output)
    return 0


def hybrid_answer(matches: Sequence[Match], runs: Sequence[Run], truth: Truth, specs: Sequence[Spec],
                  options: argparse.Namespace) -> HybridAnswer:
    """What `ragdash fuse --tune` says of the runs that What-if fuses, tuned by the first metric; the reason where it
    says nothing.
    """
    title = specs[0].title
    if len(runs) < 2:
        return HybridAnswer(title, ("A hybrid needs two runs.",))
    fused = _legs(matches, runs, specs[0])[0]
    pair = [runs[index] for index in fused]
    try:
        pool = judged_pool(pair, truth, conventions_of(options))
        choice = choose(pair, truth, specs[0], pool=pool, seed=options.seed)
    except InputError as error:
        return HybridAnswer(title, (f"No hybrid was tried: {error.problems[0].actual}.",))
    also = [spec for spec in specs[1:] if spec.metric.view == "Ranked" and spec.metric.better is not None]
    answer = answer_of(pool, choice, also, options.seed)
    return HybridAnswer.of(answer, python_snippet(choice.recipe, [run.name for run in pair]),
                           (*searches_of(runs)[1], *pool.warnings),
                           [run.name for index, run in enumerate(runs) if index not in fused])


def hybrid_gain(matches: Sequence[Match], runs: Sequence[Run], truth: Truth, spec: Spec,
                options: argparse.Namespace) -> HybridGain | None:
    """A hybrid that is better than the runs, where trying some is quick."""
    if len(runs) < 2 or matching_of(options).by != "id":
        return None
    fused, places = _legs(matches, runs, spec)
    pair = [runs[index] for index in fused]
    if not 0 < sum(len(run.docs) for run in pair) <= QUICK:
        return None
    try:
        pool = judged_pool(pair, truth, conventions_of(options))
        if any(problem.kind == SPELLED_APART for problem in pool.warnings):
            return None
        choice = choose(pair, truth, spec, pool=pool, seed=options.seed)
    except (InputError, Unavailable):
        return None
    return gain_of(choice, pool, {run.name: run for place, run in enumerate(runs)
                                  if place not in fused and places[place] in OF_HYBRIDS})


def _legs(matches: Sequence[Match], runs: Sequence[Run], spec: Spec) -> tuple[list[int], list[int]]:
    """Which two runs are fused, as on What-if, and how late each run comes among those."""
    places = places_last(runs, [run.name for run in runs], fused_from(runs))
    try:
        values = np.stack([evaluate_match(match, [spec]).column(spec) for match in matches])
    except (InputError, Unavailable):
        values = np.full((len(runs), 1), np.nan)
    return runs_to_fuse(values, spec, places), places


def _baseline(name: str | None, names: Sequence[str], repeats: Sequence[Sequence[str]]) -> int:
    """Which run the others are compared with: the first, or the named run; of a repeat, its configuration."""
    if name is None:
        return 0
    for index, (line, runs) in enumerate(zip(names, repeats, strict=True)):
        if name == line or name in runs:
            return index
    raise InputError([Problem("no-such-run", {"name": name, "names": list(names)}, field="--baseline")])


def _shareable_command(arguments: list[str]) -> str:
    """The command as it can be typed where the files are: without their folders, which are nobody's business."""
    shared_words, words = ["ragdash"], iter(arguments)
    for word in words:
        if word in ("-o", "--output"):
            next(words, None)
        elif not word.startswith("--output="):
            name, path = split_name(word)
            is_file = Path(path).is_file()
            shared_words.append((f"{name}={Path(path).name}" if name else Path(path).name) if is_file else word)
    return shlex.join(shared_words)
