"""Judges beside people's labels in the report: who said what of how many queries, and the corrected difference of two
runs, both as `ragdash trust` has them.
"""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from helpers import over
from models.judge.scripted import Scripted, case

from ragdash.analysis.judge_validation import LabelStore, corrected_difference, judged_verdicts, validate_judge
from ragdash.evaluation.evaluate import evaluate_match
from ragdash.matching.match import Match
from ragdash.metrics import parse_specs
from ragdash.models.judge import default_verdict_store
from ragdash.reporting.html.blocks import Table, Text
from ragdash.reporting.html.content import ReportContent, ReportRequest
from ragdash.reporting.html.report_page import build_report, build_sections
from ragdash.reporting.html.sections import judge_validation
from ragdash.reporting.sentences.formatting import number
from ragdash.reporting.tables.judge_validation import estimate_text

RIGHT, WRONG = "Paris stands beside Seine.", "Gustave built tower."
SPECS = parse_specs("ClaimFaithfulness")
QUERIES = 60
signed = partial(number, signed=True)


@pytest.fixture(autouse=True)
def own_workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(tmp_path / "workspace"))


def matches(answers: dict[str, list[str]]) -> tuple[Match, ...]:
    found = []
    for name, texts in answers.items():
        rows = {f"q{at}": {"question": "What?", "answer": text, "references": [RIGHT], "docs": {"d1": RIGHT}}
                for at, text in enumerate(texts)}
        found.append(Match(*case(rows, name)))
        Scripted(default_verdict_store()).judge_all(found[-1].judged, "ClaimFaithfulness")
    return tuple(Match(one.run, found[0].truth) for one in found)


def section(found: tuple[Match, ...], **more):
    return next(one for one in build_sections(ReportContent(ReportRequest(found, SPECS, sections=("judges",), **more))))


def said(found) -> str:
    text = "\n".join(block.text for block in found.blocks if isinstance(block, Text))
    return text.replace("\\", "").replace("\u00a0", " ")


def table(found) -> list[list[str]]:
    """Header and rows of the table of who said what; empty where there is none."""
    grid = next((block for block in found.blocks
                 if isinstance(block, Table) and "judge and label" in block.caption), None)
    return [] if grid is None else [[re.sub("<br>", " ", re.sub("<(?!br).*?>|●|■|◆|&nbsp;", "", str(cell)))
                                     for cell in row] for row in (grid.header, *grid.rows)]


def label(match: Match, labels: dict[str, float]) -> None:
    LabelStore().add(match.run.digest, "ClaimFaithfulness", labels)


def test_who_said_what_by_hand():
    """Verdicts of old: 1, 0, 0.5, 1; 0.5 counts as yes."""
    found = matches({"old": [RIGHT, WRONG, f"{RIGHT} {WRONG}", RIGHT], "new": [RIGHT] * 4})
    assert not table(section(found)) and "labeled" not in said(section(found)), "nothing where there are no labels"
    label(found[0], {"q0": 1.0, "q1": 1.0, "q2": 0.0, "q3": 1.0})
    assert table(section(found)) == [["Run", "Both yes", "Judge yes, label no", "Judge no, label yes", "Both no"],
                                     ["old Claim faithfulness", "2", "1", "1", "0"]]
    assert "minus" not in said(section(found)), "of one run alone there is no difference"
    label(found[1], {"q1": 1.0, "q2": 1.0})
    one = section(found)
    assert [row[0] for row in table(one)[1:]] == ["old Claim faithfulness", "new Claim faithfulness"]
    assert ("**new** minus **old**, Claim faithfulness: +0.375 by the judge alone; 2 queries labeled in both, too few "
            "to correct it; labels alone +0.500") in said(one)
    inside = section(found, queries=np.array([True, True, False, False]))
    assert table(inside)[1] == ["old Claim faithfulness", "1", "0", "1", "0"], "of the queries that count"
    assert "1 query labeled in both" in said(inside)


@over(seed=[1, 2])
def test_differences_are_those_of_the_core(seed):
    draw = np.random.default_rng(seed)
    found = matches({"old": [RIGHT if yes else WRONG for yes in draw.random(QUERIES) < 0.3],
                     "new": [RIGHT if yes else WRONG for yes in draw.random(QUERIES) < 0.9],
                     "same": [RIGHT if yes else WRONG for yes in draw.random(QUERIES) < 0.35]})
    verdicts = [judged_verdicts(evaluate_match(one, SPECS), one, SPECS[0]) for one in found]
    labels = [{f"q{at}": float(value if draw.random() < 0.9 else 1 - value)
               for at, value in enumerate(one.values[:40].tolist())} for one in verdicts]
    for one, own in zip(found, labels, strict=True):
        label(one, own)
    text = said(section(found))
    for at, word in ((1, "better"), (2, "no significant difference")):
        own = corrected_difference(verdicts[0], verdicts[at], labels[0], labels[at])
        assert own.corrected.n == 40 and np.isfinite(own.corrected.low)
        line = next(row for row in text.splitlines() if f"**{verdicts[at].name}** minus **old**" in row)
        for part in (
            f"{signed(own.judge.mean)} by the judge alone",
            f"{estimate_text(own.corrected, signed)} corrected by 40 queries labeled in both",
            f"labels alone {estimate_text(own.labels, signed)}",
            "20 other queries",
        ):
            assert part in line
        assert line.endswith(f"{word}.")
    assert "minus **new**" not in text, "each run to the baseline"
    assert "**old** minus **new**" in said(section(found, baseline=1))
    for row, one, own in zip(table(section(found))[1:], verdicts, labels, strict=True):
        (no_no, no_yes), (yes_no, yes_yes) = validate_judge(one, own).agreement.confusion.tolist()
        assert row[1:] == [str(yes_yes), str(no_yes), str(yes_no), str(no_no)]


def test_the_page_holds_both_and_no_markup_of_names():
    found = matches({"<b>old</b>": [RIGHT, WRONG], "new": [RIGHT, RIGHT]})
    for one in found:
        label(one, {"q0": 1.0, "q1": 0.0})
    page = build_report(ReportRequest(found, SPECS, sections=("judges",))).decode()
    assert "Judge yes, label no" in page and "minus <strong>" in page and "<b>old</b>" not in page


def test_the_one_page_says_how_many_labels_are_used_and_held_out(monkeypatch):
    runs = matches({"old": [RIGHT] * 40, "new": [RIGHT] * 39 + [WRONG]})

    def one_page() -> str:
        return said(build_sections(ReportContent(ReportRequest(runs, SPECS, sections=("summary",))))[0])

    note = "Claim faithfulness** comes from a judge; its intervals leave out the judge's errors. No answer is labeled"
    assert note in one_page()
    label(runs[0], {f"q{at}": 1.0 for at in range(25)})
    label(runs[1], {f"q{at}": 1.0 for at in range(3)})
    verdicts = judged_verdicts(evaluate_match(runs[0], SPECS), runs[0], SPECS[0])
    mean = estimate_text(validate_judge(verdicts, {f"q{at}": 1.0 for at in range(25)}).corrected)
    assert f"Labels used: 25 of old, 3 of new. Corrected by them: old {mean}." in one_page()
    monkeypatch.setattr(judge_validation, "held_out_queries", lambda match, spec: frozenset({"q0", "q1", "q2"}))
    assert "Labels used: 22 of old, 0 of new. Corrected by them: old" in one_page()
    assert "6 labels held out of all of these numbers" in one_page()
