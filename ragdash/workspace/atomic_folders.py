"""Folders of Parquet files that are there whole or not at all: written next to it, synced to disk, then renamed."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import make_private_folder, open_private, sync_folder

NEW = "new"  # what is being written; what a killed process left there is cleared away
LEFT = 24 * 3600  # seconds after which it is


def publish(target: Path, tables: Mapping[str, pa.Table]) -> bool:
    """Make the folder `place` with a Parquet file for each table; False where it is there already.

    When it returns everything is on the disk. Raises OSError, and then nothing is at `place`.
    """
    staging = target.parent.parent / NEW
    for folder in (staging, target.parent):
        make_private_folder(folder)
    temporary = Path(tempfile.mkdtemp(dir=staging))
    try:
        _clear(staging, temporary)
        for name, table in tables.items():
            with open_private(temporary / f"{name}.parquet", "wb") as file:
                pq.write_table(table, file, compression="zstd", write_page_checksum=True)
                file.flush()
                os.fsync(file.fileno())
        sync_folder(temporary)
        os.rename(temporary, target)  # fails where a folder with files is there
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) and not (os.name == "nt" and target.exists()):
            raise
        return False
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    sync_folder(target.parent)
    return True


def fetch(folder: Path) -> dict[str, pa.Table]:
    """The tables of a folder, every page checked by its checksum. Raises OSError or pa.ArrowException."""
    return {path.stem: pq.ParquetFile(path, page_checksum_verification=True).read()
            for path in sorted(folder.glob("*.parquet"))}


def size(folder: Path) -> int:
    """Bytes of the files of a folder."""
    return sum(path.stat().st_size for path in folder.glob("*.parquet"))


def set_aside(path: Path, root: Path) -> Path:
    """Move a file or folder that is broken to root/broken, under a name that is free there; where it is now."""
    folder = root / "broken"
    make_private_folder(folder)
    names = (f"{path.name}{'' if n == 1 else f'-{n}'}" for n in range(1, 10_000))
    target = folder / next(name for name in names if not (folder / name).exists())
    os.rename(path, target)
    return target


def discard(folder: Path) -> None:
    """Take a folder away: at once out of sight, then from the disk. One that is not there is no matter."""
    if not folder.exists():
        return
    staging = folder.parent.parent / NEW
    try:
        staging.mkdir(mode=0o700, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=staging))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        shutil.rmtree(folder)  # no room for another folder, and this one makes room
        return
    try:
        os.rename(folder, temporary / folder.name)
    except FileNotFoundError:
        return
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def unusable(path: Path, error: OSError) -> InputError:
    """The problem of a place that cannot be read or written."""
    message = {errno.ENOSPC: "unusable-workspace/full", errno.EDQUOT: "unusable-workspace/quota",
               errno.EROFS: "unusable-workspace/read-only", errno.EACCES: "unusable-workspace/read-only",
               }.get(error.errno, "unusable-workspace")
    return InputError([Problem(message, {"reason": error.strerror or str(error)}, str(path))])


def is_broken(error: Exception) -> bool:
    """Whether what is in a file is at fault, not the disk or the permission to read it."""
    return not isinstance(error, OSError) or error.errno in (None, errno.ENOENT, errno.ENOTDIR)


def _clear(staging: Path, fresh: Path) -> None:
    """Remove what processes that were killed have left; the disk's own clock gives the age."""
    clock = fresh.stat().st_mtime
    for path in staging.iterdir():
        try:
            old = path != fresh and clock - path.stat().st_mtime > LEFT
        except FileNotFoundError:
            continue  # another process cleared it
        if old:
            shutil.rmtree(path, ignore_errors=True)
