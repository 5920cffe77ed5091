"""What failing queries share: kinds of queries that are worse than the rest, and clusters of similar questions."""

from ragdash.analysis.failure_patterns.clusters import Cluster, clusters, question_vectors
from ragdash.analysis.failure_patterns.shared_traits import LEAST, SharedTrait, compare_traits
from ragdash.analysis.failure_patterns.traits import outcome_attributes, properties, questions, traits

__all__ = [
    "LEAST",
    "Cluster",
    "SharedTrait",
    "clusters",
    "compare_traits",
    "outcome_attributes",
    "properties",
    "question_vectors",
    "questions",
    "traits",
]
