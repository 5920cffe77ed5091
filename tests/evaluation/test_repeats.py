"""Repeats: groups, the mean over repeats first, and where the noise comes from."""

from __future__ import annotations

import html
import json
from dataclasses import replace

import numpy as np
import pytest

import ragdash
from ragdash import InputError
from ragdash.cli.main import main
from ragdash.core.records import Run, Truth
from ragdash.evaluation.curves import curves
from ragdash.evaluation.evaluate import evaluate
from ragdash.evaluation.repeats import group_names, mean_over_repeats, merged_groups, repeat_groups, repeat_spreads
from ragdash.evaluation.stats.variance_components import components_of_difference, variance_components
from ragdash.matching.match import Match
from ragdash.reporting.sentences.runs.repeats import design_sentence, noise_sentence

TRUTH = {f"q{i}": ["a"] for i in range(12)}
RANKS = {("dense", 1): [1, 2] * 6, ("dense", 2): [1, 1] * 6, ("hybrid", 1): [1] * 12, ("hybrid", 2): [1] * 11 + [2]}


@pytest.fixture
def runs(tmp_path) -> list[Run]:
    recorded = []
    for (name, _), ranks in RANKS.items():
        with ragdash.record(name, group="nightly", folder=tmp_path / "logs") as run:
            for number, rank in enumerate(ranks):
                run.add(f"q{number}", ["x"] * (rank - 1) + ["a"], latency_ms=1.0)
        recorded.append(run.result())
    return recorded


def test_the_components_are_those_of_a_case_worked_by_hand():
    # means of queries 0.3 and 0.8, of repeats 0.4 and 0.7, of all 0.55; mean squares 0.25, 0.09 and 0.01
    found = variance_components(np.array([[0.2, 0.4], [0.6, 1.0], [np.nan, 1.0]]))
    assert (found.Q, found.R) == (2, 2)
    assert [found.queries, found.repeats, found.rest] == pytest.approx([0.12, 0.04, 0.01])
    assert found.standard_error() ** 2 == pytest.approx(0.12 / 2 + 0.04 / 2 + 0.01 / 4)
    assert found.standard_error(4, 1) ** 2 == pytest.approx(0.12 / 4 + 0.04 + 0.01 / 4)
    assert found.share_of_queries == pytest.approx(0.06 / 0.0825)
    # differences of the means of queries: 0.3 - 0.1 and 0.8 - 0.5, variance 0.005, less 0.01 / 2 of each side
    other = np.array([[0.1, 0.1], [0.4, 0.6]])
    difference = components_of_difference(np.array([[0.2, 0.4], [0.6, 1.0]]), other)
    assert variance_components(other).rest == pytest.approx(0.01)
    assert difference.queries == 0.0 and difference.rest == pytest.approx(0.02)
    assert difference.repeats == pytest.approx(0.04)  # of the baseline 0: 2 * 0.01 / 2 - 0.01 is not above 0
    assert np.isnan(variance_components(np.ones((5, 1))).queries)
    assert np.isnan(variance_components(np.ones((1, 3))).standard_error())
    assert np.isnan(variance_components(np.ones((3, 3))).share_of_queries)


@pytest.mark.parametrize(("queries", "repeats", "rest"), [(0.04, 0.0, 0.01), (0.01, 0.002, 0.05), (0.0, 0.01, 0.01)])
def test_simulated_components_and_standard_errors_are_found(queries, repeats, rest):
    generator = np.random.default_rng(20)

    def simulate(Q: int, R: int) -> np.ndarray:
        return (generator.normal(0, np.sqrt(queries), (Q, 1)) + generator.normal(0, np.sqrt(repeats), (1, R))
                + generator.normal(0, np.sqrt(rest), (Q, R)))

    found = [variance_components(simulate(60, 3)) for _ in range(1500)]
    assert np.mean([one.rest for one in found]) == pytest.approx(rest, rel=0.02)
    assert np.mean([one.queries for one in found]) == pytest.approx(queries, rel=0.05, abs=0.001)
    assert np.mean([one.repeats for one in found]) == pytest.approx(repeats, rel=0.1, abs=0.0003)
    for Q, R in ((60, 3), (180, 1)):
        spread = np.std([simulate(Q, R).mean() for _ in range(3000)])
        true = np.sqrt(queries / Q + repeats / R + rest / (Q * R))
        assert spread == pytest.approx(true, rel=0.04)
        predicted = np.mean([one.standard_error(Q, R) ** 2 for one in found]) ** 0.5
        assert predicted == pytest.approx(true, rel=0.07, abs=0.004)


def test_means_are_over_repeats_first(runs):
    truth = Truth.from_dict(TRUTH)
    evaluations = [evaluate(run, truth, "RR") for run in runs]
    groups = repeat_groups(runs)
    assert groups == [[0, 1], [2, 3]] and group_names(runs, groups) == ["dense", "hybrid"]
    merged_runs, merged = merged_groups(runs, evaluations)
    assert [run.name for run in merged_runs] == [one.name for one in merged] == ["dense", "hybrid"]
    assert merged[0].column("RR").tolist() == [1.0, 0.75] * 6
    dense, hybrid, difference = repeat_spreads(evaluations, runs)
    assert (dense.name, dense.repeats, dense.mean) == ("dense", 2, 0.875)
    assert dense.between == pytest.approx(np.std([0.75, 1.0], ddof=1))
    assert dense.within == pytest.approx(np.sqrt(6 * 0.125 / 12))
    assert not dense.same_rankings and hybrid.mean == pytest.approx(1 - 0.25 / 12)
    assert difference.name == "hybrid - dense" and difference.mean == pytest.approx(hybrid.mean - 0.875)
    assert repeat_spreads(evaluations[1:3], runs[1:3]) == []
    assert merged_groups(runs[:2], evaluations[:2]) == (runs[:2], evaluations[:2])


def test_the_sentences_say_what_to_run_next(runs):
    truth = Truth.from_dict(TRUTH)
    dense = repeat_spreads([evaluate(run, truth, "RR") for run in runs], runs)[0]
    # queries differ by 0.25 / 2 in the mean of the repeats, as much as their repeats do
    assert noise_sentence(dense).startswith("dense: ")
    assert "running it again" in noise_sentence(dense) and "same rankings" not in noise_sentence(dense)
    assert noise_sentence(replace(dense, same_rankings=True)).endswith(
        "The repeats returned the same rankings: what differs comes from the answers or their judge.")
    once, repeated = dense.components.standard_error(24, 1), dense.components.standard_error()
    assert once > repeated and design_sentence(dense) == (
        f"For the same cost, 2 repeats of 12 queries ({repeated:.3f}) would be better than 24 queries once "
        f"({once:.3f}): the standard error is smaller.")
    same = repeat_spreads([evaluate(run, truth, "RR") for run in (runs[1], runs[1])], [runs[1], runs[1]])[0]
    assert same.same_rankings and noise_sentence(same) == "dense: all queries and repeats have the same value of MRR."


def test_compare_merges_repeats_on_the_command_line(runs, tmp_path, capfdbinary):
    ragdash.io.write_truth(Truth.from_dict(TRUTH), tmp_path / "truth.jsonl")
    folders = [str(path) for path in sorted((tmp_path / "logs").iterdir()) if path.is_dir()]
    command = ["compare", *folders, "--truth", str(tmp_path / "truth.jsonl"), "-m", "RR"]
    assert main([*command, "--accept", "few-queries"]) == 0
    out = capfdbinary.readouterr().out.decode()
    rows = [line.split() for line in out.splitlines() if line.startswith(("dense", "hybrid "))]
    assert ["dense", "MRR", "2", "0.875"] in [row[:4] for row in rows]
    assert "hybrid - dense" in out and "Means are over repeats first, then over queries." in out
    assert main([*command, "--format", "json"]) == 0
    document = json.loads(capfdbinary.readouterr().out)
    assert [row["candidate"] for row in document["comparisons"]] == ["hybrid"]
    assert [row["run"] for row in document["repeats"]] == ["dense", "hybrid", "hybrid - dense"]
    assert document["repeats"][0]["variance"].keys() == {"queries", "repeats", "rest"}


def test_compare_in_python_merges_repeats_and_says_which_noise_dominates(runs, tmp_path):
    table = ragdash.compare(runs[0], runs[1:], "RR P@1", truth=TRUTH, accept=["few-queries"])
    merged = merged_groups(runs, [evaluate(run, Truth.from_dict(TRUTH), "RR P@1") for run in runs])[1]
    assert table == ragdash.compare(merged[0], merged[1:]) and [[pair.candidate for pair in row] for row in table] == [
        ["hybrid", "hybrid"]]
    assert table[0][0].mean_difference == pytest.approx(1 - 0.25 / 12 - 0.875) and table.verdict.best == "hybrid"
    dense, _, difference = table.summary().splitlines()[-3:]
    assert dense.startswith("dense: ") and "running it again" in dense and "For the same cost, 2 repeats of 12" in dense
    assert difference.startswith("hybrid - dense: ")
    evaluations = [evaluate(run, Truth.from_dict(TRUTH), specs) for run, specs in zip(
        runs, ("RR P@1", "RR", "RR", "P@1 RR"), strict=True)]
    assert ragdash.compare(evaluations[0], evaluations[1:], "RR")[0][0] == table[0][0]
    single = ragdash.compare(runs[0], runs[1:], "RR", truth=TRUTH, repeats="single")
    assert [row[0].candidate for row in single] == ["dense (2)", "hybrid", "hybrid (2)"]
    assert "hybrid - dense" in single.summary()
    alone = ragdash.compare(runs[0], [runs[1]], "RR", truth=TRUTH)
    assert [row[0].candidate for row in alone] == ["dense (2)"], "repeats alone are compared with each other"
    text = html.unescape(table.report(tmp_path / "page.html").read_text())
    assert "dense is the mean of 2 repeats" in text and "hybrid - dense: " in text and "queries once" in text
    assert len(table.plot("means").data) and table.plot("first-rank").data
    with pytest.raises(ragdash.InputError, match="mean or single"):
        ragdash.compare(runs[0], runs[1:], "RR", truth=TRUTH, repeats="median")


def test_a_report_shows_repeats_as_one_line_with_their_spread(runs, tmp_path):
    folders = sorted(str(path) for path in (tmp_path / "logs").iterdir() if path.is_dir())
    truth = tmp_path / "truth.jsonl"
    ragdash.io.write_truth(Truth.from_dict(TRUTH), truth)
    page = tmp_path / "page.html"
    assert main(["report", *folders, "--truth", str(truth), "-m", "RR", "--baseline", "dense", "-o", str(page)]) == 0
    text = html.unescape(page.read_text())
    # the means of dense are 0.75 and 1, those of hybrid 1 and 23.5 / 24: their SDs are the differences / sqrt(2)
    assert "dense is the mean of 2 repeats (standard deviation of their MRR: 0.177)" in text
    assert "hybrid is the mean of 2 repeats (standard deviation of their MRR: 0.029)" in text
    assert "2 runs on 12 queries" in text and "<b>0.875</b>" in text and "<b>0.979</b>" in text
    assert "dense #1" not in text


def test_curves_of_repeats_are_means_over_repeats_first(runs):
    matches = [Match(run, Truth.from_dict(TRUTH)) for run in runs[:2]]
    first = np.array([1])
    merged, single = curves(matches, ["P"], first), [curves(match, ["P"], first) for match in matches]
    # P@1 of the queries is 1 and 0 in turn in the first repeat, 1 in the second: 1 and 0.5 in turn, a narrower interval
    assert [part.mean["P"][0] for part in single] == [0.5, 1.0]
    assert merged.mean["P"][0] == 0.75 and merged.n["P"] == 12
    assert merged.high["P"][0] - merged.low["P"][0] < single[0].high["P"][0] - single[0].low["P"][0]


def test_without_a_query_nothing_is_known_of_the_noise():
    components = variance_components(np.full((3, 2), np.nan))
    assert components.Q == 0 and np.isnan(components.standard_error()) and np.isnan(components.share_of_queries)


def test_evaluations_of_other_queries_or_metrics_are_no_repeats():
    truth = {"q1": ["a"], "q2": ["b"], "q3": ["c"]}

    def evaluated(queries: tuple[str, ...], metrics: str):
        return evaluate({query: ["a"] for query in queries}, {query: truth[query] for query in queries}, metrics)

    mine = evaluated(("q1", "q2"), "RR P@1")
    for queries in (("q2", "q1"), ("q1", "q3"), ("q1",)):
        with pytest.raises(InputError, match="other queries"):
            mean_over_repeats([mine, evaluated(queries, "RR P@1")])
    with pytest.raises(InputError, match="without Precision@1"):
        mean_over_repeats([mine, evaluated(("q1", "q2"), "RR")])
    again = mean_over_repeats([mine, evaluated(("q1", "q2"), "P@1 RR")])
    assert again.frame().equals(mine.frame()), "the metrics may have another order"
