"""Write runs and truths so that reading them gives the same content."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.arrow_columns import take
from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import whole_file
from ragdash.core.records import Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.io.source.source import MAGIC_BYTES


def write_trec_run(run: Run, path: str | os.PathLike, tag: str | None = None) -> None:
    """Write a TREC run, gzipped where the name ends in .gz; blanks separate, or tabs where an id holds a blank.

    TREC runs are read by score: a run that is not ranked by its scores is written with falling whole ones.
    """
    sep = _separator(path, run.query_ids, take(run.docs, np.arange(len(run.docs))))
    tag = "_".join((tag or run.name).split()) or "run"

    def lines() -> Iterator[str]:
        for query_id, documents in rankings(run):
            count = len(documents["doc_id"])
            scores = documents["score"] if run.ranked_by == "score" else range(count, 0, -1)
            for rank, (doc, score) in enumerate(zip(documents["doc_id"], scores, strict=True), 1):
                yield sep.join((query_id, "Q0", doc, str(rank), repr(score), tag)) + "\n"

    write_bytes(path, _encoded(lines(), sep, path))


def write_qrels(truth: Truth, path: str | os.PathLike) -> None:
    """Write the judgments as TREC qrels, gzipped if the name ends in .gz."""
    write_bytes(path, qrels(truth, path))


def qrels(truth: Truth, path: str | os.PathLike = "qrels") -> bytes:
    """The judgments as TREC qrels. Raises InputError, with this path, for ids that TREC files cannot hold."""
    sep = _separator(path, truth.query_ids, truth.docs)
    queries = truth.query_ids.take(pa.array(truth.queries)).to_pylist()
    rows = zip(queries, truth.docs.to_pylist(), truth.grades.tolist(), strict=True)
    subtopics = {query: cell for query, cell in _subtopics(truth) if cell}
    lines = [f"{query}{sep}0{sep}{doc}{sep}{grade}\n" for query, doc, grade in rows if query not in subtopics]
    lines += [f"{query}{sep}{row['subtopic']}{sep}{row['doc_id']}{sep}{row['grade']}\n"
              for query, cell in subtopics.items() for row in cell]
    return _encoded(lines, sep, path)


def _subtopics(truth: Truth) -> Iterable[tuple[str, list[dict] | None]]:
    """(query, its judgments of subtopics) of diversity qrels."""
    if truth.details is None or "subtopics" not in truth.details.column_names:
        return ()
    return zip(truth.query_ids.to_pylist(), truth.details["subtopics"].to_pylist(), strict=True)


def write_jsonl(record: Run | Truth, path: str | os.PathLike) -> None:
    """Write native JSONL, one query per line, with all data of the run or the truth."""
    write_bytes(path, jsonl(record))


def jsonl(record: Run | Truth) -> bytes:
    """Native JSONL, one query per line, with all data of the run or the truth."""
    objects = run_objects(record) if isinstance(record, Run) else truth_objects(record)
    return b"".join(orjson.dumps(fields) + b"\n" for fields in objects)


def rankings(run: Run) -> Iterator[tuple[str, dict[str, list]]]:
    """(query id, {"doc_id", "score", "text", "source": [...]}) in ranking order, each document once.

    Columns that the run lacks are absent. Equal scores are ordered by document id, descending.
    """
    for q, query_id in enumerate(run.query_ids.to_pylist()):
        positions = np.setdiff1d(np.arange(run.starts[q], run.starts[q + 1]), run.repeated)
        rows = run.rows(positions)
        columns = {"doc_id": take(run.docs, rows)}
        if run.scores is not None:
            columns["score"] = pa.array(run.scores[positions])
        columns |= {name: take(column, rows) for name, column in (("text", run.texts), ("source", run.sources))
                    if column is not None}
        documents = pa.table(columns)
        if run.ranked_by == "score":
            documents = documents.sort_by([("score", "descending"), ("doc_id", "descending")])
        yield query_id, documents.to_pydict()


@checked
def run_objects(run: Run) -> Iterator[dict]:
    """Each query as a native object."""
    details = _native_details(run.details, len(run))
    metrics = run.file_scores.by_query() if run.file_scores is not None else {}
    for (query_id, documents), query_details in zip(rankings(run), details, strict=True):
        if documents.keys() == {"doc_id"}:
            retrieved = documents["doc_id"]
        else:
            retrieved = [{name: value for name, value in zip(documents, values, strict=True) if value is not None}
                         for values in zip(*documents.values(), strict=True)]
        settings = {"settings": dict(run.settings)} if run.settings else {}
        scores = {"metrics": metrics[query_id]} if query_id in metrics else {}
        yield {"query_id": query_id, "retrieved": retrieved, **query_details, **scores, **settings}


def truth_objects(truth: Truth) -> Iterator[dict]:
    """Each query as a native object."""
    details = _native_details(truth.details, len(truth))
    bounds = np.searchsorted(truth.queries, np.arange(len(truth) + 1))
    docs = truth.docs.to_pylist()
    for q, (query_id, query_details) in enumerate(zip(truth.query_ids.to_pylist(), details, strict=True)):
        judged = slice(bounds[q], bounds[q + 1])
        yield {"query_id": query_id, "relevant": dict(zip(docs[judged], truth.grades[judged].tolist(), strict=True)),
               **query_details}


def corpus_lines(corpus: Corpus) -> Iterator[bytes]:
    """Each document as a line of BEIR's corpus.jsonl, without missing fields."""
    columns = [("_id", corpus.doc_ids), ("title", corpus.titles), ("text", corpus.texts)]
    table = pa.table({name: column for name, column in columns if column is not None})
    for batch in table.to_batches(4096):
        for row in batch.to_pylist():
            yield orjson.dumps({name: value for name, value in row.items() if value is not None}) + b"\n"


def _native_details(details: pa.Table | None, count: int) -> Iterable[dict]:
    """The details of each query as fields of a native object, without those that are absent."""
    if details is None:
        return ({} for _ in range(count))
    return (_native_fields(row) for row in details.to_pylist())


def _native_fields(row: dict) -> dict:
    fields = {name: value for name, value in row.items() if value is not None}
    if "attributes" in fields:
        fields["attributes"] = orjson.loads(fields["attributes"])
    if "latency_ms" in fields:
        given = fields["latency_ms"]  # of each stage, or one number for all
        stages = {stage: ms for stage, ms in given.items() if ms is not None} if isinstance(given, dict) else {
            "total": given}
        fields["latency_ms"] = stages["total"] if stages.keys() == {"total"} else stages
    if "evidence" in fields:
        fields["evidence"] = [span if isinstance(span, str) or span["source"] is not None else span["text"]
                              for span in fields["evidence"]]
    if "chat_history" in fields:
        fields["chat_history"] = [{"role": message["role"], "content": message["text"]}
                                  for message in fields["chat_history"]]
    usage = {name: fields.pop(name) for name in ("prompt_tokens", "completion_tokens") if name in fields}
    return {**fields, "usage": usage} if usage else fields


def _separator(path: str | os.PathLike, *ids: pa.Array) -> str:
    """A blank, or a tab if an id contains a blank; InputError for ids that TREC files cannot hold."""
    def hold(pattern: str) -> list[str]:
        return [text for column in ids for text in pc.unique(column.filter(pc.match_substring_regex(column, pattern)))
                .to_pylist()]

    impossible = hold(r"[\t\r\n\x00]|^[ #\x{feff}]| $|^$")
    if impossible:
        raise InputError([Problem("unwritable-id", {"id": impossible[0]}, str(path))])
    return "\t" if hold(" ") else " "


def _encoded(lines: Iterable[str], separator: str, path: str | os.PathLike) -> bytes:
    """The lines of a TREC file; InputError where its first id would make readers take it for another kind of file."""
    from ragdash.io.formats.file_start import is_json_start  # formats import the writers

    content = "".join(lines).encode()
    if content.startswith(MAGIC_BYTES) or is_json_start(content):
        first = content.partition(separator.encode())[0].decode()
        raise InputError([Problem("unwritable-id/first", {"id": first}, str(path))])
    return content


def write_bytes(path: str | os.PathLike, content: bytes) -> None:
    """Write a file whole or not at all, gzipped if its name ends in .gz."""
    with whole_file(path) as file:
        file.write_bytes(gzip.compress(content, mtime=0) if str(path).endswith(".gz") else content)
