"""What the commands print: results to standard output or a file, problems to standard error."""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import TextIO, cast

from ragdash.core.errors import InputError, Problem, groups_of_alike
from ragdash.core.paths import whole_file
from ragdash.core.text.quoted import printable

LARGE = 20 << 20  # bytes of a file that are worth a bar
SILENT = 2  # seconds that a command may take without a word
SHOWN = 5  # problems printed of one kind and file
STANDARD_OUTPUT = "standard output"
PROPOSED = "proposed-reading"
SHORT = 120  # characters that are one line, without the name of the file
MOST_NAMES = 3  # fields that a line names of one meaning
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_NOT_FIELDS = ("role", "records")
FOR_PEOPLE = ("table", "markdown")  # formats


class DroppingStream:
    """A stream that can always be written to: what a full disk or a closed reader does not take is dropped.

    Examples
    --------
    >>> import io
    >>> stream = DroppingStream(io.StringIO())
    >>> stream.write("error: ...")
    10
    """

    def __init__(self, stream: TextIO):
        self._stream = stream

    def write(self, text: str) -> int:
        """Write text, or drop it."""
        try:
            return self._stream.write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        """Flush, or drop what is left."""
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str):
        return getattr(self._stream, name)


def open_standard_streams() -> None:
    """Open the standard streams that whoever started this process has closed; a file would take their numbers.

    What a command says on standard error must not change what its exit status says.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number, which is this one
    if sys.stdin is None:
        sys.stdin = os.fdopen(0)
    sys.stderr = DroppingStream(sys.stderr or os.fdopen(2, "w"))


def say(problems: Sequence[Problem]) -> None:
    """Problems on standard error, a line each; of many alike the first ones."""
    shown, more = most_of_each_kind(problems)
    for problem in shown:
        print(f"{problem.severity}: {one_line(str(problem))}", file=sys.stderr)
    for line in more:
        print(line, file=sys.stderr)


def say_in_lines(problems: Sequence[Problem]) -> None:
    """Problems on standard error, each as a line of what was found and lines of what was expected and what to do.

    What problems of one file have in common is printed once.
    """
    shown, more = most_of_each_kind(problems)
    print_note(*(line for group in groups_of_alike(shown) for line in _group_lines(group)), *more)


def _group_lines(group: Sequence[Problem]) -> list[str]:
    """The lines of problems that differ in line, field and finding alone."""
    first, *others = group
    if not others:
        return problem_lines(first)
    words = first.words()
    return [f"{first.severity}: {f'{first.file}: ' if first.file else ''}expected {words.expected}",
            *(f"  {_place_in_file(problem)}found {problem.actual}" for problem in group), *_fixes(words.fix)]


def _place_in_file(problem: Problem) -> str:
    field = replace(problem, file=None, line=None).place
    return field if problem.line is None else f"line {problem.line} {field}" if field else f"line {problem.line}: "


def problem_lines(problem: Problem) -> list[str]:
    """The lines of a problem; the first names severity and place, the others are indented. A short one is one line.

    Examples
    --------
    >>> print(*problem_lines(Problem("missing-grade/row", {}, "a.csv", 3)), sep="\\n")
    error: a.csv:3: found no grade; expected a number. Give every row its grade.
    >>> columns = {"count": 3, "columns": ["a", "b", "c"], "unnamed": 0}
    >>> print(*problem_lines(Problem("unknown-columns", columns, "a.csv", severity="warning")), sep="\\n")
    warning: a.csv: found 3 columns of other names: a, b, c
      expected columns that ragdash reads
      They become attributes of the queries.
      Give one another meaning with --map FIELD=COLUMN.
    """
    words, start = problem.words(), f"{problem.severity}: {problem.place}"
    if problem.kind == PROPOSED:
        return [f"{start}found {_records(problem)}", *_reading_lines(problem)]
    if len(str(problem).replace(problem.file or "\0", "")) <= SHORT:
        return [f"{problem.severity}: {problem}"]
    return [f"{start}found {words.actual}", f"  expected {words.expected}", *_fixes(words.fix)]


def _fixes(text: str) -> list[str]:
    """What to do, a line for each sentence."""
    return [f"  {sentence}" for sentence in _SENTENCE_END.split(text) if sentence]


def _records(problem: Problem) -> str:
    """What a reading is proposed for, without its fields, which have lines of their own."""
    facts = problem.facts
    where = f" under {facts['where']}" if facts["where"] else ""
    more = "more than is read: " if problem.message.endswith("/more") else ""
    number = f"{facts['count']:,} record{'' if facts['count'] == 1 else 's'}{where}"
    return f"{more}{number}{'' if more else ' in no format that ragdash knows'}"


def _reading_lines(problem: Problem) -> Iterator[str]:
    """Each proposed reading: its fields, one to a line, and the command that reads the file so."""
    mappings = cast(Sequence[Mapping[str, str]], problem.facts["mappings"])
    commands = [str(problem.facts["options"]), *filter(None, str(problem.facts["others"]).split(" or: "))]
    for number, (mapping, command) in enumerate(zip(mappings, commands, strict=True), 1):
        same = mappings[0] if number > 1 else {}
        title = f"Reading {number} of {len(mappings)}" if len(mappings) > 1 else "Reading"
        yield f"  {title}, as {mapping['role']}{', otherwise as the first' if same else ''}:"
        for name, path in mapping.items():
            if name not in _NOT_FIELDS and same.get(name) != path:
                yield f"    {name} = {_shortened(path)}"
        for name in same:
            if name not in _NOT_FIELDS and name not in mapping:
                yield f"    without {name}"
        if number == 1 and (unread := _unread(cast(Sequence[str], problem.facts["ignored"]), mapping)):
            yield f"    not read: {_shortened(unread)}"
        yield f"    Try: ragdash check {problem.facts['quoted']} {command}"
    yield "  Choose the one that is right." if len(mappings) > 1 else "  If it is right, use this command."


def _unread(paths: Sequence[str], mapping: Mapping[str, str]) -> str:
    """The fields that no reading reads, joined with +; of an object of which nothing is read only its name."""
    read = {_first_name(path) for spec in mapping.values() for path in spec.split("+")}
    return "+".join(dict.fromkeys(path if _first_name(path) in read else _first_name(path) for path in paths))


def _first_name(path: str) -> str:
    return re.split(r"\[\]|\.", path)[0]


def _shortened(path: str) -> str:
    names = path.split("+")
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def most_of_each_kind(problems: Iterable[Problem]) -> tuple[list[Problem], list[str]]:
    """(The problems to print, the first ones of each kind and file; lines that count the others).

    Of a file that is not read, and for which a reading is proposed, one error of each kind says why. Warnings about
    the reading that failed are left out: the proposed one has its own.
    """
    listed = list(problems)
    proposed = {problem.file for problem in listed if problem.kind == PROPOSED and problem.severity == "error"}
    counts: Counter = Counter()
    shown = []
    for problem in listed:
        is_why = problem.file in proposed and problem.kind != PROPOSED
        if is_why and problem.severity != "error":
            continue
        key = (problem.file, problem.kind, 1 if is_why else SHOWN)
        is_shown = counts[key] < key[-1]
        shown += [problem] * is_shown
        counts[key] += 1 if is_shown else 1 + problem.more  # one that is shown says how many more there are
    return shown, [f"... and {count - most:,} more of the kind {kind}{f' in {one_line(file)}' if file else ''}"
                   for (file, kind, most), count in counts.items() if count > most]


def print_note(*lines: object) -> None:
    """Lines for a person on standard error; see `one_line`."""
    for text in lines:
        print(one_line(str(text)), file=sys.stderr)


def one_line(text: str) -> str:
    r"""Text for one line of a terminal: as `printable`, with visible line ends, so that a name cannot forge a line.

    Examples
    --------
    >>> one_line("dense\nerror: none")
    'dense\\nerror: none'
    """
    return printable(text).replace("\n", "\\n")


def write_text(text: str, path: str | None) -> None:
    """Write text as UTF-8 to a file, or to standard output without one; see `printable` and `write`."""
    write(printable(text).encode(), path)


def write(content: bytes, path: str | None, form: str = "", *, needs_reader: bool = False) -> None:
    """Write to the file, or to standard output without one; InputError where that is not possible.

    form: what the content is; what people read, and all that a terminal shows, is `printable`.

    A file that exists is replaced at once, when everything is written next to it: a full disk leaves it as it was.
    Where the reader of standard output has gone, the rest is dropped: the exit status is that of the result.
    needs_reader: BrokenPipeError then, which ends the command; for work that nobody would see, or pay for.
    """
    if form in FOR_PEOPLE or (not path and sys.stdout is not None and sys.stdout.isatty()):
        with suppress(UnicodeDecodeError):
            content = printable(content.decode()).encode()
    if path:
        try:
            with whole_file(path) as file:
                file.write_bytes(content)
        except OSError as error:
            raise unwritable(path, error) from None
    else:
        if sys.stdout is None:  # closed by whoever started this process
            raise unwritable(STANDARD_OUTPUT, OSError("it is closed"))
        try:
            _write_to_standard_output(content)
        except BrokenPipeError:
            if needs_reader:
                raise
            discard_output()
        except OSError as error:
            raise unwritable(STANDARD_OUTPUT, error) from None


def _write_to_standard_output(content: bytes) -> None:
    """Write, also where a text stream is in place of standard output, as in a notebook."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        try:
            sys.stdout.write(content.decode())
        except UnicodeDecodeError:
            raise OSError("it takes text alone, and this is none; write to a file with -o") from None
    else:
        stream.write(content)
    sys.stdout.flush()


def discard_output() -> None:
    """Send what is left for standard output nowhere, so that the end of the process does not fail on it."""
    if sys.stdout is not None:
        with suppress(io.UnsupportedOperation):  # a text stream in its place has no file
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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


@contextmanager
def at_work(words: str) -> Iterator[None]:
    """Say on a line of standard error what a command does and for how long, where it takes more than 2 s; nothing
    elsewhere than on a terminal.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    done, start = threading.Event(), time.monotonic()

    def draw() -> None:
        is_shown = False
        while not done.wait(1 if is_shown else SILENT):
            is_shown = True
            print(f"\r{words}: {duration(time.monotonic() - start)}\x1b[K", end="", file=sys.stderr, flush=True)
        if is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def count(n: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun: 1 query, 2 queries.

    Examples
    --------
    >>> count(1, "query", "queries"), count(2_000, "query", "queries")
    ('1 query', '2,000 queries')
    """
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def query_count(n: int) -> str:
    """A number of queries: 1 query, 2 queries."""
    return count(n, "query", "queries")


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
    header, *rows = ([*map(one_line, row)] for row in (header, *rows))
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
             for row in (header, ["-" * width for width in widths], *rows)]
    return "\n".join(lines) + "\n"
