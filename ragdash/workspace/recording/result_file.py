"""The file that results are appended to: a line is in it whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ragdash.core.errors import InputError, Problem, is_disk_full
from ragdash.core.storage.file_lock import lock


class ResultFile:
    """A file of lines that one process appends to, and whose lock says that the process is alive.

    A line is given to the operating system when `append` returns: it survives the end of the process. `sync` makes it
    survive a power cut too.
    """

    def __init__(self, path: Path):
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        self.is_ours = lock(self._descriptor, seconds=2)  # a reader that looks has it for a moment
        self._size = os.fstat(self._descriptor).st_size

    def __enter__(self) -> ResultFile:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def whole_lines(self) -> bytes:
        """The lines of the file; one that was cut off is removed from it."""
        content = os.pread(self._descriptor, self._size, 0)
        content = content[:content.rfind(b"\n") + 1]
        os.ftruncate(self._descriptor, len(content))
        self._size = len(content)
        return content

    def append(self, line: bytes, query_id: str, name: str, queries: int) -> None:
        """Append a line; InputError if it cannot be written, and the file is as before."""
        try:
            left = memoryview(line)
            while left:
                left = left[os.write(self._descriptor, left):]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
            reason = error.strerror or str(error)
            if is_disk_full(error):
                problem = Problem("recording/full", {"reason": reason, "queries": queries, "name": name,
                                                     "query": query_id}, str(self.path))
            else:
                problem = Problem("recording/unwritable", {"reason": reason}, str(self.path))
            raise InputError([problem]) from None
        self._size += len(line)

    def sync(self) -> None:
        """Write what the operating system still has in memory."""
        os.fsync(self._descriptor)
