"""The pictures of variants: the effect of each setting, all runs as parallel lines, quality against what is paid."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from test_theme import contrast

from ragdash.analysis.variants import SettingEffect
from ragdash.analysis.variants.design import NOT_SET
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.reporting.plots.common.theme import DARK, LIGHT, Axis, looks
from ragdash.reporting.plots.many_runs import variants

UNIT, RANK = Axis("NDCG@10", 0.0, 1.0), Axis("Mean rank", 1.0, None, better="lower")
NAN = float("nan")


def setting(title: str, levels: tuple[str, ...], effect: list[float], p: list[float], **more) -> SettingEffect:
    effects = np.array(effect)
    return SettingEffect(title, levels, np.full(len(levels), 4), effects + 0.5, effects, effects - 0.1, effects + 0.2,
                         np.array(p), 0.5, **more)


def two_settings() -> list[SettingEffect]:
    return [setting("top_k", ("5", "10"), [0.1, -0.1], [0.01, 0.2]),
            setting("model", ("a", "b", "c"), [NAN, 0.3, -0.3], [NAN, 0.05, 0.0004], inseparable=("x",))]


def test_each_setting_has_a_heading_and_each_value_a_row_below_it():
    fig = variants.effects(two_settings(), axis=UNIT, n=30)
    headings = {note.text: note for note in fig.layout.annotations if note.text.startswith("<b>")}
    assert list(headings) == ["<b>top_k</b>", "<b>model</b>"]
    assert [note.y for note in headings.values()] == [0, 3.7] and {note.x for note in headings.values()} == {0}
    assert list(fig.data[0].y) == [1, 2, 4.7, 5.7, 6.7] == list(fig.layout.yaxis.tickvals)
    assert fig.layout.yaxis.range == pytest.approx((8.4 - 0.4, -9 / 26)) and fig.layout.height == 72 + int(26 * 8.4)
    assert [text.split(" ")[0] for text in fig.layout.yaxis.ticktext] == ["5", "10", "a", "b", "c"]
    assert all("(4)" in text for text in fig.layout.yaxis.ticktext)
    ends = [note for note in fig.layout.annotations if note.x == 1]
    assert [note.text for note in ends] == ["+0.100", "−0.100", "not separable", "+0.300", "−0.300"]
    assert [note.y for note in ends] == list(fig.data[0].y)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_significant_effect_is_filled_in_the_color_of_its_direction(theme):
    marker = variants.effects(two_settings(), axis=UNIT, n=30, theme=theme).data[0].marker
    assert marker.color == (theme.better, theme.paper, theme.paper, theme.paper, theme.worse), "p of 0.05 is none"
    assert marker.line.color == (theme.better, theme.muted, theme.muted, theme.muted, theme.worse)
    marker = variants.effects(two_settings(), axis=UNIT, n=30, theme=theme, withheld=True).data[0].marker
    assert set(marker.color) == {theme.paper} and set(marker.line.color) == {theme.muted}, "not comparable yet"
    lower = variants.effects(two_settings(), axis=RANK, n=30, theme=theme)
    assert lower.data[0].marker.color[0] == theme.worse and lower.data[0].marker.color[4] == theme.better


def test_numbers_of_the_axis_of_differences_have_signs():
    text = variants.effects(two_settings(), axis=UNIT, n=30).layout.xaxis.ticktext
    assert "0" in text and all(one[0] in "+−" for one in text if one != "0") and len(text) > 2


def test_right_is_better_and_the_axis_reaches_as_far_to_both_sides():
    fig, lower = (variants.effects(two_settings(), axis=axis, n=30) for axis in (UNIT, RANK))
    assert fig.layout.xaxis.range == pytest.approx((-0.5 * 1.08, 0.5 * 1.08))
    assert lower.layout.xaxis.range == pytest.approx((0.5 * 1.08, -0.5 * 1.08))
    assert fig.data[0].error_x.array[0] == pytest.approx(0.2)
    assert fig.data[0].error_x.arrayminus[0] == pytest.approx(0.1)


def test_what_is_under_the_mouse_says_effect_p_runs_and_queries():
    texts = variants.effects(two_settings(), axis=UNIT, n=1234).data[0].hovertext
    assert texts[0] == ("top_k: 5<br>+0.100 [0.000, +0.300], corrected p = 0.010<br>mean of its 4 runs: NDCG@10 0.600"
                        "<br>n = 1,234 queries")
    assert "changes together with other settings" in texts[2] and "changes together" not in texts[1]
    small = variants.effects([setting("k", ("1", "2"), [0.1, 0.1], [0.0009, 0.001])], axis=UNIT, n=3).data[0].hovertext
    assert "corrected p < 0.001" in small[0] and "corrected p = 0.001" in small[1]


def test_parallel_lines_go_over_every_setting_to_the_mean():
    runs = [{"k": "10", "model": "b"}, {"k": "5", "model": "a"}, {"k": "5"}]
    fig = variants.parallel(["x", "y", "z"], runs, ["k", "model"], np.array([0.5, 0.25, NAN]), axis=UNIT)
    lines = fig.data[0]
    k, model, mean = lines.dimensions
    assert (k.label, list(k.ticktext), list(k.values)) == ("k", ["5", "10"], [1, 0, 0])
    assert list(model.ticktext) == ["a", "b", NOT_SET] and list(model.values) == [1, 0, 2]
    assert list(k.tickvals) == [0, 1] and k.range == pytest.approx((-0.3, 1.3))
    assert mean.range == pytest.approx((0.24, 0.51)) and list(mean.values) == pytest.approx([0.5, 0.25, 0.24])
    assert lines.rangefont.size == 1 and lines.rangefont.color == "rgba(0, 0, 0, 0)", "ends would be on the title"
    assert (lines.line.cmin, lines.line.cmax, lines.line.reversescale) == (0.25, 0.5, False)
    for theme in (LIGHT, DARK):
        drawn = variants.parallel(["x", "y", "z"], runs, ["k"], np.array([0.5, 0.25, NAN]), axis=UNIT, theme=theme)
        shades = [color for _, color in drawn.data[0].line.colorscale]
        assert min(contrast(color, theme.paper) for color in shades) >= 3, "lines are seen on their page"
    lower = variants.parallel(["x", "y", "z"], runs, ["k"], np.array([0.5, 0.25, NAN]), axis=RANK).data[0]
    assert lower.dimensions[1].range == pytest.approx((0.51, 0.24)) and lower.line.reversescale


def test_the_values_of_the_first_setting_have_room_at_the_left_edge():
    values = ("reciprocal rank fusion of both", "all-MiniLM-L6-v2, cosine", "BM25 with stems")
    fig = variants.parallel(["x", "y", "z"], [{"retriever": value} for value in values], ["retriever"],
                            np.array([0.5, 0.25, 0.3]), axis=UNIT)
    longest = max(map(len, fig.data[0].dimensions[0].ticktext))
    assert longest > 10 and fig.layout.margin.l >= 6.5 * longest + 12, "letters of 11 pixels, and a gap"


def test_parallel_lines_without_a_mean_or_with_equal_means_have_an_axis():
    for means, ends in (([NAN, NAN], (-0.04, 1.04)), ([0.5, 0.5], (0.49, 0.51))):
        fig = variants.parallel(["x", "y"], [{}, {}], [], np.array(means), axis=UNIT)
        assert fig.data[0].dimensions[0].range == pytest.approx(ends)


@pytest.mark.parametrize("many, scale", [(12, False), (13, True)])
def test_many_numbers_are_on_a_scale_of_their_own(many, scale):
    runs = [{"k": str(2 * row)} for row in range(many)]
    k = variants.parallel([f"r{row}" for row in range(many)], runs, ["k"], np.linspace(0, 1, many), axis=UNIT).data[0]
    assert (k.dimensions[0].tickvals is None) == scale
    assert list(k.dimensions[0].values) == [2 * row if scale else row for row in range(many)]


def test_long_titles_of_axes_are_tilted_so_that_they_do_not_lie_on_each_other():
    for names, angle in ((["k", "model"], 0), (["retriever.kind", "retriever.depth", "chunk.size"], -20)):
        fig = variants.parallel(["x"], [dict.fromkeys(names, "1")], names, np.array([0.5]), axis=UNIT)
        assert fig.data[0].labelangle == angle


def test_at_most_eight_settings_are_drawn():
    names = [f"s{number}" for number in range(9)]
    fig = variants.parallel(["x"], [dict.fromkeys(names, "1")], names, np.array([0.5]), axis=UNIT)
    assert [dimension.label for dimension in fig.data[0].dimensions] == [*names[:8], "NDCG@10"]


def test_names_of_best_compromises_near_each_other_do_not_overlap():
    names = ["e5-large-v2_chunk256_overlap32", "bm25_chunk256_overlap32", "bge-small-en-v1.5_chunk256_overlap32"]
    means = np.array([0.683, 0.676, 0.662])
    fig = variants.compromises(names, np.array([35.3, 35.2, 34.9]), np.array([means, means - 0.07, means + 0.07]),
                               np.ones(3, bool), axis=UNIT, title="Latency", unit="ms")
    across, up = 270 / np.diff(fig.layout.xaxis.range)[0], 330 / np.diff(fig.layout.yaxis.range)[0]  # on a phone
    boxes = []
    for note in fig.layout.annotations:
        width = 6.5 * len(note.text)
        left = note.x * across + (note.xshift or 0) - width * {"left": 0, "center": 0.5, "right": 1}[note.xanchor]
        bottom = note.y * up + note.yshift - (16 if note.yanchor == "top" else 0)
        boxes.append((left, left + width, bottom, bottom + 16))
    assert len(boxes) == 3
    assert not any(one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
                   for one, other in itertools.combinations(boxes, 2))


def test_best_compromises_have_the_symbols_of_their_runs_also_before_their_names():
    """Where marks are close, the place of a name does not say whose it is."""
    means = np.array([0.9, 0.8, 0.1])
    fig = variants.compromises(["a", "b", "c"], np.array([2.0, 1.0, 3.0]), np.array([means, means - 0.1, means + 0.1]),
                               np.array([True, True, False]), axis=UNIT, title="Latency", unit="ms", slots=[1, 2, 0])
    run_looks = looks(["a", "b", "c"], [1, 2, 0], LIGHT)
    assert list(fig.data[1].marker.symbol) == [look.symbol for look in run_looks[:2]]
    assert [note.text for note in fig.layout.annotations] == [
        f'<span style="color:{LIGHT.better}">{look.sign}</span> {look.name}' for look in run_looks[:2]]


def test_a_best_compromise_is_not_named_as_another_run_is():
    """Shortened by what the best alone share, the first would be "bm25"."""
    names = ["bm25_chunk256_overlap32", "e5-large-v2_chunk256_overlap32", "bm25", "e5-large-v2_chunk512_overlap32"]
    means = np.array([0.9, 0.5, 0.3, 0.2])
    fig = variants.compromises(names, np.array([2.0, 1.0, 3.0, 3.0]), np.array([means, means - 0.1, means + 0.1]),
                               np.array([True, True, False, False]), axis=UNIT, title="Latency", unit="ms")
    assert [note.text for note in fig.layout.annotations] == short_names(names, NARROW_NAME)[:2]
    assert "bm25" not in [note.text for note in fig.layout.annotations]


def test_best_compromises_are_large_and_named_while_they_are_few():
    names, paid = [f"run {row}" for row in range(10)], np.arange(1.0, 11.0)
    means = np.linspace(0.1, 1.0, 10)
    quality = np.array([means, means - 0.1, means + 0.2])
    few, many = np.arange(10) >= 2, np.arange(10) >= 1
    fig = variants.compromises(names, paid, quality, few, axis=UNIT, title="Latency", unit="ms")
    other, best = fig.data
    assert (other.name, best.name, other.marker.size, best.marker.size) == ("other", "best", 7, 12)
    assert list(other.x) == [1, 2] and list(best.x) == list(range(3, 11)) and list(best.y) == list(means[2:])
    assert best.error_y.array[0] == pytest.approx(0.2) and best.error_y.arrayminus[0] == pytest.approx(0.1)
    assert [note.text for note in fig.layout.annotations] == names[2:] and fig.layout.annotations[0].x == 3
    assert "another run is at least as good" in other.hovertext[0] and "a best compromise" in best.hovertext[0]
    assert fig.layout.xaxis.range == pytest.approx((-0.2, 12.5)) and "(ms)" in fig.layout.xaxis.title.text
    fig = variants.compromises(names, paid, quality, many, axis=UNIT, title="Cost", unit="$")
    assert not fig.layout.annotations, "nine names would lie on each other"
    assert fig.layout.xaxis.tickprefix == "$" and "$2" in fig.data[1].hovertext[0]
