"""Which queries are looked at: filters that combine, the rows behind each of their choices, and the order of the rows.

Letters: N runs, Q queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ragdash.metrics import Spec
from ragdash.metrics.bands import EDGE, tables_for

OUTCOMES = ("failed-all", "failed-only", "worse", "better", "equal", "best", "worst", "alone", "undefined")


@dataclass(frozen=True)
class Filters:
    """What is asked of the queries; a query has to pass everything that is set.

    outcome: one of OUTCOMES, "" for any; by: the least difference of "worse" and "better", 0 or more; text, regex,
    where: what is searched, literally or as a regular expression, and in what; attributes: tokens "name=value", of
    which one for each name has to hold; stages, kinds, marks: one of them has to hold; picked: a
    choice of single queries.
    """

    outcome: str = ""
    by: float = 0.0
    text: str = ""
    regex: bool = False
    where: str = "question"
    attributes: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    picked: tuple[str, ...] = ()

    def chosen(self) -> dict[str, tuple[str, ...]]:
        """The choices of every facet that is set: {facet: choices}."""
        by_facet = {"outcome": (self.outcome,) if self.outcome else (), "attributes": self.attributes,
                 "stages": self.stages, "kinds": self.kinds, "marks": self.marks, "picked": self.picked}
        return {facet: choices for facet, choices in by_facet.items() if choices}

    def without(self, facet: str) -> Filters:
        """The same without one facet ("outcome", "text", "attributes" ...)."""
        return replace(self, **{facet: "" if facet in ("outcome", "text") else ()})


@dataclass(frozen=True, eq=False)
class QueryFacts:
    """What the filters look at. choices: {facet: {choice: (Q,) bool}}; text_matches (Q,) bool: the text is there,
    None where nothing is searched."""

    queries: int
    choices: Mapping[str, Mapping[str, np.ndarray]] = field(default_factory=dict)
    text_matches: np.ndarray | None = None


def select(facts: QueryFacts, filters: Filters) -> np.ndarray:
    """The queries that pass: (Q,) bool. KeyError for a choice that the facts do not offer."""
    selected = np.ones(facts.queries, bool)
    if filters.text and facts.text_matches is not None:
        selected &= facts.text_matches
    for facet, choices in filters.chosen().items():
        groups: dict[str, np.ndarray] = {}
        for choice in choices:
            group = choice.partition("=")[0] if facet == "attributes" else ""
            groups[group] = groups.get(group, False) | facts.choices[facet][choice]
        for mask in groups.values():
            selected &= mask
    return selected


def counts(facts: QueryFacts, filters: Filters, facet: str) -> dict[str, int]:
    """How many queries are shown with each choice of a facet taken alone, all other filters staying as they are.

    An attribute is combined with what is chosen of the other attributes. "" is the number without a choice.
    """
    totals = {"": int(select(facts, filters.without(facet)).sum())}
    for choice in facts.choices.get(facet, {}):
        selection: tuple[str, ...] = (choice,)
        if facet == "attributes":
            name = choice.partition("=")[0]
            selection += tuple(attribute for attribute in filters.attributes if attribute.partition("=")[0] != name)
        filtered = replace(filters, **{facet: choice if facet == "outcome" else selection})
        totals[choice] = int(select(facts, filtered).sum())
    return totals


def counts_without(facts: QueryFacts, filters: Filters) -> dict[str, int]:
    """How many queries are shown without each of the facets that are set, most first: {facet: queries}."""
    facets = [*filters.chosen(), *(["text"] if filters.text and facts.text_matches is not None else [])]
    totals = {facet: int(select(facts, filters.without(facet)).sum()) for facet in facets}
    return dict(sorted(totals.items(), key=lambda item: -item[1]))


@dataclass(frozen=True)
class FailureRule:
    """From where on a value counts as failed: below `edge` (or at it, where `closed`); above, if lower is better.

    source: of the bands that the edge is taken from, "" where it is the worst value that the metric can have.
    """

    edge: float
    better: str
    closed: bool = True
    source: str = ""

    def of(self, values: np.ndarray) -> np.ndarray:
        """Which values have failed: bool, any shape; an undefined value has not."""
        sign = -1 if self.better == "lower" else 1
        distance = sign * (np.asarray(values, float) - self.edge)
        return distance <= EDGE if self.closed else distance < -EDGE


def find_failure_rule(spec: Spec) -> FailureRule | None:
    """The rule of failure of a metric: below the lowest band where bands are stated for it, else the worst value.

    None where neither direction is better or the range has no worst end.
    """
    better = spec.metric.better
    tables = tables_for(spec)
    if better is None:
        return None
    if tables and better == "higher" and len(tables[0].bands) > 1:
        return FailureRule(tables[0].bands[1].low, better, False, tables[0].source)
    worst = spec.range[0 if better == "higher" else 1]
    return FailureRule(float(worst), better) if np.isfinite(worst) else None


def outcomes(values: np.ndarray, spec: Spec, run: int, baseline: int, by: float = 0.0,
             alone: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """The queries of each outcome of run `run`: {outcome: (Q,) bool}, of those OUTCOMES that mean something here.

    values (N, Q), NaN undefined. by: the least difference of "worse" and "better". alone (Q,) bool, where given:
    only this run found something relevant. An outcome that is undefined for this metric or these runs is left out.

    - failed-all: every run has failed (`find_failure_rule`).
    - failed-only: this run has failed, and no other run with a value has.
    - worse, better: than the baseline, by at least `by`; equal: to the baseline.
    - best, worst: strictly, among two or more runs with a value.
    - alone: `alone`; undefined: no value in this run or in the baseline.
    """
    values = np.asarray(values, float)
    rule, better = find_failure_rule(spec), spec.metric.better
    other_runs = np.delete(np.arange(len(values)), run)
    masks: dict[str, np.ndarray] = {}
    if rule is not None:
        failed = rule.of(values)
        masks["failed-all"] = failed.all(axis=0)
        if len(other_runs):
            defined = np.isfinite(values[other_runs])
            masks["failed-only"] = failed[run] & ~failed[other_runs].any(axis=0) & defined.any(axis=0)
    if better is not None and len(other_runs):
        signed = values * (-1 if better == "lower" else 1)
        if run != baseline:
            gain = signed[run] - signed[baseline]
            masks |= {"worse": (gain < 0) & (gain <= EDGE - by), "better": (gain > 0) & (gain >= by - EDGE),
                      "equal": gain == 0}
        top = np.where(np.isnan(signed[other_runs]), -np.inf, signed[other_runs]).max(axis=0)
        low = np.where(np.isnan(signed[other_runs]), np.inf, signed[other_runs]).min(axis=0)
        masks |= {"best": np.isfinite(top) & (signed[run] > top), "worst": np.isfinite(low) & (signed[run] < low)}
    if alone is not None and len(other_runs):
        masks["alone"] = alone
    masks["undefined"] = np.isnan(values[[run, baseline]]).any(axis=0)
    return {name: masks[name] for name in OUTCOMES if name in masks}


def spread(values: np.ndarray) -> np.ndarray:
    """Largest minus smallest value of each query over the runs that have one: (Q,), NaN where fewer than two have.

    Examples
    --------
    >>> spread(np.array([[0.2, 0.9], [0.5, np.nan]]))
    array([0.3, nan])
    """
    values = np.asarray(values, float)
    defined = np.isfinite(values)
    high = np.where(defined, values, -np.inf).max(axis=0, initial=-np.inf)
    low = np.where(defined, values, np.inf).min(axis=0, initial=np.inf)
    return np.where(defined.sum(axis=0) > 1, high - low, np.nan) if len(values) else np.zeros(0)


def order(values: np.ndarray, spec: Spec, run: int, baseline: int, order_by: str) -> np.ndarray:
    """All queries in an order, undefined ones last: (Q,) int64.

    worst, best: by the value of run `at`, equal ones by the largest spread first: what another run does well comes
    before what all do badly. spread: largest first. losses, gains: by the difference to the baseline. given: as in the
    truth. Without a better end, "worst" is the lowest. KeyError for another word.
    """
    values = np.asarray(values, float)
    signed = values * (-1 if spec.metric.better == "lower" else 1)
    spreads = spread(values)
    gain = signed[run] - signed[baseline]
    key = {"worst": signed[run], "best": -signed[run], "spread": -spreads, "losses": gain, "gains": -gain,
           "given": np.arange(values.shape[1], dtype=float)}[order_by]
    return np.lexsort((-np.nan_to_num(spreads, nan=-np.inf), np.nan_to_num(key, nan=np.inf)))
