"""Small files of a folder: each is replaced as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ragdash.core.console import write
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import make_private_folder, open_private
from ragdash.core.storage.file_lock import lock

WAIT = 10.0  # seconds for another process that changes a file of the folder


class FolderFiles:
    """The files of a folder with one suffix; the folder is made by the first `put`."""

    def __init__(self, folder: Path, suffix: str):
        self._folder, self._suffix = folder, suffix

    @property
    def location(self) -> str:
        """The folder."""
        return str(self._folder)

    def put(self, name: str, content: bytes) -> None:
        """Keep a content; one of the same name is replaced. Raises InputError where it cannot be written."""
        self.change(name, lambda _: content)

    def change(self, name: str, work: Callable[[bytes | None], bytes | None]) -> None:
        """Keep what `work` makes of the content, None for none; nobody else changes it in between."""
        with self._locked():
            try:
                stored = self.get(name)
            except FileNotFoundError:
                stored = None
            content = work(stored)
            if content is not None:
                write(content, str(self._path(name)))
            else:
                self._remove(name)

    def get(self, name: str) -> bytes:
        """The content. Raises FileNotFoundError where there is none, InputError where it cannot be read."""
        try:
            return self._path(name).read_bytes()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise InputError([Problem("unreadable-file/permissions", {"reason": error.strerror or str(error)},
                                      str(self._path(name)))]) from None

    def names(self) -> dict[str, float]:
        """{name: when it was written, in seconds since 1970}, the newest first."""
        files = self._folder.glob(f"*{self._suffix}") if self._folder.is_dir() else ()
        times = {path.stem: path.stat().st_mtime for path in files if path.is_file()}
        return dict(sorted(times.items(), key=lambda item: -item[1]))

    def delete(self, name: str) -> None:
        """Delete a content; nothing where there is none. Raises InputError where it cannot be deleted."""
        if self._folder.is_dir():
            self.change(name, lambda _: None)

    def stamp(self) -> int | None:
        """None: files of a folder are read again."""
        return None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes and threads from changing the files meanwhile."""
        try:
            make_private_folder(self._folder)
            file = open_private(self._folder / f".{self._suffix[1:]}.lock", "ab")
        except OSError as error:
            raise self._unwritable(error) from None
        with file:
            if not lock(file.fileno(), WAIT):
                raise self._unwritable(TimeoutError("another process changes it"))
            yield

    def _remove(self, name: str) -> None:
        try:
            self._path(name).unlink(missing_ok=True)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> InputError:
        return InputError([Problem("unwritable-file/workspace", {"reason": error.strerror or str(error)},
                                   self.location)])

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{self._suffix}"
