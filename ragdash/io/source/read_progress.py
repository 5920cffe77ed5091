"""Progress callbacks for file reading, such as the progress bars of the command line and the dashboard."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from ragdash.core.paths import WaitingFile, refuse_device

ProgressCallback = Callable[[str, int, int], None]  # file, bytes read, bytes in all; it may be called from any thread
_callback: ContextVar[ProgressCallback | None] = ContextVar("ragdash_told", default=None)
_CHUNK_BYTES = 16 << 20  # bytes read at once where a whole file is wanted
_STEP_BYTES = 1 << 20  # bytes of lines between two tellings


@contextmanager
def report_progress(callback: ProgressCallback) -> Iterator[None]:
    """Inside of the block, every file that is read, on disk or uploaded, reports its progress."""
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


def has_callback() -> bool:
    """True inside of `report_progress`."""
    return _callback.get() is not None


def open_file(path: Path) -> BinaryIO:
    """The file, open for reading, with progress reports if there is a callback."""
    callback = _callback.get()
    refuse_device(path)
    if not path.stat().st_size:  # no file on a disk, such as a pipe
        return io.BufferedReader(WaitingFile(path))
    return open(path, "rb") if callback is None else io.BufferedReader(_ProgressFile(path, callback), 1 << 20)


def open_bytes(file: str, content: bytes) -> BinaryIO:
    """As `open_file`, for content in memory, which is never copied as a whole."""
    callback = _callback.get()
    return io.BytesIO(content) if callback is None else _ProgressBytes(file, content, callback)


def progress_steps(file: str, size: int) -> Callable[[int], int]:
    """A reporter for code that iterates over a text: report(position) returns the position of the next report."""
    callback = _callback.get()
    if callback is None:
        return lambda position: size + 1

    def report(position: int) -> int:
        callback(file, position, size)
        return position + _STEP_BYTES

    return report


class _ProgressFile(io.FileIO):
    def __init__(self, path: Path, callback: ProgressCallback):
        super().__init__(path, "rb")
        self._callback, self._file, self._size = callback, str(path), os.fstat(self.fileno()).st_size

    def readinto(self, buffer) -> int:
        count = super().readinto(buffer)
        self._callback(self._file, self.tell(), self._size)
        return count

    def readall(self) -> bytes:
        pieces = []
        while chunk := super().read(_CHUNK_BYTES):
            pieces.append(chunk)
            self._callback(self._file, self.tell(), self._size)
        return b"".join(pieces)


class _ProgressBytes(io.BytesIO):
    def __init__(self, file: str, content: bytes, callback: ProgressCallback):
        super().__init__(content)
        self._callback, self._file, self._size = callback, file, len(content)

    def read(self, size: int | None = -1) -> bytes:
        chunk = super().read(size)
        if size is not None and size >= 0:  # all at once is handed on, not read
            self._callback(self._file, self.tell(), self._size)
        return chunk
