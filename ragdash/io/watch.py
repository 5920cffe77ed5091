"""Who wants to know how far the reading of a file is: a command line that draws a bar, a page."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

Told = Callable[[str, int, int], None]  # file, bytes read, bytes in all
_told: ContextVar[Told | None] = ContextVar("ragdash_told", default=None)
_PIECE = 16 << 20  # bytes read at once where a whole file is wanted


@contextmanager
def watching(told: Told) -> Iterator[None]:
    """Within it, every file on disk that is read tells how far it is."""
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
