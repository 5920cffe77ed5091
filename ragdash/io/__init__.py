"""Reading runs and truths from files, and writing them. The format is found by content (docs/formats.md)."""

from __future__ import annotations

import os

from ragdash.io import jsondict, native, table, trec
from ragdash.io.roles import run_as_truth, truth_as_run
from ragdash.io.sniff import Sniffed, sniff, sniff_source
from ragdash.io.source import Source
from ragdash.io.write import write_jsonl, write_qrels, write_trec_run
from ragdash.records import Run, Truth

__all__ = ["Sniffed", "read_run", "read_runs", "read_truth", "sniff", "write_jsonl", "write_qrels", "write_trec_run"]

Readable = str | os.PathLike | tuple[str, bytes]  # a path, or the name and the content of an uploaded file

_RUNS = {"trec-run": trec.read_runs, "jsonl": native.read_runs, "json-array": native.read_runs,
         "json-object": native.read_single_runs, "json-dict": jsondict.read_runs, "csv": table.read_runs,
         "tsv": table.read_runs}
_TRUTHS = {"trec-qrels": trec.read_truth, "trec-run": trec.read_truth, "jsonl": native.read_truth,
           "json-array": native.read_truth, "json-object": native.read_single_truth, "json-dict": jsondict.read_truth,
           "csv": table.read_truth, "tsv": table.read_truth}


def read_runs(source: Readable, *, name: str | None = None, encoding: str = "utf-8") -> list[Run]:
    """The runs of a file, one for each configuration in it, in file order.

    name: instead of the configuration's or the file's. Raises InputError with every problem found; what is only worth
    knowing is in each run's `problems`.
    """
    opened = Source(source, encoding)
    sniffed = sniff_source(opened)
    if sniffed.format == "trec-qrels":
        truth_as_run(opened, sniffed.reason, "TREC qrels")
    return _reader(_RUNS, sniffed, opened)(opened, name)


def read_run(source: Readable, *, name: str | None = None, encoding: str = "utf-8") -> Run:
    """The run of a file that holds one configuration; InputError where it holds several."""
    runs = read_runs(source, name=name, encoding=encoding)
    if len(runs) > 1:
        Source(source, encoding).fail(
            "several-configurations", f"{len(runs)} configurations: {', '.join(run.name for run in runs)}",
            "one configuration", "Read them all with read_runs, or write each to a file of its own.")
    return runs[0]


def read_truth(source: Readable, *, encoding: str = "utf-8") -> Truth:
    """What a file says to be right: judgements, reference answers, evidence, attributes of queries."""
    opened = Source(source, encoding)
    sniffed = sniff_source(opened)
    if sniffed.format == "trec-run" and sniffed.role == "run":
        run_as_truth(opened, sniffed.reason, "a TREC run")
    return _reader(_TRUTHS, sniffed, opened)(opened)


def _reader(readers: dict, sniffed: Sniffed, source: Source):
    if sniffed.format not in readers:
        first = next((line for line in source.head.split(b"\n") if line.strip()), b"")
        source.fail("unknown-format", f"{first[:80].decode(errors='replace')!r}: {sniffed.reason}",
                    "a TREC file, JSONL, JSON, or CSV/TSV with a header line",
                    "See docs/formats.md for the formats that are read, each with an example.", line=1)
    return readers[sniffed.format]
