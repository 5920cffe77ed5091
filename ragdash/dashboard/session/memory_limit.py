"""How much memory loaded runs may take."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "RAGDASH_MEMORY"
SHARE = 0.5  # of the memory of the machine or container; the rest is for reading, computing and drawing
FALLBACK = 4 << 30  # where the system does not say how much there is
CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def memory_limit() -> int:
    """Bytes that loaded runs may take: RAGDASH_MEMORY in GB, else half of what the machine or its container has."""
    try:
        chosen = float(os.environ.get(VARIABLE, ""))
    except ValueError:
        chosen = 0.0
    return int(chosen * 2**30) if 0 < chosen < float("inf") else int(SHARE * _available())


def _available() -> int:
    """Bytes of memory of the machine, or of the container if that is less."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not POSIX
        return int(FALLBACK / SHARE)
    limits = [machine]
    for path in CGROUPS:
        try:
            limits.append(int(path.read_text()))
        except (OSError, ValueError):  # no container, or the word max
            continue
    return min(limits)
