"""Opens the store of what models said: a file of the user, or the database that servers share."""

from __future__ import annotations

from ragdash.core.paths import cache_folder
from ragdash.core.storage.addresses import DatabaseAddress, workspace_database
from ragdash.core.storage.shared import open_database
from ragdash.models.local.score_cache import FILE, ScoreCache


def default_score_cache() -> ScoreCache:
    """The user's store: a file, or the database that servers share."""
    address = workspace_database()
    return ScoreCache(cache_folder() / FILE) if address is None else scores_in(address)


def scores_in(address: DatabaseAddress) -> ScoreCache:
    """The store in a database."""
    database = open_database(address)
    from ragdash.models.local.shared_score_cache import SharedScoreCache

    return SharedScoreCache(cache_folder() / FILE, database, address.project)
