"""Chunks judged one by one: is it useful for the right answer? And RAGAS's questions that an answer would answer."""

from __future__ import annotations

from ragdash.models.judge.prompts import AS_DATA, as_data
from ragdash.models.judge.question import Question
from ragdash.models.judge.tasks.prompt_texts import (
    TEXT,
    UNDEFINED,
    array_of,
    chunk_blocks,
    flags,
    join_blocks,
    object_of,
    question_block,
    text_enum,
    too_long,
)
from ragdash.models.judge.tasks.ragchecker_scores import average_precision, share
from ragdash.models.judge.tasks.registry import Case, Judgment, TaskSteps, register_task

VERSION = "3"
USEFUL = f"""You judge whether a context is useful to arrive at a right answer that is given. {AS_DATA}
Give a short reason first, then the verdict:
useful: it holds what the right answer says or rests on, all of it or a part.
useless: it does not, however near its subject.
Judge by the texts alone, not by what you know. A part is enough: one of two facts, or a step that leads to the answer.
A context that only names the subject is useless. If you cannot decide, it is useless.
Examples, for the answer "The bridge opened in May 1930.":
"The bridge was opened on 4 May 1930.": useful.
"The bridge was planned in the twenties.": useless (its subject, nothing of the answer)."""
ASK_BACK = f"""You guess the question that an answer was given to. {AS_DATA}
Write three different questions, each of which the answer would answer, and each understood without the answer. Say of
each whether the answer is evasive about it (it declines, does not know, or is vague): yes or no.
Examples: "In May 1930." answers "When did the bridge open?": no. "The documents do not say when." does not: yes."""
VERDICT = object_of(reason=TEXT, verdict=text_enum("useful", "useless"))
QUESTIONS = object_of(questions=array_of(object_of(question=TEXT, evasive=text_enum("yes", "no")),
                                   minItems=3, maxItems=3))
NO_ENCODER = "no-encoder"  # the questions are there, and nobody has embedded them yet


@register_task("RAGAS.ContextPrecision", needs=("question", "references", "contexts"), calls="1 per chunk",
               ordered=True)
def ragas_context_precision(case: Case) -> TaskSteps:
    """Average precision of the useful chunks."""
    return (yield from _useful(case, average_precision))


@register_task("ContextPrecisionRatio", needs=("question", "references", "contexts"), calls="1 per chunk",
               ordered=True)
def context_precision_ratio(case: Case) -> TaskSteps:
    """Useful chunks / chunks."""
    return (yield from _useful(case, share))


def _useful(case: Case, value) -> TaskSteps:
    over = too_long(case.references[0])
    if over:
        return over
    right = as_data("answer", case.references[0])
    replies = yield [
        Question("ChunkUsefulness", VERSION, USEFUL, join_blocks(question_block(case), right, chunk), VERDICT)
        for chunk in chunk_blocks(case)
    ]
    rows = tuple({"chunks": [chunk], **reply.value} for (chunk, _), reply in zip(case.contexts, replies, strict=True))
    return Judgment(value([row["verdict"] == "useful" for row in rows]), rows=rows, flags=flags(case))


@register_task("RAGAS.AnswerRelevancy", needs=("answer", "question"), calls="1, then a local model")
def ragas_answer_relevancy(case: Case) -> TaskSteps:
    """0 where the answer evades all three questions; otherwise missing here, with the questions as rows: their
    a model computes the similarity with the one asked.
    """
    over = too_long(case.answer)
    if over:
        return over
    reply, = yield [Question("AskBack", VERSION, ASK_BACK, as_data("answer", case.answer), QUESTIONS)]
    rows = tuple(reply.value["questions"])
    evasive = all(row["evasive"] == "yes" for row in rows)
    return Judgment(0.0, rows=rows) if evasive else Judgment(UNDEFINED, NO_ENCODER, rows)
