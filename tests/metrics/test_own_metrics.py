"""Metrics of one's own: what their names, functions and values may be."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from helpers import message_of

from ragdash import METRICS, InputError, evaluate, metric
from ragdash.matching.views.ranked import Ranked
from ragdash.metrics.spelling import parse_specs

RUN, TRUTH = {"q1": ["b", "a"], "q2": ["c"]}, {"q1": ["a"], "q2": ["a"]}


@pytest.fixture(autouse=True)
def _as_before():
    before = dict(METRICS)
    yield
    METRICS.clear()
    METRICS.update(before)


def own(returned: object, name: object = "Mine", **facts):
    def values(view: Ranked, k):
        """Doc."""
        return returned(view, k) if callable(returned) else returned

    return metric(name, "Mine", formula="n", source="e", **facts)(values)


@pytest.mark.parametrize("name", [5, None, "", "a b", "a,b", "a@5", "(x)", "a\nb", "5", "_a", "file"])
def test_a_name_that_cannot_be_written_is_refused(name):
    assert message_of(lambda: own(1.0, name)) == "python-object/metric-name"


@pytest.mark.parametrize("name", ["Rubric.polite", "rubric.x"])
def test_a_name_of_a_rubric_is_refused(name):
    assert message_of(lambda: own(1.0, name)) == "python-object/metric-name"


def test_a_metric_has_a_formula_and_a_source_and_no_other_options():
    with pytest.raises(InputError, match="the metric Mine without formula and source"):
        metric("Mine", "Mine")
    with pytest.raises(InputError, match="found scale of the metric Mine; expected one of formula, source, range"):
        metric("Mine", "Mine", formula="n", source="e", scale=5)


@pytest.mark.parametrize("name", ["nDCG", "rr", "MRR", "Recall", "ndcg_cut", "P_10", "ndcg_cut_5", "recall_at_k"])
def test_a_name_of_another_metric_is_refused(name):
    before = dict(METRICS)
    assert message_of(lambda: own(1.0, name)) == "python-object/metric-taken"
    assert message_of(lambda: own(1.0, aliases=("free", name))) == "python-object/metric-taken"
    assert before == METRICS


@pytest.mark.parametrize("name", ["Mine", "my-metric", "a.b", "Größe_2"])
def test_other_names_are_read(name):
    own(lambda view, k: view.returned_at(k), name)
    assert [summary.mean for summary in evaluate(RUN, TRUTH, f"{name}@1 {name}@2").summary()] == [1.0, 1.5]


def test_a_function_that_is_defined_again_replaces_its_own():
    own(lambda view, k: view.returned_at(k))
    parse_specs("Mine@1")
    own(lambda view, k: view.returned_at(k) * 0.0, cutoff="required")
    assert evaluate(RUN, TRUTH, "Mine@2").summary()[0].mean == 0.0
    assert message_of(lambda: parse_specs("Mine")) == "metric-cutoff/missing"


@pytest.mark.parametrize("returned", [
    None, "x", 1.0, [1.0, 2.0], True, np.float64(1), np.ones(3), np.ones((2, 3)), np.array(["a", "b"]), 1j, ()])
def test_a_function_that_returns_no_values_is_named(returned):
    own(returned)
    with pytest.raises(InputError, match="the function of the metric Mine returns") as raised:
        evaluate(RUN, TRUTH, "Mine@1")
    assert "2 queries in rows, 1 cutoff in columns" in str(raised.value)


@pytest.mark.parametrize("value", [5.0, -5.0])
def test_values_outside_the_range_have_a_report(tmp_path, value):
    own(value * np.ones(2))
    page = evaluate(RUN, TRUTH, "Mine@1").report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{value:.3f}" in page or f"{value:.3f}".replace("-", "\N{MINUS SIGN}") in page


def test_one_column_for_two_cutoffs_is_refused():
    own(lambda view, k: view.returned * 1.0)
    assert evaluate(RUN, TRUTH, "Mine@1").summary()[0].mean == 1.5
    assert message_of(lambda: evaluate(RUN, TRUTH, "Mine@1 Mine@2")) == "python-object/metric-values"


@pytest.mark.parametrize("function", [5, lambda: 1, lambda view, k: 1, sorted, max])
def test_a_function_without_a_view_is_refused(function):
    register = metric("Mine", "Mine", formula="n", source="e")
    assert message_of(register, function) == "python-object/metric-function"


class Returned:
    """Documents within the cutoff."""

    def __call__(self, view: Ranked, k, *, factor: float = 1.0):
        return view.returned_at(k) * factor


@pytest.mark.parametrize("function", [Returned(), partial(Returned(), factor=2.0)])
def test_an_object_that_can_be_called_is_a_metric(function):
    for _ in range(2):  # it replaces its own
        metric("Mine", "Mine", formula="n", source="e")(function)
    assert METRICS["Mine"].params == {"factor": 2.0 if isinstance(function, partial) else 1.0}
    assert evaluate(RUN, TRUTH, "Mine@1").summary()[0].mean == METRICS["Mine"].params["factor"]


def test_a_parameter_without_a_default_is_refused():
    def values(view: Ranked, k, *, p):
        return view.returned_at(k) * p

    register = metric("Mine", "Mine", formula="n", source="e")
    assert message_of(register, values) == "python-object/metric-parameter"
    assert "Mine" not in METRICS


@pytest.mark.parametrize("annotation", ["Ranked", "'Ranked'", "ranked.Ranked", Ranked])
def test_a_view_is_named_by_a_text_or_a_class(annotation):
    def values(view, k):
        return view.returned_at(k)

    values.__annotations__["view"] = annotation
    metric("Mine", "Mine", formula="n", source="e")(values)
    assert METRICS["Mine"].view == "Ranked"
