"""Figures of bands and score thresholds: what is shaded, marked, thinned and said."""

from __future__ import annotations

import numpy as np
import pytest

from ragdash.reporting.plots import bands, thresholds
from ragdash.reporting.plots.common.theme import DARK, LIGHT, Axis

UNIT = Axis("Recall@10", 0.0, 1.0)
EDGES, LABELS = np.array([0, 0.3, 0.5, 1.0]), ("poor", "fair", "<good>")
HOSTILE = "<b>x</b> & %{x}"


def runs(many: int) -> tuple[list[str], list[int]]:
    return [f"run {at}" for at in range(many)], list(range(many))


def placed(mean, **more):
    mean = np.asarray(mean, dtype=float)
    more = {"axis": UNIT, **more}
    return bands.band_placement(*runs(len(mean)), mean, mean - 0.05, mean + 0.05, np.full(len(mean), 40), EDGES, LABELS,
                           **more)


def words_above(fig) -> dict:
    """The bands' words above the picture, by text."""
    return {note.text: note for note in fig.layout.annotations if note.yref == "paper"}


def rects(fig) -> list:
    return [shape for shape in fig.layout.shapes if shape.type == "rect"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("many", [1, 3, 10])
def test_each_run_is_a_dot_with_its_interval_over_named_bands(many, theme):
    mean = np.linspace(0.2, 0.8, many)
    fig = placed(mean, words=["fair"] * many, theme=theme)
    assert [float(trace.x[0]) for trace in fig.data] == pytest.approx(mean)
    assert float(fig.data[0].error_x.array[0]) == pytest.approx(0.05)
    above = words_above(fig)
    assert set(above) == {"poor", "fair", "&lt;good&gt;"} and not any(note.showarrow for note in above.values())
    rows = [int(trace.y[0]) for trace in fig.data]
    assert rows == list(range(many)) and fig.layout.yaxis.range[0] >= many
    assert "n = 40" in fig.data[0].hovertext[0] and "[0.150, 0.250]" in fig.data[0].hovertext[0]


def test_bands_tile_the_picture_and_grow_stronger_towards_the_better_end():
    strength = [float(shape.fillcolor.split(",")[-1].rstrip(")")) for shape in rects(placed([0.4]))]
    assert strength == sorted(strength) and len(set(strength)) == 3
    shapes = rects(placed([0.4]))
    assert [shape.x1 for shape in shapes[:-1]] == [shape.x0 for shape in shapes[1:]] == [0.3, 0.5]
    lower = [shape.fillcolor for shape in rects(placed([0.4], axis=Axis("Share", 0, 1, better="lower")))]
    assert lower == [shape.fillcolor for shape in shapes][::-1]


def test_bands_fill_the_height_and_a_target_is_a_stroke_across_each_symbol():
    fig = placed([0.2, 0.4], target=0.45)
    assert {(shape.y0, shape.y1) for shape in rects(fig)} == {(0, 1)}
    strokes = [shape for shape in fig.layout.shapes if shape.type == "line" and shape.x0 == shape.x1 == 0.45
               and shape.yref != "paper"]
    middles = [(shape.y0 + shape.y1) / 2 for shape in strokes]
    for trace in fig.data:
        assert any(middle == pytest.approx(float(trace.y[0])) for middle in middles), middles


def test_open_ends_far_from_the_values_do_not_widen_the_picture():
    assert bands._span(np.array([-1000.0, 10, 100]), np.array([50.0])) == [-12.5, 100.0]
    assert bands._span(np.array([-1000.0, 10]), np.array([-50.0])) == [-1000.0, 10.0]


def test_words_stand_beside_the_name_and_an_undefined_mean_says_so():
    fig = placed([0.4, np.nan], words=["between poor & fair", None], target=0.45)
    first, second = (note.text for note in fig.layout.annotations[:2])
    assert "run 0" in first and "0.400" in first and first.endswith("<br>between poor &amp; fair")
    assert second.endswith("undefined")
    assert "target 0.45" in fig.layout.annotations[-1].text
    strokes = [shape for shape in fig.layout.shapes if shape.type == "line" and shape.x0 == shape.x1 == 0.45]
    assert len(strokes) == 1, "one stroke a defined run"
    assert "undefined" in fig.data[1].hovertext[0]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_bands_above_the_best_possible_value_are_gray_and_the_value_is_marked(theme):
    fig = placed([0.1, 0.3], axis=Axis("Recall@10", 0.0, 1.0, better="higher"), best=0.4, theme=theme)
    fills = [rect.fillcolor for rect in rects(fig)]
    assert [fill == theme.grid for fill in fills] == [False, False, True]
    words = words_above(fig)
    assert {text: note.font.color for text, note in words.items()} == {
        "poor": theme.ink, "fair": theme.ink, "&lt;good&gt;": theme.muted}
    *lines, foot = [shape for shape in fig.layout.shapes if shape.type in ("line", None) and shape.line.dash == "dash"]
    assert [(line.x0, line.x1) for line in lines] == [(0.4, 0.4)] * 2, "one for each run"
    assert (foot.x0, foot.x1, foot.y0) == (0.4, 0.4, 2) and foot.y1 == fig.layout.yaxis.range[0], "on to its value"
    for row, line in enumerate(lines):
        assert row + (6 + bands.LINE) / (6 + bands.LINE + bands.MARK) == pytest.approx(line.y0), "below the words"
        assert line.y1 == row + 1
    assert any("best possible 0.400" in note.text for note in fig.layout.annotations)
    for best in (np.nan, 1.0, 0.5):
        free = placed([0.1], axis=Axis("Recall@10", 0.0, 1.0, better="higher"), best=best, theme=theme)
        assert not any("best possible" in note.text for note in free.layout.annotations)
        assert theme.grid not in [rect.fillcolor for rect in rects(free)]


def test_open_bands_are_drawn_around_the_values():
    edges = np.array([1, 5, 20, np.inf])
    fig = bands.band_placement(["a"], [0], np.array([30.0]), np.array([25.0]), np.array([36.0]), np.array([9]), edges,
                          ("good", "fair", "poor"), axis=Axis("Mean rank", 1, None, better="lower"))
    low, high = fig.layout.xaxis.range
    assert low <= 5 and 36 < high < 100 and np.isfinite([shape.x1 for shape in rects(fig)]).all()
    wide = bands.band_placement(["a"], [0], np.array([-0.5]), np.array([-0.7]), np.array([-0.2]), np.array([9]),
                           np.array([-40, 0, 0.5, 1]), ("poor", "fair", "good"), axis=Axis("AQWV", -40, 1))
    assert -5 < wide.layout.xaxis.range[0] < -0.7


def test_numbers_at_the_ends_do_not_lie_on_their_neighbors():
    edges = np.array([0, 0.7, 0.85, 0.95, 1])
    fig = bands.band_placement(["a"], [0], np.array([0.5]), np.array([0.4]), np.array([0.6]), np.array([9]), edges,
                          ("below the minimum", "minimum", "good", "excellent"), axis=UNIT)
    assert list(fig.layout.xaxis.tickvals) == [0, 0.7, 0.85, 0.95]


NARROW_BANDS = {
    "at the upper end": ([0, 0.8, 0.9, 0.98, 1], ("below the minimum", "minimum", "good", "excellent"), [0, 1, 2, 3]),
    "at the lower end": ([0, 0.02, 0.1, 0.2, 1], ("excellent", "good", "minimum", "too much"), [3, 2, 1, 0]),
    "as they are known": ([0, 0.3, 0.5, 0.7, 0.9, 1], ("poor", "fair", "moderate", "good", "excellent"), [0] * 5),
    "all too narrow": (np.linspace(0, 1, 9), [f"a long band {at}" for at in range(8)], [4, 3, 2, 1, 5, 6, 7, 8]),
}


@pytest.mark.parametrize("case", NARROW_BANDS)
def test_words_wider_than_their_bands_rise_like_stairs(case):
    edges, labels, steps = NARROW_BANDS[case]
    fig = bands.band_placement(["a"], [0], np.array([0.5]), np.array([0.4]), np.array([0.6]), np.array([9]),
                          np.array(edges), labels, axis=UNIT)
    above = words_above(fig)
    heights = [-above[label].ay if above[label].showarrow else 0 for label in labels]
    assert [sorted({0, *heights}).index(height) for height in heights] == steps
    assert max(heights) < fig.layout.margin.t, "the highest word is not cut"
    assert not any(note.textangle for note in above.values())


def swept(many: int, **more):
    quantiles = [np.linspace(0, 1, 50)] * many
    scores = [np.linspace(0, 10 * (at + 1), 50) for at in range(many)]
    values = [1 - part / (at + 1) for at, part in enumerate(quantiles)]
    return thresholds.sweep(*runs(many), quantiles, scores, values, axis=UNIT, n=[40] * many, **more)


@pytest.mark.parametrize("many", [1, 3, 10])
def test_a_sweep_has_a_line_for_each_run_by_quantile(many):
    fig = swept(many, theme=DARK)
    assert len(fig.data) == many and fig.layout.showlegend == (many > 6)
    assert all(trace.x[0] == 0 and trace.x[-1] == 1 for trace in fig.data)
    assert fig.data[-1].customdata[-1].tolist() == [10 * many, 1]
    assert "n = 40" in fig.data[0].hovertemplate


def test_a_sweep_by_score_marks_each_runs_operating_point_on_its_line():
    fig = swept(2, scale="score", marked=[5.1, np.nan])
    assert fig.data[1].x[-1] == 20
    point = fig.data[2]
    assert len(fig.data) == 3 and point.name == "operating point"
    at = int(np.flatnonzero(fig.data[0].x == point.x[0])[0])
    assert abs(point.x[0] - 5.1) <= 0.11 and point.y[0] == fig.data[0].y[at]


def test_undefined_values_are_gaps_and_a_line_without_any_is_drawn():
    gap = np.array([0.5, np.nan, 0.4])
    fig = thresholds.sweep(["a", "b"], [0, 1], [np.array([0, 0.5, 1])] * 2, [np.array([1, 2, 3])] * 2,
                           [gap, np.full(3, np.nan)], axis=UNIT, n=[3, 0])
    assert np.isnan(fig.data[0].y[1]) and len(fig.data) == 2
    assert len(fig.layout.annotations) == 1, "no label for a line that is not there"


@pytest.mark.parametrize("many", [1, 3, 10])
def test_curves_bear_their_area_and_the_line_of_chance(many):
    fpr, tpr = [np.array([0, 0.2, 1])] * many, [np.array([0, 0.9, 1])] * many
    fig = thresholds.roc(*runs(many), fpr, tpr, [0.85] * (many - 1) + [np.nan], [40] * many)
    assert [trace.name for trace in fig.data] == [
        f"run {at} · AUC {'–' if at == many - 1 else '0.850'}" for at in range(many)]
    assert (fig.layout.shapes[0].y0, fig.layout.shapes[0].y1) == (0, 1) and fig.layout.showlegend
    fig = thresholds.precision_recall(*runs(many), tpr, fpr, [0.4] * many, [40] * many, base=0.03, theme=DARK)
    assert len(fig.data) == many and "AP 0.400" in fig.data[0].name
    assert fig.layout.shapes[0].y0 == fig.layout.shapes[0].y1 == 0.03


def test_a_run_without_a_curve_is_named_all_the_same():
    fig = thresholds.roc(["a"], [0], [np.empty(0)], [np.empty(0)], [np.nan], [0])
    assert fig.data[0].name == "a · AUC –" and len(fig.data[0].x) == 0


def test_a_long_curve_is_thinned_and_keeps_its_shape():
    rng = np.random.default_rng(0)
    hit = rng.random(100_000) < np.linspace(0.9, 0.1, 100_000)
    x, y = np.cumsum(~hit) / (~hit).sum(), np.cumsum(hit) / hit.sum()
    kept = thresholds.thin_curve(x, y)
    assert (x[kept[0]], y[kept[0]]) == (x[0], y[0]) and (x[kept[-1]], y[kept[-1]]) == (1, 1)
    assert len(kept) <= thresholds.POINTS + 2
    assert np.abs(np.interp(x, x[kept], y[kept]) - y).max() < 0.004


def test_points_inside_straight_stretches_are_dropped_first():
    x = np.concatenate([np.zeros(1_000), np.linspace(0, 1, 1_000)])
    y = np.concatenate([np.linspace(0, 1, 1_000), np.ones(1_000)])
    assert thresholds.thin_curve(x, y).tolist() == [0, 999, 1_999]
    assert (
        thresholds.thin_curve(np.ones(5), np.ones(5)).tolist() == [0] and thresholds.thin_curve([], []).tolist() == []
    )


def test_names_are_drawn_as_written():
    one = np.array([0.0, 0.5, 1.0])
    figs = [thresholds.sweep([HOSTILE], [0], [one], [one], [one], axis=Axis(HOSTILE, 0, 1), n=[3], marked=[0.5]),
            thresholds.roc([HOSTILE], [0], [one], [one], [0.5], [3]),
            bands.band_placement([HOSTILE], [0], one[1:2], one[1:2], one[1:2], one[1:2], EDGES, LABELS,
                            axis=Axis(HOSTILE, 0, 1), words=[HOSTILE])]
    for fig in figs:
        assert "<b>x" not in fig.to_json().replace("\\u003c", "<")
        assert not any("%{x}" in str(trace.hovertemplate) for trace in fig.data)
