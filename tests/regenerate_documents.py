"""Write again what documents show of the program: commands and their outputs, metrics, glossary, Python reference,
tutorial, example report.

    python tests/regenerate_documents.py

Read the difference before you commit it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHOWN = re.compile(r"(^```\n(ragdash [^\n]*)\n```\n\n<!-- output -->\n```\n).*?(^```)", re.MULTILINE | re.DOTALL)
FUSION = re.compile(r"(<!-- fusion -->\n).*?(<!-- end of fusion -->)", re.DOTALL)
TOOLS = re.compile(r"(<!-- tools -->\n).*?(<!-- end of tools -->)", re.DOTALL)
EXAMPLE = re.compile(r"<!-- example -->\n```\n(ragdash .*)\n```")


def output(command: str) -> str:
    """Return what a command of a document prints."""
    from ragdash.cli.main import main

    words = shlex.split(command)[1:]
    with tempfile.TemporaryDirectory() as folder:
        if words[0] == "ab":
            words += ["--output-dir", str(Path(folder) / "out")]
        stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(stdout):
            status = main(words)
            stdout.flush()
    if status:
        raise SystemExit(f"exit status {status}: {command}")
    return stdout.buffer.getvalue().decode()


def with_fusion_reference(text: str) -> str:
    """The guide of the What-if page with the tables of methods, normalizations and presets."""
    from ragdash.experiments.fusion.export.reference import reference

    return FUSION.sub(lambda match: f"{match[1]}\n{reference()}\n{match[2]}", text)


def with_tools_reference(text: str) -> str:
    """The guide for users of other tools with the table of what those compute otherwise."""
    from ragdash.reporting.sentences.other_tools import tools_reference

    return TOOLS.sub(lambda match: f"{match[1]}\n{tools_reference()}\n{match[2]}", text)


def regenerate() -> None:
    from ragdash.core.terms import glossary

    for name in ("README.md", "docs/guide/ab.md"):
        text = Path(name).read_text(encoding="utf-8")
        shown = SHOWN.sub(lambda match: match[1] + output(match[2]) + match[3], text)
        Path(name).write_text(shown, encoding="utf-8")
    Path("docs/reference/glossary.md").write_text(glossary(), encoding="utf-8")
    guide = Path("docs/guide/what-if.md")
    guide.write_text(with_fusion_reference(guide.read_text(encoding="utf-8")), encoding="utf-8")
    coming = Path("docs/start/coming-from.md")
    coming.write_text(with_tools_reference(coming.read_text(encoding="utf-8")), encoding="utf-8")
    output("ragdash metrics --format markdown -o docs/reference/metrics.md")
    from notebook_file import write_tutorial
    from python_reference import reference

    Path("docs/start/python-reference.md").write_text(reference(), encoding="utf-8")
    write_tutorial(ROOT)
    output(EXAMPLE.search(Path("docs/guide/share.md").read_text(encoding="utf-8"))[1])


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "project")]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as own:  # verdicts and labels of the user are no part of the documents
        os.environ |= {name: str(Path(own, name)) for name in ("RAGDASH_WORKSPACE", "RAGDASH_CACHE")}
        regenerate()
