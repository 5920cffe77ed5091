"""Terms of statistics: means, intervals, tests, comparisons."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.terms.term import Term

_LINK = "statistics.md"

TERMS: Mapping[str, Term] = {
    "settling": Term(
        "Judgments that settle the winner", "Each unjudged document is relevant with a chance, from judged documents "
        "at like ranks. The order removes doubt about which run leads as fast as possible. A run leads surely at 95%.",
        entry="which judgments remove most doubt about which run is better", link="../guide/queries.md"),
    "detectable_difference": Term(
        "Detectable difference", "A true difference of this size is found significant in 80% of such comparisons. It "
        "depends on the number of queries and on how much two runs differ from query to query.", link=_LINK,
        entry="the difference that a comparison of these queries finds with 80% power"),
    "summary": Term("Summary", entry="mean with confidence interval and n", link=_LINK),
    "confidence_interval": Term(
        "CI (confidence interval)", "The range in which the mean over all queries of this kind is expected: 95% of "
        "intervals that are made this way contain it.", heading="confidence interval (CI)",
        entry="range for the mean of another sample of similar queries, 95%", link=_LINK),
    "significant": Term("Statistically significant", entry="corrected p below 0.05", link=_LINK),
    "holm": Term(
        "Holm's correction", "Makes the p-values of several comparisons larger, since with many of them some look "
        "significant by chance.", heading="Holm's correction", link=_LINK,
        entry="larger p-values where several comparisons are made, since some look significant by chance"),
    "effect_size": Term(
        "Effect size", link=_LINK,
        entry="size of a difference, independent of n: mean difference, d_z, probability of superiority"),
    "outcome": Term(
        "Outcome", link=_LINK,
        entry="result of a comparison: better, worse, equivalent, no significant difference, too few queries"),
    "bounds": Term(
        "Bounds", entry="the minimum and maximum of a metric over all grades of the unjudged documents"),
    "leaderboard_test": Term(
        "Test", "{family} Not clearly worse: no significant difference from the best run. That does not prove that the "
        "two are equal.", link=_LINK),
    "leaderboard_differences": Term(
        "Differences", "Candidate minus baseline: the mean over queries with its simultaneous 95% interval. Filled "
        "symbols are statistically significant: the interval excludes 0. Hollow ones are not.", link=_LINK),
    "comparison_test": Term(
        "Test", "{family} Better and worse count queries, in the direction of the metric.", link=_LINK),
    "equivalence_margin": Term(
        "Equivalence margin", "The largest difference that does not matter to you, such as 0.02. A candidate is "
        "equivalent if its whole interval lies within the margin.", link=_LINK),
    "comparable_metric": Term(
        "Comparable metric", "A comparison needs a metric that has a value for each query, a meaningful mean, and a "
        "direction in which it is better."),
    "compared_queries": Term(
        "Queries", "Queries on which {candidate} is better, equal or worse than {baseline}."),
    "slice_comparison": Term(
        "Slices", "The same comparison within each kind of query. p and intervals are corrected for all pairs of runs "
        "in all slices: with many comparisons some look significant by chance.", link=_LINK),
    "rank_correlation": Term(
        "Rank correlation", "Spearman's rank correlation over the queries where both metrics are defined, from −1 to "
        "1; 0 means no connection. A connection does not show that one causes the other.", link=_LINK),
    "failure_slices": Term(
        "What failing queries share", "The queries of each kind compared with all others. p: Welch's t-test, "
        "Holm-corrected over every kind, since with many comparisons some look significant by chance. A kind that "
        "fails more often need not be the cause: kinds overlap.", link="diagnosis.md"),
}
