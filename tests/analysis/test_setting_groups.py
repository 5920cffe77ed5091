"""Runs grouped by settings: means over queries of the mean of a group's runs, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ragdash.analysis.variants.setting_groups import ALL, group_by_settings, varying_settings
from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import evaluate, summaries
from ragdash.metrics import parse_specs

QUERIES = [f"q{index}" for index in range(6)]
RR = parse_specs("RR")[0]


def run_at(name: str, ranks: list[int], queries: list[str] = QUERIES) -> Run:
    """A run whose relevant document is at these ranks."""
    rows = [(query, doc) for query, rank in zip(queries, ranks, strict=True)
            for doc in [*(f"x{place}" for place in range(rank - 1)), "a"]]
    return Run.build(name, *map(list, zip(*rows, strict=True)))


def test_a_group_is_the_mean_of_its_runs_on_the_queries_that_all_of_them_have():
    truth = Truth.build("truth", QUERIES, ["a"] * 6, np.ones(6, int))
    runs = [run_at("one", [1, 2, 1, 2, 1, 2]), run_at("two", [2, 2, 2, 2, 2, 2]), run_at("three", [1] * 6),
            run_at("other", [4] * 6)]
    settings = [{"model": "b", "k": "5"}, {"model": "b", "k": "10"}, {"model": "b", "k": "10"}, {"model": "a"}]
    evaluations = [evaluate(run, truth, "RR") for run in runs]
    grid = group_by_settings(evaluations, settings, RR, "model", "k")
    assert (grid.rows, grid.columns) == (("b",), ("5", "10")), "numbers are sorted by size"
    assert dict(grid.runs) == {(0, 0): (0,), (0, 1): (1, 2)}, "a run without one of the settings is in no cell"
    assert grid.mean.tolist() == [[0.75, 0.75]] and grid.n.tolist() == [[6, 6]]
    [[alone]] = summaries([evaluations[0]])
    assert (grid.low[0, 0], grid.high[0, 0]) == (alone.low, alone.high), "one run has the interval of the leaderboard"
    by_model = group_by_settings(evaluations, settings, RR, "model")
    assert (by_model.rows, by_model.columns) == (("a", "b"), (ALL,))
    assert by_model.mean[:, 0] == pytest.approx([0.25, 0.75])


def test_an_empty_cell_and_a_query_without_a_value_are_undefined_never_zero():
    truth = Truth.build("truth", QUERIES, ["a"] * 6, [1, 1, 1, 1, 1, 0])
    runs = [run_at("one", [1] * 6), run_at("two", [2] * 6)]
    evaluations = [evaluate(run, truth, "RR") for run in runs]
    grid = group_by_settings(evaluations, [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}], RR, "a", "b")
    assert np.isnan(grid.mean).tolist() == [[False, True], [True, False]]
    assert grid.n.tolist() == [[5, 0], [0, 5]] and np.isnan(grid.low[0, 1])


def test_only_settings_in_which_runs_differ_group_them():
    assert varying_settings([{"k": "5", "x": "1"}, {"k": "5", "x": "2"}]) == ["x"]
    assert varying_settings([{}, {"k": "5"}]) == ["k"], "a run without the setting differs too"
    assert varying_settings([]) == []
