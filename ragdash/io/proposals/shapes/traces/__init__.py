"""Traces: the steps of an agent or a program within a query, and what is only logged."""
