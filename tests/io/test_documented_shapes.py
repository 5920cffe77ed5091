"""Every shape in the table of docs/reference/formats.md names a file of the tests and says how it is read."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECTION = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8").split("## Every shape")[1]
LINES = re.findall(r"^\| (.+?) \| `(tests/io/(\w+)/([^`]+))` \| (.+?) \|$", SECTION, re.MULTILINE)
WAYS = {"as is": "as it is", "proposal": "one proposal", "choice": "a choice of proposals"}


def test_every_line_of_the_table_has_a_file():
    rows = [row for row in SECTION.splitlines() if row.startswith("| ") and "`tests/" in row]
    assert len(LINES) == len(rows) >= 110
    assert len({path for _, path, *_ in LINES}) == len(LINES), "a file is listed for one shape"


def test_the_table_says_how_each_file_is_read():
    """As expected.json does, which test_real_files.py compares with what is read."""
    expected = {folder: json.loads((ROOT / "tests" / "io" / folder / "expected.json").read_text(encoding="utf-8"))
                for _, _, folder, _, _ in LINES}
    for _, path, folder, name, how in LINES:
        file = expected[folder]["files"][name]
        assert how == ("refused" if "refused" in file else WAYS[file["how"]]), path


def test_every_file_of_the_listed_folders_has_a_line():
    """So that a new shape gets one."""
    listed = {path for _, path, *_ in LINES}
    folders = {folder for _, _, folder, _, _ in LINES}
    files = {f"tests/io/{folder}/{name}" for folder in folders for name in json.loads(
        (ROOT / "tests" / "io" / folder / "expected.json").read_text(encoding="utf-8"))["files"]}
    assert files == listed
