"""The ledger in words, as reports say it too: ragdash.wording.findings."""

from ragdash.wording.findings import *  # noqa: F403
