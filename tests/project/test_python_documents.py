"""The tutorial runs and shows what it says; the Python reference is that of the docstrings."""

import json
from pathlib import Path

from notebook_file import TUTORIAL, executed
from python_reference import reference

ROOT = Path(__file__).resolve().parents[2]


def texts(notebook: dict) -> list:
    """What the cells show as text; HTML differs between versions of pandas."""
    return [output.get("text") or output["data"]["text/plain"] for cell in notebook["cells"]
            for output in cell.get("outputs", ())]


def test_the_tutorial_runs_and_shows_what_it_says():
    notebook = json.loads(TUTORIAL.read_text(encoding="utf-8"))
    assert sum(bool(cell.get("outputs")) for cell in notebook["cells"]) >= 7
    assert texts(executed(notebook, ROOT)) == texts(notebook), "run: python tests/regenerate_documents.py"


def test_the_python_reference_is_current():
    assert (ROOT / "docs" / "start" / "python-reference.md").read_text(encoding="utf-8") == reference(), (
        "run: python tests/regenerate_documents.py")
