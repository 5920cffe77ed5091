"""Runs the tutorial notebook: the cells of one notebook in one namespace, with what each shows."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
from pathlib import Path

TUTORIAL = Path(__file__).resolve().parents[2] / "docs" / "start" / "tutorial.ipynb"


def executed(notebook: dict, folder: Path) -> dict:
    """The notebook with new outputs; its cells run in this folder. An error in a cell is raised."""
    names: dict = {"__name__": "__main__"}
    cells = []
    before = Path.cwd()
    os.chdir(folder)
    try:
        for count, cell in enumerate(notebook["cells"], 1):
            cells.append(cell if cell["cell_type"] != "code" else {
                **cell, "execution_count": count, "outputs": _outputs("".join(cell["source"]), names, count)})
    finally:
        os.chdir(before)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict, count: int) -> list[dict]:
    """What a cell prints, and what its last expression is."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = None if last is None else eval(compile(last, "cell", "eval"), names)
    outputs = [{"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())}] \
        if printed.getvalue() else []
    if value is not None:
        data = {"text/plain": _lines(re.sub(r" at 0x\w+", "", repr(value)))}
        if type(value).__name__ == "Figure":  # a picture of megabytes; Jupyter draws it when the cell runs
            data = {"text/plain": [f"<plotly figure with {len(value.data)} traces>"]}
        elif hasattr(value, "_repr_html_"):
            data["text/html"] = _lines(value._repr_html_())
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def write_tutorial(folder: Path) -> None:
    """Execute the tutorial again and keep its outputs."""
    notebook = executed(json.loads(TUTORIAL.read_text(encoding="utf-8")), folder)
    TUTORIAL.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
