"""The picture of judge validation: three marks a run, nothing without an interval, zero on the scale of differences."""

import numpy as np
import pytest

from ragdash.reporting.plots.common.theme import DARK, Axis
from ragdash.reporting.plots.trust import intervals

AXIS = Axis("Faithfulness", 0.0, 1.0)
JUDGE = [0.8, 0.7]
LABELS, CORRECTED = [[0.7, 0.6, 0.8], [0.6, 0.4, 0.8]], [[0.72, 0.65, 0.79], [np.nan] * 3]


def figure(**more):
    return intervals(["dense & co", "hybrid"], [0, 1], JUDGE, LABELS, CORRECTED, [60, 12], [440, 488],
                     axis=more.pop("axis", AXIS), **more)


def ends(fig, name):
    return [(one.x[0] - one.error_x.arrayminus[0], one.x[0], one.x[0] + one.error_x.array[0]) for one in fig.data
            if one.name == name and one.error_x.array is not None]


def test_three_marks_a_run_and_none_without_an_interval():
    fig = figure(theme=DARK)
    assert ends(fig, "corrected") == [pytest.approx((0.65, 0.72, 0.79))]
    assert ends(fig, "labels alone") == [pytest.approx((0.6, 0.7, 0.8)), pytest.approx((0.4, 0.6, 0.8))]
    assert [one.x[0] for one in fig.data if one.name == "judge alone" and one.x[0] is not None] == JUDGE
    notes = [note.text for note in fig.layout.annotations]
    assert "0.650 to 0.790" in notes[0] and "n 60 · N 440" in notes[0]
    assert "labels 0.400 to 0.800" in notes[1] and "no interval" not in notes[1]
    assert "dense &amp; co" in fig.layout.yaxis.ticktext[0]
    low, high = fig.layout.xaxis.range
    assert low <= 0.4 and high >= 0.8


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_differences_have_zero_on_the_scale_and_better_on_the_right(better):
    fig = figure(baseline="sparse", axis=Axis("Hallucination", 0.0, 1.0, better=better))
    low, high = fig.layout.xaxis.range
    assert min(low, high) < 0 < max(low, high) and (low < high) == (better == "higher")
    assert "+0.650 to +0.790" in fig.layout.annotations[0].text and any(
        note.text.endswith("→") and "better" in note.text and note.x == 0 for note in fig.layout.annotations)


def test_nothing_to_draw_is_drawn_as_nothing():
    nothing = [[np.nan] * 3]
    fig = intervals(["a"], [0], [np.nan], nothing, nothing, [0], [0], axis=AXIS)
    assert "no labels" in fig.layout.annotations[0].text and not ends(fig, "corrected")


def test_the_legend_has_only_the_lines_that_some_run_has():
    def legend(fig):
        return [trace.name for trace in fig.data if trace.showlegend is not False]

    assert legend(figure()) == ["judge alone", "labels alone", "corrected"]
    labels_only = intervals(["a"], [0], [0.5], [[0.7, 0.6, 0.8]], [[np.nan] * 3], [40], [0], axis=AXIS, source="metric")
    assert legend(labels_only) == ["metric alone", "labels alone"]
