"""`python -m ragdash`, and the command `ragdash`: it imports nothing before Ctrl+C can end it in one line."""

import os
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command in a process of its own; returns the exit status. arguments: default those of the process."""
    try:
        keep_no_bare_traceback()
        from ragdash.core.console import open_standard_streams

        open_standard_streams()
        from ragdash.cli.main import main as run_command
        from ragdash.cli.main import show_warnings

        show_warnings()
        return run_command(arguments)
    except (EOFError, KeyboardInterrupt) as error:  # while modules are imported
        return report(error)


def keep_no_bare_traceback() -> None:
    """Have a fault said in our words too where no command catches it: in what is imported, in threads, at the end."""
    import threading

    sys.excepthook = lambda kind, error, trace: sys.exit(report(error))
    threading.excepthook = lambda fault: report(fault.exc_value) if fault.exc_value else None
    sys.unraisablehook = lambda fault: report(fault.exc_value) if fault.exc_value else None


def report(error: BaseException) -> int:
    """Say what has gone wrong, with a traceback where it is a fault of ragdash; the exit status."""
    if isinstance(error, KeyboardInterrupt):
        _write("error: stopped")
        return 130
    if module := cut_module(error):
        _write(f"error: {module}: found a compiled module that is cut off, as a full disk leaves it; expected a whole "
               f"one. Remove the folders __pycache__ below {sys.prefix} and {os.path.dirname(__file__)}, then start "
               "again.")
        return 2
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("ragdash"):
        _write(f"error: {sys.executable}: found no module {error.name}; expected the Python that ragdash is installed "
               "in. Install ragdash there, or start it with the other one.")
        return 2
    import traceback

    traceback.print_exception(error)
    from ragdash import __version__

    _write(f"error: this is a fault of ragdash {__version__}, not of your files. Please report it with the lines "
           "above; CONTRIBUTING.md says how.")
    return 3


def cut_module(error: BaseException) -> str | None:
    """The compiled module that Python could not read to its end; None where the error is another one.

    Where the disk is full, Python 3.11 keeps what it could write of a compiled module (python/cpython#126606).
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return None if trace is None or not isinstance(error, EOFError) else trace.tb_frame.f_locals.get("bytecode_path")


def _write(line: str) -> None:
    from contextlib import suppress

    with suppress(OSError):  # standard error is closed, or on a full disk
        os.write(2, line.encode(errors="backslashreplace") + b"\n")


if __name__ == "__main__":
    sys.exit(main())
