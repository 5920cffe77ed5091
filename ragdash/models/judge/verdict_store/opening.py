"""Opens the verdict store of the user: a file of the workspace, or the database that servers share."""

from __future__ import annotations

from pathlib import Path

from ragdash.core.paths import workspace
from ragdash.core.storage.addresses import DatabaseAddress, database_address, is_address, workspace_database
from ragdash.core.storage.shared import open_database
from ragdash.models.judge.verdict_store.store import FILE, VerdictStore


def default_verdict_store() -> VerdictStore:
    """The user's verdict store: a file, or the database that servers share."""
    address = workspace_database()
    return VerdictStore(workspace() / FILE) if address is None else verdicts_in(address)


def verdicts_in(address: DatabaseAddress) -> VerdictStore:
    """The verdict store in a database."""
    database = open_database(address)
    from ragdash.models.judge.verdict_store.postgres import SharedVerdictStore

    return SharedVerdictStore(workspace() / FILE, database, address.project)


def verdicts_at(location: str) -> VerdictStore:
    """The verdict store of a workspace, by its folder or the address of its database."""
    return verdicts_in(database_address(location)) if is_address(location) else VerdictStore(Path(location) / FILE)
