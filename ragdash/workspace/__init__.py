"""What is kept on disk so that a restart loses nothing: runs, truths, mappings, prices (docs/workspace.md)."""

from ragdash.workspace.catalogue import Kept
from ragdash.workspace.store import Workspace

__all__ = ["Kept", "Workspace"]
