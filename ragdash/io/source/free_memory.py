"""Whether a file can be read in the memory that is free.

Arrow ends the process, without an error that Python sees, where one of its threads gets no memory. So large files are
refused before they are read if they cannot fit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

HARMLESS_BYTES = 16 << 20  # of a file that is read whatever is free
ADDRESSES = 4  # bytes of address space for each byte of a file, next to what threads and allocators reserve
RESERVED = 400 << 20
MEMORY = Path("/proc/meminfo")
PROCESS = Path("/proc/self/status")
CGROUP = Path("/sys/fs/cgroup/memory.max")


def too_little_memory(size: int) -> int | None:
    """The free bytes if a file of this size cannot be read with them; None if it can, or if the system does not say.

    Examples
    --------
    >>> too_little_memory(1000) is None  # small files are always read
    True
    """
    if size <= HARMLESS_BYTES:
        return None
    return next((max(free, 0) for free, needed in _limits(size) if free < needed), None)


def _limits(size: int) -> Iterator[tuple[int, int]]:
    """(free bytes, needed bytes) of each limit that is known: addresses, the container, the machine."""
    process, machine = _kilobytes(PROCESS), _kilobytes(MEMORY)
    limit = -1 if resource is None else resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit >= 0 and "VmSize" in process:
        yield limit - process["VmSize"], ADDRESSES * size + RESERVED
    with suppress(OSError, ValueError):  # no container, or the word max
        yield int(CGROUP.read_text()) - process.get("VmRSS", 0), size
    if "MemAvailable" in machine:
        yield machine["MemAvailable"] + machine.get("SwapFree", 0), size


def _kilobytes(path: os.PathLike) -> dict[str, int]:
    """The sizes of a file of /proc in bytes by name; empty where there is no such file."""
    try:
        rows = (line.split() for line in Path(path).read_text().splitlines())
        return {row[0].rstrip(":"): int(row[1]) << 10 for row in rows if row[2:] == ["kB"]}
    except (OSError, ValueError):
        return {}
