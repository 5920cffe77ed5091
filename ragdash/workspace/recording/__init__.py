"""Record runs: `record` query by query, `record_retriever` with a retriever, `langchain_callback` in an application."""

from ragdash.workspace.recording.adapters.langchain_callback import langchain_callback
from ragdash.workspace.recording.recorder import QueryRecord, Recording, RecordingWarning, record
from ragdash.workspace.recording.retriever import record_retriever

__all__ = ["QueryRecord", "Recording", "RecordingWarning", "langchain_callback", "record", "record_retriever"]
