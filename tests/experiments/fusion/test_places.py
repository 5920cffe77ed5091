"""The place of chosen candidates in their lists, against a count by the definition."""

import numpy as np
import pytest

from ragdash.experiments.fusion import places as places_module
from ragdash.experiments.fusion.places import Places


def by_definition(scores: np.ndarray, starts: np.ndarray, chosen: np.ndarray) -> tuple[list[int], list[int]]:
    higher, tied = [], []
    for index, candidate in enumerate(chosen.tolist()):
        row = int(np.searchsorted(starts, candidate, "right")) - 1
        listed = scores[starts[row]:starts[row + 1]]
        higher.append(int((listed > scores[candidate]).sum()))
        if (listed == scores[candidate]).sum() > 1:
            tied.append(index)
    return higher, tied


LENGTHS = {"even": [7] * 9, "skewed": [300, 1, 1, 2, 0, *[1] * 8], "one": [5], "empty lists": [0, 4, 0, 6, 0]}


@pytest.mark.parametrize("few", [0, 10**9], ids=["looked up", "compared"])
@pytest.mark.parametrize("levels", [2, 5, 1000])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_places_are_those_of_the_definition(monkeypatch, lengths, missing, levels, few):
    monkeypatch.setattr(places_module, "FEW", few)
    random = np.random.default_rng([len(lengths), levels, int(10 * missing)])
    starts = np.concatenate(([0], np.cumsum(lengths)))
    for _ in range(20):
        scores = random.integers(-levels, levels, starts[-1]) / 3
        chosen = np.flatnonzero(random.random(len(scores)) < 0.5)
        scores[random.random(len(scores)) < missing] = np.nan
        places = Places(starts, chosen)
        higher, tied = places.under(scores)
        expected, with_ties = by_definition(scores, starts, chosen)
        scored = ~np.isnan(scores[chosen])
        assert higher[scored].tolist() == np.array(expected)[scored].tolist()
        assert tied.tolist() == with_ties
        pairs = [(index, other) for index, row in enumerate(tied) for other in range(*starts[places.lists[row]:][:2])
                 if scores[other] == scores[chosen[row]]]
        assert list(zip(*(part.tolist() for part in places.equals(scores, tied)), strict=True)) == pairs


@pytest.mark.parametrize("few", [0, 10**9], ids=["looked up", "compared"])
def test_infinite_scores_and_neighbors_in_the_last_bit_keep_their_order(monkeypatch, few):
    monkeypatch.setattr(places_module, "FEW", few)
    above = np.nextafter(1.0, 2.0)
    scores = np.array([1.0, above, np.inf, -np.inf, np.inf, 1.0, above])
    higher, tied = Places(np.array([0, 7]), np.arange(7)).under(scores)
    assert higher.tolist() == [4, 2, 0, 6, 0, 4, 2]
    assert tied.tolist() == [0, 1, 2, 4, 5, 6]


def test_nothing_chosen_has_no_place():
    higher, tied = Places(np.array([0, 2]), np.zeros(0, np.int64)).under(np.array([1.0, 2.0]))
    assert len(higher) == len(tied) == 0
