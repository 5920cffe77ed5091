"""Every block and every call of ragdash in the guide for people who come from other tools runs as it is printed."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from ragdash.cli.main import main
from ragdash.io import read_run, read_truth, write_run, write_truth

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "start" / "coming-from.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
CELLS = re.findall(r"^\|.*?\| (.*) \|$", GUIDE, re.MULTILINE)
CALLS = [call for cell in CELLS for call in re.findall(r"`([^`]+)`", cell)
         if call.startswith(("ragdash ", "evaluate(", "read_"))]
REAL_FILES = ROOT / "tests" / "io" / "real_files"
LANGSMITH = ["inputs.question,outputs.answer,outputs.contexts,reference.answer,feedback.correctness,example_id"] + [
    f'Who wrote part {n}?,She did.,"[""a text""]",She wrote it.,{n % 2},e{n}' for n in range(4)]
PHOENIX = ["input,output,reference,label,score", *(f"Who wrote part {n}?,She did.,a text,"
                                                   f"{'factual' if n else 'hallucinated'},{min(n, 1)}"
                                                   for n in range(4))]
RUN_OF_LANGSMITH = {"id": "r1", "trace_id": "r1", "run_type": "chain", "parent_run_id": None,
                    "inputs": {"question": "Who wrote it?"}, "outputs": {"answer": "She did."}}
SPANS = [{"context": {"trace_id": "t1", "span_id": "s1"}, "span_kind": "CHAIN", "parent_id": None,
          "attributes": {"input": {"value": "Who wrote it?"}, "output": {"value": "She did."}}},
         {"context": {"trace_id": "t1", "span_id": "s2"}, "span_kind": "RETRIEVER", "parent_id": "s1", "attributes": {
             "input": {"value": "author"}, "retrieval": {"documents": [
                 {"document": {"id": "d7", "score": 0.9, "content": "a text"}}]}}}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The files that the guide names."""
    folder = tmp_path_factory.mktemp("coming")
    samples = ROOT / "sample_runs"
    truth = read_truth(samples / "truth.jsonl")
    for name in ("dense", "sparse"):
        write_run(read_run(samples / f"{name}.jsonl"), folder / f"{name}.trec")
    write_truth(truth, folder / "qrels.txt", "trec")
    for source, target in (("dense.trec", "run"), ("qrels.txt", "qrels")):
        shutil.copy(folder / source, folder / target)
    for source, target in (("dense", "run"), ("dense", "a"), ("sparse", "b"), ("truth", "truth")):
        shutil.copy(samples / f"{source}.jsonl", folder / f"{target}.jsonl")
    for source, target in (("ragas_result.csv", "ragas.csv"), ("ragas_dataset.jsonl", "ragas.jsonl"),
                           ("trulens_records_otel.csv", "trulens.csv")):
        shutil.copy(REAL_FILES / source, folder / target)
    shutil.copy(REAL_FILES / "trulens_events.jsonl", folder)
    texts = {"out.txt": "map\tq1\t0.5\nmap\tq2\t0.25\nmap\tall\t0.375\n", "langsmith.csv": "\n".join(LANGSMITH),
             "phoenix_evals.csv": "\n".join(PHOENIX), "phoenix_spans.json": json.dumps(SPANS),
             "langsmith_runs.jsonl": json.dumps(RUN_OF_LANGSMITH)}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_the_guide_has_a_section_with_a_block_for_each_tool():
    sections = re.split(r"^## ", GUIDE, flags=re.MULTILINE)[1:]
    assert [section.split("\n")[0] for section in sections] == [
        "trec_eval", "ranx", "ir_measures", "RAGAS", "LangSmith", "Phoenix", "TruLens",
        "Two tools, two numbers", "A client class, as guides write it", "A hybrid retrieval study"]
    assert all("```" in section and "| ragdash |" in section for section in sections)
    assert len(CALLS) >= 40


def test_every_block_and_every_call_runs(folder, monkeypatch, capfdbinary):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RAGDASH_CACHE", str(folder / "cache"))
    monkeypatch.setenv("RAGDASH_WORKSPACE", str(folder / "workspace"))
    names: dict = {}
    for language, text in BLOCKS:
        if language == "python":
            exec(compile(text, "coming-from.md", "exec"), names)
        else:
            assert language == "sh"
            assert [main(shlex.split(line)[1:]) for line in text.splitlines()] == [0] * len(text.splitlines()), text
    for call in CALLS:
        if call.startswith("ragdash "):
            assert main(shlex.split(call)[1:]) == 0, (call, capfdbinary.readouterr().err.decode())
        else:
            assert eval(call, names) is not None, call
    assert set(names["means"]) == {"P@5", "R@5", "RR", "nDCG@5", "Success@5"} and 0.7 < names["means"]["RR"] < 0.72
    assert set(names["by_query"]) == set(names["truth"].query_ids.to_pylist())
