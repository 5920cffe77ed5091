"""Figures of differences: forest plot, sorted differences, histogram, and query against query."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ragdash.reporting.plots import compare
from ragdash.reporting.plots.common import forest
from ragdash.reporting.plots.common.theme import DARK, LIGHT, Axis

UNIT = Axis("NDCG@10", 0.0, 1.0)
RANK = Axis("Mean rank", 1.0, None, better="lower")
HOSTILE = "<b>x</b> & %{x}"


def runs(many: int) -> tuple[list[str], list[int]]:
    return [f"run {at}" for at in range(many)], list(range(1, many + 1))


def drawn_forest(difference, axes, mark=None, names=None, **more):
    difference = np.asarray(difference, dtype=float)
    many = len(difference)
    mark = mark or [["undecided"] * len(axes)] * many
    return forest.forest(names or runs(many)[0], range(1, many + 1), difference, difference - 0.1, difference + 0.1,
                         mark, axes=axes, n=np.full(difference.shape, 30), baseline="base", **more)


def texts(fig) -> list[str]:
    """What the rows say: without what the sides of zero mean, which is below them."""
    return [note.text for note in fig.layout.annotations if not note.text.startswith("← worse")]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("many", [1, 3, 10])
def test_a_forest_has_a_symbol_for_each_candidate_and_metric(many, theme):
    difference = np.linspace(-0.3, 0.3, many * 6).reshape(many, 6)
    fig = drawn_forest(difference, [UNIT] * 6, groups=[f"metric {at}" for at in range(6)], theme=theme)
    shown = np.sort(np.concatenate([trace.x for trace in fig.data]))
    assert shown == pytest.approx(np.sort(difference.ravel()))
    places = np.concatenate([trace.y for trace in fig.data])
    assert len(set(places)) == many * 6, "two rows lie on each other"
    assert np.diff(np.sort(places)).min() >= 1 - 1e-9
    headings = [text for text in texts(fig) if text.startswith("<b>metric")]
    assert len(headings) == (0 if many == 1 else 6)
    assert {(note.x, note.xanchor) for note in fig.layout.annotations if note.text in headings} <= {(0, "left")}
    assert fig.data[0].error_x.array[0] == pytest.approx(0.1)
    assert fig.layout.height >= len(places) * 20


def test_right_is_better_on_every_scale_and_the_sign_stays_the_metrics_own():
    fig = drawn_forest([[0.2, 3.0]], [UNIT, RANK], [["better", "worse"]])
    left, right = fig.layout.xaxis.range
    assert left < 0 < 0.3 < right
    left, right = fig.layout.xaxis2.range
    assert left > 3.1 > 0 > right
    assert "base" in fig.layout.xaxis.title.text
    assert [(note.text, note.x, note.xref) for note in fig.layout.annotations[-2:]] == [
        ("← worse · better →", 0, "x"), ("← worse (higher) · better (lower) →", 0, "x2")], "centered at zero"
    assert [text.split(" ")[0] for text in texts(fig)] == ["+0.200", "+3.000"]
    assert "▲" in texts(fig)[0] and "▼" in texts(fig)[1]
    assert "lower is better" in fig.data[1].hovertext[0]


def test_scales_keep_apart_and_groups_of_one_scale_stand_together():
    fig = drawn_forest([[0.1, 2.0, 0.2], [0.1, 2.0, 0.3]], [UNIT, RANK, Axis("MRR", 0, 1)])
    assert [list(trace.x) for trace in fig.data] == [[0.1, 0.2], [0.1, 0.3], [2.0], [2.0]]
    upper, lower = fig.layout.yaxis.domain, fig.layout.yaxis2.domain
    assert 0 <= lower[0] < lower[1] < upper[0] < upper[1] <= 1


def test_a_metric_without_a_better_end_claims_none():
    fig = drawn_forest([[0.1]], [Axis("Words", 0, None, better=None)])
    assert "better" not in str(fig.layout.xaxis.title.text) + str(fig.layout.annotations)


def test_only_a_decided_row_is_filled():
    fig = drawn_forest([[0.1, 0.2, 0.3]], [UNIT] * 3, [["better", "undecided", "equivalent"]])
    assert [color == LIGHT.paper for color in fig.data[0].marker.color] == [False, True, True]
    assert "≈" in texts(fig)[2]
    assert "undecided" in fig.data[0].hovertext[1]


def test_an_undefined_difference_keeps_its_row_and_says_so():
    fig = drawn_forest([[np.nan, 0.1]], [UNIT] * 2, p=np.array([[np.nan, 0.0001]]))
    assert texts(fig) == ["undefined", "+0.100"]
    assert "difference undefined" in fig.data[0].hovertext[0]
    assert "p = " not in fig.data[0].hovertext[0] and "p < 0.001" in fig.data[0].hovertext[1]
    assert "+0.100 [0.000, +0.200]" in fig.data[0].hovertext[1] and "n = 30" in fig.data[0].hovertext[1]
    empty = drawn_forest([[np.nan]], [UNIT])
    assert empty.layout.xaxis.range[0] < 0 < empty.layout.xaxis.range[1]


def test_ticks_are_few_round_and_hold_zero():
    for span in ([-0.013, 0.4], [30.0, -2.0], [-1.0, 1.0], [-1e-4, 2e-5]):
        ticks, text = forest.difference_ticks(span)
        assert 2 <= len(ticks) <= 5 and text[int(np.flatnonzero(ticks == 0)[0])] == "0"
        assert min(span) <= ticks.min() and ticks.max() <= max(span)
    assert forest.difference_ticks([-0.2, 0.2])[1] == ["−0.2", "−0.1", "0", "+0.1", "+0.2"]


def test_a_faint_color_is_the_same_color():
    assert compare._faint("#0072B2", 0.5) == "rgba(0,114,178,0.5)"
    assert compare._faint("#aFb0c1", 1) == "rgba(175,176,193,1)"


def test_signs_are_written():
    assert forest.signed(np.array([0.5, -0.25, 0.0, np.nan])).tolist() == ["+0.500", "−0.250", "0.000", "–"]


def test_counts_follow_the_better_end():
    difference = np.array([0.5, -0.1, 0.0, np.nan, 1e-12, 0.2])
    up = compare.count_outcomes(difference, "higher", tolerance=1e-9)
    assert (up.better, up.equal, up.worse, up.undefined, up.n) == (2, 2, 1, 1, 5)
    down = compare.count_outcomes(difference, "lower", tolerance=1e-9)
    assert (down.better, down.worse) == (1, 2)
    assert up.summary() == "▲ 2 better · 2 equal · ▼ 1 worse" and up.undefined_note() == " · 1 undefined"
    assert compare.count_outcomes(difference, None).summary() == "▲ 3 higher · 1 equal · ▼ 1 lower"


@pytest.mark.parametrize("many", [1, 3, 10])
def test_sorted_differences_have_a_panel_and_counts_for_each_candidate(many):
    values = [np.random.default_rng(at).normal(0, 0.2, 7_000) for at in range(many)]
    fig = compare.differences(*runs(many), values, axis=UNIT, baseline="base")
    assert len(fig.data) == 2 * many
    assert max(len(trace.x) for trace in fig.data) <= compare.POINTS + 2
    assert len({trace.yaxis for trace in fig.data}) == many
    for part, text in zip(values, texts(fig), strict=True):
        assert f"{(part > 0).sum():,} better" in text and f"{(part < 0).sum():,} worse" in text
    domains = sorted(tuple(fig.layout[name].domain) for name in fig.to_dict()["layout"] if name.startswith("yaxis"))
    assert all(high < low for (_, high), (low, _) in itertools.pairwise(domains))


def test_the_areas_hold_gains_and_losses_in_order_and_stop_at_equal_queries():
    fig = compare.differences(["a"], [1], [np.array([0.0, -0.4, 0.3, np.nan, 0.1, 0.0])], axis=UNIT, baseline="b",
                              labels=list("uvwxyz"))
    gains, losses = fig.data
    assert list(gains.y) == [0.3, 0.3, 0.1, 0.1] and list(gains.x) == [0, 0.5, 1.5, 2]
    assert list(losses.y) == [-0.4] * 3 and list(losses.x) == [4, 4.5, 5]
    assert gains.customdata[1] == "1 of 5, query w" and losses.customdata[1] == "5 of 5, query v"
    assert "1 undefined" in texts(fig)[0]


def test_up_is_better_where_lower_is_better():
    fig = compare.differences(["a"], [1], [np.array([-4.0, 6.0, -1.0])], axis=RANK, baseline="b")
    assert list(fig.data[0].y) == [-4, -4, -1, -1] and list(fig.data[1].y) == [6, 6, 6]
    bottom, top = fig.layout.yaxis.range
    assert bottom > 6 and top < -4
    assert "2 better" in texts(fig)[0]


@pytest.mark.parametrize("draw", [compare.differences, compare.histogram])
def test_names_that_share_words_are_told_apart_in_titles(draw):
    """Cut in the middle, both would be "retrieva…_2years"."""
    fig = draw(["retrieval_results_hybrid_2years"], [1], [np.array([0.1, -0.2])], axis=UNIT,
               baseline="retrieval_results_dense_2years")
    assert "<b>results_hybrid</b>" in fig.layout.annotations[0].text
    assert fig.layout.xaxis.title.text.endswith("to results_dense")


@pytest.mark.parametrize("draw", [compare.differences, compare.histogram])
def test_nothing_defined_or_nothing_different_is_a_picture_in_words(draw):
    fig = draw(*runs(2), [np.full(3, np.nan), np.zeros(3)], axis=UNIT, baseline="base")
    assert "0 better · 0 equal" in texts(fig)[0] and "3 undefined" in texts(fig)[0]
    assert "3 equal" in texts(fig)[1]
    assert fig.layout.yaxis.range[0] < fig.layout.yaxis.range[1]


@pytest.mark.parametrize("many", [1, 3, 10])
def test_the_bars_of_a_histogram_hold_every_query(many):
    rng = np.random.default_rng(7)
    values = [np.where(rng.random(5_000) < 0.2, 0.0, rng.normal(0, 0.2, 5_000)) for _ in range(many)]
    fig = compare.histogram(*runs(many), values, axis=UNIT, baseline="base")
    for at, part in enumerate(values):
        bars = {trace.name: trace.y.sum() for trace in fig.data[3 * at:3 * at + 3]}
        assert bars == {"better": (part > 0).sum(), "equal": (part == 0).sum(), "worse": (part < 0).sum()}
    assert max(len(trace.x) for trace in fig.data) <= 41


def test_bins_stand_on_a_lattice_of_tenths():
    values = np.repeat(np.arange(-5, 6) / 10, 3)
    fig = compare.histogram(["a"], [1], [values], axis=UNIT, baseline="b")
    shown = {float(np.round(x, 9)): int(y) for trace in fig.data for x, y in zip(trace.x, trace.y, strict=True)}
    assert shown == {at / 10: 3 for at in range(-5, 6)}


def test_a_bar_that_would_flatten_the_others_is_cut_and_bears_its_number():
    values = np.concatenate([np.zeros(900), np.full(10, 0.3), np.full(5, -0.3)])
    fig = compare.histogram(["a"], [1], [values], axis=UNIT, baseline="b")
    assert fig.layout.yaxis.range[1] < 30 and any("900, bar cut" in text for text in texts(fig))
    whole = compare.histogram(["a"], [1], [values[885:]], axis=UNIT, baseline="b")
    assert whole.layout.yaxis.range[1] > 15 and not any("bar cut" in text for text in texts(whole))


def test_a_histogram_names_the_better_side_of_a_metric_where_lower_is_better():
    fig = compare.histogram(["a"], [1], [np.array([-3.0, 2.0, 2.0])], axis=RANK, baseline="b")
    assert {trace.name: list(trace.x) for trace in fig.data} == {"worse": [2.0], "equal": [], "better": [-3.0]}
    assert fig.layout.xaxis.range[0] > 0 > fig.layout.xaxis.range[1]


@pytest.mark.parametrize(("values", "n", "width"), [([0.0], 5, 0.1), ([1.0, -0.2], 50, 0.1), ([1.0], 500, 0.05),
                                                    ([37.0], 50, 5.0), ([np.nan], 0, 0.1)])
def test_bins_are_round(values, n, width):
    assert compare.bin_width(np.array(values), n) == pytest.approx(width)


def test_a_scatter_says_what_each_side_of_the_diagonal_means():
    x, y = np.array([0.1, 0.5, 0.5, 0.5, np.nan]), np.array([0.4, 0.5, 0.5, 0.2, 0.3])
    fig = compare.scatter("base", "new", x, y, axis=UNIT)
    assert len(fig.data[0].x) == 3
    assert texts(fig) == ["Above the line ▲ 1 better<br>Below ▼ 1 worse · 2 equal · 1 undefined"]
    lower = compare.scatter("base", "new", x * 10, y * 10, axis=RANK)
    assert texts(lower)[0].startswith("Above the line ▼ 1 worse<br>Below ▲ 1 better")


def test_names_are_drawn_as_written():
    values = [np.array([0.1, -0.2])]
    figs = [drawn_forest([[0.1], [0.2]], [Axis(HOSTILE, 0, 1)], names=[HOSTILE, "b"], groups=[HOSTILE]),
            compare.differences([HOSTILE], [1], values, axis=UNIT, baseline=HOSTILE, labels=[HOSTILE, HOSTILE]),
            compare.histogram([HOSTILE], [1], values, axis=UNIT, baseline=HOSTILE)]
    for fig in figs:
        written = fig.to_json()
        assert "<b>x" not in written.replace("\\u003c", "<")
        assert not any("%{x}" in str(trace.hovertemplate) for trace in fig.data)
