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
