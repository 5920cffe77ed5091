"""MLflow, Weights & Biases, RAGAS, DeepEval, ir_datasets and Hugging Face data sets, each with the real package."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers import call

import ragdash
from ragdash.core.errors import InputError
from ragdash.reporting.experiment_trackers import log_to_mlflow, log_to_wandb, logged_values

SAMPLES = Path(ragdash.__file__).parents[1] / "sample_runs"
TRUTH = {f"q{number}": ["a"] for number in range(12)}
GOOD, POOR = ({query: documents for query in TRUTH} for documents in (["a", "b"], ["b", "a"]))


def installed(name: str):
    return pytest.importorskip(name, reason=f"{name} is not installed: nothing is exchanged with it")


def table():
    return ragdash.compare(ragdash.Run.from_dict(POOR, "poor", settings={"k": 5, "api_key": "sk-1"}), {
        "good": GOOD}, "nDCG@10 RR", truth=TRUTH)


def test_what_is_logged_is_what_the_table_says():
    compared = table()
    numbers, texts = logged_values(compared.inputs.evaluations[1].summary(), compared[0])
    assert numbers["RR/mean"] == 1.0 and numbers["nDCG_at_10/n"] == 12
    assert numbers["compare/poor/RR/difference"] == pytest.approx(0.5)
    assert texts == {"compare/poor/nDCG_at_10/outcome": "better", "compare/poor/RR/outcome": "better"}
    undefined = ragdash.evaluate({"q1": ["b"]}, {"q1": {"a": 0}}, "R@5", unanswerable="skip").summary()
    assert logged_values(undefined)[0] == {"R_at_5/n": 0}, "undefined is left out, never 0"


def test_without_the_package_the_way_to_install_it_is_named(monkeypatch):
    import ragdash.reporting.experiment_trackers as trackers

    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(trackers, "import_module", absent)
    for log in (log_to_mlflow, log_to_wandb):
        with pytest.raises(InputError, match="pip install"):
            log(table())


def test_mlflow_gets_a_run_for_each_configuration(tmp_path, monkeypatch):
    mlflow = installed("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # mlflow-skinny has no database
    monkeypatch.setenv("GIT_PYTHON_REFRESH", "quiet")
    uri = (tmp_path / "runs").as_uri()
    mlflow.set_tracking_uri(uri)
    mlflow.create_experiment("search", artifact_location=(tmp_path / "artifacts").as_uri())
    ids = log_to_mlflow(table(), experiment="search", tracking_uri=uri, tags={"night": "1"})
    runs = [mlflow.get_run(run_id) for run_id in ids]
    assert [run.info.run_name for run in runs] == ["poor", "good"]
    assert runs[0].data.params["k"] == "5" and "sk-1" not in json.dumps(runs[0].data.params)
    metrics = runs[1].data.metrics
    assert metrics["nDCG_at_10/mean"] == 1.0 and metrics["compare/poor/RR/difference"] == pytest.approx(0.5)
    assert runs[1].data.tags["compare/poor/RR/outcome"] == "better" and runs[1].data.tags["night"] == "1"
    values = mlflow.load_table("per_query.json", run_ids=[ids[0]])
    assert values["RR"].tolist() == [0.5] * 12 and values["query_id"].iloc[0] == "q0"


def test_wandb_gets_offline_runs(tmp_path, monkeypatch):
    wandb = installed("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    ids = log_to_wandb(table(), mode="offline", dir=str(tmp_path))
    wandb.teardown()  # its service writes the last lines when it stops
    files = sorted((tmp_path / "wandb").glob("offline-run-*/*.wandb"))
    assert len(ids) == len(files) == 2
    assert b"compare/poor/RR/difference" in b"".join(path.read_bytes() for path in files)


def converted(tmp_path, capfdbinary, form: str) -> Path:
    target = tmp_path / f"{form}.json"
    status, out, err = call(capfdbinary, "convert", SAMPLES / "dense.jsonl", "--format", form, "--references",
                            SAMPLES / "truth.jsonl", "-o", target)
    assert (status, out, err) == (0, "", "")
    return target


def test_ragas_input_has_its_fields(tmp_path, capfdbinary):
    rows = [json.loads(line) for line in converted(tmp_path, capfdbinary, "ragas").read_text().splitlines()]
    assert len(rows) == 122 and set(rows[0]) == {"user_input", "response", "retrieved_contexts", "reference",
                                                 "retrieved_context_ids", "reference_context_ids"}
    assert rows[0]["reference_context_ids"] == ["luna-15", "luna-24", "luna-23"]
    assert len(rows[0]["retrieved_contexts"]) == 5
    try:
        from ragas.dataset_schema import EvaluationDataset
    except ImportError as error:
        pytest.skip(f"ragas cannot be imported ({error}): its own reader is not tried")
    assert EvaluationDataset.from_list(rows).samples[0].user_input == rows[0]["user_input"]


def test_deepeval_reads_its_input(tmp_path, capfdbinary, monkeypatch):
    target = converted(tmp_path, capfdbinary, "deepeval")
    rows = json.loads(target.read_text())
    assert set(rows[0]) == {"name", "input", "actual_output", "expected_output", "retrieval_context"}
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    monkeypatch.chdir(tmp_path)
    dataset = installed("deepeval.dataset").EvaluationDataset()
    dataset.add_test_cases_from_json_file(str(target), "input", "actual_output", "expected_output",
                                          retrieval_context_key_name="retrieval_context")
    case = dataset.test_cases[0]
    assert case.input == rows[0]["input"] and case.expected_output == rows[0]["expected_output"]
    assert len(case.retrieval_context) == 5


def test_a_run_without_questions_is_no_input(tmp_path, capfdbinary):
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 1.0 tag\n")
    target = tmp_path / "out.jsonl"
    status, _, err = call(capfdbinary, "convert", tmp_path / "run.txt", "--format", "ragas", "-o", target)
    assert status == 2 and "without the texts of its questions" in err and not target.exists()


def test_data_sets_of_ir_datasets_are_truths(tmp_path, capfdbinary):
    package = installed("ir_datasets")
    (tmp_path / "docs.tsv").write_text("d1\tThe Moon.\nd2\tBread.\n")
    (tmp_path / "queries.tsv").write_text("q1\tWhat is bright?\nq2\tWhat is baked?\nq3\tunjudged\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq2 0 d2 1\nq2 0 d1 0\n")
    files = {name: str(tmp_path / name) for name in ("docs.tsv", "queries.tsv", "qrels.txt")}
    if "ragdash-tiny" not in package.registry:
        package.registry.register("ragdash-tiny", package.create_dataset(
            docs_tsv=files["docs.tsv"], queries_tsv=files["queries.tsv"], qrels_trec=files["qrels.txt"]))
    truth = ragdash.read_truth("irds:ragdash-tiny")
    assert len(truth) == 2 and truth.details["query"].to_pylist() == ["What is bright?", "What is baked?"]
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 1.0 tag\nq2 Q0 d1 1 1.0 tag\nq2 Q0 d2 2 0.5 tag\n")
    status, out, _ = call(capfdbinary, "evaluate", tmp_path / "run.txt", "--truth", "irds:ragdash-tiny", "-m", "RR")
    assert status == 0 and "0.750" in out
    with pytest.raises(InputError, match="does not know"):
        ragdash.read_truth("irds:no/such/set")


def test_hugging_face_data_sets_go_in_and_out():
    datasets = installed("datasets")
    from ragdash.io.write.serializers import run_objects

    source = datasets.Dataset.from_list([
        {"query_id": "q1", "documents": ["d7", "d2"], "answer": "Ada"}, {"query_id": "q2", "documents": ["d1"],
                                                                         "answer": "1843"}])
    run = ragdash.Run.from_records(source, "hub")
    assert run.ranking("q1")["doc_id"].to_pylist() == ["d7", "d2"]
    assert run.details["answer"].to_pylist() == ["Ada", "1843"]
    flat = datasets.Dataset.from_dict({"query_id": ["q1", "q1"], "doc_id": ["d7", "d2"], "score": [2.0, 1.0]})
    assert np.allclose(ragdash.Run.from_frame(flat, "flat").scores, [2.0, 1.0])
    assert ragdash.Truth.of(datasets.Dataset.from_dict({"query_id": ["q1"], "doc_id": ["d7"], "grade": [1]})).docs[
        0].as_py() == "d7"
    shuffled = flat.shuffle(seed=1).select([0])
    assert len(ragdash.Run.from_frame(shuffled, "one").docs) == 1, "a selection has its own rows alone"
    back = datasets.Dataset.from_list(list(run_objects(run)))
    assert back[0]["retrieved"] == ["d7", "d2"] and back[1]["answer"] == "1843"
