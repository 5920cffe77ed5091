"""Small files in the shapes that tools and people write: each is read as a careful person reads it.

real_files has the files of tools, the other folders those that people post, all with contents of our own. The
expected.json in each says what each file holds and how it is read: as it is, by the reading that is proposed, or by one
of several that are offered. "tool" names the tool and the call that wrote the file, or the shape that it has.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from file_mutations import mutate
from reading_checks import describe_differences, read_as_is, read_by_proposal

from ragdash.core.errors import InputError
from ragdash.io import detect, read_corpus, read_runs, read_truth
from ragdash.io.proposals.fields import is_missing
from ragdash.io.proposals.propose import propose
from ragdash.io.proposals.reading import reads_column
from ragdash.io.proposals.records import read_record_lists
from ragdash.io.source.source import Source

FOLDERS = [Path(__file__).with_name(name) for name in (
    "real_files", "wild_shapes", "posted_shapes", "unseen_shapes", "collected_shapes")]
EXPECTED = {folder.name: json.loads((folder / "expected.json").read_text(encoding="utf-8")) for folder in FOLDERS}
FILES = [(folder, name) for folder in FOLDERS for name in EXPECTED[folder.name]["files"]]


def files_read(*ways: str) -> list:
    """(folder, name) of the files that are read in one of these ways, with their names as ids."""
    return [pytest.param(folder, name, id=name) for folder, name in FILES
            if EXPECTED[folder.name]["files"][name]["how"] in ways]


def differences(result, folder: Path, name: str) -> list[str]:
    expected = EXPECTED[folder.name]
    return describe_differences(result, expected["files"][name], expected["questions"])


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_file_has_an_expected_reading(folder):
    assert {path.name for path in folder.iterdir()} - {"expected.json"} == set(EXPECTED[folder.name]["files"])


def test_nearly_all_files_are_read_right():
    ways = [EXPECTED[folder.name]["files"][name]["how"] for folder, name in FILES]
    assert ways.count("not yet") == 0
    assert len(ways) >= 200


@pytest.mark.parametrize(("folder", "name"), files_read("as is"))
def test_a_file_is_read_as_it_is(folder, name):
    result = read_as_is(folder / name)
    assert differences(result, folder, name) == []
    assert (result.how == "refused") == ("refused" in EXPECTED[folder.name]["files"][name])
    if result.how != "refused":
        assert result.runs or result.truth is not None or result.corpus is not None
        recognized = detect(folder / name).role == "corpus"
        assert recognized == (result.corpus is not None), "documents are recognized without a word"


@pytest.mark.parametrize(("folder", "name"), files_read("proposal"))
def test_a_file_is_read_by_the_proposed_reading(folder, name):
    assert differences(read_by_proposal(folder / name)[0], folder, name) == []


@pytest.mark.parametrize(("folder", "name"), files_read("choice"))
def test_a_file_is_read_by_one_of_the_offered_readings(folder, name):
    results = read_by_proposal(folder / name)
    assert len(results) > 1
    assert [] in [differences(result, folder, name) for result in results]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_column_with_a_value_is_read_or_listed_as_not_read(folder):
    lost = {}
    for name in EXPECTED[folder.name]["files"].keys() - {"git_lfs_pointer.jsonl"}:
        source = Source(folder / name)
        readings = propose(source)
        lists = read_record_lists(source) if readings else []
        for reading in readings:
            paths = [re.sub(r":\d+$", "", path) for spec in reading.mapping.values() for path in spec.split("+")]
            filled = [{column for row in records.rows for column, value in row.items() if not is_missing(value)}
                      for records in lists if (records.path, len(records.rows)) == (
                          reading.mapping.get("records", ""), reading.count)]
            left = [{column for column in columns if not column.startswith("*") and not any(
                reads_column(path, column) for path in (*paths, *reading.ignored))} for columns in filled]
            assert left
            if all(left):
                lost[name] = left
    assert lost == {}


@pytest.mark.slow
def test_changed_copies_give_a_result_or_an_input_error():
    """A few; benchmarks/fuzz_files.py reads as many as one likes, of all files."""
    contents = [(name, (folder / name).read_bytes()) for folder, name in FILES]
    for number in range(0, 2 * len(contents), 5):
        name, data = contents[number % len(contents)]
        changed = mutate(data, Random(number))
        for read in (detect, read_runs, read_truth, read_corpus):
            with suppress(InputError):
                read((name, changed))


def test_the_same_seed_gives_the_same_changed_copy():
    data = (FOLDERS[0] / "quepid_judgments.csv").read_bytes()
    copies = {mutate(data, Random(7)) for _ in range(3)}
    assert len(copies) == 1 and data not in copies


@pytest.mark.parametrize("path", sorted(Path(__file__).with_name("changed_copies").iterdir()))
def test_a_changed_copy_that_once_raised_something_else(path):
    for read in (detect, read_runs, read_truth, read_corpus):
        with suppress(InputError):
            read(path)
    read_by_proposal(path)
