"""Bands are half-open and tile the range; labels at the edges are those above."""

import math

import pytest

from ragdash.bands import BANDS, Band, Bands, bands_of


@pytest.mark.parametrize("table", BANDS, ids=lambda table: f"{table.spec}: {table.source}")
def test_every_value_of_the_range_has_one_label(table):
    for value in [i / 1000 for i in range(1001)]:
        assert table.label(value) is not None


@pytest.mark.parametrize("value, label", [(0, "poor"), (0.2999, "poor"), (0.3, "fair"), (0.4392, "fair"),
                                          (0.5, "moderate"), (0.895, "good"), (0.9, "excellent"), (1.0, "excellent")])
def test_the_published_mrr_bands_without_their_holes(value, label):
    (table,) = bands_of("RR")
    assert table.label(value) == label


def test_two_sources_disagree_and_both_are_kept():
    assert {table.label(0.6) for table in bands_of("R")} == {"moderate", "below the minimum"}


def test_undefined_and_impossible_values_have_no_label():
    (table,) = bands_of("RR")
    assert table.label(math.nan) is None
    assert table.label(1.1) is None


def test_bands_that_do_not_ascend_are_refused():
    with pytest.raises(ValueError, match="ascend"):
        Bands("RR", None, "nobody", (Band("good", 0.5), Band("poor", 0.0)))
