"""Verdicts of one call on a whole text: faithfulness, relevance, correctness. The reason comes before the score."""

from __future__ import annotations

from ragdash.models.judge.prompts import AS_DATA, STATED, VALUES, as_data
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
from ragdash.models.judge.tasks.registry import Case, Judgment, TaskSteps, register_task
from ragdash.models.judge.tasks.vote_order import references_of_vote

VERSION = "3"
FAITHFULNESS = f"""You judge whether an answer is faithful to the contexts it was made from. {AS_DATA}
Give a short reason first, then the score:
1: everything the answer states is stated in the contexts or follows from them.
0.75: what answers the question is; a lesser detail is not.
0.5: about half of what answers the question is.
0.25: what answers the question is not; only lesser details are.
0: nothing it states is, or the contexts contradict what answers the question.
Judge by the contexts alone, not by what you know. What is true but not in the contexts is not faithful.
That the contexts do not say something is no statement. An answer that only declines states nothing: 1.
{STATED}
- If the contexts do not let you decide, it is not stated.
Examples, for the question "When did the bridge open, and how long is it?" and the context "The red bridge is about 300
m long and opened in May 1930.":
"In May 1930; it is 300 m long.": 1.
"In 1930; it is 300 m long and has four towers.": 0.75.
"It opened in 1930; its length was never measured.": 0.5.
"The red bridge opened at noon.": 0.25.
"It opened in 1931.": 0.
"The contexts do not say who built it.": 1."""
RELEVANCE = f"""You judge whether an answer speaks of what was asked. {AS_DATA}
Give a short reason first, then the score:
1: it answers the whole question and nothing else. A few words can do that.
0.75: it answers the question, with a little that was not asked or a little left out.
0.5: it answers a part of the question, or much of it was not asked.
0.25: it touches the subject and does not answer.
0: it speaks of something else, or only declines to answer.
Whether the answer is right does not matter here. A remark that something is not known counts neither for nor against.
Examples, for "When did the bridge open, and who built it?":
"It opened in 1930; a firm from the north built it.": 1.
"It opened in 1930; a firm from the north built it, and its paint is red.": 0.75.
"It opened in 1930. The documents do not say who built it.": 0.5.
"The bridge is the longest of the country.": 0.25.
"The documents do not say.": 0."""
CONTEXT = f"""You judge whether contexts hold what is needed to answer a question. {AS_DATA}
Give a short reason first, then the score:
1: all that is needed is there.
0.75: nearly all that is needed is there, but for a detail that was asked.
0.5: about half of it is there.
0.25: they speak of what is asked about and do not answer.
0: nothing in them helps to answer.
Judge by the contexts alone, not by what you know. Several contexts may hold the parts; others that do not help do not
lower the score.
Examples, for "On what day did the bridge open, and who built it?":
"A firm from the north built the bridge, which opened on 4 May 1930.": 1.
"A firm from the north built the bridge, which opened in May 1930.": 0.75.
"The bridge opened on 4 May 1930.": 0.5.
"The bridge is red.": 0.25.
"Tunnels need care.": 0."""
CORRECTNESS = f"""You judge whether an answer is right, by right answers that are given. {AS_DATA}
The references are alternatives: the answer is right if it says the same as one of them, in whatever words.
Give a short reason first, then the score:
1: it says all that a reference says in reply to the question, and nothing against it.
0.75: it is right, but a detail is missing or less precise.
0.5: about half of it is right, and the rest is missing.
0.25: a small part is right, or half is right and half wrong.
0: it is wrong, or only declines to answer.
Judge by the references, not by what you know; what goes beyond them without contradicting them does not count. What a
reference says beyond the question may be missing. An answer that gives one part and declines the other is half
right. If the reference itself says that there is no answer, an answer that declines is right: 1.
{VALUES}
- A more precise date or place than the reference's agrees; a less precise one lacks a detail.
- Doubt ("may", "probably") that the reference does not have is a detail less.
- If you hesitate between two scores, take the lower one.
Examples, for the question "When did the bridge open, and how long is it?" and the reference "The bridge opened in May
1930 and is 312 m long.":
"On 4 May 1930; it is about 312 m long.": 1.
"It opened in 1930 and is 312 m long.": 0.75.
"It opened in May 1930; its length is not given.": 0.5.
"It opened in May 1930 and is 400 m long.": 0.25.
"It opened in 1931." or "The documents do not say.": 0."""
GRADED = object_of(reason=TEXT, score=number_enum(*ANCHORS))


@register_task("Faithfulness", needs=("answer", "contexts"), examples_in="Faithfulness")
def faithfulness(case: Case) -> TaskSteps:
    """One of ANCHORS."""
    text = join_blocks(question_block(case), chunk_blocks(case), as_data("answer", case.answer))
    return (yield from _scored(case, "Faithfulness", FAITHFULNESS, text, GRADED, flags(case)))


@register_task("AnswerRelevanceJudged", needs=("answer", "question"), examples_in="AnswerRelevance")
def answer_relevance(case: Case) -> TaskSteps:
    """One of ANCHORS."""
    text = join_blocks(question_block(case), as_data("answer", case.answer))
    return (yield from _scored(case, "AnswerRelevance", RELEVANCE, text, GRADED))


@register_task("ContextRelevance", needs=("question", "contexts"), examples_in="ContextRelevance")
def context_relevance(case: Case) -> TaskSteps:
    """One of ANCHORS for all contexts together."""
    text = join_blocks(question_block(case), chunk_blocks(case))
    return (yield from _scored(case, "ContextRelevance", CONTEXT, text, GRADED, flags(case), long=()))


@register_task("ContextRelevance(per='chunk')", needs=("question", "contexts"), calls="1 per chunk",
               examples_in="ContextRelevance")
def chunk_relevance(case: Case) -> TaskSteps:
    """Mean of one of ANCHORS for each chunk."""
    replies = yield [Question("ContextRelevance", VERSION, CONTEXT, join_blocks(question_block(case), chunk), GRADED)
                     for chunk in chunk_blocks(case)]
    rows = tuple({"chunks": [chunk], **reply.value} for (chunk, _), reply in zip(case.contexts, replies, strict=True))
    return Judgment(sum(row["score"] for row in rows) / len(rows), rows=rows, flags=flags(case))


@register_task("Correctness", needs=("answer", "references"), examples_in="Correctness")
def correctness(case: Case) -> TaskSteps:
    """One of ANCHORS."""
    references = [as_data("reference", text) for text in references_of_vote(case)]
    text = join_blocks(question_block(case), references, as_data("answer", case.answer))
    return (yield from _scored(case, "Correctness", CORRECTNESS, text, GRADED, long=(case.answer, *case.references)))


def _scored(case: Case, task: str, system: str, text: str, schema: dict, remarks: tuple[str, ...] = (),
            long: tuple[str, ...] | None = None) -> TaskSteps:
    """One call whose reply is a reason and a score. long: the texts that may be too long, None: the answer."""
    over = too_long(*(long if long is not None else (case.answer,)))
    if over:
        return over
    reply, = yield [Question(task, VERSION, system, text, schema)]
    return Judgment(float(reply.value["score"]), rows=(dict(reply.value),), flags=remarks)
