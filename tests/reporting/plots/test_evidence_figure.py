"""A metric against the evidence match threshold: a line and a mark for each run, bands while they can be read."""

from __future__ import annotations

import numpy as np
import pytest

from ragdash.reporting.plots.common.theme import DARK, LIGHT, Axis
from ragdash.reporting.plots.evidence import BANDED, by_threshold

T = np.round(np.arange(0.5, 1.001, 0.1), 2)


def drawn(runs: int, used: float = 0.7, hole: bool = False, theme=LIGHT):
    mean = np.linspace(0.8, 0.6, len(T)) - np.arange(runs)[:, None] / 50
    if hole:
        mean[0] = np.nan
    return by_threshold(
        [f"<run> {at}" for at in range(runs)],
        range(runs),
        T,
        mean,
        mean - 0.1,
        mean + 0.1,
        axis=Axis("Recall@10", 0.0, 1.0),
        threshold=used,
        mean_at_threshold=mean[:, 2],
        n=[12] * runs,
        theme=theme,
    )


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("runs", [1, 3, 10])
def test_every_run_has_its_line_and_its_mark(runs, theme):
    fig = drawn(runs, theme=theme)
    names = [trace.name for trace in fig.data]
    assert names.count("in use") == runs and names.count("band") == (runs if runs <= BANDED else 0)
    lines = [trace for trace in fig.data if trace.name not in ("in use", "band")]
    assert [len(trace.x) for trace in lines] == [len(T)] * runs and "&lt;run&gt;" in lines[0].name
    for line, mark in zip(lines, [trace for trace in fig.data if trace.name == "in use"], strict=True):
        assert mark.x == (0.7,) and mark.y[0] == line.y[2] and mark.marker.color == line.line.color


def test_the_scale_follows_what_is_drawn_and_the_threshold_is_written():
    fig = drawn(1)
    low, high = fig.layout.yaxis.range
    assert 0.3 < low < 0.5 and 0.9 < high < 1.0
    assert [note.text for note in fig.layout.annotations if "in use" in note.text] == ["in use: 0.70"]
    left, right = (next(note for note in drawn(1, used).layout.annotations if "in use" in note.text)
                   for used in (0.5, 1.0))
    assert (left.xanchor, right.xanchor) == ("left", "right")


def test_a_run_without_values_has_no_label():
    fig = drawn(2, hole=True)
    assert sum("run" in note.text for note in fig.layout.annotations) == 1
