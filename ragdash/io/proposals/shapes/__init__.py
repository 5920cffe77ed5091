"""Shapes of files and of their columns: values by query id, steps of agents, logs with other events, configurations."""
