"""How alike are runs: their lists side by side, their likeness, what one alone found, the best run of each query."""

from ragdash.analysis.run_similarity.measures import Likeness, kendall_tau, overlap, rank_biased_overlap
from ragdash.analysis.run_similarity.top_k_lists import DEPTH, Lists, lists
from ragdash.analysis.run_similarity.unique_and_oracle import OnlyFound, Oracle, only_found, oracle

__all__ = ["DEPTH", "Likeness", "Lists", "OnlyFound", "Oracle", "kendall_tau", "lists", "only_found", "oracle",
           "overlap", "rank_biased_overlap"]
