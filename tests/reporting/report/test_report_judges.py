"""Judged metrics in what is put out: the judge's name, verdicts missing by reason, claims of the worst queries."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from models.judge.scripted import JUDGE, Scripted, case

from ragdash.analysis.judge_validation import LabelStore
from ragdash.cli.main import main
from ragdash.evaluation.evaluate import evaluate_match, summaries
from ragdash.io import write_run, write_truth
from ragdash.matching.match import Match
from ragdash.metrics import parse_specs
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.endpoint import Judge
from ragdash.reporting.html.blocks import QueryBlock, Table, Text
from ragdash.reporting.html.content import ReportContent, ReportRequest
from ragdash.reporting.html.report_page import build_report, build_sections
from ragdash.reporting.tables.evaluation import render_evaluations

PARIS, TOWER, CHEESE = "Paris stands beside Seine.", "Gustave built tower.", "Cheese smells strong."
EVIL = "<script>alert(1)</script> Rhine flows north."
TOY = Judge("127.0.0.1:1", "toy-judge")
SPECS = parse_specs("RR ClaimFaithfulness RAGAS.ContextRecall RAGChecker.NoiseSensitivityRelevant")
TASKS = ("ClaimFaithfulness", "RAGAS.ContextRecall", "RAGChecker.NoiseSensitivityRelevant")


@pytest.fixture(autouse=True)
def own_workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))


def rows(answer: str) -> dict[str, dict]:
    return {"q0": {"question": "What?", "answer": answer, "references": [PARIS], "docs": {"d1": f"Surely {PARIS}",
                                                                                         "d2": CHEESE}},
            "q1": {"question": "Hurt?", "answer": EVIL, "references": [EVIL], "docs": {"d3": EVIL}},
            "q2": {"question": "None?", "answer": "I do not know.", "references": [], "docs": {"d1": PARIS}}}


def matches(*, judge: Judge | None = TOY, fails: dict[str, str] | None = None) -> tuple[Match, ...]:
    found = tuple(Match(*case(rows(answer), name)) for name, answer in (("old", f"{PARIS} {TOWER}"), ("new", PARIS)))
    for one in found if judge else ():
        Scripted(default_verdict_store(), fails, judge).judge_all(one.judged, *TASKS)
    return tuple(Match(one.run, found[0].truth) for one in found)


def section(found: tuple[Match, ...], specs=SPECS, **more):
    return next(one for one in build_sections(ReportContent(ReportRequest(found, specs, sections=("judges",), **more))))


def grid(found) -> list[list[str]]:
    table = next(block for block in found.blocks if isinstance(block, Table))
    return [[re.sub("<.*?>|●|■|&nbsp;", "", str(cell)) for cell in row] for row in table.rows]


def said(found) -> str:
    return "\n".join(block.text for block in found.blocks if isinstance(block, Text))


def test_the_judge_is_named_and_a_toy_called_one():
    told = said(section(matches())).replace("\\", "")
    assert "toy-judge at 127.0.0.1:1 (a script that compares content words, no model that reads)" in told


def test_n_what_is_undefined_and_flags_stand_by_run_and_metric():
    found = grid(section(matches()))
    assert [row[:5] for row in found[:4]] == [
        ["old", "Claim faithfulness", "3", "–", "–"], ["new", "Claim faithfulness", "3", "–", "–"],
        ["old", "RAGAS context recall", "2", "1 no right answer", "–"],
        ["new", "RAGAS context recall", "2", "1 no right answer", "–"]]
    assert found[0][5] == "1 query: no claim, counts as faithful"


def test_right_answers_by_a_judge_are_in_both_reports_without_being_asked_for():
    found = matches(judge=None)
    for one in found:
        Scripted(default_verdict_store(), judge=TOY).judge_all(one.judged, "Correctness")
    request = ReportRequest(tuple(Match(one.run, one.truth) for one in found), parse_specs("RR"),
                            sections=("summary", "judges"))
    page, full = build_sections(ReportContent(request))
    table = next(block for block in page.blocks if isinstance(block, Table))
    assert "Correctness (n = 2)" in table.header and grid(full)[0][1] == "Correctness"
    assert "toy-judge" in said(full).replace("\\", "")


def test_failures_are_counted_by_reason_and_only_of_the_queries_that_count():
    Scripted(default_verdict_store(), judge=TOY).judge_all(Match(*case({"q1": rows(PARIS)["q1"]})).judged, *TASKS)
    found = matches(fails={"Verify": "timeout"})
    assert grid(section(found))[0][2:5] == ["2", "–", "1 no reply in time"]
    assert grid(section(found, queries=np.array([False, True, True])))[0][2:5] == ["2", "–", "–"]


def test_the_worst_queries_show_claims_with_verdict_and_chunk():
    queries = [block for block in section(matches()).blocks if isinstance(block, QueryBlock)]
    assert queries[0].query_id == "q0" and "old 0.500, new 1.000" in queries[0].values
    old, new = queries[0].claims
    assert [(one.of, one.text, one.verdict, one.yes, tuple(one.chunks)) for one in old] == [
        ("the answer", PARIS, "✓ supported · ✓ right · ✓ in 1 chunk", True, ("d1",)),
        ("the answer", TOWER, "✗ not stated · ✗ wrong: the reference does not say it · ✗ in no chunk", False, ()),
        ("the reference", PARIS, "✓ supported · ✓ in 1 chunk", True, ("d1",))]
    assert len(new) == 2 and queries[0].runs[0][1][0].judged == "supports 2 claims"


def test_claims_are_those_of_the_judge_whose_values_they_stand_below():
    """Another judge, asked later, says no to every claim; the metric names the first one."""
    class Strict(Scripted):
        def _reply(self, question):
            found = super()._reply(question)
            no = [{**one, "verdict": "not stated"} for one in found.value.get("verdicts", ())]
            return replace(found, value={**found.value, **({"verdicts": no} if question.task == "Verify" else {})})

    found = matches()
    for one in found:
        Strict(default_verdict_store(), judge=Judge("127.0.0.1:1", "strict")).judge_all(one.judged, "ClaimFaithfulness")
    for spec, sign in ((f"ClaimFaithfulness(judge='{TOY}')", "✓ supported"), ("ClaimFaithfulness", "✗ not stated")):
        query = next(one for one in section(found, parse_specs(spec)).blocks if isinstance(one, QueryBlock))
        claim = next(one for one in query.claims[0] if one.of == "the answer")
        assert claim.text == PARIS and claim.verdict.startswith(sign), spec


def test_claims_stand_in_the_queries_that_decide():
    found = matches()
    content = ReportContent(ReportRequest(found, (SPECS[1],), sections=("queries",)))
    query = next(block for block in build_sections(content)[0].blocks if isinstance(block, QueryBlock))
    assert query.query_id == "q0" and [len(claims) for claims in query.claims] == [3, 2]


def test_the_page_holds_claims_and_no_markup_of_theirs():
    page = build_report(ReportRequest(matches(), SPECS)).decode()
    assert "Claims of the answer" in page and "✗ not stated" in page and "no model that reads" in page
    assert "<script>alert" not in page and "Rhine flows north" in page


def test_texts_can_be_left_out():
    page = build_report(ReportRequest(matches(), SPECS, sections=("judges",), texts=False)).decode()
    assert "Rhine" not in page and "Gustave" not in page and "✗ not stated" in page
    assert ">words" not in page, "nor the judge's reasons"


def test_where_no_metric_is_judged_the_report_says_how_one_would_be():
    found = matches(judge=None)
    assert (
        "ragdash judge"
        in next(iter(build_sections(ReportContent(ReportRequest(found, SPECS[:1], sections=("judges",)))))).reason
    )
    assert not next(
        one for one in build_sections(ReportContent(ReportRequest(found, SPECS[:1]))) if one.name == "judges"
    ).missing
    own = section(found)
    assert "not judged yet" in said(own) and not any(isinstance(block, Table | QueryBlock) for block in own.blocks)


def test_labels_of_people_stand_beside_the_judge():
    found = matches()
    LabelStore().add(found[0].run.digest, "ClaimFaithfulness", {"q0": 1.0, "q1": 1.0})
    told = said(section(found))
    assert "0.833 by the judge alone; 2 labels with a verdict, too few to correct it" in told
    assert ("labels alone 1.000 [0.158, 1.000]; 1 other query; accuracy 1.000 [0.158, 1.000] (always “yes”: 1.000), "
            "agreement beyond chance (kappa) –") in told.replace("\\", "").replace("\u00a0", " ")
    of_one = parse_specs(f"ClaimFaithfulness(judge='{TOY}')")
    assert "2 labels with a verdict" in said(section(found, of_one)), "labels are of the answer, not of a judge"


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_tables_name_the_judge(form):
    found = [evaluate_match(match, SPECS) for match in matches()]
    text = render_evaluations(found, summaries(found), form, settings={}).decode()
    assert "verdicts of toy-judge at 127.0.0.1:1 (a script" in text
    bare = [evaluate_match(match, SPECS[:1]) for match in matches()]
    assert "verdicts of" not in render_evaluations(bare, summaries(bare), form, settings={}).decode()


def test_the_command_lines_settings_name_the_judge(tmp_path, capsys):
    found = matches(judge=JUDGE)
    write_run(found[0].run, tmp_path / "run.jsonl")
    write_truth(found[0].truth, tmp_path / "truth.jsonl")
    files = [str(tmp_path / "run.jsonl"), "--truth", str(tmp_path / "truth.jsonl"), "-m", "ClaimFaithfulness"]
    assert main(["evaluate", *files, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["ClaimFaithfulness"] == "scripted at localhost:1"
    assert main(["report", *files, "--full", "-o", str(tmp_path / "report.html")]) == 0
    page = (tmp_path / "report.html").read_text()
    assert "verdicts of <strong>scripted at localhost:1</strong>" in page
