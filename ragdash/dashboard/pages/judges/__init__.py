"""The Judges page: run an LLM judge, see its results, import and export verdicts."""
