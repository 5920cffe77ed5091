"""Terms of hybrids: fusion, windows, held-out choice."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.terms.term import Term

TERMS: Mapping[str, Term] = {
    "hybrid": Term(
        "Hybrid", "One ranking made of the rankings of several runs. It follows from them, so its value is known "
        "before anybody builds it.", entry="a ranking fused from those of several runs", heading="hybrid, fusion",
        link="../guide/what-if.md"),
    "fused_runs": Term(
        "Runs to fuse", "Two or more; first the best run and the one that adds most to it. "
        "Where weights differ: keyword search first, then vector search."),
    "fusion_method": Term(
        "Method or engine", "A fusion method, or how an engine fuses: its formula, defaults, window and edge cases. "
        "The guide lists all of them with versions.", link="../guide/what-if.md"),
    "fusion_k": Term(
        "k", "The constant of RRF, 1 / (k + rank). A small k favors the top ranks; 60 is the usual default."),
    "fusion_weight": Term(
        "Weight of the last run", "0: the first run alone. 1: the last run alone. With three runs or more the others "
        "share the rest equally."),
    "fusion_window": Term(
        "Window", "How many results of each run take part. Engines have defaults, such as 10 in Elasticsearch: the "
        "rest of your results is not used.", entry="how many results of each run take part in a fusion"),
    "cascade": Term(
        "Cascade", "The first results of one run, put into the order of another one, as a re-ranker would.",
        heading="cascade", entry="the first results of one run in the order of another", link="../guide/what-if.md"),
    "z_score": Term(
        "z-score", "A score minus the mean of the scores of its list, over their standard deviation. Scores of "
        "different searches then have one scale.", heading="z-score", link="../guide/what-if.md",
        entry="a score minus the mean of its list, over their standard deviation"),
    "cascade_depth": Term(
        "Depth of the cascade", "How many results of the first run the second one puts into its own order, as a "
        "re-ranker would. What the second run lacks follows."),
    "union_same": Term(
        "Same document", "By id, by equal text (without case and white space), or also by nearly equal text: 80% of "
        "the runs of three words in common, and the same numbers. Of copies the first one stays."),
    "held_out": Term(
        "Held out", "Measured on queries that had no part in the choice. Choosing and reporting on the same queries "
        "promises too much.", entry="measured on queries that had no part in a choice", heading="held out, optimism"),
    "ceiling": Term(
        "Ceiling", "The value if all results of all runs were in the best order. It knows the judgments, so no fusion "
        "can be better.", entry="the value of the best order of the results of all runs"),
    "flat_range": Term(
        "Flat range", "Settings in the shaded range are not significantly worse than the chosen one, compared query "
        "by query."),
    "churn": Term(
        "What changes", "First results and top-k sets that differ from the best single run, and the queries whose "
        "value rises or falls."),
    "fused_price": Term(
        "Price of a hybrid", "From the times that the runs recorded for their searches: the slowest where they run in "
        "parallel, the sum where one follows the other. Fusing itself takes well under a millisecond. Tokens: a fourth "
        "of the characters of the texts."),
    "leg_attribution": Term(
        "What each run brings", "Relevant documents from the searches over the fusion to the last list. Brings alone: "
        "found at the end, and no other run returned them. Share: the run's Shapley value."),
    "shapley_value": Term(
        "Shapley value", "How much of the hybrid's value is due to a run: its mean gain over all orders in which the "
        "runs can be added. The shares add up to the whole; a run with a small share adds little.",
        heading="Shapley value", link="../guide/what-if.md",
        entry="a run's mean gain over all orders of adding the runs"),
    "reranked_run": Term(
        "Re-ranked run", "The list after a re-ranker, if you have it as a run: then documents that the re-ranker loses "
        "are counted for themselves."),
    "router": Term(
        "Router", "A rule of one or two conditions that treats queries differently. Before retrieval it sends a query "
        "to one run by its question, which saves the other searches. After retrieval it moves the weight by the lists. "
        "It is chosen and measured on different queries.", entry="a rule that sends queries to different runs, or "
        "moves the weight of a fusion", link="../guide/what-if.md"),
    "report_hybrid": Term(
        "Better hybrid", "Whether the report says that fusing runs would be better. The section is the answer of the "
        "What-if page for the runs fused there, or for the best run and the one that adds most: decision, price, "
        "cascade and routers. It takes some seconds when the report is downloaded."),
}
