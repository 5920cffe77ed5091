"""Compare what is read from a file with what a careful person reads from it (expected.json beside the files)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ragdash.core.errors import InputError
from ragdash.core.records import Run, Truth
from ragdash.io import read_corpus, read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

_ROLES = {"runs": read_runs, "truth": read_truth, "corpus": read_corpus}


@dataclass
class ReadFile:
    """What is read from a file: how ("as is", "proposal" or "refused"), and each role, or why it is not read."""

    how: str
    runs: list[Run] = field(default_factory=list)
    truth: Truth | None = None
    corpus: object = None
    errors: Mapping[str, InputError] = field(default_factory=dict)


def numbered_rows(count: int, **columns) -> list[dict]:
    """Records with these fields; a function is called with the number of its record."""
    return [{name: column(number) if callable(column) else column for name, column in columns.items()}
            for number in range(count)]


def as_csv(rows: list[dict]) -> tuple[str, bytes]:
    """A file of these rows: its name and content."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return "file.csv", text.getvalue().encode()


def offered(file) -> list[dict[str, str]]:
    """What each reading that is offered takes for what, best first."""
    return [dict(reading.mapping) for reading in propose(Source(file))]


@cache
def read_as_is(path: Path) -> ReadFile:
    """Read every role of a file without any option, once: tests of several kinds look at the same files."""
    result, errors = ReadFile("as is"), {}
    for role, read in _ROLES.items():
        try:
            setattr(result, role, read(path))
        except InputError as error:
            errors[role] = error
    if result.runs or result.truth is not None:
        result.corpus = None
    result.errors = errors
    if len(errors) == len(_ROLES):
        result.how = "refused"
    return result


def read_by_proposal(path) -> list[ReadFile]:
    """The file read by each reading that is offered for it; none where no reading is offered."""
    return [_read_as(path, mapping) for mapping in _offered_mappings(read_as_is(path))]


def _offered_mappings(result: ReadFile) -> list[dict]:
    records = [*result.runs, *([result.truth] if result.truth is not None else [])]
    problems = [problem for error in result.errors.values() for problem in error.problems]
    problems += [problem for record in records for problem in record.problems]
    offers = [problem.facts["mappings"] for problem in problems if problem.kind == "proposed-reading"]
    return [dict(mapping) for mapping in offers[0]] if offers else []


def _read_as(path, mapping: dict) -> ReadFile:
    result, errors = ReadFile("proposal"), {}
    for role in ("runs", "truth"):
        try:
            setattr(result, role, _ROLES[role](path, mapping=mapping))
        except InputError as error:
            errors[role] = error
    result.errors = errors
    return result


def describe_differences(result: ReadFile, expected: Mapping, questions: Mapping[str, str]) -> list[str]:
    """What differs from what is expected: "wrong: ..." for a misreading, "missing: ..." for what is not read.

    `or` in what is expected lists other readings that are right as well; the one that fits best counts.
    """
    wanted = (expected, *expected.get("or", ()))
    return min((_differences(result, reading, questions) for reading in wanted), key=len)


def _differences(result: ReadFile, expected: Mapping, questions: Mapping[str, str]) -> list[str]:
    if "refused" in expected:
        read = result.runs or result.truth is not None or result.corpus is not None
        text = " ".join(str(problem) for error in result.errors.values() for problem in error.problems)
        if read:
            return [f"wrong: read as {_describe(result)}"]
        return [] if expected["refused"] in text else [f"missing: the word {expected['refused']!r} in {text[:300]!r}"]
    if "corpus" in expected:
        if result.runs or result.truth is not None:
            return [f"wrong: documents read as {_describe(result)}"]
        count = len(result.corpus.doc_ids) if result.corpus is not None else 0
        return [] if count == expected["corpus"] else [f"missing: {expected['corpus']} documents, read {count}"]
    return [*_run_differences(result, expected, questions), *_truth_differences(result, expected, questions)]


def _describe(result: ReadFile) -> str:
    return f"{[(run.name, len(run)) for run in result.runs]} and {result.truth}"


def _run_differences(result: ReadFile, expected: Mapping, questions: Mapping[str, str]) -> Iterator[str]:
    wanted = expected.get("runs")
    if not wanted:
        if result.runs and not expected.get("either_role"):
            yield f"wrong: a run is read where there is none: {_describe(result)}"
        return
    if not result.runs:
        yield "missing: the run"
        return
    count = wanted if isinstance(wanted, int) else len(wanted)
    names = [run.name for run in result.runs]
    if len(result.runs) != count:
        yield f"wrong: {len(result.runs)} runs {names[:6]}, not {wanted}"
        return
    if not isinstance(wanted, int) and sorted(names) != sorted(wanted):
        yield f"wrong: runs named {names}, not {wanted}"
        return
    by_name = {run.name: run for run in result.runs}
    first = result.runs[0] if isinstance(wanted, int) else by_name[wanted[0]]
    if expected["queries"] != max(map(len, result.runs)):
        yield f"wrong: {[len(run) for run in result.runs]} queries, not {expected['queries']}"
    if "depth" in expected and len(first.docs) and first.depth < expected["depth"]:
        yield f"missing: depth {first.depth}, not {expected['depth']}"
    others = ((by_name[name], values) for name, values in expected.get("others", {}).items())
    for run, values in ((first, expected), *others):
        for name, compare in _OF_RUNS.items():
            for key, value in values.get(name, {}).items():
                yield from compare(run, _query_id(run, key, questions), value, f"{name} of {key} in {run.name}")
    absent = {"answers": _has(first, "answer"), "ranking": len(first.docs) > 0}
    yield from (f"wrong: the run has {name}" for name in expected.get("absent", ()) if absent[name])
    for name in expected.get("scores", ()):
        scores = first.file_scores
        if scores is None or name not in _score_names(scores):
            yield f"missing: the scores {name}"


def _score_names(scores) -> set[str]:
    return {*scores.names, *scores.label_names}


def _query_id(records, key: str, questions: Mapping[str, str]) -> str | None:
    """The id of a query of expected.json: its key, or its question, or the query with that text."""
    ids = records.query_ids.to_pylist()
    texts = records.details["query"].to_pylist() if _has(records, "query") else []
    for candidate in (key, questions.get(key)):
        if candidate in ids:
            return candidate
    return next((ids[i] for i, text in enumerate(texts) if text == questions.get(key)), None)


def _has(records, name: str) -> bool:
    return records.details is not None and name in records.details.column_names


def _detail(records, query_id: str | None, name: str):
    if query_id is None or not _has(records, name):
        return None
    return records.details[name][records.query_ids.to_pylist().index(query_id)].as_py()


def _compare_answer(run: Run, query_id, wanted: str, what: str) -> Iterator[str]:
    answer = _detail(run, query_id, "answer")
    if answer != wanted:
        yield f"{'missing' if answer is None else 'wrong'}: {what}: {answer!r}"


def _compare_contexts(run: Run, query_id, wanted: int, what: str) -> Iterator[str]:
    contexts = _detail(run, query_id, "contexts")
    count = len(contexts) if contexts else len(_texts(run, query_id))
    if count != wanted:
        yield f"{'missing' if not count else 'wrong'}: {what}: {count} texts, not {wanted}"


def _texts(run: Run, query_id) -> list[str]:
    return [] if query_id is None else [text for text in run.ranking(query_id)["text"].to_pylist() if text]


def _compare_ranking(run: Run, query_id, wanted: list[str], what: str) -> Iterator[str]:
    ranking = [] if query_id is None else run.ranking(query_id)["doc_id"].to_pylist()
    if ranking != wanted:
        yield f"{'wrong' if ranking else 'missing'}: {what}: {ranking}"


_OF_RUNS: Mapping[str, Callable] = {"answers": _compare_answer, "contexts": _compare_contexts,
                                    "ranking": _compare_ranking}


def _truth_differences(result: ReadFile, expected: Mapping, questions: Mapping[str, str]) -> Iterator[str]:
    wanted = [name for name in ("relevant", "references", "evidence") if name in expected]
    truth = result.truth
    if not wanted and (not expected.get("texts") or expected.get("runs")):
        if truth is not None and (truth.judgments or _has(truth, "answers") or _has(truth, "evidence")):
            yield f"wrong: a ground truth is read where there is none: {_describe(result)}"
        if expected.get("texts"):
            yield from _text_differences(result.runs[:1], expected, questions)
        return
    if truth is None:
        yield "missing: the ground truth"
        return
    if len(truth) != expected["queries"]:
        yield f"wrong: {len(truth)} queries in the ground truth, not {expected['queries']}"
    yield from _text_differences([truth], expected, questions)
    for name, role in (("relevant", "judgments"), ("references", "answers"), ("evidence", "evidence")):
        present = truth.judgments if name == "relevant" else _has(truth, role)
        if present and name not in expected and name != "evidence":
            yield f"wrong: {role} are read where there are none"
    for key, judged in expected.get("relevant", {}).items():
        yield from _compare_judgments(truth, _query_id(truth, key, questions), judged, f"judgments of {key}")
    for key, reference in expected.get("references", {}).items():
        answers = _detail(truth, _query_id(truth, key, questions), "answers")
        if not answers or reference not in answers:
            yield f"{'wrong' if answers else 'missing'}: reference of {key}: {answers}"
    for key, count in expected.get("evidence", {}).items():
        texts = _detail(truth, _query_id(truth, key, questions), "evidence")
        if not texts or len(texts) != count:
            yield f"{'wrong' if texts else 'missing'}: evidence of {key}: {len(texts or ())} texts, not {count}"


def _text_differences(records: list, expected: Mapping, questions: Mapping[str, str]) -> Iterator[str]:
    for key in expected.get("texts", ()):
        if not records or _query_id(records[0], key, questions) is None or not _has(records[0], "query"):
            yield f"missing: the text of {key}"


def _compare_judgments(truth: Truth, query_id, wanted: Mapping[str, int], what: str) -> Iterator[str]:
    if query_id is None:
        yield f"missing: {what}"
        return
    code = truth.query_ids.to_pylist().index(query_id)
    documents = truth.docs.to_pylist()
    judged = {documents[i]: int(truth.grades[i]) for i in range(len(documents)) if truth.queries[i] == code}
    if judged != wanted:
        yield f"{'wrong' if judged else 'missing'}: {what}: {judged}"
