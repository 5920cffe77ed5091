"""The picture of the one page without a script: means and intervals of the runs, drawn by HTML and the style sheet.

It follows the appearance of the page, its width and the printer, and needs some hundred characters a run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from ragdash.evaluation.compare import best_first
from ragdash.reporting.html.cells import look_of, run_cell
from ragdash.reporting.plots.common.axes import Axis
from ragdash.reporting.plots.leaderboard import interval_range, towards_better
from ragdash.reporting.sentences import formatting as fmt

TICKS = 5  # numbers below the picture, about

_ROW = Markup('<div class="dots-row"><span class="dots-name">{}</span><span class="dots-track">{}</span>'
              '<span class="dots-value">{}</span></div>')
_INTERVAL = Markup('<i class="dots-bar run-{look}" style="left:{low:.2f}%;width:{width:.2f}%"></i>'
                   '<i class="dots-mark run-{look}" style="left:{mean:.2f}%">{sign}</i>')


def means_picture(names: Sequence[str], slots: Sequence[int], mean: np.ndarray, low: np.ndarray, high: np.ndarray, *,
                  axis: Axis, baseline: int | None = None) -> Markup:
    """A line for each run, best on top: its mean as a sign, its interval as a bar.

    mean, low, high: (N,), NaN where undefined, which is said. baseline: the run whose mean is a dashed line.
    """
    ends = interval_range(axis, np.concatenate([mean, low, high])) or [0.0, 1.0]

    def place(value: float) -> float:
        return 100 * (value - ends[0]) / (ends[1] - ends[0])

    line = Markup("")
    if baseline is not None and np.isfinite(mean[baseline]):
        line = Markup('<i class="dots-base" style="left:{:.2f}%"></i>').format(place(mean[baseline]))
    rows = []
    for run in best_first(mean, axis.better):
        name = run_cell(names[run], slots[run])
        if not np.isfinite(mean[run]):
            rows.append(_ROW.format(name, line, "undefined"))
            continue
        first, last = (end if np.isfinite(end) else mean[run] for end in (low[run], high[run]))
        look, sign = look_of(slots[run])
        bar = _INTERVAL.format(look=look, sign=sign, low=place(first), width=place(last) - place(first),
                               mean=place(mean[run]))
        rows.append(_ROW.format(name, line + bar, fmt.number(mean[run])))
    ticks = Markup("").join(Markup('<span style="left:{:.2f}%">{}</span>').format(place(tick), f"{tick:.3g}")
                            for tick in round_ticks(*ends))
    title = Markup('<p class="dots-title">{}{}{}</p>').format(
        axis.label, towards_better(axis), " · dashed line: mean of the baseline" if line else "")
    return Markup('<div class="dots" aria-hidden="true">{}{}{}</div>').format(
        Markup("").join(rows), _ROW.format("", ticks, "").replace("dots-row", "dots-row dots-axis"), title)


def round_ticks(low: float, high: float) -> list[float]:
    """Round numbers from low to high, about TICKS.

    Examples
    --------
    >>> round_ticks(0.59, 0.82), round_ticks(3, 190)
    ([0.6, 0.65, 0.7, 0.75, 0.8], [50.0, 100.0, 150.0])
    """
    rough = (high - low) / TICKS
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(factor for factor in (1, 2, 2.5, 5, 10) if rough <= factor * power * 1.0001)
    count = range(int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9)) + 1)
    return [round(float(index * step), 12) for index in count]
