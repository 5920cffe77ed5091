"""Batch files: the questions of a round written for a provider's batch service, its replies read into the ledger."""
