"""Storage on disk that survives a restart: runs, truths, their versions, mappings, prices.

See docs/reference/workspace.md.
"""

from ragdash.workspace.catalogue import CatalogueEntry
from ragdash.workspace.store import Workspace
from ragdash.workspace.truth_versions import TruthVersion, family

__all__ = ["CatalogueEntry", "TruthVersion", "Workspace", "family"]
