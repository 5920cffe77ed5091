"""How many files of a folder ragdash reads right, as they are or by accepting one proposal.

    python benchmarks/reading.py FOLDER [expected.csv]

The folder, or RAGDASH_TEST_DATA with s11_wild in it, has an expected.csv with a row per file: file, role, queries,
configurations, deepest, relevance, answers, references, contexts, scores, today, and perhaps a note. The columns about
content start with y or a field name where the file holds it and with n where it must not be read. Relevance is of
ids, unless it says text or evidence. What a note counts is compared: "30 judgments", "326 relevant of 679 judged", and
"0:371 1:375" for the grades.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.io import detect, read_corpus, read_runs, read_truth

_TEXTS = re.compile(r"\b(?:texts?|contexts?|evidence)\b")  # of which relevance is, where it is not of ids
_JUDGMENTS = re.compile(r"\b(\d+) judgments\b|\b(\d+) relevant of (\d+) judged\b")
_OF_A_GRADE = re.compile(r"\b(\d):(\d+)\b")
OUTCOMES = ("as is", "proposal", "refused rightly", "incomplete", "wrong", "refused")


@dataclass
class Reading:
    """What a file gives: its runs, its truth, and the problems, with the mappings that are proposed in them."""

    runs: list[Run] = field(default_factory=list)
    truth: Truth | None = None
    problems: list[Problem] = field(default_factory=list)
    is_refused: bool = False

    @property
    def mappings(self) -> list[dict[str, str]]:
        """The proposed mappings."""
        return [mapping for problem in self.problems if problem.kind == "proposed-reading"
                for mapping in problem.facts["mappings"]]


def read(path: Path, mapping: Mapping[str, str] | None = None) -> Reading:
    """Read a file as `ragdash check` does."""
    result = Reading()
    try:
        role = detect(path, mapping=mapping).role
        if role == "corpus":
            read_corpus(path, mapping=mapping)
            return result
        if role != "truth":
            result.runs = read_runs(path, mapping=mapping)
            result.problems += [problem for run in result.runs for problem in run.problems]
        if role in ("truth", "both"):
            result.truth = read_truth(path, mapping=mapping)
            result.problems += result.truth.problems
    except InputError as error:
        result.is_refused, result.problems = True, list(error.problems)
    return result


def has_detail(records: Run | Truth | None, *names: str) -> bool:
    """True if a record has a value in one of these columns of details."""
    if records is None or records.details is None:
        return False
    return any(value not in (None, "", []) for name in names if name in records.details.column_names
               for value in records.details[name].to_pylist())


def faults(expected: Mapping[str, str], reading: Reading) -> Iterator[tuple[str, str]]:
    """(wrong or missing, what) of each difference between what is expected and what was read."""
    role, runs, truth = expected["role"], reading.runs, reading.truth
    if role == "summary":
        yield "wrong", "a summary was read"
    queries = {query for run in runs for query in run.query_ids.to_pylist()} or set(
        truth.query_ids.to_pylist() if truth else ())
    if len(queries) != int(expected["queries"]):
        yield "wrong", f"{len(queries)} queries, not {expected['queries']}"
    if role in ("truth", "questions") and runs:
        yield "wrong", "ground truth was read as a run"
    if role in ("run", "both", "metrics") and len(runs) != int(expected["configurations"]):
        yield "wrong", f"{len(runs)} configurations, not {expected['configurations']}"
    yield from content_faults(expected, runs, truth)


def content_faults(expected: Mapping[str, str], runs: list[Run], truth: Truth | None) -> Iterator[tuple[str, str]]:
    """Differences of what the queries have."""
    evidence = has_detail(truth, "evidence")
    yield from relevance_faults(expected, truth, evidence)
    answers = any(has_detail(run, "answer") for run in runs)
    references = has_detail(truth, "answers")
    if expected["answers"].startswith("y") and not answers:
        yield "missing", "answers"
    if expected["answers"].startswith("n") and answers:
        yield "wrong", "answers of a run"
    if expected["references"].startswith("y") and not references:
        yield "missing", "references"
    if expected["references"].startswith("n") and references:
        yield "wrong", "references"
    contexts = any(has_detail(run, "contexts") or (run.texts is not None) for run in runs)
    if expected["contexts"].startswith("y") and not (evidence if "evidence" in expected["contexts"] else contexts):
        yield "missing", "contexts"
    has_scores = any(run.file_scores is not None or run.scores is not None for run in runs)
    if expected["scores"].startswith("y") and not has_scores:
        yield "missing", "scores"
    depth = max((int(np.diff(run.starts).max(initial=0)) for run in runs), default=0) or max(
        (len(texts or ()) for run in runs if run.details is not None and "contexts" in run.details.column_names
         for texts in run.details["contexts"].to_pylist()), default=0)
    if int(expected["deepest"]) and runs and expected["role"] != "metrics" and depth != int(expected["deepest"]):
        yield "missing" if not depth else "wrong", f"{depth} deep, not {expected['deepest']}"


def relevance_faults(expected: Mapping[str, str], truth: Truth | None, evidence: bool) -> Iterator[tuple[str, str]]:
    """Differences of what is relevant: ids or texts, and how many of each grade where that was counted by hand."""
    relevance, judged = expected["relevance"], truth.judgments if truth is not None else 0
    if not relevance or relevance.startswith(("n ", "chunk_id is the question")):
        return
    of_texts = _TEXTS.search(relevance) or relevance in expected["contexts"]
    if not judged and not evidence:
        yield "missing", "relevance"
    elif not judged and not of_texts:
        yield "missing", "judgments: evidence was read"
    if truth is None or not judged:
        return
    counted, note = Counter(int(grade) for grade in truth.grades), expected.get("note") or ""
    for judgments, relevant, among in _JUDGMENTS.findall(note):
        if judged != int(judgments or among):
            yield "wrong", f"{judged} judgments, not {judgments or among}"
        if relevant and sum(count for grade, count in counted.items() if grade > 0) != int(relevant):
            yield "wrong", f"not {relevant} relevant documents"
    grades = {int(grade): int(count) for grade, count in _OF_A_GRADE.findall(note)}
    if grades and grades != counted:
        yield "wrong", f"grades {dict(sorted(counted.items()))}, not {grades}"


def outcome(expected: Mapping[str, str], path: Path) -> tuple[str, str]:
    """(outcome, why) of a file."""
    plain = read(path)
    may_refuse = expected["role"] == "summary" or "rightly" in expected["today"]
    if plain.is_refused and may_refuse and not plain.mappings:
        return "refused rightly", ""
    differences = [] if plain.is_refused else list(faults(expected, plain))
    if not plain.is_refused and not differences:
        return "as is", ""
    if any(kind == "wrong" for kind, _ in differences):
        return "wrong", "; ".join(words for _, words in differences)
    reasons, is_wrong = [words for _, words in differences], False
    for mapping in plain.mappings:
        accepted = read(path, mapping)
        refused = [("wrong", "the proposal is refused")] if accepted.is_refused else []
        differences = refused or list(faults(expected, accepted))
        if not differences:  # whoever is asked chooses the right one
            return "proposal", "of several" if len(plain.mappings) > 1 else ""
        if not is_wrong:
            reasons = [words for _, words in differences]
        is_wrong = is_wrong or any(kind == "wrong" for kind, _ in differences)
    if is_wrong:
        return "wrong", f"proposal: {'; '.join(reasons)}"
    return "refused" if plain.is_refused and not plain.mappings else "incomplete", "; ".join(reasons)


def main() -> None:
    """Print the table."""
    data = os.environ.get("RAGDASH_TEST_DATA", "")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(data) / "s11_wild"
    table = Path(sys.argv[2]) if len(sys.argv) > 2 else folder / "expected.csv"
    with table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    counts: Counter[str] = Counter()
    for row in rows:
        result, why = outcome(row, folder / row["file"])
        counts[result] += 1
        print(f"{result:16} {row['file']:45} {why}")
    right = sum(counts[name] for name in OUTCOMES[:3])
    print(f"\n{right} of {len(rows)} right: {', '.join(f'{counts[name]} {name}' for name in OUTCOMES)}")


if __name__ == "__main__":
    main()
