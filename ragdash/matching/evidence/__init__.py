"""Which returned chunk holds which gold span: similarity, computed once, and thresholds that are applied to it."""

from ragdash.matching.evidence.decision_store import DecisionStore, kept_decisions
from ragdash.matching.evidence.decisions import Decisions, decision_lines, digest, read_decisions, write_decisions
from ragdash.matching.evidence.matching import FLOOR, embedded_texts, match_evidence
from ragdash.matching.evidence.scores import EvidenceScores
from ragdash.matching.evidence.similarity import HOW
from ragdash.matching.evidence.spans import Spans, normalize, spans

__all__ = [
           "FLOOR",
           "HOW",
           "DecisionStore",
           "Decisions",
           "EvidenceScores",
           "Spans",
           "decision_lines",
           "digest",
           "embedded_texts",
           "kept_decisions",
           "match_evidence",
           "normalize",
           "read_decisions",
           "spans",
           "write_decisions",
]
