"""Terms of results: metrics, cutoffs, figures of the leaderboard, exports."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.terms.term import Term

TERMS: Mapping[str, Term] = {
    "cutoff": Term(
        "Cutoff k", "How many documents from the top count, for example as many as fit into the prompt. Choose or type "
        "a number.", heading="cutoff, k, top k", entry="depth at which a metric stops"),
    "metric": Term(
        "Metric", "The metric of the figures. @k looks at the first k documents only. The Metrics page explains each "
        "metric.", heading="metric, spec, value", link="metrics.md",
        entry="the definition; the definition with parameters and cutoff; its result for one query"),
    "undefined": Term(
        "Undefined", entry="NaN: the metric has no value for this query; shown as a dash, never as 0",
        link="conventions.md"),
    "unavailable": Term("Unavailable", entry="the metric needs data that is not there; the reason is shown"),
    "baseline": Term(
        "Baseline", "The run that the others are compared with: a difference is candidate minus baseline.",
        heading="baseline, candidate", entry="the two sides of a comparison"),
    "oracle": Term("Oracle", entry="the best run of each query, chosen with hindsight"),
    "pareto_front": Term(
        "Pareto front", "A run is on the front if no other run is at least as good and at most as expensive, and "
        "better in one of the two.", entry="runs that no other run beats on both quality and cost",
        heading="Pareto front"),
    "file_metrics": Term(
        "Metric from the file", "A value per query that the file holds: of another tool, a judge or a person. Range "
        "and direction are guessed from values and name."),
    "run_filters": Term(
        "Tags and settings", "Values of one setting are alternatives; different settings and tags must all fit. Edit "
        "tags and settings on the Data page."),
    "run_colors": Term("Colors of runs", "The five best runs and the baseline have colors; the others are gray."),
    "run_settings": Term(
        "Settings", "One name = value a line, such as chunk_size = 256. They replace those of the file, and group runs "
        "on Compare."),
    "run_tags": Term("Tags", "Choose runs by tag in the sidebar."),
    "accepted_run": Term(
        "Accepted run", "The run that later ones are compared with. Last: a run with a significant change becomes the "
        "accepted one, so that the next change is found against the new level. First: it stays the first run. "
        "A chosen run stays the same too; earlier runs are not tested. A pinned baseline is the file that ragdash pin "
        "wrote."),
    "setting_groups": Term(
        "By setting", "Runs grouped by their settings, from the file or typed on the Data page. A group's value is the "
        "mean over queries of the mean of its runs."),
    "main_effects": Term(
        "Effect of a setting", "How much better or worse a value of a setting is than the average of the values of "
        "that setting, with the other settings as they are on average. From a model without interactions, fitted to "
        "each query; intervals and p-values are corrected over all values of all settings.",
        entry="how much a value of a setting changes a metric, against the average of its values"),
    "variants_search": Term(
        "Search runs", "A run has to have all words, in its name or in a setting. setting=value looks for exactly this "
        "value in the settings whose name contains the word before the equals sign."),
    "best_compromises": Term(
        "Best compromises", "Runs on the Pareto front: no other run is at least as good in quality, latency and cost, "
        "and better in one of them. It goes by the means.",
        entry="runs on the Pareto front of quality, latency and cost"),
    "repeats": Term(
        "Repeats", "Runs of one group and name are one configuration that was run several times. Their mean is over "
        "repeats first, then over queries.",
        entry="runs of one group and name: one configuration that was run several times"),
    "leaderboard_run": Term("Run", "The symbol and color of a run are the same in every picture."),
    "leaderboard_run_opens": Term(
        "Run", "Click a row to compare that run with the baseline below. The symbol and color of a run are the same in "
        "every picture."),
    "leaderboard_marks": Term(
        "Marks", "Best: significantly better than every other run; else only the highest mean. Not clearly worse: no "
        "significant difference from that run. And open checks about the run."),
    "leaderboard_difference": Term(
        "Difference", "Mean over queries of run minus {baseline}, the baseline. Its interval and p are below and under "
        "All numbers."),
    "leaderboard_outcome": Term(
        "Outcome", "Whether the difference to {baseline}, the baseline, is statistically significant."),
    "leaderboard_metrics": Term(
        "Metrics", "Choose from the list, or type a metric such as nDCG(gain='exp')@20 or R(average='micro')@5."),
    "answer_metrics": Term(
        "Metrics", "Choose from the list, or type a metric such as TokenF1(tokens='set') or "
        "SupportCoverage(normalization='unicode'). The Metrics page explains each metric."),
    "metric_search": Term("Search", "Type to search by name."),
    "precision_recall_curve": Term(
        "Precision-recall curve", "How much precision more recall costs. Up and to the right is better."),
    "percentiles": Term(
        "P50, P90, P99", "Half of the queries (P50, the median), 90% or 99% of them take at most this long. A mean "
        "hides slow queries; users notice them in P90 and P99.", heading="P50, P90, P99", link="metrics.md",
        entry="the time within which 50%, 90% or 99% of the queries are answered"),
    "latency_distribution": Term(
        "Latency", "The share of the queries that took at most this long. Further left is faster; a flat end means a "
        "slow tail."),
    "paired_values": Term(
        "Values of two runs", "Each mark is a query, or several with the same pair of values. Above the diagonal the "
        "second run is higher."),
    "run_similarity": Term(
        "Similarity of the runs", "Two runs with the same mean may return the same documents or different ones. Runs "
        "that find different documents can be combined."),
    "list_overlap": Term(
        "Overlap", "Documents that both runs return, over the length of the longer list; mean over the queries that "
        "both runs have. Runs with a small overlap find different documents."),
    "html_report": Term(
        "Report", "One HTML file that needs no server and no network. It opens in any browser, in light and dark, and "
        "prints well.", link="../guide/share.md"),
    "exported_table": Term(
        "Table", "Full precision in CSV, Excel and Parquet; three decimals in Markdown and LaTeX. Ids stay text, and "
        "no cell is read as a formula."),
    "exported_figures": Term(
        "Figures", "Every figure of the sections chosen above, in one ZIP archive. For a single figure use the "
        "Download tab above it."),
    "view_link": Term(
        "Link", "Opens this view in any browser, for as long as this server keeps the runs."),
    "saved_view": Term(
        "Saved view", "A page with all its choices, kept in the workspace under a name. Its short address opens it for "
        "everybody who reaches this server.", link="../guide/share.md"),
    "report_texts": Term("Texts", "Leave them out if the corpus is confidential: ids replace them."),
    "show_as": Term(
        "Show as", "The same runs as another tool computes the metrics: its ties, missing queries, denominators and "
        "ideal ranking. Below: from the mean here to the mean there, cause by cause.",
        link="../start/coming-from.md"),
}
