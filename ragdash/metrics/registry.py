"""The registry: a metric is one function and its decorator line; a Spec is a metric with parameters and a cutoff.

Parameters come from the signature, the explanation from the docstring, the view from the first annotation.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.matching.views.ranked import ALL, Values
from ragdash.metrics.example_setups import Example

METRICS: dict[str, Metric] = {}
MAX_CUTOFF = 10**9
FILE = "file"  # the name of every metric that a file brings along; the column is one of its parameters
FAMILY_OF_MODULE = {"judged_share": "judgements", "score_detection": "detection", "latency_cost": "cost"}
"""Families whose name, part of the JSON output, is not that of their module."""


@dataclass(frozen=True)
class CorpusValue:
    """A value of the whole corpus, constant + sum of coefficient * (sum of numerators / sum of denominators).

    values (Q,): each query's share, for drill-down; terms: (coefficient, numerator (Q,), denominator (Q,)) each.
    All terms are resampled together for the interval.
    """

    values: Values
    constant: float
    terms: tuple[tuple[float, np.ndarray, np.ndarray], ...]


@dataclass(frozen=True)
class Metric:
    """A definition. range is (lowest, highest), "-beta" for minus that parameter; better is "higher", "lower" or None;
    cutoff is "required", "optional" or "none"; aggregate is how the values of the queries become one: "mean",
    "median" or "corpus" (a CorpusValue).

    relevance: undefined for a query without a relevant document (the convention `unanswerable` then decides).
    weight: of a ratio, its denominator as function of (view, k, parameters): (Q,) or (Q, K). Such a metric also takes
    average='micro': the sum of numerators over the sum of denominators, a value of the corpus.
    when: the use of the metric; differs: what trec_eval, RAGAS, ranx and others compute under this name; example: a
    worked example, which the tests compute.
    params: name -> default; types: name -> annotation; allowed: name -> words to choose from, or (lowest, highest).
    """

    name: str
    title: str
    family: str
    function: Callable
    view: str
    params: Mapping[str, object]
    formula: str
    source: str
    doc: str
    range: tuple[float | str, float] = (0.0, 1.0)
    better: str | None = "higher"
    unit: str = ""
    cutoff: str = "optional"
    aggregate: str = "mean"
    relevance: bool = True
    weight: Callable | None = None
    aliases: tuple[str, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    allowed: Mapping[str, tuple] = field(default_factory=dict)
    when: str = ""
    differs: str = ""
    example: Example | None = None

    @property
    def summary_line(self) -> str:
        """The first sentence of the docstring."""
        return " ".join(self.doc.split("\n\n")[0].split())

    def spec(self, k: int | None = None, **params) -> Spec:
        """This metric with a cutoff and parameters; parameters equal to the default are left out."""
        changed = tuple((key, value) for key, value in params.items() if value != self.params[key])
        return Spec(self.name, tuple(sorted(changed)), k)


@dataclass(frozen=True, order=True)
class Spec:
    """A metric with parameters and a cutoff. str() is its canonical spelling, which `parse_spec` reads back."""

    name: str
    params: tuple[tuple[str, object], ...] = ()
    k: int | None = None

    @property
    def metric(self) -> Metric:
        """The definition: a registered one, or that of a metric from a file."""
        if self.name == FILE:
            from ragdash.metrics.from_file import file_metric

            return file_metric(self.params)
        return METRICS[self.name]

    @property
    def file_column(self) -> str:
        """The column of the file that holds the values; "" for a metric that is computed here."""
        return str(dict(self.params)["column"]) if self.name == FILE else ""

    @property
    def title(self) -> str:
        """The name that people read: NDCG@10, Hit rate@5, MRR, sas (file)."""
        if self.name == FILE:
            return self.metric.title
        params = ", ".join(f"{key} = {value}" for key, value in self.params)
        return self.metric.title + (f"@{self.k}" if self.k else "") + (f" ({params})" if params else "")

    @property
    def range(self) -> tuple[float, float]:
        """(lowest, highest) possible value under these parameters."""
        low, high = self.metric.range
        return (-float(dict(self.params).get("beta", self.metric.params["beta"])) if low == "-beta" else low), high

    def at_cutoff(self, k: int | None) -> Spec:
        """The same metric and parameters at another cutoff."""
        return replace(self, k=k)

    def __str__(self) -> str:
        if self.name == FILE:
            from ragdash.metrics.from_file import write_file_spec

            return write_file_spec(self.params)
        params = ", ".join(f"{key}={value!r}" for key, value in self.params)
        return self.name + (f"({params})" if params else "") + (f"@{self.k}" if self.k else "")

    def __repr__(self) -> str:
        return str(self)


def metric(name: str, title: str, **facts) -> Callable[[Callable], Callable]:
    """Register a metric function. facts: formula, source, and what differs from Metric's defaults."""

    def register(function: Callable) -> Callable:
        parameters = list(inspect.signature(function).parameters.values())
        facts.setdefault("cutoff", "optional" if "k" in (p.name for p in parameters) else "none")
        options = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        types = {p.name: p.annotation for p in parameters if p.name in options}
        if "weight" in facts:
            options, types = {**options, "average": "macro"}, {**types, "average": "str"}
            facts["allowed"] = {**facts.get("allowed", {}), "average": ("macro", "micro")}
        module = function.__module__.rpartition(".")[2]
        METRICS[name] = Metric(name, title, FAMILY_OF_MODULE.get(module, module), function,
                               parameters[0].annotation, options, doc=inspect.getdoc(function), types=types, **facts)
        return function

    return register


def parse_specs(text: str | Iterable[str | Spec]) -> tuple[Spec, ...]:
    """Specs of a text like "nDCG@10 R@5, MRR" (or a list of such); raises InputError naming every one it cannot read.

    White space and commas separate, outside parentheses and quotes. Each spec once, in order of appearance.
    """
    names = _split_names(text) if isinstance(text, str) else [name for item in text for name in (
        [item] if isinstance(item, Spec) else _split_names(item))]
    specs, problems = [], []
    for name in names:
        try:
            specs.append(name if isinstance(name, Spec) else parse_spec(name))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return tuple(dict.fromkeys(specs))


def parse_spec(text: str) -> Spec:
    """The Spec of one name such as "nDCG(gain='exp')@10", "Recall@5" or "ndcg_cut_10"; InputError if there is none."""
    if text.strip().startswith(f"{FILE}:"):
        return _parse_file_metric(text)
    match = re.fullmatch(r"\s*([\w.\- ]+?)\s*(\(.*\))?\s*(?:@\s*(\d+))?\s*", text, re.DOTALL)
    if not match:
        raise _unknown_metric(text)
    name, arguments, cutoff = match.groups()
    entry = _spellings().get(name.casefold())
    if entry is None and arguments is None and cutoff is None:  # trec_eval writes P_10, ndcg_cut_10
        name, _, cutoff = name.rpartition("_")
        entry = _spellings().get(name.casefold()) if cutoff.isdigit() else None
    if entry is None:
        raise _unknown_metric(text)
    params = _parse_arguments(text, arguments, entry)
    return entry.spec(_parse_cutoff(text, cutoff, entry), **params)


def _parse_file_metric(text: str) -> Spec:
    """The Spec of file:name, file:'a name'(high=5.0); InputError where it cannot be read."""
    from ragdash.metrics.from_file import parse_file_spec

    match = re.fullmatch(r"\s*\w+:(?:(?P<quoted>'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")|(?P<plain>[^\s,()'\"]+))\s*"
                         r"(?P<arguments>\(.*\))?\s*", text, re.DOTALL)
    params = _literal_arguments(match["arguments"]) if match else None
    if match is None or params is None:
        raise _unknown_metric(text)
    return parse_file_spec(ast.literal_eval(match["quoted"]) if match["quoted"] else match["plain"], params, text)


def _parse_cutoff(text: str, cutoff: str | None, entry: Metric) -> int | None:
    """The cutoff as a number, None where there is none; InputError where the metric wants it otherwise."""
    k = int(cutoff) if cutoff else None
    is_valid = entry.cutoff != "required" if k is None else entry.cutoff != "none" and 1 <= k <= MAX_CUTOFF
    if not is_valid:
        example = f"a cutoff from 1 to {MAX_CUTOFF:,}, as in {entry.name}@10"
        wants = {"required": example, "none": f"no cutoff: {entry.name}", "optional": f"{entry.name} or {example}"}
        raise InputError([Problem("metric-cutoff", {"text": text, "wanted": wants[entry.cutoff]}, field="metric")])
    return k


def find_metric(name: str) -> Metric:
    """The metric of a name, title or other accepted spelling, in any case; InputError with near names otherwise."""
    entry = _spellings().get(name.casefold())
    if entry is None:
        raise _unknown_metric(name)
    return entry


def _split_names(text: str) -> list[str]:
    names, depth, quote, current, escaped = [], 0, "", "", False
    for char in text:
        if escaped:
            escaped = False
        elif quote:
            quote, escaped = "" if char == quote else quote, char == "\\"
        elif char in "'\"":
            quote = char
        elif char in "()":
            depth += 1 if char == "(" else -1
        if (char.isspace() or char == ",") and not depth and not quote:
            names.append(current)
            current = ""
        else:
            current += char
    return [name for name in (*names, current) if name]


def _parse_arguments(text: str, arguments: str | None, entry: Metric) -> dict:
    values = _literal_arguments(arguments)
    if values is None or not all(_is_valid_option(entry, key, value) for key, value in values.items()):
        options = "; ".join(_describe_option(entry, key) for key in entry.params) or "none"
        raise InputError([Problem("metric-parameter", {"text": text, "metric": entry.name, "known": options},
                                  field="metric")])
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def _literal_arguments(arguments: str | None) -> dict | None:
    """The values of (name=literal, ...); None where they cannot be read."""
    if not arguments:
        return {}
    try:
        call = ast.parse(f"f{arguments}", mode="eval").body
        if not isinstance(call, ast.Call):
            return None
        values = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        return None if call.args or len(values) < len(call.keywords) else values
    except (SyntaxError, ValueError, AttributeError):
        return None


_TYPES = {"int": int, "float": (int, float), "str": str, "tuple": (tuple, list), "None": type(None)}


def _is_valid_option(entry: Metric, key: str, value) -> bool:
    """Whether the metric has this parameter and the value is of its type and among what is allowed."""
    if key not in entry.params or isinstance(value, bool):
        return False
    if not any(isinstance(value, _TYPES[word.strip()]) for word in entry.types[key].split("|")):
        return False
    allowed = entry.allowed.get(key)
    if allowed is None or value is None:
        return True
    if isinstance(allowed[0], str):
        return value in allowed
    numbers = value if isinstance(value, (tuple, list)) else (value,)
    return len(numbers) > 0 and all(isinstance(n, (int, float)) and allowed[0] <= n <= allowed[1] for n in numbers)


def _describe_option(entry: Metric, key: str) -> str:
    """A parameter with its default and what else is allowed, in words."""
    allowed = entry.allowed.get(key)
    words = "" if allowed is None else f" ({' or '.join(map(str, allowed))})" if isinstance(allowed[0], str) \
        else f" ({allowed[0]} to {allowed[1]})"
    return f"{key}={entry.params[key]!r}{words}"


@cache
def _spellings() -> dict[str, Metric]:
    """Every accepted spelling, case folded."""
    spellings: dict[str, Metric] = {}
    for entry in METRICS.values():
        for name in (entry.name, entry.title, *entry.aliases):
            spellings.setdefault(name.casefold(), entry)
    return spellings


def _unknown_metric(text: str) -> InputError:
    name = re.split(r"[@(]", text)[0].strip()
    close_matches = difflib.get_close_matches(name.casefold(), list(_spellings()), 3, 0.5)
    names = list(dict.fromkeys(_spellings()[word].name for word in close_matches))
    if names:
        return InputError([Problem("unknown-metric/near", {"text": text, "names": names}, field="metric")])
    return InputError([Problem("unknown-metric", {"text": text, "metrics": list(METRICS)}, field="metric")])


def cutoff_array(specs: Iterable[Spec]) -> np.ndarray:
    """The distinct cutoffs of specs, ascending; ALL for a spec without one."""
    return np.unique(np.array([ALL if spec.k is None else spec.k for spec in specs], np.int64))
