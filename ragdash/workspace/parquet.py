"""A run or a truth as Parquet tables and back, without a loss: digest, ties, texts, details, settings, problems.

"rows" has a row for each returned document (judgment) in file order, "queries" one for each query, "corpus" one for
each document of a truth's corpus. Letters: N rows of a run, R judgments, Q queries, D documents of a corpus.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import hash_text, text_column
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.file_scores import FileScores
from ragdash.core.ranking.rank_order import pair_hashes, query_starts
from ragdash.core.records import Repetition, Run, RunHeader, Truth

FORMAT = 1
KEY = b"ragdash"  # of the metadata of each table
COLUMNS: Mapping[tuple[str, str], frozenset[str]] = {  # of the tables whose columns are ours, by kind and table
    ("run", "rows"): frozenset(("query", "position", "doc_id", "score", "text", "source", "repeated")),
    ("run", "file_scores"): frozenset(("query", "run", "metric", "value", "label")),
    ("truth", "rows"): frozenset(("query", "doc_id", "grade")),
    ("truth", "corpus"): frozenset(("doc_id", "text", "title"))}
Tables = dict[str, pa.Table]


def pack(record: Run | Truth) -> Tables:
    """{name of a file: its table}. Raises InputError for settings that are no JSON."""
    return _pack_run(record) if isinstance(record, Run) else _pack_truth(record)


def unpack(tables: Tables, name: str | None = None) -> Run | Truth:
    """What `pack` was given, under another name where one is given.

    Raises KeyError, ValueError or pa.ArrowException for tables that are not of `pack`.
    """
    metadata = about_of(tables["queries"].schema)
    if metadata["format"] != FORMAT:
        raise ValueError(f"format {metadata['format']} instead of {FORMAT}")
    for table, content in tables.items():
        known = COLUMNS.get((metadata["kind"], table))
        if known is not None and (odd := set(content.column_names) - known):
            raise ValueError(f"a column {min(odd)!r} in {table}")  # a name with a flipped bit is another column
    if metadata.get("ranked_by") == "score" and "score" not in tables["rows"].column_names:
        raise ValueError("no scores in rows, which rank it")
    metadata["name"] = metadata["name"] if name is None else name
    return (_unpack_run if metadata["kind"] == "run" else _unpack_truth)(tables, metadata)


def about_of(schema: pa.Schema) -> dict:
    """What the metadata of a table says of the whole: format, kind, name, digest, settings, problems."""
    return json.loads(schema.metadata[KEY])


def facts(record: Run | Truth) -> dict:
    """What a list of runs and truths shows of one without reading it."""
    columns = [name for name in ("scores", "texts", "sources", "corpus") if getattr(record, name, None) is not None]
    columns += record.details.column_names if record.details is not None else []
    details = (
        {"rows": len(record.docs), "depth": record.depth}
        if isinstance(record, Run)
        else {"judgements": len(record.docs)}
    )
    return {"queries": len(record), **details, "parts": columns}


def _pack_run(run: Run) -> Tables:
    codes = np.repeat(np.arange(len(run), dtype=np.int32), np.diff(run.starts))
    columns = {"query": _in_file_order(codes, run.order)}
    if run.order is not None:
        columns["position"] = _in_file_order(np.arange(len(codes)), run.order)
    columns["doc_id"] = run.docs
    if run.scores is not None:
        columns["score"] = _in_file_order(run.scores, run.order)
    columns |= {name: column for name, column in (("text", run.texts), ("source", run.sources)) if column is not None}
    if len(run.repeated):
        repeated = np.zeros(len(codes), bool)
        repeated[run.rows(run.repeated)] = True
        columns["repeated"] = repeated
    metadata = {"ranked_by": run.ranked_by, "settings": _plain(run.settings, run.name),
             "header": run.header and run.header.to_json().decode(),
             **({"repetition": list(run.repetition)} if run.repetition else {})}
    tables = {
        "rows": _with_metadata(pa.table(columns), run, metadata),
        "queries": _with_metadata(_queries(run), run, metadata),
    }
    scores = run.file_scores
    if scores is not None:
        tables["file_scores"] = pa.table({"query": scores.queries, "run": scores.runs, "metric": scores.metrics,
                                          "value": scores.values, "label": scores.labels})
    return tables


def _pack_truth(truth: Truth) -> Tables:
    columns = {"query": truth.queries.astype(np.int32), "doc_id": truth.docs, "grade": truth.grades}
    corpus = truth.corpus
    metadata = {
        "corpus": corpus and {"name": corpus.name, "problems": [asdict(problem) for problem in corpus.problems]}
    }
    tables = {
        "rows": _with_metadata(pa.table(columns), truth, metadata),
        "queries": _with_metadata(_queries(truth), truth, metadata),
    }
    if corpus is not None:
        corpus_columns = {"doc_id": corpus.doc_ids, "text": corpus.texts, "title": corpus.titles}
        tables["corpus"] = pa.table({name: column for name, column in corpus_columns.items() if column is not None})
    return tables


def _unpack_run(tables: Tables, metadata: dict) -> Run:
    rows, (names, details) = tables["rows"], _names(tables["queries"], metadata)
    codes = rows["query"].to_numpy()
    order = None
    if "position" in rows.column_names:
        order = np.empty(len(codes), np.int64)
        order[rows["position"].to_numpy()] = np.arange(len(codes))
    in_order = slice(None) if order is None else order
    docs = rows["doc_id"]
    pairs = pair_hashes(hash_text(text_column(names), seed=1), codes, docs)[in_order]
    scores = rows["score"].to_numpy()[in_order] if "score" in rows.column_names else None
    repeated = np.zeros(0, np.int64)
    if "repeated" in rows.column_names:
        repeated = np.flatnonzero(rows["repeated"].to_numpy()[in_order])
    arrays = {"starts": query_starts(codes, len(names)), "order": order, "pairs": pairs, "scores": scores,
              "repeated": repeated}
    texts, sources = (rows[name] if name in rows.column_names else None for name in ("text", "source"))
    return Run(
        metadata["name"],
        names,
        docs=docs,
        texts=texts,
        sources=sources,
        details=details,
        ranked_by=metadata["ranked_by"],
        settings=metadata["settings"],
        problems=_problems(metadata),
        file_scores=_file_scores(tables),
        header=RunHeader.from_json(metadata["header"].encode()) if metadata.get("header") else None,
        repetition=Repetition(*metadata["repetition"]) if "repetition" in metadata else None,
        **_locked(arrays),
    )


def _file_scores(tables: Tables) -> FileScores | None:
    if "file_scores" not in tables:
        return None
    table = tables["file_scores"]
    texts = (_one(table[name]) for name in ("query", "run", "metric"))
    return FileScores(*texts, *_locked({"values": table["value"].to_numpy()}).values(), _one(table["label"]))


def _unpack_truth(tables: Tables, metadata: dict) -> Truth:
    rows, (names, details) = tables["rows"], _names(tables["queries"], metadata)
    arrays = {"queries": rows["query"].to_numpy().astype(np.int64), "grades": rows["grade"].to_numpy()}
    return Truth(metadata["name"], names, docs=_one(rows["doc_id"]), details=details, problems=_problems(metadata),
                 corpus=_corpus(tables, metadata["corpus"]), **_locked(arrays))


def _corpus(tables: Tables, metadata: Mapping | None) -> Corpus | None:
    if metadata is None:
        return None
    table = tables["corpus"]
    texts, titles = (table[name] if name in table.column_names else None for name in ("text", "title"))
    return Corpus(metadata["name"], table["doc_id"], texts, titles, _problems(metadata))


def _in_file_order(values: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    """Values (N,) in ranking order as the rows have them."""
    if order is None:
        return values
    out = np.empty_like(values)
    out[order] = values
    return out


def _queries(record: Run | Truth) -> pa.Table:
    columns = record.details.columns if record.details is not None else []
    names = record.details.column_names if record.details is not None else []
    return pa.Table.from_arrays([pa.chunked_array([record.query_ids]), *columns], ["query_id", *names])


def _with_metadata(table: pa.Table, record: Run | Truth, extra: Mapping) -> pa.Table:
    metadata = {"format": FORMAT, "kind": "run" if isinstance(record, Run) else "truth", "name": record.name,
             "digest": record.digest, "details": record.details is not None, "facts": facts(record),
             "problems": [problem.as_dict() for problem in record.problems], **extra}
    return table.replace_schema_metadata({KEY: json.dumps(metadata).encode()})


def _plain(settings: Mapping, name: str) -> dict:
    """Settings as they come back from JSON; InputError where they would not be the same."""
    try:
        round_trip = json.loads(json.dumps(dict(settings)))
        if round_trip == settings or repr(round_trip) == repr(dict(settings)):  # NaN is not itself
            return round_trip
        reason = "they change when they are written as JSON"
    except (TypeError, ValueError) as error:
        reason = str(error)
    raise InputError([Problem("unwritable-settings", {"run": name, "reason": reason}, field="settings")])


def _names(queries: pa.Table, metadata: Mapping) -> tuple[pa.StringArray, pa.Table | None]:
    details = queries.remove_column(0).replace_schema_metadata(None).combine_chunks() if metadata["details"] else None
    return _one(queries["query_id"]), details


def _one(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    array = column.combine_chunks()
    return array if isinstance(array, pa.Array) else pa.concat_arrays(array.chunks)


def _problems(metadata: Mapping) -> tuple[Problem, ...]:
    return tuple(map(Problem.of_dict, metadata["problems"]))


def _locked(arrays: Mapping[str, np.ndarray | None]) -> dict[str, np.ndarray | None]:
    """The arrays, which nobody may write from now on."""
    for array in arrays.values():
        if array is not None:
            array.setflags(write=False)
    return dict(arrays)
