"""`ragdash trust`: verdicts of a judge, or of one trained here, beside labels; a sheet to label drawn at random."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ragdash.analysis.judge_validation import (
    NO_YES,
    PER_CLASS,
    WHAT,
    LabelStore,
    RunVerdicts,
    assign_labels,
    choose_examples,
    corrected_difference,
    error_sources,
    fit_judge,
    generator_of,
    groups_of,
    judged_verdicts,
    labeling_sheet,
    placeholder_verdicts,
    read_labels,
    read_verdicts,
    sample_queries,
    validate_judge,
)
from ragdash.cli.common_options import add_matching_options, add_reading_options, visible_text, whole_number
from ragdash.cli.inputs import conventions_of, id_settings, matching_of, read_inputs, source_of
from ragdash.core.console import count, print_note, query_count, say, write
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import read_input, split_name
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.evaluation.scoring.default_judges import with_default_judges
from ragdash.evaluation.stats import LEVEL, SEED
from ragdash.matching.file_labels import check_label_column, label_words, labels_by_query
from ragdash.matching.match import Match
from ragdash.metrics import parse_specs
from ragdash.metrics.bands import YES
from ragdash.metrics.judged import judge_request
from ragdash.models.judge.tasks.examples import save_examples
from ragdash.reporting.sentences.judge_validation import choice_sentence
from ragdash.reporting.tables.judge_validation import (
    JUDGE_VALIDATION_FORMATS,
    label_sheet_bytes,
    render_judge_validation,
)

Labels = dict[str, dict[str, float]]
NO_EXAMPLES = "none"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_reading_options(parser)
    add_matching_options(parser)
    parser.add_argument("runs", nargs="*", metavar="RUN", help="the baseline first; with --truth and -m")
    parser.add_argument("-m", "--metrics", metavar="METRIC", help="the one whose values are verdicts; with "
                        "--local-judge what the labels are about (may be left out)")
    parser.add_argument("--verdicts", action="append", metavar="[NAME=]FILE", help="in place of runs: CSV or JSONL "
                        "with query_id and value, and run, vote, missing, judge, generator where known")
    parser.add_argument("--local-judge", action="store_true", help="in place of a metric's verdicts: those of a judge "
                        "that is trained on the labels themselves, cross-fitted; it needs no key and sends nothing")
    parser.add_argument("--labels", action="append", metavar="[NAME=]FILE", help="CSV or JSONL with query_id and "
                        "label, and run for several; added to the stored ones")
    parser.add_argument("--label-column", metavar="NAME", help="a column of the runs' files with labels: words that "
                        "say right or wrong, or numbers from 0 to 1; stored ones and --labels come first")
    parser.add_argument("--keep", action="store_true", help="keep the labels in the workspace")
    parser.add_argument("--examples", nargs="?", type=_examples, const=PER_CLASS, metavar="N", help="put N labels of "
                        f"each class into the judge's prompt as examples (default: {PER_CLASS}), drawn at random; they "
                        "are held out of all numbers, and the judge has to be asked again; none: go back to none")
    parser.add_argument("--sheet", metavar="FILE", help="draw queries to label and write them (.csv, .jsonl)")
    parser.add_argument("-n", type=whole_number(1), default=50, metavar="N", help="queries to draw (default: 50)")
    parser.add_argument("--seed", type=whole_number(0), default=SEED, help="of the draw, and of the local "
                        "judge's folds")
    parser.add_argument("--cut", type=_cut, default=f"{YES:g}", help="values from here on are a yes; none: each value "
                        f"is a class of its own (default: {YES:g})")
    parser.add_argument("--group-by", metavar="NAME", help="queries that depend on each other: document (the same "
                        "relevant document), or an attribute of the queries; intervals then count groups")
    parser.add_argument("--judge-model", type=visible_text, metavar="NAME", help="who judged")
    parser.add_argument("--generator", type=visible_text, metavar="NAME", help="who wrote the answers; warned of "
                        "where it is of the judge's family")
    parser.add_argument("--disagreements", type=whole_number(0), default=10, metavar="N", help="shown of each run")
    parser.add_argument("--format", choices=JUDGE_VALIDATION_FORMATS, default="table",
                        help="of the result (default: table)")


def run(options: argparse.Namespace) -> int:
    """Read verdicts, draw a sheet or hold them against labels, put it out; returns the exit status."""
    verdicts, matches, settings = _judged(options)
    if options.sheet:
        return _sheet(options, verdicts, matches)
    names = _class_names(options, verdicts, matches)
    labels, problems = _labels(options, verdicts, matches)
    if options.examples is not None:
        return _choose_examples(options, matches, [labels[run_verdicts.name] for run_verdicts in verdicts], problems)
    if options.local_judge:
        verdicts, learned = _trained(options, verdicts, matches, labels)
        settings |= learned
    cut = None if options.cut == "none" else float(options.cut)
    groups = _groups(options, matches)
    reports = [validate_judge(run_verdicts, labels.get(run_verdicts.name, {}), cut=cut, groups=groups, names=names)
               for run_verdicts in verdicts]
    first = verdicts[0]
    differences = [corrected_difference(first, candidate, labels.get(first.name, {}), labels.get(candidate.name, {}),
                                        groups=groups)
                   for candidate in verdicts[1:] if labels.get(candidate.name) and labels.get(first.name)]
    problems += [problem for report in reports for problem in report.problems]
    problems += [problem for difference in differences for problem in difference.problems]
    say(problems := list(dict.fromkeys(problems)))
    write(
        render_judge_validation(
            reports,
            differences,
            options.format,
            disagreement_limit=options.disagreements,
            problems=problems,
            sources=error_sources(verdicts, [labels.get(run_verdicts.name, {}) for run_verdicts in verdicts], matches,
                                  seed=options.seed),
            settings={"level": LEVEL, "cut": cut, "group_by": options.group_by, **settings},
            spec=next(iter(parse_specs(options.metrics or "")), None),
        ),
        options.output,
        options.format,
    )
    return 0


def _choose_examples(options: argparse.Namespace, matches: Sequence[Match | None],
                     labels: Sequence[dict[str, float]], problems: Sequence[Problem]) -> int:
    """Keep labels as examples in the judge's prompt, or none; returns the exit status."""
    matched = [match for match in matches if match is not None]
    if not matched or options.local_judge:
        raise InputError([Problem("no-run/examples", field="--examples")])
    spec, = parse_specs(options.metrics)
    metric = judge_request(spec)[0] if spec.metric.view == "Judged" else str(spec)
    if options.examples == NO_EXAMPLES:
        save_examples(metric, None)
        print_note(f"{metric}: no examples in the prompt")
        return 0
    choice = choose_examples(matched, labels, metric, per_class=options.examples, groups=_groups(options, matches),
                             seed=options.seed)
    say([*problems, *choice.problems])
    save_examples(metric, choice.examples)
    print_note(choice_sentence(choice))
    return 0


def _groups(options: argparse.Namespace, matches: Sequence[Match | None]) -> dict[str, str] | None:
    """The group of each query, or None; verdicts of files have no ground truth to take groups from."""
    if options.group_by is None:
        return None
    if matches[0] is None:
        raise InputError([Problem("no-groups/verdicts", field="--group-by")])
    return groups_of(matches[0].truth, options.group_by)


def _examples(text: str) -> int | str:
    """The argparse type of --examples: a whole number above 0, or none."""
    return text if text == NO_EXAMPLES else whole_number(1)(text)


def _cut(text: str) -> str:
    """The argparse type of --cut: a value in (0, 1], or none."""
    if text != "none" and not 0 < float(text) <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 1, or none")
    return text


def _judged(options: argparse.Namespace) -> tuple[list[RunVerdicts], list[Match | None], dict]:
    """(verdicts of each run, its match or None, settings): of the runs under a metric, or of files."""
    if bool(options.runs) == bool(options.verdicts):
        raise InputError([Problem("no-verdicts/option" if not options.runs else "two-kinds", field="--verdicts")])
    names = {"judge": options.judge_model, "generator": options.generator}
    if options.local_judge and (options.verdicts or options.judge_model):
        raise InputError([Problem("two-judges", {"option": "--verdicts" if options.verdicts else "--judge-model"},
                                  field="--local-judge")])
    if options.verdicts:
        verdicts = [run_verdicts for text in options.verdicts for run_verdicts in read_verdicts(
            _content(text), split_name(text)[1], split_name(text)[0] or Path(split_name(text)[1]).stem)]
        return [_with(run_verdicts, names) for run_verdicts in _distinct(verdicts)], [None] * len(verdicts), {}
    specs = parse_specs(options.metrics or "")
    if len(specs) != 1 and not (options.local_judge and not specs):
        raise InputError([Problem("one-metric", {"count": len(specs)}, field="--metrics")])
    runs, truth = read_inputs(options)
    matches = [Match(run, truth, conventions_of(options), matching_of(options)) for run in runs]
    if options.local_judge:
        return [placeholder_verdicts(match, str(specs[0]) if specs else WHAT) for match in matches], matches, {
            "truth": {"name": truth.name, "digest": truth.digest}, **id_settings(options)}
    matches = with_default_judges(matches, specs)
    evaluations = [evaluate_match(match, specs) for match in matches]
    model_names = {name: text or "" for name, text in names.items()}
    verdicts = [
        judged_verdicts(evaluation, match, specs[0], **model_names)
        for evaluation, match in zip(evaluations, matches, strict=True)
    ]
    return verdicts, matches, {**evaluations[0].settings, "truth": {"name": truth.name, "digest": truth.digest},
                            **id_settings(options)}


def _trained(options: argparse.Namespace, verdicts: Sequence[RunVerdicts], matches: Sequence[Match],
             labels: Labels) -> tuple[list[RunVerdicts], dict]:
    """(verdicts of a judge that is trained on the labels, the notes on the numbers)."""
    learned = fit_judge(matches, labels, verdicts[0].what, seed=options.seed)
    print_note(learned)
    return [_with(run_verdicts, {"generator": options.generator or generator_of(match.run)})
            for run_verdicts, match in zip(learned.verdicts, matches, strict=True)], learned.settings


def _with(verdicts: RunVerdicts, names: dict[str, str | None]) -> RunVerdicts:
    """The verdicts with the names of models that the files have."""
    return replace(verdicts, **{name: text for name, text in names.items() if text})


def _distinct(verdicts: list[RunVerdicts]) -> list[RunVerdicts]:
    names = [run_verdicts.name for run_verdicts in verdicts]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError([Problem("duplicate-run", {"run": repeated[0]}, field="--verdicts")])
    return verdicts


def _labels(options: argparse.Namespace, verdicts: Sequence[RunVerdicts], matches: Sequence[Match | None]
            ) -> tuple[Labels, list[Problem]]:
    """The labels of each run: those of a column of its file, then the stored ones, then those of label files; the
    warnings.
    """
    of_column = _column_labels(options, matches) if options.label_column else [{}] * len(verdicts)
    store = LabelStore()
    query_ids = {run_verdicts.name: frozenset(run_verdicts.query_ids.to_pylist()) for run_verdicts in verdicts}
    labels = {
        run_verdicts.name: {**column, **(store.read(run_verdicts.run, run_verdicts.what) if run_verdicts.run else {})}
        for run_verdicts, column in zip(verdicts, of_column, strict=True)
    }
    problems = [
        problem for run_verdicts in verdicts if run_verdicts.run for problem in store.problems(run_verdicts.run)
    ]
    for text in options.labels or ():
        run_name, path = split_name(text)
        if run_name is not None and run_name not in query_ids:
            facts = {"run": run_name, "runs": list(query_ids)}
            raise InputError([Problem("whose-labels/option", facts, path, field="--labels")])
        read_in, warned = read_labels(
            _content(text), path, query_ids if run_name is None else {run_name: query_ids[run_name]}
        )
        problems += warned
        for run, new_labels in assign_labels(read_in, verdicts, run_name, path).items():
            labels[run] = {**labels[run], **new_labels}
    if options.keep:
        _keep(store, verdicts, labels)
    return labels, problems


def _class_names(options: argparse.Namespace, verdicts: Sequence[RunVerdicts],
                 matches: Sequence[Match | None]) -> tuple[str, str]:
    """What wrong and right answers are called: the words of the labels, where the files alone have some."""
    store = LabelStore()
    saved = options.labels or any(store.read(each.run, each.what) for each in verdicts if each.run)
    runs = [match.run for match in matches if match is not None]
    return (None if saved or not options.label_column else label_words(runs, options.label_column)) or NO_YES


def _column_labels(options: argparse.Namespace, matches: Sequence[Match | None]) -> list[dict[str, float]]:
    """The labels in a column of each run's file."""
    runs = [match.run for match in matches if match is not None]
    if not runs:
        raise InputError([Problem("no-run/column", field="--label-column")])
    check_label_column(options.label_column, runs)
    return [labels_by_query(match, options.label_column) for match in matches if match is not None]


def _keep(store: LabelStore, verdicts: Sequence[RunVerdicts], labels: Labels) -> None:
    if not all(run_verdicts.run for run_verdicts in verdicts):
        raise InputError([Problem("no-run/labels", field="--keep")])
    time = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    for run_verdicts in verdicts:
        store.add(run_verdicts.run, run_verdicts.what, labels[run_verdicts.name], when=time)


def _sheet(options: argparse.Namespace, verdicts: Sequence[RunVerdicts], matches: Sequence[Match | None]) -> int:
    form = Path(options.sheet).suffix.lstrip(".").lower()
    if form not in ("csv", "jsonl"):
        raise InputError([Problem("sheet-format", {"sheet": options.sheet}, field="--sheet")])
    if Path(options.sheet).exists():
        raise InputError([Problem("sheet-exists", {}, options.sheet)])
    queries = sample_queries(verdicts, options.n, seed=options.seed)
    table = labeling_sheet(verdicts, queries, matches)
    write(label_sheet_bytes(table, form), options.sheet)
    say([problem for run_verdicts in verdicts for problem in run_verdicts.problems])
    print(f"{options.sheet}: {count(len(table), 'row')} to label, {query_count(len(queries))} drawn with "
          f"seed {options.seed}; fill in label from the top (1 yes, 0 no, or between), then pass it with --labels")
    return 0


def _content(text: str) -> bytes:
    content = source_of(text)
    if isinstance(content, tuple):
        return content[1]
    try:
        return read_input(content)
    except OSError as error:
        raise InputError([Problem("no-such-file/reason", {"reason": error.strerror or str(error)}, content)]) from None
