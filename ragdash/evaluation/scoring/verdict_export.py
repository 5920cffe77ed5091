"""Export verdicts: claim by claim as JSON lines, as RAGAS's columns, as the results of RAGChecker and DeepEval.

What is missing is null, never 0. A metric that is unavailable is left out; InputError where none is there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping

from ragdash.core.errors import InputError, Problem, Unavailable
from ragdash.core.text.csv_lines import csv_text
from ragdash.evaluation.scoring.verdict_import import DEEPEVAL, TABLES
from ragdash.matching.views.judged import Judged
from ragdash.matching.views.panel_verdicts import LACKING, Verdicts, reason_text
from ragdash.models.judge.tasks import TASKS, Case, Judgment
from ragdash.models.judge.tasks.ragchecker_scores import FAMILY

RAGAS_COLUMNS: Mapping[str, str] = {
    "RAGAS.Faithfulness": "faithfulness", "RAGAS.AnswerRelevancy": "answer_relevancy",
    "RAGAS.ContextPrecision": "context_precision", "RAGAS.ContextRecall": "context_recall"}
FORMATS = ("rows", "ragas", "ragchecker", "deepeval")
THRESHOLD = 0.5  # from which on DeepEval, by default, calls a score a success
_NEEDED = ("RAGChecker.F1", "RAGChecker.NoiseSensitivityRelevant")  # between them they hold all four tables
_WORDS = {"entailed": "Entailment", "contradicted": "Contradiction", "neutral": "Neutral", "not entailed": "Neutral"}


def export(judged: Judged, form: str, names: Iterable[str] = tuple(TASKS), judge: str = "") -> bytes:
    """The verdicts in one of FORMATS; names: for "rows", the metrics in canonical spelling."""
    if form in ("ragas", "deepeval"):
        return (_ragas if form == "ragas" else _deepeval)(judged, judge)
    return _ragchecker(judged, judge) if form == "ragchecker" else _rows(judged, names, judge)


def _rows(judged: Judged, names: Iterable[str], judge: str) -> bytes:
    """A line for each query and metric with value or reason, and its claims or chunks."""
    by_metric = _available_verdicts(judged, names, judge)
    lines = []
    for verdicts in by_metric.values():
        for case, judgment, value in zip(judged.cases, verdicts.judgments, verdicts.values.tolist(), strict=True):
            lines.append(
                json.dumps(
                    {
                        "query_id": case.query_id,
                        "metric": verdicts.name,
                        "value": _number(value),
                        "missing": judgment.missing,
                        "flags": judgment.flags,
                        "judge": str(verdicts.judge),
                        "rows": judgment.rows,
                    },
                    ensure_ascii=True,
                )
            )
    return ("\n".join(lines) + "\n").encode()


def _ragas(judged: Judged, judge: str) -> bytes:
    """CSV with RAGAS's columns; lists as JSON."""
    by_metric = _available_verdicts(judged, RAGAS_COLUMNS, judge)
    rows: list[list[object]] = [["query_id", "user_input", "response", "retrieved_contexts", "reference",
                                 *(RAGAS_COLUMNS[name] for name in by_metric)]]
    for q, case in enumerate(judged.cases):
        values = (_number(float(verdicts.values[q])) for verdicts in by_metric.values())
        rows.append([case.query_id, case.question, case.answer, json.dumps(_texts(case), ensure_ascii=False),
                     case.references[0] if case.references else None, *values])
    return csv_text(rows).encode("utf-8", "replace")


def _deepeval(judged: Judged, judge: str) -> bytes:
    """JSON as DeepEval's EvaluationResult: a test result for each query with an answer, by the nearest metrics.

    success: whether a score reaches THRESHOLD; one that is missing is no success, as in DeepEval, and its error says
    why. Queries to which a metric does not apply (a text is not there) have no score of it.
    """
    by_metric = _available_verdicts(judged, DEEPEVAL.values(), judge)
    names = {metric: their_name.title() if their_name != "correctness" else "Correctness [GEval]"
             for their_name, metric in DEEPEVAL.items()}
    results = []
    for q, case in enumerate(judged.cases):
        scores = [_metric_data(names[name], verdicts, q) for name, verdicts in by_metric.items()]
        scores = [score for score in scores if score]
        if scores and case.answer is not None:
            results.append({"name": f"test_case_{q}", "success": all(score["success"] for score in scores),
                            "metrics_data": scores, "conversational": False, "index": q, "input": case.question,
                            "actual_output": case.answer, "expected_output": next(iter(case.references), None),
                            "context": None, "retrieval_context": None if case.contexts is None else _texts(case),
                            "metadata": {"query_id": case.query_id}})
    if not results:
        raise _no_verdicts_error(judged.run, " ".join(DEEPEVAL.values()))
    content = {"test_results": results, "confident_link": None, "test_run_id": None}
    return (json.dumps(content, indent=1) + "\n").encode()


def _metric_data(name: str, verdicts: Verdicts, q: int) -> dict | None:
    """A score as DeepEval's MetricData; None where the metric does not apply to the query."""
    judgment, score = verdicts.judgments[q], _number(float(verdicts.values[q]))
    if score is None and judgment.missing in LACKING:
        return None
    return {"name": name, "threshold": THRESHOLD, "success": score is not None and score >= THRESHOLD, "score": score,
            "reason": "\n".join(filter(None, map(_reason, judgment.rows))) or None, "strict_mode": False,
            "evaluation_model": str(verdicts.judge), "error": None if score is not None else reason_text(
                judgment.missing)[0]}


def _reason(row: Mapping) -> str:
    """The reason in a row, with the claim that it is about."""
    subject = ": ".join(str(row[key]) for key in ("claim", "verdict") if row.get(key))
    return " – ".join(text for text in (subject, str(row.get("reason") or "")) if text)


def _ragchecker(judged: Judged, judge: str) -> bytes:
    """RAGChecker's JSON of the queries that have all claims and verdicts. Of a chunk it is kept whether it entails a
    claim, not whether it contradicts it: that is written as Neutral.
    """
    family = _available_verdicts(judged, (f"RAGChecker.{name}" for name in FAMILY), judge)
    texts, chunks = (family.get(name) for name in _NEEDED)
    if any(verdicts.members for verdicts in family.values()):
        raise InputError([Problem("several-judges", {"judge": judge}, field="--judge")])
    results = []
    for q, case in enumerate(judged.cases if texts and chunks else ()):
        tables = _tables(case, texts.judgments[q], chunks.judgments[q])
        if tables:
            metrics = {name.partition(".")[2]: _number(float(verdicts.values[q])) for name, verdicts in family.items()}
            results.append({"query_id": case.query_id, "query": case.question, "gt_answer": case.references[0],
                            "response": case.answer, "retrieved_context": [
                                {"doc_id": name, "text": text} for name, text in case.contexts or ()],
                            **tables, "metrics": metrics})
    if not results:
        raise _no_verdicts_error(judged.run, "RAGChecker.F1 RAGChecker.NoiseSensitivityRelevant")
    return (json.dumps({"results": results}, indent=1) + "\n").encode()


def _tables(case: Case, texts: Judgment, chunks: Judgment) -> dict | None:
    """Claims and the four tables; None where a verdict is not there."""
    if not texts.rows or not chunks.rows or not case.contexts:
        return None
    names = [name for name, _ in case.contexts]
    sides = {side: [row for row in texts.rows if row["of"] == side] for side in ("answer", "reference")}
    by_chunk = {side: [row for row in chunks.rows if row["of"] == side] for side in sides}
    if any([row["claim"] for row in sides[side]] != [row["claim"] for row in by_chunk[side]] for side in sides):
        return None
    tables = [[_WORDS[row["verdict"]] for row in sides[side]] for side in sides]
    tables += [[["Entailment" if name in row["chunks"] else "Neutral" for name in names] for row in by_chunk[side]]
               for side in sides]
    claims = ([row["claim"] for row in sides[side]] for side in sides)
    return dict(zip(("response_claims", "gt_answer_claims", *TABLES), (*claims, *tables), strict=True))


def _available_verdicts(judged: Judged, names: Iterable[str], judge: str) -> dict[str, Verdicts]:
    """The verdicts of the metrics that have any; InputError where the verdicts that are kept cannot be read."""
    names, by_metric = list(names), {}
    for name in names:
        try:
            by_metric[name] = judged.read(name, judge)
        except Unavailable as error:
            if error.problem.cause is not None:
                raise InputError([error.problem.cause]) from None
    if not by_metric:
        raise _no_verdicts_error(judged.run, " ".join(names))
    return by_metric


def _no_verdicts_error(run: str, names: str) -> InputError:
    return InputError([Problem("no-verdict/export", {"run": run, "metrics": names})])


def _texts(case: Case) -> list[str]:
    return [text for _, text in case.contexts or ()]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
