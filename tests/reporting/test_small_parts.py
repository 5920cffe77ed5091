"""Small parts of sentences and tables: the largest of several, the first of a list, limits, and what is undefined."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from helpers import run_of, truth_of

from ragdash.core.slices import Slice
from ragdash.core.text.short_names import short_names
from ragdash.evaluation.ci_gates import GateCheck
from ragdash.evaluation.compare import ComparisonRules, compare, compare_slices
from ragdash.evaluation.evaluate import evaluate
from ragdash.matching.match import Match
from ragdash.metrics import parse_spec, parse_specs
from ragdash.reporting.html.cells import summary_arrays
from ragdash.reporting.html.sections import appendix, failures, summary
from ragdash.reporting.plots.common.arrays import CUTOFFS, rank_bins
from ragdash.reporting.sentences import comparison, latency_cost, what_if
from ragdash.reporting.sentences.formatting import escape, grades_note, number, query_title, slice_label
from ragdash.reporting.tables import history
from ragdash.reporting.tables.export import export_table
from ragdash.reporting.tables.junit import as_junit
from ragdash.reporting.tables.regression_set import ticket

QUICK = ComparisonRules(resamples=200, permutations=200)


def test_the_slice_with_the_largest_difference_is_named_whatever_its_sign():
    ids = [f"q{i}" for i in range(8)]
    truth = truth_of({query: ["a"] for query in ids})
    ranks = [1, 2, 1, 2, 4, 1, 4, 1]  # of the candidate: up to a half worse, then up to three quarters
    baseline = evaluate(run_of({query: ["a"] for query in ids}, "old"), truth, ["RR"])
    candidate = evaluate(run_of({query: [f"x{i}" for i in range(rank - 1)] + ["a"]
                                 for query, rank in zip(ids, ranks, strict=True)}, "new"), truth, ["RR"])
    halves = [Slice("kind", name, np.arange(8) // 4 == half) for half, name in enumerate(("easy", "hard"))]
    compared = [row[0] for row in compare_slices(baseline, [candidate], parse_spec("RR"), halves, QUICK)]
    said = comparison.slices_sentence(compared)
    assert said.startswith("No slice shows a significant difference") and "hard*" in said and "easy*" not in said
    assert "between **new** and **old**, so do not choose between them by these slices. The largest difference is on " \
        in said
    assert comparison.slices_sentence(compared[::-1]) == said
    several = comparison.slices_sentence([*compared, *(replace(one, candidate="third") for one in compared)])
    assert "from **old**, so do not choose a run by these slices." in several
    assert "The largest difference is that of **new** on" in several
    decided = [replace(one, candidate=name, outcome="worse") for one, name in zip(compared * 3, "abcdef", strict=False)]
    assert "and 1 more difference is significant." in comparison.slices_sentence(decided[:4])
    assert "and 2 more differences are significant." in comparison.slices_sentence(decided[:5])
    assert comparison.slices_sentence([]) == "No slice has enough queries to compare the runs."


def test_runs_without_times_are_named_with_the_verb_of_their_number():
    some, two = what_if.missing_times_sentence(["bm25"], 3), what_if.missing_times_sentence(["bm25", "dense"], 3)
    assert some.startswith("bm25 does not record how long its searches")
    assert two.startswith("bm25 and dense do not record how long their searches")
    assert what_if.missing_times_sentence(["bm25", "dense"], 2).startswith("These runs do not record how long their")


def test_no_run_on_the_front_is_said_and_one_run_is_alone_there():
    spec = parse_spec("RR")
    none = latency_cost.front_sentences(["a", "b"], np.array([False, False]), [], spec, "Cost per query", "$",
                                        known=np.array([True, False]))
    assert none == ["No run has both MRR and cost per query."]
    (alone,) = latency_cost.front_sentences(["a", "b"], np.array([False, True]), [], spec, "Average latency", "ms",
                                            known=np.array([True, True]))
    assert alone == ("No other run has a better mean MRR or a lower average latency than **b**.")


def test_an_accepted_run_has_no_difference_and_another_one_has_its_own():
    point = SimpleNamespace(name="nightly", label="nightly", time=None, commit="", branch="", dirty=False, tags=(),
                            group="", settings={}, truth="same", missing=0)
    summary = SimpleNamespace(mean=0.5, low=0.4, high=0.6, n=1200)
    row = SimpleNamespace(point=0, summary=summary, accepted=None, difference=0.1, low=0.05, high=0.15, change="")
    cells = history._cells([point], row)
    assert cells[2:5] == ["0.500 [0.400, 0.600]", "accepted", "1,200"]
    for accepted in (0, -1):  # the first point, and a pinned baseline
        row.accepted = accepted
        assert history._cells([point], row)[3] == "+0.100 [+0.050, +0.150]"


def test_a_ticket_writes_twenty_relevant_documents_and_counts_the_others():
    for documents, rest in ((20, None), (21, "and 1 more")):
        truth = truth_of({"q1": [f"relevant-{i}" for i in range(documents)]})
        text = ticket([Match(run_of({"q1": ["x"]}, "dense"), truth)], np.array([True]))
        assert sum(f"relevant-{i}" in text for i in range(documents)) == 20
        assert (rest in text) if rest else " more" not in text


def test_a_stage_has_what_fixing_it_adds_only_where_that_is_known():
    content = SimpleNamespace(selected=np.array([True, True, True, False]))
    gains = [SimpleNamespace(at_most=0.25), SimpleNamespace(at_most=float("nan"))]
    assert failures._cell(content, 1, gains, 0) == '1 (33%) <span class="quiet">at most +0.250</span>'
    for queries, known, stage in ((1, gains, 1), (0, gains, 0), (1, [], 0)):
        assert "at most" not in failures._cell(content, queries, known, stage)


def test_marks_of_direction_turn_nothing_around_them():
    turned = "\u202eyes"
    assert query_title(turned, "Who?") == "\u2068\u202eyes\u2069: Who?"
    slices = {"t": SimpleNamespace(title=turned, queries=np.ones(3))}
    assert slice_label(slices, "t") == "\u2068\u202eyes\u2069 (3)"
    junit = as_junit("ragdash", [GateCheck(turned, f"RR of {turned} ≥ 0.5", "0.4", "below \u2067")]).decode()
    table = export_table(pa.table({"run": [turned], "RR": [0.5]}), "markdown").decode()
    for text in (junit, table):
        assert not {"\u202e", "\u2067"} & set(text) and "u202eyes" in text


def test_means_come_with_their_lower_and_upper_ends():
    rows = [[SimpleNamespace(mean=0.5, low=0.4, high=0.7)], [SimpleNamespace(mean=0.2, low=0.1, high=0.6)]]
    assert [array[:, 0].tolist() for array in summary_arrays(rows)] == [[0.5, 0.2], [0.4, 0.1], [0.7, 0.6]]


def test_ranks_are_counted_in_the_documented_bins_and_metrics_at_the_documented_cutoffs():
    assert rank_bins(1200)[1] == ["1", "2", "3", "4–5", "6–10", "11–20", "21–50", "51–100", "101–200", "201–500",
                                  "501–1,000", "1,001–1,200"]
    assert rank_bins(10)[0].tolist() == [1, 2, 3, 5, 10] and rank_bins(0)[1] == ["1"]
    assert CUTOFFS == (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def test_the_section_on_comparability_begins_with_the_whole_summary(monkeypatch):
    monkeypatch.setattr(appendix, "check_comparability", lambda *_: SimpleNamespace(findings=(), effects=()))
    monkeypatch.setattr(appendix.sentences_comparability, "summary", lambda *_: "comparable: 2 runs")
    match = SimpleNamespace(run=SimpleNamespace(renamed=lambda name: name), conventions=None)
    content = SimpleNamespace(request=SimpleNamespace(matches=[match], specs=[]), names=["dense"], truth=None,
                              lead=parse_spec("RR"))
    assert appendix.comparability(content, "Comparability").blocks[0].text == "Comparable: 2 runs"


@pytest.mark.parametrize("many, more", [(0, None), (summary.MAX_WARNINGS, None), (summary.MAX_WARNINGS + 1, 1),
                                        (summary.MAX_WARNINGS + 5, 5)])
def test_what_is_more_than_the_summary_has_room_for_is_counted(monkeypatch, many, more):
    monkeypatch.setattr(summary, "check_lines", lambda checks: [f"check {check}" for check in checks])
    monkeypatch.setattr(summary.sentences, "fix_lines", lambda verdict: [f"fix {fix}" for fix in verdict.fixes])
    monkeypatch.setattr(summary, "_with_short_names", lambda content, line: line)
    monkeypatch.setattr(summary, "merge_alike", tuple)
    for name, end in (("check", "more."), ("fix", "more runs.")):
        numbers = tuple(range(many))
        checks, fixes = (numbers, ()) if name == "check" else ((), numbers)
        verdict = SimpleNamespace(withheld=checks[:1], qualified=checks[1:], fixes=fixes, notes=())
        blocks = summary._warnings(SimpleNamespace(names=["one"]), verdict)
        assert bool(blocks) == bool(many)
        lines = blocks[1].text.split("\n") if blocks else []
        assert lines == [*(f"- {name} {number}" for number in numbers[:summary.MAX_WARNINGS]),
                         *([f"- And {more} {end}"] if more else [])]


def test_a_mix_is_named_by_its_runs_while_their_names_have_40_characters():
    assert what_if.mix_name("rrf", {}, ["a" * 18, "b" * 19]) == f"{'a' * 18} + {'b' * 19} (rrf)"
    assert what_if.mix_name("rrf", {}, ["a" * 19, "b" * 19]) == "2 runs (rrf)"


def test_intervals_with_and_without_a_width_are_explained_where_no_query_differs():
    """Success@1 is 0 or 1, RR is not; both find the document at rank 2."""
    truth = {f"q{at}": ["a"] for at in range(20)}
    first, second = ({query: documents for query in truth} for documents in (["x", "a"], ["y", "a"]))
    [row] = compare(first, {"second": second}, "RR Success@1", truth=truth)
    assert [pair.low < 0 < pair.high for pair in row] == [False, True]
    note = comparison.same_values_note(row)
    assert "a metric of 0 and 1 (Hit rate@1) shows how large a difference could still be" in note.replace("\\", "")
    assert comparison.same_values_note(row[:1]) == comparison.same_values_note(row[1:]) == ""


def test_long_names_with_a_common_beginning_are_shortened_by_what_differs():
    names = [f"chatbot-2024-retriever-{kind}-chunk-{size}" for kind in ("bm25", "dense") for size in (128, 256, 512)]
    assert short_names(names, 20) == [f"{kind}-chunk-{size}" for kind in ("bm25", "dense") for size in (128, 256, 512)]
    assert short_names([*names, "bm25"], 20)[-1] == "bm25"
    assert len(set(short_names(names, 12))) == 6 and all(len(name) <= 12 for name in short_names(names, 12))


def test_a_short_name_has_no_half_of_a_pair_of_parentheses():
    """Runs of one name have their file in parentheses."""
    names = ["bm25", *(f"dense ({file})" for file in ("bge-small-en-v1.5_chunk512_rerank-bge-v2",
                                                      "text-embedding-3-large_256d", "text-embedding-3-large_int8"))]
    for limit in (9, 14, 18, 32):
        for chosen in (names, names[1:], names[2:]):
            short = short_names(chosen, limit)
            assert len(set(short)) == len(chosen) and all(text.count("(") == text.count(")") for text in short)
    assert short_names(names[2:], 18) == ["3-large_256d", "3-large_int8"]


def test_no_difference_has_no_minus_sign():
    assert [number(value, signed=True) for value in (-0.0, 0.0, -0.001)] == ["+0.000", "+0.000", "−0.001"]
    assert number(-0.0) == "0.000"


def test_a_long_name_is_short_in_one_way_wherever_it_fits():
    """In a legend (18 characters), a table, the sidebar, a card (32) and the report."""
    start = "acme-support-assistant-2026-q1-embedding-v3-chunk512-overlap64"
    names = [f"{start}-{end}" for end in ("dense-only", "bm25-lemmatized", "hybrid-rrf-k60")]
    assert len({tuple(short_names(names, limit)) for limit in range(18, 49)}) == 1
    assert short_names(names, 32)[1:] == ["bm25-lemmatized", "hybrid-rrf-k60"]


def test_a_page_has_no_two_short_forms_of_a_name():
    sizes = ("chunk256", "chunk512", "chunk1024-overlap128")
    names = [f"{start}-{size}-top{depth}" for start in ("bm25", "hybrid-rrf-k60", "bge-m3-multi-vector-reranked")
             for size in sizes for depth in (10, 30)]
    narrow, page, wide = (short_names(names, limit) for limit in (18, 32, 64))
    forms = [{*shown} - {name} for name, *shown in zip(names, narrow, page, wide, strict=True)]
    assert all(len(form) <= 1 for form in forms) and wide == names
    assert all(len(set(shown)) == len(names) for shown in (narrow, page))
    alike = [f"{'a' * 60}{letter}{'b' * 60}" for letter in "xyz"]
    assert len(set(short_names(alike, 32))) == 3


def test_long_names_keep_the_first_of_their_words_next_to_names_without_it():
    names = [f"bge-m3-multi-vector-reranked-{size}" for size in ("chunk256-top10", "chunk1024-overlap128-top30")]
    assert short_names([*names, "bm25-chunk256-top10"], 31) == [
        "bge…chunk256-top10", "bge…chunk1024-overlap128-top30", "bm25-chunk256-top10"]


def test_a_long_name_is_not_cut_within_a_number_nor_twice_in_a_row():
    sizes = [f"bge-m3-multi-vector-chunk{size}-top{k}" for size in (128, 256, 1024) for k in (10, 30)]
    assert short_names(sizes, 18) == [f"chunk{size}-top{k}" for size in (128, 256, 1024) for k in (10, 30)]
    pair = ["colbert-v2.1-chunk1024-overlap128-top10", "e5-large-v2-chunk512-top30"]
    assert short_names(pair, 18) == ["colbert…128-top10", "e5-large…512-top30"]
    assert short_names(["bm25-chunk1024-with-stems-overlap128-top10"], 22) == ["bm25-chunk…p128-top10"]


def test_short_names_of_many_variants_can_be_told_apart():
    names = [f"{retriever}-{model}-{size}-k{depth}-rerank" for retriever in ("bm25", "dense", "hybrid")
             for model in ("small", "base", "large") for size in (256, 512, 1024) for depth in (5, 10, 20)]
    short = short_names(names, 20)
    assert len(set(short)) == len(names) and max(map(len, short)) <= 40
    assert short_names([*names[:1] * 2, "other"], 20)[:2] == [short_names(names[:1], 20)[0]] * 2, "the same name twice"
    assert all(len(name) <= 12 for name in short_names(names, 12)), "a column has no room for more"
    long = [f"dense-{model}-chunk-{size}-cross-encoder-reranker" for model in ("bge-small", "e5-large-instruct")
            for size in (256, 512)]
    assert short_names([*long, "sparse"], 18) == ["bge-small…256", "bge-small…512", "e5-large-…ruct…256",
                                                  "e5-large-…ruct…512", "sparse"], "by the words that differ"


def test_grades_are_explained_where_a_metric_knows_only_relevant_or_not():
    grades = np.array([0, 1, 2, 3, 1])
    several = parse_specs("P@5 nDCG@10")
    assert grades_note(grades, several, "report") == "Relevant: grade 1 or more; NDCG@10 uses all grades."
    assert "type `P(rel=2)@5` under **Choose metrics** on **Compare**." in grades_note(grades, several)
    assert parse_specs("P(rel=2)@5")[0].title == "Precision@5 (rel = 2)"  # what the page says can be typed
    for other in (parse_specs("nDCG@10"), parse_specs("P(rel=2)@5")):
        assert grades_note(grades, other) == ""
    assert grades_note(grades[:2], several) == ""


@pytest.mark.parametrize("text", [":material/hom…eamlit: run1", ":material/", "a :material/home: b", ":MATERIAL/x"])
def test_nothing_is_left_that_streamlit_replaces_before_it_reads_marks(text):
    """Its pages replace the beginning of every icon, also of one that was shortened and has no end."""
    assert ":material/" not in escape(text).replace("\\", "").lower()


def test_a_name_that_is_cut_twice_keeps_the_whole_word_in_which_it_differs():
    """e5-…hunk256_o…e-v2 says less than e5…chunk256…v2."""
    names = [f"{model}_chunk{size}_overlap{size // 8}_rerank-bge-v2" for model in ("e5-large-v2", "bge-small-en-v1.5")
             for size in (256, 512)]
    names += ["bm25", "bm25_chunk256_overlap32"]
    expected = ["e5…chunk256…v2", "e5…chunk512…v2", "bge…chunk256…v2", "bge…chunk512…v2", "bm25"]
    assert short_names(names, 18)[:5] == short_names(names, 32)[:5] == expected


def test_a_name_that_is_cut_once_keeps_whole_words_at_the_cut():
    """all-MiniL…erlap128 and rrf-bm25-…k-bge-v2 say less."""
    names = ["all-MiniLM-L6-v2_chunk1024_overlap128", "bm25_chunk256_overlap32",
             "rrf-bm25-bge-small-en-v1.5_chunk256_overlap32_rerank-bge-v2", "prod"]
    assert short_names(names, 18) == ["all-Min…overlap128", "bm25…overlap32", "rrf-bm25…bge-v2", "prod"]


@pytest.mark.parametrize("limit", [18, 20, 24, 32])
def test_runs_of_one_name_in_many_files_have_different_short_names(limit):
    """hybrid (bge-m3-chunk256-top10): the word and the file, as runs are called that have the same name."""
    names = ["sparse", "hybrid", *(f"{kind} ({model}-chunk{size}-overlap128-{kept})"
             for model in ("colbert-v2.1", "bge-m3-multi-vector", "e5-large-v2", "bm25-okapi")
             for size in (256, 512, 1024) for kept, kind in (("top10", "hybrid"), ("top30-reranked", "sparse")))]
    short = short_names(names, limit)
    assert len(set(short)) == len(names) and max(map(len, short)) <= 36
