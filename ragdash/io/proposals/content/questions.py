"""What is asked where nothing is called a question: claims, what speakers say, and the likeliest of several fields."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.shapes.values_by_query import is_code

_TICKETS = (("description",), ("body",), ("message",), ("ticket", "text"), ("issue",), ("title",), ("subject",))


def is_claim(field: Field) -> bool:
    """A claim to check, which is what a retriever is asked where nothing else is."""
    return field.path.lower() in ("claim", "statement") and field.is_long_text and not field.is_list and (
        field.distinct_share > 0.5)


def described_problems(free: Mapping[str, Field]) -> list[Field]:
    """What a ticket says, where the documents or answers that solve it are known: `description` next to gold_kb_id."""
    has_gold = any("gold" in item.name_words and "." not in item.path for item in free.values())
    texts = [item for item in free.values() if item.name_words in _TICKETS and item.is_long_text and not item.is_list
             and item.share == 1.0 and item.distinct_share > 0.7]
    return sorted(texts, key=lambda item: -item.mean_length)[:1] if has_gold else []


def names_speakers(field: Field) -> bool:
    """True for the speaker of each turn of a conversation, of which there are two or three."""
    return (field.name_words in (("role",), ("rol",), ("speaker",), ("sender",), ("from",)) and not field.is_list
            and field.is_text and 1 < field.distinct_count < 4 and len(field.values) > field.distinct_count)


def question_rank(field: Field) -> tuple:
    """Sort key: the likelier question first."""
    name = field.name_words
    exact = name in (("question",), ("query",), ("input",), ("user", "input"), ("user", "query"), ("user", "question"))
    strong = not {"question", "query", "frage", "pregunta", "pergunta"}.isdisjoint(name)
    is_coded = 2 * sum(map(is_code, field.items)) > len(field.items)
    return (is_coded, field.path.count("."), not exact, not strong, len(name), not field.is_long_text)
