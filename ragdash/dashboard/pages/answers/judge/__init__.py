"""The LLM judge tab: run an LLM judge, see its results, import and export verdicts."""
