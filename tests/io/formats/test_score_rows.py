"""Scores of other engines, one value a line; times and tokens under common names; small things of reading."""

import io
import json
import os
import threading
import zipfile

import numpy as np
import pytest

from ragdash import InputError
from ragdash.cli.inputs import source_of
from ragdash.io import detect, read_run, read_runs, read_truth

LONG = (b"query_id,run,metric,value\nq1,bm25,RR,0.5\nq2,bm25,RR,1\nall,bm25,RR,0.75\nq1,dense,RR,0.25\n"
        b"q1,dense,verdict,Correct\nq2,dense,RR,\n")
TREC_EVAL = b"num_ret\tq1\t10\nmap\tq1\t0.5000\nmap\tq2\t0.2500\nrunid\tall\tbm25\nmap\tall\t0.3750\n"
VALUES_OF_RUNS = [(f"run_{run}", f"Measure-0{measure}", query, str(run + measure))
                  for run in (1, 2) for measure in (1, 2) for query in ("28", "31", "all")]


def test_a_long_table_of_scores_is_a_run_for_each_configuration():
    bm25, dense = read_runs(("long.csv", LONG))
    assert detect(("long.csv", LONG)).role == "run"
    assert bm25.file_scores.aligned("bm25", "RR", ["q1", "q2"]).tolist() == [0.5, 1.0]
    values = dense.file_scores.aligned("dense", "RR", ["q1", "q2"])
    assert values[0] == 0.25 and np.isnan(values[1])
    assert dense.file_scores.aligned_labels("dense", "verdict", ["q1", "q2"]) == ["Correct", None]
    assert [problem.kind for problem in bm25.problems] == ["mean-rows"]


def test_the_output_of_trec_eval_for_single_queries_is_read():
    run = read_run(("out.txt", TREC_EVAL))
    assert (run.query_ids.to_pylist(), run.file_scores.names) == (["q1", "q2"], ("num_ret", "map"))
    assert run.file_scores.aligned(run.name, "map", ["q1", "q2"]).tolist() == [0.5, 0.25]
    with pytest.raises(InputError):
        read_truth(("out.txt", TREC_EVAL))


def test_a_column_of_names_separates_the_systems():
    """As PyTerrier's Experiment(perquery=True) writes them."""
    table = b"name,qid,measure,value,round\nBM25,q1,map,0.5,1\nBM25,q2,map,0.25,1\ndense,q1,map,0.75,1\n"
    bm25, dense = read_runs(("a.csv", table))
    assert (bm25.name, dense.name) == ("BM25", "dense")
    assert bm25.file_scores.aligned("BM25", "map", ["q1", "q2"]).tolist() == [0.5, 0.25]
    assert dense.file_scores.aligned("dense", "map", ["q1"]).tolist() == [0.75]
    assert [(problem.kind, problem.field) for problem in bm25.problems] == [("unread-column", "round")]


def test_a_second_value_of_a_metric_is_refused_and_the_column_that_differs_is_named():
    table = b"qid,measure,value,fold,note\nq1,map,0.5,A,x\nq1,ndcg,0.5,A,x\nq1,map,0.25,B,x\n"
    with pytest.raises(InputError) as caught:
        read_runs(("a.csv", table))
    problem, = caught.value.problems
    assert (problem.kind, problem.line, problem.facts["first"]) == ("duplicate-score", 4, 2)
    assert problem.fix.endswith("name their column: --map config=fold.")
    runs = read_runs(("a.csv", table), mapping={"config": "fold"})
    assert [run.file_scores.aligned(run.name, "map", ["q1"])[0] for run in runs] == [0.5, 0.25]
    with pytest.raises(InputError) as caught:
        read_runs(("two.txt", TREC_EVAL + TREC_EVAL))
    assert {problem.fix for problem in caught.value.problems} == {"Keep one of the two."}


@pytest.mark.parametrize("lines", [True, False])
def test_objects_of_a_query_a_metric_and_a_value_are_a_run_for_each_system(lines):
    rows = [{"qid": query, "measure": metric, "value": value, "system": system} for query, system, metric, value in (
        ("q1", "BM25", "map", 0.5), ("q1", "BM25", "ndcg", 0.25), ("q1", "dense", "map", 0.75),
        ("all", "BM25", "map", 0.5))]
    content = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    bm25, dense = read_runs(("a.json", content.encode()))
    assert bm25.query_ids.to_pylist() == ["q1"] and bm25.file_scores.names == ("map", "ndcg")
    assert dense.file_scores.aligned("dense", "map", ["q1"]).tolist() == [0.75]
    assert [(problem.kind, problem.facts, problem.severity) for problem in bm25.problems] == [
        ("mean-rows", {"rows": 1}, "note")]
    with pytest.raises(InputError) as caught:
        read_runs(("a.json", json.dumps([*rows, rows[0]]).encode()))
    assert [problem.kind for problem in caught.value.problems if problem.severity == "error"] == ["duplicate-query"]


def test_objects_with_a_document_each_are_no_values_of_queries():
    hits = [{"query": "who?", "doc_id": "d1", "metric": "cosine", "score": 0.5}]
    assert read_run(("a.json", json.dumps(hits).encode())).docs.to_pylist() == ["d1"]


@pytest.mark.parametrize("table", [
    "system,ndcg@10,recall@100,latency_ms\nbm25,0.41,0.7,12\ndense,0.45,0.8,40\n",
    "chunk_size,top_k,hit_rate,mrr\n256,5,0.7,0.5\n512,5,0.75,0.55\n",
    "query_type,count,ndcg\nfactoid,40,0.5\nlist,20,0.4\n",
    "app_id,Groundedness,Answer Relevance\na1,0.8,0.9\na2,0.7,0.95\n"])
def test_a_table_of_means_of_systems_or_settings_is_called_that(table):
    with pytest.raises(InputError) as caught:
        read_runs(("a.csv", table.encode()))
    assert [problem.message for problem in caught.value.problems] == ["summary/metrics"]


def test_means_alone_are_still_refused():
    with pytest.raises(InputError):
        read_run(("out.txt", b"map\tall\t0.3750\nP_5\tall\t0.2000\n"))


@pytest.mark.parametrize("rows", [VALUES_OF_RUNS, VALUES_OF_RUNS[:2] + VALUES_OF_RUNS[3:],  # one is missing
                                  [row for row in VALUES_OF_RUNS if row[2] != "all"],
                                  [(run, name.replace("Measure-0", "P_"), *rest)
                                   for run, name, *rest in VALUES_OF_RUNS]])
def test_lines_of_run_measure_query_and_value_are_no_judgments(rows):
    runs = read_runs(("leaderboard.txt", "".join("  ".join(row) + "\n" for row in rows).encode()))
    assert [run.name.rpartition("/")[2] for run in runs] == ["run_1", "run_2"]
    assert [run.file_scores is not None and not len(run.docs) for run in runs] == [True, True]


def test_judgments_by_subtopics_with_names_are_none_of_measures():
    lines = [f"q{query} sub-{topic} d{query}{doc} {(doc + topic) % 2}" for query in (1, 2) for doc in (1, 2)
             for topic in (1, 2)]
    assert detect(("qrels.txt", "\n".join(lines).encode())).format == "trec-qrels"


@pytest.mark.parametrize("name, value, milliseconds", [
    ("latency_s", "1.5", 1500.0), ("elapsed_seconds", "0.25", 250.0), ("response_time_ms", "80", 80.0)])
def test_times_under_common_names(name, value, milliseconds):
    run = read_run(("a.csv", f"question,answer,{name},input_tokens\nWho?,She.,{value},12\n".encode()))
    assert run.details["latency_ms"][0].as_py()["total"] == milliseconds
    assert run.details["prompt_tokens"][0].as_py() == 12 and run.file_scores is None


@pytest.mark.parametrize("name, values, latency", [
    ("latency", ("1.5", "0.5"), {"total": 1500.0}),  # no model answers within two milliseconds
    ("time", ("1.5", "0.5"), {"total": 1500.0}),
    ("retrieval_time", ("1500", "2000"), {"retrieval": 1500.0}),  # no query takes a quarter of an hour
    ("latency", ("80", "250"), None), ("year", ("1990", "2001"), None), ("time", ("1700000000", "1700000001"), None)])
def test_a_time_without_a_unit_is_read_where_its_size_shows_the_unit_and_asked_about_where_not(name, values, latency):
    first, second = values
    table = f"question,answer,reference,{name}\nWho?,She.,She.,{first}\nWhen?,Then.,Now.,{second}\n".encode()
    run, truth = read_run(("a.csv", table)), read_truth(("a.csv", table))
    kinds = {problem.kind: problem.severity for problem in run.problems}
    if latency:
        stages = {stage: ms for stage, ms in run.details["latency_ms"][0].as_py().items() if ms is not None}
        assert stages == latency and run.file_scores is None and kinds == {"time-unit": "note"}
        assert "attributes" not in truth.details.column_names, "a measured time describes no query"
    else:
        assert "latency_ms" not in run.details.column_names
        assert kinds.get("time-unit") == ("warning" if name == "latency" else None)
    by_hand = read_run(("a.csv", table), mapping={"latency_s": name})
    assert by_hand.details["latency_ms"][0].as_py()["total"] == float(first) * 1000


def test_a_rank_between_two_is_reported():
    run = read_run(("a.csv", b"query_id,doc_id,rank\nq,a,1\nq,b,1.5\nq,c,2\n"))
    assert [(problem.kind, problem.facts["rank"]) for problem in run.problems] == [("fractional-rank", 1.5)]
    assert run.ranking("q")["doc_id"].to_pylist() == ["a", "b", "c"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_one_name_twice_is_refused():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for content in ("q1 Q0 a 1 1.0 x\n", "q1 Q0 b 1 1.0 x\n"):
            archive.writestr("run.trec", content)
    with pytest.raises(InputError) as error:
        read_runs(("runs.zip", stream.getvalue()))
    assert [(problem.kind, problem.facts["times"]) for problem in error.value.problems] == [("repeated-member", 2)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_once_and_whole(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b"q1 Q0 a 1 1.0 x\n"))
    writer.start()
    content = source_of(str(path))
    writer.join()
    assert content == (str(path), b"q1 Q0 a 1 1.0 x\n")
    assert read_run(content).docs.to_pylist() == ["a"]
