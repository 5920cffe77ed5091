"""The command line, and the files, reports and pictures that are written."""

from ragdash.core.messages.commands import engines, general, tracking

MESSAGES = {**engines.MESSAGES, **general.MESSAGES, **tracking.MESSAGES}
