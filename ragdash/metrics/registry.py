"""The registry: a metric is one function and its decorator line; a Spec is a metric with parameters and a cutoff.

Parameters come from the signature, the explanation from the docstring, the view from the first annotation.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache

import numpy as np

from ragdash.core.errors import InputError, Problem, UnknownKey, represent
from ragdash.core.records.arguments import check_fields, checked, checked_methods
from ragdash.core.text.metric_names import guess_direction, label_value, share_title, usual_meaning
from ragdash.matching.views.ranked import ALL, Values
from ragdash.matching.views.supplied import Supplied
from ragdash.metrics.example_setups import Example

METRICS: dict[str, Metric] = {}
SMALLEST_OF_PRODUCT = 1e-5  # trec_eval's MIN_GEO_MEAN: smaller values count as this in a geometric mean
FILE_DEFAULTS: Mapping[str, object] = {"better": "", "column": "", "high": 1.0, "label": "", "low": 0.0}
_NAME = re.compile(r"[^\W\d_][\w.-]*")
_PLAIN = re.compile(r"[^\s,()'\"]+")
PARAMETER_WORDS: Mapping[tuple[str, object], str] = {
    ("tokens", "set"): "each word once", ("how", "claims"): "by claims"}  # in titles; others are "key = value"
NUMBER_AT = re.compile(r"(.+?)[_ ]at[_ ](k|n|\d+)", re.IGNORECASE)  # recall_at_10; guides write k or n for the number
NUMBER_BEHIND = re.compile(r"(.+)_(\d+(?:\.\d+)?)")  # P_10
RUBRIC = "rubric."  # begins the names of rubrics, whatever their capitals
_READ_FROM_FUNCTION = ("name", "title", "family", "function", "view", "params", "doc", "types")  # and no fact
FILE = "file"  # the name of every metric that a file brings along; the column is one of its parameters
FAMILY_OF_MODULE = {"judged_share": "judgments", "score_detection": "detection", "latency_cost": "cost",
                    "recall_levels": "recall levels", "user_models": "user models"}
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
    "geometric" (mean, of values of at least SMALLEST_OF_PRODUCT), "sum", "median" or "corpus" (a CorpusValue).

    relevance: undefined for a query without a relevant document (the convention `unanswerable` then decides).
    weight: of a ratio, its denominator as function of (view, k, parameters): (Q,) or (Q, K). Such a metric also takes
    average='micro': the sum of numerators over the sum of denominators, a value of the corpus.
    when: the use of the metric; differs: what trec_eval, RAGAS, ranx and others compute under this name; example: a
    worked example, which the tests compute.
    by_evidence: what counts as its documents where evidence decides relevance: "ranks", "spans", or a function of
    Covered in its place; None: it has no such form. bounds: how its value lies between bounds for unjudged documents:
    "monotone" (never worse as a grade rises), "search" (every number of relevant ones is tried); None: no bounds.
    curve: whether the pages draw it against the cutoff. peer_params: parameters as ir_measures spells them, name ->
    (our name, {their word: our word} or None for the same value). number: the parameter that a number after @ or _
    gives, as in IPrec@0.2; such a metric has no cutoff. presets: spellings that mean this metric with parameters.
    interval: of the mean, "bootstrap", or "exact" (Clopper-Pearson) for values 0 and 1 that are often all 0.
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
    by_evidence: str | Callable | None = None
    bounds: str | None = None
    curve: bool = False
    number: str = ""
    presets: Mapping[str, Mapping] = field(default_factory=dict)
    interval: str = "bootstrap"
    peer_params: Mapping[str, tuple[str, Mapping | None]] = field(default_factory=dict)

    @property
    def of_rankings(self) -> bool:
        """Whether it measures the documents that were returned."""
        return self.view in ("Ranked", "Covered", "Diversified", "Permitted")

    @property
    def summary_line(self) -> str:
        """The first sentence of the docstring."""
        return " ".join(self.doc.split("\n\n")[0].split())

    def spec(self, k: int | None = None, **params) -> Spec:
        """This metric with a cutoff and parameters; parameters equal to the default are left out."""
        changed = tuple((key, value) for key, value in params.items() if value != self.params[key])
        return Spec(self.name, tuple(sorted(changed)), k)


@checked_methods
@dataclass(frozen=True, order=True)
class Spec:
    """A metric with parameters and a cutoff. str() is its canonical spelling, which `parse_specs` reads back.

    Attributes
    ----------
    name
        The metric, a key of `METRICS`.
    params
        (name, value) of each parameter that is not the default, sorted.
    k
        The cutoff; None: the whole ranking.

    Examples
    --------
    >>> from ragdash import METRICS
    >>> spec = METRICS["nDCG"].spec(10, gain="exp")
    >>> spec, spec.title, spec.at_cutoff(5).k
    (nDCG(gain='exp')@10, 'NDCG@10 (gain = exp)', 5)
    """

    name: str
    params: tuple[tuple[str, Hashable], ...] = ()
    k: int | None = None

    @property
    def metric(self) -> Metric:
        """The definition: a registered one, or that of a metric from a file."""
        if self.name == FILE:
            return _file_metric(self.params)
        if self.name not in METRICS:
            raise UnknownKey("unknown-metric", {"text": self.name})
        return METRICS[self.name]

    @property
    def file_column(self) -> str:
        """The column of the file that holds the values; "" for a metric that is computed here."""
        return str(dict(self.params)["column"]) if self.name == FILE else ""

    @property
    def average(self) -> str:
        """What its value over queries is called: a mean, or the share of queries with a label."""
        return "share" if self.name == FILE and dict(self.params).get("label") else "mean"

    @property
    def title(self) -> str:
        """The name that people read: NDCG@10, Hit rate@5, MRR, sas (file), Share correct (verdict)."""
        if self.name == FILE:
            return self.metric.title
        params = ", ".join(PARAMETER_WORDS.get((key, value), f"{key} = {value}") for key, value in self.params)
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
            return _file_spelling(self.params)
        params = ", ".join(f"{key}={value!r}" for key, value in self.params)
        return self.name + (f"({params})" if params else "") + (f"@{self.k}" if self.k else "")

    def __repr__(self) -> str:
        return str(self)


@checked
def metric(name: str, title: str, **facts) -> Callable[[Callable], Callable]:
    """Return a decorator that registers a metric function in `METRICS`.

    Parameters
    ----------
    name
        How the metric is written, as in nDCG@10.
    title
        Its name for people.
    facts
        formula, source, and every field of `Metric` that differs from its default.

    Returns
    -------
    Callable
        The decorator. It reads the view from the first annotation, parameters from the keyword-only arguments and
        the explanation from the docstring, and returns the function unchanged.

    Raises
    ------
    InputError
        The name is none of a metric, or means another one; formula or source are absent; no view is named.

    Examples
    --------
    >>> from ragdash import METRICS, evaluate
    >>> @metric("Fetched", "Fetched documents", formula="n", source="example", range=(0.0, float("inf")))
    ... def fetched(view: "Ranked", k):
    ...     '''Documents within the cutoff.'''
    ...     return view.returned_at(k)
    >>> METRICS["Fetched"].cutoff, METRICS["Fetched"].summary_line
    ('optional', 'Documents within the cutoff.')
    >>> [summary.mean for summary in evaluate({"q1": ["a", "b", "c"]}, {"q1": ["a"]}, "Fetched@2").summary()]
    [2.0]
    >>> del METRICS["Fetched"]
    """
    facts = _checked_facts(name, facts)

    def register(function: Callable) -> Callable:
        parameters = _parameters_of(function)
        view = _view_of(parameters[0].annotation) if parameters else ""
        is_ours = getattr(function, "__module__", "").startswith("ragdash.")
        if not is_ours and view not in {entry.view for entry in METRICS.values()}:
            raise InputError([Problem("python-object/metric-function", {
                "metric": name, "value": represent(function, 60)}, field="function")])
        facts.setdefault("cutoff", "optional" if "k" in (p.name for p in parameters) else "none")
        options = _options_of(name, parameters)
        types = {p.name: p.annotation for p in parameters if p.name in options}
        if "weight" in facts:
            options, types = {**options, "average": "macro"}, {**types, "average": "str"}
            facts["allowed"] = {**facts.get("allowed", {}), "average": ("macro", "micro")}
        module = _defined_in(function)[0].rpartition(".")[2]
        entry = Metric(name, title, FAMILY_OF_MODULE.get(module, module), function, view, options,
                       doc=inspect.getdoc(function) or "", types=types, **facts)
        if not is_ours:
            _check_entry(entry)
        METRICS[name] = entry
        return function

    return register


def _checked_facts(name: str, facts: Mapping) -> dict:
    """The facts, lists as tuples. InputError unless this is a name, and they have what every definition needs and no
    more."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name.casefold() == FILE:
        raise InputError([Problem("python-object/metric-name", {"value": represent(name, 60)}, field="name")])
    if lacking := [fact for fact in ("formula", "source") if fact not in facts]:
        raise InputError([Problem("python-object/metric-lacks", {"metric": name, "names": lacking}, field=lacking[0])])
    known = [entry.name for entry in fields(Metric) if entry.name not in _READ_FROM_FUNCTION]
    if unknown := [fact for fact in facts if fact not in known]:
        raise InputError([Problem("python-object/metric-option", {"name": fact, "metric": name, "names": known},
                                  field=fact) for fact in unknown])
    return {fact: tuple(value) if isinstance(value, list) else value for fact, value in facts.items()}


def _view_of(annotation: object) -> str:
    """The name of the view that an annotation names, as a text or a class; with postponed annotations it has quotes."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return text.strip("'\"").rpartition(".")[2]


def _check_entry(new: Metric) -> None:
    """Raise where a fact is of a wrong type, or a spelling means another metric; a function defined again, as in a
    notebook, replaces its own."""
    check_fields(new)
    name = new.name
    if name.casefold().startswith(RUBRIC):
        raise InputError([Problem("python-object/metric-name", {"value": represent(name, 60)}, field="name")])
    taken = {spelled.casefold(): entry for entry in METRICS.values()
             for spelled in (entry.name, entry.title, *entry.aliases, *entry.presets)}
    again = _defined_in(new.function)
    for spelled in (name, *new.aliases, *new.presets):
        numbered = NUMBER_AT.fullmatch(spelled) or NUMBER_BEHIND.fullmatch(spelled)
        entry = taken.get(spelled.casefold()) or (taken.get(numbered[1].casefold()) if numbered else None)
        if entry is not None and (entry.name != name or again != _defined_in(entry.function)):
            raise InputError([Problem("python-object/metric-taken", {
                "value": spelled, "metric": entry.name}, field="name")])


def _parameters_of(function: object) -> list[inspect.Parameter]:
    """None for what is no function, and for one of Python's own whose parameters are not known."""
    try:
        return list(inspect.signature(function).parameters.values()) if callable(function) else []
    except ValueError:
        return []


def _options_of(name: str, parameters: Sequence[inspect.Parameter]) -> dict[str, object]:
    """The parameters of a metric, which are keyword-only, with their defaults. InputError where one has none."""
    options = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
    if without := [option for option, value in options.items() if value is inspect.Parameter.empty]:
        raise InputError([Problem("python-object/metric-parameter", {"metric": name, "names": without},
                                  field="function")])
    return options


def _defined_in(function: Callable) -> tuple[str, str]:
    """Module and name of a function; of an object that can be called, those of its class."""
    return function.__module__, getattr(function, "__qualname__", type(function).__qualname__)


def cutoff_array(specs: Iterable[Spec]) -> np.ndarray:
    """Return the distinct cutoffs of specs, ascending; ALL for a spec without one."""
    return np.unique(np.array([ALL if spec.k is None else spec.k for spec in specs], np.int64))


def _file_spelling(params: Sequence[tuple[str, object]]) -> str:
    """The canonical spelling of the Spec of a file's metric."""
    values = dict(params)
    column = str(values.pop("column"))
    options = ", ".join(f"{name}={value!r}" for name, value in values.items())
    return f"{FILE}:{column if _PLAIN.fullmatch(column) else repr(column)}" + (f"({options})" if options else "")


@lru_cache(1024)
def _file_metric(params: tuple[tuple[str, object], ...]) -> Metric:
    """The definition of a file's metric, made of the parameters of its Spec."""
    values = {**FILE_DEFAULTS, **dict(params)}
    column, label = str(values["column"]), str(values["label"])
    better = values["better"] or guess_direction(column, label)
    low, high = (-np.inf if values["low"] is None else float(values["low"]),
                 np.inf if values["high"] is None else float(values["high"]))
    title = share_title(column, label) if label else f"{column} (file)"
    others = "; right refusals have a label of their own" if label and label_value(label) == 1 else ""
    meaning = usual_meaning(column)
    doc = (f"Share of the queries that the file labels {label} in {column}{others}. Undefined for a query without a "
           "label.") if label else (
        (f"By its name, {meaning}.\n\n" if meaning else "")
        + f"{column} of each query as it is in the file. ragdash has not computed it. Undefined for a query without a "
        "value.")
    formula = rf"[\text{{{column}}} = \text{{{label}}}]" if label else rf"\text{{{column}}}"
    return Metric(FILE, title, FILE, _supplied_values, "Supplied", FILE_DEFAULTS, formula, "the file", doc, (low, high),
                  None if better == "none" else better, cutoff="none", relevance=False)


def _supplied_values(supplied: Supplied, *, column: str = "", label: str = "", better: str = "",
                     low: float | None = 0.0, high: float | None = 1.0) -> np.ndarray:
    """The values of a column, or 1 and 0 for a label and every other one: (Q,)."""
    return supplied.share(column, label) if label else supplied.values(column)
