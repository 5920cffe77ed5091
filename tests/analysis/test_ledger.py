"""The comparability ledger: what it counts, worked out by hand, what it says, and which switch fixes it."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from helpers import over, random_case, run_of, truth_of
from speed import quick

from ragdash.analysis.comparability import SEVERITIES, ComparabilityReport, as_text, check_comparability, check_ids
from ragdash.core.ids.normalization import collapsed, with_ids_of
from ragdash.core.records import CHOICES, Conventions, Run, Truth
from ragdash.core.text.quoted import quoted
from ragdash.evaluation.evaluate import evaluate
from ragdash.io import read_run, read_truth
from ragdash.matching.match import Match
from ragdash.metrics import file_spec, parse_specs

pytestmark = pytest.mark.filterwarnings("error")

S02 = Path(os.environ.get("RAGDASH_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data") / (
    "s02_evidencerag_dense_vs_hybrid")
TRUTH = truth_of({"q1": {"a": 1, "b": 0}, "q2": ["a"], "q3": ["a"], "q4": {"a": 0}})
COUNTS = {"matched-queries", "missing-queries", "empty-rankings", "extra-queries", "returned-documents",
          "duplicate-documents", "unjudged-documents", "tied-documents", "rising-scores"}


def of(runs, truth=TRUTH, metrics="P@2 RR", **conventions) -> ComparabilityReport:
    return check_comparability(
        [runs] if isinstance(runs, Run) else runs, truth, Conventions(**conventions), parse_specs(metrics)
    )


def counts(
    found: ComparabilityReport, kind: str, run: str | None = "run", k: int | None = None
) -> tuple[int, int, str]:
    entry = found.of(kind, run, k)
    return entry.count, entry.total, entry.severity


def worth(found: ComparabilityReport) -> list[str]:
    return [entry.kind for entry in found.findings]


def test_queries_and_documents_are_counted():
    details = pa.table({"query_id": ["q2"], "answer": ["none found"]})
    run = Run.build("run", ["q1", "q1", "q1", "x", "q1"], ["c", "a", "b", "a", "a"], details=details)
    found = of(run)
    assert counts(found, "matched-queries") == (2, 4, "ok")
    assert counts(found, "missing-queries") == (2, 4, "warning")
    assert counts(found, "empty-rankings") == (1, 4, "warning")
    assert counts(found, "extra-queries") == (1, 3, "warning")
    assert counts(found, "duplicate-documents") == (1, 5, "warning")
    assert counts(found, "returned-documents") == (4, 5, "ok")
    assert counts(found, "unjudged-documents", k=2) == (1, 2, "note")
    assert counts(found, "unjudged-documents") == (1, 3, "ok")
    assert counts(found, "unanswerable-queries", None) == (1, 4, "note")
    assert found.of("missing-queries", "run").examples == ("q3", "q4")
    assert found.of("duplicate-documents", "run").examples == ("a",)


def test_a_faultless_run_has_every_count_and_nothing_to_say():
    found = of(run_of({"q1": ["a", "b"], "q2": ["a"]}), truth_of({"q1": {"a": 1, "b": 0}, "q2": ["a"]}))
    assert {entry.kind for entry in found.entries if entry.run} == COUNTS
    assert found.findings == () and found.severity == "ok"
    assert "Nothing prevents a comparison" in as_text(found)


def test_without_a_cutoff_judged_is_looked_at_down_to_rank_10():
    assert counts(of(run_of({"q1": ["c", "a"]}), metrics="RR"), "unjudged-documents", k=10) == (1, 2, "note")


def test_what_each_choice_does_is_a_table():
    found = of(run_of({"q1": ["c", "a"]}), truth_of({"q1": ["a"], "q2": ["a"], "q3": {"a": 0}}), "RR")
    rows = {(one.convention, one.choice): (one.mean, one.n, one.change, one.chosen, one.marked)
            for one in found.effects}
    assert rows == {
        ("missing", "zero"): (0.25, 2, 0.0, True, False), ("missing", "skip"): (0.5, 1, 0.25, False, True),
        ("unanswerable", "skip"): (0.25, 2, 0.0, True, False),
        ("unanswerable", "zero"): (pytest.approx(0.5 / 3), 3, pytest.approx(0.5 / 3 - 0.25), False, True),
        ("ties", "docid"): (0.25, 2, 0.0, True, False), ("ties", "file"): (0.25, 2, 0.0, False, False),
        ("ties", "trec_eval"): (0.25, 2, 0.0, False, False),
        ("ties", "the other way"): (0.25, 2, 0.0, False, False)}
    lacking = found.of("missing-queries", "run")
    assert lacking.option == ("missing", "skip") and "RR 0.2500 to 0.5000 (n = 1)" in lacking.effect


def test_a_mean_may_become_undefined_and_a_small_change_is_told_as_such():
    found = of(run_of({"q1": ["a"]}), truth_of({"q1": {"a": 0}}), "RR", unanswerable="zero")
    assert "RR of run 0.0000 to undefined (n = 0)" in found.of("unanswerable-queries").effect
    many = {f"q{i}": ["a"] for i in range(20_000)}
    missed = of(run_of({**many, "q0": ["b", "a"]}), truth_of({**many, "z": ["a"]}), "RR")
    assert "RR by less than 0.0001 (n = 20,000)" in missed.of("missing-queries", "run").effect


@pytest.mark.parametrize("ties, mean, other", [("docid", 1 / 3, 1.0), ("file", 1 / 2, 1 / 2)])
def test_ties_broken_the_other_way(ties, mean, other):
    run = run_of({"q1": {"b": 1.0, "a": 1.0, "c": 1.0, "z": 0.5}})
    found = of(run, truth_of({"q1": ["a"]}), "RR", ties=ties)
    rows = {one.choice: one.mean for one in found.effects if one.convention == "ties"}
    assert rows[ties] == mean and rows["the other way"] == other
    assert counts(found, "tied-documents")[:2] == (3, 4)
    assert found.of("tied-documents", "run").severity == "note"


def test_under_trec_evals_ties_scores_that_are_equal_in_32_bits_count_as_tied():
    run = run_of({"q1": {"a": 1.0 + 1e-12, "b": 1.0, "z": 0.5}})
    found = of(run, truth_of({"q1": ["a"]}), "RR", ties="trec_eval")
    rows = {one.choice: one.mean for one in found.effects if one.convention == "ties"}
    assert rows == {"docid": 1.0, "file": 1.0, "trec_eval": 0.5, "the other way": 1.0}
    assert counts(found, "tied-documents")[:2] == (2, 3)


@over(seed=range(30))
def test_the_other_way_is_the_ranking_with_its_ties_back_to_front(seed):
    case = random_case(seed, "ties")
    run, truth = case.run(), case.truth()
    table = {query: run.ranking(query) for query in run.query_ids.to_pylist()}
    queries, docs, scores = [], [], []
    for query, ranking in table.items():
        rows = sorted(zip(ranking["score"].to_pylist(), ranking["rank"].to_pylist(), ranking["doc_id"].to_pylist(),
                          strict=True), key=lambda row: (-row[0], -row[1]))
        queries += [query] * len(rows)
        docs += [doc for _, _, doc in rows]
        scores += [score for score, _, _ in rows]
    mirrored = Run.build("mirrored", queries, docs, np.array(scores))
    found = {str(one.spec): one.mean for one in of(run, truth, "RR AP nDCG@3").effects
             if (one.convention, one.choice) == ("ties", "the other way")}
    summary = evaluate(mirrored, truth, "RR AP nDCG@3", ties="file").summary(resamples=1)
    assert found == pytest.approx({str(one.spec): one.mean for one in summary}, nan_ok=True)


@over(seed=range(10))
def test_every_effect_is_what_evaluate_gives_under_that_choice(seed):
    case = random_case(seed)
    found = of(case.run(), case.truth(), "P@5 AP")
    for one in found.effects:
        if one.choice not in CHOICES[one.convention] or one.refused:
            continue
        (summary,) = evaluate(case.run(), case.truth(), [one.spec], **{one.convention: one.choice}).summary(resamples=1)
        assert (one.mean, one.n) == (pytest.approx(summary.mean, nan_ok=True), summary.n)


@pytest.mark.parametrize("duplicates, severity, option", [("first", "warning", None),
                                                       ("error", "error", ("duplicates", "first"))])
def test_repeats_that_are_refused_are_told_not_raised(duplicates, severity, option):
    found = of(Run.build("run", ["q1"] * 3, ["a", "b", "a"]),
               duplicates=duplicates)
    entry = found.of("duplicate-documents", "run")
    assert (entry.severity, entry.option) == (severity, option)
    (refused,) = {one.choice for one in found.effects if one.refused}
    assert refused == "error"
    assert all(math.isnan(one.mean) for one in found.effects if one.refused)


@pytest.mark.parametrize("scores, count", [([1.0, 2.0, 3.0, 4.0], 1), ([3.0, 2.0, 1.0, 0.0], 0),
                                           ([1.0, 1.0, 1.0, 1.0], 0), ([1.0, 3.0, 2.0, 4.0], 0),
                                           ([1.0, 1.0, 2.0, 2.0], 1)])
@pytest.mark.parametrize("given", ["scores", "ranks"])
def test_scores_that_rise_in_file_order_may_be_distances(scores, count, given):
    run = Run.build("run", ["q1", "x", "q1", "q1", "q1"], ["a", "a", "b", "c", "d"],
                    np.array([scores[0], 9.0, *scores[1:]]), [1, 1, 2, 3, 4] if given == "ranks" else None)
    entry = of(run).of("rising-scores", "run")
    assert (entry.count, entry.total) == (count, 1)
    assert entry.severity == ("warning" if count else "ok") and ("distances" in entry.effect) == bool(count)


def test_no_query_in_common_is_an_entry_and_not_an_error_raised():
    found = of([run_of({"x1": ["a"]}, "far"), run_of({"q1": ["a"]}, "near")])
    entry = found.of("matched-queries", "far")
    assert (entry.severity, found.severity) == ("error", "error") and "'x1'" in entry.found and "'q1'" in entry.found
    assert {effect.run for effect in found.effects} == {"near"}


@pytest.mark.parametrize("ours, theirs, name", [
    ("2506.005", "2506.00500", "zeros"), ("7", "007", "zeros"), (" a", "a", "trim"), ("DOC", "doc", "case"),
    ("docs/a.html", "a", "path"), ("cafe\u0301", "caf\u00e9", "nfc"), ("http://h/x?y=1", "x", "path"),
])
@pytest.mark.parametrize("what", ["queries", "documents"])
def test_ids_that_match_only_after_a_spelling_name_it_and_the_fix_works(ours, theirs, name, what):
    if what == "queries":
        run, truth = run_of({ours: ["d"], "q": ["d"]}), truth_of({theirs: ["d"], "q": ["e"]})
    else:
        run, truth = run_of({"q": [ours, "d"]}), truth_of({"q": [theirs]})
    entry = of(run, truth).of(f"respelled-{what}", "run")
    assert entry.option == ("ids", name) and entry.flags == f"--ids {name}"
    assert entry.examples == (f"{quoted(ours)} for {quoted(theirs)}",) and entry.count == 1
    assert "0 now, 1 after the fix" in entry.effect and entry.severity == "warning"
    fixed = of(with_ids_of(run, truth, name), truth)
    assert not [kind for kind in worth(fixed) if kind.startswith("respelled")]


def test_ids_that_only_look_alike_are_shown_with_the_code_points_that_differ():
    run, truth = run_of({"q": ["re\u0301sume\u0301.pdf"]}), truth_of({"q": ["r\u00e9sum\u00e9.pdf"]})
    entry = of(run, truth).of("respelled-documents", "run")
    assert r"'re\u0301sume\u0301.pdf' for 'résumé.pdf'" in entry.found and "Unicode NFC" in entry.found


@pytest.mark.parametrize("ours, theirs", [("q::1", "q<::>1"), ("a b", "a_b"), ("\u00e9.1", "\u00e9-1")])
def test_punctuation_is_read_alike_where_no_id_is_shared(ours, theirs):
    for run, truth, kind in [(run_of({ours: ["d"]}), truth_of({theirs: ["d"]}), "queries"),
                             (run_of({"q": [ours]}), truth_of({"q": [theirs]}), "documents")]:
        entry = of(run, truth).of(f"respelled-{kind}", "run")
        assert entry.option == ("ids", "marks") and entry.examples == (f"{quoted(ours)} for {quoted(theirs)}",)
        assert "0 now, 1 after the fix" in entry.effect


def test_punctuation_is_left_alone_where_ids_are_shared_and_at_the_ends():
    report = of(run_of({"q": ["a_1", "d"]}), truth_of({"q": ["a-1", "d"]}))
    assert not [kind for kind in worth(report) if kind.startswith("respelled")]
    report = of(run_of({"q": ["-1", "(2)"]}), truth_of({"q": ["1", "2"]}))
    assert not [kind for kind in worth(report) if kind.startswith("respelled")]


def test_queries_and_documents_that_need_different_spellings_get_both():
    found = of(run_of({"1": ["DOC"]}), truth_of({"01": ["doc"]}))
    assert found.of("respelled-queries", "run").option == ("ids", "case,zeros")
    assert "0 now, 1 after the fix" in found.of("respelled-documents", "run").effect


def test_chunks_against_documents_name_the_collapse_that_matches():
    truth = truth_of({"q1": ["a"], "q2": ["b"]})
    run = run_of({"q1": ["c#1", "a#2", "a#1"], "q2": ["b#1"]})
    entry = of(run, truth).of("another-level", "run")
    assert entry.option == ("collapse", "prefix:#") and entry.also == () and "0 now, 2 after the fix" in entry.effect
    assert entry.examples == ("a#2", "a")
    assert worth(of(collapsed(run, "prefix:#"), truth)) == ["unjudged-documents"]


def test_documents_against_chunks_are_told_too():
    entry = of(run_of({"q1": ["a", "b"]}), truth_of({"q1": ["a#1"]})).of("finer-truth", "run")
    assert entry.severity == "warning" and entry.option is None and entry.examples == ("a", "a#1")


def test_runs_among_themselves():
    runs = [run_of({"q1": ["a", "b", "c"], "q2": ["a"]}, "deep"), run_of({"q1": ["a"], "q3": ["a"]}, "flat")]
    found = of(runs)
    assert counts(found, "different-queries", None) == (2, 4, "note")
    assert counts(found, "different-depths", None) == (1, 2, "warning")
    assert found.of("different-depths").examples == ("deep: 3", "flat: 1") and "P@2, RR" in found.of(
        "different-depths").effect
    assert counts(of(runs, metrics="P@1"), "different-depths", None)[2] == "note"
    skipped = of(runs, missing="skip").of("different-queries")
    assert skipped.option == ("missing", "zero") and skipped.severity == "warning"
    assert "different-queries" not in {entry.kind for entry in of(runs[0]).entries}


def test_depth_is_not_spoken_of_for_runs_without_rankings_or_metrics_that_read_none():
    answers = Run.build("answers", [], [], details=pa.table({"query_id": ["q1"], "answer": ["yes"]}))
    deep, flat = run_of({"q1": ["a", "b", "c"], "q2": ["a"]}, "deep"), run_of({"q1": ["a"], "q2": ["a"]}, "flat")
    assert of([deep, answers]).of("different-depths") is None, "one run with rankings is not deeper than none"
    found = check_comparability([deep, flat, answers], TRUTH, specs=[file_spec("status", "correct")])
    entry = found.of("different-depths")
    assert entry.severity == "note" and entry.examples == ("deep: 3", "flat: 1") and "cutoffs up to 1" in entry.fix
    assert not [text for entry in found.entries for text in (entry.found, entry.effect, entry.fix) if "file:" in text]


def test_runs_read_in_different_ways_and_twins():
    run = run_of({"q1": ["a#1", "b"]}, "one")
    found = of([run, collapsed(run, "prefix:#").renamed("two"), run.renamed("three")])
    entry = found.of("different-collapse")
    assert entry.examples == ("one: as they are", "two: prefix:#", "three: as they are") and entry.severity == "warning"
    assert found.of("different-ids") is None
    assert found.of("same-rankings").examples == ("one = three",)


@over(seed=range(25))
def test_whatever_the_data_is_like_the_ledger_is_made_and_printed(seed):
    case, other = random_case(seed), random_case(seed + 1)
    found = check_comparability([case.run(), other.run().renamed("other")], case.truth())
    text = as_text(found)
    assert all(entry.found.replace("\n", " ") for entry in found.entries) and text.endswith("\n")
    assert {entry.severity for entry in found.entries} <= set(SEVERITIES)
    assert all(0 <= entry.count <= entry.total for entry in found.entries)
    assert set(found.as_dict()) == {"entries", "effects"}


@pytest.mark.parametrize("run, truth", [
    (Run.build("run", [], []), TRUTH), (run_of({"q1": ["a"]}), Truth.build("truth", [], [], np.zeros(0, int))),
    (Run.build("run", [], []), Truth.build("truth", [], [], np.zeros(0, int))),
    (run_of({"q1": []}), TRUTH), (run_of({"": ["", " "]}), truth_of({"": [" "]})),
])
def test_empty_sides_are_told(run, truth):
    assert as_text(of(run, truth))


def test_in_a_large_run_the_entries_say_how_much_was_looked_at():
    n = 450_000
    names = pa.array([f"DOC{i % 1000}" for i in range(n)])
    codes = pa.array(np.repeat(np.arange(450, dtype=np.int32), 1000))
    queries = pa.DictionaryArray.from_arrays(codes, pa.array([f"q{i}" for i in range(450)]))
    run = Run.build("run", queries, names, np.tile(np.arange(1000.0, 0, -1), 450))
    found = quick(lambda: of(run, truth_of({f"q{i}": ["doc7"] for i in range(450)})), 20)
    assert "50,000 of 450,000 looked at" in found.of("respelled-documents", "run").found


@pytest.mark.skipif(not S02.is_dir(), reason=f"SKIPPED: no shared data at {S02} (set RAGDASH_TEST_DATA)")
@pytest.mark.parametrize("name, pages", [("dense", 93), ("hybrid", 92)])
def test_chunks_of_s02_are_collapsed_to_the_pages_that_are_judged(name, pages):
    run, truth = read_run(S02 / f"chunks_{name}.trec"), read_truth(S02 / "pages.qrels")
    found = check_comparability([run], truth)
    assert found.of("no-common-document", run.name).severity == "error"
    entry = found.of("another-level", run.name)
    assert entry.flags == "--collapse number:_ --ids zeros" and f"0 now, {pages} after the fix" in entry.effect
    fixed = with_ids_of(collapsed(run, "number:_"), truth, "zeros")
    tables = pc.match_substring(fixed.docs, "table_p")
    assert pc.sum(tables).as_py() == pc.sum(pc.match_substring(run.docs, "table_p")).as_py() > 40
    assert check_comparability([fixed], truth).severity == "note"


def test_an_offered_collapse_says_how_many_ids_become_how_many_documents():
    truth = truth_of({"1": ["p28"], "2": ["p107"]})
    run = run_of({"1": ["p28_1", "p28_2", "table_p3"], "2": ["p107_1", "table_p4"]})
    entry = of(run, truth).of("another-level", "run")
    assert entry.flags == "--collapse number:_"
    assert ("3 different ids become 2 documents; 2 stay as they are, such as 'table_p3'." in entry.effect
            and "no judged document" not in entry.effect)
    table = run_of({"1": ["p28_1", "p28_2", "table_3"], "2": ["p107_1", "table_4"]})
    assert ("5 different ids become 3 documents. 2 of them become documents such as 'table': no judged document has "
            "such an id." in of(table, truth).of("another-level", "run").effect)


def test_what_would_merge_judged_documents_is_not_offered():
    """Both levels are judged: at '_' two judged chunks would become one document."""
    truth = truth_of({"1": ["a_1", "a_2", "b"]})
    assert of(run_of({"1": ["a_1", "a_2", "b_1"]}), truth).of("another-level", "run") is None


def restored(found: ComparabilityReport, run: Run, truth: Truth, kind: str) -> int:
    """Judged documents among those returned, once the one fix of this entry is made."""
    switches = dict([(one := found.of(kind, "run")).option, *one.also])
    run = collapsed(run, switches["collapse"]) if "collapse" in switches else run
    run = with_ids_of(run, truth, switches["ids"]) if "ids" in switches else run
    return len(Match(run, truth).ranked.rank)


@pytest.mark.parametrize("queries, docs, flags", [
    (("1", "2"), ("p0028_001", "p0107_002"), "--collapse prefix:_ --ids zeros"),  # the second needs no zeros
    (("01", "02"), ("p28_1", "p107_2"), "--collapse prefix:_ --ids zeros"),  # zeros for the queries alone
    (("1", "2"), ("P28_1", "p0107_2"), "--collapse prefix:_ --ids case,zeros"),
])
def test_two_fixes_of_which_one_is_not_enough_are_named_together(queries, docs, flags):
    truth = truth_of({"1": ["p28"], "2": ["p107"]})
    run = run_of({query: [doc] for query, doc in zip(queries, docs, strict=True)})
    found = of(run, truth)
    entry = found.of("another-level", "run")
    assert entry.flags == flags and flags in entry.fix and "Both are needed" in entry.fix
    assert restored(found, run, truth, "another-level") == 2
    other = found.of("respelled-queries", "run")
    assert other is None or (other.flags, other.effect) == (flags, entry.effect)


def test_runs_of_which_each_is_written_as_in_the_truth_need_not_be_read_alike():
    truth = truth_of({"q1": ["007", "a"], "q2": ["008"]})
    lost, right = run_of({"q1": ["7"], "q2": ["8"]}, "lost"), run_of({"q1": ["007", "x"], "q2": ["008"]}, "right")
    half = run_of({"q1": ["A", "x"], "q2": ["008"]}, "half")
    fixed = with_ids_of(lost, truth, "zeros")
    assert of([fixed, right], truth).of("different-ids").severity == "note"
    assert of([fixed, right, half], truth).of("different-ids").severity == "warning"
    entry = of([fixed, right, half], truth).of("different-ids")
    assert (entry.option, entry.facts["fixable"]) == (("ids", "case"), ["half"]), "the fix that its own finding has"
    chunks = collapsed(run_of({"q1": ["a#1"], "q2": ["008#3"]}, "chunks"), "prefix:#")
    assert of([chunks, right], truth).of("different-collapse").severity == "note"


def test_runs_whose_ids_would_not_change_are_read_alike():
    """One run finds nothing, and no spelling would help it: nothing is left to fix."""
    truth = truth_of({"q1": ["007"], "q2": ["008"]})
    fixed = with_ids_of(run_of({"q1": ["7"], "q2": ["8"]}, "lost"), truth, "zeros")
    entry = of([fixed, run_of({"q1": ["x"], "q2": ["y"]}, "other")], truth).of("different-ids")
    assert (entry.severity, entry.option) == ("note", None) and "no id that would change" in entry.effect


def test_ids_that_would_change_have_the_fix_for_the_runs_that_are_left():
    truth = truth_of({"q1": ["007"], "q2": ["008"]})
    fixed = with_ids_of(run_of({"q1": ["7"], "q2": ["8"]}, "lost"), truth, "zeros")
    left = run_of({"q1": ["0011"], "q2": ["y"]}, "left")
    entry = of([fixed, left], truth).of("different-ids")
    assert (entry.severity, entry.option, entry.facts["fixable"]) == ("warning", ("ids", "zeros"), ["left"])
    assert entry.words("page").fix == "Match the ids of all of them in the same way: left is left."
    again = of([fixed, with_ids_of(left, truth, "zeros")], truth)
    assert again.of("different-ids") is None
    unjudged = run_of({"q1": ["007", "0011"], "q2": ["008"]}, "right")
    note = of([fixed, unjudged], truth).of("different-ids")
    assert (note.severity, note.option) == ("note", ("ids", "zeros")) and "written in two ways" in note.effect


def test_half_a_fix_is_not_offered_to_the_run_that_needs_both():
    """Pages are p28, chunks p0028_001: restored zeros alone would give p28_1."""
    truth = truth_of({"q1": ["p28"], "q2": ["p107"]})
    chunks = run_of({"q1": ["p0028_001"], "q2": ["p0107_002"]}, "chunks")
    fixed = with_ids_of(collapsed(chunks, "prefix:_"), truth, "zeros").renamed("fixed")
    report = of([fixed, chunks], truth)
    for kind in ("different-ids", "different-collapse"):
        entry = report.of(kind)
        assert (entry.flags, entry.facts["fixable"]) == ("--collapse prefix:_ --ids zeros", ["chunks"])
    others = run_of({"q1": ["p0031_001"], "q2": ["p0032_002"]}, "others")  # none is judged: no finding has it
    for kind in ("different-ids", "different-collapse"):
        entry = of([fixed, others], truth).of(kind)
        assert (entry.flags, entry.facts["fixable"]) == ("--collapse prefix:_ --ids zeros", ["others"])


def test_a_run_with_nothing_to_collapse_counts_as_collapsed():
    """Even where it misses some of the truth; a run with such chunks, or collapsed in another way, does not."""
    truth = truth_of({"q1": ["a", "b"], "q2": ["c"]})
    chunks, pages = run_of({"q1": ["a_1", "a_2", "b_1"], "q2": ["c_3"]}, "chunks"), run_of({"q1": ["x"]}, "pages")
    other = run_of({"q1": ["a_1"], "q2": ["c_1"]}, "other")
    read = collapsed(chunks, "prefix:_")
    entry = of([read, pages], truth).of("different-collapse")
    assert entry.severity == "note" and "nothing to collapse" in entry.effect
    assert of([read, other], truth).of("different-collapse").severity == "warning"
    assert of([read, other, pages], truth).of("different-collapse").severity == "warning"


def test_of_a_large_truth_the_entry_says_how_much_was_looked_at():
    truth = truth_of({"q1": [f"d{i}#1" for i in range(45_000)]})
    entry = of(run_of({"q1": [f"d{i}" for i in range(300)]}), truth).of("finer-truth", "run")
    assert "(in 300 of 300 returned and 15,000 of 45,000 judged documents looked at)" in entry.found
    assert entry.total == 15_000


@pytest.mark.slow
def test_a_large_truth_that_nothing_matches_is_looked_through_quickly():
    """A million judgments, 2 million returned documents: 3 s of processor time, ten times that before."""
    rng = np.random.default_rng(0)
    queries = pa.array([f"q{i}" for i in range(7_000)])
    judged = pa.array([f"passage_{i:08d}" for i in rng.permutation(980_000)])
    truth = Truth.build("truth", queries.take(pa.array(np.repeat(np.arange(7_000), 140))), judged,
                        np.ones(980_000, int))
    returned = pa.array(rng.integers(0, 8_000_000, 2_100_000)).cast(pa.string())
    run = Run.build("run", queries.take(pa.array(np.repeat(np.arange(7_000), 300))), returned,
                    np.tile(np.arange(300.0, 0, -1), 7_000))
    assert quick(lambda: check_ids([run], truth), 8) == ()


@pytest.mark.parametrize("docs, gold, name", [
    (("DOC-007", "Doc-012"), ("doc-7", "doc-12"), "case,zeros"),
    ((" DOC-7", "doc-12 "), ("doc-7", "doc-12"), "trim,case"),
    (("corpus/2506.00500.pdf", "corpus/2507.10.pdf"), ("2506.005", "2507.1"), "zeros,path"),
    (("https://a.org/DOC-007.html?x=1", "x"), ("doc-7", "doc-12"), "case,zeros,path"),
])
def test_spellings_that_help_only_together(docs, gold, name):
    truth = truth_of({"q1": list(gold)})
    run = run_of({"q1": list(docs)})
    entry, = [one for one in of(run, truth).entries if one.kind == "respelled-documents"]
    assert entry.option == ("ids", name) and entry.severity == "warning"
    hits = sum(doc in gold for doc in with_ids_of(run, truth, name).docs.to_pylist())
    assert f"0 now, {hits} after the fix" in entry.effect and hits == entry.count > 0


def test_spellings_of_queries_that_help_only_together():
    truth = truth_of({"query-7": ["a"], "query-8": ["b"]})
    entry = of(run_of({"QUERY-007": ["a"], "QUERY-008": ["b"]}), truth).of("respelled-queries", "run")
    assert entry.option == ("ids", "case,zeros") and entry.count == 2 and "0 now, 2 after the fix" in entry.effect


def test_chunks_in_another_spelling_that_takes_two_fixes():
    entry = of(run_of({"q1": ["DOC-007_3", "DOC-012_1"]}), truth_of({"q1": ["doc-7", "doc-12"]}))
    level = entry.of("another-level", "run")
    assert level.flags == "--collapse prefix:_ --ids case,zeros" and "2 after the fix" in level.effect


def test_the_order_in_which_spellings_are_named_does_not_matter():
    truth, run = truth_of({"q1": ["2506.005"]}), run_of({"q1": ["corpus/2506.00500.pdf"]})
    for name in ("zeros,path", "path,zeros"):
        assert with_ids_of(run, truth, name).docs.to_pylist() == ["2506.005"]


def test_a_truth_of_answers_alone_has_no_judgments_instead_of_unanswerable_queries():
    truth = Truth.build("gold", [], [], np.array([], int),
                        details=pa.table({"query_id": ["q1", "q2"], "answers": [["a"], ["b"]]}))
    report = of(run_of({"q1": ["a"], "q2": ["a"]}), truth)
    entry = report.of("unanswerable-queries")
    assert entry.severity == "note" and entry.option is None
    assert entry.found == "The ground truth has no judgments of documents."
