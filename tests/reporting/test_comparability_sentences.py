"""The words of the comparability check: one line for all, a finding, a button, and what several runs need."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from helpers import run_of, truth_of

from ragdash.analysis.comparability import ComparabilityEntry, ComparabilityReport, as_text, check_comparability
from ragdash.core.records import Conventions, Repetition, Run, Truth
from ragdash.reporting.sentences import comparability

QUERIES = [f"q{number:02}" for number in range(20)]
ZEROS = (("ids", "zeros"),)


def lost(name: str, *, option=("ids", "zeros"), severity: str = "warning") -> ComparabilityEntry:
    return ComparabilityEntry("respelled-documents", severity, name, 3, 9, ("'1' for '01'",), {
        "way": "without zeros", "before": 0, "after": 3, "looked": 0, "returned": 9}, option)


@pytest.mark.parametrize(("entries", "shared"), [
    ([lost("a")], {}),
    ([lost("a"), lost("a")], {}),
    ([lost("a"), lost("b")], {ZEROS: ["a", "b"]}),
    ([lost("a"), lost("b", severity="note")], {}),
    ([lost("a"), lost("b", option=None), lost("c", option=("missing", "skip"))], {}),
])
def test_a_fix_is_shared_where_more_than_one_run_needs_it(entries, shared):
    assert comparability.shared_fixes(ComparabilityReport(tuple(entries), ())) == shared


@pytest.mark.parametrize(("options", "label"), [
    ((("collapse", "source"),), "Collapse chunks by source"),
    ((("collapse", "id"),), "Collapse chunks by id"),
    ((("collapse", "prefix:#"),), "Collapse chunks at '#'"),
    ((("collapse", "chunks:prefix:_"),), "Collapse chunks at '_'"),
    ((("collapse", "prefix:_"), ("ids", "case,zeros")),
     "Collapse chunks at '_', match any case and restored leading zeros"),
    (ZEROS, "Match ids with restored leading zeros"), ((("missing", "skip"),), "Use common queries only"),
])
def test_a_button_says_what_it_does(options, label):
    assert comparability.fix_label(options) == label


def test_a_finding_has_its_effect_and_its_fix_without_an_option_of_the_command_line():
    text = comparability.finding_text(lost("a")).replace("\\", "")
    assert text == ("3 of 9 different documents match the ground truth only without zeros ('1' for '01').  "
                    "\n:gray[Judged "
                    "documents among those returned: 0 now, 3 after the fix. Match the ids with the button, or write "
                    "them the same way in both files.]")
    counted = ComparabilityEntry("matched-queries", "ok", "a", 4, 9)
    assert comparability.finding_text(counted) == "4 of 9 queries of the ground truth are in the run."


def test_words_of_a_page_and_of_the_command_line_come_from_one_entry():
    entry = lost("a")
    assert "--ids zeros" in entry.fix and "--" not in entry.words("page").fix
    assert entry.words("page").actual == entry.found and entry.as_dict()["facts"]["after"] == 3


def test_with_open_checks_the_line_does_not_say_that_the_runs_can_be_compared():
    truth = truth_of({query: ["a"] for query in QUERIES})
    runs = [Run.build(name, np.repeat(QUERIES, 3), ["a", "b", "c"] * 20, np.tile(scores, 20))
            for name, scores in (("a_b", [0.1, 0.2, 0.3]), ("similar", [3.0, 2.0, 1.0]))]
    line = comparability.summary(check_comparability(runs, truth), ["a_b", "similar"], Conventions())
    assert line == "**The 2 runs have the same 20 queries**. 1 check is open: a\\_b."


def test_without_judgments_of_documents_the_line_does_not_say_that_runs_can_be_compared_or_measured():
    truth = Truth.build("truth", [], [], np.zeros(0, np.int64), details=pa.table({"query_id": QUERIES}))
    answers = pa.table({"query_id": QUERIES, "answer": ["the sea"] * len(QUERIES)})
    runs = [Run.build(name, [], [], details=answers) for name in ("one", "two")]
    assert [comparability.summary(check_comparability(runs[:n], truth), ["one", "two"][:n], Conventions())
            for n in (1, 2)] == ["**one has 20 queries, without judgments of documents**.",
                                 "**The 2 runs have the same 20 queries, without judgments of documents**."]


def test_one_line_says_what_can_be_compared():
    truth = truth_of({"q1": ["a"], "q2": ["b"]})
    runs = [run_of({"q1": ["a"], "q2": ["b"]}, "both"), run_of({"q1": ["a"]}, "half")]
    line = comparability.summary(check_comparability(runs, truth), ["both", "half"], Conventions())
    assert line == "**The 2 runs have different queries**: half lacks 1 of 2 queries, which count as empty rankings."
    skipped = Conventions(missing="skip")
    line = comparability.summary(check_comparability(runs, truth, skipped), ["both", "half"], skipped)
    assert line == "**2 runs can be compared**, but half lacks 1 of 2 queries, which are left out of the means."


def test_as_few_missing_queries_as_the_verdict_accepts_do_not_keep_runs_from_being_compared():
    """1 of 20 queries is 5%: the verdict is withheld above 10%."""
    truth = truth_of({query: ["a"] for query in QUERIES})
    runs = [run_of({query: ["a"] for query in QUERIES[missing:]}, f"lacks-{missing}") for missing in (0, 1, 3)]
    few, many = (comparability.summary(check_comparability([runs[0], run], truth), ["lacks-0", run.name], Conventions())
                 for run in runs[1:])
    assert few.startswith("**2 runs can be compared**, but lacks\\-1 lacks 1 of 20 queries")
    assert many.startswith("**The 2 runs have different queries**: lacks\\-3 lacks 3 of 20 queries")


def test_repeats_are_counted_as_configurations():
    truth = truth_of({"q1": ["a"], "q2": ["b"]})
    runs = [replace(run_of({"q1": ["a"], "q2": documents}, f"{name} / {trial}"),
                    repetition=Repetition(name, str(trial), "results.csv"))
            for name, documents in (("bm25", ["b"]), ("e5", ["a", "b"])) for trial in (1, 2)]
    report, names = check_comparability(runs, truth), [run.name for run in runs]
    line = comparability.summary(report, names, Conventions())
    assert line.startswith("**The 2 configurations in 4 runs have the same 2 queries")
    assert "2 configurations in 4 runs" in as_text(report)
    assert report.as_dict()["configurations"]["e5 / 2"] == "e5"
    alone = check_comparability(runs[:2], truth)
    assert comparability.summary(alone, names[:2], Conventions()).startswith("**The 2 runs have")
    assert "configurations" not in alone.as_dict()


def test_one_run_can_be_measured():
    truth, run = truth_of({"q1": ["a"], "q2": ["b"]}), run_of({"q1": ["a"], "q2": ["b"]}, "both")
    alone = comparability.summary(check_comparability([run], truth), ["both"], Conventions())
    assert alone == "**both can be measured**: 2 queries, all judged."
