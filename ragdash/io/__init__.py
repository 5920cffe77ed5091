"""Reading runs and truths from files, and writing them. The format is found by content (docs/reference/formats.md)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ragdash.core.corpus import Corpus
from ragdash.core.records import Run, Truth
from ragdash.io import archives_and_folders
from ragdash.io.column_mapping import RUN_FIELDS, TRUTH_FIELDS, check_mapping
from ragdash.io.detect import detect_source
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats import (
    corpus,
    csv_tsv,
    excel_parquet,
    json_columns,
    json_dict,
    jsonl,
    llamaindex,
    squad,
    traces,
    trec,
)
from ragdash.io.source.source import Source
from ragdash.io.tables.mapping_hints import fail_if_questions_missing, fail_if_unknown_table
from ragdash.io.write.serializers import write_jsonl, write_qrels, write_trec_run
from ragdash.io.write.write import write_run, write_truth
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run

__all__ = ["DetectedFormat", "detect", "read_corpus", "read_run", "read_runs", "read_truth", "write_jsonl",
           "write_qrels", "write_run", "write_trec_run", "write_truth"]

Readable = str | os.PathLike | tuple[str, bytes]  # a path, or the name and the content of an uploaded file

_RUNS = {"trec-run": trec.read_runs, "jsonl": jsonl.read_runs, "json-array": jsonl.read_runs,
         "json-object": jsonl.read_single_runs, "json-results": jsonl.read_wrapped_runs,
         "json-dict": json_dict.read_runs, "json-dataset": llamaindex.read_runs, "json-squad": squad.read_runs,
         "json-spans": traces.read_runs,
         "json-columns": json_columns.read_runs, "csv": csv_tsv.read_runs,
         "tsv": csv_tsv.read_runs, "xlsx": excel_parquet.read_runs, "parquet": excel_parquet.read_runs}
_TRUTHS = {
    "trec-qrels": trec.read_truth,
    "trec-run": trec.read_truth,
    "jsonl": jsonl.read_truth,
    "json-array": jsonl.read_truth,
    "json-object": jsonl.read_single_truth,
    "json-results": jsonl.read_wrapped_truth,
    "json-dict": json_dict.read_truth,
    "json-dataset": llamaindex.read_truth,
    "json-squad": squad.read_truth,
    "json-spans": traces.read_truth,
    "json-columns": json_columns.read_truth,
    "csv": csv_tsv.read_truth,
    "tsv": csv_tsv.read_truth,
    "xlsx": excel_parquet.read_truth,
    "parquet": excel_parquet.read_truth,
}


def read_runs(source: Readable, *, name: str | None = None, encoding: str = "utf-8",
              mapping: Mapping[str, str] | None = None) -> list[Run]:
    """The runs of a file, one for each configuration in it, in file order.

    name: instead of the configuration's or the file's. mapping: {our field: their column}, where columns or fields
    are not recognised. Raises InputError with every problem found; what is only worth knowing is in each run's
    `problems`.
    """
    return _runs(Source(source, encoding, mapping), name)


def _runs(opened: Source, name: str | None, packed: bool = False) -> list[Run]:
    sniffed = detect_source(opened)
    if sniffed.format == "zip":
        _refuse_nested(opened, packed)
        return archives_and_folders.read_runs(opened, name, lambda file, name: _runs(file, name, packed=True))
    if sniffed.role == "corpus":
        corpus.fail_corpus_alone(opened)
    check_mapping(opened, sniffed, RUN_FIELDS)
    fail_if_questions_missing(opened, sniffed)
    if sniffed.format == "trec-qrels":
        fail_truth_as_run(opened, sniffed.reason, "TREC qrels")
    return _reader(_RUNS, sniffed, opened)(opened, name)


def read_run(source: Readable, *, name: str | None = None, encoding: str = "utf-8",
             mapping: Mapping[str, str] | None = None) -> Run:
    """The run of a file that holds one configuration; InputError where it holds several."""
    runs = read_runs(source, name=name, encoding=encoding, mapping=mapping)
    if len(runs) > 1:
        Source(source, encoding).fail("several-configurations/read-one", {"count": len(runs),
                                      "names": [run.name for run in runs]})
    return runs[0]


def read_truth(source: Readable, *, encoding: str = "utf-8", mapping: Mapping[str, str] | None = None) -> Truth:
    """What a file says to be right: judgements, reference answers, evidence, attributes of queries.

    mapping: {our field: their column}, where columns or fields are not recognised.
    """
    if _is_folder(source):
        files = archives_and_folders.files_in_folder(Path(source), encoding, dict(mapping or {}))
        if archives_and_folders.is_beir(files):
            return archives_and_folders.read_beir(Path(source).name, str(source), files)
    return _truth(Source(source, encoding, mapping))


def _truth(opened: Source, packed: bool = False) -> Truth:
    sniffed = detect_source(opened)
    if sniffed.format == "zip":
        _refuse_nested(opened, packed)
        return archives_and_folders.read_truth(opened, lambda file: _truth(file, packed=True))
    if sniffed.role == "corpus":
        corpus.fail_corpus_alone(opened)
    check_mapping(opened, sniffed, TRUTH_FIELDS)
    fail_if_questions_missing(opened, sniffed)
    if sniffed.format == "trec-run" and sniffed.role == "run":
        fail_run_as_truth(opened, sniffed.reason, "a TREC run")
    return _reader(_TRUTHS, sniffed, opened)(opened)


def read_corpus(source: Readable, *, encoding: str = "utf-8", mapping: Mapping[str, str] | None = None) -> Corpus:
    """The documents of a file with their titles and texts, as BEIR's corpus.jsonl; `truth.with_corpus` takes them.

    mapping: {doc_id, text or title: their column}.
    """
    opened = Source(source, encoding, mapping)
    if detect_source(opened).format == "zip":
        opened.fail("nested-archive/documents")
    return corpus.read_corpus(opened)


def detect(source: Readable, *, encoding: str = "utf-8", mapping: Mapping[str, str] | None = None) -> DetectedFormat:
    """What a file seems to be; raises InputError where it is empty, binary, or cannot be opened."""
    if _is_folder(source) and archives_and_folders.is_beir(
        archives_and_folders.files_in_folder(Path(source), encoding, {})
    ):
        return DetectedFormat("beir", "truth", "a folder with BEIR's qrels")
    opened = Source(source, encoding, mapping)
    sniffed = detect_source(opened)
    return archives_and_folders.detect(opened) if sniffed.format == "zip" else sniffed


def _is_folder(source: Readable) -> bool:
    return not isinstance(source, tuple) and "\0" not in str(source) and Path(source).is_dir()


def _refuse_nested(source: Source, packed: bool) -> None:
    if packed:
        source.fail("nested-archive")


def _reader(readers: dict, sniffed: DetectedFormat, source: Source):
    if sniffed.format not in readers:
        first = next((line for line in source.head.split(b"\n") if line.strip()), b"")
        fail_if_unknown_table(source)
        source.fail("unknown-format", {"start": first[:80].decode(errors='replace'), "reason": sniffed.reason}, line=1)
    return readers[sniffed.format]
