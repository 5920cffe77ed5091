"""Pictures that leave the page: a copy with title, caption and legend, which says by itself what it shows."""

from __future__ import annotations

import html
import textwrap

import plotly.graph_objects as go

from ragdash.reporting.plots.common.theme import LIGHT, Theme, escape

WIDTH = 960  # pixels
TITLE_LENGTH, CAPTION_LENGTH = 100, 140  # characters of a line
TITLE_SIZE, CAPTION_SIZE = 15, 12  # pixels of the letters
LINE, LEGEND_LINE, GAP = 20, 21, 14  # pixels of a line of the title and of the legend, and around them
ASCENT = 11  # pixels of a letter of the title: Plotly puts the foot of the first of several lines at the top
LETTER, SYMBOL = 7.6, 45  # pixels of a letter of the legend in the widest font, and of a symbol with its gaps


def captioned(fig: go.Figure, title: str, caption: str = "", theme: Theme = LIGHT) -> go.Figure:
    """A copy of a figure with its title, a caption and a legend above it, WIDTH pixels wide, on the page's color.

    title, caption: plain text; long ones are wrapped. Every name of a trace is in the legend once, but for traces that
    the figure leaves out of legends.
    """
    copy = go.Figure(fig)
    titles, captions = textwrap.wrap(title, TITLE_LENGTH), textwrap.wrap(caption, CAPTION_LENGTH)
    lines = [f"<b>{escape(line)}</b>" for line in titles]
    small = f"font-size:{CAPTION_SIZE}px;font-weight:400;color:{theme.muted}"  # Streamlit makes all of a title bold
    lines += [f"<span style='{small}'>{escape(line)}</span>" for line in captions]
    names = _name_legend(copy)
    top = GAP + (ASCENT if len(lines) > 1 else 0)
    title_height = top + len(lines) * LINE
    above = title_height + _legend_rows(names) * LEGEND_LINE + GAP
    height, margin = (copy.layout.height or 360) + above, copy.layout.margin.to_plotly_json()
    copy.update_layout(width=WIDTH, height=height, autosize=False, paper_bgcolor=theme.paper,
                       margin={**margin, "t": (margin.get("t") or 0) + above}, showlegend=bool(names),
                       title={"text": "<br>".join(lines), "x": 0.01, "xanchor": "left", "yref": "container",
                              "y": 1 - top / height, "yanchor": "top",
                              "font": {"size": TITLE_SIZE, "color": theme.ink, "weight": 400}},
                       legend={"xref": "container", "yref": "container", "x": 0.01, "xanchor": "left",
                               "y": 1 - title_height / height, "yanchor": "top", "orientation": "h",
                               "entrywidth": _entry_width(names)})
    return copy


def _name_legend(fig: go.Figure) -> list[str]:
    """Put each name into the legend once; return the names."""
    names: list[str] = []
    for trace in fig.data:
        if trace.name is None or "showlegend" not in trace or trace.showlegend is False:
            continue
        trace.showlegend = trace.name not in names
        if trace.showlegend:
            names.append(trace.name)
    return names


def _entry_width(names: list[str]) -> int:
    """Pixels of the longest name. A saved picture may be drawn in another font than the page, so it is set."""
    return round(LETTER * max((len(html.unescape(name)) for name in names), default=0)) + 8


def _legend_rows(names: list[str]) -> int:
    columns = max(int(WIDTH // (SYMBOL + _entry_width(names))), 1)
    return -(-len(names) // columns)
