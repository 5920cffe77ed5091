"""What the commands print: results to standard output or a file, problems to standard error."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ragdash.core.errors import InputError, Problem

LARGE = 20 << 20  # bytes of a file that are worth a bar
SHOWN = 5  # problems printed of one kind and file
STANDARD_OUTPUT = "standard output"
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def say(problems: Sequence[Problem]) -> None:
    """Problems on standard error, a line each; of many alike the first ones."""
    counts: Counter = Counter()
    for problem in problems:
        key = (problem.file, problem.kind)
        counts[key] += 1
        if counts[key] <= SHOWN:
            print(f"{problem.severity}: {printable(str(problem))}", file=sys.stderr)
    for (file, kind), count in counts.items():
        if count > SHOWN:
            location = f" in {printable(file)}" if file else ""
            print(f"... and {count - SHOWN:,} more of the kind {kind}{location}", file=sys.stderr)


def print_note(text: object) -> None:
    """A line for a person on standard error; see `printable`."""
    print(printable(str(text)), file=sys.stderr)


def printable(text: str) -> str:
    r"""Text for a terminal: control characters, which could move its cursor or change its colors, become visible.

    Line ends stay. Half characters, as in the names of files that are not UTF-8, become visible too.

    Examples
    --------
    >>> printable("dense\x1b[31m\n")
    'dense\\x1b[31m\n'
    """
    visible = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
    return visible.encode("utf-8", "backslashreplace").decode()


def write_text(text: str, path: str | None) -> None:
    """Write text as UTF-8 to a file, or to standard output without one; see `printable` and `write`."""
    write(printable(text).encode(), path)


def write(content: bytes, path: str | None) -> None:
    """Write to the file, or to standard output without one; InputError where that is not possible.

    A file that exists is replaced at once, when everything is written next to it: a full disk leaves it as it was.
    """
    if path:
        try:
            _replace(Path(path), content)
        except OSError as error:
            raise unwritable(path, error) from None
    else:
        if sys.stdout is None:  # closed by whoever started this process
            raise unwritable(STANDARD_OUTPUT, OSError("it is closed"))
        try:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise  # the reader has seen enough
        except OSError as error:
            raise unwritable(STANDARD_OUTPUT, error) from None


def _replace(path: Path, content: bytes) -> None:
    if path.exists() and not path.is_file():  # a pipe or a device has no folder for a temporary file
        path.write_bytes(content)
        return
    path = path.resolve()  # what a link leads to
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    finally:  # also when stopped
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _umask() -> int:
    """What is taken off the rights of new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def unwritable(path: str, error: OSError) -> InputError:
    """The problem of a file that cannot be written."""
    return InputError([Problem("unwritable-file", {"reason": error.strerror or str(error)}, path)])


class Bar:
    """How far the reading of a large file is, on a line of standard error that is drawn again; nothing elsewhere."""

    def __init__(self):
        self._next = self._shown = 0.0

    def __call__(self, file: str, done: int, size: int) -> None:
        clock = time.monotonic()
        if size < LARGE or clock < self._next or not sys.stderr.isatty():
            return
        self._next, self._shown = clock + 0.1, 1.0
        filled = 30 * done // size
        name = printable(file if len(file) < 40 else f"…{file[-38:]}")
        line = f"{name} [{'#' * filled}{'.' * (30 - filled)}] {100 * done // size:3d}% of {size >> 20:,} MB"
        print(f"\r{line}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the bar away."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._shown = 0.0


def count(n: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun: 1 query, 2 queries.

    Examples
    --------
    >>> count(1, "query", "queries"), count(2_000, "query", "queries")
    ('1 query', '2,000 queries')
    """
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def duration(seconds: float) -> str:
    """12 s, 3 min 20 s, 2 h 5 min.

    Examples
    --------
    >>> duration(12), duration(200), duration(7_500)
    ('12 s', '3 min 20 s', '2 h 5 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a long command is; each has its own words for it. rate: things done a second, left: seconds, both None
    before the first one.
    """

    done: int
    total: int
    rate: float | None = None
    left: float | None = None

    def as_dict(self) -> dict:
        """For a program."""
        return asdict(self)

    @property
    def pace(self) -> str:
        """4.0 a second, 1 min 13 s left; empty before the first one."""
        return "" if self.rate is None else f"{self.rate:,.1f} a second, {duration(self.left)} left"


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in plain text: columns side by side, a rule below the header; cells as `printable` text.

    Examples
    --------
    >>> print(aligned(["run", "n"], [["bm25", "110"]]), end="")
    run   n
    ----  ---
    bm25  110
    """
    header, *rows = ([printable(cell).replace("\n", "\\n") for cell in row] for row in (header, *rows))
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
             for row in (header, ["-" * width for width in widths], *rows)]
    return "\n".join(lines) + "\n"
