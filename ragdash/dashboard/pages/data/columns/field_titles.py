"""What the fields of a file are called on the Data page, and the columns they come from in words."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.reporting.sentences import formatting as fmt

MAX_COLUMNS = 3  # columns named; more are counted
FIELD_TITLES = {
    "query_id": "Query id", "query": "Question", "config": "Configuration (one run each)", "doc_id": "Document id",
    "retrieved": "Retrieved documents (list)", "relevant": "Relevant documents (list)", "grade": "Grade (judgment)",
    "score": "Score", "rank": "Rank", "text": "Text of the document", "source": "Source of the chunk",
    "contexts": "Contexts", "answer": "Answer", "answers": "Reference answers", "evidence": "Evidence",
    "latency_ms": "Latency in ms", "usage": "Token usage", "prompt_tokens": "Prompt tokens",
    "completion_tokens": "Completion tokens", "cost_usd": "Cost in USD", "settings": "Settings",
    "attributes": "Attributes (object)", "attribute": "Attribute of the query",
}
TITLES = {**FIELD_TITLES, "retrieved": "Retrieved documents", "relevant": "Relevant documents",
          "scores": "Scores in the file", "labels": "Labels in the file", "attributes": "Attributes",
          "latency_ms": "Latency", "latency_s": "Latency in s"}


def column_text(path: str) -> str:
    """The columns of a meaning: "a, b, c and 4 more"; a key of the file in words."""
    if set(path) == {"*"}:
        return "the key of each record"
    return shortened(path.split("+"), MAX_COLUMNS)


def shortened(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are."""
    return fmt.listed([*names[:most], f"{len(names) - most} more"] if len(names) > most else list(names))
