"""What `ragdash.io` calls: read a file as an accepted reading says, and offer readings where a known format fails.

Most files need neither: what reads and offers is imported where it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.core.text.metric_names import may_be_metric
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.proposals.choices.open_answers import answers_note
from ragdash.io.proposals.choices.weak_names import (
    few_documents,
    lists_below_texts,
    numbers_below_names,
    phrases_as_documents,
)
from ragdash.io.proposals.guards import MOST_BYTES, misread, more_content, with_what_is_read
from ragdash.io.proposals.reading import OTHER_NAMES, RECORDS, ROLE, ROLES, is_reading
from ragdash.io.proposals.shapes.binary_scores import binary_scores, graded_scores
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run

if TYPE_CHECKING:
    from ragdash.io.proposals.content.file_content import FileContent
    from ragdash.io.proposals.records import RecordList

__all__ = ["ask_about_runs", "describe", "fail_if_misread", "is_reading", "offered", "read_runs", "read_truth",
           "with_more"]
FORMAT = "proposed"
OF_RUN = "unread-field/of-run"
_Record = TypeVar("_Record", Run, Truth)


@contextmanager
def offered(source: Source) -> Iterator[None]:
    """Add the readings that would work to an InputError."""
    try:
        yield
    except InputError as error:
        from ragdash.io.proposals.offer import with_proposals

        raise with_proposals(source, error) from None


def fail_if_misread(source: Source, detected: DetectedFormat, as_run: bool = False) -> None:
    """Raise InputError with the right reading for a file that its known format would misread.

    as_run: scores of 0 and 1 alone, which may be judgments, scores next to grades, lists of documents below the texts
    of queries, and one document for most queries are asked about.
    """
    readings = misread(source, detected) or phrases_as_documents(source, detected) or (
        numbers_below_names(source, detected))
    if as_run and not readings:
        readings = binary_scores(source, detected) or graded_scores(source, detected) or (
            lists_below_texts(source, detected) or few_documents(source, detected))
    if readings:
        from ragdash.io.proposals.offer import cut_off_lists, proposal_problem

        raise InputError([proposal_problem(source, readings), *cut_off_lists(source, readings[0])])


def with_more(source: Source, detected: DetectedFormat, records: list[_Record]) -> list[_Record]:
    """The records of a known format; where it leaves out what matters, with a warning that offers to read it."""
    readings = more_content(source, detected, records[0].problems) if records else []
    problems = []
    if readings:
        from ragdash.io.proposals.offer import proposal_problem

        problems.append(proposal_problem(source, readings, "warning"))
    known = {problem.message for problem in records[0].problems} if records else set()
    problems += [problem for problem in source.text_problems if problem.message not in known]
    if records and isinstance(records[0], Run):
        problems += answers_note(source, detected)
    for problem in problems:
        records = list(map(partial(_with_problem, problem), records))
    return records


def ask_about_runs(source: Source, detected: DetectedFormat, truth: Truth) -> Truth:
    """The truth; InputError with the reading as a run where a file of a truth alone holds what a system gave or took.

    What the reader leaves out since the file is read as a run too is no problem.
    """
    noted = [problem for problem in truth.problems if problem.message == OF_RUN]
    later = {name for problem in truth.problems if problem.kind == "unknown-columns"
             for name in cast(list[str], problem.facts["columns"]) if may_be_metric(name)} - {*detected.columns}
    if detected.role != "truth":
        return replace(truth, problems=tuple(problem for problem in truth.problems if problem not in noted))
    if source.mapping or not (noted or later) or source.stored_size > MOST_BYTES:
        return truth
    from ragdash.io.proposals.offer import proposal_problem
    from ragdash.io.proposals.propose import propose

    if readings := [with_what_is_read(detected, reading) for reading in propose(source)
                    if reading.role in ("run", "both")]:
        raise InputError([proposal_problem(source, readings)])
    return truth


def _with_problem(problem: Problem, record: _Record) -> _Record:
    return replace(record, problems=(*record.problems, problem))


def mapping_of(source: Source) -> dict[str, str]:
    """The mapping of a source under our names, with its role."""
    mapping = {OTHER_NAMES.get(name, name): path for name, path in source.mapping.items()}
    role = mapping.setdefault(ROLE, "both")
    if role not in ROLES:
        source.fail("unknown-role", {"role": role, "roles": list(ROLES)})
    return mapping


def describe(source: Source) -> DetectedFormat:
    """The format of a file that is read as a reading says."""
    mapping = mapping_of(source)
    role = "truth" if mapping[ROLE] == "questions" else mapping[ROLE]
    fields = {name: path for name, path in mapping.items() if name not in (ROLE, RECORDS)}
    return DetectedFormat(FORMAT, role, "the reading that was accepted", tuple(fields.values()), fields,
                          source.compression.name if source.compression else None)


def _read_content(source: Source) -> FileContent:
    """The content of a file under its mapping with a role; InputError where a path is not in the file."""
    from ragdash.io.proposals.build import build_content
    from ragdash.io.proposals.records import read_record_lists

    mapping, lists = mapping_of(source), read_record_lists(source)
    path = mapping.get(RECORDS, "")
    records = _of_mapping([item for item in lists if item.path == path], mapping)
    if records is None and RECORDS not in mapping and lists:
        records = lists[0]
    if records is None:
        source.fail("unknown-records", {"path": path, "paths": [item.path or "the whole file" for item in lists[:8]]})
    return build_content(source, records, mapping)


def _of_mapping(lists: list[RecordList], mapping: Mapping[str, str]) -> RecordList | None:
    """Of several lists of records in one place, the first that has the fields of the mapping."""
    first = [re.split(r"\.|\[\]", path)[0] for name, spec in mapping.items() if name not in (ROLE, RECORDS)
             for path in spec.split("+") if "{" not in path]
    fits = (item for item in lists if {str(name) for row in item.rows[:50] for name in row}.issuperset(first))
    return next(fits, lists[0] if lists else None)


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The runs of a file under the source's mapping."""
    content = _read_content(source)
    if not content.runs:
        fail_truth_as_run(source, f"its role is {source.mapping.get(ROLE)}")
    if name is None:
        return content.runs
    return [run.renamed(name if len(content.runs) == 1 else f"{name}/{run.name}") for run in content.runs]


def read_truth(source: Source) -> Truth:
    """The truth of a file under the source's mapping."""
    content = _read_content(source)
    if content.truth is None:
        fail_run_as_truth(source, f"its role is {source.mapping.get(ROLE)}")
    return content.truth
