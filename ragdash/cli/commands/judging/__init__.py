"""Commands about LLM judges and their verdicts."""
