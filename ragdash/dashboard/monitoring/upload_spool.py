"""Uploads where the disk of temporary files is full: they stay in memory, and are read all the same."""

from __future__ import annotations

import io
import sys
import tempfile
from contextlib import suppress
from typing import Any


class UploadSpool(tempfile.SpooledTemporaryFile[bytes]):
    """A file in memory that goes to the disk when it is larger than max_size, and stays or comes back where that fails.

    As Starlette uses one: bytes are appended, then read from the start.
    """

    _file: Any  # io.BytesIO, or the file on the disk
    _rolled: bool
    _max_size: int

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Append bytes; returns how many."""
        start = self._file.tell()
        try:
            _write_all(self._file, data)
            if not self._rolled and start + len(data) > self._max_size:
                self._move_to_disk()
        except OSError:
            if self._rolled:
                self._move_to_memory(start)
                self._file.write(data)
            self._max_size = sys.maxsize  # not tried again
        return len(data)

    def _move_to_disk(self) -> None:
        file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it lasts as long as the upload
        try:
            _write_all(file, self._file.getbuffer())
        except OSError:
            file.close()
            raise
        self._file, self._rolled = file, True

    def _move_to_memory(self, length: int) -> None:
        self._file.seek(0)
        memory = io.BytesIO(self._file.read(length))
        self._file.close()
        memory.seek(length)
        self._file, self._rolled = memory, False


def _write_all(file: Any, data: bytes) -> None:
    """Write bytes; a file without a buffer of its own may take them in parts."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest):]


def use() -> None:
    """Have the server take uploads so; a second call changes nothing."""
    with suppress(ImportError):  # versions of Streamlit that do not use it keep uploads in memory
        from starlette import formparsers

        formparsers.SpooledTemporaryFile = UploadSpool
