"""Faithfulness of a whole answer in one call: is what it says in the contexts?"""

from __future__ import annotations

from ragdash.judging.prompts import AS_DATA, as_data
from ragdash.judging.question import Question
from ragdash.judging.tasks.registry import Asking, Case, Judgement, judged

VERSION = "1"
SYSTEM = f"""You judge whether an answer is faithful to the contexts it was made from. {AS_DATA}
Give a short reason first, then the score:
1: everything the answer states is stated in the contexts or follows from them.
0.5: some of it is, some of it is not.
0: what it states is not in the contexts, or they say otherwise.
Judge by the contexts alone, not by what you know. What is true but not in the contexts is not faithful."""
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "number", "enum": [0, 0.5, 1]}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}


@judged("Faithfulness", needs=("answer", "contexts"))
def faithfulness(case: Case) -> Asking:
    """1, 0.5 or 0."""
    parts = [as_data("question", case.question)] if case.question else []
    parts += [as_data("context", text, id=name) for name, text in case.contexts]
    parts.append(as_data("answer", case.answer))
    reply, = yield [Question("Faithfulness", VERSION, SYSTEM, "\n\n".join(parts), SCHEMA)]
    return Judgement(float(reply.value["score"]), rows=({"reason": reply.value["reason"],
                                                         "score": reply.value["score"]},))
