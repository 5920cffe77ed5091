"""Files of objects: native JSONL, and JSON arrays of the same objects; for runs and for the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ragdash.core.errors import Collector
from ragdash.core.records import Run, Truth
from ragdash.io.assemble.assemble_runs import build_runs
from ragdash.io.assemble.run_builder import RunReader
from ragdash.io.assemble.truth_builder import TruthReader
from ragdash.io.json.exact_parser import Entry, Exact, NeedsExact, Strict, quick, quick_lines
from ragdash.io.json.head import keys_by_path, wrapped_at
from ragdash.io.role_errors import run_as_truth, truth_as_run
from ragdash.io.source.source import Source


def read_runs(source: Source, name: str | None, entries: Callable | None = None) -> list[Run]:
    """The runs of a file of objects, one a configuration."""
    def read(problems: Collector, found: Iterable[Entry]) -> list[Run]:
        reader = RunReader(problems, source.mapping)
        for entry in found:
            reader.add(entry)
        if reader.is_truth and not reader.is_run:
            truth_as_run(source, "its objects have relevant documents, references or evidence and nothing retrieved")
        return build_runs(reader.finish(), source, name, problems)

    return twice(source, read, entries or objects)


def read_truth(source: Source, entries: Callable | None = None) -> Truth:
    """The truth in a file of objects."""
    def read(problems: Collector, found: Iterable[Entry]) -> Truth:
        reader = TruthReader(problems, source.mapping)
        for entry in found:
            reader.add(entry)
        if reader.looks_like_run:
            run_as_truth(source, "it holds retrieved documents or scores and no grades")
        return reader.finish(source)

    return twice(source, read, entries or objects)


def twice(source: Source, read: Callable, entries: Callable):
    """Read the quick way; where that meets anything odd, once more the exact way, which notes problems with lines."""
    try:
        return read(Strict(source.file), entries(source, None))
    except NeedsExact:
        problems = source.collector()
        return read(problems, entries(source, Exact(source, problems)))


def objects(source: Source, exact: Exact | None) -> Iterator[Entry]:
    """The objects of a JSONL file, of a JSON array, or a single one."""
    start = source.head.lstrip()
    if start.startswith(b"["):
        return exact.elements() if exact else (Entry(0, value) for value in quick(source.data))
    return exact.lines() if exact else quick_lines(source)


def single(source: Source, exact: Exact | None) -> Iterator[Entry]:
    """The one object of a file, written over several lines."""
    return exact.whole() if exact else iter([Entry(0, quick(source.data))])


def wrapped(source: Source, exact: Exact | None) -> Iterator[Entry]:
    """The list of objects inside of one object, as tools write them."""
    path = wrapped_at(keys_by_path(source.head.decode(errors="replace"))) or ("results",)
    if exact:
        return exact.inside(path)
    value = quick(source.data)
    for key in path:
        if type(value) is not dict or key not in value or len(value) > 1:
            raise NeedsExact
        value = value[key]
    if type(value) is not list:
        raise NeedsExact
    return (Entry(0, part) for part in value)


def read_wrapped_runs(source: Source, name: str | None) -> list[Run]:
    """The runs in a list of objects inside of one object."""
    return read_runs(source, name, wrapped)


def read_wrapped_truth(source: Source) -> Truth:
    """The truth in a list of objects inside of one object."""
    return read_truth(source, wrapped)


def read_single_runs(source: Source, name: str | None) -> list[Run]:
    """The run in a file that is one object."""
    return read_runs(source, name, single)


def read_single_truth(source: Source) -> Truth:
    """The truth in a file that is one object."""
    return read_truth(source, single)
