"""The places where a query can go wrong, in the order of the corridor from relevant documents to a right answer."""

from __future__ import annotations

from dataclasses import dataclass

from ragdash.core.terms import TERMS, tooltip


@dataclass(frozen=True)
class Stage:
    """A place where a query went wrong first; the last, "fine", is none.

    name: a stable word for programs and addresses; title: for people; meaning: when a query is here, in a
    sentence; fix: what usually fixes it; passed: what holds for those who come past it, {k} for the k of the rules.
    """

    name: str
    title: str
    meaning: str
    fix: str
    passed: str


STAGES = (
    Stage("no-gold", "Nothing to check", "No relevant document is known, and there is no reference answer, or no "
          "answer.",
          "Judge documents for the query, mark evidence, or write a reference answer. Of a run without rankings, add "
          "the answers.", "Something to check"),
    Stage("forbidden", "Returned although forbidden", "The first k hold a document that the asker may not see.",
          "Apply the filter before the search. One that runs after it leaves fewer documents.",
          "Only allowed documents in the first {k}"),
    Stage("not-in-corpus", "Not in the corpus", "None of the relevant documents is in the corpus.",
          "Add the missing documents to the index, or correct the judgments.",
          "Relevant document in corpus"),
    Stage("not-retrieved", "Not retrieved", "No relevant document was returned, at any rank.",
          "Another retriever, query rewriting, other embeddings or chunks, a deeper list.",
          "Relevant document found"),
    Stage("below-k", "Ranked below k", "A relevant document was returned, but none in the first k.",
          "Re-rank, or hand more documents to the generator.", "One in the first {k}"),
    Stage("partly-covered", "Too few in the first k", "Some relevant documents are in the first k, fewer than needed.",
          "A larger k, several searches for questions of several parts, larger chunks.", "Enough in the first {k}"),
    Stage("below-threshold", "Below the score threshold", "Enough relevant documents are in the first k, but the score "
          "threshold removes some.", "Lower the score threshold, or calibrate it again.", "Enough above the threshold"),
    Stage("wrong-answer", "Wrong answer", "Relevant documents were retrieved as far as known, and the answer is wrong.",
          "The prompt or the model of the generator, fewer or better ordered contexts.", "Answered right"),
    Stage("not-grounded", "Not grounded", "The answer is right as far as known, but the contexts support too little.",
          "Ask the generator to keep to the contexts, and to quote them.", "Right and grounded"),
    Stage("refused", "Declined needlessly", "The question has an answer, relevant documents were retrieved "
          "as far as known, and the answer declines. Answers that decline without their documents are at an earlier "
          "stage.", "Soften the instruction to decline; put the evidence further up in the prompt.",
          "Answered"),
    Stage("answered-unanswerable", "Answered though unanswerable", "The question has no answer, and the run gave one.",
          "Ask the generator to decline where the contexts do not have the answer; a score threshold.",
          "Right where there is no answer"),
    Stage("fine", TERMS["no_failure"].name, tooltip("no_failure"), "", ""),
)
NAMES = tuple(stage.name for stage in STAGES)
FINE = NAMES.index("fine")
FAILURES = tuple(at for at, name in enumerate(NAMES) if name not in ("no-gold", "fine"))
"""The stages at which something went wrong: where there is nothing to check, nobody knows."""
WAY = ("no-gold", "forbidden", "not-in-corpus", "not-retrieved", "below-k", "partly-covered",
       "below-threshold", "refused",
       "wrong-answer", "not-grounded")
"""The steps of a question that has an answer, in the order of the waterfall."""
ASIDE = ("answered-unanswerable",)
"""The step of a question that has none."""
OPTIONAL = ("forbidden",)
"""Steps that are mentioned only where the ground truth has what they ask for."""
RETRIEVAL = WAY[2:7]
"""The steps that look for relevant documents."""


def number(name: str) -> int:
    """The place of a stage in STAGES; KeyError for a name that is none."""
    if name not in NAMES:
        raise KeyError(name)
    return NAMES.index(name)
