"""Pictures that have not changed are not built again: building them was a third of a page's processor time."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from hashlib import blake2b
from typing import ParamSpec, cast

from ragdash.dashboard.caches.shared_cache import shared
from ragdash.reporting.plots.common.theme import Figure

P = ParamSpec("P")


def draw(plot: Callable[P, Figure], *args: P.args, **kwargs: P.kwargs) -> Figure:
    """The figure that a function of `reporting.plots` makes of these arguments. It is shared: nobody changes it.

    The key is a digest of the pickled arguments: arrays, names, axes, theme. Equal arguments may get two keys (pickle
    writes the same object twice as a reference), different ones never get one.

    Examples
    --------
    >>> from ragdash.reporting.plots import precision_recall
    >>> import numpy as np
    >>> curves = draw(precision_recall.interpolated, ["dense"], [0], np.array([0.0, 1.0]), np.array([[1.0, 0.5]]))
    >>> len(curves.data)
    1
    """
    facts = blake2b(pickle.dumps((args, kwargs), protocol=5), digest_size=16).digest()
    return cast(Figure, _drawn(f"{plot.__module__}.{plot.__qualname__}", facts, _draw=lambda: plot(*args, **kwargs)))


@shared(max_entries=256)
def _drawn(plot: str, facts: bytes, _draw: Callable[[], Figure]) -> Figure:
    """The figure, which converts itself to plain values for the page only once: that is most of the cost of a chart."""
    figure = _draw()
    plain = figure.to_dict()
    vars(figure)["to_dict"] = lambda: dict(plain)
    return figure
