"""The detected format of a file: its name, its role and its columns."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class DetectedFormat:
    """What a file seems to be.

    format: trec-run, trec-qrels, jsonl, json-array, json-object, json-results (a list of objects inside of one),
    json-dict, json-dataset (of LlamaIndex), json-squad, json-spans (of tracing tools), json-columns, csv, tsv, xlsx,
    parquet, zip, beir or unknown;
    role: run, truth, both (a run and the truth in the same rows), corpus (documents with their texts) or unknown;
    reason: why, in words; compression: gzip, bzip2, zstd or None; columns: the columns or fields that were seen; guess:
    {our field: the column taken for it}.
    """

    format: str
    role: str
    reason: str
    compression: str | None = None
    columns: tuple[str, ...] = ()
    guess: dict[str, str] = field(default_factory=dict)
