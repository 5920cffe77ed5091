"""Ids that are written in another way, and chunks of one document: what is joined, what is not, and what is told."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from helpers import over, random_case, run_of, truth_of
from speed import quick

from ragdash.core.arrow_columns import text_column
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError
from ragdash.core.file_scores import FileScores
from ragdash.core.ids.collapse_choices import collapse_choices
from ragdash.core.ids.normalization import before, collapsed, rebuilt, with_ids_of
from ragdash.core.ids.spellings import Wanted, respelled, spelling
from ragdash.core.records import Run, Truth
from ragdash.evaluation.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("error")


def spelled(name: str, *ids: str) -> list[str]:
    return spelling(name).apply(text_column(list(ids))).to_pylist()


def docs(run: Run, query: str = "q") -> list[str]:
    return run.ranking(query)["doc_id"].to_pylist()


def kinds(run: Run) -> list[str]:
    return [problem.kind for problem in run.problems]


@pytest.mark.parametrize("name, one, other", [
    ("trim", " a ", "a"), ("trim", "a\t", "a"), ("trim", "\u00a0a", "a"), ("trim", "a b", "a b"),
    ("marks", "a::1", "a<::>1"), ("marks,case", "A b.2", "a-b_2"),
    ("nfc", "cafe\u0301", "caf\u00e9"), ("nfc", "\u1112\u1161\u11ab", "\ud55c"),
    ("nfc,case", "E\u0301TE\u0301", "\u00e9t\u00e9"), ("nfc,path,zeros", "docs/e\u0301-007.pdf", "\u00e9-7"),
    ("case", "DOC-7", "doc-7"), ("case", "ÉTÉ", "été"), ("case", "Σας", "ΣΑΣ"),
    ("zeros", "007", "7"), ("zeros", "2506.00500", "2506.005"), ("zeros", "3.0", "3"), ("zeros", "-0.50", "-0.5"),
    ("zeros", "00", "0"), ("zeros", "p0028", "p28"), ("zeros", "a-01_002", "a-1_2"),
    ("zeros", "2020:p0100", "2020:p100"),
    ("path", "https://host/a/b.html?x=1#top", "b"), ("path", r"C:\docs\b.PDF", "b"), ("path", "b.txt", "b"),
    ("path", "docs/b/", "b"), ("path,case", "x/B.txt", "b"), ("trim,zeros", " 07", "7"),
])
def test_one_form(name, one, other):
    first, second = spelled(name, one, other)
    assert first == second


@pytest.mark.parametrize("name, one, other", [
    ("nfc", "cafe", "caf\u00e9"), ("nfc", "\ufb01n", "fin"),
    ("trim", "a b", "ab"), ("case", "a", "á"), ("zeros", "2506.005", "2506.5"), ("zeros", "v1.05", "v1.5"),
    ("zeros", "10", "1"), ("zeros", "1e5", "100000"), ("zeros", "a100", "a1"), ("zeros", "0", ""),
    ("zeros", "1.10.0", "1.10"), ("path", "2506.00500", "2506"), ("path", "a/b", "a/c"), ("path", ".txt", ""),
    ("marks", "-1", "1"), ("marks", "a1", "a-1"),
])
def test_not_one_form(name, one, other):
    first, second = spelled(name, one, other)
    assert first != second


@pytest.mark.parametrize("ids, wanted, expected", [
    (["A", "b"], ["a", "b"], ["a", "b"]),
    (["A"], ["a", "á"], ["a"]),
    (["ab"], ["AB", "Ab"], ["ab"]),  # two could be meant
    (["AB"], ["AB", "ab"], ["AB"]),  # wanted as it stands
    (["A", "a", "x"], ["a"], ["a", "a", "x"]),
    ([], ["a"], []), (["A"], [], ["a"]), (["A", "X"], ["a"], ["a", "x"]),
])
def test_ids_become_the_one_wanted_id_of_their_form_else_the_form(ids, wanted, expected):
    assert respelled(text_column(ids), Wanted(pa.array(wanted, pa.string())), spelling("case")).to_pylist() == expected


@pytest.mark.parametrize("name", ["shape", "shape,trim", ""])
def test_an_unknown_spelling_is_told(name):
    with pytest.raises(InputError, match="trim, nfc, case, zeros, path or marks"):
        spelling(name)


def test_lost_zeros_come_back_with_every_hit():
    truth = truth_of({"2506.00500": {"0012": 1, "1.50": 2}, "2506.010": ["0100"]})
    lost = run_of({"2506.005": ["12", "1.5", "9"], "2506.01": ["100"]})
    kept = run_of({"2506.00500": ["0012", "1.50", "9"], "2506.010": ["0100"]})
    with pytest.raises(InputError, match="queries like"):
        evaluate(lost, truth, "P@1")
    fixed = with_ids_of(lost, truth, "zeros")
    assert fixed.digest == kept.digest
    assert fixed.settings["ids"] == "zeros"
    (note,) = [problem for problem in fixed.problems if problem.kind == "respelled-ids"]
    assert note.severity == "note" and "2 of 2 query ids and 3 of 4 document ids" in note.actual


def test_queries_that_would_become_one_stay_apart_and_are_told():
    truth = truth_of({"q1": ["a"], "q2": ["a"]})
    run = run_of({"Q1": ["a"], "q1 ": ["b"], "Q2": ["a"]})
    fixed = with_ids_of(run, truth, "case,trim")
    assert fixed.query_ids.to_pylist() == ["Q1", "q1 ", "q2"]
    (problem,) = [problem for problem in fixed.problems if problem.kind == "merged-queries"]
    assert problem.severity == "warning" and "2 queries" in problem.actual and "'Q1'" in problem.actual
    exact = with_ids_of(run_of({"Q1": ["a"], "q1": ["b"]}), truth, "case")
    assert exact.query_ids.to_pylist() == ["Q1", "q1"], "the one that is wanted as it stands is not merged into"


def test_documents_that_become_one_are_repeats_and_the_best_rank_counts():
    fixed = with_ids_of(run_of({"q": ["x", "A", "a", "b"]}), truth_of({"q": ["a"]}), "case")
    assert docs(fixed) == ["x", "a", "b"] and fixed.duplicates == 1
    assert kinds(fixed) == ["merged-documents", "respelled-ids", "duplicate-document"]
    (problem,) = [problem for problem in fixed.problems if problem.kind == "merged-documents"]
    assert problem.severity == "warning" and "2 document ids" in problem.actual and "'A' and 'a'" in problem.actual


@pytest.mark.parametrize("name", ["trim", "case", "zeros", "path", "trim,case,zeros,path"])
@over(seed=range(12))
def test_no_query_is_lost_or_merged_and_ids_become_those_of_the_truth_or_their_form(seed, name):
    run, truth = random_case(seed).run(), random_case(seed + 100).truth()
    fixed, form = with_ids_of(run, truth, name), spelling(name)
    assert len(set(fixed.query_ids.to_pylist())) == len(run) and len(fixed.docs) == len(run.docs)
    for ids, after, wanted in ((run.query_ids, fixed.query_ids, truth.query_ids), (run.docs, fixed.docs, truth.docs)):
        known, forms = set(wanted.to_pylist()), form.apply(text_column(ids)).to_pylist()
        for old, new, common in zip(ids.to_pylist(), after.to_pylist(), forms, strict=True):
            assert new == old or (old not in known and (new in known or new == common))


RESPELL = {"zeros": lambda doc: f"p{int(doc[1:]):04d}", "case": str.upper, "trim": lambda doc: f" {doc} ",
           "path": lambda doc: f"corpus/{doc}.txt", "nfc": lambda doc: doc.replace("p", "e\u0301", 1)}


@pytest.mark.parametrize("name", RESPELL)
@over(seed=range(6))
def test_under_a_spelling_two_runs_have_the_same_ids_whatever_is_judged(seed, name):
    """The ids of one run are written in another way: after the fix both runs are the same, with any judgments."""
    rng = np.random.default_rng(seed)
    plain = [f"p{number}" if name != "nfc" else f"\u00e9{number}" for number in range(1, 200)]
    other = [RESPELL[name](doc if name != "nfc" else doc.replace("\u00e9", "p")) for doc in plain]
    rows = {f"q{query}": rng.permutation(len(plain))[:20].tolist() for query in range(10)}
    runs = [run_of({query: [names[row] for row in ranking] for query, ranking in rows.items()})
            for names in (plain, other)]
    for share in (0, 0.1, 1):
        names = plain if seed % 2 else other
        judged = [doc for doc in names if rng.random() < share]
        truth = truth_of({"q0": judged}) if judged else Truth.build("truth", ["q0"], ["none"], [1])
        one, two = (with_ids_of(run, truth, name) for run in runs)
        assert one.digest == two.digest and one.docs.to_pylist() == two.docs.to_pylist()
        assert len(set(one.docs.to_pylist())) == len(set(runs[0].docs.to_pylist())), "none became another one"
        assert "merged-documents" not in kinds(one)


def test_ids_of_the_corpus_tell_documents_apart_that_a_spelling_would_join():
    truth = truth_of({"q": ["gold"]}).with_corpus(Corpus.build("docs", ["a/index.html", "b/index.html", "c/X.html"]))
    fixed = with_ids_of(run_of({"q": ["a/index.html", "b/index.html", "d/X.html", "c/gold.html", "e/Y.html"]}), truth,
                        "path")
    assert docs(fixed) == ["a/index.html", "b/index.html", "c/X.html", "gold", "Y"]


def test_an_id_does_not_become_an_id_of_the_truth_of_another_form():
    fixed = with_ids_of(run_of({"q": ["a/x.tar.gz", "x.tar"]}), truth_of({"q": ["x.tar"]}), "path")
    assert docs(fixed) == ["a/x.tar.gz", "x.tar"], "the form of the first is x.tar, that of the judged one is x"


def test_spellings_add_up_in_the_settings():
    truth = truth_of({"q": ["a", "7"]})
    fixed = with_ids_of(with_ids_of(run_of({"q": ["A", "07"]}), truth, "case"), truth, "zeros")
    assert fixed.settings == {"ids": "case,zeros"} and docs(fixed) == ["a", "7"]


def test_where_nothing_is_respelled_the_content_stays():
    run = run_of({"q": {"a": 1.0}})
    same = with_ids_of(run, truth_of({"q": ["a"]}), "path")
    assert same.digest == run.digest and same.settings == {"ids": "path"} and kinds(same) == ["respelled-ids"]


@pytest.mark.parametrize("separator, doc, expected", [
    ("#", "a#1", "a"), ("#", "a#b#1", "a#b"), ("#", "a", "a"), ("#", "#1", "#1"), ("::", "a::1", "a"),
    (".", "a.b", "a"),
    ("_", "a_b", "a"), ("|", "a|1", "a"), ("_chunk_", "a_b_chunk_3", "a_b"), ("\\", "a\\1", "a"), (" ", "a 1", "a"),
    ("é", "aé1", "a"), ("#", "a\nb#1", "a\nb"), ("-", "a-", "a"),
])
def test_the_prefix_ends_at_the_last_separator(separator, doc, expected):
    assert before(text_column([doc]), separator).to_pylist() == [expected]


@pytest.mark.parametrize("doc, expected", [
    ("p28_001", "p28"), ("table_p0105", "table_p0105"), ("a_1_2", "a_1"), ("a_1_b", "a_1_b"), ("_1", "_1"),
    ("a_", "a_"), ("a_١", "a_١"), ("a_1\n", "a_1\n"),
])
def test_before_a_number_alone_other_ids_stay(doc, expected):
    assert before(text_column([doc]), "_", only_numbers=True).to_pylist() == [expected]


@pytest.mark.parametrize("rankings", [
    {"q": ["a#2", "b#1", "a#1", "c#1", "b#2"]}, {"q": {"b#1": 4.0, "a#1": 3.0, "c#1": 1.0, "b#2": 0.5, "a#2": 5.0}},
])
def test_the_first_chunk_keeps_its_rank_and_ranks_close_up(rankings):
    run = collapsed(run_of(rankings), "prefix:#")
    assert docs(run) == ["a", "b", "c"]
    assert run.duplicates == 0 and kinds(run) == ["collapsed-chunks"] and run.settings == {"collapse": "prefix:#"}
    assert run.problems[0].severity == "note" and "2 of 5 chunks" in run.problems[0].actual


def test_collapse_by_the_source_column_and_by_rank():
    run = Run.build("run", ["q", "q", "q", "p"], ["c1", "c2", "c3", "c4"], [1.0, 9.0, 5.0, 1.0], [1, 2, 3, 1],
                    sources=pa.array(["s", "s", None, "t"]), texts=pa.array(["one", "two", "three", "four"]))
    flat = collapsed(run, "source")
    table = flat.ranking("q").to_pydict()
    assert table == {"rank": [1, 2], "doc_id": ["s", "c3"], "score": [1.0, 5.0], "text": ["one", "three"]}
    assert docs(flat, "p") == ["t"] and flat.ranked_by == "rank"
    assert "1 have no source" in flat.problems[-1].actual


def test_a_chunk_that_stood_twice_already_stays_a_duplicate():
    flat = collapsed(
        Run.build("run", ["q"] * 4, ["a#1", "b#1", "a#1", "a#2"]), "prefix:#")
    assert docs(flat) == ["a", "b"] and flat.duplicates == 1
    assert kinds(flat) == ["collapsed-chunks", "duplicate-document"]


@pytest.mark.parametrize("by", ["source", "url", "prefix:", "prefix", "number:", "number"])
def test_what_cannot_be_collapsed_by_is_told(by):
    with pytest.raises(InputError, match="prefix: and a separator"):
        collapsed(run_of({"q": ["a#1"]}), by)


def test_a_separator_that_no_id_holds_is_told():
    (problem,) = collapsed(run_of({"q": ["a#1"]}), "prefix:/").problems
    assert problem.severity == "warning" and "Check the separator" in problem.fix


@over(seed=range(40))
def test_rebuilt_from_its_own_columns_a_run_is_the_same(seed):
    case = random_case(seed)
    ranks = None if seed % 3 else np.random.default_rng(seed).permutation(len(case.columns["docs"]))
    run = Run.build("random", **case.columns, ranks=ranks, problems=())
    again = rebuilt(run)
    assert again.digest == run.digest and again.ranked_by == run.ranked_by
    assert [problem.kind for problem in again.problems] == kinds(run)
    np.testing.assert_array_equal(again.pairs, run.pairs)


def test_rebuilt_keeps_details_texts_and_empty_rankings():
    details = pa.table({"query_id": ["p", "Q", "empty"], "answer": ["for p", "for Q", "none"]})
    run = Run.build("run", ["Q", "p"], ["A", "b"], details=details, texts=pa.array(["x", None]), settings={"k": 1})
    again = with_ids_of(run, truth_of({"q": ["a"], "p": ["b"]}), "case")
    assert again.query_ids.to_pylist() == ["q", "p", "empty"]
    assert again.details["answer"].to_pylist() == ["for Q", "for p", "none"]
    assert again.ranking("q")["text"].to_pylist() == ["x"] and again.settings == {"k": 1, "ids": "case"}


@pytest.mark.parametrize("returned, judged, expected", [
    (["a#1", "a#2", "b#1"], ["a", "b"], ("prefix:#", None, 1.0)),
    (["a::1", "b::1"], ["a", "c"], ("prefix:::", None, 0.5)),
    (["r:p0028_001", "r:p0030_000"], ["r:p28", "r:p30"], ("prefix:_", "zeros", 1.0)),
    (["a_p3_c1", "b_p1_c2"], ["a", "b"], ("prefix:_p", None, 1.0)),
    (["x/DOC#1", "y/DOD#2"], ["doc", "dod"], ("prefix:#", "case,path", 1.0)),  # neither alone matches
    (["a", "b"], ["a"], None), (["x1", "y1"], ["a", "b"], None),
])
def test_the_way_to_collapse_that_matches_is_found(returned, judged, expected):
    found = collapse_choices(run_of({"q": returned}), truth_of({"q": judged}))
    assert ((found and (found[0].by, found[0].ids, found[0].share)) or None) == expected


PAGES = [f"file.pdf:p{page:04d}_{part:03d}" for page in (1, 2, 3, 4, 7) for part in (0, 1)]
TABLES = [f"file.pdf:table_p{page:04d}" for page in (1, 2, 3)]


def test_tables_of_a_file_do_not_become_one_document_when_its_pages_are_found():
    best, other = collapse_choices(run_of({"q": [*PAGES, *TABLES]}), truth_of({"q": ["file.pdf:p1", "file.pdf:p7"]}))
    assert (best.by, best.ids, best.share, best.changed, best.documents, best.unknown) == (
        "number:_", "zeros", 1.0, 10, 5, 0)
    assert (other.by, other.changed, other.documents, other.unknown, other.example) == (
        "prefix:_", 13, 6, 3, "file.pdf:table")
    ids = docs(collapsed(run_of({"q": [*PAGES, *TABLES]}), best.by))
    assert ids == ["file.pdf:p0001", "file.pdf:p0002", "file.pdf:p0003", "file.pdf:p0004", "file.pdf:p0007", *TABLES]


def test_a_way_that_merges_judged_documents_or_invents_most_comes_last():
    mixed = collapse_choices(run_of({"q": ["a_1", "b_x", "c_x", "e_x", "d#1"]}),
                             truth_of({"q": ["a_1", "b", "c", "d", "e"]}))
    assert [(one.by, one.merged, one.is_supported) for one in mixed] == [("prefix:#", 0, True), ("prefix:_", 1, False)]
    invented = ["d1/p_1", "d2/p_1", *(f"x{n}-y/z_{n}" for n in range(4))]
    choices = collapse_choices(run_of({"q": invented}), truth_of({"q": ["d1/p", "d2/p", "d3/p"]}))
    assert [(one.by, one.changed, one.unknown, one.is_supported) for one in choices] == [("prefix:_", 6, 4, False)]
    corpus = truth_of({"q": ["d1/p", "d2/p", "d3/p"]}).with_corpus(Corpus.build("c", [f"x{n}-y/z" for n in range(4)]))
    assert collapse_choices(run_of({"q": invented}), corpus)[0].unknown == 0
    hashes = ["9f86d081_1", "ab-4b0c1_2", "60303ae2-2_1"]  # no two judged ids are alike: forms say nothing
    free = collapse_choices(run_of({"q": [*hashes, "c.0_9"]}), truth_of({"q": ["9f86d081", "ab-4b0c1"]}))
    assert [(one.by, one.unknown) for one in free] == [("prefix:_", 0)]


def test_a_document_that_is_written_as_a_path_is_not_merged_with_itself():
    (one, *_) = collapse_choices(run_of({"q": ["x/DOC#1", "y/DOD#2"]}), truth_of({"q": ["doc", "dod"]}))
    assert (one.by, one.merged) == ("prefix:#", 0)


def test_the_source_column_is_a_way_too():
    run = Run.build("run", ["q", "q"], ["1", "2"], sources=pa.array(["http://h/a.html", "http://h/b.html"]))
    assert [(one.by, one.ids) for one in collapse_choices(run, truth_of({"q": ["a"]}))] == [("source", "path")]


@pytest.mark.slow
def test_a_million_documents_are_respelled_and_collapsed_in_seconds():
    n = 1_000_000
    names = pa.array([f"doc-{i % 50_000:06d}#{i % 7}" for i in range(n)])
    run = Run.build("run", np.repeat([f"q{i:04d}" for i in range(1000)], n // 1000).tolist(), names, np.zeros(n))
    truth = truth_of({f"Q{i:04d}": [f"DOC-{i:06d}"] for i in range(1000)})
    fixed = quick(lambda: with_ids_of(collapsed(run, "prefix:#"), truth, "case"), 20)
    assert fixed.query_ids[0].as_py() == "Q0000" and "DOC-000999" in docs(fixed, "Q0000")


CHUNKS = Run.build("chunks", ["q"] * 5, ["a_1", "a_2", "b_1", "a_3", "c_1"], [5.0, 4.0, 3.0, 2.0, 1.0])
DOCUMENTS = Truth.build("qrels", ["q", "q"], ["b", "c"], [1, 1])


@pytest.mark.parametrize("way, ranking, recall_2, recall_3, rr, ndcg_3", [
    # documents a, b, c: b at rank 2, c at rank 3; the ideal DCG is 1 + 1 / log2(3)
    ("prefix:_", ["a", "b", "c"], 0.5, 1.0, 1 / 2, (1 / np.log2(3) + 1 / np.log2(4)) / (1 + 1 / np.log2(3))),
    # chunks a, a, b, a, c: b at rank 3, c at rank 5
    ("chunks:prefix:_", ["a", "a [chunk 2]", "b", "a [chunk 3]", "c"], 0.0, 0.5, 1 / 3,
     (1 / np.log2(4)) / (1 + 1 / np.log2(3))),
])
def test_ranks_close_up_or_stay_those_of_the_chunks(way, ranking, recall_2, recall_3, rr, ndcg_3):
    run = collapsed(CHUNKS, way)
    assert run.ranking("q")["doc_id"].to_pylist() == ranking
    values = evaluate(run, DOCUMENTS, "R@2 R@3 RR nDCG@3").values[0].tolist()
    assert values == pytest.approx([recall_2, recall_3, rr, ndcg_3], abs=1e-12)
    assert run.settings["collapse"] == way


def test_chunks_that_share_the_id_of_their_document_keep_their_ranks():
    run = Run.build("chunks", ["q"] * 4, ["a", "a", "a", "b"], [4.0, 3.0, 2.0, 1.0])
    truth = Truth.build("qrels", ["q"], ["b"], [1])
    assert evaluate(run, truth, "RR").values[0, 0] == 1 / 2  # a repeated document is passed over
    kept = collapsed(run, "chunks:id")
    assert (kept.ranking("q")["doc_id"].to_pylist(), evaluate(kept, truth, "RR").values[0, 0]) == (
        ["a", "a [chunk 2]", "a [chunk 3]", "b"], 1 / 4)
    assert [problem.message for problem in kept.problems] == ["collapsed-chunks/ranks"]


def test_scores_from_the_file_stay_with_a_collapsed_run():
    scores = FileScores.build([("q", "chunks", "mrr", 0.5)])
    run = collapsed(CHUNKS.with_file_scores(scores), "chunks:prefix:_")
    assert run.file_scores.aligned("chunks", "mrr", ["q"]).tolist() == [0.5]
