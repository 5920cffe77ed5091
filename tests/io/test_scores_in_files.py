"""Metrics and labels that a file brings along: which columns they are, and their values."""

import json

import numpy as np
import pytest

from ragdash import InputError
from ragdash.analysis.recomputed import recomputed
from ragdash.core.slices import attributes
from ragdash.io import read_run, read_runs, read_truth, write_run
from ragdash.matching.match import Match

WILD = "s11_wild"


def values(run, name):
    return run.file_scores.aligned(run.name, name, run.query_ids.to_pylist()).tolist()


def jsonl(*rows):
    return "run.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_numbers_under_a_metrics_name_are_scores_and_not_attributes_of_the_query():
    source = ("a.csv", b"question,answer,ground_truth,faithfulness,topic,answer_label,year\n"
                       b"Who?,She.,She did.,0.5,people,Correct,2021\nWhen?,Then.,Then.,1.0,time,Refusal,2022\n"
                       b"Why?,So.,Because.,,time,Correct,2022\n")
    run, truth = read_run(source), read_truth(source)
    assert run.file_scores.names == ("faithfulness",) and run.file_scores.label_names == ("answer_label",)
    assert values(run, "faithfulness")[:2] == [0.5, 1.0] and np.isnan(values(run, "faithfulness")[2])
    assert run.file_scores.aligned_labels("a", "answer_label", ["Who?", "When?", "Why?"]) == [
        "Correct", "Refusal", "Correct"]
    assert attributes(truth) == {"topic": ["people", "time", "time"], "year": [2021, 2022, 2022]}
    assert {problem.kind for problem in run.problems} == {"file-metrics", "unknown-columns"}


def test_a_number_that_differs_between_the_runs_of_a_file_is_no_attribute_of_the_query():
    rows = [{"query": "a?", "config": name, "answer": name, "points": points, "level": 3}
            for name, points in (("x", 4), ("y", 7))]
    x, y = read_runs(jsonl(*rows))
    assert (values(x, "points"), values(y, "points")) == ([4.0], [7.0])
    assert json.loads(x.details["attributes"][0].as_py()) == {"level": 3}


def test_ids_and_ranks_that_differ_between_runs_are_no_metrics():
    rows = [{"query": "a?", "config": name, "answer": name, "row_id": row} for name, row in (("x", 4), ("y", 7))]
    assert all(run.file_scores is None for run in read_runs(jsonl(*rows)))


def test_true_and_false_are_1_and_0_and_members_of_metrics_are_metrics():
    run = read_run(jsonl({"query": "a?", "answer": "b", "is_correct": True, "metrics": {"mrr": 0.25}},
                         {"query": "c?", "answer": "d", "is_correct": False, "metrics": {"mrr": 1}}))
    assert values(run, "is_correct") == [1.0, 0.0] and values(run, "mrr") == [0.25, 1.0]


def test_values_by_cutoff_are_named_after_their_metric():
    run = read_run(jsonl(*({"id": f"q{number}", "mrr": value, "recall": {"1": 0.0, "10": value}, "ndcg": {"@5": value}}
                           for number, value in enumerate((0.25, 1.0)))))
    assert set(run.file_scores.names) == {"mrr", "recall@1", "recall@10", "ndcg@5"}
    assert values(run, "recall@10") == [0.25, 1.0]


def test_whether_the_right_one_is_among_the_first_is_a_metric():
    run = read_run(("a.csv", b"QueryID,MRR,Top1,top_5,CitationAcc\nq1,1.0,0,5,1.0\nq2,1.0,0,5,1.0\n"))
    assert set(run.file_scores.names) == {"MRR", "Top1", "CitationAcc"}
    assert json.loads(run.details["attributes"][0].as_py()) == {"top_5": 5}
    assert [problem.facts["columns"] for problem in run.problems if problem.kind == "unknown-columns"] == [["top_5"]]


def test_a_score_with_its_reason_is_a_metric():
    run = read_run(jsonl({"query": "a?", "answer": "b", "scores": {"faithfulness": {"score": 0.5, "reason": "Half."}}}))
    assert values(run, "faithfulness") == [0.5]


def test_a_column_declared_an_attribute_stays_one():
    source = ("a.csv", b"question,answer,quality\nWho?,She.,3\nWhen?,Then.,4\n")
    assert read_run(source).file_scores.names == ("quality",)
    assert read_run(source, mapping={"attribute": "quality"}).file_scores is None


def test_a_column_of_many_texts_is_no_label():
    rows = "".join(f"q{n}?,a,a text of its own {n}\n" for n in range(30))
    assert read_run(("a.csv", f"question,answer,assessment\n{rows}".encode())).file_scores is None


def test_a_file_of_scores_alone_is_a_run():
    run = read_run(("m.csv", b"question,retrieval_mrr,hit_at_5\nWho?,0.5,True\nWhen?,,False\n"))
    assert (len(run), len(run.docs), run.file_scores.names) == (2, 0, ("hit_at_5", "retrieval_mrr"))
    assert values(run, "hit_at_5") == [1.0, 0.0]


@pytest.mark.parametrize("beside", [b'"[""a"", ""b""]"', b"a text of more than forty characters about what is said"])
def test_scores_next_to_contents_of_unknown_names_are_refused(beside):
    with pytest.raises(InputError) as error:
        read_run(("m.csv", b"question,recall,things\nWho?,0.5," + beside + b"\n"))
    assert error.value.problems[-1].message == "missing-field/content"
    assert "things" in str(error.value)


def test_scores_come_back_from_a_native_file(tmp_path):
    run = read_run(("a.csv", b"question,answer,faithfulness,verdict\nWho?,She.,0.5,Correct\nWhen?,Then.,1.0,Wrong\n"))
    write_run(run, tmp_path / "a.jsonl")
    again = read_run(tmp_path / "a.jsonl", name=run.name)
    assert again.digest == run.digest and values(again, "faithfulness") == [0.5, 1.0]
    assert not [problem for problem in again.problems if problem.kind == "file-metrics"]


HAND_CHECKED = {  # means computed with the csv and json modules alone
    "w15_anth/metrics_per_query.csv": ({}, {"retrieval_recall": 0.6591666667, "retrieval_mrr": 0.7366666667,
                                            "e2e_correct": 0.73}),
    "w24_padraig/baseline.json": ({}, {"mrr": 0.8340811966, "hit_at_5": 74 / 78}),
    "w18_copom/dense_report.json": ({}, {"mrr": 0.1913832200}),
    "w25_tonic/cb_run.csv": ({"query": "reference_question", "answer": "llm_answer", "answers": "reference_answer",
                              "contexts": "llm_context"}, {"answer_similarity": 4.6}),
    "w25_tonic/openai_run.csv": ({"query": "reference_question", "answer": "llm_answer", "answers": "reference_answer",
                                  "contexts": "llm_context"}, {"answer_similarity": 3.4727272727}),
    "w38_haystack/detailed_topk1_chunk64.csv": (
        {"query": "questions", "answer": "predicted_answers", "answers": "true_answers"},
        {"sas": 0.5248823124, "faithfulness": 0.7383177570}),
}


@pytest.mark.parametrize("path", HAND_CHECKED)
def test_means_of_real_files(path, real_data):
    mapping, means = HAND_CHECKED[path]
    if not (real_data / WILD / path).exists():
        pytest.skip("this file is not here")
    run = read_run(real_data / WILD / path, mapping=mapping)
    assert {name: float(np.nanmean(values(run, name))) for name in means} == pytest.approx(means, abs=5e-11)


def test_scores_of_two_retrievers_in_one_file(real_data):
    path = real_data / WILD / "w20_framew/ragas_scores.jsonl"
    if not path.exists():
        pytest.skip("this file is not here")
    runs = read_runs(path, mapping={"query_id": "chunk_id", "config": "retriever"})
    assert [(run.name, len(run)) for run in runs] == [("bm25", 150), ("dense", 150)]
    assert values(runs[0], "faithfulness")[0] == 0.0 and values(runs[0], "context_recall")[0] == 1.0


def test_stored_values_that_count_one_of_two_grades(real_data):
    """The note of the file: its mrr counts relevant_paths only, of 10 paths where 5 are kept, rounded to 3 decimals."""
    folder = real_data / "s11_wild/w43_obsid"
    if not folder.exists():
        pytest.skip("these files are not here")
    run = read_run(folder / "baseline_rerank.json", mapping={"retrieved": "top_paths"})
    truth = read_truth(folder / "golden.json", mapping={"relevant": "relevant_paths"})
    row = next(row for row in recomputed(Match(run, truth)) if row.spec.file_column == "mrr")
    assert row.file_mean == pytest.approx(0.7796551724, abs=1e-10) and row.n == 58
    assert row.differing == 3  # q049, q050 and q051, whose relevant path is below the five that are kept
    assert np.isclose(row.file_mean - row.mean, (0.143 + 0.111 + 0.1) / 58, atol=2e-4)


@pytest.mark.parametrize(("yes", "no"), [("True", "False"), ("true", "false"), ("yes", "no")])
def test_a_property_of_true_and_false_in_a_table_is_an_attribute_as_it_is_in_json(yes, no):
    source = ("a.csv", "question,answer,ground_truth,should_abstain\n"
              f"a?,b,b,{yes}\nc?,d,e,{no}\ne?,f,g,{yes}\n".encode())
    assert read_run(source).file_scores is None
    assert attributes(read_truth(source)) == {"should_abstain": [yes, no, yes]}


@pytest.mark.filterwarnings("error")
def test_scores_whose_difference_is_no_number_are_compared_in_order():
    run = read_run(jsonl({"query_id": "q", "retrieved": [{"doc_id": "d1", "score": -1.7e308},
                                                         {"doc_id": "d2", "score": 1.7e308}]}))
    assert [problem.kind for problem in run.problems] == ["rank-score-disagreement"]
