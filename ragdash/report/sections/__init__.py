"""The sections of a report, in the order in which they are read: name -> what makes it of a Content."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ragdash.report.blocks import Section
from ragdash.report.content import Content
from ragdash.report.sections import appendix, failures, judges, overall, quality, queries, retrieval, speed

SECTIONS: Mapping[str, tuple[str, Callable[[Content, str], Section]]] = {
    "verdict": ("Verdict", overall.verdict),
    "leaderboard": ("Leaderboard", overall.leaderboard),
    "curves": ("Precision and recall by cutoff", retrieval.by_cutoff),
    "ranking": ("MRR, NDCG and the first relevant document", retrieval.ranking),
    "bands": ("Threshold bands", quality.bands),
    "answers": ("Answers", quality.answers),
    "judges": ("Judges", judges.judges),
    "failures": ("Failures", failures.failures),
    "queries": ("Queries that decide", queries.deciding),
    "speed": ("Speed and cost", speed.speed),
    "settings": ("Settings", appendix.settings),
    "ledger": ("Comparability", appendix.comparability),
    "metrics": ("What the metrics mean", appendix.metrics),
    "versions": ("Versions and digests", appendix.versions),
}
