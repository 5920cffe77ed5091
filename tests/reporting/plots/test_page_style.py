"""A figure on a page has its style in itself: without a template and short arrays, the browser draws it once."""

from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from ragdash.metrics import parse_spec
from ragdash.reporting.plots.common import theme
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.plots.common.page_style import page_figure
from ragdash.reporting.plots.ranking import per_query


def sent(figure: go.Figure, looks: theme.Theme = theme.LIGHT) -> dict:
    """What the browser gets."""
    return json.loads(page_figure(figure, looks).to_json())


def lines(*heights, **layout) -> go.Figure:
    return theme.figure().add_scatter(y=np.array(heights)).update_layout(**layout)


def test_a_short_array_is_a_list_whose_undefined_numbers_are_none_and_a_long_one_stays_as_it_is():
    grid = theme.figure().add_trace(go.Heatmap(z=np.array([[0.5, np.nan], [np.inf, 1.0]])))
    assert sent(lines(0.25, np.nan, -np.inf))["data"][0]["y"] == [0.25, None, None]
    assert sent(grid)["data"][0]["z"] == [[0.5, None], [None, 1.0]]
    assert sent(lines(*range(2_001)))["data"][0]["y"]["bdata"]
    assert sent(lines(1, 2, xaxis_tickvals=np.array([0.5, 1])))["layout"]["xaxis"]["tickvals"] == [0.5, 1]


@pytest.mark.parametrize("looks", [theme.LIGHT, theme.DARK])
def test_the_style_is_in_the_layout_in_place_of_a_template_and_the_figure_keeps_its_own(looks):
    figure = theme.figure(looks).add_scatter(y=[1]).update_layout(xaxis2={"title": {"text": "more"}},
                                                                  yaxis_gridcolor="#123456", margin_r=40)
    layout = sent(figure, looks)["layout"]
    assert "template" not in layout and "template" in json.loads(figure.to_json())["layout"]
    assert layout["paper_bgcolor"] == layout["hoverlabel"]["bgcolor"] == looks.paper
    assert layout["font"]["color"] == looks.muted and layout["legend"]["orientation"] == "h"
    assert layout["yaxis"]["gridcolor"] == "#123456" and layout["margin"]["r"] == 40
    assert layout["xaxis2"]["title"]["text"] == "more" and layout["xaxis2"]["automargin"] is True


def test_lines_and_ticks_stay_off_until_an_axis_has_its_own():
    layout = sent(lines(1, 2, xaxis_linecolor="#123456", yaxis_ticklen=4))["layout"]
    assert "showline" not in layout["xaxis"] and layout["xaxis"]["ticks"] == ""
    assert layout["yaxis"]["showline"] is False and "ticks" not in layout["yaxis"]
    assert sent(theme.figure().add_trace(go.Heatmap(z=[[1]])))["layout"]["xaxis"]["ticks"] == "outside"


@pytest.mark.parametrize("trace", [
    go.Pie(values=[1, 2]), go.Treemap(labels=["a"], parents=[""]), go.Parcoords(dimensions=[{"values": [1, 2]}]),
    go.Sankey(node={"label": ["a", "b"]}, link={"source": [0], "target": [1], "value": [1]})], ids=lambda one: one.type)
def test_a_picture_without_axes_gets_none(trace):
    layout = sent(theme.figure().add_trace(trace))["layout"]
    assert not {"xaxis", "yaxis"} & set(layout) and layout["paper_bgcolor"] == theme.LIGHT.paper


def test_equal_data_has_one_name_in_any_style_and_other_data_another():
    def name(figure, looks=theme.LIGHT):
        return sent(figure, looks)["layout"]["datarevision"]

    assert name(lines(0.5, 1)) == name(lines(0.5, 1, title="another")) == name(lines(0.5, 1), theme.DARK)
    assert name(lines(0.5, 1)) != name(lines(0.5, 0.75))


def test_the_work_is_done_once_for_each_appearance_and_leaves_the_figure_as_it_was():
    figure = lines(0.5, 1)
    before = figure.to_json()
    assert page_figure(figure, theme.LIGHT) is page_figure(figure, theme.LIGHT)
    assert page_figure(figure, theme.LIGHT) is not page_figure(figure, theme.DARK)
    page_figure(figure, theme.LIGHT).to_dict()["layout"] = {}
    assert "font" in page_figure(figure, theme.LIGHT).to_dict()["layout"] and figure.to_json() == before


def test_a_margin_holds_the_labels_of_its_axis_and_is_never_narrower_than_the_figure_asks_for():
    def margin(name="a name of a run", **layout) -> dict:
        axes = {"xaxis_title_text": "Cutoff k", "yaxis": {"tickvals": [1, 2], "ticktext": [name, "b<br>c"]}}
        return sent(lines(1, 2, **axes, **layout))["layout"]["margin"]

    plain, long = margin(), margin("a name of a run " * 2)
    assert plain["b"] > theme.MARGIN["b"] + 14 + 12, "a line of labels and one of the title"
    assert 14 * 5 < plain["l"] < 15 * 9 and long["l"] > plain["l"] + 60
    assert (plain["r"], plain["t"]) == (theme.MARGIN["r"], theme.MARGIN["t"])
    assert margin(showlegend=True)["t"] > theme.MARGIN["t"] + 12
    wide = margin(margin={"l": 300, "b": 200})
    assert (wide["l"], wide["b"]) == (300, 200)


def test_a_picture_without_labels_keeps_its_margins():
    hidden = {"visible": False, "title": {"text": "never drawn"}}
    for figure in (theme.figure().add_trace(go.Pie(values=[1])),
                   lines(1, 2, xaxis=hidden, yaxis={"showticklabels": False, "title": {"text": "nor this"}}),
                   lines(1, 2, xaxis={"side": "top"}, yaxis={"side": "right", "title": {"text": "beside"}})):
        assert sent(figure)["layout"]["margin"] == theme.MARGIN


@pytest.mark.parametrize("looks", [theme.LIGHT, theme.DARK])
def test_a_figure_without_data_has_its_axes(looks):
    """Two runs without a query that has a value in both."""
    nothing = np.full(3, np.nan)
    figure = per_query("a", "b", nothing, nothing, axis=axis_of(parse_spec("RR")), theme=looks)
    layout = sent(figure, looks)["layout"]
    assert {layout[name]["tickfont"]["size"] for name in ("xaxis", "yaxis")} == {12}
