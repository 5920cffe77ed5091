"""Numbers and structure of what the commands and the pages put out on the samples are those that are stored.

The stored files hold no sentences, see golden_reduce.py. Where a change is meant,
`python tests/project/golden/regenerate.py` writes them anew; read the difference before you commit it.
"""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import pytest
from golden_capture import COMMANDS, VISITS
from regenerate import FOLDER, ROOT, frozen_commands, frozen_pages

MEANT = "if this is meant, run: python tests/project/golden/regenerate.py and read the difference"
SHOWN = 60  # lines of a difference


def stored(name: str) -> dict:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def difference(expected, actual) -> str:
    """The lines that differ, for a reader; empty where nothing does."""
    texts = [json.dumps(content, indent=1, sort_keys=True).splitlines() for content in (expected, actual)]
    return "\n".join(list(difflib.unified_diff(*texts, "stored", "today", n=2, lineterm=""))[:SHOWN])


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_put_out_what_is_stored(name, tmp_path):
    changed = difference(stored("commands").get(name), frozen_commands(ROOT, name, tmp_path))
    assert not changed, f"{MEANT}\n{changed}"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", VISITS)
def test_pages_show_what_is_stored(name, tmp_path):
    expected, actual = stored("pages").get(name, {}), frozen_pages(ROOT, name, tmp_path)
    changed = [f"{page}:\n{text}" for page in sorted(expected | actual)
               if (text := difference(expected.get(page), actual.get(page)))]
    assert not changed, f"{MEANT}\n" + "\n\n".join(changed)


def test_nothing_is_stored_that_no_test_reads():
    assert sorted(stored("commands")) == sorted(COMMANDS) and sorted(stored("pages")) == sorted(VISITS)
    files = sorted(path.name for path in Path(FOLDER).glob("*.json"))
    assert files == ["commands.json", "pages.json"]
    assert sum((FOLDER / name).stat().st_size for name in files) < 300_000
