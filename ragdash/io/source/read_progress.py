"""Who wants to know how far the reading of a file is: a command line that draws a bar, a page."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

ProgressCallback = Callable[[str, int, int], None]  # file, bytes read, bytes in all; it may be called from any thread
_callback: ContextVar[ProgressCallback | None] = ContextVar("ragdash_told", default=None)
_CHUNK_BYTES = 16 << 20  # bytes read at once where a whole file is wanted
_STEP_BYTES = 1 << 20  # bytes of lines between two tellings


@contextmanager
def report_progress(told: ProgressCallback) -> Iterator[None]:
    """Within it, every file that is read, on disk or uploaded, tells how far it is."""
    token = _callback.set(told)
    try:
        yield
    finally:
        _callback.reset(token)


def has_callback() -> bool:
    """Whether somebody wants to know."""
    return _callback.get() is not None


def open_file(path: Path) -> BinaryIO:
    """The file, open for reading, telling how far it is where somebody wants to know."""
    told = _callback.get()
    return open(path, "rb") if told is None else io.BufferedReader(_ProgressFile(path, told), 1 << 20)


def open_bytes(file: str, content: bytes) -> BinaryIO:
    """The same for content in memory, which is never copied as a whole."""
    told = _callback.get()
    return io.BytesIO(content) if told is None else _ProgressBytes(file, content, told)


def progress_steps(file: str, size: int) -> Callable[[int], int]:
    """A function for those who walk through a text by themselves: tell(done) -> where to tell next."""
    told = _callback.get()
    if told is None:
        return lambda done: size + 1

    def tell(done: int) -> int:
        told(file, done, size)
        return done + _STEP_BYTES

    return tell


class _ProgressFile(io.FileIO):
    def __init__(self, path: Path, told: ProgressCallback):
        super().__init__(path, "rb")
        self._callback, self._file, self._size = told, str(path), os.fstat(self.fileno()).st_size

    def readinto(self, buffer) -> int:
        count = super().readinto(buffer)
        self._callback(self._file, self.tell(), self._size)
        return count

    def readall(self) -> bytes:
        pieces = []
        while piece := super().read(_CHUNK_BYTES):
            pieces.append(piece)
            self._callback(self._file, self.tell(), self._size)
        return b"".join(pieces)


class _ProgressBytes(io.BytesIO):
    def __init__(self, file: str, content: bytes, told: ProgressCallback):
        super().__init__(content)
        self._callback, self._file, self._size = told, file, len(content)

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        if size is not None and size >= 0:  # all at once is handed on, not read
            self._callback(self._file, self.tell(), self._size)
        return piece
