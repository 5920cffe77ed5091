"""Tables and traces of MLflow: what mlflow.genai.evaluate, search_traces and mlflow.models.evaluate write."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import ragdash
from ragdash.io import detect, read_run, read_truth

NAMES = ("trace_id", "correct/value", "expected_response/value", "trace", "client_request_id", "execution_duration",
         "request", "response", "spans", "assessments")


def trace(number: int, question: str, answer: str, expected: str, ids=("d1", "d7")) -> dict:
    """A trace as MLflow 3.17 writes it, without what is not read."""
    assessments = [
        {"assessment_name": "correct", "source": {"source_type": "CODE"}, "feedback": {"value": expected in answer}},
        {"assessment_name": "words", "feedback": {"value": float(len(answer.split()))}, "valid": True},
        {"assessment_name": "words", "feedback": {"value": 99.0}, "valid": False},
        {"assessment_name": "expected_response", "expectation": {"value": expected}},
        {"assessment_name": "expected_retrieved_context", "expectation": {"value": [{"doc_uri": "d7"}]}}]
    documents = [{"page_content": f"text {name}", "metadata": {"doc_uri": name}, "id": f"chunk-{name}"} for name in ids]
    spans = [("1", None, "CHAIN", {"question": question}, answer), ("2", "1", "RETRIEVER", {"q": "other"}, documents)]
    return {"info": {"trace_id": f"tr-{number}", "state": "OK", "execution_duration_ms": 1200 + number,
                     "trace_metadata": {"mlflow.trace_schema.version": "3"}, "assessments": assessments,
                     "request_preview": json.dumps({"question": question})[:20], "response_preview": "cut"},
            "data": {"spans": [
                {"span_id": name, "parent_span_id": parent, "attributes": {
                    "mlflow.spanType": json.dumps(kind), "mlflow.spanInputs": json.dumps(inputs),
                    "mlflow.spanOutputs": json.dumps(outputs)}} for name, parent, kind, inputs, outputs in spans]}}


TRACES = [trace(0, "Who?", "Ada Lovelace", "Ada"), trace(1, "When, \"then\"?", "I do not know.", "1843", ("d9",))]
ROWS = [{"trace_id": item["info"]["trace_id"], "correct/value": True, "expected_response/value": "cut",
         "trace": json.dumps(item), "client_request_id": None, "execution_duration": 5,
         "request": {"question": "cut"}, "response": "cut", "spans": item["data"]["spans"],
         "assessments": item["info"]["assessments"]} for item in TRACES]
FRAME = pd.DataFrame(ROWS, columns=list(NAMES))
FORMS = {"split.json": FRAME.to_json(orient="split"), "rows.json": FRAME.to_json(orient="records"),
         "rows.jsonl": FRAME.to_json(orient="records", lines=True), "rows.csv": FRAME.to_csv(index=False),
         "traces.json": json.dumps(TRACES), "traces.jsonl": "".join(json.dumps(item) + "\n" for item in TRACES),
         "search.json": json.dumps({"traces": TRACES})}


@pytest.mark.parametrize("name", FORMS)
def test_traces_are_a_run_and_the_expected_answers_a_truth(name):
    file = (name, FORMS[name].encode())
    run, truth = read_run(file), read_truth(file)
    assert detect(file).format.startswith("mlflow-traces")
    assert run.query_ids.to_pylist() == truth.query_ids.to_pylist() == ["Who?", "When, \"then\"?"]
    assert [run.ranking(query)["doc_id"].to_pylist() for query in run.query_ids.to_pylist()] == [["d1", "d7"], ["d9"]]
    assert run.details["answer"].to_pylist() == ["Ada Lovelace", "I do not know."]
    assert [times["total"] for times in run.details["latency_ms"].to_pylist()] == [1200, 1201]
    assert truth.details["answers"].to_pylist() == [["Ada"], ["1843"]] and truth.docs.to_pylist() == ["d7", "d7"]
    assert ragdash.evaluate(run, truth, "RR file:correct file:words").values.tolist() == [[0.5, 1, 2], [0, 0, 4]]


TABLE = {"columns": ["question", "source", "retrieved", "precision_at_3/score", "recall_at_3/score"], "data": [
    ["Who?", ["d1"], ["d1", "d4"], 0.5, 1.0], ["When?", ["d2", "d3"], ["d4", "d2"], 0.5, 0.5]]}


def test_a_retriever_table_has_its_targets_in_the_column_source():
    file = ("eval_results_table.json", json.dumps(TABLE).replace("/", "\\/").encode())
    run, truth = read_run(file), read_truth(file)
    assert ragdash.evaluate(run, truth, "R@3 file:recall_at_3/score").values.tolist() == [[1, 1], [0.5, 0.5]]


@pytest.mark.slow
def test_what_the_package_itself_writes_is_read(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed: its tables are not tried")
    genai = pytest.importorskip("mlflow.genai", reason="mlflow is there without its GenAI part")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_PYTHON_REFRESH", "quiet")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # mlflow-skinny has no database
    mlflow.set_tracking_uri((tmp_path / "store").as_uri())
    mlflow.set_experiment("search")

    @mlflow.trace(span_type="RETRIEVER")
    def retrieve(question):
        return [mlflow.entities.Document(page_content="text", metadata={"doc_uri": "d1"}, id="chunk")]

    @mlflow.trace
    def predict(question):
        retrieve(question)
        return "Ada Lovelace" if question == "Who?" else "I do not know."

    @genai.scorer
    def correct(outputs, expectations):
        return expectations["expected_response"] in outputs

    data = [{"inputs": {"question": question}, "expectations": {"expected_response": answer}}
            for question, answer in (("Who?", "Ada"), ("When?", "1843"))]
    table = genai.evaluate(data=data, predict_fn=predict, scorers=[correct]).tables["eval_results"]
    forms = {"table.csv": table.to_csv(index=False), "table.json": table.to_json(orient="split", default_handler=str),
             "traces.json": f"[{','.join(item.to_json() for item in mlflow.search_traces(return_type='list'))}]"}
    for name, content in forms.items():
        run, truth = (read((name, content.encode())) for read in (read_run, read_truth))
        scores = ragdash.evaluate(run, truth, "file:correct").values[:, 0]
        values = dict(zip(run.query_ids.to_pylist(), scores, strict=True))
        assert values == {"Who?": 1, "When?": 0} and set(run.docs.to_pylist()) == {"d1"}, name
