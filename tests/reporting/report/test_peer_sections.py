"""The full report says what other tools print and what to judge next, with the numbers of the pages and commands."""

from __future__ import annotations

import html
import re

import pytest

from ragdash import Run, Truth, parse_specs
from ragdash.analysis.comparability.other_tools import show_as
from ragdash.analysis.test_set.unjudged.settle import plan_judgments
from ragdash.matching.match import Match
from ragdash.reporting.html.content import ReportContent, ReportRequest
from ragdash.reporting.html.report_page import build_report, build_sections
from ragdash.reporting.html.sections import ONE_PAGE, SECTIONS
from ragdash.reporting.html.sections.queries import query_block
from ragdash.reporting.test_set import plan_sentence

QUERIES = [f"q{number}" for number in range(8)]
TRUTH = Truth.build("qrels", [query for query in QUERIES for _ in range(3)], ["d1", "d3", "n"] * 8, [1, 1, 0] * 8)
RUNS = [Run.build("bm25", [query for query in QUERIES for _ in range(2)], ["d1", "x"] * 8),
        Run.build("dense", [query for query in QUERIES for _ in range(2)], ["n", "y"] * 4 + ["d1", "d3"] * 4)]


def request_of(metric: str = "nDCG@10", runs=RUNS) -> ReportRequest:
    return ReportRequest(tuple(Match(run, TRUTH) for run in runs), tuple(parse_specs(metric)),
                         sections=("judgenext", "tools"), baseline=len(runs) - 1)


def sections_of(request: ReportRequest) -> dict:
    return {section.name: section for section in build_sections(ReportContent(request))}


def test_the_tools_section_has_every_tool_with_its_value_and_the_cause():
    table = sections_of(request_of())["tools"].blocks[1]
    rows = {(row[0].partition(" (")[0], row[1]): row for row in table.rows}
    for run in RUNS:
        gap = show_as(run, TRUTH, "phoenix", parse_specs("nDCG@10"))[0]
        row = rows["Phoenix", run.name]
        assert (row[2], row[3]) == (f"{gap.there:.3f}", f"{gap.here:.3f}")
    assert rows["Phoenix", "bm25"][4] == "the ideal counts only retrieved documents"
    assert rows["trec_eval", "bm25"][4] == "no difference"
    page = html.unescape(re.sub(r"<[^>]+>", "", build_report(request_of()).decode()))
    assert "the ideal counts only retrieved documents" in page


def test_the_section_of_judgments_is_the_plan_of_the_command():
    section = sections_of(request_of("P@2"))["judgenext"]
    plan = plan_judgments([Match(run, TRUTH) for run in RUNS], parse_specs("P@2")[0], limit=10)
    assert section.blocks[0].text == plan_sentence(plan.leader, plan.rivals, plan.sure, plan.needed, plan.undecided,
                                                   plan.total)
    assert [row[:2] for row in section.blocks[-1].rows] == [
        [row["query_id"], row["doc_id"]] for row in plan.table.to_pylist()]


@pytest.mark.parametrize(("metric", "runs", "name", "reason"), [
    ("nDCG@10", RUNS[:1], "judgenext", "This needs two or more runs"),
    ("ERR@10", RUNS, "tools", "No other tool here computes"),
    ("n_ret", RUNS, "judgenext", "")])
def test_a_part_without_numbers_says_why(metric, runs, name, reason):
    missing = sections_of(request_of(metric, runs))[name].missing
    assert missing and missing.startswith(reason)


def test_the_one_page_report_does_not_grow():
    assert ONE_PAGE == ("summary",) and {"judgenext", "tools"} <= set(SECTIONS)


def test_the_relevant_documents_of_a_query_are_those_at_the_best_ranks_and_all_are_counted():
    docs = [f"d{number}" for number in range(9)]
    truth = Truth.build("qrels", ["q"] * 10, ["n", *docs], [0, *[1] * 9])
    runs = [Run.build(name, ["q"] * 3, found) for name, found in (("a", ["n", "x", "d7"]), ("b", ["y", "d8", "d7"]))]
    matches = tuple(Match(run, truth) for run in runs)
    block = query_block(ReportContent(ReportRequest(matches)), 0, (0, 1), 0.0)
    assert [document.doc_id for document in block.relevant] == ["d8", "d7", "d0"] and block.right == 9
    page = build_report(ReportRequest(matches, sections=("summary",))).decode()
    assert "Relevant documents: the first found of 9" in page and "a: not returned · b: rank 2" in page
