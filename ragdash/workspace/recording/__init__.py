"""Record runs from Python: `record` query by query, `record_retriever` with a retriever and questions."""

from ragdash.workspace.recording.recorder import QueryRecord, Recording, RecordingWarning, record
from ragdash.workspace.recording.retriever import record_retriever

__all__ = ["QueryRecord", "Recording", "RecordingWarning", "record", "record_retriever"]
