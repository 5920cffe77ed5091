"""The command line, and the files, reports and pictures that are written."""

from ragdash.core.messages.commands import engines, general, options, tracking

MESSAGES = {**engines.MESSAGES, **general.MESSAGES, **options.MESSAGES, **tracking.MESSAGES}
