"""The command line, and the files, reports and pictures that are written."""

from ragdash.core.messages.commands import general, tracking

MESSAGES = {**general.MESSAGES, **tracking.MESSAGES}
