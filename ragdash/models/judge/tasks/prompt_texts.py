"""The texts of a case as parts of a question: delimited, chunks numbered, what is too long cut and reported.

Chunks are called c1, c2, ... in their order, whatever their ids look like; `ids` leads back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from ragdash.core.records.details import conversation_text
from ragdash.models.judge.prompts import as_data
from ragdash.models.judge.tasks.registry import Case, Judgment

CHUNK = 8_000  # signs of a chunk that are shown
ANSWER = 40_000  # signs of an answer or reference that a judge is asked to read
CONVERSATION = 8_000  # signs of what was said before the question, that are shown
IN_CONVERSATION = ("The question is part of a conversation. Between <conversation> and </conversation> is what was "
                   "said before it: read the question in its light. What was said before is no evidence, and is not "
                   "judged.")
CUT = "cut"  # the flag of a judgment that rests on cut chunks
ANCHORS = (0, 0.25, 0.5, 0.75, 1)
UNDEFINED = float("nan")


def too_long(*texts: str | None) -> Judgment | None:
    """The judgment of a case with an answer or reference that is not asked about; None where all are short enough."""
    longest = max((len(text) for text in texts if text), default=0)
    return Judgment(UNDEFINED, "too-long") if longest > ANSWER else None


def names(case: Case) -> tuple[str, ...]:
    """c1, c2, ...: one for each chunk."""
    return _names(len(case.contexts))


@lru_cache(maxsize=1024)
def _names(many: int) -> tuple[str, ...]:
    return tuple(f"c{i}" for i in range(1, many + 1))


def ids(case: Case, chunks: Iterable[str]) -> list[str]:
    """The chunk ids that these names mean, in the order of the chunks."""
    wanted = set(chunks)
    return [chunk for name, (chunk, _) in zip(names(case), case.contexts, strict=True) if name in wanted]


def chunk_blocks(case: Case) -> list[str]:
    """Each chunk as it is shown to a judge."""
    return [as_data("context", cut(text), id=name) for name, (_, text) in zip(names(case), case.contexts, strict=True)]


def cut(text: str) -> str:
    """The first CHUNK signs of a text, to the end of a word where there is one."""
    if len(text) <= CHUNK:
        return text
    head = text[:CHUNK]
    return (head.rpartition(" ")[0] or head) + " […]"


def flags(case: Case) -> tuple[str, ...]:
    """("cut",) where a chunk is not shown whole."""
    return (CUT,) if any(len(text) > CHUNK for _, text in case.contexts or ()) else ()


def question_block(case: Case) -> list[str]:
    """The question as a part, where it is known; after what was said before it, where there is such."""
    if not (case.question or "").strip():
        return []
    question = as_data("question", case.question)
    return [IN_CONVERSATION, as_data("conversation", conversation(case)), question] if case.history else [question]


def conversation(case: Case) -> str:
    """What was said before the question, a paragraph for each message, the oldest first; the last CONVERSATION signs.
    """
    text = conversation_text(case.history)
    return text if len(text) <= CONVERSATION else f"[…] {text[-CONVERSATION:].partition(' ')[2]}"


def join_blocks(*blocks: str | Iterable[str]) -> str:
    """The parts below each other."""
    return "\n\n".join(block if isinstance(block, str) else "\n\n".join(block) for block in blocks if block)


def object_of(**properties: Mapping) -> dict:
    """The schema of an object with these properties, all required, in this order."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def array_of(items: Mapping, **bounds: int) -> dict:
    """The schema of a list."""
    return {"type": "array", "items": items, **bounds}


TEXT = {"type": "string"}


def text_enum(*allowed: str) -> dict:
    """The schema of one of these words."""
    return {"type": "string", "enum": list(allowed)}


def number_enum(*allowed: float) -> dict:
    """The schema of one of these numbers."""
    return {"type": "number", "enum": list(allowed)}
