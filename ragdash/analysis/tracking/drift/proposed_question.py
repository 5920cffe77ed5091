"""A question of a log that the test set should have. `ragdash.experiments.testset.propose_questions` chooses them."""

from __future__ import annotations

from dataclasses import dataclass

REASONS = {"refused": "the system declined to answer", "unanswered": "the system gave no answer",
           "new": "the test set has nothing like it", "typical": "many questions are like it"}


@dataclass(frozen=True)
class ProposedQuestion:
    """A question of the log for the test set.

    Attributes
    ----------
    id
        Made of its words, the same in every log.
    question, reason
        The text, and one of REASONS.
    asked, represents
        How often it was asked, and how many of the log's distinct questions are more like it than like any question
        of the test set or proposed before.
    nearest, similarity
        The most similar question of the test set, and the cosine of both.
    answer
        What the system answered the last time; not a reference.
    """

    id: str
    question: str
    reason: str
    asked: int
    represents: int
    nearest: str
    similarity: float
    answer: str | None = None
