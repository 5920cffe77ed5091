"""A run with its truth as the input of RAGAS or DeepEval."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.io.write.serializers import run_objects, truth_objects, write_bytes


def ragas_rows(run: Run, truth: Truth | None = None) -> list[dict]:
    """A row per query with the fields of RAGAS's SingleTurnSample; what is not known is left out.

    Examples
    --------
    >>> run = Run.from_records([{"query_id": "q1", "query": "Who?", "answer": "Ada", "documents": [
    ...     {"doc_id": "d7", "text": "It was Ada."}]}])
    >>> ragas_rows(run, Truth.from_dict({"q1": ["d7"]}))[0]["retrieved_contexts"]
    ['It was Ada.']
    """
    names = {"user_input": "question", "response": "answer", "retrieved_contexts": "contexts", "reference": "reference",
             "retrieved_context_ids": "ids", "reference_context_ids": "relevant"}
    return [{name: row[field] for name, field in names.items() if row[field] is not None} for row in _rows(run, truth)]


def deepeval_rows(run: Run, truth: Truth | None = None) -> list[dict]:
    """A row per query with the fields of DeepEval's LLMTestCase; what is not known is left out.

    Examples
    --------
    >>> run = Run.from_records([{"query_id": "q1", "query": "Who?", "answer": "Ada", "documents": ["d7"]}])
    >>> deepeval_rows(run)
    [{'name': 'q1', 'input': 'Who?', 'actual_output': 'Ada'}]
    """
    names = {"name": "query_id", "input": "question", "actual_output": "answer", "expected_output": "reference",
             "retrieval_context": "contexts"}
    return [{name: row[field] for name, field in names.items() if row[field] is not None} for row in _rows(run, truth)]


def write_judge_input(run: Run, truth: Truth | None, path: str | os.PathLike, form: str) -> None:
    """Write the input of "ragas" (JSONL) or "deepeval" (a JSON list).

    Raises
    ------
    InputError
        Neither the run nor the truth has the texts of questions.
    """
    rows = JUDGE_INPUTS[form](run, truth)
    if form == "ragas":
        write_bytes(path, b"".join(orjson.dumps(row) + b"\n" for row in rows))
    else:
        write_bytes(path, orjson.dumps(rows, option=orjson.OPT_INDENT_2) + b"\n")


JUDGE_INPUTS: Mapping[str, Callable[[Run, Truth | None], list[dict]]] = {"ragas": ragas_rows,
                                                                       "deepeval": deepeval_rows}


def _rows(run: Run, truth: Truth | None) -> Iterator[dict]:
    """What is known of each query of the run that has a question: None where it is not."""
    known = {} if truth is None else {row["query_id"]: row for row in truth_objects(truth)}
    rows = []
    for row in run_objects(run):
        judged = known.get(row["query_id"], {})
        question = row.get("query") or judged.get("query")
        if not question:
            continue
        documents = [item if isinstance(item, dict) else {"doc_id": item} for item in row["retrieved"]]
        texts = [item["text"] for item in documents if item.get("text")]
        references = judged.get("references") or judged.get("answers") or []
        rows.append({
            "query_id": row["query_id"], "question": question, "answer": row.get("answer"),
            "contexts": row.get("contexts") or texts or None, "ids": [item["doc_id"] for item in documents] or None,
            "reference": references[0] if isinstance(references, list) and references else references or None,
            "relevant": [doc for doc, grade in (judged.get("relevant") or {}).items() if grade > 0] or None})
    if not rows:
        raise InputError([Problem("judge-input/no-questions", {"run": run.name}, field="query")])
    yield from rows
