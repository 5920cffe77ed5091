"""Read and write runs and ground truth. The format is detected from the content (docs/reference/formats.md)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.io import archives_and_folders
from ragdash.io.column_mapping import RUN_FIELDS, TRUTH_FIELDS, check_mapping
from ragdash.io.detect import detect_source
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats import FORMATS, corpus, jsonl
from ragdash.io.formats.registry import Format
from ragdash.io.formats.tools import ir_datasets_ids
from ragdash.io.json import late_fields
from ragdash.io.proposals import entry as proposals
from ragdash.io.recorded import folder as recorded
from ragdash.io.source.source import Source
from ragdash.io.tables.mapping_hints import fail_if_questions_missing, fail_if_unknown_table
from ragdash.io.write.serializers import write_jsonl, write_qrels, write_trec_run
from ragdash.io.write.write import write_run, write_truth
from ragdash.io.wrong_role import fail_truth_as_run

MOST_CHECKED_BYTES = 1 << 20  # of a file that is read to know whether its fields are filled
__all__ = ["FORMATS", "DetectedFormat", "detect", "read_corpus", "read_run", "read_runs", "read_truth", "write_jsonl",
           "write_qrels", "write_run", "write_trec_run", "write_truth"]

Readable = str | os.PathLike | tuple[str, bytes]  # a path, or the name and the content of an uploaded file


@checked
def read_runs(source: Readable, *, name: str | None = None, encoding: str = "utf-8",
              mapping: Mapping[str, str] | None = None) -> list[Run]:
    """Read the runs of a file, one for each configuration in it, in file order.

    Parameters
    ----------
    source
        A path, also of the folder of a recorded run, or (name, content) of an upload.
    name
        The name of the run, instead of the configuration's or the file's.
    encoding
        The encoding of a text file.
    mapping
        {our field: their column} for columns that are not recognized.

    Returns
    -------
    list of Run
        Warnings are in each run's `problems`.

    Raises
    ------
    InputError
        With all problems of the file.

    Examples
    --------
    >>> content = b"query,doc_id,score,config\\nWho?,d7,0.8,dense\\nWho?,d2,3,sparse"
    >>> [run.name for run in read_runs(("runs.csv", content))]
    ['dense', 'sparse']
    """
    if _is_folder(source) and recorded.is_recorded_folder(Path(source)):
        return [recorded.read_folder(Path(source), _results, name)]
    return _runs(Source(source, encoding, mapping), name)


def _runs(source: Source, name: str | None, packed: bool = False) -> list[Run]:
    if proposals.is_reading(source.mapping):
        return proposals.read_runs(source, name)
    with proposals.offered(source):
        return _runs_in_known_format(source, name, packed)


def _runs_in_known_format(source: Source, name: str | None, packed: bool) -> list[Run]:
    detected = detect_source(source)
    if detected.format == "zip":
        _refuse_nested(source, packed)
        if recorded.is_recorded(files := archives_and_folders.files_in_archive(source)):
            return [recorded.read_archive(files, _results, name)]
        return archives_and_folders.read_runs(source, name, lambda file, name: _runs(file, name, packed=True))
    if detected.role == "corpus":
        corpus.fail_corpus_alone(source)
    check_mapping(source, detected, RUN_FIELDS)
    fail_if_questions_missing(source, detected)
    proposals.fail_if_misread(source, detected, as_run=True)
    runs = _known_format(detected, source).read_runs(source, name)
    if detected.role in ("both", "truth") and not any(map(_returns_something, runs)):
        fail_truth_as_run(source, "its fields for answers and documents are empty")
    if detected.role == "run" and _is_template(source, detected, runs):
        source.fail("no-rows/returned")
    runs = proposals.with_more(source, detected, runs)
    return [replace(run, problems=(*run.problems, *_source_problems(source))) for run in runs]


def _returns_something(run: Run) -> bool:
    """False for a run without a document, an answer, a text, a time or a score, such as a set of questions."""
    if len(run.docs) or run.file_scores is not None or run.details is None:
        return True
    names = {"answer", "contexts", "latency_ms", "prompt_tokens", "cost_usd"}.intersection(run.details.column_names)
    return not names or any(value not in (None, "", []) for name in names for value in run.details[name].to_pylist())


def _is_template(source: Source, detected: DetectedFormat, runs: list[Run]) -> bool:
    """True for questions whose field of documents is null everywhere: a form, not a run that returned nothing."""
    field = detected.guess.get("retrieved", "")
    is_filled = any(len(run.docs) or run.file_scores is not None for run in runs)
    if is_filled or {"answer", "contexts"} & detected.guess.keys():
        return False
    return bool(field) and re.search(rb'"%s"\s*:\s*null' % re.escape(field.encode()), source.head) is not None


def _results(source: Source, name: str | None) -> list[Run]:
    """The run of the results that a recording wrote."""
    return jsonl.read_runs(source, name)


@checked
def read_run(source: Readable, *, name: str | None = None, encoding: str = "utf-8",
             mapping: Mapping[str, str] | None = None) -> Run:
    """Read the run of a file with one configuration; InputError for several.

    Parameters
    ----------
    source, name, encoding, mapping
        As in `read_runs`.

    Returns
    -------
    Run
        The rankings, with the notes of the reader in `problems`.

    Examples
    --------
    >>> run = read_run(("dense.trec", b"q1 Q0 d7 1 12.5 tag\\nq1 Q0 d2 2 11.25 tag"))
    >>> run.name, len(run), run.docs.to_pylist()
    ('dense', 1, ['d7', 'd2'])
    """
    runs = read_runs(source, name=name, encoding=encoding, mapping=mapping)
    if len(runs) > 1:
        Source(source, encoding).fail("several-configurations/read-one", {"count": len(runs),
                                      "names": [run.name for run in runs]})
    return runs[0]


@checked
def read_truth(source: Readable, *, encoding: str = "utf-8", mapping: Mapping[str, str] | None = None) -> Truth:
    """Read ground truth: judgments, reference answers, evidence, attributes of queries.

    Parameters
    ----------
    source
        A path (also of a BEIR folder), (name, content) of an upload, or the id of a data set of the package
        ir_datasets, such as "irds:beir/scifact/test".
    encoding
        The encoding of a text file.
    mapping
        {our field: their column} for columns that are not recognized.

    Returns
    -------
    Truth
        With the notes of the reader in `problems`.

    Raises
    ------
    InputError
        With all problems of the file.

    Examples
    --------
    >>> truth = read_truth(("qrels", b"q1 0 d7 1\\nq1 0 d2 0"))
    >>> truth.docs.to_pylist(), truth.grades.tolist()
    (['d7', 'd2'], [1, 0])
    """
    if ir_datasets_ids.is_dataset_id(source):
        return ir_datasets_ids.read_dataset(str(source))
    if _is_folder(source):
        files = archives_and_folders.files_in_folder(Path(source), encoding, dict(mapping or {}))
        if archives_and_folders.is_beir(files):
            return archives_and_folders.read_beir(Path(source).name, str(source), files)
    return _truth(Source(source, encoding, mapping))


def _truth(source: Source, packed: bool = False) -> Truth:
    if proposals.is_reading(source.mapping):
        return proposals.read_truth(source)
    with proposals.offered(source):
        return _truth_in_known_format(source, packed)


def _truth_in_known_format(source: Source, packed: bool) -> Truth:
    detected = detect_source(source)
    if detected.format == "zip":
        _refuse_nested(source, packed)
        return archives_and_folders.read_truth(source, lambda file: _truth(file, packed=True))
    if detected.role == "corpus":
        corpus.fail_corpus_alone(source)
    check_mapping(source, detected, TRUTH_FIELDS)
    fail_if_questions_missing(source, detected)
    proposals.fail_if_misread(source, detected)
    truth = proposals.ask_about_runs(source, detected, _known_format(detected, source).read_truth(source))
    truth = proposals.with_more(source, detected, [truth])[0]
    return replace(truth, problems=(*truth.problems, *_source_problems(source)))


def _source_problems(source: Source) -> tuple[Problem, ...]:
    """What was changed in the bytes of a file before they were read."""
    return (Problem("zero-bytes", {}, source.file, severity="warning"),) if source.removes_zero_bytes else ()


@checked
def read_corpus(source: Readable, *, encoding: str = "utf-8", mapping: Mapping[str, str] | None = None) -> Corpus:
    """The documents of a file with their titles and texts, as BEIR's corpus.jsonl; `truth.with_corpus` takes them.

    mapping: {doc_id, text or title: their column}.
    """
    file = Source(source, encoding, mapping)
    if detect_source(file).format == "zip":
        file.fail("nested-archive/documents")
    return corpus.read_corpus(file)


def detect(source: Readable, *, encoding: str = "utf-8", mapping: Mapping[str, str] | None = None) -> DetectedFormat:
    """Detect what a file is; raises InputError for an empty, binary or unreadable file.

    Examples
    --------
    >>> detected = detect(("x", b"q1 Q0 d7 1 12.5 tag"))
    >>> detected.format, detected.role
    ('trec-run', 'run')
    """
    if _is_folder(source) and archives_and_folders.is_beir(
        archives_and_folders.files_in_folder(Path(source), encoding, {})
    ):
        return DetectedFormat("beir", "truth", "a folder with BEIR's qrels")
    if _is_folder(source) and recorded.is_recorded_folder(Path(source)):
        return DetectedFormat("recorded-run", "run", "the folder of a recorded run")
    file = Source(source, encoding, mapping)
    if proposals.is_reading(file.mapping):
        return proposals.describe(file)
    detected = detect_source(file)
    if detected.format == "zip":
        return archives_and_folders.detect(file)
    if detected.format == "tool-log" and detected.role == "both" and not _has_truth(file):
        return replace(detected, role="run")
    if detected.role == "both" and file.stored_size < MOST_CHECKED_BYTES and not _has_run(file):
        return replace(detected, role="truth")
    if late_fields.may_hold_truth(file, detected) and _gives_truth(file):
        return replace(detected, role="both")
    return detected


def _has_run(source: Source) -> bool:
    """False for a file with fields for what a system returned and nothing in them."""
    try:
        _runs_in_known_format(source, None, packed=False)
    except InputError as error:
        return all(problem.kind != "truth-as-run" for problem in error.problems)
    return True


def _has_truth(source: Source) -> bool:
    """False for a log of a tool that could hold references and has none."""
    try:
        _truth_in_known_format(source, packed=False)
    except InputError as error:
        return all(problem.kind not in ("run-as-truth", "no-rows") for problem in error.problems)
    return True


def _gives_truth(source: Source) -> bool:
    """Whether the truth in the file of a run can be read and is not empty."""
    try:
        truth = _truth_in_known_format(source, packed=False)
    except InputError:
        return False
    names = {"answers", "evidence"}.intersection(truth.details.column_names if truth.details is not None else ())
    return truth.judgments > 0 or any(value for name in names for value in truth.details[name].to_pylist())


def _is_folder(source: Readable) -> TypeGuard[str | os.PathLike]:
    if not isinstance(source, str | os.PathLike) or "\0" in str(source) or not os.fspath(source):
        return False
    try:
        return Path(source).is_dir()
    except OSError:  # such as a name that is too long; opening it says so
        return False


def _refuse_nested(source: Source, packed: bool) -> None:
    if packed:
        source.fail("nested-archive")


def _known_format(detected: DetectedFormat, source: Source) -> Format:
    """The registered format; raises InputError for an unknown one."""
    known_format = FORMATS.get(detected.format)
    if known_format is None:
        first = next((line for line in source.head.split(b"\n") if line.strip()), b"")
        fail_if_unknown_table(source)
        source.fail("unknown-format", {"start": first[:80].decode(errors='replace'), "reason": detected.reason}, line=1)
    return known_format
