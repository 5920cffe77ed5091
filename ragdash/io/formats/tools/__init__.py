"""Files of single tools that are no list of queries: each converter makes native objects of one tool's file."""

from ragdash.io.formats.tools import judgments, llamaindex, logs

__all__ = ["judgments", "llamaindex", "logs"]
