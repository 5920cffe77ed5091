"""Runs that `ragdash.record` wrote: a folder each, with header.json and results.jsonl."""
