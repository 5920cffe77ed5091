"""Locks of files that end with the process that has them, so that others see whether it is alive."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def lock(descriptor: int, seconds: float = 0.0) -> bool:
    """Lock an open file until it is closed or its process ends; False where another process has the lock.

    Parameters
    ----------
    seconds
        How long to wait for the lock. Where the system has no such locks, every file counts as free.
    """
    if fcntl is None:
        return True
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.01)
        except OSError:  # a file system without locks
            return True


def lock_byte(descriptor: int, position: int) -> bool:
    """Lock one byte of an open file, which need not be there; False where another process has it.

    It ends with `free_byte`, with the process, or when the process closes this file. Where the system has no such
    locks, every byte counts as free.
    """
    if fcntl is None:
        return True
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, position)
    except (BlockingIOError, PermissionError):  # as the system says it
        return False
    except OSError:  # a file system without locks
        return True
    return True


def free_byte(descriptor: int, position: int) -> None:
    """End the lock of one byte."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, position)


def is_locked(path: Path) -> bool:
    """Whether a process has the lock of a file. Without locks: whether it was written in the last minute."""
    try:
        if fcntl is None:
            return time.time() - path.stat().st_mtime < 60
        with open(path, "rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
