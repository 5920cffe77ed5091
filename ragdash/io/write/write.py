"""Write a run or a truth in any format; what a format cannot hold is an error, or a warning that says what is lost."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Run, Truth
from ragdash.io.field_names import MISSING_TEXTS
from ragdash.io.write import serializers

ENDINGS = {".trec": "trec", ".run": "trec", ".txt": "trec", ".qrels": "trec", ".qrel": "trec", ".jsonl": "jsonl",
           ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}
WRITTEN_FORMATS = ("trec", "jsonl", "csv", "parquet", "beir")
PathLike = str | os.PathLike


def write_run(run: Run, path: PathLike, format: str | None = None) -> tuple[Problem, ...]:
    """Write a run in a format (trec, jsonl, csv, parquet), or in the one that the path's ending names.

    Returns warnings of what the format cannot hold; raises InputError where what would be lost is the ranking itself.
    """
    format = _format(path, format)
    if format == "beir":
        raise InputError([Problem("unwritable-format", {}, str(path))])
    if format == "trec":
        lost = _lost_by_trec(run, path)
        serializers.write_trec_run(run, path)
        return lost
    if format == "jsonl":
        serializers.write_jsonl(run, path)
        return _lost_by_objects(run, path)
    return (*_lost_by_objects(run, path), *_write_rows(list(serializers.run_objects(run)), path, format))


def write_truth(truth: Truth, path: PathLike, format: str | None = None) -> tuple[Problem, ...]:
    """Write a truth in a format (trec, jsonl, csv, parquet, beir: a folder), or in the one that the ending names.

    Returns warnings of what the format cannot hold.
    """
    format = _format(path, format)
    if format == "beir":
        return _write_beir(truth, Path(path))
    texts = () if truth.corpus is None else (_lost(path, "corpus", {"documents": len(truth.corpus)}),)
    if format == "trec":
        serializers.write_qrels(truth, path)
        names = tuple(truth.details.column_names) if truth.details is not None else ()
        return (*_lost_by_qrels(truth, path, names), *texts)
    if format == "jsonl":
        serializers.write_jsonl(truth, path)
        return texts
    return (*_write_rows(list(serializers.truth_objects(truth)), path, format), *texts)


def _format(path: PathLike, format: str | None) -> str:
    """The format given, else the one of the path's ending; a path without one is a BEIR folder."""
    name = Path(path).name.lower().removesuffix(".gz")
    found = format or ENDINGS.get(Path(name).suffix) or ("" if Path(name).suffix else "beir")
    if found not in WRITTEN_FORMATS:
        raise InputError(
            [
                Problem(
                    "unknown-format/write",
                    {"name": format or Path(path).name, "formats": list(WRITTEN_FORMATS)},
                    str(path),
                )
            ]
        )
    return found


def _lost(path: PathLike, what: str, facts: Mapping | None = None) -> Problem:
    return Problem(f"lost-content/{what}", facts or {}, str(path), severity="warning")


def _lost_by_trec(run: Run, path: PathLike) -> tuple[Problem, ...]:
    """What a TREC run cannot hold."""
    lost = list(run.details.column_names) if run.details is not None else []
    lost += [name for name, column in (("text", run.texts), ("source", run.sources)) if column is not None]
    lost += ["settings"] * bool(run.settings)
    warnings = [_lost(path, "run-fields", {"fields": lost})] if lost else []
    empty = int((run.lengths == 0).sum())
    if empty:
        warnings.append(_lost(path, "empty-queries", {"queries": empty}))
    if run.ranked_by != "score":
        warnings.append(_lost(path, "order"))
    return (*warnings, *_repeat_warnings(run, path))


def _lost_by_objects(run: Run, path: PathLike) -> tuple[Problem, ...]:
    return tuple(_repeat_warnings(run, path))


def _repeat_warnings(run: Run, path: PathLike) -> Iterator[Problem]:
    if run.duplicates:
        yield _lost(path, "duplicates", {"documents": run.duplicates})


def _lost_by_qrels(truth: Truth, path: PathLike, names: tuple[str, ...]) -> tuple[Problem, ...]:
    """What judgements alone cannot hold."""
    warnings = [_lost(path, "truth-fields", {"fields": list(names)})] if names else []
    bare = len(truth) - len(np.unique(truth.queries))
    if bare:
        warnings.append(_lost(path, "unjudged-queries", {"queries": bare}))
    return tuple(warnings)


def _write_beir(truth: Truth, folder: Path) -> tuple[Problem, ...]:
    """qrels/test.tsv and queries.jsonl; references, evidence and attributes are metadata of the questions.

    The corpus, where there is one, is corpus.jsonl.
    """
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    objects = list(serializers.truth_objects(truth))
    _check_ids([*truth.query_ids.to_pylist(), *truth.docs.to_pylist()], folder)
    out = io.StringIO()
    rows = csv.writer(out, delimiter="\t", lineterminator="\n")
    rows.writerow(("query-id", "corpus-id", "score"))
    rows.writerows((fields["query_id"], doc, grade) for fields in objects for doc, grade in fields["relevant"].items())
    (folder / "qrels" / "test.tsv").write_bytes(out.getvalue().encode())
    own = ("query_id", "query", "relevant")
    questions = [{"_id": fields["query_id"], **({"text": fields["query"]} if "query" in fields else {}),
                  "metadata": {name: value for name, value in fields.items() if name not in own}}
                 for fields in objects if fields["relevant"]]
    (folder / "queries.jsonl").write_bytes(b"".join(orjson.dumps(fields) + b"\n" for fields in questions))
    if truth.corpus is not None:
        with open(folder / "corpus.jsonl", "wb") as file:
            file.writelines(serializers.corpus_lines(truth.corpus))
    return _lost_by_qrels(truth, folder, ())


def _write_rows(objects: list[dict], path: PathLike, format: str) -> tuple[Problem, ...]:
    """A row for each object; lists and objects as JSON in CSV, and as JSON text or lists of text in Parquet."""
    names = list(dict.fromkeys(name for fields in objects for name in fields))
    if format == "parquet":
        from pyarrow import parquet  # slow to import, and few files want it

        columns = {name: _parquet_column([fields.get(name) for fields in objects]) for name in names}
        parquet.write_table(pa.table(columns), str(path))
        return ()
    _check_ids([fields["query_id"] for fields in objects], path)
    out = io.StringIO(newline="")
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(names)
    rows.writerows([_csv_cell(fields.get(name)) for name in names] for fields in objects)
    serializers.write_bytes(path, out.getvalue().encode())
    texts = [name for name in ("query", "answer") if any(fields.get(name) in MISSING_TEXTS for fields in objects)]
    return tuple(_lost(path, "empty-text", {"name": name}) for name in texts)


def _check_ids(ids: list[str], path: PathLike) -> None:
    """Raise for ids that tables do not give back as they are."""
    wrong = next((text for text in ids if text.strip(" \t") != text or "\r" in text or "\0" in text), None)
    if wrong is not None:
        raise InputError([Problem("unwritable-id/white-space", {"id": wrong}, str(path))])


def _csv_cell(value) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _parquet_column(values: list) -> pa.Array:
    """Texts, numbers and lists of texts as they are; anything else as JSON."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {list} and all(type(part) is str for value in values if value for part in value):
        return pa.array(values, pa.list_(pa.string()))
    if kinds <= {str} or kinds == {int} or kinds == {float}:
        return pa.array(values)
    return pa.array([None if value is None else orjson.dumps(value).decode() for value in values], pa.string())
