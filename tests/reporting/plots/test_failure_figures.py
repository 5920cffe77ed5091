"""Figures of the Failures page and of the likeness of runs."""

from __future__ import annotations

import numpy as np
import pytest

from ragdash.analysis.diagnosis import WaterfallStep
from ragdash.reporting.plots import failures
from ragdash.reporting.plots.common.theme import DARK, LIGHT
from ragdash.reporting.plots.many_runs import run_similarity

HOSTILE = "<b>x</b> & %{x}"
STEPS = [
    WaterfallStep("not-retrieved", "Relevant document found", 10, 3, 0),
    WaterfallStep("below-k", "One in the first 10", 7, 2, 1),
    WaterfallStep("answered-unanswerable", "Right where there is no answer", 4, 1, 0),
]


def texts(fig) -> list[str]:
    return [note.text for note in fig.layout.annotations]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_each_step_shows_what_comes_past_it_and_what_it_loses(theme):
    fig = failures.waterfall(HOSTILE, 0, STEPS, lost_at=[step.name for step in STEPS], separate=1,
                             other_runs=[("b", 1, [9, np.nan, 2])], theme=theme)
    passed, lost, other = fig.data
    assert list(passed.x) == [10, 7, 5, 3] and list(lost.x) == [3, 2, 1] and list(lost.base) == [7, 5, 3]
    assert list(lost.customdata) == ["not-retrieved", "below-k", "answered-unanswerable"]
    assert passed.customdata is None, "what comes past a step is no stage"
    assert "1 of them cannot be assessed" in lost.hovertext[1] and "<b>x" not in lost.hovertext[0]
    assert texts(fig)[0] == "10" and "7" in texts(fig)[1] and "−3" in texts(fig)[1]
    assert lost.y[2] - lost.y[1] > lost.y[1] - lost.y[0], "other queries stand apart"
    assert np.isnan(other.x[1]) and other.marker.color == theme.runs[1]
    assert other.marker.line.color == LIGHT.ink, "a light line is not seen on light bars"


def test_symbols_of_runs_with_equal_counts_are_next_to_each_other_in_the_bar():
    counts = [9, 5, 2]
    fig = failures.waterfall("a", 0, STEPS, lost_at=[step.name for step in STEPS],
                             other_runs=[("b", 1, counts), ("c", 2, counts), ("d", 3, counts)])
    rows = np.array([trace.y for trace in fig.data[2:]]) - fig.data[1].y
    apart = np.diff(rows, axis=0) * failures.ROW
    size = fig.data[2].marker.size + fig.data[2].marker.line.width
    assert rows.shape == (3, 3) and (apart >= size).all() and np.allclose(rows.mean(axis=0), 0)


def test_a_run_with_questions_without_an_answer_alone():
    fig = failures.waterfall("a", 0, STEPS[2:], lost_at=["answered-unanswerable"], separate=1)
    assert list(fig.data[0].x) == [3] and not {failures.START, failures.ANSWERABLE} & {*fig.layout.yaxis.ticktext}


@pytest.mark.parametrize(("separate", "first"), [(1, failures.ANSWERABLE), (0, failures.START)])
def test_the_first_bar_is_of_answerable_queries_only_where_the_others_are_apart(separate, first):
    """A run without answers loses the queries without an answer at its first step: they are in the first bar."""
    fig = failures.waterfall("a", 0, STEPS, lost_at=[step.name for step in STEPS], separate=separate)
    assert fig.layout.yaxis.ticktext[0] == first


def test_cells_are_shaded_by_their_share_of_the_slice():
    fig = failures.by_slice(["hard", HOSTILE], ["Below k", "Fine"], np.array([[3, 1], [0, 10]]), np.array([4, 10]))
    cells = fig.data[0]
    assert np.asarray(cells.z).tolist() == [[0.75, 0.25], [0.0, 1.0]] and cells.zmax == 1
    assert cells.text[0][0] == "3" and cells.text[1][0] == "·"
    assert "3 of 4 (75%)" in cells.hovertext[0][0] and "<b>x" not in cells.hovertext[1][0]


@pytest.mark.parametrize("many", [2, 3, 10])
def test_the_matrix_leaves_a_run_beside_itself_bare(many):
    mean = np.full((many, many), 0.5)
    mean[0, 1] = mean[1, 0] = np.nan
    fig = run_similarity.matrix([f"run {at}" for at in range(many)], range(many), mean, np.full((many, many), 7),
                          title="Overlap@10", span=(0.0, 1.0))
    cells = fig.data[0]
    assert cells.text[0][0] == "" and cells.text[0][1] == "–"
    assert many < 3 or (cells.text[0][2] == "0.50" and "Overlap@10 0.500" in cells.hovertext[0][2])
    assert (cells.zmin, cells.zmax) == (0, 1) and len(fig.layout.yaxis.ticktext) == many
