"""The outcomes of several candidates on several metrics: as a table, as text, and as assertions for tests."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from itertools import chain

from ragdash.core.errors import InputError, Problem
from ragdash.evaluation.outcomes import Comparison
from ragdash.metrics import Spec, parse_specs

_COLUMNS = {"candidate": "candidate", "baseline": "baseline", "metric": "spec", "n": "n",
            "difference": "mean_difference", "low": "low", "high": "high", "p_corrected": "p_corrected",
            "outcome": "outcome", "wins": "wins", "ties": "ties", "losses": "losses", "detectable": "detectable"}


class ComparisonTable(list[list[Comparison]]):
    """What `compare` returns: a row for each candidate, a column for each metric.

    Attributes
    ----------
    rows
        It is a list of lists of `Comparison`.

    Examples
    --------
    >>> from ragdash import compare
    >>> truth = {f"q{i}": ["a"] for i in range(8)}
    >>> poor, good = ({query: documents for query in truth} for documents in (["b", "a"], ["a", "b"]))
    >>> table = compare(poor, {"good": good}, "RR", truth=truth)
    >>> table.frame()[["candidate", "metric", "difference", "outcome"]].values.tolist()
    [['good', 'RR', 0.5, 'better']]
    >>> table.assert_improved("RR")
    """

    def frame(self):
        """Return the outcomes as a pandas DataFrame, a row per candidate and metric."""
        import pandas as pd

        return pd.DataFrame([{name: str(value) if isinstance(value := getattr(comparison, attribute), Spec) else value
                              for name, attribute in _COLUMNS.items()} for comparison in chain(*self)],
                            columns=list(_COLUMNS))

    def _repr_html_(self) -> str:
        """The frame, for notebooks."""
        return self.frame().to_html(index=False, float_format="{:.4f}".format, border=0)

    def plot(self):
        """Return a plotly figure: each difference with its corrected interval and outcome. ValueError without a row."""
        if not self or not self[0]:
            raise ValueError("nothing was compared")
        pictures = import_module("ragdash.reporting.notebook")  # a floor above, loaded where a picture is wanted
        return pictures.plot_differences(self)

    def summary(self) -> str:
        """Return a line per candidate and metric: difference, interval, corrected p, queries, outcome."""
        return "\n".join(_line(comparison) for comparison in chain(*self))

    def assert_improved(self, metrics: str | Iterable[str | Spec] | None = None, margin: float = 0.0) -> None:
        """Raise AssertionError unless every candidate is significantly better on these metrics.

        metrics: default all that were compared. margin: the whole interval has to be above it, in the direction of the
        metric. Corrected over all pairs of runs on a metric. Undefined outcomes and too few queries fail.
        """
        self._assert(metrics, "is not significantly better", lambda comparison, gain:
                     comparison.outcome == "better" and gain > margin, margin)

    def assert_no_regression(self, metrics: str | Iterable[str | Spec] | None = None, margin: float = 0.0) -> None:
        """Raise AssertionError if a candidate is worse on one of these metrics, or could be by more than the margin.

        margin=0: fails where the difference is significant. margin above 0: fails unless the whole interval is above
        -margin, so that too few queries fail. Undefined outcomes always fail.
        """
        if margin < 0:
            raise InputError([Problem("bound/negative", {"text": f"margin={margin:g}"}, field="margin")])
        self._assert(metrics, "may be worse" if margin else "is worse", lambda comparison, gain:
                     comparison.outcome not in ("undefined", "not-comparable")
                     and (gain > -margin if margin else comparison.outcome != "worse"), margin)

    def _assert(self, metrics: str | Iterable[str | Spec] | None, words: str, holds, margin: float) -> None:
        comparisons = list(chain(*self))
        if metrics is not None:
            wanted = parse_specs(metrics)
            compared = dict.fromkeys(comparison.spec for comparison in comparisons)
            absent = [str(spec) for spec in wanted if spec not in compared]
            if absent:
                raise InputError([Problem("bound/metric", {"spec": name, "metrics": list(map(str, compared))},
                                          field="metrics") for name in absent])
            comparisons = [comparison for comparison in comparisons if comparison.spec in wanted]
        failed = [comparison for comparison in comparisons if not holds(comparison, _worst_gain(comparison))]
        if failed or not comparisons:
            bound = f", margin {margin:g}" if margin else ""
            lines = [f"{_line(comparison)} · {comparison.candidate} {words}{bound}" for comparison in failed]
            raise AssertionError("\n".join(lines) or "nothing was compared")


def _worst_gain(comparison: Comparison) -> float:
    """The end of the interval that is worst for the candidate, in the direction of the metric."""
    return comparison.low if comparison.sign > 0 else -comparison.high


def _line(comparison: Comparison) -> str:
    return (f"{comparison.spec}: {comparison.candidate} - {comparison.baseline} = {comparison.mean_difference:+.4f} "
            f"[{comparison.low:+.4f}, {comparison.high:+.4f}], {comparison.outcome}, p = {comparison.p_corrected:.3g} "
            f"corrected, n = {comparison.n:,}, detectable {comparison.detectable:.3g}")
