"""Shapes of JSON files that become lists of records: values by query id, steps of agents, logs with other events."""
