"""How alike are runs: their lists side by side, their likeness, what one alone found, the best run of each query."""

from ragdash.analysis.run_similarity.measures import RunSimilarity, kendall_tau, overlap, rank_biased_overlap
from ragdash.analysis.run_similarity.top_k_lists import DEPTH, TopKLists, collect_top_k
from ragdash.analysis.run_similarity.unique_and_oracle import Oracle, UniqueDocuments, oracle, unique_documents

__all__ = [
    "DEPTH",
    "Oracle",
    "RunSimilarity",
    "TopKLists",
    "UniqueDocuments",
    "collect_top_k",
    "kendall_tau",
    "oracle",
    "overlap",
    "rank_biased_overlap",
    "unique_documents",
]
