"""Storage that survives a restart: runs, truths, their versions, mappings, prices; in a folder or a shared database.

See docs/reference/workspace.md.
"""

from ragdash.workspace.opening import open_workspace, user_workspace
from ragdash.workspace.protocols import CatalogueEntry
from ragdash.workspace.store import Workspace
from ragdash.workspace.truth_versions import TruthVersion, family

__all__ = ["CatalogueEntry", "TruthVersion", "Workspace", "family", "open_workspace",
           "user_workspace"]
