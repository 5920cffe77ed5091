"""The endpoint last asked, remembered for the next session: its address, protocol and model, never its key."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson

from ragdash.core.paths import make_private_folder, workspace
from ragdash.models.judge.endpoint import Endpoint

FILE = "judge_endpoint.json"


@dataclass(frozen=True)
class LastEndpoint:
    """kind: the protocol."""

    kind: str
    base_url: str
    model: str


def remember_endpoint(endpoint: Endpoint) -> None:
    """Keep the address, protocol and model; where the disk does not allow it, nothing happens."""
    with suppress(OSError):
        make_private_folder(workspace())
        (Path(workspace()) / FILE).write_bytes(orjson.dumps(
            {"kind": endpoint.kind, "base_url": endpoint.base_url, "model": endpoint.model}))


def last_endpoint() -> LastEndpoint | None:
    """The endpoint last asked; None for none."""
    try:
        row = orjson.loads((workspace() / FILE).read_bytes())
        return LastEndpoint(str(row["kind"]), str(row["base_url"]), str(row["model"]))
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        return None
