"""Write a run or a truth in any format that registers a writer."""

from __future__ import annotations

import os
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import path_of
from ragdash.core.records import Run, Truth
from ragdash.core.records.arguments import checked
from ragdash.io.formats import FORMATS
from ragdash.io.formats.registry import Writer

WRITTEN_FORMATS = tuple(FORMATS.writers)
PathLike = str | os.PathLike


@checked
def write_run(run: Run, path: PathLike, format: str | None = None) -> tuple[Problem, ...]:
    """Write a run to a file.

    Parameters
    ----------
    format
        trec, jsonl, csv or parquet; without it, the format of the path's ending.

    Returns
    -------
    tuple of Problem
        Warnings about content that the format cannot hold.

    Raises
    ------
    InputError
        The format cannot hold the ranking itself, or there is no such format.
    OSError
        The file cannot be written.
    """
    return _writer(path, format, holds_runs=True).write_run(run, path)


@checked
def write_truth(truth: Truth, path: PathLike, format: str | None = None) -> tuple[Problem, ...]:
    """Write a truth to a file, or to a folder of BEIR.

    Parameters
    ----------
    format
        trec, jsonl, csv, parquet or beir (a folder); without it, the format of the path's ending.

    Returns
    -------
    tuple of Problem
        Warnings about content that the format cannot hold.

    Raises
    ------
    InputError
        The format cannot hold the ids, there is no such format, or the folder of BEIR holds something.
    OSError
        The file cannot be written.
    """
    return _writer(path, format).write_truth(truth, path)


def _writer(path: PathLike, format: str | None, *, holds_runs: bool = False) -> Writer:
    """The format given, else the one of the path's ending; a path without one is a BEIR folder, which holds no runs."""
    ending = Path(path_of(path).name.lower().removesuffix(".gz")).suffix
    writers = {name: writer for name, writer in FORMATS.writers.items()
               if format or not (holds_runs and "" in writer.endings)}
    name = format or next((writer.name for writer in writers.values() if ending in writer.endings), "")
    if name not in writers:
        raise InputError([Problem("unknown-format/write", {"name": format or Path(path).name,
                                                           "formats": list(writers)}, str(path))])
    return writers[name]
