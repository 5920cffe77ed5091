"""Records of several kinds in one file: a log of a service, where some events are queries and others are not."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.io.chat_messages import MODEL_ROLES, USER_ROLES, last_message
from ragdash.io.proposals.names import QUESTION, words

_CONTENT = ("answer", "response", "retriev", "context", "output", "doc", "chunk")


def queries_only(rows: Sequence[dict]) -> list[dict]:
    """The records that have a question, where others have none and nothing that belongs to a query."""
    names = dict.fromkeys(name for row in rows for name in row)
    question = next((name for name in names if not QUESTION.isdisjoint(words(str(name)))
                  and "id" not in words(str(name)) and sum(bool(row.get(name)) for row in rows) > 1), None)
    if question is None:
        return list(rows)
    queries = [row for row in rows if row.get(question)]
    others = [row for row in rows if not row.get(question)]
    if any(part in str(name).lower() for row in others for name in row for part in _CONTENT):
        return list(rows)
    return queries


def with_speakers(rows: Sequence[dict]) -> list[dict]:
    """The records; those of a conversation and no question have its last question and answer under the speakers."""
    if not rows or not all(_is_conversation(row.get("messages")) for row in rows[:50]):
        return list(rows)
    if any(not QUESTION.isdisjoint(words(str(name))) for name in rows[0]) or {"user", "assistant"} & rows[0].keys():
        return list(rows)
    ends = [str(row["messages"][-1]["role"]).lower() in MODEL_ROLES for row in rows
            if _is_conversation(row.get("messages"))]
    if 2 * sum(ends) < len(ends):  # questions with what was said before
        return [{**row, "user": last_message(row["messages"], USER_ROLES)} if _is_conversation(row.get("messages"))
                else row for row in rows]
    return [{**row, "user": last_message(row["messages"], USER_ROLES),
             "assistant": last_message(row["messages"], MODEL_ROLES)} if _is_conversation(row.get("messages")) else row
            for row in rows]


def _is_conversation(value) -> bool:
    return type(value) is list and bool(value) and all(
        type(item) is dict and "role" in item and "content" in item for item in value)
