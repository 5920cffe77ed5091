"""LangChain: retrievers and chains, anything with `invoke`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_ANSWERS = ("answer", "result", "output")
_CONTEXTS = ("context", "source_documents", "documents")


def adapted(runnable) -> Callable[[str], object]:
    """A function that invokes a retriever with the question, or a chain with {"input": question} where it takes a dict.

    A retriever returns documents. Of a chain, "answer" (or result, output) is the answer, and "context" (or
    source_documents, documents) the documents.
    """
    def ask(question: str) -> object:
        schema = getattr(runnable, "input_schema", None)
        names = list(getattr(schema, "model_fields", {}) or {})
        names = [] if names == ["root"] else names
        value = runnable.invoke({names[0]: question} if names else question)
        return outcome(value)

    return ask


def outcome(value: object) -> object:
    """What a runnable returned, as `record_retriever` takes it."""
    if isinstance(value, list):
        return [document_fields(document) for document in value]
    if isinstance(value, Mapping):
        answer = next((value[name] for name in _ANSWERS if value.get(name) is not None), None)
        documents = next((value[name] for name in _CONTEXTS if isinstance(value.get(name), list)), None)
        return {"answer": _text(answer), "documents": None if documents is None else outcome(documents),
                "contexts": None if documents is None else [getattr(item, "page_content", str(item))
                                                            for item in documents],
                "usage": getattr(answer, "usage_metadata", None)}
    return {"answer": _text(value), "usage": getattr(value, "usage_metadata", None)}


def document_fields(document) -> dict:
    """A Document: its id, or doc_id, id or source of its metadata; its text, score and source.

    LangChain's vector stores return the score apart from the document: a (document, score) pair is taken too.
    """
    score = None
    if isinstance(document, tuple):
        document, score = document
    metadata = document.metadata
    names = ("doc_id", "id", "_id", "chunk_id", "source")
    doc_id = document.id or next((metadata[name] for name in names if metadata.get(name) is not None), None)
    score = next((value for value in (score, metadata.get("score"), metadata.get("relevance_score"))
                  if value is not None), None)
    return {"doc_id": doc_id, "text": document.page_content, "score": score,
            "source": None if metadata.get("source") is None else str(metadata["source"])}


def _text(answer: object) -> str | None:
    """The text of an answer; that of a message is its content."""
    content = getattr(answer, "content", answer)
    return content if content is None or isinstance(content, str) else str(content)
