"""`ragdash fuse`: one run from several, or the answer to "would a hybrid help, which, how sure?"."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from ragdash.cli.common_options import add_reading_options, whole_number
from ragdash.cli.file_mappings import mapping_for_file
from ragdash.cli.fusion_legs import add_leg_options, show_legs
from ragdash.cli.inputs import (
    conventions_of,
    distinct_names,
    reading_arguments,
    source_of,
    with_fixed_ids,
    with_reversed_scores,
)
from ragdash.core.console import aligned, say, unwritable, write_text
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import split_name
from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import summaries
from ragdash.evaluation.outcomes import Comparison
from ragdash.evaluation.stats import SEED
from ragdash.experiments.fusion.choice import Choice, choose, chosen_run
from ragdash.experiments.fusion.fuse import fuse
from ragdash.experiments.fusion.judged_pool import judged_pool
from ragdash.experiments.fusion.legs.price import FusedPrice, fused_price, untimed_runs
from ragdash.experiments.fusion.methods import METHODS
from ragdash.experiments.fusion.presets import PRESETS
from ragdash.experiments.fusion.recipe import make_recipe
from ragdash.io import read_corpus, read_runs, read_truth, write_run
from ragdash.metrics import parse_spec
from ragdash.reporting.sentences.formatting import strip_markdown
from ragdash.reporting.sentences.what_if import (
    caution_sentence,
    flat_sentence,
    hybrid_answer,
    price_sentence,
    setting_text,
)

MAIN_METRIC = "nDCG@10"  # of --legs, and of --truth alone, without --tune
CONTEXT = 10  # results that go into the context where the metric has no cutoff
_FAMILIES = ("all", "rrf", "weighted")


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
    parser.add_argument("--truth", "--qrels", metavar="TRUTH", help="judgments, to tune on")
    parser.add_argument("--tune", metavar="METRIC", help=f"choose a hybrid by this metric, and say what it is "
                        f"worth on held-out queries (default where only --truth is given: {MAIN_METRIC})")
    add_leg_options(parser)
    parser.add_argument("--family", choices=_FAMILIES, default="all", help="what --tune tries")
    parser.add_argument("--seed", type=whole_number(0), default=SEED, help="of the held-out divisions")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="of what --tune and --legs print")


def run(options: argparse.Namespace) -> int:
    """Fuse the runs, or choose how to; returns the exit status."""
    truth = read_truth(source_of(options.truth), **reading_arguments(options)) if options.truth else None
    records = [record for text in options.runs
               for record in read_runs(source_of(text), name=split_name(text)[0], **reading_arguments(options))]
    runs = with_fixed_ids(with_reversed_scores(distinct_names(records), options), truth, options)
    if options.corpus:
        runs = with_texts(runs, options)
    if options.legs and options.output:
        raise InputError([Problem("fusion-output/legs", field="-o")])
    if options.legs:
        recipe = make_recipe(runs, options.method, options.window, options.preset, parameters(options.param))
        return show_legs(runs, truth, parse_spec(options.tune or MAIN_METRIC), recipe, options)
    asks_for_this = options.preset or options.param or options.method != "rrf"
    if options.tune or (truth and not options.output and not asks_for_this):
        options.tune = options.tune or MAIN_METRIC
        return _tune(runs, truth, options)
    if not options.output:
        raise InputError([Problem("fusion-output", field="-o")])
    fused = fuse(runs, options.method, options.window, preset=options.preset, ties=options.ties,
                 **parameters(options.param))
    say(fused.problems)
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


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _tune(runs: Sequence[Run], truth: Truth | None, options: argparse.Namespace) -> int:
    if truth is None:
        raise InputError([Problem("no-truth", field="--truth")])
    if len(runs) < 2:
        raise InputError([Problem("fusion-runs", {"runs": [record.name for record in runs]}, field="RUN")])
    pool = judged_pool(runs, truth, conventions_of(options))
    choice = choose(runs, truth, parse_spec(options.tune), window=options.window, family=options.family,
                    conventions=conventions_of(options), pool=pool, seed=options.seed)
    price = fused_price(pool, choice.recipe, choice.best_run, choice.spec.k or CONTEXT)
    if options.format == "json":
        write_text(json.dumps(choice_dict(choice) | {"price": price_dict(price)}, indent=2, allow_nan=False) + "\n",
                   None)
    else:
        write_text(_text(choice, price, untimed_runs(pool)), None)
    if options.output:
        fused = chosen_run(runs, choice, truth)
        say(fused.problems)
        _write(fused, options.output)
    return 0


def _setting(choice: Choice) -> str:
    recipe = choice.recipe
    return setting_text(METHODS[recipe.method].title, recipe.params, choice.runs, recipe.window)


def _text(choice: Choice, price: FusedPrice, untimed: Sequence[str]) -> str:
    result, rows = choice.held_out, []
    for (summary,), evaluation in zip(summaries(choice.evaluations), choice.evaluations, strict=True):
        tuned = evaluation is choice.evaluations[-1]
        low, high = result.interval() if tuned else (summary.low, summary.high)
        rows.append([evaluation.name, *(f"{value:.3f}" for value in (summary.mean, low, high)), str(summary.n)])
    sentences = [hybrid_answer(choice.decision, _setting(choice), choice.against_single,
                               choice.default_against_single, choice.against_default, result.value)]
    if result.n >= 2:
        sentences += [f"Chosen on all queries: {_setting(choice)}.",
                      caution_sentence(result.optimism, choice.survives, result.worse, len(choice.recipes))]
    if choice.decision != "unknown":
        sentences.append(price_sentence(price.extras(), price.k, choice.against_single, price.cost_reason,
                                        untimed=untimed, runs=len(choice.runs), decision=choice.decision))
    if choice.flat is not None:
        sentences.append(flat_sentence(*choice.flat, choice.runs[-1]))
    table = aligned(["run", choice.spec.title, "low", "high", "n"], rows)
    return "\n".join(strip_markdown(sentence) for sentence in sentences) + "\n\n" + table + "\n"


def choice_dict(choice: Choice) -> dict[str, object]:
    """The choice as plain data, for JSON; null where undefined."""
    result = choice.held_out
    low, high = result.interval()
    recipe = choice.recipe
    plain: Mapping[str, object] = {
        "decision": choice.decision, "metric": str(choice.spec), "runs": list(choice.runs), "window": choice.window,
        "settings_tried": len(choice.recipes),
        "chosen": {"method": recipe.method, "params": {name: list(value) if isinstance(value, tuple) else value
                                                       for name, value in recipe.params.items() if value is not None}},
        "held_out": {"mean": result.value, "low": low, "high": high, "n": result.n},
        "in_sample": result.in_sample, "optimism": result.optimism, "share_of_gain_left": choice.survives,
        "folds_worse_than_default": result.worse,
        "flat": None if choice.flat is None else dict(zip(("parameter", "low", "high"), choice.flat, strict=True)),
        "tuned_against_single": _comparison_dict(choice.against_single),
        "tuned_against_default": _comparison_dict(choice.against_default),
        "default_against_single": _comparison_dict(choice.default_against_single)}
    return {name: _finite(value) for name, value in plain.items()}


def price_dict(price: FusedPrice) -> dict[str, object]:
    """What the hybrid takes more than the best single run, for JSON; null where not known."""
    extras = {name: {"mean": _finite(more.mean), "low": _finite(more.low), "high": _finite(more.high), "n": more.n}
              for name, more in price.extras().items()}
    return {"parallel_ms": extras["parallel"], "sequence_ms": extras["sequence"], "cost_usd": extras["cost"],
            "context_tokens": {**extras["tokens"], "results": price.k}, "cost_reason": price.cost_reason or None}


def _comparison_dict(comparison: Comparison) -> dict[str, object]:
    return {"baseline": comparison.baseline, "difference": comparison.mean_difference, "low": comparison.low,
            "high": comparison.high, "p_corrected": comparison.p_corrected, "outcome": comparison.outcome,
            "queries_needed": comparison.queries_needed}


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {name: _finite(entry) for name, entry in value.items()}
    return None if isinstance(value, float) and not np.isfinite(value) else value
