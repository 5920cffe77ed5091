"""What is kept on disk: the workspace with its reviews, and recorded runs."""

from ragdash.core.messages.workspace import recordings, storage

MESSAGES = {**storage.MESSAGES, **recordings.MESSAGES}
