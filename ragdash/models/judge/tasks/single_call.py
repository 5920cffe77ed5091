"""Verdicts of one call on a whole text: faithfulness, relevance, correctness. The reason comes before the score."""

from __future__ import annotations

from ragdash.models.judge.prompts import AGREEMENT, AS_DATA, as_data
from ragdash.models.judge.question import Question
from ragdash.models.judge.tasks.prompt_texts import (
    ANCHORS,
    TEXT,
    chunk_blocks,
    flags,
    join_blocks,
    number_enum,
    object_of,
    question_block,
    too_long,
)
from ragdash.models.judge.tasks.registry import Case, Judgement, TaskSteps, register_task

VERSION = "2"
FAITHFULNESS = f"""You judge whether an answer is faithful to the contexts it was made from. {AS_DATA}
Give a short reason first, then the score:
1: everything the answer states is stated in the contexts or follows from them.
0.5: some of it is, some of it is not.
0: what it states is not in the contexts, or they say otherwise.
Judge by the contexts alone, not by what you know. What is true but not in the contexts is not faithful.
An answer that declines states nothing: 1.
{AGREEMENT}
Examples, for a context "The bridge is about 300 m long and opened in May 1930.":
"It opened in 1930.": 1.
"It opened in 1930 and is painted red.": 0.5.
"It is 400 m long.": 0."""
RELEVANCE = f"""You judge whether an answer speaks of what was asked. {AS_DATA}
Give a short reason first, then the score:
1: it answers the whole question and nothing else.
0.75: it answers the question, with little that was not asked or little left out.
0.5: it answers a part of the question, or much of it was not asked.
0.25: it touches the subject and does not answer.
0: it speaks of something else, or declines to answer.
Whether the answer is right does not matter here.
Examples, for "When did the bridge open, and who built it?":
"It opened in 1930; a firm from the north built it.": 1.
"It opened in 1930.": 0.5.
"The documents do not say.": 0."""
CONTEXT = f"""You judge whether contexts hold what is needed to answer a question. {AS_DATA}
Give a short reason first, then the score:
1: all that is needed is there.
0.75: nearly all that is needed is there.
0.5: about half of it is there.
0.25: they speak of the subject and help little.
0: nothing in them helps to answer.
Judge by the contexts alone, not by what you know.
Examples, for "When did the bridge open, and who built it?":
"A firm from the north built the bridge, which opened in 1930.": 1.
"The bridge opened in 1930.": 0.5.
"Bridges need care.": 0."""
CORRECTNESS = f"""You judge whether an answer is right, by right answers that are given. {AS_DATA}
The references are alternatives: the answer is right if it says the same as one of them, in whatever words.
Give a short reason first, then the score:
1: it says all that a reference says and nothing against it.
0.75: it is right but for a detail.
0.5: half of it is right or half is missing.
0.25: little of it is right.
0: it is wrong, or declines to answer.
Judge by the references, not by what you know; what goes beyond them without contradicting them does not count.
If the reference itself says that there is no answer, an answer that declines is right: 1.
{AGREEMENT}
Examples, for the reference "The bridge opened in May 1930 and is 312 m long.":
"In May 1930; it is about 312 m long.": 1.
"It opened in 1930.": 0.5.
"It opened in 1931.": 0."""
WHOLE = object_of(reason=TEXT, score=number_enum(0, 0.5, 1))
GRADED = object_of(reason=TEXT, score=number_enum(*ANCHORS))


@register_task("Faithfulness", needs=("answer", "contexts"))
def faithfulness(case: Case) -> TaskSteps:
    """1, 0.5 or 0."""
    text = join_blocks(question_block(case), chunk_blocks(case), as_data("answer", case.answer))
    return (yield from _scored(case, "Faithfulness", FAITHFULNESS, text, WHOLE, flags(case)))


@register_task("AnswerRelevanceJudged", needs=("answer", "question"))
def answer_relevance(case: Case) -> TaskSteps:
    """One of ANCHORS."""
    text = join_blocks(question_block(case), as_data("answer", case.answer))
    return (yield from _scored(case, "AnswerRelevance", RELEVANCE, text, GRADED))


@register_task("ContextRelevance", needs=("question", "contexts"))
def context_relevance(case: Case) -> TaskSteps:
    """One of ANCHORS for all contexts together."""
    text = join_blocks(question_block(case), chunk_blocks(case))
    return (yield from _scored(case, "ContextRelevance", CONTEXT, text, GRADED, flags(case), long=()))


@register_task("ContextRelevance(per='chunk')", needs=("question", "contexts"), calls="1 per chunk")
def chunk_relevance(case: Case) -> TaskSteps:
    """Mean of one of ANCHORS for each chunk."""
    replies = yield [Question("ContextRelevance", VERSION, CONTEXT, join_blocks(question_block(case), chunk), GRADED)
                     for chunk in chunk_blocks(case)]
    rows = tuple({"chunks": [chunk], **reply.value} for (chunk, _), reply in zip(case.contexts, replies, strict=True))
    return Judgement(sum(row["score"] for row in rows) / len(rows), rows=rows, flags=flags(case))


@register_task("Correctness", needs=("answer", "references"))
def correctness(case: Case) -> TaskSteps:
    """One of ANCHORS."""
    references = [as_data("reference", text) for text in case.references if text.strip()]
    text = join_blocks(question_block(case), references, as_data("answer", case.answer))
    return (yield from _scored(case, "Correctness", CORRECTNESS, text, GRADED, long=(case.answer, *case.references)))


def _scored(case: Case, task: str, system: str, text: str, schema: dict, remarks: tuple[str, ...] = (),
            long: tuple[str, ...] | None = None) -> TaskSteps:
    """One call whose reply is a reason and a score. long: the texts that may be too long, None: the answer."""
    over = too_long(*(long if long is not None else (case.answer,)))
    if over:
        return over
    reply, = yield [Question(task, VERSION, system, text, schema)]
    return Judgement(float(reply.value["score"]), rows=(dict(reply.value),), flags=remarks)
