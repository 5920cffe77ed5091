"""What a process needs to go on after its memory was too short for one thing."""

from __future__ import annotations

import _imp
from collections.abc import Iterator
from contextlib import contextmanager

from ragdash.core.errors import lacks_memory


def release_import_lock() -> None:
    """Release the lock of Python's imports where this thread still holds it.

    A thread whose memory ends in the middle of an import may keep it, and every later import would wait forever.
    """
    while _imp.lock_held():
        try:
            _imp.release_lock()
        except RuntimeError:  # another thread holds it, and imports
            return


@contextmanager
def left_to_pages() -> Iterator[None]:
    """Do work ahead of the pages in a thread; where memory is too short for it, pages do it themselves and say so."""
    try:
        yield
    except (MemoryError, ImportError, OSError, RuntimeError) as error:
        if not lacks_memory(error):
            raise
    finally:
        release_import_lock()
