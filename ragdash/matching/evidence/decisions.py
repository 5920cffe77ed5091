"""What a person has decided of borderline pairs: this chunk covers that span, or it does not. Kept as JSON lines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import orjson

from ragdash.core.console import unwritable
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import read_input
from ragdash.core.records.arguments import checked
from ragdash.matching.evidence.spans import normalize

Decisions: TypeAlias = Mapping[tuple[str, str, str], bool]
"""{(query id, digest of the chunk, digest of the span): accepted}"""

_FIELDS = {"query_id": str, "chunk": str, "span": str, "accept": bool}


def digest(text: str) -> str:
    """16 hexadecimal digits of a normalized text; the same text elsewhere has the same ones.

    Examples
    --------
    >>> digest("The cat") == digest("the  CAT")
    True
    """
    return hashlib.blake2b(normalize(text).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def decision_lines(decisions: Decisions) -> bytes:
    """One line for each decision, sorted, so that two files can be compared line by line."""
    lines = [orjson.dumps({"query_id": query, "chunk": chunk, "span": span, "accept": accept})
             for (query, chunk, span), accept in sorted(decisions.items())]
    return b"".join(line + b"\n" for line in lines)


@checked
def write_decisions(path: str | Path, decisions: Decisions) -> None:
    """The same as a file."""
    try:
        Path(path).write_bytes(decision_lines(decisions))
    except OSError as error:
        raise unwritable(str(path), error) from None


@checked
def read_decisions(path: str | Path | tuple[str, bytes]) -> dict[tuple[str, str, str], bool]:
    """The decisions of a file, or of (name, content); other fields of a line, such as notes, are passed over.

    Raises InputError naming every line that is no decision, or says the opposite of an earlier one.
    """
    decisions: dict[tuple[str, str, str], bool] = {}
    problems = []
    name, content = path if isinstance(path, tuple) else (str(path), _content_of(path))
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            problems.append(Problem("wrong-decision", {"line": line[:80].decode("utf-8", "replace")}, name, number))
            continue
        key = row["query_id"], row["chunk"], row["span"]
        if decisions.setdefault(key, row["accept"]) != row["accept"]:
            problems.append(Problem("conflicting-decisions", {"pair": list(key)}, name, number))
    if problems:
        raise InputError(problems)
    return decisions


def _content_of(path: str | Path) -> bytes:
    try:
        return read_input(path)
    except OSError as error:
        raise InputError([Problem("unreadable-file", {"reason": error.strerror or str(error)}, str(path))]) from None


def _row(line: bytes) -> dict | None:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    complete = type(row) is dict and all(type(row.get(name)) is kind for name, kind in _FIELDS.items())
    return row if complete else None
