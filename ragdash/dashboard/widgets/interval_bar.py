"""A mean with its confidence interval as a small bar, on a scale that several bars share.

No streamlit here.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from ragdash.evaluation.evaluate import Summary
from ragdash.reporting.plots.common.theme import Look, Theme
from ragdash.reporting.sentences.formatting import number

MARGIN = 0.06  # of the scale, left free at each end so that no mark is cut


def shared_scale(summaries: Sequence[Summary]) -> tuple[float, float] | None:
    """From the lowest to the highest end of all intervals; None for fewer than two, or where nothing differs.

    Examples
    --------
    >>> from ragdash import parse_specs
    >>> rr = parse_specs("RR")[0]
    >>> shared_scale([Summary(rr, 0.5, 0.4, 0.6, 9, 0), Summary(rr, 0.7, 0.6, 0.8, 9, 0)])
    (0.4, 0.8)
    """
    ends = np.array([(summary.low, summary.high) for summary in summaries if _is_drawn(summary)])
    if len(ends) < 2 or not ends.max() > ends.min():
        return None
    return float(ends.min()), float(ends.max())


def interval_bar_html(summary: Summary, scale: tuple[float, float], look: Look, theme: Theme,
                      reference: float = np.nan) -> str:
    """The bar as HTML, with its numbers for screen readers; "" where the interval is undefined.

    Parameters
    ----------
    summary
        The mean and its interval.
    scale
        (low, high): the values at the two ends of the bar.
    look, theme
        The run's color and symbol; the colors of the page.
    reference
        Where a thin line crosses the bar, such as the baseline's mean; NaN: no line.
    """
    if not _is_drawn(summary):
        return ""
    left, center, right, line = (_percent(value, scale) for value in (
        summary.low, summary.mean, summary.high, reference))
    crossing = "" if np.isnan(line) else (
        f'<div style="position:absolute;left:{line:.2f}%;top:0;bottom:0;border-left:1px dashed {theme.muted}"></div>')
    text = f"{number(summary.mean)}, 95% interval from {number(summary.low)} to {number(summary.high)}"
    return (
        f'<div role="img" aria-label="{escape(text)}" style="position:relative;height:18px">'
        f'<div style="position:absolute;left:0;right:0;top:8px;height:2px;background:{theme.grid}"></div>{crossing}'
        f'<div style="position:absolute;left:{left:.2f}%;width:{right - left:.2f}%;top:6px;height:6px;'
        f'border-radius:3px;background:{look.translucent(0.4)}"></div>'
        f'<div style="position:absolute;left:{center:.2f}%;top:9px;transform:translate(-50%,-50%);line-height:1;'
        f'font-size:18px;color:{look.color}">{look.sign}</div></div>')


def _is_drawn(summary: Summary) -> bool:
    return bool(np.isfinite([summary.mean, summary.low, summary.high]).all())


def _percent(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return 100 * (MARGIN + (1 - 2 * MARGIN) * (value - low) / (high - low))
