"""How an evaluation shows itself: a table in notebooks, pictures, and a report."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ragdash.core.errors import InputError, Problem
from ragdash.core.records.arguments import checked_methods
from ragdash.metrics import Spec, one_spec

if TYPE_CHECKING:
    from pathlib import Path


@checked_methods
class ShownEvaluation:
    """The methods of `Evaluation` that draw and write; what they need of reporting is loaded when it is used."""

    specs: tuple[Spec, ...]

    def _repr_html_(self) -> str:
        return _notebook().evaluation_html(self)

    def plot(self, *others: ShownEvaluation, metric: Spec | str | None = None, picture: str = "means"):
        """Return a plotly figure of this and other evaluations.

        Parameters
        ----------
        *others
            More evaluations; with them, this one is the baseline.
        metric
            The metric of the picture; default the first.
        picture
            "means", "differences", "precision", "recall", "trade-off", "mrr", "ndcg", "first-rank", "bands", "answers",
            "queries", "scatter", "histogram", "score-cutoffs", "similarity", "failures", "latency",
            "query-map".

        Returns
        -------
        plotly.graph_objects.Figure

        Raises
        ------
        KeyError
            The metric was not evaluated.
        InputError
            No such picture, or these runs lack what it shows.

        Examples
        --------
        >>> from ragdash import evaluate
        >>> evaluation = evaluate({"q1": ["a"], "q2": ["b", "c"]}, {"q1": ["a"], "q2": ["c"]}, "RR")
        >>> evaluation.plot(picture="first-rank").layout.xaxis.title.text
        'Rank of the first relevant document'
        """
        spec = one_spec(metric or self.specs[0])
        return _notebook().plot_evaluations(_evaluations(self, *others), spec, picture)

    def report(self, path: str | Path, *others: ShownEvaluation, title: str = "", full: bool = False,
               texts: bool = True, k: int = 10) -> Path:
        """Write the HTML report of this and other evaluations, as `ragdash report` does.

        Parameters
        ----------
        path
            The file to write; it opens without a server and without a network.
        *others
            More evaluations; with them, this one is the baseline.
        title
            Default: the names of the runs.
        full
            One page, and everything else as its appendix.
        texts
            Whether questions, documents and answers may be in it.
        k
            The cutoff of the curves.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            An evaluation was not made by `evaluate`, so that it does not hold what its run returned.
        """
        return _notebook().write_report(_evaluations(self, *others), path, title=title, full=full, texts=texts, k=k)


def _evaluations(*given: object) -> list:
    """These evaluations; InputError where one is something else."""
    if others := [value for value in given if not isinstance(value, ShownEvaluation)]:
        raise InputError([Problem("python-object/evaluation", {"kind": type(others[0]).__name__}, field="others")])
    return list(given)


def _notebook():
    """A floor above, loaded where something is shown."""
    return import_module("ragdash.reporting.notebook")
