"""Speed and cost in the report: the same numbers as ragdash.evaluation.latency_cost, of the queries that count, by
the price table.
"""

from __future__ import annotations

import html
from dataclasses import replace

import numpy as np
import pyarrow as pa
from helpers import truth_of
from hostile import BAD

from ragdash.cli.main import main
from ragdash.core.records import Run
from ragdash.evaluation import latency_cost
from ragdash.evaluation.latency_cost import Price, PriceTable
from ragdash.matching.match import Match
from ragdash.reporting.html.content import ReportContent, ReportRequest
from ragdash.reporting.html.report_page import build_report
from ragdash.reporting.html.sections.latency_cost import (
    cost_note,
    latency_cost_section,
    spending_column,
)
from ragdash.reporting.sentences.latency_cost import duration, money

MANY = 40
IDS = [f"q{at}" for at in range(MANY)]


def run(name: str, shift: int, seed: int, **more) -> Run:
    """A run that finds what is right first in the first half of its queries, with tokens and times."""
    rng = np.random.default_rng(seed)
    first = np.where(np.arange(MANY) < MANY // 2 + shift, "a", "x")
    details = pa.table({"query_id": IDS, "latency_ms": rng.gamma(4, 20, MANY), "prompt_tokens": np.full(MANY, 1000),
                        "completion_tokens": np.full(MANY, 500), **more})
    return Run.build(name, pa.array(IDS), pa.array(first), np.ones(MANY), details=details)


def made(*runs: Run, **more):
    truth = truth_of({query: ["a"] for query in IDS})
    content = ReportContent(ReportRequest(tuple(Match(one, truth) for one in runs), **more))
    return content, latency_cost_section(content, "Speed and cost")


def grid(section, caption: str):
    return next(one for one in section.blocks if getattr(one, "caption", "") == caption)


def test_percentiles_are_those_of_the_page():
    content, section = made(run("one", 0, 1), run("two", 4, 2))
    (own,) = latency_cost.stage_latencies(content.request.matches[1].timed, weights=content.weights)
    row = [str(cell) for cell in grid(section, "Latency by stage").rows[1]]
    assert "two" in row[0] and row[1] == "whole" and row[-1] == "40"
    for cell, value, low, high in zip(
        row[3:6], own.percentiles, own.percentiles_low, own.percentiles_high, strict=True
    ):
        assert f"<b>{duration(value)}</b>" in cell and f"[{duration(low)}, {duration(high)}]" in cell


def test_only_the_queries_that_count_are_counted():
    inside = np.arange(MANY) < 10
    content, section = made(run("one", 0, 1), queries=inside, slice_title="first: yes")
    latency = content.request.matches[0].run.details["latency_ms"].to_numpy()
    row = [str(cell) for cell in grid(section, "Latency by stage").rows[0]]
    assert f"<b>{duration(latency[:10].mean())}</b>" in row[2] and row[-1] == "10"
    assert duration(latency.mean()) != duration(latency[:10].mean())


def test_cost_by_the_price_table_by_hand_and_what_a_point_costs():
    prices = PriceTable((Price("small", 0.001, 0.002), Price("judge", call=0.01)), {"one": ("small",),
                                                                               "two": ("small", "judge")})
    _, section = made(run("one", 0, 1), run("two", 4, 2), prices=prices)
    rows = [[str(cell) for cell in row] for row in grid(section, "Mean per query").rows]
    assert [row[1:3] for row in rows] == [["1,000.0", "500.0"]] * 2
    assert money(0.002) in rows[0][3] and money(0.012) in rows[1][3]  # 1 x 0.001 + 0.5 x 0.002, and 0.01 more
    assert rows[1][4] == "by price of small and judge" and rows[1][5] == "40"
    assert [row[0] for row in grid(section, "Prices").rows] == ["small", "judge"]
    said = " ".join(one.text for one in section.blocks if one.kind == "words")
    assert "A gain of 0.01 in " in said, "two finds 4 of 40 more: 0.1 of the metric for $0.01, a point for $0.001"
    assert "\\$0.001" in said


def test_costs_as_recorded_stand_where_no_price_was_chosen():
    _, section = made(run("one", 0, 1, cost_usd=np.full(MANY, 0.5)), run("two", 0, 2))
    rows = [[str(cell) for cell in row] for row in grid(section, "Mean per query").rows]
    assert money(0.5) in rows[0][3] and rows[0][4] == "as recorded" and rows[1][3] == rows[1][5] == "–"
    assert "Cost unknown of two" in section.blocks[-1].text


def test_speed_without_any_cost_says_that_the_cost_is_unknown():
    runs = [run(name, 0, seed).details.drop(["prompt_tokens", "completion_tokens"]) for seed, name in enumerate("ab")]
    runs = [replace(run(name, 0, 1), details=details) for name, details in zip("ab", runs, strict=True)]
    _, section = made(*runs)
    assert "Cost unknown\\: no cost" in section.blocks[-1].text


def test_the_summary_has_the_cost_next_to_the_time_and_says_what_makes_it_known():
    recorded, timed = run("recorded", 0, 1, cost_usd=np.full(MANY, 0.5)), run("timed", 0, 2)
    for runs, costs, noted in (((recorded,), ["$0.500"], False), ((recorded, timed), ["$0.500", "cost unknown"], True)):
        content, _ = made(*runs)
        heading, cells = spending_column(content)
        assert heading == "Time and cost per query" and bool(cost_note(content)) == noted
        for cell, cost, one in zip(cells, costs, runs, strict=True):
            assert str(cell).startswith(duration(one.details["latency_ms"].to_numpy().mean())) and cost in cell
        text = build_report(content.request).decode()
        assert ("Cost unknown: the file has no cost" in text) == noted and all(cost in text for cost in costs)


def test_times_that_cannot_be_used_are_named():
    _, section = made(run("bad", 0, 1, prompt_tokens=np.full(MANY, -1)))
    assert "bad" in section.reason and "-1" in section.reason


def test_the_command_takes_a_price_table(tmp_path, capsys):
    (tmp_path / "prices.toml").write_text('[price.small]\nprompt = 0.001\n[uses]\ndense = ["small"]\n')
    out = tmp_path / "report.html"
    wanted = ["report", "dense=sample_runs/dense.jsonl", "--truth", "sample_runs/truth.jsonl", "--sections",
              "speed,versions", "-o", str(out), "--prices"]
    assert main([*wanted, str(tmp_path / "prices.toml")]) == 0
    text = out.read_text()
    assert "--prices prices.toml" in text and str(tmp_path) not in text
    (tmp_path / "prices.toml").write_text("[price.small]\nprompt = -1\n")
    assert main([*wanted, str(tmp_path / "prices.toml")]) == 2
    assert "prompt = -1" in capsys.readouterr().err


def test_names_of_prices_stay_text():
    truth, names = truth_of({query: ["a"] for query in IDS}), list(BAD)
    prices = PriceTable(tuple(Price(name, call=0.5) for name in names), {"one": tuple(names)})
    text = build_report(ReportRequest((Match(run("one", 0, 1), truth),), prices=prices, sections=("speed",))).decode()
    assert html.escape(BAD[3], quote=False) in text.replace("&#34;", '"')
    for bad in ("<script>window.pwned", "<img src=x", "<svg onload", "<a href=\"http://evil"):
        assert bad not in text
