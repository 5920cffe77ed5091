"""Test sets made from documents: questions that a judge writes, kept where every rule passes, reviewed by a person.

The package asks nobody; `ragdash testset` does. Nothing of it is needed to evaluate.
"""

from ragdash.experiments.testset.acceptance_rules import RULES
from ragdash.experiments.testset.drafts import ANSWERED, TYPES, Check, Document, Draft, DraftSet, Evidence
from ragdash.experiments.testset.files import drafts_jsonl, read_drafts, rejects_jsonl, truth_jsonl, truth_of
from ragdash.experiments.testset.generate import FACTOR, Wish, made, notes, planned, shared_out
from ragdash.experiments.testset.round_trip import RoundTrip
from ragdash.experiments.testset.store import STATES, Decision, DecisionStore, Sets, final

__all__ = ["ANSWERED", "FACTOR", "RULES", "STATES", "TYPES", "Check", "Decision", "DecisionStore", "Document", "Draft",
           "DraftSet", "Evidence", "RoundTrip", "Sets", "Wish", "drafts_jsonl", "final", "made", "notes",
           "planned", "read_drafts", "rejects_jsonl", "shared_out", "truth_jsonl", "truth_of"]
