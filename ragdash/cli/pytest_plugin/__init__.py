"""The pytest plugin: tests log what a retriever returned, and the session ends with one verdict per group."""
