"""Values of a metric in sentences and on cards: shares of queries or answers in percent, others with three decimals."""

from __future__ import annotations

import numpy as np

from ragdash.core.text.template import percent
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec
from ragdash.reporting.sentences.formatting import NBSP, interval, number, percent_interval


def value_text(spec: Spec, value: float) -> str:
    """A value of a metric.

    Examples
    --------
    >>> from ragdash.metrics import read_spec
    >>> value_text(read_spec("nDCG@10"), 0.525), value_text(read_spec("file:verdict(label='Correct')"), 0.525)
    ('0.525', '53%')
    """
    return percent(value) if spec.average == "share" else number(value)


def estimate_text(summary: Summary) -> str:
    """A value and its interval: 0.710 [0.660, 0.760], 71% [66%, 76%]."""
    ends = percent_interval(summary) if summary.spec.average == "share" else interval(summary)
    return f"{value_text(summary.spec, summary.mean)} {ends}".rstrip()


def gain_text(spec: Spec, gain: float, *, signed: bool = False) -> str:
    """A difference of two values of a metric.

    Examples
    --------
    >>> from ragdash.metrics import read_spec
    >>> gain_text(read_spec("nDCG@10"), 0.055, signed=True)
    '+0.055'
    >>> gain_text(read_spec("file:verdict(label='Correct')"), 0.055).replace(NBSP, " ")
    '5.5 points'
    """
    return points(gain, signed=signed) if spec.average == "share" else number(gain, signed=signed)


def gain_estimate(spec: Spec, gain: float, low: float, high: float) -> str:
    """A difference with its interval: +0.055 [−0.031, +0.130], +5.5 points [−3.1, +13.0]."""
    ends = (points(end, signed=True, unit=False) if spec.average == "share" else number(end, signed=True)
            for end in (low, high))
    return f"{gain_text(spec, gain, signed=True)} [{', '.join(ends)}]"


def points(gain: float, *, signed: bool = False, unit: bool = True) -> str:
    """A difference of two shares in points of percent, halves away from zero; unit: with the word.

    Examples
    --------
    >>> points(0.0125, signed=True, unit=False), points(-0.0125, signed=True, unit=False)
    ('+1.3', '−1.3')
    """
    rounded = number(100 * gain + np.copysign(1e-9, gain), 1, signed)
    return f"{rounded}{NBSP}points" if unit and np.isfinite(gain) else rounded
