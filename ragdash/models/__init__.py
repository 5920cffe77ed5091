"""Models that are asked: local ones (embeddings, cross-encoders, NLI) and LLM judges behind an endpoint."""
