"""Small files in the shapes that tools and people write: each is read as a careful person reads it.

real_files/expected.json says what each file holds; "tool" names the tool and the call that wrote the file, or the shape
that it has.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reading_checks import describe_differences, read_as_is

FOLDER = Path(__file__).with_name("real_files")
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
AS_IS = [name for name, expected in EXPECTED["files"].items() if expected["how"] == "as is"]


def test_every_file_has_an_expected_reading():
    assert {path.name for path in FOLDER.iterdir()} - {"expected.json"} == set(EXPECTED["files"])


@pytest.mark.parametrize("name", AS_IS)
def test_a_file_is_read_as_it_is(name):
    assert describe_differences(read_as_is(FOLDER / name), EXPECTED["files"][name], EXPECTED["questions"]) == []
