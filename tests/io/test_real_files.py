"""Small files in the shapes that tools and people write: each is read as a careful person reads it.

real_files/expected.json says what each file holds; "tool" names the tool and the call that wrote the file, or the shape
that it has.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from file_mutations import mutate
from reading_checks import describe_differences, read_as_is

from ragdash.core.errors import InputError
from ragdash.io import detect, read_corpus, read_runs, read_truth

FOLDER = Path(__file__).with_name("real_files")
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
AS_IS = [name for name, expected in EXPECTED["files"].items() if expected["how"] == "as is"]


def test_every_file_has_an_expected_reading():
    assert {path.name for path in FOLDER.iterdir()} - {"expected.json"} == set(EXPECTED["files"])


@pytest.mark.parametrize("name", AS_IS)
def test_a_file_is_read_as_it_is(name):
    assert describe_differences(read_as_is(FOLDER / name), EXPECTED["files"][name], EXPECTED["questions"]) == []


def test_changed_copies_give_a_result_or_an_input_error():
    contents = [(name, (FOLDER / name).read_bytes()) for name in EXPECTED["files"]]
    for number in range(3 * len(contents)):
        name, data = contents[number % len(contents)]
        changed = mutate(data, Random(number))
        for read in (detect, read_runs, read_truth, read_corpus):
            with suppress(InputError):
                read((name, changed))


def test_the_same_seed_gives_the_same_changed_copy():
    data = (FOLDER / "quepid_judgments.csv").read_bytes()
    copies = {mutate(data, Random(7)) for _ in range(3)}
    assert len(copies) == 1 and data not in copies
