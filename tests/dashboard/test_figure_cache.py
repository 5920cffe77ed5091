"""Pictures are built once for the same facts, and anew for any other."""

import json
import pickle
from copy import deepcopy

import numpy as np
import pytest
from page_cases import address, charts, opened

from ragdash.core.records import Run, Truth
from ragdash.dashboard.caches import figure_cache
from ragdash.reporting.plots import precision_recall, ranking
from ragdash.reporting.plots.common.theme import DARK, LIGHT

LEVELS = np.array([0.0, 0.5, 1.0])


def draw(names=("dense",), values=((1.0, 0.5, 0.25),), theme=LIGHT):
    return figure_cache.draw(precision_recall.interpolated, list(names), [0], LEVELS, np.array(values), theme=theme)


def test_the_same_facts_give_the_same_figure_as_the_function_itself():
    first = draw()
    assert draw() is first
    assert first.to_json() == precision_recall.interpolated(["dense"], [0], LEVELS, np.array([[1.0, 0.5, 0.25]]),
                                                            theme=LIGHT).to_json()


def test_a_shared_figure_is_converted_for_the_page_once_and_its_copies_by_themselves():
    shared = draw(names=("converted",))
    before = json.loads(shared.to_json())
    shared.to_dict()["layout"] = {}
    assert shared.to_dict()["data"] is shared.to_dict()["data"]
    assert json.loads(shared.to_json()) == before
    for copy in (type(shared)(shared), pickle.loads(pickle.dumps(shared)), deepcopy(shared)):
        assert json.loads(copy.to_json()) == before
        copy.update_layout(title="another")
        assert '"another"' in copy.to_json() and json.loads(shared.to_json()) == before


@pytest.mark.parametrize("change", [{"names": ("sparse",)}, {"values": ((1.0, 0.5, 0.26),)}, {"theme": DARK}],
                         ids=["name", "value", "theme"])
def test_any_other_fact_gives_another_figure(change):
    first, other = draw(), draw(**change)
    assert other is not first and other.to_json() != first.to_json()


def test_two_functions_do_not_share_a_figure():
    shares = np.array([[0.5, 0.5]])
    first = figure_cache.draw(ranking.first_rank, ["a"], [0], ["1", "none"], shares, theme=LIGHT)
    second = figure_cache.draw(ranking.first_rank, ["a"], [0], ["1", "none"], shares, theme=LIGHT)
    other = figure_cache.draw(precision_recall.interpolated, ["a"], [0], ["1", "none"], shares, theme=LIGHT)
    assert first is second and other is not first


def test_a_page_sends_figures_that_the_browser_draws_once():
    truth = Truth.build("truth", ["q1", "q2"], ["a", "a"], [1, 1])
    at = opened("ranking", **address(truth, [Run.build("run", ["q1", "q2"], ["a", "b"], [1.0, 1.0])]))
    assert charts(at)
    for chart in at.get("plotly_chart"):
        spec = json.loads(chart.proto.spec)
        assert not chart.proto.theme and "template" not in spec["layout"] and "bdata" not in chart.proto.spec
