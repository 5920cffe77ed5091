"""Texts of queries as a report shows them: looked up by query, cut, left out if the report must not contain texts."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.core.text.quoted import cut_end
from ragdash.reporting.html.content import ReportContent

MAX_LENGTH = 240  # characters of a document or an answer


def question(content: ReportContent, query_id: str, runs: Sequence[int]) -> str | None:
    """The text of the query, as the truth or one of these runs has it."""
    sources = (content.truth, *(content.request.matches[run].run for run in runs))
    return next((text for source in sources if (text := query_field(source, query_id, "query"))), None)


def query_field(source, query_id: str, name: str):
    """What a run or a truth says of a query, None where it says nothing."""
    query_index = source.query_ids.index(query_id).as_py()
    if query_index < 0 or source.details is None or name not in source.details.column_names:
        return None
    return source.details[name][query_index].as_py()


def shorten(content: ReportContent, text: str | None) -> str:
    """As much of a text as the report shows; nothing where texts are left out."""
    if not text or not content.request.texts:
        return ""
    return cut_end(" ".join(text[:4 * MAX_LENGTH].split()), MAX_LENGTH)
