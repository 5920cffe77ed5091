"""Storage on disk that survives a restart: runs, truths, mappings, prices (docs/reference/workspace.md)."""

from ragdash.workspace.catalogue import CatalogueEntry
from ragdash.workspace.store import Workspace

__all__ = ["CatalogueEntry", "Workspace"]
