"""Which returned chunk holds which gold span: similarity, computed once, and thresholds that are applied to it."""

from ragdash.evidence.decisions import Decisions, decision_lines, digest, read_decisions, write_decisions
from ragdash.evidence.kept import KeptDecisions, kept_decisions
from ragdash.evidence.matching import FLOOR, embedded_texts, match_evidence
from ragdash.evidence.scores import EvidenceScores
from ragdash.evidence.similarity import HOW
from ragdash.evidence.spans import Spans, normalise, spans

__all__ = ["FLOOR", "HOW", "Decisions", "EvidenceScores", "KeptDecisions", "Spans", "decision_lines", "digest",
           "embedded_texts", "kept_decisions", "match_evidence", "normalise", "read_decisions", "spans",
           "write_decisions"]
