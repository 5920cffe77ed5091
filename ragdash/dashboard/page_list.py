"""The list of pages: section, file, title, icon, question, address."""

from __future__ import annotations

import streamlit as st

from ragdash.core.paths import home


def pages() -> dict[str, list]:
    """The pages by section. A page's path is its file's name: by that the first visitor of a fresh server finds it."""
    def page(file: str, title: str, icon: str, help: str, path: str, default: bool = False):
        return st.Page(
            home() / "pages" / file, title=title, icon=f":material/{icon}:", help=help, url_path=path, default=default
        )

    return {
        "": [
            page(
                "runs.py", "Runs", "upload_file", "Load runs and judgements, see what they hold.", "runs", default=True
            ),
            page("leaderboard.py", "Leaderboard", "leaderboard", "Which configuration is best?", "leaderboard"),
            page("compare.py", "Compare", "difference", "Is the difference real?", "compare"),
            page("threshold-bands.py", "Threshold bands", "stacks", "Is it good enough?", "threshold-bands"),
        ],
        "Retrieval": [
            page(
                "precision-recall.py",
                "Precision-recall",
                "show_chart",
                "How do the metrics change with the cutoff k?",
                "precision-recall",
            ),
            page(
                "ranking.py",
                "Ranking",
                "format_list_numbered",
                "At what rank is the first relevant document?",
                "ranking",
            ),
        ],
        "Generation": [
            page("answers.py", "Answers", "question_answer", "Are the answers right and grounded?", "answers"),
            page("judges.py", "Judges", "gavel", "What does judging cost, and what came of it?", "judges"),
            page("trust.py", "Trust", "handshake", "Can the judge's verdicts be trusted?", "trust"),
        ],
        "Why": [
            page("failures.py", "Failures", "healing", "What should I fix first?", "failures"),
            page("queries.py", "Queries", "manage_search", "Why does this query fail?", "queries"),
        ],
        "More": [
            page("speed-cost.py", "Speed & cost", "speed", "What does it cost?", "speed-cost"),
            page("test-set.py", "Test set", "quiz", "Are these generated questions good?", "test-set"),
            page("share.py", "Share", "ios_share", "How do I show it to others?", "share"),
            page("metrics.py", "Metrics", "function", "What does each number mean?", "metrics"),
        ],
    }


def addresses() -> dict[str, str]:
    """The pages' titles by their place in the address."""
    return {page.url_path: page.title for section in pages().values() for page in section}
