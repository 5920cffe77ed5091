"""Records of several kinds in one file: a log of a service, where some events are queries and others are not."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.io.chat_messages import MODEL_ROLES, USER_ROLES, last_message
from ragdash.io.proposals.names import ID, QUESTION, SURE_METRICS, words

_CONVERSATIONS = ("messages", "conversation", "conversations", "contents", "dialogue")
_TURNS = (("user", "turn"), ("user", "message"), ("user", "utterance"))
_OTHER_ROLES = {"model": "assistant", "gpt": "assistant", "bot": "assistant", "chatbot": "assistant"}
_QUESTIONS = (("query",), ("question",), ("prompt",), ("user", "query"), ("user", "question"), ("input",))
_CONTENT = ("answer", "response", "retriev", "context", "output", "doc", "chunk")


def queries_only(rows: Sequence[dict]) -> list[dict]:
    """The records that have a question, where others have none and nothing that belongs to a query."""
    names = dict.fromkeys(name for row in rows for name in row)
    question = next((name for name in names if not QUESTION.isdisjoint(words(str(name)))
                  and "id" not in words(str(name)) and sum(bool(row.get(name)) for row in rows) > 1
                     and not any(type(row.get(name)) in (int, float) for row in rows)), None)  # input_tokens
    if question is None:
        return list(rows)
    queries = [row for row in rows if row.get(question)]
    others = [row for row in rows if not row.get(question)]
    if any(part in str(name).lower() for row in others for name in row for part in _CONTENT):
        return list(rows)
    key = next((name for name in names if not ID.isdisjoint(words(str(name)))), None)
    if key is not None and any(row.get(key) not in (None, "") and not SURE_METRICS.isdisjoint(words(str(name)))
                               for row in others for name in row):
        return list(rows)  # the scores of a query by its id, next to queries that failed
    return queries


def with_one_question(rows: Sequence[dict]) -> list[dict]:
    """The records under one name for the question, where groups of them have several: `query` in some and `question`
    in the others, as texts, never both.
    """
    names = [name for name in dict.fromkeys(name for row in rows for name in row) if words(str(name)) in _QUESTIONS]
    if len(names) < 2 or any(sum(name in row for name in names) != 1 or any(
            type(row.get(name, "")) is not str for name in names) for row in rows):
        return list(rows)
    first = max(names, key=lambda name: sum(name in row for row in rows))
    return [{first if name in names else name: value for name, value in row.items()} for row in rows]


def with_speakers(rows: Sequence[dict]) -> list[dict]:
    """The records; those of a conversation and no question have its last question and answer under the speakers, and
    what was said before that question as chat_history.
    """
    rows = _with_turns(rows)
    name = next((name for name in _CONVERSATIONS if rows and all(_messages(row.get(name)) for row in rows[:50])), None)
    if name is None:
        return list(rows)
    if any(type(value) is str and not QUESTION.isdisjoint(words(str(other))) for other, value in rows[0].items()) or (
            name == "messages" and {"user", "assistant"} & rows[0].keys()):
        return list(rows)
    talks = [_messages(row.get(name)) for row in rows]
    ends = [talk[-1]["role"].lower() in MODEL_ROLES for talk in talks if talk]
    with_answer = 2 * sum(ends) >= len(ends)  # else questions with what was said before
    without_talk = [row if name == "messages" else {other: value for other, value in row.items() if other != name}
                    for row in rows]
    return [{**rest, **_last_words(talk, with_answer)} if talk else row
            for row, rest, talk in zip(rows, without_talk, talks, strict=True)]


def _with_turns(rows: Sequence[dict]) -> Sequence[dict]:
    """The records; ["Hi.", "Who pays?"] under user_turns as the messages of a conversation."""
    name = next((name for name in (rows[0] if rows else ()) if words(str(name)) in _TURNS and all(
        type(row.get(name)) is list and row[name] and all(type(text) is str for text in row[name]) for row in rows)),
        None)
    if name is None or any(other in rows[0] for other in _CONVERSATIONS):
        return rows
    return [{_CONVERSATIONS[1] if other == name else other: [{"role": "user", "content": text} for text in value]
             if other == name else value for other, value in row.items()} for row in rows]


def _last_words(talk: list[dict[str, str]], with_answer: bool) -> dict[str, str | list[dict[str, str]] | None]:
    last = next((at for at in reversed(range(len(talk))) if talk[at]["role"].lower() in USER_ROLES), 0)
    earlier = [message for message in talk[:last] if message["role"].lower() in USER_ROLES | MODEL_ROLES]
    asked = {"user": last_message(talk, USER_ROLES), **({"chat_history": earlier} if earlier else {})}
    return {**asked, "assistant": last_message(talk, MODEL_ROLES)} if with_answer else asked


def _messages(value) -> list[dict[str, str]]:
    """The messages of a conversation as role and content; [] for anything else."""
    if type(value) is not list or not value or not all(type(item) is dict for item in value):
        return []
    messages = []
    for item in value:
        role = next((item[name] for name in ("role", "from") if type(item.get(name)) is str), None)
        text = next((item[name] for name in ("content", "message", "text", "value", "parts") if name in item), None)
        if role is None or text is None:
            return []
        messages.append({"role": _OTHER_ROLES.get(role.lower(), role), "content": text})
    return messages
