"""Blobs as files of a folder, such as one on a network drive that all servers mount."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import make_private_folder, open_private, sync_folder


class FolderBlobs:
    """Blobs below a folder, which is made by the first `put`."""

    def __init__(self, folder: Path):
        self._folder = folder

    @property
    def location(self) -> str:
        """The folder."""
        return str(self._folder)

    def put(self, name: str, content: bytes) -> None:
        """Keep a content, whole or not at all; it is on the disk when this returns. Raises FileExistsError."""
        target = self._folder / name
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        try:
            make_private_folder(target.parent)
            with open_private(temporary, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.link(temporary, target)  # fails where the name is taken, as a rename would not
            sync_folder(target.parent)
        except FileExistsError:
            raise
        except OSError as error:
            raise self._unusable(error) from None
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    def get(self, name: str) -> bytes:
        """The content. Raises FileNotFoundError where there is none."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise self._unusable(error) from None

    def delete(self, names: Iterable[str]) -> None:
        """Delete contents and the folders that are empty then; a name that is not there is ignored."""
        for name in names:
            path = self._folder / name
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise self._unusable(error) from None
            with suppress(OSError):
                os.removedirs(path.parent)

    def names(self, folder: str) -> list[str]:
        """The names below a folder; what is being written is not among them."""
        return sorted(path.relative_to(self._folder).as_posix() for path in (self._folder / folder).rglob("*")
                      if not path.name.startswith(".") and path.is_file())

    def check(self) -> None:
        """Raise InputError unless a content can be written, read and deleted."""
        name = f"check/{secrets.token_hex(8)}"
        self.put(name, b"ragdash")
        self.get(name)
        self.delete([name])

    def _unusable(self, error: OSError) -> InputError:
        return InputError([Problem("unusable-blobs", {"reason": error.strerror or str(error)}, self.location)])
