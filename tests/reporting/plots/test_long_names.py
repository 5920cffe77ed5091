"""Long names in pictures: above the lines of the means, where a phone has room for them and for the intervals."""

import numpy as np
import pytest

from ragdash.core.text.short_names import PAGE_NAME
from ragdash.reporting.plots import leaderboard
from ragdash.reporting.plots.common.theme import LIGHT, Axis

UNIT = Axis("NDCG@10", 0.0, 1.0, "higher")


@pytest.mark.parametrize("many", [3, 30])
def test_long_names_take_no_width_from_the_intervals_and_short_ones_stay_next_to_them(many):
    values = np.linspace(0.3, 0.7, many)
    long, short = ([f"{word}-chunk{number:03}" for number in range(many)] for word in ("bge-m3-reranked", "a"))
    figures = [leaderboard.means(names, list(range(many)), values, values - 0.1, values + 0.1, np.full(many, 50),
                                 axis=UNIT) for names in (long, short)]
    above = [note for note in figures[0].layout.annotations if note.x == 0]
    assert [note.text for note in above] == long[::-1] and max(map(len, long)) <= PAGE_NAME
    assert figures[0].layout.yaxis.showticklabels is False and {note.yshift for note in above} == {leaderboard.ABOVE}
    assert figures[1].layout.yaxis.showticklabels and not [note for note in figures[1].layout.annotations if not note.x]
    assert {note.bgcolor for note in above} == {LIGHT.paper}, "the line of the baseline does not cross a name"
    assert figures[0].layout.height > figures[1].layout.height
