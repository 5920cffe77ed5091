"""Import verdicts of other tools into the verdict store: results of RAGAS, RAGChecker and DeepEval.

A verdict is kept under its metric, its run and the texts that it is about, with a judge "TOOL at imported": the results
of a tool for several runs are one judge, and each run is read with its own. Results of the same tool and metric that
are imported later for the same run replace the earlier ones whole; these stay readable as "TOOL digest at imported".

Rows are matched by query id, else by the text of the query; a row whose answer is not the run's is left out with a
warning, as are rows without a query and scores that are no numbers.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ragdash.core.console import count
from ragdash.core.errors import Collector, InputError, Problem
from ragdash.core.paths import read_input
from ragdash.io.tables.row_reader import csv_rows
from ragdash.matching.views.judged import IMPORTED, Judged, imported_question
from ragdash.metrics import parse_spec
from ragdash.models.judge import Question, Reply
from ragdash.models.judge.endpoint import Judge
from ragdash.models.judge.tasks import Case
from ragdash.models.judge.tasks.ragchecker_scores import FAMILY, Checked

RAGAS: Mapping[str, str] = {
    "faithfulness": "RAGAS.Faithfulness", "answer_relevancy": "RAGAS.AnswerRelevancy",
    "response_relevancy": "RAGAS.AnswerRelevancy", "context_precision": "RAGAS.ContextPrecision",
    "llm_context_precision_with_reference": "RAGAS.ContextPrecision", "context_recall": "RAGAS.ContextRecall",
    "llm_context_recall": "RAGAS.ContextRecall"}
"""Columns of RAGAS and the metrics that they are here."""
DEEPEVAL: Mapping[str, str] = {
    "faithfulness": "ClaimFaithfulness", "answer relevancy": "AnswerRelevanceJudged",
    "contextual relevancy": "ContextRelevance", "contextual precision": "RAGAS.ContextPrecision",
    "contextual recall": "RAGAS.ContextRecall", "correctness": "Correctness"}
"""Metrics of DeepEval, in lower case and without parentheses, and the nearest ones here."""
TABLES = ("answer2response", "response2answer", "retrieved2response", "retrieved2answer")
_PARTS = ("correct", "found", "supports", "holds")
_IDS, _QUESTIONS = ("query_id", "id", "qid"), ("query", "question", "user_input", "input")
_ANSWERS = ("response", "answer", "actual_output", "actualOutput")
_LISTS = ("results", "test_results", "testResults", "test_cases", "testCases")
_METRICS = ("metrics_data", "metricsData")
_MORE = ("metadata", "additional_metadata")  # where DeepEval keeps what it was given with the texts


@dataclass(frozen=True)
class ImportedVerdicts:
    """What came of a file. verdicts: kept, by metric; rows: in the file; problems: what was left out."""

    judge: Judge
    verdicts: Counter
    rows: int
    problems: tuple[Problem, ...]

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {n:,}" for name, n in self.verdicts.items())
        return f"{self.judge}: {count(sum(self.verdicts.values()), 'verdict')} of {count(self.rows, 'row')} ({counts})"


def import_verdicts(path: str | Path, judged: Judged) -> ImportedVerdicts:
    """Keep the verdicts of a file on the texts of a run (Match.judged) in its verdict store.

    Raises InputError where the file cannot be read, is of no known tool, or holds no verdict on this run.
    """
    path, problems = Path(path), Collector(str(path))
    rows, digest = _read_rows(path)
    tool = _tool(rows, path)
    judge = Judge(IMPORTED, tool)
    by_id = {case.query_id: case for case in judged.cases}
    by_question = _unique_by_question(judged.cases)
    verdicts: dict[tuple[str, str], tuple] = {}
    for number, row in enumerate(rows, 1):
        case = _find_case(row, by_id, by_question, number, problems)
        for name, score, details in _row_verdicts(tool, row, number, problems) if case else ():
            if (case.query_id, name) in verdicts:
                problems.add("repeated-verdict", {"metric": name, "query": case.query_id}, line=number,
                             severity="warning")
                continue
            value = {"score": score, "rows": details, "file": digest}
            verdicts[case.query_id, name] = imported_question(name, case), Reply(value, attempts=1)
    if not verdicts:
        problems.add("no-verdict", {"tool": tool, "run": judged.run})
    problems.raise_errors()
    counts = Counter(name for _, name in verdicts)
    _replace(judged, judge, counts, verdicts.values(), digest)
    return ImportedVerdicts(judge, counts, len(rows), problems.problems)


def _replace(judged: Judged, judge: Judge, names: Iterable[str], verdicts: Iterable[tuple[Question, Reply]],
             digest: str) -> None:
    """Save verdicts instead of those on the run from earlier files, which stay readable as "TOOL digest"."""
    questions = [imported_question(name, case) for name in names for case in judged.cases]
    replies = judged.verdict_store.get([judge.key(question) for question in questions])
    earlier: dict[str, list[tuple[Question, Reply]]] = {}
    for question in questions:
        reply = replies.get(judge.key(question))
        file = (reply.value or {}).get("file", digest) if reply else digest
        if reply and file != digest:
            earlier.setdefault(file, []).append((question, reply))
    for file, rows in earlier.items():
        judged.verdict_store.save(replace(judge, model=f"{judge.model} {file}"), rows)
    judged.verdict_store.save(judge, verdicts, replies)


def _read_rows(path: Path) -> tuple[list[dict], str]:
    """(rows, digest) of a JSON, JSON lines or CSV file."""
    try:
        content = read_input(path)
        text = content.decode("utf-8-sig")
        rows = _json_rows(text) if path.suffix.lower() != ".csv" else None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError([Problem("unreadable-verdicts", {"reason": str(error)}, str(path))]) from None
    if rows is None:
        rows = _table_rows(text, path)
    return [row for row in rows if isinstance(row, dict)], hashlib.blake2b(content, digest_size=4).hexdigest()


def _table_rows(text: str, path: Path) -> list[dict[str, str]]:
    """The rows of a CSV table; raises InputError with the line of wrong quotes."""
    problems = Collector(str(path))
    names, *rows = [cells for _, cells in csv_rows(text, ",", problems) if cells] or [[]]
    problems.raise_errors()
    return [dict(zip(names, cells, strict=False)) for cells in rows]


def _json_rows(text: str) -> list:
    try:
        content = json.loads(text)
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    if isinstance(content, dict):
        content = next((content[key] for key in _LISTS if isinstance(content.get(key), list)), [content])
    return content if isinstance(content, list) else []


def _tool(rows: list[dict], path: Path) -> str:
    """Whose results these are."""
    keys = set().union(*rows) if rows else set()
    if keys & set(_METRICS):
        return "DeepEval"
    if keys & set(TABLES):
        return "RAGChecker"
    if keys & RAGAS.keys():
        return "RAGAS"
    raise InputError([Problem("unknown-verdicts", {"columns": list(sorted(map(str, keys))[:12])}, str(path))])


def _unique_by_question(cases: Iterable[Case]) -> dict[str, Case]:
    """The cases by the text of their query, those left out that share it."""
    occurrences = Counter(_plain(case.question) for case in cases if case.question)
    return {_plain(case.question): case for case in cases if case.question and occurrences[_plain(case.question)] == 1}


def _find_case(row: dict, by_id: dict[str, Case], by_question: dict[str, Case], number: int,
          problems: Collector) -> Case | None:
    """The case that a row is about; None, and a note, where there is none or its answer is another."""
    name, question, answer = (_first(row, keys) for keys in (_IDS, _QUESTIONS, _ANSWERS))
    if name is None:
        name = _first(next((row[key] for key in _MORE if isinstance(row.get(key), dict)), {}), _IDS)
    case = by_id.get(str(name)) if name is not None else None
    case = case or (by_question.get(_plain(question)) if isinstance(question, str) else None)
    if case is None:
        problems.add("unknown-query/row", {"query": str(name) if name is not None else repr(question)}, line=number,
                     severity="warning")
    elif isinstance(answer, str) and case.answer is not None and _plain(answer) != _plain(case.answer):
        problems.add("another-answer", {"query": case.query_id}, line=number, severity="warning")
        return None
    return case


def _first(row: dict, keys: Iterable[str]) -> object:
    return next((row[key] for key in keys if row.get(key) not in (None, "")), None)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _row_verdicts(
    tool: str, row: dict, number: int, problems: Collector
) -> Iterator[tuple[str, float | None, list[dict]]]:
    """(metric, score, rows to read) of a row; score None: judged, and undefined."""
    if tool == "RAGChecker":
        yield from _ragchecker_verdicts(row, number, problems)
        return
    entries = [(key, row.get(key), "") for key in RAGAS] if tool == "RAGAS" else [
        (str(entry.get("name")), entry.get("score"), str(entry.get("reason") or ""))
        for key in _METRICS if isinstance(row.get(key), list) for entry in row[key] if isinstance(entry, dict)]
    names = RAGAS if tool == "RAGAS" else DEEPEVAL
    metrics_seen = set()
    for name, value, reason in entries:
        metric = names.get(name.partition("(")[0].replace("[GEval]", "").strip().casefold())
        if metric is None:
            problems.add("other-metric", {"name": name, "names": list(names)}, line=number, severity="warning")
        elif metric not in metrics_seen and value not in (None, ""):
            score = _score(metric, value, number, problems)
            if score is not None:
                metrics_seen.add(metric)
                yield metric, score, [{"reason": reason, "score": score}] if reason else []


def _score(name: str, value: object, number: int, problems: Collector) -> float | None:
    """The number that was said; None, and a note, where it is none of the metric's. NaN: the tool has no verdict."""
    low, high = parse_spec(name).range
    try:
        score = float(value) if not isinstance(value, bool) else math.inf
    except (TypeError, ValueError, OverflowError):
        score = math.inf
    if math.isnan(score):
        return None
    if not low - 1e-6 <= score <= high + 1e-6:
        problems.add("bad-score/verdict", {"value": value, "metric": name, "low": low, "high": high}, line=number,
                     severity="warning")
        return None
    return min(max(score, low), high)


def _ragchecker_verdicts(row: dict, number: int, problems: Collector) -> Iterator[tuple[str, float | None, list[dict]]]:
    """The family by our arithmetic from RAGChecker's claims and verdicts."""
    tables, answer, reference = {}, row.get("response_claims"), row.get("gt_answer_claims")
    for field, key in zip(_PARTS, TABLES, strict=True):
        claims = answer if field in ("correct", "supports") else reference
        entailed = _entailed(row.get(key), nested=field in ("supports", "holds"))
        if entailed is not None and isinstance(claims, list) and len(claims) == len(entailed):
            tables[field] = entailed
        elif row.get(key) is not None:
            problems.add("bad-verdicts", {"key": key}, line=number, severity="warning")
    if len({len(line) for field in ("supports", "holds") for line in tables.get(field, ())}) > 1:
        problems.add("bad-verdicts/chunks", line=number, severity="warning")
        return
    rows = [*_claims("answer", answer, tables.get("correct"), tables.get("supports")),
            *_claims("reference", reference, tables.get("found"), tables.get("holds"))]
    for name, (value, needs) in FAMILY.items():
        if tables.keys() >= set(needs):
            score = value(Checked(**{field: tables[field] for field in needs}))
            yield f"RAGChecker.{name}", None if math.isnan(score) else score, rows


def _entailed(verdicts: object, *, nested: bool) -> tuple | None:
    """RAGChecker's words as flags, nested: a list for each claim; None where they are something else."""
    if not isinstance(verdicts, list):
        return None
    if nested:
        lists = tuple(_entailed(verdict, nested=False) for verdict in verdicts)
        return None if None in lists else lists
    return (
        tuple(verdict == "Entailment" for verdict in verdicts)
        if all(isinstance(verdict, str) for verdict in verdicts)
        else None
    )


def _claims(side: str, claims: object, verdicts: tuple | None, chunks: tuple | None) -> Iterator[dict]:
    for i, claim in enumerate(claims if isinstance(claims, list) else ()):
        row = {"of": side, "claim": " ".join(map(str, claim)) if isinstance(claim, list) else str(claim)}
        if verdicts is not None:
            row["verdict"] = "entailed" if verdicts[i] else "not entailed"
        if chunks is not None:
            row["chunks"] = [str(position) for position, entails in enumerate(chunks[i], 1) if entails]
        yield row
