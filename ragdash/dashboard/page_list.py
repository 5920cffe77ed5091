"""The list of pages: address, title, icon, question, and the data that each page needs; old addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ragdash.analysis.variants import FEWEST_RUNS
from ragdash.core.paths import home
from ragdash.core.records import Run
from ragdash.dashboard.components import page_links
from ragdash.dashboard.session import relevance, reviews, run_facts, state
from ragdash.dashboard.session.data_store import LOADED, SessionRun
from ragdash.metrics import have_rankings

RUNS, JUDGMENTS, RELEVANT = "runs", "judgments", "relevance judgments"
SCORES, ANSWERS, DOCUMENTS = "scores", "answers", "documents"
TWO_RUNS, DATED_RUNS = "two runs", "two dated runs"
VARIANTS, FOUR_VARIANTS = "runs that share settings", "four runs with settings"
ANSWER_COLUMNS = ("answer", "contexts")


@dataclass(frozen=True)
class PageEntry:
    """A page of the navigation. path: its address, and the name of its file in pages/; needs: the data it shows."""

    path: str
    title: str
    icon: str
    question: str
    needs: tuple[str, ...] = ()
    appears_with: str = ""  # data without which the list leaves the page out, instead of graying it
    unlisted: bool = False  # linked at the end of the sidebar, or on Data, instead of in the list of pages


RESULT_NEEDS = (RUNS, JUDGMENTS)  # judgments may be those of answers alone
RELEVANCE_NEEDS = (*RESULT_NEEDS, RELEVANT)
PAGES: dict[str, tuple[PageEntry, ...]] = {
    "": (
        PageEntry("overview", "Overview", "home", "What is the result?"),
        PageEntry("compare", "Compare", "leaderboard", "Which run is best, and is the difference real?", RESULT_NEEDS),
        PageEntry("history", "History", "timeline", "Is it getting better?", RESULT_NEEDS, DATED_RUNS),
        PageEntry("variants", "Variants", "tune", "Which setting matters?", (*RESULT_NEEDS, FOUR_VARIANTS), VARIANTS),
        PageEntry("precision-recall", "Precision-recall", "show_chart", "How does quality change with the cutoff k?",
                  RELEVANCE_NEEDS),
        PageEntry("ranking", "Ranking", "format_list_numbered", "At what rank is the first relevant document?",
                  RELEVANCE_NEEDS),
        PageEntry("score-cutoffs", "Score cutoffs", "filter_alt", "What if documents below a score were dropped?",
                  (*RESULT_NEEDS, SCORES)),
        PageEntry("answers", "Answers", "question_answer", "Are the answers right and grounded?",
                  (*RESULT_NEEDS, ANSWERS)),
        PageEntry("failures", "Failures", "healing", "What should I fix first?", RESULT_NEEDS),
        PageEntry("queries", "Queries", "manage_search", "Why does this query fail?", RESULT_NEEDS),
        PageEntry("threshold-bands", "Threshold bands", "stacks", "Is it good enough?", RESULT_NEEDS),
        PageEntry("what-if", "What-if", "merge", "Would a hybrid of these runs be better?",
                  (*RELEVANCE_NEEDS, TWO_RUNS)),
    ),
    "Setup": (
        PageEntry("data", "Data", "upload_file", "What is loaded, and can it be compared?"),
    ),
    "More": (
        PageEntry("test-set", "Test set", "quiz", "Is the test set any good?", unlisted=True),
        PageEntry("share", "Share", "ios_share", "How do I show it to others?", RESULT_NEEDS, unlisted=True),
        PageEntry("metrics", "Metrics and help", "function", "What does each number mean?", unlisted=True),
    ),
}
DEFAULT_PAGE = "overview"
# Addresses of earlier versions: the page that shows this now, and the choices that open the same part of it.
MOVED: dict[str, tuple[str, dict[str, str]]] = {
    "runs": ("data", {}),
    "leaderboard": ("compare", {}),
    "judges": ("answers", {state.ANSWERS_PART: "judge"}),
    "trust": ("answers", {state.ANSWERS_PART: "validation"}),
    "speed-cost": ("threshold-bands", {state.BANDS_PART: "speed"}),
}


def entries() -> list[PageEntry]:
    """All pages in the order of the navigation."""
    return [entry for group in PAGES.values() for entry in group]


def addresses() -> dict[str, str]:
    """The pages' titles by their place in the address."""
    return {entry.path: entry.title for entry in entries()}


def open_to_links(present: set[str]) -> dict[str, str]:
    """The titles of the pages that show something in a session with this data, by their place in the address."""
    return {entry.path: entry.title for entry in entries()
            if missing_need(entry, present) is None and is_offered(entry, present)}


def pages(present: set[str]) -> dict[str, list]:
    """The pages for st.navigation; those whose data is missing and the unlisted ones are hidden, not absent."""
    groups = {title: [_page(entry, present) for entry in group] for title, group in PAGES.items()}
    groups["More"] += [_new_page(path, title=path, url_path=path, visibility="hidden") for path in MOVED]
    default = next(entry for entry in entries() if entry.path == DEFAULT_PAGE)  # its address is the empty one
    groups["More"].append(_new_page(DEFAULT_PAGE, title=default.title, url_path=default.path, visibility="hidden"))
    return groups


def _page(entry: PageEntry, present: set[str]):
    visible = is_listed(entry, present)
    is_default = entry.path == DEFAULT_PAGE  # Streamlit reserves its path without serving it
    return _new_page(entry.path, title=entry.title, icon=f":material/{entry.icon}:", help=entry.question,
                     url_path="home" if is_default else entry.path, default=is_default,
                     visibility="visible" if visible else "hidden")


def _new_page(path: str, **options):
    """A page of this run of the script. Streamlit keeps marks on it, so each run has its own copy."""
    make = _page_template if get_script_run_ctx() else _page_template.__wrapped__  # outside a session it is no template
    return copy(make(path, **options))


@cache
def _page_template(path: str, **options):
    """A page as Streamlit makes it: it looks its file up on the disk, for each page and each run of the script."""
    return st.Page(home() / "pages" / f"{path}.py", **options)


def is_listed(entry: PageEntry, present: set[str]) -> bool:
    """Whether the navigation lists a page in a session with this data."""
    return not entry.unlisted and missing_need(entry, present) is None and is_offered(entry, present)


def is_offered(entry: PageEntry, present: set[str]) -> bool:
    """Whether a page is worth a line in the sidebar, grayed where other data is missing."""
    return not entry.appears_with or entry.appears_with in present


def path_of(page) -> str:
    """The place in the address of a page of st.navigation."""
    return DEFAULT_PAGE if page.url_path in ("", "home") else page.url_path


def redirect(path: str) -> None:
    """Open the page that replaced this address, with the choices of the link."""
    target, choices = MOVED[path]
    page_links.open_page(target, **choices)


def present_data() -> set[str]:
    """The kinds of data that this session has."""
    runs = [entry.run for entry in state.runs()]
    checks: dict[str, Callable[[Run], bool]] = {
        RUNS: lambda run: True,
        SCORES: lambda run: run.scores is not None,
        ANSWERS: _has_answers,
    }
    present = {name for name, check in checks.items() if any(run is not None and check(run) for run in runs)}
    truth = LOADED.truth(state.truth() or "")
    present |= {TWO_RUNS} if sum(run is not None for run in runs) > 1 else set()
    dated = Counter(run.name for run in runs if run is not None and run.header is not None)
    present |= {DATED_RUNS} if max(dated.values(), default=0) > 1 else set()
    present |= variants_present([entry for entry in state.runs() if entry.run is not None])
    judged = LOADED.truth(reviews.truth_with_reviews() or "")
    if judged and have_rankings([run for run in runs if run is not None]) and (
            judged.queries_without_relevant < len(judged) or relevance.evidence_available()):
        present |= {RELEVANT}
    return present | ({JUDGMENTS} if truth else set()) | ({DOCUMENTS} if truth and truth.corpus else set())


def variants_present(runs: Sequence[SessionRun]) -> set[str]:
    """VARIANTS where some of at least three runs share a value of a setting that others have another value of."""
    if len(runs) < 3:
        return set()
    settings = [facts.settings for facts in run_facts.of_runs(runs)]
    with_settings = [run for run in settings if run]
    names = {name for run in with_settings for name in run}
    shared = any(1 < len({run.get(name) for run in with_settings}) < len(with_settings) for name in names)
    if not shared:
        return set()
    return {VARIANTS, FOUR_VARIANTS} if len(with_settings) >= FEWEST_RUNS else {VARIANTS}


def _has_answers(run: Run) -> bool:
    columns = run.details.column_names if run.details is not None else []
    return any(run.details[name].null_count < len(run) for name in ANSWER_COLUMNS if name in columns)


def missing_need(entry: PageEntry, present: set[str]) -> str | None:
    """The first kind of data that the page needs and the session lacks."""
    return next((need for need in entry.needs if need not in present), None)
