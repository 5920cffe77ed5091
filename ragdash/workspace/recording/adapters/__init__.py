"""Retrievers of other packages as plain functions of the question.

A package is known by where its classes come from: nothing is imported that the program has not imported itself.
"""

from __future__ import annotations

from collections.abc import Callable

from ragdash.core.errors import InputError, Problem
from ragdash.workspace.recording.adapters import dspy, haystack, http, langchain, llama_index

PACKAGES = {"langchain_core": langchain.adapted, "llama_index": llama_index.adapted, "haystack": haystack.adapted,
            "dspy": dspy.adapted}


def adapted(retriever: object) -> Callable:
    """The function to call with a question; InputError for an object that cannot be called.

    Examples
    --------
    >>> adapted(len) is len
    True
    """
    if isinstance(retriever, str) and retriever.startswith(("http://", "https://")):
        return http.endpoint(retriever)
    for kind in type(retriever).__mro__:
        adapt = PACKAGES.get(kind.__module__.partition(".")[0])
        if adapt is not None:
            return adapt(retriever)
    if not callable(retriever):
        raise InputError([Problem("recording/retriever", {"kind": type(retriever).__name__}, field="retriever")])
    return retriever


__all__ = ["PACKAGES", "adapted"]
