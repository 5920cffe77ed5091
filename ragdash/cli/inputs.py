"""Read what the options of a command name: runs, a truth, conventions, matching and metrics."""

from __future__ import annotations

import argparse
import io
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from ragdash.cli.file_mappings import for_several_files, mapping_for_file, mapping_of
from ragdash.core.console import Bar, say
from ragdash.core.errors import InputError, Problem, shorten
from ragdash.core.ids.normalization import collapsed, with_ids_of
from ragdash.core.paths import numbered, read_input, refuse_device, split_name
from ragdash.core.ranking.reverse_scores import reverse_scores
from ragdash.core.records import CHOICES, Conventions, Run, Truth
from ragdash.core.records.joined_truth import join_truths
from ragdash.io import Readable, detect, read_corpus, read_runs, read_truth
from ragdash.io.source.read_progress import report_progress
from ragdash.models.engines import LOCAL, Engine, open_engine

if TYPE_CHECKING:  # metrics and matching are imported by the functions that need them
    from ragdash.matching.match import Matching
    from ragdash.metrics import Spec
_ROLES = ("relevant documents", "reference answers", "evidence")


def conventions_of(options: argparse.Namespace) -> Conventions:
    """The choices made among CHOICES."""
    return Conventions(**{name: getattr(options, name) for name in CHOICES})


def matching_of(options: argparse.Namespace) -> Matching:
    """How documents are matched with the truth, by the options --match..."""
    from ragdash.matching.match import Matching

    settings = {name: value for name in ("how", "threshold", "model")
                if (value := getattr(options, f"match_{name}")) is not None}
    if options.match == "id" and settings:
        raise InputError([Problem("option-alone", {"option": f"--match-{name}", "other": "--match evidence"},
                                  field=f"--match-{name}") for name in settings])
    return Matching(options.match, **settings, engine=matching_engine(options))


def matching_engine(options: argparse.Namespace) -> Engine:
    """Where texts are compared; InputError where none would be."""
    name = options.engine
    if name != LOCAL.name and (options.match == "id" or options.match_how in ("exact", "embedding")):
        message = "engine-unused/id" if options.match == "id" else "engine-unused/evidence"
        raise InputError([Problem(message, {"engine": name, "how": options.match_how}, field="--engine")])
    return open_engine(name)


def read_inputs(options: argparse.Namespace) -> tuple[list[Run], Truth]:
    """All runs and the truth, with a bar while large files are read; the problems of all are raised together."""
    bar = Bar()
    try:
        with report_progress(bar):
            return _read(options)
    finally:
        bar.clear()


def _read(options: argparse.Namespace) -> tuple[list[Run], Truth]:
    runs, problems, truth = [], [], None
    sources = {text: source_of(text) for text in dict.fromkeys(options.runs)}
    for text in options.runs:
        try:
            runs.extend(read_runs(sources[text], name=split_name(text)[0], **reading_arguments(options, text)))
        except InputError as error:
            problems.extend(error.problems)
    try:
        truth = with_documents(
            truth_of(options) if options.truth else truth_in_runs(sources, options, runs), options)
    except InputError as error:
        problems.extend(error.problems)
    if problems:
        raise InputError(dict.fromkeys(for_several_files(problems, options)))
    names = () if "group" in options else options.runs  # of pin and gate, whose runs of one name are repeats
    runs = with_reversed_scores(distinct_names(runs, names), options)
    return with_fixed_ids(runs, truth, options), truth


def truth_of(options: argparse.Namespace, **reading) -> Truth:
    """The truth of --truth; where it is given several times all of them joined, the first one first.

    reading: how the files are read (default: as the command's options say).
    """
    texts = (options.truth, *getattr(options, "more_truths", ()))
    truths = [read_truth(source_of(text), **(reading or reading_arguments(options, text))) for text in texts]
    joined = reduce(join_truths, truths)
    say(problem for problem in joined.problems if len(truths) > 1 and problem.kind == "joined-truths")
    return joined


def say_unsaid(problems: Iterable[Problem]) -> None:
    """Problems on standard error, without those of joined truths, which `truth_of` said."""
    say([problem for problem in problems if problem.kind != "joined-truths"])


def read_recorded(paths: Sequence[str], options: argparse.Namespace) -> list[Run]:
    """The runs of files and of log folders; of these, the closed ones. Recorded runs without a result are left out."""
    from ragdash.io.recorded.folder import is_recorded_folder

    runs: list[Run] = []
    empty: list[Problem] = []
    for text in paths:
        name, path = split_name(text)
        is_log_folder = path not in ("-", "") and Path(path).is_dir() and not is_recorded_folder(Path(path))
        closed = _closed_runs(Path(path)) if is_log_folder else []
        runs += closed
        if not closed:
            try:
                runs += read_runs(source_of(text), name=name, **reading_arguments(options, text))
            except InputError as error:
                if [problem.message for problem in error.problems] != ["recorded-run/empty"]:
                    raise
                empty += error.problems
    if empty and not runs:
        raise InputError(empty)
    say([replace(problem, severity="warning") for problem in empty])
    return runs


def _closed_runs(folder: Path) -> list[Run]:
    """The closed runs of a log folder; what cannot be read is named, an error if nothing else is there.

    Raises InputError for an empty folder; no runs where the folder holds other files.
    """
    from ragdash.io.recorded.closed_runs import read_closed_runs

    closed, problems = read_closed_runs(folder)
    if not closed and not any(folder.iterdir()):
        raise InputError([Problem("history/no-runs", {"folder": str(folder)}, str(folder))])
    say(problems)
    return closed


def with_reversed_scores(runs: list[Run], options: argparse.Namespace) -> list[Run]:
    """The runs, those of --reverse-scores with the smallest score first; InputError for a name of no run."""
    names, reversed_names = [run.name for run in runs], options.reverse_scores or ()
    unknown = [name for name in reversed_names if name not in names]
    if unknown:
        raise InputError([Problem("no-such-run", {"name": unknown[0], "names": names}, field="--reverse-scores")])
    return [reverse_scores(run) if run.name in reversed_names else run for run in runs]


def with_documents(truth: Truth, options: argparse.Namespace) -> Truth:
    """The truth beside the documents of --corpus; with those that it has itself where there is none."""
    if not options.corpus:
        return truth
    return truth.with_corpus(read_corpus(source_of(options.corpus), encoding=options.encoding,
                                         mapping=mapping_for_file(options, options.corpus)))


def truth_in_runs(sources: Mapping[str, Readable], options: argparse.Namespace, runs: Sequence[Run] = ()) -> Truth:
    """The truth in the rows of a run; InputError where there is none, or where files have different ones.

    sources: {argument of the command: what is read for it}.
    Without a truth, runs whose files hold scores, or answers alone, have their own queries; so have all runs with
    answers where metrics are asked for that need no truth.
    """
    truths = {
        text: read_truth(content, **reading_arguments(options, text))
        for text, content in sources.items()
        if detect(content, **reading_arguments(options, text)).role == "both"
    }
    if truths:
        return common_truth(truths)
    from ragdash.metrics import GROUNDING_SPECS, has_answers

    answered = all(map(has_answers, runs))
    if runs and (all(run.file_scores is not None or (has_answers(run) and not run.has_rankings) for run in runs)
                 or (answered and _need_no_truth(options))):
        return Truth.of_queries(runs)
    facts = {"metrics": " ".join(map(str, GROUNDING_SPECS))}
    raise InputError([Problem("no-truth/answers" if runs and answered else "no-truth", facts, field="--truth")])


def _need_no_truth(options: argparse.Namespace) -> bool:
    """Whether the metrics asked for look at the runs alone."""
    specs = _chosen_specs(options) if {"metrics", "cutoffs"} <= vars(options).keys() else None
    return bool(specs) and all(spec.metric.view in ("Grounded", "Supplied", "Timed") for spec in specs or ())


def reading_arguments(options: argparse.Namespace, file: str | None = None) -> dict:
    """What the reader of a file needs: the encoding, and our fields with the columns that hold them."""
    return {"encoding": options.encoding, "mapping": mapping_of(options, file)}


def selected_run(runs: list[Run], options: argparse.Namespace) -> Run:
    """The one run, or that of --config; InputError where there are several, or none of that name."""
    named_so = [run for run in runs if options.config in (None, run.name)]
    if len(named_so) == 1:
        return named_so[0]
    raise InputError([Problem("several-configurations", {"count": len(named_so), "names": [run.name for run in runs]},
                              split_name(options.file)[1])])


def with_fixed_ids(runs: Iterable[Run], truth: Truth | None, options: argparse.Namespace) -> list[Run]:
    """The runs under --collapse and then --ids; InputError with the problems of all, or where ids lack a truth."""
    if options.ids and truth is None:
        raise InputError([Problem("no-truth/ids", {"ids": options.ids}, field="ids")])
    result, problems = [], []
    for run in runs:
        try:
            run = collapsed(run, options.collapse) if options.collapse else run
            result.append(with_ids_of(run, truth, options.ids) if options.ids else run)
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(dict.fromkeys(problems))
    return result


def id_settings(options: argparse.Namespace) -> dict[str, str]:
    """How ids were read, for the settings of what is put out: collapse and ids, where they were asked for."""
    return {name: getattr(options, name) for name in ("collapse", "ids") if getattr(options, name)}


def distinct_names(runs: list[Run], arguments: Sequence[str]) -> list[Run]:
    """Runs of equal names get a number behind it and a warning, so that no row of a table is taken for another.

    arguments: of the command, each a file or NAME=FILE. InputError where two of them give one name.
    """
    check_given_names(arguments)
    names = numbered([run.name for run in runs])
    counts = Counter(run.name for run in runs)
    say([Problem("numbered-runs", {"run": name, "count": counts[name], "names": [
        new for run, new in zip(runs, names, strict=True) if run.name == name]}, severity="warning")
        for name in counts if counts[name] > 1])
    return [run if run.name == name else run.renamed(name) for run, name in zip(runs, names, strict=True)]


def check_given_names(arguments: Sequence[str]) -> None:
    """InputError where two arguments NAME=FILE give one name."""
    counts = Counter(name for name, _ in map(split_name, arguments) if name is not None)
    if repeated := [name for name in counts if counts[name] > 1]:
        raise InputError([Problem("duplicate-run/names", {"run": name}) for name in repeated])


def specs_of(options: argparse.Namespace, runs: Sequence[Run], truth: Truth) -> tuple[Spec, ...]:
    """The specs asked for; cutoffs are given to every metric that takes one and was written without.

    A metric of a file has the range that its values suggest, and the direction of --metric-direction.
    """
    from ragdash.metrics import default_specs, file_specs, with_guesses

    directions = metric_directions(options.metric_direction or ())
    specs = _chosen_specs(options)
    if specs is None:
        return default_specs(runs, truth, directions)
    return with_guesses(specs, file_specs(runs, directions))


def metric_directions(texts: Iterable[str]) -> dict[str, str]:
    """{metric of a file: higher, lower or none} of texts such as "latency=lower"; InputError for others."""
    from ragdash.metrics.from_file import DIRECTIONS

    directions = {}
    for text in texts:
        name, equals, way = text.rpartition("=")
        if not (equals and name and way in DIRECTIONS):
            raise InputError([Problem("metric-direction", {"text": text}, field="--metric-direction")])
        directions[name] = way
    return directions


def _chosen_specs(options: argparse.Namespace) -> tuple[Spec, ...] | None:
    """The specs of --metrics and --cutoffs; None where neither is given."""
    from ragdash.metrics import parse_spec, parse_specs

    metrics, cutoffs = options.metrics, options.cutoffs
    if not cutoffs:
        return None if metrics is None else parse_specs(metrics)
    specs: list[Spec] = []
    for text in re.split(r"[\s,]+(?![^()]*\))", metrics or "P R nDCG Success"):
        first = parse_spec(text) if "@" in text else _spec_at(text, cutoffs[0])
        specs += [first.at_cutoff(k) for k in cutoffs] if "@" not in text and first.k else [first]
    return tuple(dict.fromkeys(specs))


def _spec_at(name: str, k: int) -> Spec:
    """The spec of a name without a cutoff, at k where the metric takes one."""
    from ragdash.metrics import parse_spec

    try:
        return parse_spec(f"{name}@{k}")
    except InputError:
        return parse_spec(name)


def source_of(text: str) -> str | tuple[str, bytes]:
    """What the readers take: the path of an argument, or standard input with its content."""
    path = split_name(text)[1]
    if path == "-":
        with suppress(io.UnsupportedOperation):  # a text in its place is no device, and a terminal ends
            if not sys.stdin.isatty():
                refuse_device("standard input", sys.stdin.fileno())
        content = getattr(sys.stdin, "buffer", sys.stdin).read()
        return "standard input", content.encode() if isinstance(content, str) else content
    with suppress(OSError, ValueError):
        if stat.S_ISFIFO(os.stat(path).st_mode):  # such as <(zcat run.gz): it can be read once only
            return path, read_input(path)
    return path


def common_truth(truths: Mapping[str, Truth]) -> Truth:
    """The truth of several files, {file: truth}: that with all queries; InputError with the first difference.

    Attributes and texts of queries do not count: tools write what belongs to a run there.
    """
    (first_file, largest), *others = sorted(truths.items(), key=lambda item: (-len(item[1]), -item[1].judgments))
    if all(truth.digest == largest.digest for _, truth in others):
        return largest
    known = _contents_of_queries(largest)
    for file, truth in others:
        for query, content in _contents_of_queries(truth).items():
            if query not in known:
                _fail({"count": len(truths), "query": query, "what": "anything", "first": file, "second": first_file,
                       "first_values": "the query", "second_values": "no such query"})
            for role, here, there in zip(_ROLES, content, known[query], strict=True):
                if here != there:
                    _fail({"count": len(truths), "query": query, "what": role, "first": file, "second": first_file,
                           "first_values": _shown(here - there or here),
                           "second_values": _shown(there - here or there)})
    note = Problem("truths-differ-in-attributes", {"file": first_file}, severity="note")
    return replace(largest, problems=(*largest.problems, note))


def _fail(facts: dict) -> None:
    raise InputError([Problem("several-truths/runs", facts, field="--truth")])


def _contents_of_queries(truth: Truth) -> dict[str, tuple[frozenset, ...]]:
    """{query: judgments, references and evidence}."""
    queries = truth.query_ids.to_pylist()
    judged: list[set] = [set() for _ in queries]
    for code, doc, grade in zip(truth.queries.tolist(), truth.docs.to_pylist(), truth.grades.tolist(), strict=True):
        judged[code].add((doc, grade))
    answers, evidence = _texts(truth, "answers"), _texts(truth, "evidence")
    return {query: (frozenset(judged[code]), answers[code], evidence[code]) for code, query in enumerate(queries)}


def _texts(truth: Truth, name: str) -> list[frozenset]:
    if truth.details is None or name not in truth.details.column_names:
        return [frozenset()] * len(truth)
    return [frozenset(value["text"] if type(value) is dict else value for value in values or ())
            for values in truth.details[name].to_pylist()]


def _shown(values: frozenset) -> str:
    texts = sorted(f"{value[0]} (grade {value[1]})" if type(value) is tuple else str(value) for value in values)
    return shorten(", ".join(texts[:3]), 120) or "none"
