"""Every shape in the table of docs/reference/formats.md names a file of the tests and says how it is read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from reading_checks import read_as_is, read_by_proposal

from ragdash.io import detect

ROOT = Path(__file__).resolve().parents[2]
SECTION = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8").split("## Every shape")[1]
LINES = re.findall(r"^\| (.+?) \| `(tests/io/(\w+)/([^`]+))` \| (.+?) \|$", SECTION, re.MULTILINE)
WAYS = {"as is": "as it is", "proposal": "one proposal", "choice": "a choice of proposals"}


def test_every_line_of_the_table_has_a_file():
    rows = [row for row in SECTION.splitlines() if row.startswith("| ") and "`tests/" in row]
    assert len(LINES) == len(rows) >= 110
    assert len({path for _, path, *_ in LINES}) == len(LINES), "a file is listed for one shape"


@pytest.mark.parametrize(("folder", "name", "how"), [pytest.param(*line[2:], id=line[3]) for line in LINES])
def test_a_file_is_read_as_its_line_says(folder, name, how):
    path = ROOT / "tests" / "io" / folder / name
    expected = json.loads((path.parent / "expected.json").read_text(encoding="utf-8"))["files"][name]
    assert how == ("refused" if "refused" in expected else WAYS[expected["how"]])
    result = read_as_is(path)
    if how == "refused":
        assert result.how == "refused"
    elif how == "as it is":
        assert result.runs or result.truth is not None or result.corpus is not None
        assert (detect(path).role == "corpus") == (result.corpus is not None), "documents are recognized without a word"
    else:
        assert read_by_proposal(path), "a reading is offered"
