"""Write a run or a truth in each format, and return warnings about content that the format cannot hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import numpy as np
import orjson
import pyarrow as pa

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import whole_file, whole_folder
from ragdash.core.records import Run, Truth
from ragdash.core.text.csv_lines import csv_text
from ragdash.io.field_names import MISSING_TEXTS
from ragdash.io.write import serializers

PathLike = str | os.PathLike
Warnings = tuple[Problem, ...]


def write_trec_run(run: Run, path: PathLike) -> Warnings:
    """Write a TREC run."""
    warnings = _lost_by_trec(run, path)
    serializers.write_trec_run(run, path)
    return warnings


def write_trec_qrels(truth: Truth, path: PathLike) -> Warnings:
    """Write judgments as TREC qrels."""
    serializers.write_qrels(truth, path)
    names = tuple(truth.details.column_names) if truth.details is not None else ()
    names = tuple(name for name in names if name != "subtopics")  # the second column
    return (*_lost_by_qrels(truth, path, names), *_lost_corpus(truth, path))


def write_jsonl_run(run: Run, path: PathLike) -> Warnings:
    """Write a run as native JSONL."""
    serializers.write_jsonl(run, path)
    return _repeat_warnings(run, path)


def write_jsonl_truth(truth: Truth, path: PathLike) -> Warnings:
    """Write a truth as native JSONL."""
    serializers.write_jsonl(truth, path)
    return _lost_corpus(truth, path)


def write_csv_run(run: Run, path: PathLike) -> Warnings:
    """Write a run as CSV, a row for each query."""
    return (*_repeat_warnings(run, path), *_write_csv(list(serializers.run_objects(run)), path))


def write_csv_truth(truth: Truth, path: PathLike) -> Warnings:
    """Write a truth as CSV, a row for each query."""
    return (*_write_csv(list(serializers.truth_objects(truth)), path), *_lost_corpus(truth, path))


def write_parquet_run(run: Run, path: PathLike) -> Warnings:
    """Write a run as Parquet, a row for each query."""
    _write_parquet(list(serializers.run_objects(run)), path)
    return _repeat_warnings(run, path)


def write_parquet_truth(truth: Truth, path: PathLike) -> Warnings:
    """Write a truth as Parquet, a row for each query."""
    _write_parquet(list(serializers.truth_objects(truth)), path)
    return _lost_corpus(truth, path)


def write_beir_run(run: Run, path: PathLike) -> NoReturn:
    """Raise: BEIR's files hold judgments, not runs."""
    raise InputError([Problem("unwritable-format", {}, str(path))])


def _lost_corpus(truth: Truth, path: PathLike) -> Warnings:
    return () if truth.corpus is None else (_lost(path, "corpus", {"documents": len(truth.corpus)}),)


def _lost(path: PathLike, content: str, facts: Mapping | None = None) -> Problem:
    return Problem(f"lost-content/{content}", facts or {}, str(path), severity="warning")


def _lost_by_trec(run: Run, path: PathLike) -> Warnings:
    """What a TREC run cannot hold."""
    missing = list(run.details.column_names) if run.details is not None else []
    missing += [name for name, column in (("text", run.texts), ("source", run.sources)) if column is not None]
    missing += ["settings"] * bool(run.settings) + ["metrics"] * (run.file_scores is not None)
    warnings = [_lost(path, "run-fields", {"fields": missing})] if missing else []
    empty = int((run.lengths == 0).sum())
    if empty:
        warnings.append(_lost(path, "empty-queries", {"queries": empty}))
    if run.ranked_by != "score":
        warnings.append(_lost(path, "order"))
    return (*warnings, *_repeat_warnings(run, path))


def _repeat_warnings(run: Run, path: PathLike) -> Warnings:
    return (_lost(path, "duplicates", {"documents": run.duplicates}),) if run.duplicates else ()


def _lost_by_qrels(truth: Truth, path: PathLike, names: tuple[str, ...]) -> Warnings:
    """What qrels cannot hold."""
    warnings = [_lost(path, "truth-fields", {"fields": list(names)})] if names else []
    bare = len(truth) - len(np.unique(truth.queries))
    if bare:
        warnings.append(_lost(path, "unjudged-queries", {"queries": bare}))
    return tuple(warnings)


def write_beir_truth(truth: Truth, path: PathLike) -> Warnings:
    """Write qrels/test.tsv and queries.jsonl; references, evidence and attributes are metadata of the questions.

    The corpus, where there is one, is corpus.jsonl. The folder is new or empty: files of other judgments next to
    these would be read as part of them.
    """
    _check_ids([*truth.query_ids.to_pylist(), *truth.docs.to_pylist()], path)
    try:
        with whole_folder(path) as folder:
            _write_beir_files(truth, folder)
    except FileExistsError:
        raise InputError([Problem("unwritable-folder", {}, str(path))]) from None
    return _lost_by_qrels(truth, path, ())


def _write_beir_files(truth: Truth, folder: Path) -> None:
    (folder / "qrels").mkdir()
    objects = list(serializers.truth_objects(truth))
    rows = [(fields["query_id"], doc, grade) for fields in objects for doc, grade in fields["relevant"].items()]
    serializers.write_bytes(folder / "qrels" / "test.tsv",
                            csv_text([("query-id", "corpus-id", "score"), *rows], separator="\t").encode())
    native_fields = ("query_id", "query", "relevant")
    questions = [{"_id": fields["query_id"], **({"text": fields["query"]} if "query" in fields else {}),
                  "metadata": {name: value for name, value in fields.items() if name not in native_fields}}
                 for fields in objects if fields["relevant"]]
    serializers.write_bytes(folder / "queries.jsonl", b"".join(orjson.dumps(fields) + b"\n" for fields in questions))
    if truth.corpus is not None:
        with whole_file(folder / "corpus.jsonl") as target, open(target, "wb") as file:
            file.writelines(serializers.corpus_lines(truth.corpus))


def _write_parquet(objects: list[dict], path: PathLike) -> None:
    """A row for each object; lists and objects as JSON text or lists of text."""
    from pyarrow import parquet  # slow to import, and few files want it

    columns = {name: _parquet_column([fields.get(name) for fields in objects]) for name in _field_names(objects)}
    with whole_file(path) as file:
        parquet.write_table(pa.table(columns), str(file))


def _field_names(objects: list[dict]) -> list[str]:
    return list(dict.fromkeys(name for fields in objects for name in fields))


def _write_csv(objects: list[dict], path: PathLike) -> Warnings:
    """A row for each object; lists and objects as JSON. Texts lose null characters: with them it is no text file."""
    names = _field_names(objects)
    _check_ids([fields["query_id"] for fields in objects], path)
    rows = ([_csv_cell(fields.get(name)) for name in names] for fields in objects)
    serializers.write_bytes(path, csv_text([names, *rows]).encode())
    texts = [name for name in ("query", "answer") if any(fields.get(name) in MISSING_TEXTS for fields in objects)]
    nulls = [name for name in names if any("\0" in text for fields in objects if isinstance(
        text := fields.get(name), str))]
    return (*(_lost(path, "empty-text", {"name": name}) for name in texts),
            *(_lost(path, "null-character", {"name": name}) for name in nulls))


def _check_ids(ids: list[str], path: PathLike) -> None:
    """Raise for ids that do not survive writing and reading a table."""
    wrong = next((text for text in ids if text.strip(" \t") != text or "\r" in text or "\0" in text), None)
    if wrong is not None:
        raise InputError([Problem("unwritable-id/white-space", {"id": wrong}, str(path))])


def _csv_cell(value) -> str:
    if value is None:
        return ""
    return value.replace("\0", "") if isinstance(value, str) else orjson.dumps(value).decode()


def _parquet_column(values: list) -> pa.Array:
    """Texts, numbers and lists of texts as they are; anything else as JSON."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {list} and all(type(item) is str for value in values if value for item in value):
        return pa.array(values, pa.list_(pa.string()))
    if kinds <= {str} or kinds == {int} or kinds == {float}:
        return pa.array(values)
    return pa.array([None if value is None else orjson.dumps(value).decode() for value in values], pa.string())
