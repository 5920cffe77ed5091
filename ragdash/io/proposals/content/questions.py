"""What is asked where nothing is called a question: claims, what speakers say, and the likeliest of several fields."""

from __future__ import annotations

from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.shapes.values_by_query import is_code


def is_claim(field: Field) -> bool:
    """A claim to check, which is what a retriever is asked where nothing else is."""
    return field.path.lower() in ("claim", "statement") and field.is_long_text and not field.is_list and (
        field.distinct_share > 0.5)


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
