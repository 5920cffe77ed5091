"""How a figure looks on a page, written into the figure itself, so that the browser draws it once.

Streamlit's own theme comes as a template: a new object each time, for which plotly draws a figure a second time. So
does data as typed arrays. A figure without either is drawn once: a third of the time of a change is saved.
"""

from __future__ import annotations

import base64
import re
from hashlib import blake2b

import numpy as np
import plotly.graph_objects as go
from plotly.io.json import to_json_plotly

from ragdash.reporting.plots.common.margins import label_margins
from ragdash.reporting.plots.common.theme import Theme

MOST_LISTED = 2_000  # numbers of an array that is sent as a list
MAPS = {"heatmap", "contour"}  # traces whose axes have ticks outside
WITHOUT_AXES = {"pie", "sankey", "treemap", "sunburst", "funnelarea", "parcoords", "parcats", "table", "indicator"}
DRAWN = {"ticks": ("ticklen", "tickwidth", "tickcolor"), "showline": ("linecolor", "linewidth")}
FONT = '"Source Sans", sans-serif'
HOVER_BORDERS = {"light": "#d5dbe3", "dark": "#303844"}  # as Streamlit's theme has it


def page_figure(figure: go.Figure, theme: Theme) -> go.Figure:
    """The figure as a page shows it; the work is done once, and kept with the figure.

    Examples
    --------
    >>> from ragdash.reporting.plots.common import theme
    >>> shown = page_figure(theme.figure().add_scatter(y=np.array([0.5, np.nan])), theme.LIGHT).to_dict()
    >>> shown["data"][0]["y"], "template" in shown["layout"], shown["layout"]["yaxis"]["gridcolor"]
    ([0.5, None], False, '#e3e7ec')
    """
    kept = vars(figure).setdefault("page_figures", {})
    if theme.name not in kept:
        plain, kept[theme.name] = _styled(figure.to_dict(), theme), go.Figure()
        vars(kept[theme.name])["to_dict"] = lambda: dict(plain)
    return kept[theme.name]


def _styled(plain: dict, theme: Theme) -> dict:
    """The figure with its style in its layout, in place of a template."""
    data = [_listed(trace) for trace in plain.get("data", [])]
    template = plain.get("layout", {}).get("template", {}).get("layout", {})
    layout = {name: _listed(value) for name, value in plain.get("layout", {}).items() if name != "template"}
    layout["datarevision"] = _revision(data)
    kinds = {trace.get("type", "scatter") for trace in data}
    style = _merged(template, _page_template(theme, "outside" if kinds & MAPS else ""))
    names = {*(("xaxis", "yaxis") if kinds - WITHOUT_AXES else ()),
             *(name for name in layout if re.fullmatch(r"[xy]axis\d*", name))}
    axes = {name: _axis(style[name[:5]], layout.get(name, {})) for name in names}
    rest = {name: value for name, value in style.items() if name not in ("xaxis", "yaxis")}
    styled = {**_merged(rest, layout), **axes}
    return {**plain, "data": data, "layout": {**styled, "margin": label_margins(styled)}}


def _revision(data: list) -> str:
    """Names the data: plotly, which otherwise takes any list for a new one, draws again where this has changed."""
    return blake2b(to_json_plotly(data).encode(), digest_size=8).hexdigest()


def _axis(style: dict, own: dict) -> dict:
    """An axis in this style; lines and ticks that it has of its own are switched on, as plotly does."""
    given = {part for part, names in DRAWN.items() if any(name in own for name in names)}
    return _merged({name: value for name, value in style.items() if name not in given}, own)


def _page_template(theme: Theme, ticks: str) -> dict:
    """What Streamlit's theme sets, in readable colors: its gray of words has 3.7:1 on white.

    The lines and ticks of axes, which a color would switch on, stay off.
    """
    words, ink, grid, border = theme.muted, theme.ink, theme.grid, HOVER_BORDERS[theme.name]
    text = {"color": words, "family": FONT, "size": 12}
    small, middle = {"color": words, "size": 12}, {"color": words, "size": 14}
    axis = {"gridcolor": grid, "zerolinecolor": grid, "tickcolor": grid, "zeroline": False, "automargin": True,
            "tickfont": small, "showline": False, "ticks": ticks}
    return {"font": {**text, "weight": 400}, "paper_bgcolor": theme.paper, "plot_bgcolor": theme.paper,
            "legend": {"title": {"font": small, "side": "top"}, "valign": "top", "bordercolor": "transparent",
                       "borderwidth": 0, "font": {"color": ink, "size": 12}},
            "xaxis": {**axis, "showgrid": False, "title": {"font": middle, "standoff": 20}},
            "yaxis": {**axis, "showgrid": True, "ticklabelposition": "outside",
                      "title": {"font": middle, "standoff": 24}},
            "margin": {"pad": 8, "r": 0, "l": 0},
            "title": {"font": {"color": theme.ink, "size": 16}, "x": 0, "xanchor": "left", "pad": {"l": 4}},
            "hoverlabel": {"bgcolor": theme.paper, "bordercolor": border, "font": text},
            "coloraxis": {"colorbar": {"thickness": 16, "xpad": 24, "ticklabelposition": "outside", "len": 0.75,
                                       "outlinecolor": "transparent", "outlinewidth": 8, "y": 0.5745,
                                       "title": {"font": middle}, "tickfont": small}}}


def _merged(under: dict, over: dict) -> dict:
    """Both, with the values of the second where both have one."""
    result = dict(under)
    for name, value in over.items():
        both = isinstance(value, dict) and isinstance(result.get(name), dict)
        result[name] = _merged(result[name], value) if both else value
    return result


def _listed(value):
    """Small arrays as lists, undefined numbers as None."""
    if isinstance(value, dict):
        if "bdata" not in value:
            return {name: _listed(part) for name, part in value.items()}
        array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"])
        if len(array) > MOST_LISTED:
            return value
        array = array.reshape([int(size) for size in str(value.get("shape", len(array))).split(",")])
        return np.where(np.isfinite(array), array.astype(object), None).tolist() if array.dtype.kind == "f" \
            else array.tolist()
    return [_listed(part) for part in value] if isinstance(value, (list, tuple)) else value
