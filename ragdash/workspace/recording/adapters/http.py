"""HTTP endpoints: the question is posted as JSON, and the reply is read as a result."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPResponse

import orjson

from ragdash.core.errors import InputError, Problem

SECONDS = 60.0
LARGEST = 16 << 20  # bytes of a reply
_DOCUMENTS = ("documents", "retrieved", "results", "hits", "matches")
_IDS = ("doc_id", "id", "_id", "document_id", "chunk_id")
_TEXTS = ("text", "content", "contents", "page_content")


def endpoint(url: str, *, field: str = "query", headers: Mapping[str, str] | None = None,
             body: Mapping[str, object] | None = None, timeout: float = SECONDS) -> Callable[[str], dict]:
    """A function that posts {field: question} to an address and reads documents and answer from its JSON reply.

    Parameters
    ----------
    url
        Of http or https. A redirect is an error.
    field
        The name of the question in the body.
    headers, body
        More headers, such as an authorization, and more members of the body, such as {"top_k": 20}.
    timeout
        Seconds that a reply may take. One of more than LARGEST bytes is an error, too.

    Returns
    -------
    callable
        Documents are read from "documents", "retrieved", "results", "hits" or "matches", or from a list.
    """
    def ask(question: str) -> dict:
        content = orjson.dumps({**(body or {}), field: question})
        request = urllib.request.Request(url, content, {"Content-Type": "application/json", **(headers or {})})
        end = time.monotonic() + timeout
        with _OPENER.open(request, timeout=timeout) as reply:
            return reply_fields(orjson.loads(_content_of(reply, end)))

    if not url.startswith(("http://", "https://")):
        raise InputError([Problem("recording/address", {"url": url}, field="retriever")])
    return ask


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would send headers, with a key among them perhaps, to another address: it is an error."""

    def redirect_request(self, *_arguments: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def _content_of(reply: HTTPResponse, end: float) -> bytes:
    """The body of a reply, read until a time of the monotonic clock; TimeoutError after it."""
    content = bytearray()
    while piece := reply.read1(1 << 16):
        content += piece
        if len(content) > LARGEST:
            raise InputError([Problem("recording/large-reply", {"most": LARGEST})])
        if time.monotonic() > end:
            raise TimeoutError("the reply did not end in time")
    return bytes(content)


def reply_fields(reply: object) -> dict:
    """Documents, answer, contexts and usage of a reply."""
    if isinstance(reply, list):
        reply = {"documents": reply}
    if not isinstance(reply, dict):
        raise InputError([Problem("recording/reply", {"kind": type(reply).__name__})])
    documents = next((reply[name] for name in _DOCUMENTS if isinstance(reply.get(name), list)), None)
    answer = next((reply[name] for name in ("answer", "response", "output") if isinstance(reply.get(name), str)), None)
    if documents is None and answer is None:
        kind = f"object with {', '.join(map(str, reply)) or 'nothing'}"
        raise InputError([Problem("recording/reply", {"kind": kind})])
    return {"documents": None if documents is None else [_document(item) for item in documents], "answer": answer,
            "contexts": reply.get("contexts"), "usage": reply.get("usage")}


def _document(item: object) -> object:
    if not isinstance(item, dict):
        return item

    def first(names: tuple[str, ...]) -> object:
        return next((item[name] for name in names if item.get(name) is not None), None)

    return {"doc_id": first(_IDS), "text": first(_TEXTS), "score": item.get("score"), "source": item.get("source")}
