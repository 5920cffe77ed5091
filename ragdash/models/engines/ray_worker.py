"""What runs on a worker of a cluster: it reads the task once, and does shards.

Older and newer drivers call `run_shard` too. Its arguments stay as they are, and all that depends on the version is
inside bytes.
"""

from __future__ import annotations

import pickle
import socket
from functools import lru_cache
from importlib import import_module
from typing import Any

from ragdash.core.errors import InputError, Problem


def installed_version() -> str:
    """The version of ragdash on this machine."""
    return import_module("ragdash").__version__


def run_shard(version: str, work: bytes, shard: bytes) -> Any:
    """The result of a shard. version: of the driver's ragdash. InputError where the one of this machine is another."""
    if version != installed_version():
        facts = {"version": version, "other": installed_version(), "host": socket.gethostname()}
        raise InputError([Problem("ray-other-version", facts, field="--engine")])
    return _read(work)(pickle.loads(shard))


@lru_cache(maxsize=1)
def _read(work: bytes) -> Any:
    """The work, with what it has loaded, kept from one shard to the next."""
    return pickle.loads(work)
