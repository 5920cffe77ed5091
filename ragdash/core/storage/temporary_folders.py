"""Folders in the temporary folder for the files of a process at work, and what killed processes left there.

The name of a folder says which process it belongs to: ragdash-<kind>-<place>-<process>-<start>-<random>. A process
that was killed cannot take its folder away; the next start of a worker or a dashboard does.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import stat
import tempfile
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

_PROCESSES = Path("/proc")
_NAME = re.compile(r"ragdash-[a-z-]+-(?P<place>[0-9a-f]{8})-(?P<process>[0-9]+)-(?P<start>[0-9]+)-[^-]+")


def temporary_folder(kind: str) -> tempfile.TemporaryDirectory[str]:
    """A folder that goes away with its context, or at the next start of a program if this process is killed.

    Examples
    --------
    >>> with temporary_folder("job") as folder:
    ...     Path(folder).name.startswith("ragdash-job-")
    True
    """
    owner = f"{_place()}-{os.getpid()}-{_start_of(os.getpid()) or 0}"
    return tempfile.TemporaryDirectory(prefix=f"ragdash-{kind}-{owner}-", ignore_cleanup_errors=True)


def remove_leftovers() -> int:
    """Remove the folders of this user's processes on this machine that have ended; how many.

    A number is used again for another process: that one began at another time.
    """
    removed = 0
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).iterdir():
            name = _NAME.fullmatch(path.name)
            if name and name["place"] == _place() and _is_own(path) and _has_ended(int(name["process"]), name["start"]):
                shutil.rmtree(path, ignore_errors=True)
                removed += not path.exists()
    return removed


def _place() -> str:
    """Where the numbers of processes mean the same: this host, and in it this container."""
    try:
        space = os.readlink(_PROCESSES / "self" / "ns" / "pid")
    except OSError:
        space = ""
    return blake2b(f"{socket.gethostname()} {space}".encode(), digest_size=4).hexdigest()


def _is_own(path: Path) -> bool:
    """Whether it is a folder, no link to one, and of this user."""
    try:
        facts = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == getattr(os, "getuid", lambda: facts.st_uid)()


def _has_ended(process: int, start: str) -> bool:
    """Whether no process has this number, or one that began later; False where that cannot be known."""
    if _start_of(os.getpid()):
        return _start_of(process) != start
    if os.name != "posix":
        return False  # a signal would end the process there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass
    return False


def _start_of(process: int) -> str | None:
    """When a process began, in ticks since the machine did; None where there is none, or the system does not say."""
    try:
        return (_PROCESSES / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None
