"""Figures of the Answers page: spread of values, found against right, rank correlations."""

from __future__ import annotations

import numpy as np
import pytest

from ragdash.evaluation.stats.rank_correlation import midranks, spearman
from ragdash.reporting.plots import answers
from ragdash.reporting.plots.common.theme import DARK, LIGHT, Axis

F1 = Axis("Token F1", 0.0, 1.0)
HOSTILE = "<b>x</b> & %{x}"
KINDS = [("Found and right", True, True), ("Not found and right", False, True), ("Found and wrong", True, False),
         ("Not found and wrong", False, False)]


def texts(fig) -> list[str]:
    return [note.text for note in fig.layout.annotations]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("many", [1, 3, 10])
def test_every_value_is_in_one_bar_of_its_run(many, theme):
    values = [np.array([0.0, 0.0, 0.05, 0.55, 0.999, 1.0, np.nan])] * many
    fig = answers.distribution([f"run {at}" for at in range(many)], range(many), values, axis=F1, theme=theme)
    assert len(fig.data) == many and fig.layout.barmode == "overlay"
    for at, row in enumerate(fig.data):
        assert list(row.customdata) == [2, 1, 1, 1, 1], "0 twice, 0.05, 0.55, 0.999 in the last tenth, 1"
        assert list(row.x) == pytest.approx([-0.1, 0.05, 0.55, 0.95, 1.1])
        assert (np.asarray(row.base) == -at).all() and max(row.y) < 1, "a row does not reach into the next"
        assert row.text[0] == "33%" and row.text[-1] == "17%" and row.text[1] == ""
        assert row.constraintext == "none", "on a phone it would shrink to the 12 pixels of a bar"
        assert "exactly 0: 2 of 6 queries" in row.hovertext[0]


def test_all_rows_share_one_scale():
    fig = answers.distribution(["a", "b"], [0, 1], [np.zeros(4), np.array([0.0, 0.15, 0.25, 1.0])], axis=F1)
    assert fig.data[0].y[0] == pytest.approx(4 * fig.data[1].y[0])


def test_an_undefined_run_says_so_and_names_are_text():
    fig = answers.distribution([HOSTILE, "b"], [0, 1], [np.full(3, np.nan), np.ones(3)], axis=F1)
    assert texts(fig) == ["undefined"] and len(fig.data[0].x) == 0
    assert "<b>x" not in fig.layout.yaxis.ticktext[0]


@pytest.mark.parametrize("axis", [Axis("SBERT similarity", -1.0, 1.0), Axis("Open", 0.0, None)])
def test_other_ranges_hold_all_values_too(axis):
    fig = answers.distribution(["a"], [0], [np.array([-0.5, 0.1, 0.7]) if axis.high else np.array([0.0, 3.0, 8.0])],
                               axis=axis)
    assert sum(fig.data[0].customdata) == 3


def test_the_parts_of_a_bar_are_the_shares_of_the_queries():
    counts = np.array([[5, 1, 3, 0, 1], [0, 0, 0, 0, 4]])
    fig = answers.quadrants(["a", HOSTILE], [0, 1], counts, KINDS, "Cannot be said")
    assert np.stack([part.customdata for part in fig.data], axis=1).tolist() == counts.tolist()
    assert np.sum([part.x for part in fig.data], axis=0) == pytest.approx([1, 1])
    assert sorted(texts(fig)) == sorted(["5", "1", "3", "1", "4"])
    by = {part.name: part for part in fig.data}
    assert by["Found and right"].marker.color == by["Not found and right"].marker.color == LIGHT.better
    assert by["Not found and right"].marker.pattern.shape == "/" and not by["Found and right"].marker.pattern.shape
    assert not by["Not found and wrong"].showlegend and by["Found and wrong"].showlegend


def test_a_cell_bears_its_number_and_n_and_a_dash_where_undefined():
    fig = answers.correlation(["EM", "Token F1"], ["R@5"], [[np.nan], [-0.5]], [[4], [7]])
    assert "–" in texts(fig)[0] and "n = 4" in texts(fig)[0]
    assert "−0.50" in texts(fig)[1] and "n = 7" in texts(fig)[1]
    assert (fig.data[0].zmin, fig.data[0].zmax) == (-1, 1)


def test_spearman_is_the_correlation_of_midranks():
    assert midranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [3.5, 1.0, 3.5, 2.0]
    x, y = np.array([1.0, 2.0, 3.0, 4.0, np.nan]), np.array([1.0, 3.0, 2.0, 4.0, 9.0])
    assert spearman(x, y) == (pytest.approx(0.8), 4), "1 - 6 (1 + 1) / (4 (16 - 1))"
    assert spearman(x, -y)[0] == pytest.approx(-0.8)
    assert np.isnan(spearman(x, np.ones(5))[0]) and np.isnan(spearman(x[:2], y[:2])[0])
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, 200).astype(float), rng.integers(0, 9, 200).astype(float)
    assert spearman(x, y)[0] == pytest.approx(stats.spearmanr(x, y).statistic)
