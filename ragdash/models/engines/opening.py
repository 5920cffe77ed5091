"""Opens an engine by its name, and finds the cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec

from ragdash.core.errors import InputError, Problem
from ragdash.models.engines.protocols import LOCAL, Engine

ENGINES = ("local", "ray")
VARIABLE = "RAY_ADDRESS"


def open_engine(name: str) -> Engine:
    """The engine of this name. A cluster is contacted with the first shard.

    Raises
    ------
    InputError
        There is no such engine, Ray is not installed, or its address is missing or of another kind.

    Examples
    --------
    >>> open_engine("local").name
    'local'
    """
    if name == "local":
        return LOCAL
    if name != "ray":
        raise InputError([Problem("unknown-engine", {"engine": name, "engines": list(ENGINES)}, field="--engine")])
    if find_spec("ray") is None:
        raise InputError([Problem("ray-not-installed", field="--engine")])
    from ragdash.models.engines.ray_engine import RayEngine, is_connected

    return RayEngine("auto" if is_connected() else cluster_address())


def cluster_address(given: Mapping[str, str] | None = None) -> str:
    """The address of the cluster: "auto" for the one that this machine is part of, or host:port.

    Examples
    --------
    >>> cluster_address({"RAY_ADDRESS": "10.0.0.1:6379"})
    '10.0.0.1:6379'
    """
    address = (os.environ if given is None else given).get(VARIABLE, "").strip()
    if not address or address == "local":
        raise InputError([Problem("no-ray-cluster", {"address": address}, field=VARIABLE)])
    scheme, separator, _ = address.partition("://")
    if separator:
        message = "wrong-ray-address/client" if scheme == "ray" else "wrong-ray-address/jobs"
        raise InputError([Problem(message, {"address": address}, field=VARIABLE)])
    return address
