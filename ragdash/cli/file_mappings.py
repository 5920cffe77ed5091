"""Mappings of columns on the command line: for all files, or for one of them, `--map FILE:field=column`."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePath
from typing import cast

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import split_name
from ragdash.io.field_names import FIELDS
from ragdash.io.proposals.reading import ONLY_HERE, OTHER_NAMES, RECORDS, ROLE, mapping_texts

MAPPED = (*FIELDS, *OTHER_NAMES, *ONLY_HERE)  # what a column can be given to
_FILE_OPTIONS = ("files", "runs", "truth", "file", "corpus", "old", "new", "round_trip")
_OFFERED = "proposed-reading"
_PARTS = re.compile(rf",(?=[^,=]+=|(?:{'|'.join(map(re.escape, FIELDS))})(?:,|$))")


def mapping_of(options: argparse.Namespace, file: str | None = None) -> dict[str, str]:
    """{our field: their column} for a file: what is said for this one, else what is said for all files.

    Raises InputError for a text that is no mapping, and for a file that the command does not have.
    """
    every, single = _split_by_file(options)
    if file in single:
        return _parse(single[file])
    reading = {name: value for name in (ROLE, RECORDS) if (value := getattr(options, name, None))}
    return {**reading, **_parse(every)}


def mapping_for_file(options: argparse.Namespace, file: str) -> dict[str, str]:
    """{our field: their column} of what is said for one file alone, such as a corpus."""
    return _parse(_split_by_file(options)[1].get(file, []))


def for_several_files(problems: Iterable[Problem], options: argparse.Namespace) -> list[Problem]:
    """The problems; where a command has several files, a proposed reading is written for its own file."""
    files = {split_name(text)[1]: text for text in _files(options)}
    return [_for_one_file(problem) if len(files) > 1 and problem.kind == _OFFERED else problem for problem in problems]


def _for_one_file(problem: Problem) -> Problem:
    mappings = cast(Sequence[Mapping[str, str]], problem.facts["mappings"])
    texts = [_options_of_file(problem.file or "", mapping) for mapping in mappings]
    others = " or: ".join(texts[1:])
    return replace(problem, facts={**problem.facts, "options": texts[0], "others": others})


def _options_of_file(file: str, mapping: Mapping[str, str]) -> str:
    """`--map FILE:query_id,role=run,query=q`; a path with a comma has a --map of its own."""
    return " ".join(f"--map {shlex.quote(f'{file}:{text}')}" for text in mapping_texts(mapping))


def _split_by_file(options: argparse.Namespace) -> tuple[list[str], dict[str, list[str]]]:
    """(texts for all files, {file: texts for it alone}) of the values of --map."""
    return _split(tuple(options.map), tuple(_files(options))) if options.map else ([], {})


@lru_cache(maxsize=1)  # asked for each file of a command
def _split(texts: Sequence[str], files: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    every: list[str] = []
    single: dict[str, list[str]] = {}
    names = {name: file for file in files for name in _names(file)}
    for text in texts:
        name = max((name for name in names if text.startswith(f"{name}:")), key=len, default=None)
        if name is not None:
            single.setdefault(names[name], []).append(text[len(name) + 1:])
            continue
        before, colon, after = text.partition(":")
        if colon and "=" not in before and re.split("[=,]", after)[0].strip() in MAPPED and (
                text.rpartition("=")[2].strip() not in MAPPED):
            raise InputError([Problem("bad-mapping/file", {"name": before, "files": sorted(set(names.values()))},
                                      field="--map")])
        every.append(text)
    return every, single


def _files(options: argparse.Namespace) -> Iterator[str]:
    """The files of a command, as its arguments have them."""
    for name in _FILE_OPTIONS:
        value = getattr(options, name, None)
        yield from (item for item in (value if isinstance(value, (list, tuple)) else [value])
                    if isinstance(item, str) and item)


def _names(file: str) -> Iterator[str]:
    """What a file may be called in --map: its argument, its path, the name of its run, its name without folders."""
    run, path = split_name(file)
    yield from (name for name in (PurePath(path).name, run, path, file) if name)


def _parse(texts: Iterable[str]) -> dict[str, str]:
    """{our field: their column} of texts such as "query=question,retrieved=url", or with their column first.

    Names of our fields alone, wherever they are, are columns of that name: "query_id,query=question". Behind the column
    of another field no space is in front of them: "answers=right, query" is one column.
    """
    mapping: dict[str, str] = {}
    parts = [part for text in texts for part in _PARTS.split(text)]
    for pair in [pair for part in parts for pair in _own_columns(part)]:
        field, equals, column = (word.strip() for word in pair.partition("="))
        if field not in MAPPED and column in MAPPED:
            field, column = column, field
        if not (equals and field and column) or field in mapping:
            repeated = field if field in mapping else ""
            raise InputError([Problem("bad-mapping", {"twice": repeated, "text": pair}, field="--map")])
        mapping[field] = column
    return mapping


def _own_columns(text: str) -> list[str]:
    """The parts of "query_id,query" as query_id=query_id and query=query; any other text as it is."""
    names = [name.strip() for name in text.split(",")]
    return [f"{name}={name}" for name in names] if "=" not in text and all(name in FIELDS for name in names) else [text]
