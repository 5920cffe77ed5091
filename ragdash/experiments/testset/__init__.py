"""Test sets made from documents: questions that a judge writes, kept where every rule passes, reviewed by a person.

The package asks nobody; `ragdash testset` does. Nothing of it is needed to evaluate.
"""

from ragdash.experiments.testset.acceptance_rules import RULES
from ragdash.experiments.testset.drafts import (
           ALL_TYPES,
           ANSWERED,
           LOGGED,
           TYPES,
           Check,
           Document,
           Draft,
           DraftSet,
           Evidence,
)
from ragdash.experiments.testset.files import drafts_jsonl, read_drafts, rejects_jsonl, truth_jsonl, truth_of
from ragdash.experiments.testset.from_logs import (
           drafts_of,
           propose_questions,
           questions_jsonl,
)
from ragdash.experiments.testset.generate import (
           FACTOR,
           DraftRequest,
           drafts_per_type,
           generate_drafts,
           notes,
           plan_drafts,
)
from ragdash.experiments.testset.round_trip import RoundTrip
from ragdash.experiments.testset.store import STATES, Decision, DraftDecisionStore, Sets, final

__all__ = [
           "ALL_TYPES",
           "ANSWERED",
           "FACTOR",
           "LOGGED",
           "RULES",
           "STATES",
           "TYPES",
           "Check",
           "Decision",
           "Document",
           "Draft",
           "DraftDecisionStore",
           "DraftRequest",
           "DraftSet",
           "Evidence",
           "RoundTrip",
           "Sets",
           "drafts_jsonl",
           "drafts_of",
           "drafts_per_type",
           "final",
           "generate_drafts",
           "notes",
           "plan_drafts",
           "propose_questions",
           "questions_jsonl",
           "read_drafts",
           "rejects_jsonl",
           "truth_jsonl",
           "truth_of",
]
