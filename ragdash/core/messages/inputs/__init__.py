"""What people give: files, their columns and values, proposals of how to read them, and objects of Python programs."""

from ragdash.core.messages.inputs import columns, encodings, proposals, python_objects, reading, values

MESSAGES = {**reading.MESSAGES, **columns.MESSAGES, **values.MESSAGES, **encodings.MESSAGES,
            **proposals.MESSAGES, **python_objects.MESSAGES}
