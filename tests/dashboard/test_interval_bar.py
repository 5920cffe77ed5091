"""The bar of a mean with its interval on the cards of the Overview."""

from __future__ import annotations

import re

import numpy as np
import pytest
from page_cases import opened
from test_pages import with_runs

from ragdash import parse_specs
from ragdash.dashboard.widgets.interval_bar import interval_bar_html, shared_scale
from ragdash.evaluation.evaluate import Summary
from ragdash.reporting.plots.common.theme import LIGHT, run_look

RR = parse_specs("RR")[0]


def summary(mean: float, low: float, high: float) -> Summary:
    return Summary(RR, mean, low, high, 9, 0)


def places(bar: str) -> list[float]:
    """The numbers after `left:`, in percent, from left to right in the text."""
    return [float(place) for place in re.findall(r"left:([\d.]+)%", bar)]


def test_ends_of_the_scale_are_ends_of_the_bar_but_for_the_margin():
    bar = interval_bar_html(summary(0.5, 0.4, 0.8), (0.4, 0.8), run_look(0), LIGHT, reference=0.7)
    line, left, center = places(bar)
    assert (left, center, line) == pytest.approx((6, 28, 72)), "a quarter and three quarters of the inner 88 percent"
    assert "width:88.00%" in bar and run_look(0).color in bar and run_look(0).sign in bar
    assert 'aria-label="0.500, 95% interval from 0.400 to 0.800"' in bar


def test_nothing_is_drawn_for_an_undefined_mean_and_no_line_without_a_reference():
    assert interval_bar_html(summary(np.nan, np.nan, np.nan), (0, 1), run_look(0), LIGHT) == ""
    assert "dashed" not in interval_bar_html(summary(0.5, 0.4, 0.6), (0, 1), run_look(0), LIGHT)


def test_a_scale_needs_two_intervals_that_are_not_one_point():
    first, point, undefined = summary(0.5, 0.4, 0.6), summary(0.5, 0.5, 0.5), summary(np.nan, np.nan, np.nan)
    assert shared_scale([first]) is None and shared_scale([first, undefined]) is None
    assert shared_scale([point, point]) is None
    assert shared_scale([first, undefined, summary(0.9, 0.85, 0.95)]) == (0.4, 0.95)


def bars(at) -> int:
    return sum("95% interval from" in one.proto.body for one in at.main.get("html"))


def test_each_card_has_a_bar_where_there_is_something_to_compare():
    at = opened("overview", **with_runs(2))
    assert bars(at) == 2 and any("dashed line: the baseline's mean" in one.value for one in at.caption)
    at = opened("overview", **with_runs(1))
    assert bars(at) == 0 and not any("dashed line" in one.value for one in at.caption)
