"""Cells that several sections use: a run with its sign, a mean with its interval, a difference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from ragdash.evaluation.compare import Comparison
from ragdash.evaluation.evaluate import Summary
from ragdash.reporting.plots.common.theme import COLORED, SIGNS
from ragdash.reporting.sentences import comparison
from ragdash.reporting.sentences import formatting as fmt


def look_of(slot: int) -> tuple[int | str, str]:
    """The end of the class with the color of a run, and its sign."""
    return slot if 0 <= slot < COLORED else "gray", SIGNS[slot % len(SIGNS)]


def run_cell(name: str, slot: int, note: str = "") -> Markup:
    """The name with the sign and the color that it has in every picture; note: small text below it."""
    cell = Markup('<span class="sign run-{}" aria-hidden="true">{}</span>&nbsp;<bdi>{}</bdi>').format(
        *look_of(slot), name)
    return cell + Markup('<br><span class="quiet">{}</span>').format(note) if note else cell


def mean_cell(summary: Summary, delta: Comparison | None = None, with_n: bool = False) -> Markup:
    """Mean and interval, the difference to the baseline (and n where it varies) below."""
    if not np.isfinite(summary.mean):
        return Markup('{} <span class="quiet">no query where it is defined</span>').format(fmt.UNDEFINED)
    cell = Markup('<b>{}</b> <span class="quiet">{}</span>').format(
        fmt.number(summary.mean), fmt.interval(summary).replace(" ", fmt.NBSP))
    notes = [Markup('<span class="quiet">n = {:,}</span>').format(summary.n)] if with_n else []
    if delta is not None:
        notes.append(Markup('<span class="{}">{}</span>').format(
            comparison.COLORS.get(delta.outcome, "gray"), comparison.difference_text(delta)))
    return cell + Markup("<br>") + Markup(" · ").join(notes) if notes else cell


def numbers(names: Sequence[str], columns: Sequence[Sequence[object]], first: str = "Run",
            titles: Sequence[str] = ()) -> list[list[str]]:
    """Rows of a table of plain numbers: three decimals, a dash for undefined."""
    return [[name, *(fmt.number(cell) if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int)
                     else str(cell) for cell in row)] for name, row in zip(names, zip(*columns, strict=True),
                                                                           strict=True)]


def summary_arrays(rows: Sequence[Sequence[Summary]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(mean, low, high) of summaries, each (runs, specs)."""
    arrays = [np.array([[getattr(summary, field) for summary in row] for row in rows], dtype=float)
             for field in ("mean", "low", "high")]
    return arrays[0], arrays[1], arrays[2]
