"""Metrics from a file next to those computed here: which reason explains a difference."""

import re
from dataclasses import replace

import pytest

from ragdash import Run, Truth, evaluate
from ragdash.analysis.comparability import check_comparability
from ragdash.analysis.recomputed import first_documents, recomputed
from ragdash.core.file_scores import FileScores
from ragdash.matching.match import Match
from ragdash.reporting.sentences.runs.file_metrics import recomputed_sentences

QUERIES = ["q1", "q2", "q3"]
TRUTH = Truth.build("qrels", ["q1", "q1", "q2", "q3"], ["b", "c", "a", "c"], [1, 2, 2, 1])


def run_with(**scores):
    """Rankings a, b, c of each query: first relevant at rank 2, 1 and 3."""
    rows = [(query, "run", re.sub(r"_at_(?=\d)", "@", name), value) for name, values in scores.items()
            for query, value in zip(QUERIES, values, strict=True)]
    return Run.build("run", [query for query in QUERIES for _ in "abc"], list("abc") * 3, [3.0, 2.0, 1.0] * 3
                     ).with_file_scores(FileScores.build(rows))


def only(run, truth=TRUTH):
    (row,) = recomputed(Match(run, truth))
    return row


@pytest.mark.parametrize("values, reason, variant, differing", [
    ([1 / 2, 1, 1 / 3], "", "", 0),
    ([0.5, 1, 0.333], "rounded", "", 1),
    ([0.5, 1, 0], "cutoff", "RR@2", 1),
    ([0, 1, 0], "cutoff", "RR@1", 2),
    ([1 / 3, 1, 0], "grades", "RR(rel=2)", 1),  # only grade 2 counts: c of q1 at rank 3; nothing for q3 (undefined)
    ([0.1, 0.2, 0.9], "unknown", "", 3),
])
def test_why_a_reciprocal_rank_differs(values, reason, variant, differing):
    if reason == "grades":
        values[2] = None  # no document of grade 2
    row = only(run_with(mrr=values))
    assert (row.reason, row.variant, row.differing) == (reason, variant, differing)
    assert str(row.counterpart) == "RR" and row.n == (2 if reason == "grades" else 3)


@pytest.mark.parametrize(("name", "values", "expected", "words"), [
    ("page_hit", [0, 1, 0], ("Success@3", "cutoff", "Success@1"), "Hit rate@1 gives them in 3 of 3 queries"),
    ("per_k.3.page_recall_at_k", [1, 1, 1], ("R@3", "", ""), "They agree"),
    ("chunk_mrr", [0.1, 0.2, 0.9], ("RR", "unit", ""), "By its name it counts chunks"),
])
def test_names_with_a_unit_and_a_cutoff_in_their_path_are_compared(name, values, expected, words):
    row = only(run_with(**{name: values}))
    assert (str(row.counterpart), row.reason, row.variant) == expected
    assert words in (" ".join(recomputed_sentences([row], [row.spec])) if row.reason else row.problem.fix)


def test_a_precision_that_divides_by_fewer_documents_where_fewer_are_returned():
    scores = FileScores.build([("q1", "run", "precision_at_5", 1 / 3), ("q2", "run", "precision_at_5", 1)])
    run = Run.build("run", ["q1", "q1", "q1", "q2"], ["a", "b", "x", "a"], [3.0, 2.0, 1.0, 1.0])
    row = only(run.with_file_scores(scores), Truth.build("qrels", ["q1", "q2"], ["b", "a"], [1, 1]))
    assert (row.reason, row.explained, row.mean) == ("returned", 2, 0.2)
    assert "divides by the documents returned where these are fewer than the cutoff" in row.problem.fix


def test_a_file_that_knows_one_document_of_several():
    """The first document of q1 is d, not returned: R@2 of it alone is 0, of d and b 1/2; R@1 would give 0 for q3."""
    truth = Truth.build("qrels", ["q1", "q1", "q2", "q3"], ["b", "d", "a", "b"], [1, 2, 2, 1])
    assert (first_documents(truth).docs.to_pylist(), len(first_documents(truth))) == (["d", "a", "b"], 3)
    row = only(run_with(**{"recall_at_2": [0, 1, 1]}), truth)
    assert (row.mean, row.file_mean) == (2.5 / 3, 2 / 3) and (row.reason, row.variant) == ("first-document", "R@2")
    assert "The file compares one document, the judgments list several" in row.problem.fix
    assert row.problem.actual.startswith("recall@2 of run 'run': file 0.667, recomputed 0.833 as R@2")


def test_an_exponential_gain():
    run = run_with(ndcg=[0, 0, 0])
    values = evaluate(run, TRUTH, "nDCG(gain='exp')").values[:, 0].tolist()
    row = only(run_with(ndcg=values))
    assert (row.reason, row.variant) == ("options", "nDCG(gain='exp')")


def test_nothing_is_recomputed_without_judgments_or_a_ranking():
    run = run_with(mrr=[1, 1, 1])
    assert recomputed(Match(run, Truth.of_queries([run]))) == ()
    assert recomputed(Match(run_with(faithfulness=[1, 1, 1]), TRUTH)) == ()


def test_the_comparability_report_has_both_means():
    report = check_comparability([run_with(mrr=[0, 1, 0])], TRUTH)
    entry = report.of("file-metric", "run")
    assert entry.severity == "note" and (entry.count, entry.total) == (2, 3)
    assert "file 0.333, recomputed 0.611 as RR" in entry.found and "RR@1" in entry.effect


def test_runs_with_the_same_reason_have_one_sentence():
    (row,) = recomputed(Match(run_with(mrr=[0, 1, 0]), TRUTH))
    rows = [replace(row, run=name) for name in ("one", "two", "three")]
    (sentence,) = recomputed_sentences(rows, [rows[0].spec])
    assert "of run 'one'" in sentence and sentence.endswith("The same holds for two and three.")
