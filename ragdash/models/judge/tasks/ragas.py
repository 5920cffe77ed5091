"""RAGAS's other judged metrics: its ratings by two prompts, chunks used for an answer, entities, factual correctness.

The algorithms are those of RAGAS 0.4.3, the prompts are our own. A share of nothing is undefined (RAGAS: 0), and a
value with one of two ratings is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ragdash.models.judge.prompts import AS_DATA, as_data
from ragdash.models.judge.question import Question
from ragdash.models.judge.tasks.prompt_texts import (
    TEXT,
    UNDEFINED,
    array_of,
    chunk_blocks,
    flags,
    join_blocks,
    number_enum,
    object_of,
    question_block,
    text_enum,
    too_long,
)
from ragdash.models.judge.tasks.ragchecker import calls_of, check_claims
from ragdash.models.judge.tasks.ragchecker_scores import (
    Checked,
    average_precision,
    noise_in_irrelevant,
    noise_in_relevant,
)
from ragdash.models.judge.tasks.registry import Case, Judgment, TaskSteps, register_task

VERSION = "3"
_RATE = "Give a short reason first, then the score:"
_OPENED = 'Examples, for the question "When did the bridge open, and how long is it?"'
ACCURACY = (
    f"""You rate an answer to a question by a reference that answers it completely. {AS_DATA}
{_RATE}
1: the answer holds the reference and is equivalent to it in topics, numbers, units and dates.
0.5: it holds a part of it, and is almost equivalent.
0: it does not hold it, is not accurate, or does not answer the question.
An answer that only declines is 0, unless the reference says that there is no answer.
{_OPENED} and the reference "In May 1930; it is 312 m long.":
"In May 1930, and 312 m.": 1. "In May 1930.": 0.5. "In 1931.": 0.""",
    f"""You compare a text with another text that answers the same question. {AS_DATA}
{_RATE}
1: the text agrees with the other in all points, numbers, units and dates.
0.5: it agrees for the most part, with small differences.
0: it is wrong, incomplete, or about something else.
If the text or the other only declines to answer, it is 0, unless both do.
{_OPENED} and the other text "In May 1930; it is 312 m long.":
"In May 1930, and 312 m.": 1. "In May 1930; about 310 m.": 0.5. "In 1931.": 0.""")
RELEVANCE = (
    f"""You decide whether contexts hold the information to answer a question. {AS_DATA}
{_RATE}
1: they hold what is needed.
0.5: they hold a part of it.
0: they hold nothing of it.
Judge by the contexts alone, not by what you know.
{_OPENED}:
"The bridge, 312 m long, opened in May 1930.": 1. "The bridge opened in May 1930.": 0.5. "Tunnels need care.": 0.""",
    f"""Someone has to answer a question from these contexts alone. {AS_DATA}
How far do they get? {_RATE}
1: to a complete answer.
0.5: to a part of the answer.
0: nowhere.
{_OPENED}:
"The bridge, 312 m long, opened in May 1930.": 1. "The bridge opened in May 1930.": 0.5. "Tunnels need care.": 0.""")
GROUNDEDNESS = (
    f"""You decide whether contexts support an answer. {AS_DATA}
{_RATE}
1: they support all of it.
0.5: they support a part of it.
0: they do not support it.
An answer that only declines states nothing: 1.
For the context "The bridge opened in May 1930.":
"It opened in 1930.": 1. "It opened in 1930 and is red.": 0.5. "It opened in 1931.": 0.""",
    f"""You check an answer for statements that its contexts do not back. {AS_DATA}
{_RATE}
1: there are none.
0.5: there are some, next to statements that are backed.
0: nothing it states is backed.
That the contexts do not say something is no statement: 1 where there is no other.
For the context "The bridge opened in May 1930.":
"It opened in 1930.": 1. "It opened in 1930 and is red.": 0.5. "It opened in 1931.": 0.""")
USED = f"""You judge whether a context is useful to arrive at an answer that was given. {AS_DATA}
Give a short reason first, then the verdict:
useful: it holds what the answer says or rests on, all of it or a part.
useless: it does not, however near its subject.
Judge by the texts alone, not by what you know. If you cannot decide, it is useless.
Examples, for the answer "In May 1930.":
"The bridge was opened on 4 May 1930.": useful.
"The bridge was planned in the twenties.": useless (its subject, nothing of the answer)."""
ENTITIES = f"""You list the entities that a text names: people, organizations, places, dates, numbers with their unit,
products, works and events. {AS_DATA}
Write each once, as the text spells it. A text without entities has an empty list.
Example: "Anna Lind opened the bridge, 300 m long, in May 1930.": "Anna Lind", "300 m", "May 1930"."""
SCORE = object_of(reason=TEXT, score=number_enum(0, 0.5, 1))
VERDICT = object_of(reason=TEXT, verdict=text_enum("useful", "useless"))


def factual_correctness(checked: Checked, mode: str = "f1") -> float:
    """RAGAS's precision, recall or F1 of claims; its recall counts the answer's claims that are right, not the
    reference's claims that the answer holds.
    """
    right, missed = sum(checked.correct), len(checked.found) - sum(checked.found)
    precision = right / len(checked.correct) if checked.correct else UNDEFINED
    recall = right / (right + missed) if right + missed else UNDEFINED
    if mode != "f1":
        return precision if mode == "precision" else recall
    return 0.0 if precision == recall == 0 else 2 * precision * recall / (precision + recall)


def _register_checked(name: str, directions: tuple[str, ...], value: Callable[[Checked], float]) -> None:
    needs = ("answer", "references", "contexts") if "supports" in directions else ("answer", "references")
    register_task(name, needs, calls_of(directions))(partial(check_claims, directions=directions, value=value))


_register_checked("RAGAS.FactualCorrectness", ("correct", "found"), factual_correctness)
for _mode in ("precision", "recall"):
    _register_checked(f"RAGAS.FactualCorrectness(mode='{_mode}')", ("correct", "found"),
                      partial(factual_correctness, mode=_mode))
_register_checked("RAGAS.NoiseSensitivity", ("correct", "supports", "holds"), noise_in_relevant)
_register_checked("RAGAS.NoiseSensitivity(mode='irrelevant')", ("correct", "supports", "holds"), noise_in_irrelevant)


@register_task("RAGAS.AnswerAccuracy", needs=("question", "answer", "references"), calls="2")
def answer_accuracy(case: Case) -> TaskSteps:
    """Mean of two ratings; the second one has answer and reference the other way round."""
    over = too_long(case.answer, case.references[0])
    if over:
        return over
    texts = [join_blocks(question_block(case), as_data("answer", case.answer), as_data("reference",
                                                                                      case.references[0])),
             join_blocks(question_block(case), as_data("text", case.references[0]), as_data("other", case.answer))]
    return (yield from _mean_rating("AnswerAccuracy", ACCURACY, texts))


@register_task("RAGAS.ContextRelevance", needs=("question", "contexts"), calls="2")
def context_relevance(case: Case) -> TaskSteps:
    """Mean of two ratings of all contexts."""
    text = join_blocks(question_block(case), chunk_blocks(case))
    return (yield from _mean_rating("NvContextRelevance", RELEVANCE, [text, text], flags(case)))


@register_task("RAGAS.ResponseGroundedness", needs=("answer", "contexts"), calls="2")
def response_groundedness(case: Case) -> TaskSteps:
    """Mean of two ratings of the answer by all contexts."""
    over = too_long(case.answer)
    if over:
        return over
    text = join_blocks(chunk_blocks(case), as_data("answer", case.answer))
    return (yield from _mean_rating("Groundedness", GROUNDEDNESS, [text, text], flags(case)))


def _mean_rating(task: str, systems: tuple[str, str], texts: list[str], remarks: tuple[str, ...] = ()) -> TaskSteps:
    replies = yield [Question(task, VERSION, system, text, SCORE) for system, text in zip(systems, texts, strict=True)]
    rows = tuple(dict(reply.value) for reply in replies)
    return Judgment(sum(row["score"] for row in rows) / len(rows), rows=rows, flags=remarks)


@register_task("RAGAS.ContextUtilization", needs=("question", "answer", "contexts"), calls="1 per chunk",
               ordered=True)
def context_utilization(case: Case) -> TaskSteps:
    """Average precision of the chunks that are useful for the answer."""
    over = too_long(case.answer)
    if over:
        return over
    answer = as_data("answer", case.answer)
    replies = yield [Question("ChunkUse", VERSION, USED, join_blocks(question_block(case), answer, chunk), VERDICT)
                     for chunk in chunk_blocks(case)]
    rows = tuple({"chunk": chunk, **reply.value} for (chunk, _), reply in zip(case.contexts, replies, strict=True))
    return Judgment(average_precision([row["verdict"] == "useful" for row in rows]), rows=rows, flags=flags(case))


@register_task("RAGAS.ContextEntityRecall", needs=("references", "contexts"), calls="2")
def context_entity_recall(case: Case) -> TaskSteps:
    """Entities of the first reference that the contexts name, in any case, / its entities."""
    over = too_long(case.references[0])
    if over:
        return over
    texts = as_data("text", case.references[0]), join_blocks(chunk_blocks(case))
    replies = yield [Question("Entities", VERSION, ENTITIES, text, object_of(entities=array_of(TEXT)), max_tokens=2048)
                     for text in texts]
    wanted, named = ({entity.strip().casefold() for entity in reply.value["entities"]} - {""} for reply in replies)
    rows = tuple({"entity": entity, "verdict": "named" if entity in named else "absent"} for entity in sorted(wanted))
    if not wanted:
        return Judgment(UNDEFINED, "nothing-to-share", flags=flags(case))
    return Judgment(len(wanted & named) / len(wanted), rows=rows, flags=flags(case))
