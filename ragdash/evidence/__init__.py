"""Which returned chunk holds which gold span: similarity, computed once, and thresholds that are applied to it."""

from ragdash.evidence.decisions import Decisions, digest, read_decisions, write_decisions
from ragdash.evidence.matching import embedded_texts, match_evidence
from ragdash.evidence.scores import EvidenceScores
from ragdash.evidence.similarity import HOW
from ragdash.evidence.spans import Spans, normalise, spans

__all__ = ["HOW", "Decisions", "EvidenceScores", "Spans", "digest", "embedded_texts", "match_evidence", "normalise",
           "read_decisions", "spans", "write_decisions"]
