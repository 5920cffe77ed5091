"""Calls through LiteLLM (the extra `litellm`), for providers that speak neither protocol: Bedrock, Vertex and others.

The library contacts nobody at import and retries nothing: retries, the budget and the verdict ledger are ragdash's.
"""

from __future__ import annotations

import os
from importlib import import_module

import orjson

from ragdash.core.errors import InputError, Problem, shorten
from ragdash.core.text.quoted import kind_of, object_text
from ragdash.models.judge.endpoint import Endpoint
from ragdash.models.judge.plan import Patience
from ragdash.models.judge.transport.http import Post, redact
from ragdash.models.judge.transport.response_status import MAX_ERROR_LENGTH, HttpResponse


def litellm_poster(endpoint: Endpoint, patience: Patience) -> Post:
    """A function like `poster`'s, which calls `litellm.completion`. InputError where LiteLLM is not installed, or only
    some hosts may be called: its connections cannot be checked.
    """
    if endpoint.allowed is not None:
        raise InputError([Problem("bad-endpoint/litellm", {}, field="kind")])
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it fetches a file at import
    try:
        litellm, openai = import_module("litellm"), import_module("openai")
    except ImportError:
        raise InputError([Problem("not-installed/litellm")]) from None
    vars(litellm)["telemetry"] = False
    secret = endpoint.secret()

    def post(body: bytes) -> HttpResponse:
        request = orjson.loads(body)
        try:
            reply = litellm.completion(**request, api_base=endpoint.base_url, api_key=secret, num_retries=0,
                                       timeout=patience.reply)
            return HttpResponse(200, reply.model_dump_json().encode())
        except openai.OpenAIError as error:
            status = getattr(error, "status_code", None)
            text = shorten(redact(object_text(error) or kind_of(error), secret), MAX_ERROR_LENGTH)
            if isinstance(error, openai.APIConnectionError) or not isinstance(status, int):
                failure = "timeout" if isinstance(error, openai.APITimeoutError) else "unreachable"
                return HttpResponse(0, failure=failure, words=text)
            return HttpResponse(status, orjson.dumps({"error": {"message": text}}))

    return post
