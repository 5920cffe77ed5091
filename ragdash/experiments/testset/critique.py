"""A second reading of a draft by a judge that sees its documents: answerable, self-contained, one question, right.

It is asked only about drafts that pass the rules. The same model may do it: it reads a question instead of writing one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragdash.experiments.testset.drafts import ANSWERED, Check, Document, Draft
from ragdash.experiments.testset.prompts import part_of
from ragdash.models.judge.prompts import AS_DATA, as_data
from ragdash.models.judge.question import MISSING, Question
from ragdash.models.judge.tasks.prompt_texts import TEXT, join_blocks, object_of, text_enum
from ragdash.models.judge.tasks.registry import Judgment, TaskSteps

VERSION = "1"
TASK = "CritiqueDraft"
CRITIQUE = f"""You check a question that is to test a search system, by the documents it was made from. {AS_DATA}
Give a short reason first, then yes or no to each:
answerable: the documents answer the question, all of it.
self_contained: whoever has not seen the documents understands what it asks: people, things, places and times are named.
one_question: it asks one thing, and a knowledgeable reader would not ask back what is meant.
right_answer: the given answer is right by the documents, and complete. If no answer is given: no.
Judge by the documents alone, not by what you know. If you cannot decide, say no.
Examples, for the document "The bridge of Tarn opened in May 1930. A firm from the north built it.":
"When did the bridge of Tarn open?", answer "in May 1930": yes, yes, yes, yes.
"How long is the bridge of Tarn?", answer "300 m": answerable no, right_answer no.
"When did it open?", answer "in May 1930": self_contained no.
"When did the bridge of Tarn open and who built it?", answer "in May 1930": one_question no, right_answer no."""
ASPECTS: Mapping[str, str] = {
    "answerable": "its documents do not answer it",
    "self_contained": "it is not understood without its documents",
    "one_question": "it asks more than one thing, or it is unclear which",
    "right_answer": "its answer is not right or not complete",
}
"""What the critique decides, each with the words for a no."""
YES_NO = text_enum("yes", "no")


def critique(draft: Draft, documents: Sequence[Document], lap: int = 0) -> TaskSteps:
    """The asking about a draft: one question; rows of the `Judgment`: the reply."""
    reply, = yield [critique_question(draft.question, draft.answer, documents, lap)]
    return Judgment(1.0, rows=(dict(reply.value),))


def critique_question(question: str, answer: str | None, documents: Sequence[Document], lap: int = 0) -> Question:
    """What the judge is asked about a question and its answer, None for a question that should have none."""
    blocks = [as_data("document", part_of(document, lap), id=f"d{number}")
              for number, document in enumerate(documents, 1)]
    blocks.append(as_data("question", question))
    if answer is not None:
        blocks.append(as_data("answer", answer))
    schema = object_of(reason=TEXT, **dict.fromkeys(ASPECTS, YES_NO))
    return Question(TASK, VERSION, CRITIQUE, join_blocks(*blocks), schema)


def critique_check(draft: Draft, judgment: Judgment) -> Check:
    """The rule critique: every aspect is yes; of a question without an answer, it is not answerable."""
    if judgment.missing:
        return Check("critique", False, f"its critique is missing: {MISSING.get(judgment.missing, judgment.missing)}")
    reply = judgment.rows[0]
    if draft.type in ANSWERED:
        aspects = {aspect: words for aspect, words in ASPECTS.items()
                   if draft.type != "contradictory" or aspect != "answerable"}  # a false premise has no plain answer
        faults = [words for aspect, words in aspects.items() if reply[aspect] == "no"]
    else:
        faults = [words for aspect, words in ASPECTS.items()
                  if aspect in ("self_contained", "one_question") and reply[aspect] == "no"]
        faults += ["its document answers it"] if reply["answerable"] == "yes" else []
    reason = f" ({reply['reason'].strip()})" if reply["reason"].strip() else ""
    return Check("critique", not faults, f"the critique says: {'; '.join(faults)}{reason}" if faults else
                 "the critique finds no fault")
