"""What is kept on disk or in a database: the workspace with its reviews, and recorded runs."""

from ragdash.core.messages.workspace import databases, jobs, recordings, storage

MESSAGES = {**storage.MESSAGES, **databases.MESSAGES, **jobs.MESSAGES, **recordings.MESSAGES}
