"""Ranking: what is said where no query has a relevant document."""

from __future__ import annotations

from page_cases import address, charts, opened, texts

from ragdash.core.records import Run, Truth


def test_without_a_relevant_document_no_share_is_called_zero():
    truth = Truth.build("truth", ["q1", "q2"], ["a", "b"], [0, 0])
    at = opened("ranking", **address(truth, [Run.build("run", ["q1", "q2"], ["a", "b"])]))
    assert "No query here has a relevant document" in texts(at)
    assert "0%" not in texts(at) and "first_rank" not in charts(at)
