"""What failing queries share: kinds of queries that are worse than the rest, and clusters of alike questions."""

from ragdash.failing.clusters import Cluster, clusters, question_vectors
from ragdash.failing.shared import LEAST, Shared, shared
from ragdash.failing.traits import properties, questions, traits

__all__ = ["LEAST", "Cluster", "Shared", "clusters", "properties", "question_vectors", "questions", "shared", "traits"]
