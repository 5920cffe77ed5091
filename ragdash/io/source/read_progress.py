"""Who wants to know how far the reading of a file is: a command line that draws a bar, a page."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

Told = Callable[[str, int, int], None]  # file, bytes read, bytes in all; it may be called from any thread
_told: ContextVar[Told | None] = ContextVar("ragdash_told", default=None)
_PIECE = 16 << 20  # bytes read at once where a whole file is wanted
_STEP = 1 << 20  # bytes of lines between two tellings


@contextmanager
def watching(told: Told) -> Iterator[None]:
    """Within it, every file that is read, on disk or uploaded, tells how far it is."""
    token = _told.set(told)
    try:
        yield
    finally:
        _told.reset(token)


def is_watched() -> bool:
    """Whether somebody wants to know."""
    return _told.get() is not None


def open_file(path: Path) -> BinaryIO:
    """The file, open for reading, telling how far it is where somebody wants to know."""
    told = _told.get()
    return open(path, "rb") if told is None else io.BufferedReader(_Watched(path, told), 1 << 20)


def open_bytes(file: str, content: bytes) -> BinaryIO:
    """The same for content in memory, which is never copied as a whole."""
    told = _told.get()
    return io.BytesIO(content) if told is None else _WatchedBytes(file, content, told)


def telling(file: str, size: int) -> Callable[[int], int]:
    """A function for those who walk through a text by themselves: tell(done) -> where to tell next."""
    told = _told.get()
    if told is None:
        return lambda done: size + 1

    def tell(done: int) -> int:
        told(file, done, size)
        return done + _STEP

    return tell


class _Watched(io.FileIO):
    def __init__(self, path: Path, told: Told):
        super().__init__(path, "rb")
        self._told, self._file, self._size = told, str(path), os.fstat(self.fileno()).st_size

    def readinto(self, buffer) -> int:
        count = super().readinto(buffer)
        self._told(self._file, self.tell(), self._size)
        return count

    def readall(self) -> bytes:
        pieces = []
        while piece := super().read(_PIECE):
            pieces.append(piece)
            self._told(self._file, self.tell(), self._size)
        return b"".join(pieces)


class _WatchedBytes(io.BytesIO):
    def __init__(self, file: str, content: bytes, told: Told):
        super().__init__(content)
        self._told, self._file, self._size = told, file, len(content)

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        if size is not None and size >= 0:  # all at once is handed on, not read
            self._told(self._file, self.tell(), self._size)
        return piece
