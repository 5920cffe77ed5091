"""One run, one metric, two numbers: ours and another tool's, and the gap between them cause by cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragdash.analysis.comparability.other_tools.formulas import values_under
from ragdash.analysis.comparability.other_tools.ranks import Ranks, ranks_under
from ragdash.analysis.comparability.other_tools.rules import STEPS, TOOLS, Rules, Tool
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.matching.match import Match
from ragdash.metrics import Spec

METRICS = ("P", "R", "RR", "AP", "nDCG", "Success")
_DENOMINATORS = {"retrieved": "found"}
_IRRELEVANT = {"P": ("gain", "ideal", "per_document", "every"),
               "R": ("gain", "ideal", "per_document", "denominator", "every"),
               "RR": ("gain", "ideal", "denominator"), "AP": ("gain", "ideal", "every"),
               "nDCG": ("per_document", "denominator", "every"),
               "Success": ("gain", "ideal", "per_document", "denominator", "every")}


@dataclass(frozen=True)
class Cause:
    """What one choice of the tool does: choice is a field of Rules, here and there its values.

    change: of the mean, from here to there; n: queries in the mean after it.
    """

    choice: str
    here: object
    there: object
    change: float
    n: int


@dataclass(frozen=True)
class ToolGap:
    """The mean here and in another tool over n queries each; the changes of `causes` add up to there - here."""

    tool: Tool
    run: str
    spec: Spec
    metric_name: str
    here: float
    n_here: int
    there: float
    n_there: int
    causes: tuple[Cause, ...]

    @property
    def gap(self) -> float:
        """There - here."""
        return self.there - self.here


@checked
def show_as(run: Run | Match, truth: Truth, tool: str, specs: Sequence[Spec],
            conventions: Conventions | None = None) -> list[ToolGap]:
    """The means of a run here and as another tool computes them, for the metrics that the tool has.

    Parameters
    ----------
    run, truth
        The rankings and the judgments; relevance is by id.
    tool
        A name of `TOOLS`: trec_eval, ir_measures, ranx, beir, mteb, ragas, llamaindex, langchain, phoenix, trulens,
        autorag, qdrant, rag-guide, zoomcamp.
    specs
        Of P, R, RR, AP, nDCG and Success; others are left out.

    Notes
    -----
    The rules of the tool take the place of ours one at a time, in the order of `STEPS`. The change of each is its
    cause: a cause depends on those before it, and they add up to the gap.

    Raises
    ------
    InputError
        There is no such tool.

    Examples
    --------
    >>> from ragdash import parse_specs
    >>> run = Run.build("bm25", ["q", "q"], ["d1", "d2"])
    >>> truth = Truth.build("qrels", ["q", "q"], ["d1", "d3"], [1, 1])
    >>> gap = show_as(run, truth, "phoenix", parse_specs("nDCG@10"))[0]
    >>> round(gap.here, 3), gap.there, [cause.choice for cause in gap.causes]
    (0.613, 1.0, ['ideal'])
    """
    if tool not in TOOLS:
        raise InputError([Problem("unknown-tool", {"name": tool, "names": list(TOOLS)}, field="--show-as")])
    preset = TOOLS[tool]
    match = run if isinstance(run, Match) else Match(run, truth, conventions)
    seen: dict[tuple, Ranks] = {}
    return [_gap(match, preset, spec, seen) for spec in specs if spec.name in preset.metrics]


def rules_here(spec: Spec, conventions: Conventions) -> Rules:
    """Our rules for a metric under these conventions."""
    params = {**spec.metric.params, **dict(spec.params)}
    denominator = params.get("denominator", "relevant" if spec.name == "AP" else "k")
    return Rules(ties=conventions.ties, rel=params.get("rel", 1), gain=params.get("gain", "linear"),
                 denominator=_DENOMINATORS.get(denominator, denominator),
                 queries="judged" if conventions.missing == "zero" else "run", unanswerable=conventions.unanswerable)


def rules_there(spec: Spec, tool: Tool) -> Rules:
    """The tool's rules for a metric."""
    rules = tool.metrics[spec.name]
    if tool.name == "ir_measures" and spec.name == "RR" and spec.k is None:
        rules = replace(rules, ties="trec_eval")
    return replace(rules, denominator="relevant") if spec.name == "AP" and rules.denominator == "k" else rules


def _gap(match: Match, tool: Tool, spec: Spec, seen: dict[tuple, Ranks]) -> ToolGap:
    here, there = rules_here(spec, match.conventions), rules_there(spec, tool)
    rules, causes = here, []
    mean, n = start = _mean(match, spec, here, seen)
    for choice in STEPS:
        ours, theirs = getattr(rules, choice), getattr(there, choice)
        if ours == theirs or choice in _IRRELEVANT[spec.name] or (choice == "depth" and spec.k is not None):
            continue
        rules = replace(rules, **{choice: theirs})
        after, count = _mean(match, spec, rules, seen)
        if count != n or not (abs(after - mean) < 1e-12 or (np.isnan(after) and np.isnan(mean))):
            causes.append(Cause(choice, ours, theirs, after - mean, count))
        mean, n = after, count
    return ToolGap(tool, match.run.name, spec, tool.metric_name(spec.name, spec.k), *start, mean, n,
                   tuple(causes))


def _mean(match: Match, spec: Spec, rules: Rules, seen: dict[tuple, Ranks]) -> tuple[float, int]:
    """(mean, queries in it)."""
    key = (rules.duplicates, rules.ties, rules.same_id)
    if key not in seen:
        seen[key] = ranks_under(match, rules)
    ranks = seen[key]
    values = values_under(spec.name, spec.k, ranks, rules)
    counted = {"judged": np.ones(len(values), bool), "run": ~ranks.missing, "returned": ranks.returned > 0}[
        rules.queries]
    if rules.unanswerable == "skip":
        relevant = ranks.judged_query[ranks.judged_grade >= rules.rel]
        counted = counted & (np.bincount(relevant, minlength=len(values)) > 0)
    elif rules.unanswerable == "judged":
        counted = counted & (np.bincount(ranks.judged_query, minlength=len(values)) > 0)
    mean = float(np.mean(values[counted])) if counted.any() else np.nan
    return (mean if rules.decimals is None else round(mean, rules.decimals)), int(counted.sum())
