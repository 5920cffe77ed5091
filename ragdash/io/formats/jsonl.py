"""Files of objects: native JSONL, and JSON arrays of the same objects; for runs and for the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ragdash.core.errors import Collector
from ragdash.core.records import Run, Truth
from ragdash.io.assemble.assemble_runs import build_runs
from ragdash.io.assemble.run_builder import RunReader
from ragdash.io.assemble.truth_builder import TruthReader
from ragdash.io.json.exact_parser import (
    ExactReader,
    InputEntry,
    NeedsExact,
    StrictCollector,
    parse_fast,
    parse_lines_fast,
)
from ragdash.io.json.head import find_wrapped_list, keys_by_path
from ragdash.io.source.source import Source
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run


def read_runs(source: Source, name: str | None, entries: Callable | None = None) -> list[Run]:
    """The runs of a file of objects, one a configuration."""
    def read(problems: Collector, found: Iterable[InputEntry]) -> list[Run]:
        reader = RunReader(problems, source.mapping)
        for entry in found:
            reader.add(entry)
        if reader.is_truth and not reader.is_run:
            fail_truth_as_run(
                source, "its objects have relevant documents, references or evidence and nothing retrieved"
            )
        return build_runs(reader.finish(), source, name, problems)

    return read_fast_or_exact(source, read, entries or read_objects)


def read_truth(source: Source, entries: Callable | None = None) -> Truth:
    """The truth in a file of objects."""
    def read(problems: Collector, found: Iterable[InputEntry]) -> Truth:
        reader = TruthReader(problems, source.mapping)
        for entry in found:
            reader.add(entry)
        if reader.looks_like_run:
            fail_run_as_truth(source, "it holds retrieved documents or scores and no grades")
        return reader.finish(source)

    return read_fast_or_exact(source, read, entries or read_objects)


def read_fast_or_exact(source: Source, read: Callable, entries: Callable):
    """Read the quick way; where that meets anything odd, once more the exact way, which notes problems with lines."""
    try:
        return read(StrictCollector(source.file), entries(source, None))
    except NeedsExact:
        problems = source.collector()
        return read(problems, entries(source, ExactReader(source, problems)))


def read_objects(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    """The objects of a JSONL file, of a JSON array, or a single one."""
    start = source.head.lstrip()
    if start.startswith(b"["):
        return exact.elements() if exact else (InputEntry(0, value) for value in parse_fast(source.data))
    return exact.lines() if exact else parse_lines_fast(source)


def read_single_object(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    """The one object of a file, written over several lines."""
    return exact.single_value() if exact else iter([InputEntry(0, parse_fast(source.data))])


def read_wrapped_objects(source: Source, exact: ExactReader | None) -> Iterator[InputEntry]:
    """The list of objects inside of one object, as tools write them."""
    path = find_wrapped_list(keys_by_path(source.head.decode(errors="replace"))) or ("results",)
    if exact:
        return exact.list_elements(path)
    value = parse_fast(source.data)
    for key in path:
        if type(value) is not dict or key not in value or len(value) > 1:
            raise NeedsExact
        value = value[key]
    if type(value) is not list:
        raise NeedsExact
    return (InputEntry(0, part) for part in value)


def read_wrapped_runs(source: Source, name: str | None) -> list[Run]:
    """The runs in a list of objects inside of one object."""
    return read_runs(source, name, read_wrapped_objects)


def read_wrapped_truth(source: Source) -> Truth:
    """The truth in a list of objects inside of one object."""
    return read_truth(source, read_wrapped_objects)


def read_single_runs(source: Source, name: str | None) -> list[Run]:
    """The run in a file that is one object."""
    return read_runs(source, name, read_single_object)


def read_single_truth(source: Source) -> Truth:
    """The truth in a file that is one object."""
    return read_truth(source, read_single_object)
