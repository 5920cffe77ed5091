"""Messages about judges: asking them, and judging by batches."""

from ragdash.core.messages.judge import asking, batches, examples, versions
from ragdash.core.messages.message import Message

MESSAGES: dict[str, Message] = {**asking.MESSAGES, **batches.MESSAGES, **examples.MESSAGES,
                                **versions.MESSAGES}
