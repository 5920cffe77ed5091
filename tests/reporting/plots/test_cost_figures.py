"""Figures of the speed and cost section: every query in the line, every known run at its place, the front joined."""

from __future__ import annotations

import numpy as np
import pytest

from ragdash.reporting.plots import latency_cost
from ragdash.reporting.plots.common.point_labels import label_points
from ragdash.reporting.plots.common.theme import DARK, LIGHT, Axis, figure, looks

NDCG = Axis("NDCG@10", 0.0, 1.0)
HOSTILE = "<b>x</b> & %{x}"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("many", [1, 3, 10])
def test_the_line_of_a_run_rises_from_its_fastest_to_its_slowest_query(many, theme):
    values = [np.array([30.0, 10.0, np.nan, 20.0, 40.0])] * many
    fig = latency_cost.ecdf([f"run {at}" for at in range(many)], range(many), values, title="Latency", theme=theme)
    assert len(fig.data) == many
    for line in fig.data:
        assert list(line.x) == [10, 20, 30, 40] and list(line.y) == [0.25, 0.5, 0.75, 1.0]
    assert {note.text for note in fig.layout.annotations} == {"P50", "P90", "P99"}


def test_a_long_line_is_thinned_and_keeps_its_ends():
    row = np.random.default_rng(0).lognormal(size=50_000)
    (line,) = latency_cost.ecdf(["a"], [0], [row], title="Latency").data
    assert len(line.x) <= latency_cost.POINTS and (line.x[0], line.x[-1], line.y[-1]) == (row.min(), row.max(), 1.0)


@pytest.mark.parametrize(("values", "log"), [([1.0, 30.0], True), ([1.0, 10.0], False), ([0.0, 30.0], False),
                                             ([np.nan, np.nan], False)])
def test_an_axis_is_logarithmic_where_values_are_far_apart(values, log):
    assert latency_cost.is_wide(np.array(values)) == log
    fig = latency_cost.ecdf(["a", "b"], [0, 1], [np.array([one]) for one in values], title="Latency")
    assert (fig.layout.xaxis.type == "log") == log


def three(*means: float) -> np.ndarray:
    """Means with intervals of one tenth."""
    means = np.array(means)
    return np.array([means, 0.9 * means, 1.1 * means])


def test_the_front_is_joined_from_the_cheapest_on_and_others_are_hollow():
    fig = latency_cost.pareto(["dear", "cheap", "beaten", HOSTILE], range(4), three(5.0, 1.0, 4.0, np.nan),
                       three(0.9, 0.5, 0.4, 0.7), np.array([True, True, False, False]), axis=NDCG, title="Latency (ms)",
                       unit="ms", n=[9] * 4)
    line, *runs = fig.data
    assert list(line.x) == [1.0, 5.0] and list(line.y) == [0.5, 0.9]
    assert [run.name for run in runs] == ["dear", "cheap", "beaten"], "an unknown cost has no mark"
    assert [run.marker.symbol.endswith("-open") for run in runs] == [False, False, True]
    assert [run.marker.size for run in runs] == [13, 13, 12]
    assert runs[0].error_x.array[0] == pytest.approx(0.5) and runs[0].error_y.arrayminus[0] == pytest.approx(0.09)
    assert "n = 9 queries" in runs[0].hovertext[0] and "on the front" in runs[0].hovertext[0]


def test_of_many_runs_those_with_a_color_and_those_on_the_front_have_labels():
    means = three(*(1.0 + at for at in range(12)))
    names = [f"run {at}" for at in range(12)]
    fig = latency_cost.pareto(names, range(12), means, means, np.arange(12) == 10, axis=NDCG, title="x", unit="ms",
                              n=[9] * 12)
    labels = [named(note.text) for note in fig.layout.annotations]
    assert sorted(labels) == sorted([*names[:6], "run 10"]) and len(fig.data) == 13


def named(text: str) -> str:
    """The name in a label of a mark, behind the sign of the mark."""
    return text.rpartition("</span> ")[2]


def test_a_name_next_to_a_mark_has_the_sign_and_the_color_of_the_mark():
    """Where marks are close, the place of a name does not say whose it is."""
    fig = latency_cost.pareto(["a", "b"], range(2), three(1.0, 2.0), three(0.5, 0.6), [True, False], axis=NDCG,
                              title="x", unit="ms", n=[9] * 2)
    run_looks = looks(["a", "b"], range(2), LIGHT)
    assert {note.text for note in fig.layout.annotations} == {
        f'<span style="color:{look.color}">{look.sign}</span> {look.name}' for look in run_looks}


def test_no_name_lies_on_the_interval_of_another_run():
    """Two slow runs next to each other: the name of the left one is left of it, not on the bar of the right one."""
    cost, quality = three(0.3, 23.0, 29.0), np.array([[0.72, 0.71, 0.70], [0.64, 0.64, 0.62], [0.80, 0.78, 0.77]])
    fig = latency_cost.pareto(["sparse", "dense", "hybrid"], range(3), cost, quality, [True, False, False], axis=NDCG,
                              title="x", unit="ms", n=[9] * 3)
    assert {named(note.text): note.xanchor for note in fig.layout.annotations} == {
        "sparse": "left", "dense": "right", "hybrid": "left"}


def test_a_name_that_fits_by_the_widths_of_its_letters_is_next_to_its_mark():
    """The slowest run is 63 pixels from the right edge of a phone; "hybrid-1" takes 62 with its sign and the gap."""
    cost, quality = three(0.297, 22.956, 29.236), np.array([[0.718, 0.711, 0.695], [0.639, 0.642, 0.617],
                                                            [0.795, 0.778, 0.770]])
    fig = latency_cost.pareto(["sparse", "dense", "hybrid-1"], range(3), cost, quality, [True, False, False], axis=NDCG,
                              title="x", unit="ms", n=[9] * 3)
    assert {named(note.text): (note.y, note.xanchor) for note in fig.layout.annotations} == {
        "sparse": (0.718, "left"), "dense": (0.711, "right"), "hybrid-1": (0.695, "left")}


def test_no_name_covers_a_mark_and_where_marks_are_close_it_is_at_the_end_of_its_bar():
    """In pixels of a phone, a, b and c are 27 apart: beside a are the marks and bars of b and c, above its bar is room.
    """
    points = np.array([[0.1, 0.5], [0.2, 0.5], [0.3, 0.5]])
    ends = np.array([[0.4, 0.9], [0.4, 0.6], [0.4, 0.6]])
    bars = np.column_stack([points[:, 0], points[:, 0], ends])
    fig = figure()
    assert label_points(fig, points[:1], ["wide-name"], [0, 1], [0, 1], LIGHT, bars, points, ends[:1]) == [0]
    note, = fig.layout.annotations
    assert (note.y, note.xanchor, note.yanchor, note.xshift) == (0.9, "left", "bottom", 0)
    all_over = np.column_stack([np.repeat(np.linspace(0, 1, 40), 40), np.tile(np.linspace(0, 1, 40), 40)])
    assert label_points(figure(), points[:1], ["wide-name"], [0, 1], [0, 1], LIGHT, bars, all_over, ends[:1]) == []


def test_a_name_without_a_clear_place_is_where_the_fewest_bars_cross_it():
    """To the right of the mark are two upright bars, to the left of it is one."""
    point = np.array([[0.5, 0.5]])
    bars = np.array([[x, x, 0.0, 1.0] for x in (0.4, 0.6, 0.65)])
    fig = figure()
    assert label_points(fig, point, ["wide-name"], [0, 1], [0, 1], LIGHT, bars, point) == [0]
    assert fig.layout.annotations[0].xanchor == "right"


def test_names_lie_neither_on_each_other_nor_beyond_the_edge_of_a_phone():
    close = np.array([[0.0, 0.5], [0.0, 0.51], [1.0, 0.5], [1.0, 0.5], [0.5, 0.8]])
    fig = figure()
    names = ["left-chunk-256-a", "left-chunk-512-a", "right-chunk-256", "right-chunk-512", "middle"]
    labeled = label_points(fig, close, names, [-0.1, 1.1], [0, 1], LIGHT)
    notes = fig.layout.annotations
    assert labeled == [0, 1, 2, 3, 4]
    assert [(note.xanchor, note.yanchor) for note in notes] == [
        ("left", "bottom"), ("left", "top"), ("right", "bottom"), ("right", "top"), ("left", "bottom")]
    assert label_points(figure(), close[[2] * 9], [*"abcdefghi"], [-0.1, 1.1], [0, 1], LIGHT) == [0, 1, 2, 3]


def test_dollars_stand_before_numbers_and_hostile_names_are_written_out():
    fig = latency_cost.pareto(
        [HOSTILE], [0], three(0.002), three(0.5), np.array([True]), axis=NDCG, title="Cost per query", unit="$", n=[3]
    )
    assert fig.layout.xaxis.tickprefix == "$" and "$0.002" in fig.data[1].hovertext[0]
    assert "<b>x" not in fig.data[1].hovertext[0] and "<b>x" not in fig.layout.annotations[0].text


def test_a_mean_without_an_interval_has_no_bar():
    lone = np.array([[1.0], [np.nan], [np.nan]])
    fig = latency_cost.pareto(["a"], [0], lone, lone, np.array([True]), axis=NDCG, title="x", unit="ms", n=[1])
    assert not fig.data[1].error_x.visible and "–" in fig.data[1].hovertext[0]
