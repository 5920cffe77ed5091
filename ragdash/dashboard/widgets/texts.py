"""Texts of files as HTML: always shown as they are written, never interpreted, cut where they are very long.

No streamlit here.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from math import ceil
from typing import TYPE_CHECKING

from ragdash.analysis.unsupported_words import Spans
from ragdash.core.terms import TERMS, tooltip
from ragdash.core.text.quoted import cut_end
from ragdash.metrics import Spec
from ragdash.reporting.plots.common import margins
from ragdash.reporting.sentences.formatting import UNDEFINED, escape

if TYPE_CHECKING:
    import pandas as pd

LONGEST = 20_000  # characters of a text that are shown
CELL = 300  # characters of a text in a table
SIZE, AIR, ELLIPSIS = 14, 18, 17  # pixels of the font of a table, around a text, and of " …"
WIDEST = 500  # pixels that a column of texts gets unless it has a width
MEASURED = 10  # rows by which Streamlit sets the width of a column
EXPLAINED = {r"\bCI\b": "confidence_interval", r"\bunjudged\b": "unjudged", r"\b(an? (LLM )?|the )judge\b": "llm_judge",
             r"\bHolm\b": "holm", r"\bz-score\b": "z_score", r"\bcascade\b": "cascade",
             r"\bfus(e|ed|es|ing|ion)\b": "hybrid", r"\bheld[ -]out\b": "held_out", r"\bShapley value": "shapley_value",
             r"\bPareto front\b": "pareto_front", r"\bP(50|90|99)\b": "percentiles", r"\bkappa\b": "kappa",
             r"\bCronbach's alpha\b": "cronbachs_alpha", r"\bdiscrimination\b": "discrimination"}
"""Words of the field that sentences of pages use -> their terms."""


def term_help(text: str, specs: Iterable[Spec] = ()) -> str | None:
    """Explain the words of the field that a sentence uses, as the text behind its question mark; None where none is.

    specs: metrics that the sentence is about.

    Examples
    --------
    >>> term_help("Holm's correction").startswith("**Holm's correction**: Makes the p-values of several")
    True
    >>> term_help("No clear difference") is None
    True
    """
    metrics = [f"**{escape(spec.title)}**: {escape(spec.metric.summary_line)}" for spec in specs
               if not spec.file_column]
    terms = [f"**{TERMS[name].name}**: {tooltip(name)}" for pattern, name in EXPLAINED.items()
             if re.search(pattern, text, re.IGNORECASE)]
    return "  \n".join([*metrics, *terms]) or None


def bulleted(lines: Sequence[str]) -> str:
    """Lines as a list in Markdown; a single line is a sentence."""
    return "\n".join(f"- {line}" for line in lines) if len(lines) > 1 else "".join(lines)


def shortened(text: str | None, limit: int = CELL) -> str | None:
    """A text on one line, as much of it as a table shows."""
    if text is None:
        return None
    line = cut_end(" ".join(text[:4 * limit].split()), limit)
    return line if len(text) <= 4 * limit or line.endswith("…") else f"{line} …"


def cell_text(text: object, room: float) -> str:
    """As many words of a text as a cell has room for, in pixels."""
    if not isinstance(text, str):
        return UNDEFINED if text is None else str(text)
    if margins.letters_that_fit(text, SIZE, room) == len(text):
        return text
    return cut_end(text, margins.letters_that_fit(text, SIZE, room - ELLIPSIS) + 2)  # 2: " …"


def text_width(texts: Iterable[object]) -> int:
    """Pixels of a column of a table in which none of these texts is clipped."""
    return ceil(max((margins.text_width(html.escape(str(text)), SIZE) for text in texts), default=0)) + AIR


def widths_of_later_texts(table: pd.DataFrame) -> dict[str, int]:
    """Columns of texts whose widest text comes after the rows by which Streamlit sets their width, which would clip it.

    None of tables with two columns of one name.
    """
    if len(table) <= MEASURED or not table.columns.is_unique:
        return {}
    result = {}
    for name in table.columns[1:]:
        texts = [text for text in table[name] if isinstance(text, str)] if table[name].dtype.kind not in "biufM" else []
        needed = text_width(texts)
        if texts and needed > text_width([name, *(text for text in table[name][:MEASURED] if isinstance(text, str))]):
            result[name] = min(needed, WIDEST)
    return result


def joined_references(references: Iterable[str]) -> str | None:
    """All right answers of a query in a cell, None where none is known."""
    return shortened(" / ".join(references)) or None


def text_html(text: str | None) -> str:
    """A text as HTML, cut where it is very long; a dash for none, a word for an empty one."""
    if text is None:
        return UNDEFINED
    return html.escape(text[:LONGEST]) if text.strip() else "<i>empty</i>"


def paragraph_html(inner: str) -> str:
    """A paragraph that keeps its lines and reads from the side that its script begins at."""
    return f'<div dir="auto" style="white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.6">{inner}</div>'


def list_html(texts: Sequence[str], max_items: int, limit: int) -> str:
    """Texts as an HTML list: at most `most`, each cut at `limit` characters."""
    rows = [f"<li>{paragraph_html(html.escape(cut_end(text, limit)))}</li>"
            for text in texts[:max_items]]
    return f'<ol style="padding-left:1.4em;margin:0">{"".join(rows)}</ol>'


def merged(spans: Spans) -> Spans:
    """Places in order, those that overlap or touch made one."""
    merged_spans: Spans = []
    for start, stop in sorted(spans):
        if merged_spans and start <= merged_spans[-1][1]:
            merged_spans[-1] = (merged_spans[-1][0], max(stop, merged_spans[-1][1]))
        else:
            merged_spans.append((start, stop))
    return merged_spans


def highlighted_html(text: str, spans: Spans, color: str, title: str, limit: int = LONGEST) -> str:
    """The text as HTML, cut at `limit`, with these places marked in a color (#rrggbb); title: what the mark says."""
    style = f"background:{tint(color)};color:inherit;border-radius:3px;border-bottom:2px solid {color}"
    fragments, position = [], 0
    for start, stop in merged(spans):
        start, stop = min(start, limit), min(stop, limit)
        if stop <= start:
            continue
        fragments += [html.escape(text[position:start]), f'<mark style="{style}" title="{html.escape(title)}">',
                  html.escape(text[start:stop]), "</mark>"]
        position = stop
    return "".join([*fragments, html.escape(text[position:limit]), " …" if len(text) > limit else ""])


def tint(color: str, opacity: float = 0.16) -> str:
    """A color #rrggbb as a background."""
    red, green, blue = (int(color[index:index + 2], 16) for index in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"
