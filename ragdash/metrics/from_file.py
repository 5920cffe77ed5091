"""Metrics that a file brings along: values per query that another tool, a judge or a person has given.

They are not in the registry: what a file calls "mrr" belongs to that file. A Spec names the column, and everything else
about the metric follows from the Spec: file:mrr, file:sas(better='lower'), file:verdict(label='Correct').
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run
from ragdash.core.text.metric_names import guess_range, is_answer_relevance, is_of_contexts, labels_in
from ragdash.metrics.docs.human_agreement import evidence_rank, is_of_answers, right_answers_metric
from ragdash.metrics.registry import FILE, FILE_DEFAULTS, Spec

DIRECTIONS = ("higher", "lower", "none")
_OUR_NAMES = {"mrr": "RR", "rr": "RR", "reciprocalrank": "RR", "ndcg": "nDCG", "recall": "R", "precision": "P",
              "hit": "Success", "hits": "Success", "hitrate": "Success", "hitratio": "Success",
              "success": "Success", "map": "AP", "ap": "AP", "f1": "F1"}
_UNITS = "page|chunk|passage|section|paragraph|source|file|doc|document"  # what the metrics of a file may count
_COMPUTED = re.compile(
    r"(?:[\w.]*?\.(?P<inner>\d+)\.|[\w.]*\.)?"
    rf"(?:(?:retrieval|retriever|mean|avg|stored|exact|(?P<unit>{_UNITS}))[_ ]+)?"
    r"(?P<name>mrr|rr|reciprocal[_ ]?rank|ndcg|recall|precision|hit[_ ]?rat(?:e|io)|hits?|success|map|ap|f1)"
    r"(?:[@_ ]*(?:at[_ ]?)?(?P<k>\d+)|[@_ ]*at[_ ]?k|@k)?(?:[_ ]score)?", re.IGNORECASE)
_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_SPELLED = re.compile(rf"\s*\w+:(?:(?P<quoted>{_QUOTED})|(?P<plain>[^\s,()'\"]+))\s*(?P<arguments>\(.*\))?\s*",
                      re.DOTALL)


def file_spec(column: str, label: str = "", better: str = "", low: float | None = 0.0,
              high: float | None = 1.0) -> Spec:
    """The Spec of a column of a file, or of the share of a label in it; low, high: None for an open end.

    Examples
    --------
    >>> str(file_spec("mrr")), str(file_spec("answer score", high=5.0))
    ('file:mrr', "file:'answer score'(high=5.0)")
    >>> file_spec("verdict", "Correct").title, file_spec("sas", better="lower").metric.better
    ('Share correct (verdict)', 'lower')
    """
    values = {"better": better, "column": column, "high": high, "label": label, "low": low}
    return Spec(FILE, tuple((name, value) for name, value in values.items() if value != FILE_DEFAULTS[name]))


def parse_file_spec(text: str) -> Spec:
    """The Spec of file:name, file:'a name'(high=5.0); InputError where it cannot be read."""
    match = _SPELLED.fullmatch(text)
    params = _literal_arguments(match["arguments"]) if match else None
    numbers = [(params or {}).get(end, 0.0) for end in ("low", "high")]
    if match is None or params is None or not (
            params.keys() <= FILE_DEFAULTS.keys() - {"column"} and params.get("better", "") in ("", *DIRECTIONS)
            and isinstance(params.get("label", ""), str) and all(map(_is_end, numbers))):
        known = f"better ({' or '.join(DIRECTIONS)}); low; high; label"
        raise InputError([Problem("metric-parameter", {"text": text, "metric": f"{FILE}:NAME", "known": known},
                                  field="metric")])
    name = ast.literal_eval(match["quoted"]) if match["quoted"] else match["plain"]
    ends = {end: None if params[end] is None else float(str(params[end])) for end in ("low", "high") if end in params}
    return file_spec(name, str(params.get("label", "")), str(params.get("better", "")), **ends)


def _literal_arguments(arguments: str | None) -> dict | None:
    """The values of (name=literal, ...); None where they cannot be read."""
    if not arguments:
        return {}
    try:
        call = ast.parse(f"f{arguments}", mode="eval").body
        if not isinstance(call, ast.Call):
            return None
        values = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        return None if call.args or len(values) < len(call.keywords) or None in values else values
    except (SyntaxError, ValueError, AttributeError):
        return None


def _is_end(number: object) -> bool:
    """Whether this can be an end of a range: a number, or None for an open end."""
    return number is None or (isinstance(number, (int, float)) and not isinstance(number, bool))


def file_specs(runs: Iterable[Run], directions: Mapping[str, str] | None = None) -> tuple[Spec, ...]:
    """The metrics in the files of these runs, in the order of the files; range and direction are guessed.

    directions: {column: higher, lower or none} where the guess is wrong. Raises InputError for an unknown column.

    Examples
    --------
    >>> from ragdash.core.file_scores import FileScores
    >>> scores = FileScores.build([("q1", "a", "mrr", 0.5), ("q1", "a", "rating", 4), ("q1", "a", "verdict", "Correct"),
    ...                            ("q2", "a", "verdict", "Refusal"), ("q3", "a", "verdict", "Correct")])
    >>> run = Run.build("a", ["q1", "q2", "q3"], ["d", "d", "d"]).with_file_scores(scores)
    >>> [str(spec) for spec in file_specs([run], {"mrr": "lower"})]
    ["file:mrr(better='lower')", 'file:rating(high=5.0, low=1.0)', "file:verdict(label='Correct')", \
"file:verdict(label='Refusal')"]
    """
    directions = directions or {}
    numbers: dict[str, list[float]] = {}
    texts: dict[str, list[str]] = {}
    order: dict[str, None] = {}
    for run in runs:
        scores = run.file_scores
        if scores is None:
            continue
        for metric, value, label in zip(scores.metrics.to_pylist(), scores.values.tolist(), scores.labels.to_pylist(),
                                        strict=True):
            order.setdefault(metric)
            if label is not None:
                texts.setdefault(metric, []).append(label)
            else:
                numbers.setdefault(metric, []).append(value)
    unknown = [name for name in directions if name not in order]
    if unknown:
        raise InputError([Problem("metric-direction/unknown", {"name": unknown[0], "names": list(order)},
                                  field="--metric-direction")])
    specs: list[Spec] = []
    for name in order:
        if name in texts:
            specs += [file_spec(name, label, directions.get(name, "") if index == 0 else "")
                      for index, label in enumerate(labels_in(texts[name]))]
        elif np.isfinite(numbers[name]).any():
            low, high = guess_range(numbers[name], name)
            specs.append(file_spec(name, "", directions.get(name, ""), low if np.isfinite(low) else None,
                                   high if np.isfinite(high) else None))
    return tuple(specs)


def default_file_specs(runs: Iterable[Run], directions: Mapping[str, str] | None = None) -> tuple[Spec, ...]:
    """The metrics in the files of these runs that have a better end; all of them where none has.

    Those where higher is better come first: the first one is the metric that a page opens with, and a share of right
    answers is easier to read than one of wrong answers. Of these, what says how good the contexts are comes later, and
    whether answers address the question last: a wrong answer can do that as well. Before other scores of answers come
    the labels by which `right_answers_metric` counts right answers.
    """
    runs = list(runs)
    specs = file_specs(runs, directions)
    directed = [spec for spec in specs if spec.metric.better is not None or dict(spec.params).get("label")]
    ordered = sorted(directed, key=lambda spec: (spec.metric.better != "higher", is_answer_relevance(spec.file_column),
                                                 is_of_contexts(spec.file_column)))
    if not ordered:
        return specs
    counts = _largest_counts(runs)
    lead = right_answers_metric(ordered, lambda spec: counts[spec.file_column])
    if lead is not None and evidence_rank(lead) == 0 and is_of_answers(ordered[0]):
        ordered = [lead, *(spec for spec in ordered if spec != lead)]
    return tuple(ordered)


def _largest_counts(runs: Sequence[Run]) -> Counter[str]:
    """{column: how many queries have a value in it, in the run that has most}."""
    largest: Counter[str] = Counter()
    for scores in filter(None, (run.file_scores for run in runs)):
        is_label = scores.labels.is_valid().to_numpy(zero_copy_only=False)
        names = np.array(scores.metrics.to_pylist(), dtype=object)[is_label | np.isfinite(scores.values)]
        largest |= Counter(names.tolist())
    return largest


def counterpart(spec: Spec, known: Callable[[str], Spec | None], depth: int = 0) -> Spec | None:
    """The metric that is computed here under the name that a file gives to its own: RR for mrr; None without one.

    known: reads a name, such as "RR" or "Success@5"; None for one that cannot be read. depth: the cutoff of a hit rate
    whose name has none; 0: then there is no such metric.

    Examples
    --------
    >>> from ragdash.metrics.spelling import parse_spec
    >>> [str(counterpart(file_spec(name), parse_spec)) for name in ("mrr", "hit_at_5", "retrieval_recall", "ndcg@10")]
    ['RR', 'Success@5', 'R', 'nDCG@10']
    >>> [str(counterpart(file_spec(name), parse_spec, depth=8)) for name in ("page_hit", "per_k.10.page_recall_at_k")]
    ['Success@8', 'R@10']
    >>> counterpart(file_spec("faithfulness"), parse_spec) is None
    True
    """
    match = _COMPUTED.fullmatch(spec.file_column.strip())
    if match is None or dict(spec.params).get("label"):
        return None
    name = _OUR_NAMES[re.sub(r"[\W_]", "", match["name"].casefold())]
    cutoff = match["k"] or match["inner"] or (str(depth) if depth and name == "Success" else "")
    return known(f"{name}@{cutoff}" if cutoff else name) if cutoff or name != "Success" else None


def counted_unit(spec: Spec) -> str:
    """What the metric of a file counts by its name: "page" for page_hit; "" where the name does not say it.

    Examples
    --------
    >>> counted_unit(file_spec("per_k.10.page_recall_at_k")), counted_unit(file_spec("mrr"))
    ('page', '')
    """
    match = _COMPUTED.fullmatch(spec.file_column.strip())
    return (match["unit"] or "").lower() if match else ""


def with_guesses(specs: Iterable[Spec], known: Iterable[Spec]) -> tuple[Spec, ...]:
    """The specs; one that names a column of a file and nothing else gets the range and direction of the known one."""
    by_column = {spec.file_column: spec for spec in reversed(list(known)) if not dict(spec.params).get("label")}
    return tuple(by_column.get(spec.file_column, spec) if spec.file_column and len(spec.params) == 1 else spec
                 for spec in specs)


def redirected(spec: Spec, better: str) -> Spec:
    """The same metric with another direction."""
    params = {**dict(spec.params), "better": better}
    return replace(spec, params=tuple(sorted((name, value) for name, value in params.items() if value)))
