"""Messages of conversations, in the forms of several tools."""

from __future__ import annotations

USER_ROLES = {"user", "human", "humanmessage"}
MODEL_ROLES = {"assistant", "agent", "ai", "aimessage", "aimessagechunk"}
TEXT_FIELDS = (
    "text",
    "content",
    "page_content",
    "document.content",
    "answer",
)  # where objects of tools keep their text
_TURN_FIELDS = (
    (("user", "human", "question", "query"), "user"), (("assistant", "ai", "answer", "response"), "assistant"))


def last_message(messages: list, speakers: set[str], deepest: int = 4) -> str | None:
    """The text of the last message of these roles; nested lists are searched."""
    if len(messages) == 2 and type(messages[0]) is str and messages[0].lower() in speakers:
        return messages[1]
    for message in reversed(messages):
        if type(message) is list:
            if deepest and (text := last_message(message, speakers, deepest - 1)) is not None:
                return text
        elif type(message) is dict:
            inner = message.get("message", message)
            inner = inner if type(inner) is dict else message
            path = inner.get("id") if type(inner.get("id")) is list else [None]
            named = (inner.get(name) for name in ("role", "type", "speaker"))
            roles = {str(role).lower() for role in (*named, path[-1])}
            if roles & speakers or ("text" in message and "role" not in inner):
                return message["text"] if type(message.get("text")) is str else message_text(inner.get("kwargs", inner))
    return None


def message_text(fields) -> str | None:
    """The text of a message: content as text, or as a list of blocks; also of LangChain's {"type", "data"}."""
    if type(fields) is not dict:
        return None
    if "type" in fields and type(fields.get("data")) is dict:
        fields = {**fields["data"], **fields}
    content = next((fields[name] for name in TEXT_FIELDS if name in fields), None)
    if type(content) is list:
        texts = [block if type(block) is str else block.get("text") for block in content if type(block) in (str, dict)]
        return "\n".join(text for text in texts if type(text) is str)
    return content if type(content) is str else None


def messages_of(value) -> list[dict] | None:
    """The messages of a conversation, oldest first: {"role", "text"} each, "" for an unknown role.

    Parameters
    ----------
    value
        A text, or a list of texts, of messages ({"role": "user", "content": "Hi"}, {"speaker", "text"}, ("human",
        "Hi")), of turns ({"user": "Hi", "assistant": "Hello"}, {"question", "answer"}) or of pairs of a question and
        its answer.

    Returns
    -------
    list of dict, or None where the value holds anything else.

    Examples
    --------
    >>> messages_of([["human", "Who built it?"], {"role": "assistant", "content": "Eiffel."}])
    [{'role': 'human', 'text': 'Who built it?'}, {'role': 'assistant', 'text': 'Eiffel.'}]
    >>> messages_of([["Who built it?", "Eiffel."]])
    [{'role': 'user', 'text': 'Who built it?'}, {'role': 'assistant', 'text': 'Eiffel.'}]
    """
    messages = []
    for item in value if type(value) is list else [value]:
        parts = _messages_in(item)
        if parts is None:
            return None
        messages += [{"role": role, "text": text} for role, text in parts if text.strip()]
    return messages


def _messages_in(item) -> list[tuple[str, str]] | None:
    """(role, text) of the messages in one entry of a conversation; None for anything else."""
    if type(item) is str:
        return [("", item)]
    if type(item) is list and len(item) == 2 and all(type(part) is str for part in item):
        return [(item[0], item[1])] if item[0].lower() in USER_ROLES | MODEL_ROLES | {"system"} else [
            ("user", item[0]), ("assistant", item[1])]
    if type(item) is not dict:
        return None
    turn = [(role, item[name]) for names, role in _TURN_FIELDS for name in names if type(item.get(name)) is str]
    if turn and "role" not in item:
        return turn
    role = next((item[name] for name in ("role", "speaker", "from", "type") if type(item.get(name)) is str), "")
    text = item["value"] if type(item.get("value")) is str else message_text(item.get("kwargs", item))
    return None if text is None else [(role, text)]
