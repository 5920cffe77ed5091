"""The command line, and the files, reports and pictures that are written."""

from ragdash.core.messages.commands import engines, general, options, pytest_groups, tracking

MESSAGES = {**engines.MESSAGES, **general.MESSAGES, **options.MESSAGES, **pytest_groups.MESSAGES, **tracking.MESSAGES}
