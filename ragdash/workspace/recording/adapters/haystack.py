"""Haystack: pipelines, and components such as retrievers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_QUESTIONS = ("query", "question", "text", "prompt")


def adapted(pipeline) -> Callable[[str], object]:
    """A function that runs a pipeline; the question goes to each open input called query, question, text or prompt.

    The documents are those of the component that was added last among those that return documents, such as a ranker.
    """
    if hasattr(pipeline, "inputs"):
        inputs = pipeline.inputs()
        names = {component: [name for name in _QUESTIONS if name in sockets] for component, sockets in inputs.items()}
        outputs = pipeline.outputs(include_components_with_connected_outputs=True)
        return_documents = [component for component, sockets in outputs.items() if "documents" in sockets]

        def ask(question: str) -> dict:
            data = {component: dict.fromkeys(sockets[:1], question) for component, sockets in names.items() if sockets}
            results = pipeline.run(data, include_outputs_from=set(return_documents))
            inner = {component: results[component] for component in return_documents if component in results}
            return outcome({name: values for name, values in results.items() if name not in inner} | inner)

        return ask
    return lambda question: outcome({"component": pipeline.run(query=question)})


def outcome(outputs: Mapping[str, Mapping]) -> dict:
    """Documents and answer of the components at the end of a pipeline."""
    fields: dict = {}
    for values in outputs.values():
        if values.get("documents") is not None:
            fields["documents"] = [document_fields(document) for document in values["documents"]]
        for name in ("replies", "answers"):
            if values.get(name):
                fields["answer"] = _text(values[name][0])
        meta = next((item for item in values.get("meta") or () if isinstance(item, Mapping)), {})
        if meta.get("usage"):
            fields["usage"] = meta["usage"]
    return fields


def document_fields(document) -> dict:
    """A Document: its id, text and score; doc_id of its meta data comes first, because Haystack's ids are digests."""
    meta = document.meta or {}
    source = next((str(meta[name]) for name in ("source", "file_path", "source_id") if meta.get(name)), None)
    return {"doc_id": meta.get("doc_id", document.id), "text": document.content, "score": document.score,
            "source": source}


def _text(reply: object) -> str:
    """The text of a reply: text, a chat message, or an answer with its data."""
    for name in ("text", "data"):
        if isinstance(getattr(reply, name, None), str):
            return getattr(reply, name)
    return str(reply)
