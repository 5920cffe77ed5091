"""The sections of a report, in the order in which they are read: name -> what makes it of a Content."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ragdash.reporting.html.blocks import Section
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.html.sections import (
    appendix,
    bands_and_answers,
    failures,
    hybrid,
    judges,
    latency_cost,
    other_tools,
    overall,
    queries,
    retrieval,
    summary,
    test_set,
)

SECTIONS: Mapping[str, tuple[str, Callable[[ReportContent, str], Section]]] = {
    "summary": ("Summary", summary.summary),
    "verdict": ("Verdict", overall.verdict),
    "leaderboard": ("Leaderboard", overall.leaderboard),
    "curves": ("Precision and recall by cutoff", retrieval.by_cutoff),
    "ranking": ("MRR, NDCG and the first relevant document", retrieval.ranking),
    "bands": ("Threshold bands", bands_and_answers.bands),
    "answers": ("Answers", bands_and_answers.answers),
    "judges": ("Judges", judges.judges),
    "failures": ("Failures", failures.failures),
    "queries": ("Queries that decide", queries.deciding_queries),
    "speed": ("Speed and cost", latency_cost.latency_cost_section),
    "hybrid": ("Would a hybrid help?", hybrid.hybrid),
    "testset": ("Is the test set any good?", test_set.test_set),
    "judgenext": ("Judge these next", test_set.judge_next),
    "tools": ("As other tools print it", other_tools.other_tools),
    "settings": ("Settings", appendix.settings),
    "ledger": ("Comparability", appendix.comparability),
    "metrics": ("What the metrics mean", appendix.metrics),
    "versions": ("Versions and digests", appendix.versions),
}
ASKED = ("hybrid",)  # sections that a report has only where it is asked for them
WITHOUT_PICTURES = ("hybrid", "testset", "judgenext", "tools")  # sections that need not be computed for their pictures
ONE_PAGE = ("summary",)  # the report that prints on two pages at most; the other sections are its appendix
