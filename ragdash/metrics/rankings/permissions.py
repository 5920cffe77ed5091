"""Does the system keep to what the asker may see? Read from the documents that the truth allows for each query.

Undefined (NaN) for a query of which the truth does not say what is allowed; an empty list allows nothing.
"""

from __future__ import annotations

import numpy as np

from ragdash.matching.views.permissions import Permitted
from ragdash.matching.views.ranked import ALL, Cutoffs, Values
from ragdash.metrics.rankings.sums import ratio
from ragdash.metrics.registry import metric


@metric("Leak", "Leak", formula=r"1 \text{ if } top_k \not\subseteq allowed, \text{ else } 0",
        source="access control of retrieval", cutoff="required", better="lower", relevance=False, interval="exact",
        aliases=("leakage", "leak_rate"),
        when="Before documents with permissions go into a prompt. One leak is an incident, so read the upper bound.",
        differs="No common name: others count leaked documents.")
def leak(permitted: Permitted, k: Cutoffs) -> Values:
    """1 if a document in the first k is forbidden for the asker, else 0; its mean is the share of queries with a leak.

    The interval is the exact one (Clopper-Pearson). So no leak in 100 queries still allows a rate of up to 3.6%.
    Returns (Q, K): 0 or 1.
    """
    return permitted.where_known(permitted.forbidden_at(k) > 0)


@metric("KCollapse", "k-collapse",
        formula=r"1 \text{ if } |returned \cap allowed| < k \text{ and something was forbidden}",
        source="filtering after retrieval", cutoff="required", better="lower", relevance=False, interval="exact",
        aliases=("k_collapse",),
        when="Filters that run after the search: are enough documents left for the prompt?",
        differs="No common name.")
def k_collapse(permitted: Permitted, k: Cutoffs) -> Values:
    """1 if fewer than k documents are left when all forbidden ones are taken out of the ranking, else 0.

    0 for a ranking without a forbidden document, however short. Returns (Q, K): 0 or 1.
    """
    left = permitted.ranked.hits_at(np.array([ALL]))
    forbidden = permitted.forbidden_at(np.array([ALL]))
    return permitted.where_known((left < k) & (forbidden > 0))


@metric("AllowedRecall", "Recall within the allowed",
        formula=r"\frac{|relevant \cap allowed \cap top_k|}{|relevant \cap allowed|}",
        source="recall over what the asker may see", relevance=False, aliases=("allowed_recall",),
        when="Recall for askers who may not see everything: forbidden relevant documents must not count as missed.",
        differs="No common name.")
def allowed_recall(permitted: Permitted, k: Cutoffs) -> Values:
    """Share of the relevant documents that the asker may see which are in the first k ranks.

    Also undefined if the asker may see no relevant document. Returns (Q, K) in [0, 1].
    """
    relevant = permitted.relevant
    return permitted.where_known(ratio(relevant.hits_at(k), relevant.relevant()))
