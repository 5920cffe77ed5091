"""Files of public projects, as they come."""

from __future__ import annotations

import pytest

from ragdash.core.errors import InputError
from ragdash.io import detect, read_run, read_runs, read_truth

RUNS = {  # queries, documents
    "s01_trec_eval_test/results.test": (3, 1500),
    "s01_trec_eval_test/results.trunc": (2, 584),
    "s01_trec_eval_test/prefs.results.test": (24, 480),
    "s02_evidencerag_dense_vs_hybrid/pages_dense.trec": (100, 736),
    "s02_evidencerag_dense_vs_hybrid/pages_hybrid.trec": (100, 791),
    "s02_evidencerag_dense_vs_hybrid/chunks_dense.trec": (100, 1000),
    "s02_evidencerag_dense_vs_hybrid/chunks_hybrid.trec": (100, 1000),
    "s03_tilde_dl19_bm25/run.trec2019-bm25.trec.gz": (43, 43_000),
    "s04_flexneuart_manner/run.txt.bz2": (None, 49_828),
    "s05_ir_measures_compat/compat.run": (2, 1927),
    "s05_ir_measures_compat/cwl.run": (3, 30),
}
TRUTHS = {  # queries, judgments
    "s01_trec_eval_test/qrels.test": (3, 3681),
    "s01_trec_eval_test/qrels.rel_level": (3, 3681),
    "s02_evidencerag_dense_vs_hybrid/pages.qrels": (100, 100),
    "s03_tilde_dl19_bm25/2019qrels-pass.txt": (43, 9260),
    "s04_flexneuart_manner/qrels.txt.bz2": (7034, 40_497),
    "s05_ir_measures_compat/compat.qrels": (2, 311),
    "s05_ir_measures_compat/cwl.qrels": (3, 23),
    "s06_mtrag_sample/qrels/clapnq.dev.tsv": (208, 578),
    "s06_mtrag_sample/qrels/fiqa.dev.tsv": (180, 535),
}


@pytest.mark.parametrize("path", RUNS)
def test_real_runs(path, real_data):
    run = read_run(real_data / path)
    queries, documents = RUNS[path]
    assert len(run) == (queries or len(run))
    assert len(run.docs) == documents
    assert not run.problems
    assert detect(real_data / path).role == "run"


@pytest.mark.parametrize("path", TRUTHS)
def test_real_truths(path, real_data):
    truth = read_truth(real_data / path)
    assert (len(truth), truth.judgments) == TRUTHS[path]
    assert not truth.problems
    assert detect(real_data / path).role == "truth"


def test_comments_are_skipped(real_data):
    folder = real_data / "s01_trec_eval_test"
    truth = read_truth(folder / "qrels.test.with-comments")
    assert [(problem.kind, problem.line) for problem in truth.problems] == [("comment", 1)]
    assert truth.judgments == read_truth(folder / "qrels.test").judgments


def test_a_doubled_tab_is_white_space(real_data):
    run = read_run(real_data / "s05_ir_measures_compat/compat.run")
    at = run.ranking("31_1")["doc_id"].to_pylist().index("CAR_ea3d8125e6c2d56170ad950c499a198353762f0e")
    assert run.ranking("31_1")["score"][at].as_py() == 116


BOTH = {  # queries, documents returned, judgments, reference answers
    "s02_evidencerag_dense_vs_hybrid/ragas/run75_224_generated_per_query.csv": (75, 0, 75),
    "s02_evidencerag_dense_vs_hybrid/retrieval_results_dense_2years.json": (100, 0, 100),
    "s06_mtrag_sample/responses-10.jsonl": (10, 23, 10),
    "s07_ragchecker_examples/checking_inputs.json": (2, 7, 2),
    "s07_ragchecker_examples/checking_outputs.json": (2, 7, 2),
    "s09_excel_fr_rag/evaluation_results.xlsx": (25, 0, 25),
}


@pytest.mark.parametrize("path", BOTH)
def test_real_files_with_runs_and_truth(path, real_data):
    run, truth = read_run(real_data / path), read_truth(real_data / path)
    answers = truth.details["answers"]
    assert (len(run), len(run.docs), len(answers) - answers.null_count) == BOTH[path]
    assert set(run.query_ids.to_pylist()) == set(truth.query_ids.to_pylist())
    assert detect(real_data / path).role == "both"
    assert all(problem.severity == "warning" or problem.kind == "file-metrics"
               for problem in (*run.problems, *truth.problems))


@pytest.mark.parametrize("name", ["dense", "hybrid"])
def test_nested_results_by_paths(name, real_data):
    folder = real_data / "s02_evidencerag_dense_vs_hybrid"
    run = read_run(folder / f"retrieval_results_{name}_2years.json",
                   mapping={"retrieved": "per_k.10.retrieved_chunk_ids"})
    trec = read_run(folder / f"chunks_{name}.trec")
    assert {query: run.ranking(query)["doc_id"].to_pylist() for query in run.query_ids.to_pylist()}.keys() == set(
        trec.query_ids.to_pylist())
    assert len(run.docs) == len(trec.docs)


REFUSED = {
    "s01_trec_eval_test/prefs.test": "column-count", "s08_tatqa/tatqa_dataset_dev.json": "proposed-reading",
    "s08_tatqa/sample_prediction.json": "wrong-type", "s10_small_oracles/kilt/gold2.jsonl": "truth-as-run",
    "s10_small_oracles/scifact/gold_small.jsonl": "truth-as-run",
    "s02_evidencerag_dense_vs_hybrid/retrieval_results_hybrid_2years.json": "proposed-reading",
    "s02_evidencerag_dense_vs_hybrid/ragas/run75_224_generated_summary.json": "summary",
}


@pytest.mark.parametrize("path", REFUSED)
def test_real_files_that_are_refused(path, real_data):
    with pytest.raises(InputError) as caught:
        read_runs(real_data / path)
    assert REFUSED[path] in [problem.kind for problem in caught.value.problems]


def test_kilt(real_data):
    """Values of KILT's own tests: each page of any answer counts as relevant, as in its recall of single pages."""
    folder = real_data / "s10_small_oracles/kilt"
    run, truth = read_run(folder / "guess2_1.jsonl"), read_truth(folder / "gold2.jsonl")
    assert run.ranking("1")["doc_id"].to_pylist() == ["2", "5", "7", "33", "1", "9", "44", "88"]
    assert sorted(truth.docs.to_pylist(), key=int) == ["1", "2", "5", "7", "9", "11"]
    assert "several-provenances" in [problem.kind for problem in truth.problems]
    for name in ("gold1", "gold3"):
        assert len(read_truth(folder / f"{name}.jsonl").details["answers"].drop_null()) >= 2
    for name in ("guess1_1", "guess2_2", "guess3_1"):
        assert len(read_run(folder / f"{name}.jsonl").docs)


def test_rows_of_passages_keep_the_question_and_the_answer(real_data):
    path = real_data / "s10_small_oracles/open_rag_eval/csv_results.csv"
    with pytest.raises(InputError) as refused:  # [1], [2] number the passages of a query; they are no document ids
        read_run(path)
    assert refused.value.problems[0].kind == "proposed-reading"
    mapping = {"role": "run", "query_id": "query_id", "query": "query", "config": "query_run", "text": "passage",
               "answer": "generated_answer"}
    runs = read_runs(path, mapping=mapping)
    first = runs[0].details.to_pylist()[0]
    assert len(runs) == 2
    assert first["query"] == "What is a blackhole?" and first["answer"].startswith("Black holes are dense")


def test_a_real_workbook_of_questions(real_data):
    truth = read_truth(real_data / "s09_excel_fr_rag/evaluation_questions.xlsx")
    assert len(truth.details["answers"].drop_null()) == 25
