"""One shell around every page: page configuration, navigation, sidebar; whichever way Streamlit entered the script."""

from __future__ import annotations

from contextvars import ContextVar

import streamlit as st

from ragdash.core.paths import PACKAGE, home
from ragdash.dashboard import page_context
from ragdash.dashboard.auth import login
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.pages.runs import loading
from ragdash.dashboard.session import data_store, relevance, reviews, state
from ragdash.dashboard.widgets import elements
from ragdash.reporting.sentences import fmt

ASSETS = PACKAGE / "dashboard" / "assets"
ICON = ASSETS / "icon.svg"  # a local file: a material icon here would be fetched from a font host
_inside: ContextVar[bool] = ContextVar("ragdash_shell", default=False)


def main() -> None:
    """The whole script run: shell, page, and the address that leads back here."""
    st.set_page_config(page_title="ragdash", page_icon=str(ICON), layout="wide")
    st.logo(str(ASSETS / "logo.svg"), icon_image=str(ICON), size="large")
    if not login.admits():
        st.navigation(_pages(), position="hidden")
        login.shut()
        return
    if state.open_session():
        loading.open_given_files()
    with st.container(key="progress"):
        loading.read_waiting()
    elements.readable()
    page = st.navigation(_pages(), position="sidebar", expanded=True)
    with st.sidebar:
        link = _sidebar()
        login.sign()
    token = _inside.set(True)
    try:
        page.run()
    except page_context.PageEnds:
        pass
    finally:
        _inside.reset(token)
        state.close_session()
        if link is not None:
            link.code(state.link(theme=elements.theme().name), language=None, wrap_lines=True)
        data_store.freeze()


def ensure() -> None:
    """First line of every page: run the shell where Streamlit started with the page's file instead of app.py."""
    if not _inside.get():
        main()
        st.stop()


def _pages() -> dict[str, list]:
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
                "ranking.py", "Ranking", "format_list_numbered", "Where does the first good document stand?", "ranking"
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
    return {page.url_path: page.title for pages in _pages().values() for page in pages}


def _sidebar():
    """The choices that every page shares; returns the place of the link, which is known when the page has run."""
    runs = state.runs()
    if not runs:
        st.caption("Load runs to choose what is shown.")
        return None
    _runs({entry.digest: entry.name for entry in runs})
    menu = fmt.templates()
    st.selectbox("Metric", menu, format_func=fmt.template_title,
                 key=state.one(state.METRIC, menu, page_context.DEFAULT_METRIC),
                 help="The metric of the pictures. @k looks at the first k documents only. The Metrics page explains "
                      "each one.")
    key = state.number(state.K, page_context.DEEPEST, page_context.DEFAULT_K)
    cutoffs = sorted({*map(str, page_context.CUTOFFS), state.get(state.K)}, key=int)
    st.selectbox("Cutoff k", cutoffs, key=key, accept_new_options=True,
                 help="How many documents from the top are looked at, for example what fits into the prompt. Choose, "
                      "or type another number.")
    _slice()
    relevance.choose()
    reviews.choose()
    with st.popover("Copy link", icon=":material/link:", width="stretch", key="copy_link"):
        st.caption("Opens this view again, in any browser that reaches this server, for as long as it keeps the runs.")
        return st.empty()


def _slice() -> None:
    """Which queries count, where the truth tells them apart."""
    parts = evaluation_cache.parts(state.truth()) if data_store.LOADED.truth(state.truth() or "") else {}
    key = state.one(state.SLICE, ["", *parts], "")
    if parts:
        st.selectbox("Queries", ["", *parts], key=key, format_func=lambda part: fmt.part(parts, part),
                     help="All queries, or those of one kind: every page then shows these alone. Kinds are the "
                          "attributes that the truth gives its queries.")


def _runs(names: dict[str, str]) -> None:
    """Which runs are shown, and which of them the others are compared with. names: digest -> name."""
    digests = list(names)
    st.multiselect("Runs shown", digests, format_func=lambda digest: names.get(digest, digest),
                   placeholder="Choose runs", key=state.several(state.SHOWN, digests, digests))
    shown = [digest for digest in digests if digest in state.get(state.SHOWN)] or digests
    st.selectbox("Baseline", shown, format_func=lambda digest: names.get(digest, digest),
                 key=state.one(state.BASELINE, shown, shown[0]),
                 help="The run that the others are compared with: differences are candidate minus baseline.")
