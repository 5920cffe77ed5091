"""How alike are runs: their lists side by side, their likeness, what one alone found, the best run of each query."""

from ragdash.likeness.found import OnlyFound, Oracle, only_found, oracle
from ragdash.likeness.lists import DEPTH, Lists, lists
from ragdash.likeness.measures import Likeness, kendall_tau, overlap, rank_biased_overlap

__all__ = ["DEPTH", "Likeness", "Lists", "OnlyFound", "Oracle", "kendall_tau", "lists", "only_found", "oracle",
           "overlap", "rank_biased_overlap"]
