"""The lines of a file of results: a query each, which either worked or failed."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from ragdash.core.errors import InputError, Problem
from ragdash.io.recorded.names import FAILURE


def parsed_lines(content: bytes, file: str, failures: dict[str, str]) -> Iterator[tuple[bytes, dict]]:
    """Give each query that worked as its line and the fields of it.

    failures: takes why the others failed; complete after the last line. A query that worked later did not fail.

    Raises
    ------
    InputError
        If a line is no object with a query, or a query worked twice.
    """
    worked: set[str] = set()
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            fields = orjson.loads(line)
            query_id = fields["query_id"]
            repeated = query_id in worked
            reason = fields["error"]["type"] if line.startswith(FAILURE) else None
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise InputError([Problem("recorded-run/line", {}, file, number)]) from None
        if reason is not None:
            failures[query_id] = reason
        elif repeated:
            raise InputError([Problem("recorded-run/repeated", {"query": query_id}, file, number)])
        else:
            worked.add(query_id)
            yield line, fields
    for query_id in failures.keys() & worked:
        del failures[query_id]


def split_lines(content: bytes, file: str) -> tuple[dict[str, bytes], dict[str, str]]:
    """({query: its line}, {query: why it failed}) of a file of results."""
    failures: dict[str, str] = {}
    return {fields["query_id"]: line for line, fields in parsed_lines(content, file, failures)}, failures
