"""`python -m ragdash`, and the command `ragdash`: what a process needs before the command line is imported."""

import os
import sys
from contextlib import suppress
from typing import TextIO


class StandardError:
    """Standard error that can always be written to: what a full disk or a closed reader does not take is dropped.

    What a command says there must not change what its exit status says.
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
    """Open the standard streams that whoever started this process has closed; a file would take their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number, which is this one
    if sys.stdin is None:
        sys.stdin = os.fdopen(0)
    sys.stderr = StandardError(sys.stderr or os.fdopen(2, "w"))


def main(arguments: list[str] | None = None) -> int:
    """Run one command in a process of its own; returns the exit status. arguments: default those of the process."""
    open_standard_streams()
    try:
        from ragdash.cli.main import main as run_command
        from ragdash.cli.main import show_warnings

        show_warnings()
        return run_command(arguments)
    except KeyboardInterrupt:  # while modules are imported
        print("error: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
