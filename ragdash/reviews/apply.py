"""A truth with what a person said of it."""

from __future__ import annotations

from ragdash.records import Truth
from ragdash.reviews.events import Reviews


def reviewed(truth: Truth, reviews: Reviews, *, leave_out: bool = False) -> Truth:
    """The truth with the judgements applied; leave_out: without the queries whose gold was found wrong (all runs)."""
    raise NotImplementedError


def judged_only(reviews: Reviews, name: str = "reviews") -> Truth:
    """The judgements of the reviews alone, as a truth (to be written in any format)."""
    raise NotImplementedError
