"""LlamaIndex: retrievers and query engines."""

from __future__ import annotations

from collections.abc import Callable

from ragdash.core.errors import InputError, Problem


def adapted(engine) -> Callable[[str], object]:
    """A function that calls `retrieve` of a retriever or `query` of a query engine."""
    if hasattr(engine, "query"):
        return lambda question: response_fields(engine.query(question))
    if hasattr(engine, "retrieve"):
        return lambda question: [node_fields(item) for item in engine.retrieve(question)]
    raise InputError([Problem("recording/retriever", {"kind": type(engine).__name__}, field="retriever")])


def node_fields(item) -> dict:
    """A NodeWithScore: the id of its node, its text and score, and the document that the node was cut from."""
    source = item.node.ref_doc_id
    return {"doc_id": item.node.node_id, "text": item.node.get_content(), "score": item.score, "source": source}


def response_fields(response) -> dict:
    """The answer of a query engine with the nodes that it was written from."""
    documents = [node_fields(item) for item in response.source_nodes]
    return {"answer": str(response), "documents": documents, "contexts": [fields["text"] for fields in documents]}
