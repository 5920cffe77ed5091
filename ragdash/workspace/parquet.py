"""A run or a truth as Parquet tables and back, without a loss: digest, ties, texts, details, settings, problems.

"rows" has a row for each returned document (judgement) in file order, "queries" one for each query, "corpus" one for
each document of a truth's corpus. Letters: N rows of a run, R judgements, Q queries, D documents of a corpus.
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
from ragdash.core.rank_order import pair_hashes, query_starts
from ragdash.core.records import Run, Truth

FORMAT = 1
KEY = b"ragdash"  # of the metadata of each table
Tables = dict[str, pa.Table]


def pack(thing: Run | Truth) -> Tables:
    """{name of a file: its table}. Raises InputError for settings that are no JSON."""
    return _pack_run(thing) if isinstance(thing, Run) else _pack_truth(thing)


def unpack(tables: Tables, name: str | None = None) -> Run | Truth:
    """What `pack` was given, under another name where one is given.

    Raises KeyError, ValueError or pa.ArrowException for tables that are not of `pack`.
    """
    about = about_of(tables["queries"].schema)
    if about["format"] != FORMAT:
        raise ValueError(f"format {about['format']} instead of {FORMAT}")
    about["name"] = about["name"] if name is None else name
    return (_unpack_run if about["kind"] == "run" else _unpack_truth)(tables, about)


def about_of(schema: pa.Schema) -> dict:
    """What the metadata of a table says of the whole: format, kind, name, digest, settings, problems."""
    return json.loads(schema.metadata[KEY])


def facts(thing: Run | Truth) -> dict:
    """What a list of runs and truths tells of one without reading it."""
    parts = [name for name in ("scores", "texts", "sources", "corpus") if getattr(thing, name, None) is not None]
    parts += thing.details.column_names if thing.details is not None else []
    own = {"rows": len(thing.docs), "depth": thing.depth} if isinstance(thing, Run) else {"judgements": len(thing.docs)}
    return {"queries": len(thing), **own, "parts": parts}


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
    about = {"ranked_by": run.ranked_by, "settings": _plain(run.settings, run.name),
             "rows_digest": [str(int(lane)) for lane in run.rows_digest]}
    return {"rows": _told(pa.table(columns), run, about), "queries": _told(_queries(run), run, about)}


def _pack_truth(truth: Truth) -> Tables:
    columns = {"query": truth.queries.astype(np.int32), "doc_id": truth.docs, "grade": truth.grades}
    corpus = truth.corpus
    about = {"corpus": corpus and {"name": corpus.name, "problems": [asdict(one) for one in corpus.problems]}}
    tables = {"rows": _told(pa.table(columns), truth, about), "queries": _told(_queries(truth), truth, about)}
    if corpus is not None:
        own = {"doc_id": corpus.doc_ids, "text": corpus.texts, "title": corpus.titles}
        tables["corpus"] = pa.table({name: column for name, column in own.items() if column is not None})
    return tables


def _unpack_run(tables: Tables, about: dict) -> Run:
    rows, (names, details) = tables["rows"], _names(tables["queries"], about)
    codes = rows["query"].to_numpy()
    order = None
    if "position" in rows.column_names:
        order = np.empty(len(codes), np.int64)
        order[rows["position"].to_numpy()] = np.arange(len(codes))
    at = slice(None) if order is None else order
    docs = rows["doc_id"]
    pairs = pair_hashes(hash_text(text_column(names), seed=1), codes, docs)[at]
    scores = rows["score"].to_numpy()[at] if "score" in rows.column_names else None
    repeated = np.zeros(0, np.int64)
    if "repeated" in rows.column_names:
        repeated = np.flatnonzero(rows["repeated"].to_numpy()[at])
    arrays = {"starts": query_starts(codes, len(names)), "order": order, "pairs": pairs, "scores": scores,
              "repeated": repeated, "rows_digest": np.array([int(lane) for lane in about["rows_digest"]], np.uint64)}
    texts, sources = (rows[name] if name in rows.column_names else None for name in ("text", "source"))
    return Run(about["name"], names, docs=docs, texts=texts, sources=sources, details=details,
               ranked_by=about["ranked_by"], settings=about["settings"], problems=_problems(about), **_locked(arrays))


def _unpack_truth(tables: Tables, about: dict) -> Truth:
    rows, (names, details) = tables["rows"], _names(tables["queries"], about)
    arrays = {"queries": rows["query"].to_numpy().astype(np.int64), "grades": rows["grade"].to_numpy()}
    return Truth(about["name"], names, docs=_one(rows["doc_id"]), details=details, problems=_problems(about),
                 corpus=_corpus(tables, about["corpus"]), **_locked(arrays))


def _corpus(tables: Tables, about: Mapping | None) -> Corpus | None:
    if about is None:
        return None
    table = tables["corpus"]
    texts, titles = (table[name] if name in table.column_names else None for name in ("text", "title"))
    return Corpus(about["name"], table["doc_id"], texts, titles, _problems(about))


def _in_file_order(values: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    """Values (N,) in ranking order as they stand in the rows."""
    if order is None:
        return values
    out = np.empty_like(values)
    out[order] = values
    return out


def _queries(thing: Run | Truth) -> pa.Table:
    columns = thing.details.columns if thing.details is not None else []
    names = thing.details.column_names if thing.details is not None else []
    return pa.Table.from_arrays([pa.chunked_array([thing.query_ids]), *columns], ["query_id", *names])


def _told(table: pa.Table, thing: Run | Truth, more: Mapping) -> pa.Table:
    about = {"format": FORMAT, "kind": "run" if isinstance(thing, Run) else "truth", "name": thing.name,
             "digest": thing.digest, "details": thing.details is not None, "facts": facts(thing),
             "problems": [problem.as_dict() for problem in thing.problems], **more}
    return table.replace_schema_metadata({KEY: json.dumps(about).encode()})


def _plain(settings: Mapping, name: str) -> dict:
    """Settings as they come back from JSON; InputError where they would not be the same."""
    try:
        back = json.loads(json.dumps(dict(settings)))
        if back == settings or repr(back) == repr(dict(settings)):  # NaN is not itself
            return back
        reason = "they change when they are written as JSON"
    except (TypeError, ValueError) as error:
        reason = str(error)
    raise InputError([Problem("unwritable-settings", {"run": name, "reason": reason}, field="settings")])


def _names(queries: pa.Table, about: Mapping) -> tuple[pa.StringArray, pa.Table | None]:
    details = queries.remove_column(0).replace_schema_metadata(None).combine_chunks() if about["details"] else None
    return _one(queries["query_id"]), details


def _one(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    found = column.combine_chunks()
    return found if isinstance(found, pa.Array) else pa.concat_arrays(found.chunks)


def _problems(about: Mapping) -> tuple[Problem, ...]:
    return tuple(map(Problem.of_dict, about["problems"]))


def _locked(arrays: Mapping[str, np.ndarray | None]) -> dict[str, np.ndarray | None]:
    """The arrays, which nobody may write from now on."""
    for array in arrays.values():
        if array is not None:
            array.setflags(write=False)
    return dict(arrays)
