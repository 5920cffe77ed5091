"""What the commands print: results to standard output or a file, problems to standard error."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ragdash.errors import InputError, Problem

SHOWN = 5  # problems printed of one kind and file


def say(problems: Sequence[Problem]) -> None:
    """Problems on standard error, a line each; of many alike the first ones."""
    seen: Counter = Counter()
    for problem in problems:
        alike = (problem.file, problem.kind)
        seen[alike] += 1
        if seen[alike] <= SHOWN:
            print(f"{problem.severity}: {problem}", file=sys.stderr)
    for (file, kind), count in seen.items():
        if count > SHOWN:
            print(f"... and {count - SHOWN:,} more of the kind {kind} in {file}", file=sys.stderr)


def write(content: bytes, path: str | None) -> None:
    """To the file, or to standard output without one; InputError where the file cannot be written."""
    if path:
        try:
            Path(path).write_bytes(content)
        except OSError as error:
            raise unwritable(path, error) from None
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def unwritable(path: str, error: OSError) -> InputError:
    """The problem of a file that cannot be written."""
    return InputError([Problem("unwritable-file", error.strerror or str(error), "a file that can be written",
                               "Choose another place for -o.", path)])


def count(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun: 1 query, 2 queries."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in plain text: columns side by side, a rule below the header."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
             for row in (header, ["-" * width for width in widths], *rows)]
    return "\n".join(lines) + "\n"
