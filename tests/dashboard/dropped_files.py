"""Files that are dropped on the Data page, and what `ragdash check` reads from each of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from ragdash.cli.main import main

FOLDER = Path(__file__).resolve().parents[1] / "io" / "real_files"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))["files"]
FILES = [name for name, expected in EXPECTED.items() if expected["how"] != "not yet"]
RUN = re.compile(r"^.*: run '(.*)' \(.*\), ([\d,]+) quer(?:y|ies), "
                 r"(?:no retrieved documents|[\d,]+ documents? returned, ([\d,]+) deep)", re.M)
SIZE = re.compile(r"([\d,]+) quer(?:y|ies), "
                  r"(?:up to ([\d,]+) documents? each|(?:no|[\d,]+) answers?, no retrieved documents)")  # on a card
TRUTH = re.compile(r"^.*: ground truth \(.*\), ([\d,]+) quer(?:y|ies), ([\d,]+) judgments?,", re.M)
CORPUS = re.compile(r"^.*: corpus .*?([\d,]+) documents?", re.M)
TRY = re.compile(r"ragdash check (.*?)(?: or: .*)?$", re.M)


@dataclass
class Reading:
    """What is read from a file: (name, queries, depth) of each run, queries and judgments, documents."""

    runs: set[tuple[str, str, str]] = field(default_factory=set)
    truth: tuple[str, str] | None = None
    documents: str | None = None
    refused: str = ""


def on_the_command_line(capfdbinary, *arguments: str) -> tuple[Reading, str]:
    """(what `ragdash check` reads, the options that it proposes)."""
    main(["check", *arguments])
    out, err = (stream.decode() for stream in capfdbinary.readouterr())
    truth, corpus, proposed = TRUTH.search(out), CORPUS.search(out), TRY.search(err)
    runs = {(run, queries, depth or "0") for run, queries, depth in RUN.findall(out)}
    reading = Reading(runs, truth and truth.groups(), corpus and corpus[1],
                      err if "cannot be used" in out else "")
    return reading, proposed[1] if proposed else ""


def truth_of(metrics: dict[str, str]) -> tuple[str, str] | None:
    """Queries and judgments on the card of the truth, which leaves judgments out where there are only references."""
    return (metrics["Queries"], metrics.get("Judgments", "0")) if metrics else None


def of_each_kind() -> list[str]:
    """The first text file and the first other file of each kind: what it holds, and how it is read."""
    first: dict[tuple, str] = {}
    for name in FILES:
        expected = EXPECTED[name]
        contents = next((kind for kind in ("runs", "corpus") if kind in expected), "truth")
        is_text = Path(name).suffix not in (".parquet", ".xlsx")
        first.setdefault((is_text, expected["how"], "refused" in expected, contents), name)
    return list(first.values())
