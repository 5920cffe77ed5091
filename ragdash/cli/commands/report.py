"""`ragdash report`: one HTML file that shows everything, for people who will never install anything."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from ragdash.cli.inputs import conventions, read, read_as, specs_of
from ragdash.core.console import say, write
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import named
from ragdash.core.records import Run, Truth
from ragdash.evaluation.compare import Rules
from ragdash.matching.match import Match, Matching
from ragdash.reporting.sentences.merge_problems import folded


def report(options: argparse.Namespace) -> int:
    """Read, compute, write; what the files lack is left out and named in the report."""
    return reported(None, None, options)


def reported(runs: list[Run] | None, truth: Truth | None, options: argparse.Namespace) -> int:
    """The report of these runs and this truth, or of those that the options name, which are read then."""
    from ragdash.reporting.html.content import (  # with plotly and jinja2, which other commands do without
        Content,
        Request,
    )
    from ragdash.reporting.html.report_page import chosen, page

    sections = None if options.sections is None else tuple(chosen(
        part.strip() for part in options.sections.split(",") if part.strip()))
    if runs is None or truth is None:
        runs, truth = read(options)
    matching = Matching(options.match, options.match_how, options.match_threshold)
    names = [run.name for run in runs]
    request = Request(
        tuple(Match(run, truth, conventions(options), matching) for run in runs),
        specs_of(options) if options.metrics or options.cutoffs else (), baseline=_baseline(options.baseline, names),
        k=options.k, title=options.title, sections=sections, texts=not options.no_texts, again=_again(options.given),
        bands=_bands(options.bands), prices=_prices(options.prices), settings=read_as(options),
        rules=Rules(margin=options.margin, resamples=options.resamples, seed=options.seed))
    content = Content(request)
    made = page(content)
    say(folded(content.evaluations))
    write(made, options.output)
    return 0


def _baseline(name: str | None, names: list[str]) -> int:
    """Which run the others are held against: the first, or the one named."""
    if name is None:
        return 0
    if name not in names:
        raise InputError([Problem("no-such-run", {"name": name, "names": list(names)}, field="--baseline")])
    return names.index(name)


def _bands(file: str | None):
    """Those of a file, or the published ones."""
    from ragdash.evaluation.bands_toml import read_bands
    from ragdash.metrics.bands import BANDS

    return read_bands(file) if file else BANDS


def _prices(file: str | None):
    """Those of a file, or none."""
    from ragdash.evaluation.latency_cost import Prices, read_prices

    return read_prices(file) if file else Prices()


def _again(given: list[str]) -> str:
    """The command as it can be typed where the files are: without their folders, which are nobody's business."""
    kept, words = ["ragdash"], iter(given)
    for word in words:
        if word in ("-o", "--output"):
            next(words, None)
        elif not word.startswith("--output="):
            name, path = named(word)
            known = Path(path).is_file()
            kept.append((f"{name}={Path(path).name}" if name else Path(path).name) if known else word)
    return shlex.join(kept)
