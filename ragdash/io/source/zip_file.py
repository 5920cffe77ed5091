"""Read zip archives (Excel workbooks too), after checks for unsafe paths and sizes."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO

from ragdash.core.errors import InputError
from ragdash.io.source.limits import MAX_BYTES, is_bomb
from ragdash.io.source.source import Source

MAX_MEMBERS = 10_000
_ZIP_ERRORS = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, OSError, EOFError, ValueError,
           NotImplementedError, RuntimeError)  # what zipfile raises; RuntimeError for a password
_OF_WINDOWS = (0, 10)  # the systems that a zip archive calls FAT and NTFS
_UNSAFE_PATH = re.compile(r"^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)|\0")


@dataclass(frozen=True)
class Member:
    """A file in an archive: its path there, and its content."""

    path: str
    content: bytes


@contextmanager
def open_archive(source: Source, stream: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """The checked archive; errors raised inside of the block become InputError."""
    try:
        with zipfile.ZipFile(stream) as archive:
            _check_archive(source, archive)
            yield archive
    except InputError:
        raise
    except _ZIP_ERRORS as error:
        locked = "password" in str(error) or "encrypted" in str(error)
        source.fail("locked-archive" if locked else "corrupt-file/archive", {"error": str(error)})


def is_workbook(source: Source) -> bool:
    """True for a zip archive that is an Excel workbook."""
    with source.stream() as stream, open_archive(source, stream) as archive:
        names = set(archive.namelist())
        if "mimetype" in names and "content.xml" in names:
            source.fail("binary-file/opendocument")
        return "xl/workbook.xml" in names or "xl/workbook.bin" in names


def read_members(source: Source) -> list[Member]:
    """The files of an archive, sorted by path, without files that operating systems add."""
    with source.stream() as stream, open_archive(source, stream) as archive:
        infos = sorted((info for info in archive.infolist() if not info.is_dir() and not _is_system_file(_path(info))),
                       key=_path)
        return [Member(_path(info), archive.read(info)) for info in infos]


def empty_members(source: Source) -> list[str]:
    """The paths of the files of an archive that have no bytes."""
    with source.stream() as stream, open_archive(source, stream) as archive:
        return sorted(_path(info) for info in archive.infolist()
                      if not info.is_dir() and not info.file_size and not _is_system_file(_path(info)))


def _path(info: zipfile.ZipInfo) -> str:
    """The path of a member. Some programs of Windows write backslashes between folders; elsewhere one is of a name."""
    return info.filename.replace("\\", "/") if info.create_system in _OF_WINDOWS else info.filename


def _is_system_file(path: str) -> bool:
    names = PurePosixPath(path).parts
    return "__MACOSX" in names or names[-1].startswith(".") or names[-1] in ("Thumbs.db", "desktop.ini")


def _check_archive(source: Source, archive: zipfile.ZipFile) -> None:
    """Raise for archives with unsafe paths, too many files or decompression bombs."""
    infos = archive.infolist()
    unsafe_path = next((info.filename for info in infos
                    if _UNSAFE_PATH.search(info.filename) or not PurePosixPath(info.filename).parts), None)
    if unsafe_path is not None:
        source.fail("unsafe-path", {"path": unsafe_path})
    path, times = Counter(map(_path, infos)).most_common(1)[0] if infos else ("", 0)
    if times > 1:
        source.fail("repeated-member", {"path": path, "times": times})
    if len(infos) > MAX_MEMBERS:
        source.fail("too-many-files", {"files": len(infos), "most": MAX_MEMBERS})
    total, packed = sum(info.file_size for info in infos), sum(info.compress_size for info in infos)
    if total > MAX_BYTES or is_bomb(total, packed) or any(is_bomb(i.file_size, i.compress_size) for i in infos):
        source.fail("zip-bomb/archive", {"packed": packed, "size": total, "most": MAX_BYTES})
