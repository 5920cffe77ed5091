"""`python -m ragdash`, and the command `ragdash`: it imports nothing before Ctrl+C can end it in one line."""

import os
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command in a process of its own; returns the exit status. arguments: default those of the process."""
    try:
        from ragdash.core.console import open_standard_streams

        open_standard_streams()
        from ragdash.cli.main import main as run_command
        from ragdash.cli.main import show_warnings

        show_warnings()
        return run_command(arguments)
    except KeyboardInterrupt:  # while modules are imported
        from contextlib import suppress

        with suppress(OSError):  # standard error is closed, or on a full disk
            os.write(2, b"error: stopped\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
