"""Small files of a folder: each is replaced as a whole."""

from __future__ import annotations

from pathlib import Path

from ragdash.core.console import write
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import make_private_folder


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
        try:
            make_private_folder(self._folder)
        except OSError as error:
            raise InputError([Problem("unwritable-file/workspace", {"reason": error.strerror or str(error)},
                                      self.location)]) from None
        write(content, str(self._path(name)))

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
        try:
            self._path(name).unlink(missing_ok=True)
        except OSError as error:
            raise InputError([Problem("unwritable-file/workspace", {"reason": error.strerror or str(error)},
                                      self.location)]) from None

    def stamp(self) -> int | None:
        """None: files of a folder are read again."""
        return None

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{self._suffix}"
