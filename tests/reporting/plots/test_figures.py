"""Figures show the numbers they are given: counts of marks, axis ranges, undefined values, many runs."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from ragdash.reporting.plots import leaderboard, precision_recall, ranking
from ragdash.reporting.plots.common.arrays import (
    RECALL_LEVELS,
    cutoffs_until,
    first_ranks,
    interpolated_precision,
    rank_bins,
    rank_shares,
)
from ragdash.reporting.plots.common.captioned import LEGEND_LINE, captioned
from ragdash.reporting.plots.common.theme import DARK, LIGHT, Axis

UNIT = Axis("NDCG@10", 0.0, 1.0)
KS = np.arange(1, 21)


def runs(many: int) -> tuple[list[str], list[int]]:
    return [f"run {at}" for at in range(many)], list(range(many))


def lines(fig: go.Figure) -> list:
    return [trace for trace in fig.data if trace.name not in ("band", "chosen k")]


def test_a_picture_for_a_file_says_what_it_shows_and_which_run_is_which():
    curve = np.linspace(0.1, 0.9, 20)
    fig = precision_recall.by_cutoff(["a<b", "c"], [0, 1], KS, np.array([curve, curve]), KS, *np.zeros((2, 2, 20)),
                                     axis=UNIT)
    copy = captioned(fig, "A <title>", "Mean over 110 queries. " * 12, DARK)
    assert copy.layout.title.text.startswith("<b>A &lt;title&gt;</b><br>")
    assert copy.layout.title.text.count("Mean over 110 queries.") >= 10 and copy.layout.title.text.count("<br>") >= 2
    assert [trace.name for trace in copy.data if trace.showlegend] == ["a&lt;b", "c"] and copy.layout.showlegend
    assert copy.layout.paper_bgcolor == DARK.paper and copy.layout.width == 960
    assert copy.layout.height - fig.layout.height == copy.layout.margin.t - fig.layout.margin.t > 60
    assert fig.layout.title.text is None and not fig.layout.showlegend, "the picture of the page stays as it is"


def test_the_title_of_a_picture_for_a_file_has_air_above_it_and_a_caption_that_is_not_bold():
    fig = precision_recall.by_cutoff(["a"], [0], KS, np.full((1, 20), 0.5), KS, *np.zeros((2, 1, 20)), axis=UNIT)
    for caption, foot in (("", 0), ("Mean over 110 queries.", 1)):  # the foot of the first of several lines is at y
        copy = captioned(fig, "Title", caption, DARK)
        above = (1 - copy.layout.title.y) * copy.layout.height - foot * 0.72 * copy.layout.title.font.size
        assert 12 <= above <= 16
    assert "font-weight:400" in copy.layout.title.text.partition("<br>")[2]


def test_a_picture_for_a_file_has_room_for_every_row_of_its_legend():
    heights = []
    for names in (["a"], ["a" * 30, "b"], [f"{number:030}" for number in range(12)]):
        many = len(names)
        fig = precision_recall.by_cutoff(names, list(range(many)), KS, np.full((many, 20), 0.5), KS,
                                         *np.zeros((2, many, 20)), axis=UNIT)
        heights.append(captioned(fig, "Title", "Caption.", DARK).layout.height - fig.layout.height)
    assert heights[0] == heights[1], "two names of 30 characters are next to each other"
    assert heights[2] - heights[0] == 2 * LEGEND_LINE, "twelve are in three rows"


def test_the_legend_of_many_runs_names_the_colored_ones_and_counts_the_gray_ones():
    for many, listed, title in ((12, 12, None), (30, 6, "Gray: 24 other runs, named on hover")):
        names, curves = [f"run {number}" for number in range(many)], np.full((many, 20), 0.5)
        for fig in (precision_recall.by_cutoff(names, list(range(many)), KS, curves, KS, *np.zeros((2, many, 20)),
                                               axis=UNIT),
                    precision_recall.trade_off(names, list(range(many)), KS, curves, curves, cutoff=10)):
            shown = {trace.name for trace in fig.data if trace.showlegend is not False and trace.name in names}
            assert shown == set(names[:listed]) and fig.layout.legend.title.text == title
            assert all(any(name in (trace.hovertemplate or "") for trace in fig.data) for name in names)


@pytest.mark.parametrize("many", [1, 3, 10])
def test_means_draw_one_dot_a_run_best_on_top(many):
    mean = np.linspace(0.2, 0.8, many)
    fig = leaderboard.means(*runs(many), mean, mean - 0.05, mean + 0.05, np.full(many, 100), axis=UNIT, baseline=0)
    assert len(fig.data) == many
    assert [float(trace.x[0]) for trace in fig.data] == sorted(mean, reverse=True)
    assert "higher is better" in fig.layout.xaxis.title.text
    assert float(fig.data[0].error_x.array[0]) == pytest.approx(0.05)


def test_an_undefined_mean_says_so_and_a_lower_is_better_metric_turns_the_order():
    fig = leaderboard.means(
        *runs(3),
        np.array([2.0, np.nan, 1.0]),
        np.array([1.5, np.nan, 0.9]),
        np.array([2.5, np.nan, 1.1]),
        np.array([9, 0, 9]),
        axis=Axis("Mean rank", 1, None, better="lower"),
    )
    assert list(fig.layout.yaxis.ticktext) == ["run 2", "run 0", "run 1"]
    assert "undefined" in {note.text for note in fig.layout.annotations}


@pytest.mark.parametrize("many", [1, 3, 10])
@pytest.mark.parametrize("log", [True, False])
def test_curves_have_a_line_and_a_band_for_each_run(many, log):
    values = np.linspace(0.1, 0.9, many)[:, None] * np.ones(20)
    at = KS[::4]
    fig = precision_recall.by_cutoff(
        *runs(many),
        KS,
        values,
        at,
        values[:, ::4] - 0.1,
        values[:, ::4] + 0.1,
        axis=UNIT,
        cutoff=10,
        log=log,
        theme=DARK,
    )
    assert len(lines(fig)) == many and sum(trace.name == "band" for trace in fig.data) == many
    assert all(len(trace.x) == 20 for trace in lines(fig))
    assert fig.layout.xaxis.type == ("log" if log else None)
    assert fig.layout.yaxis.range[0] < 0 and fig.layout.yaxis.range[1] > 1
    assert fig.layout.showlegend == (many > 6)


def test_a_run_of_depth_one_and_one_without_any_value_are_drawn():
    one = np.array([1])
    precision_recall.by_cutoff(*runs(1), one, np.array([[0.5]]), one, np.array([[0.4]]), np.array([[0.6]]), axis=UNIT)
    nothing = np.full((1, 20), np.nan)
    fig = precision_recall.by_cutoff(*runs(1), KS, nothing, KS, nothing, nothing, axis=UNIT, cutoff=5)
    assert not [trace for trace in fig.data if trace.name == "band"]


def test_the_trade_off_marks_round_cutoffs_and_the_chosen_one():
    values = np.linspace(0.9, 0.1, 20)[None]
    fig = precision_recall.trade_off(*runs(1), KS, values, 1 - values, cutoff=7)
    assert list(fig.data[1].customdata) == [1, 3, 5, 7, 10, 20]
    assert max(fig.data[1].marker.size) == fig.data[1].marker.size[3]
    assert len(precision_recall.interpolated(*runs(1), RECALL_LEVELS, np.ones((1, 11))).data) == 1


@pytest.mark.parametrize("deepest, ticks", [(20, [1, 2, 5, 10, 20]), (1000, [1, 10, 100, 1000])])
def test_the_ticks_of_many_cutoffs_have_room_on_a_telephone(deepest, ticks):
    ks = np.arange(1, deepest + 1)
    values = np.ones((1, deepest))
    fig = precision_recall.by_cutoff(*runs(1), ks, values, ks, values, values, axis=UNIT)
    assert list(fig.layout.xaxis.tickvals) == ticks


@pytest.mark.parametrize("many", [1, 4, 10])
def test_first_ranks_are_bars_for_few_runs_and_a_map_for_many(many):
    fig = ranking.first_rank(*runs(many), ["1", "2", "none"], np.full((many, 3), 1 / 3))
    assert [trace.type for trace in fig.data] == (["bar"] * many if many <= 4 else ["heatmap"])
    assert bool(fig.layout.showlegend) == (many == 4), "one run needs no legend, and a map has none"


@pytest.mark.parametrize("many", [9, 30])
def test_gray_runs_are_drawn_below_the_colored_ones_whatever_their_order(many):
    mean = np.linspace(0.9, 0.1, many)[:, None] * np.ones(len(KS))
    figures = [
        ranking.at_cutoffs(*runs(many), KS, mean, mean - 0.1, mean + 0.1, axis=UNIT),
        precision_recall.trade_off(*runs(many), KS, mean, 1 - mean, cutoff=7)]
    for fig in figures:
        is_gray = [LIGHT.gray in (trace.line.color, trace.marker.color) for trace in fig.data]
        assert sum(is_gray) >= many - 6 and [trace.zorder == -1 for trace in fig.data] == is_gray


@pytest.mark.parametrize("many", [1, 10])
def test_labels_of_ranks_turn_where_they_would_touch_and_none_is_left_out(many):
    axis = ranking.first_rank(*runs(many), ["1", "2–5", "6–10", "none"], np.full((many, 4), 1 / 4)).layout.xaxis
    assert axis.autotickangles == (0, 90) and axis.tickangle is None, "as wide as the screen: only plotly knows"
    assert (axis.type, axis.tickmode, axis.dtick) == ("category", "linear", 1), "a label below each bar"


@pytest.mark.parametrize("many", [1, 3, 10])
def test_intervals_stand_beside_each_other_at_each_cutoff(many):
    mean = np.full((many, 4), 0.5)
    fig = ranking.at_cutoffs(*runs(many), np.array([1, 3, 5, 10]), mean, mean - 0.1, mean + 0.1, axis=UNIT)
    first = [float(trace.x[0]) for trace in fig.data]
    assert len(first) == len(set(first)) == many


def test_equal_queries_become_one_larger_mark():
    fig = ranking.per_query(
        "a", "b", np.array([0, 0, 1, np.nan]), np.array([1, 1, 1, 0.5]), axis=UNIT, labels=list("wxyz")
    )
    assert list(fig.data[0].x) == [0, 1] and list(fig.data[0].customdata) == ["2 queries", "query y"]
    assert fig.data[0].marker.size[0] > fig.data[0].marker.size[1]


def test_many_different_points_become_a_histogram():
    values = np.random.default_rng(0).random((2, 5_000))
    fig = ranking.per_query("a", "b", *values, axis=UNIT)
    assert fig.data[0].type == "heatmap" and fig.data[0].customdata.sum() == 5_000


def test_nothing_in_common_is_an_empty_picture():
    empty = np.array([np.nan, np.nan])
    assert not ranking.per_query("a", "b", empty, empty, axis=UNIT).data


def test_an_open_axis_follows_its_values():
    values = np.array([[-20.0, -3.0]])
    fig = ranking.at_cutoffs(*runs(1), np.array([1, 5]), values, values - 1, values + 1, axis=Axis("AQWV", -40.0, 1.0))
    assert -25 < fig.layout.yaxis.range[0] < -20


def test_interpolated_precision_is_the_best_precision_from_each_recall_on():
    query, rank = np.array([0, 0, 2]), np.array([1, 4, 2])
    found = interpolated_precision(query, rank, np.array([2, 0, 2, 1]))
    assert found[0].tolist() == [1.0] * 6 + [0.5] * 5
    assert np.isnan(found[1]).all()
    assert found[2].tolist() == [0.5] * 6 + [0.0] * 5
    assert found[3].tolist() == [0.0] * 11


def test_interpolated_precision_agrees_with_its_definition():
    rng = np.random.default_rng(3)
    relevant = rng.integers(1, 8, 60)
    query, rank = [], []
    for at, many in enumerate(relevant):
        ranks = np.sort(rng.choice(np.arange(1, 40), rng.integers(0, many + 1), replace=False))
        query += [at] * len(ranks)
        rank += ranks.tolist()
    found = interpolated_precision(np.array(query), np.array(rank), relevant)
    for at, many in enumerate(relevant):
        ranks = [r for q, r in zip(query, rank, strict=True) if q == at]
        points = [((n + 1) / many, (n + 1) / r) for n, r in enumerate(ranks)]
        expected = [max((p for recall, p in points if recall >= level - 1e-9), default=0.0) for level in RECALL_LEVELS]
        assert found[at] == pytest.approx(expected)


def test_bins_of_ranks_reach_the_depth_and_shares_add_up():
    edges, labels = rank_bins(30)
    assert labels == ["1", "2", "3", "4–5", "6–10", "11–20", "21–30"]
    first = first_ranks(np.array([0, 0, 2]), np.array([4, 9, 25]), 4)
    shares = rank_shares(first, edges)
    assert shares.sum() == 1 and shares[3] == shares[6] == 0.25 and shares[-1] == 0.5
    assert rank_bins(1)[1] == ["1"] and cutoffs_until(30).tolist() == [1, 3, 5, 10, 20, 30]
