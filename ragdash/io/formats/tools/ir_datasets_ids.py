"""Ground truth by the id of a data set of the package ir_datasets: `irds:beir/scifact/test`."""

from __future__ import annotations

from importlib import import_module

import pyarrow as pa

from ragdash.core.errors import InputError, Problem
from ragdash.core.records import Truth

PREFIX = "irds:"


def is_dataset_id(source: object) -> bool:
    """Whether a source names a data set.

    Examples
    --------
    >>> is_dataset_id("irds:beir/scifact/test"), is_dataset_id("qrels.txt")
    (True, False)
    """
    return isinstance(source, str) and source.startswith(PREFIX)


def read_dataset(source: str) -> Truth:
    """The judgments of a data set with its questions. ir_datasets downloads what it does not have yet.

    Raises
    ------
    InputError
        ir_datasets is not installed, does not know the id, or has no judgments for it.
    """
    name = source.removeprefix(PREFIX)
    try:
        package = import_module("ir_datasets")
    except ImportError:
        raise InputError([Problem("package-not-installed", {"package": "ir_datasets"}, source)]) from None
    try:
        dataset = package.load(name)
    except KeyError:
        raise InputError([Problem("irds/unknown", {"name": name}, source)]) from None
    if not dataset.has_qrels():
        raise InputError([Problem("irds/no-judgments", {"name": name}, source)])
    judged = [(row.query_id, row.doc_id, int(row.relevance)) for row in dataset.qrels_iter()]
    if not judged:
        raise InputError([Problem("irds/no-judgments", {"name": name}, source)])
    queries, docs, grades = (list(column) for column in zip(*judged, strict=True))
    details = None
    if dataset.has_queries():
        known = set(queries)
        texts = {row.query_id: row.default_text() for row in dataset.queries_iter() if row.query_id in known}
        details = pa.table({"query_id": pa.array(list(texts), pa.string()),
                            "query": pa.array(list(texts.values()), pa.string())})
    return Truth.build(name, queries, docs, grades, details=details)
