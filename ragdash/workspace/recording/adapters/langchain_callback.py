"""LangChain: a callback handler that records the requests of an application while it runs.

LangChain calls the handler for each step of a request: chains, retrievers, models and tools, each with the id of the
step that called it. The handler only keeps what it gets. When the outermost step ends, the request is one query.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ragdash.core.errors import InputError, Problem
from ragdash.core.records.arguments import checked
from ragdash.core.text.quoted import error_words
from ragdash.workspace.recording.adapters.langchain import document_fields, outcome
from ragdash.workspace.recording.recorder import Recording, RecordingWarning
from ragdash.workspace.recording.result_lines import TOKENS, tokens_of

_QUESTIONS = ("input", "question", "query", "messages")


@checked
def langchain_callback(run: Recording) -> Any:
    """A LangChain callback handler that adds each request of an application to an open recording.

    Parameters
    ----------
    run
        What `ragdash.record` returned. Close it only when the last request is answered.

    Returns
    -------
    langchain_core.callbacks.BaseCallbackHandler
        For `config={"callbacks": [handler]}`. One handler may serve many threads and async tasks. The query id is
        "query_id" of the metadata of the call, else the text of the question. A query that cannot be added is a
        failure of the run, and a RecordingWarning gives the reason; the application goes on.

    Raises
    ------
    InputError
        If langchain-core is not installed.

    Examples
    --------
    >>> import ragdash
    >>> from ragdash.workspace.recording import langchain_callback
    >>> with ragdash.record("assistant") as run:  # doctest: +SKIP
    ...     chain.invoke("Who?", {"callbacks": [langchain_callback(run)], "metadata": {"query_id": "q1"}})
    """
    try:
        from langchain_core.callbacks import BaseCallbackHandler
    except ImportError:
        raise InputError([Problem("package-not-installed", {"package": "langchain-core"})]) from None
    # Inline: times are those of the steps, not of a thread that waits for its turn.
    handler = type("RecordingCallback", (_Events, BaseCallbackHandler), {"run_inline": True})
    return handler(run)


@dataclass
class _Request:
    """What is known of a request so far."""

    root: object
    metadata: Mapping
    question: str | None
    began: float
    rankings: dict[object, Iterable | None] = field(default_factory=dict)  # of its retrievers, in order of their start
    replies: list[Any] = field(default_factory=list)  # of models; those that retrievers use count for tokens only
    answers: list[str] = field(default_factory=list)
    spans: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    failure: BaseException | None = None


@dataclass
class _Step:
    """A step of a request: "chain", "retrieval", "generation" or "tool"."""

    request: _Request
    kind: str
    began: float
    inside: bool  # of a retriever: its result is that of the outer one


class _Events:
    """The methods that LangChain calls."""

    def __init__(self, run: Recording):
        self.recording = run
        self._steps: dict[object, _Step] = {}
        self._guard = threading.Lock()

    def on_chain_start(self, serialized: object, inputs: object, **event: Any) -> None:
        """Keep the question of the outermost chain."""
        self._start("chain", _question(inputs), event)

    def on_chain_end(self, outputs: object, **event: Any) -> None:
        """Add the request where this was its outermost step."""
        self._end(event, outputs)

    def on_chain_error(self, error: BaseException, **event: Any) -> None:
        """Add the request as a failure where this was its outermost step."""
        self._end(event, error=error)

    def on_tool_start(self, serialized: object, input_str: str, **event: Any) -> None:
        """Follow a tool: it may call a retriever."""
        self._start("tool", None, event)

    def on_tool_end(self, output: object, **event: Any) -> None:
        """Follow a tool."""
        self._end(event)

    def on_tool_error(self, error: BaseException, **event: Any) -> None:
        """Follow a tool; the chain may go on without it."""
        self._end(event, error=error)

    def on_retriever_start(self, serialized: object, query: str, **event: Any) -> None:
        """Begin to time a retriever."""
        self._start("retrieval", query, event)

    def on_retriever_end(self, documents: Iterable, **event: Any) -> None:
        """Keep the documents, unless another retriever asked for them."""
        self._end(event, documents)

    def on_retriever_error(self, error: BaseException, **event: Any) -> None:
        """Keep the failure: it counts where no other retriever of the request returned documents."""
        self._end(event, error=error)

    def on_llm_start(self, serialized: object, prompts: list[str], **event: Any) -> None:
        """Begin to time a model."""
        self._start("generation", prompts[0] if prompts else None, event)

    def on_chat_model_start(self, serialized: object, messages: list[list], **event: Any) -> None:
        """Begin to time a chat model."""
        self._start("generation", _question(messages[0]) if messages else None, event)

    def on_llm_end(self, response: object, **event: Any) -> None:
        """Keep the text and the tokens of a model."""
        self._end(event, response)

    def on_llm_error(self, error: BaseException, **event: Any) -> None:
        """Follow a model; the chain may go on with another."""
        self._end(event, error=error)

    def _start(self, kind: str, question: str | None, event: Mapping) -> None:
        began = time.perf_counter()
        with self._guard:
            parent = self._steps.get(event.get("parent_run_id"))
            request = parent.request if parent else _Request(event["run_id"], event.get("metadata") or {}, None, began)
            inside = parent is not None and (parent.inside or parent.kind == "retrieval")
            if parent is None or (kind == "retrieval" and not request.question):
                request.question = question or None
            if kind == "retrieval" and not inside:
                request.rankings[event["run_id"]] = None
            self._steps[event["run_id"]] = _Step(request, kind, began, inside)

    def _end(self, event: Mapping, value: Any = None, error: BaseException | None = None) -> None:
        ended = time.perf_counter()
        with self._guard:
            step = self._steps.pop(event["run_id"], None)
            if step is None:
                return
            request = step.request
            if error is None and step.kind == "generation":
                request.replies.append(value)
                if not step.inside:
                    request.answers.extend(_reply_texts(value))
            if not step.inside and step.kind in ("retrieval", "generation"):
                request.spans.setdefault(step.kind, []).append((step.began, ended))
                if step.kind == "retrieval":
                    request.rankings[event["run_id"]] = value
                    request.failure = error or request.failure
            if event["run_id"] != request.root:
                return
            self._steps = {key: other for key, other in self._steps.items() if other.request is not request}
        request.question = request.question or _question(event.get("inputs"))
        self._add(request, value if step.kind == "chain" else None, error, (ended - request.began) * 1000)

    def _add(self, request: _Request, output: object, error: BaseException | None, total: float) -> None:
        """Add the request to the run; as a failure, with a warning, where it cannot be a result."""
        query_id = request.metadata.get("query_id") or request.question or str(request.root)
        if all(documents is None for documents in request.rankings.values()):
            error = error or request.failure
        if error is not None and not isinstance(error, Exception):  # an interruption, no result of the application
            return
        try:
            if error is not None:
                self.recording.fail(query_id, error, query=request.question, latency_ms=total)
                return
            fields = _result(request, output)
            if fields is not None:
                latency = {name: _covered(spans) for name, spans in request.spans.items()}
                self.recording.add_fields(query_id, fields.pop("documents"), {
                    **fields, "query": request.question, "latency_ms": {**latency, "total": total}})
        except (InputError, AttributeError, KeyError, TypeError, ValueError) as reason:
            self._refuse(query_id, request.question, reason, total)

    def _refuse(self, query_id: object, question: str | None, reason: Exception, total: float) -> None:
        """Keep the reason as a failure where the run has no result of the query, and show it: LangChain would not."""
        with suppress(InputError):  # added before, closed, or a full disk: the reason says so
            self.recording.fail(str(query_id), reason, query=question, latency_ms=total)
        if not isinstance(reason, InputError):
            reason = InputError([Problem("recording/callback", {
                "query": str(query_id), "reason": error_words(reason)})])
        warnings.warn(str(reason), RecordingWarning, stacklevel=2)


def _result(request: _Request, output: object) -> dict[str, Any] | None:
    """The parameters of `Recording.add`; None where no retriever or model took part and no documents are returned."""
    value: dict[str, Any] = {}
    if isinstance(output, Mapping):
        value = dict(outcome({name: item for name, item in output.items() if not _other_list(item)}))  # type: ignore
        value["answer"] = next((_text(output[name]) for name in ("answer", "result", "output") if name in output),
                               None) or _text(output.get("messages"))
    returned = output if isinstance(output, list) and output and _documents(output) else None
    documents = _joined([list(ranking) for ranking in request.rankings.values() if ranking is not None])
    if documents is None:
        documents = value.get("documents") if returned is None else [document_fields(item) for item in returned]
    if documents is None and not request.replies:
        return None
    answer = value.get("answer") or _text(output)
    if answer is None and returned is None and value.get("documents") is None and request.answers:
        answer = request.answers[-1]
    if documents is None and answer is None:
        return None
    return {"documents": documents, "answer": answer, "contexts": value.get("contexts"), "usage": _usage(request)}


def _joined(rankings: list[list]) -> list[dict] | None:
    """The documents of all retrievers, each once; scores of several retrievers cannot be compared and are left out."""
    if not rankings:
        return None
    documents = [document_fields(document) for ranking in rankings for document in ranking]
    if len(rankings) == 1:
        return documents
    first = {document["doc_id"]: document for document in reversed(documents)}
    ids = dict.fromkeys(document["doc_id"] for document in documents)
    return [{**first[doc_id], "score": None} for doc_id in ids]


def _usage(request: _Request) -> dict[str, int] | None:
    """The tokens of all models of a request; None where no model reports them."""
    counts = [tokens_of(usage) for reply in request.replies for usage in _usages(reply)]
    sums = {name: sum(count.get(name, 0) for count in counts) for name in TOKENS
            if any(name in count for count in counts)}
    return sums or None


def _usages(reply: Any) -> list[object]:
    """What a result of a model says of its tokens: with each message, or once."""
    messages = [getattr(item, "message", None) for items in reply.generations for item in items]
    usages = [usage for message in messages if (usage := getattr(message, "usage_metadata", None))]
    total = getattr(reply, "llm_output", None) or {}
    usage = total.get("token_usage") or total.get("usage")
    return usages or ([usage] if usage else [])


def _reply_texts(reply: Any) -> list[str]:
    """The text that a model generated, if any."""
    first = next((item for items in getattr(reply, "generations", ()) for item in items), None)
    text = getattr(first, "text", None)
    return [text] if isinstance(text, str) and text else []


def _question(inputs: object) -> str | None:
    """The question in the inputs of a chain: a text, a message, the last of messages, or such a value of a mapping."""
    if isinstance(inputs, Mapping):
        return next((text for name in _QUESTIONS if (text := _text(inputs.get(name)))), None)
    return _text(inputs)


def _text(value: object) -> str | None:
    """A text, that of a message, or of the last message; None for anything else."""
    if isinstance(value, list):
        return None if not value or isinstance(value[-1], str) or _documents(value) else _text(value[-1])
    if isinstance(value, tuple) and len(value) == 2:  # ("user", "Who?")
        value = value[1]
    content = value.get("content") if isinstance(value, Mapping) else getattr(value, "content", value)
    return content if isinstance(content, str) and content else None


def _documents(value: object) -> bool:
    return isinstance(value, list) and all(hasattr(item, "page_content") for item in value)


def _other_list(value: object) -> bool:
    return isinstance(value, list) and not _documents(value)


def _covered(spans: list[tuple[float, float]]) -> float:
    """Milliseconds in which at least one of the spans was running."""
    total, last = 0.0, float("-inf")
    for began, ended in sorted(spans):
        total += max(ended - max(began, last), 0.0)
        last = max(last, ended)
    return total * 1000
