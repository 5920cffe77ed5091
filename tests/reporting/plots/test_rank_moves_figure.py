"""How documents move between runs: lines by kind, lanes for deep and missing ones, names of the relevant ones."""

from __future__ import annotations

import numpy as np
import pytest

from ragdash.reporting.plots.queries import DEEPER, NONE, bump

RANKS, GRADES = [[1, np.nan], [12, 2], [3, 3]], [1.0, np.nan, 0.0]


def test_documents_are_lines_by_kind_and_the_relevant_ones_bear_their_names():
    fig = bump(["dense", "sparse"], [0, 1], ["d1", "d2", "<d3>"], RANKS, GRADES, k=5)
    lines = {trace.name: [float(y) for y in trace.y][:2] for trace in fig.data}
    assert lines == {"unjudged": [6.5, 2.0], "judged not relevant": [3.0, 3.0], "relevant, grade 1": [1.0, 7.5]}
    (label,) = fig.layout.annotations
    assert label.text == "d1 (1)" and label.y == pytest.approx(7.5) and fig.layout.margin.r == 16 + 7 * len("d1 (1)")
    assert list(fig.layout.yaxis.ticktext) == ["Rank 1", "3", "5", DEEPER, NONE]
    assert list(fig.layout.yaxis.tickvals) == [1, 3, 5, 6.5, 7.5] and fig.layout.yaxis.range[0] > 7.5
    assert [name.rpartition(" ")[2] for name in fig.layout.xaxis.ticktext] == ["dense", "sparse"]


def test_runs_have_the_short_names_of_the_page_and_no_slanted_ones():
    """18 characters are a short name on every page: 14 gave the picture names of its own."""
    fig = bump(["bge-m3-chunk-256-a", "bge-m3-chunk-512-b"], [0, 1], ["d1", "d2", "<d3>"], RANKS, GRADES, k=5)
    names = [name.rpartition(" ")[2] for name in fig.layout.xaxis.ticktext]
    assert names == ["bge-m3-chunk-256-a", "bge-m3-chunk-512-b"] and fig.layout.xaxis.autotickangles == (0, 90)


def test_a_long_name_leaves_a_phone_room_for_the_lines():
    fig = bump(["dense", "sparse"], [0, 1], ["a-document-of-some-folder-with-a-name", "d2", "d3"], RANKS, GRADES, k=5)
    assert fig.layout.margin.r <= 128 and "a-document-of-some-folder-with-a-name" in fig.data[-1].customdata[0]
    assert fig.layout.yaxis.title.text is None, "the axis says what it is at its first mark"


def test_a_name_of_up_to_24_letters_is_whole_on_two_lines_where_few_documents_are_relevant():
    names = ["apollo-13-return", "surveyor-3", "lunar-laser-ranging-site"]
    fig = bump(["dense"], [0], names, [[1], [2], [3]], [2.0, 1.0, 1.0], k=5)
    assert [label.text for label in fig.layout.annotations] == [
        "apollo-<br>13-return (2)", "surveyor-3 (1)", "lunar-laser-<br>ranging-site (1)"]
    heights = np.array([label.y for label in fig.layout.annotations])
    assert (np.diff(heights) * (fig.layout.height - 60) / 7.5 >= 33.9).all(), "two lines of 17 pixels each"
    many = bump(["dense"], [0], ["apollo-13-return"] * 7, np.arange(1.0, 8)[:, None], np.ones(7), k=10)
    assert {label.text for label in many.layout.annotations} == {"apollo…eturn (1)"}


def test_a_hover_names_the_document_the_run_and_the_rank():
    fig = bump(["dense", "sparse"], [0, 1], ["d1", "d2", "<d3>"], RANKS, GRADES, k=5)
    facts = {trace.name: [list(row) for row in trace.customdata[:2]] for trace in fig.data}
    assert facts["relevant, grade 1"] == [["d1", "dense", "rank 1"], ["d1", "sparse", NONE]]
    assert facts["judged not relevant"][0] == ["&lt;d3&gt;", "dense", "rank 3"]


def test_without_a_relevant_document_no_name_is_drawn():
    fig = bump(["dense", "sparse"], [0, 1], ["d2"], [[12, 2]], [np.nan], k=5)
    assert not fig.layout.annotations and [trace.name for trace in fig.data] == ["unjudged"]
