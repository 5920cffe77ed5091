"""One shell around every page: page configuration, navigation, sidebar; whichever way Streamlit entered the script."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException

from ragdash.core.paths import PACKAGE
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.dashboard import link_notes, page_context, page_list
from ragdash.dashboard.auth import login
from ragdash.dashboard.caches.shared_cache import ask_again, script_run
from ragdash.dashboard.components import fragments, page_links, run_picker, saved_view_panel
from ragdash.dashboard.monitoring import left_uploads, log_lines, upload_spool
from ragdash.dashboard.monitoring.first_visits import FIRST_VISITS
from ragdash.dashboard.monitoring.reruns import RERUNS
from ragdash.dashboard.monitoring.warm_up import IDLE_STEPS
from ragdash.dashboard.pages.data import loading
from ragdash.dashboard.session import data_store, file_metrics, relevance, reviews, state
from ragdash.dashboard.session.keys import BASELINE_OPTIONS
from ragdash.dashboard.session.scope import slices_of
from ragdash.dashboard.watching import log_watch
from ragdash.dashboard.widgets import elements, fields, small_screen, stylesheet
from ragdash.metrics.judged import register_rubrics
from ragdash.reporting.sentences import formatting as fmt

ASSETS = PACKAGE / "dashboard" / "assets"
ICON = ASSETS / "icon.svg"  # a local file: a material icon here would be fetched from a font host
LEAVING, LONGEST_LEAVING = 300, 4_000  # milliseconds: what was typed is sent, and taken by a server with much to do
METRIC_NAME = 13  # characters of a metric that fit next to the cutoff; a longer one has a line of its own
# Its script runs when it is opened. Browsers let a page write to the clipboard by itself on a safe connection alone.
LINK = """<div class="ragdash-link" style="display: flex; gap: 0.75rem; align-items: start">
<code style="flex: 1; overflow-wrap: anywhere; white-space: normal; user-select: all"></code>
<button type="button" style="font: inherit; font-size: 0.875rem; color: inherit; background: none; cursor: pointer;
border: 1px solid; border-radius: 0.5rem; padding: 0.1rem 0.6rem">Copy</button></div><script>
for (const box of document.querySelectorAll(".ragdash-link")) {
    const [address, button] = box.children;
    address.textContent = location.href;
    button.onclick = async () => {
        getSelection().selectAllChildren(address);
        const copied = navigator.clipboard ? await navigator.clipboard.writeText(address.textContent).then(
            () => true, () => false) : document.execCommand("copy");
        button.textContent = copied ? "Copied" : "Press Ctrl+C";
    };
}
</script>"""
# For `_keep_history`. An observer knows when the server runs: what is typed is sent with a run.
HISTORY = """<script>if (!window.ragdashHistory) {
    window.ragdashHistory = true;
    const push = history.pushState.bind(history), moved = MOVED;
    let leaves = false, typed = null, left = -Infinity, isUnsent = false, leaving = 0, lastRun = -Infinity;
    const fields = "textarea, input:not([role=combobox], [type=checkbox])";
    const isOpen = () => document.querySelector("[data-testid=stPopoverBody]") !== null;
    const isTyping = () => document.activeElement?.matches(fields) || isOpen();
    const appState = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState;
    new MutationObserver(() => { lastRun = appState() === "running" ? performance.now() : lastRun; }).observe(
        document.body, {subtree: true, attributeFilter: ["data-test-script-state"]});
    const leave = go => {
        document.activeElement?.blur();
        document.body.click();
        const began = performance.now(), awaitsRun = isUnsent && began - left < LEAVING;
        clearInterval(leaving);
        leaving = setInterval(() => {
            const passed = performance.now() - began, awaited = awaitsRun && lastRun < left;
            const isTaken = appState() === "notRunning" && !awaited;
            if (passed < LEAVING || (!isTaken && passed < LONGEST)) return;
            clearInterval(leaving);
            isUnsent = false;
            go();
        }, 20);
    };
    history.pushState = (data, title, url) => {
        const next = new URL(url, location.href), view = new URLSearchParams(location.search).get("view");
        const stays = next.pathname === location.pathname || moved.includes(location.pathname.split("/").pop())
            || (view !== null && view === next.searchParams.get("view"));
        if (stays) return history.replaceState(data, title, url);
        document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
        return push(data, title, url);
    };
    document.addEventListener("pointerdown", () => { leaves = isTyping(); }, true);
    document.addEventListener("input", event => { typed = event.target; }, true);
    document.addEventListener("keydown", event => {  // these send it
        if (event.key === "Enter" && (event.ctrlKey || event.target.matches("input"))) typed = null;
    }, true);
    document.addEventListener("focusout", event => {
        if (!event.target.matches(fields)) return;
        [left, isUnsent, typed] = [performance.now(), typed === event.target, null];
    }, true);
    document.addEventListener("click", event => {
        const link = event.target.closest("a[href]"), byKey = event.detail === 0;
        const waits = byKey ? isOpen() || performance.now() - left < LEAVING : leaves;
        if (!waits || !event.isTrusted || !link || link.closest("[data-testid=stPopoverBody]")) return;
        if (link.target === "_blank") return;
        event.preventDefault();
        event.stopPropagation();
        leave(() => link.click());
    }, true);
    window.navigation?.addEventListener("navigate", event => {
        if (event.navigationType !== "traverse" || !event.cancelable || !isTyping()) return;
        const target = event.destination.key;
        event.preventDefault();
        leave(() => window.navigation.traverseTo(target));
    });
    window.addEventListener("beforeunload", () => document.activeElement?.blur());  // a reload: what is typed is sent,
    window.addEventListener("pagehide", () => {  // and taken by the server: it stops the work of a page that has gone
        while (isUnsent && performance.now() - left < LEAVING) {}
    });
}</script>"""
_inside: ContextVar[bool] = ContextVar("ragdash_shell", default=False)


def main() -> None:
    """The whole script run: shell, page, and the address that leads back here; counted for `/metrics`."""
    left_uploads.pass_over()
    log_lines.shorten()
    upload_spool.use()
    with (RERUNS.timed(), IDLE_STEPS.page(), FIRST_VISITS.in_turn(st.session_state), script_run(),
          fragments.explain_shortage()):
        _main()


def _main() -> None:
    embedded = bool(st.context.is_embedded)
    st.set_page_config(page_title="ragdash", page_icon=str(ICON), layout="wide",
                       initial_sidebar_state="collapsed" if embedded else "auto")
    if embedded:
        stylesheet.hide_sidebar()
    st.logo(str(ASSETS / "logo.svg"), icon_image=str(ICON), size="large")
    if not login.is_admitted():
        st.navigation(page_list.pages(set()), position="hidden")
        login.login_page()
        return
    register_rubrics()
    first = state.open_session()
    if first:
        loading.queue_command_line_files()
    log_watch.queue_closed_runs(first)
    with st.container(key="progress"):
        if state.pending_files():
            ask_again()
        loading.read_all()
    stylesheet.set_contrast()
    stylesheet.align()
    stylesheet.tighten_sidebar()
    present = page_list.present_data()
    page = st.navigation(page_list.pages(present), position="sidebar", expanded=True)
    state.open_page(page_list.path_of(page))
    with st.sidebar:
        _pages_without_data(present)
        with st.container(gap="xxsmall", key="choices"):
            _sidebar(present)
            with st.container(horizontal=True, gap=None, key="more_pages"):
                st.page_link("pages/test-set.py", label="Test set", icon=":material/quiz:")
                st.page_link("pages/metrics.py", label="Metrics and help", icon=":material/function:")
            _keep_history()
            fields.keep_whole_characters()
            small_screen.render(elements.theme().paper, elements.theme().ink, elements.theme().grid)
            log_watch.render()
            login.login_status()
            _ask_again_after_a_restart()
    token, leaves = _inside.set(True), False
    left_out: AbstractContextManager = nullcontext()
    try:
        saved_view_panel.open_target(page_list.path_of(page))
        saved_view_panel.render_opened(page_list.path_of(page))
        left_out = st.container() if state.follows_link() else left_out  # filled when the page has its choices
        with fragments.explain_shortage():
            page.run()
    except page_context.PageEnds:
        pass
    except RerunException:  # another page is opened, and the address is its address already
        leaves = True
        raise
    finally:
        _inside.reset(token)
        if not leaves:
            with left_out:
                link_notes.note_left_out()
            state.close_session(page_list.path_of(page))
            state.close_page(page_list.path_of(page))
        data_store.freeze()


def ensure() -> None:
    """First line of every page: run the shell where Streamlit started with the page's file instead of app.py."""
    if not _inside.get():
        main()
        st.stop()


def _pages_without_data(present: set[str]) -> None:
    """The pages that cannot show anything yet, grayed, each with the data that it needs."""
    by_need: dict[str, list[page_list.PageEntry]] = {}
    for entry in page_list.entries():
        need = page_list.missing_need(entry, present)
        if need and page_list.is_offered(entry, present):
            by_need.setdefault(need, []).append(entry)
    for need, entries in by_need.items():
        with st.container(gap=None, key=f"pages_without_{need}"):
            st.caption(f"Needs {need}")
            for entry in entries:
                st.page_link(f"pages/{entry.path}.py", label=entry.title, icon=f":material/{entry.icon}:",
                             help=entry.question, disabled=True)


def _keep_history() -> None:
    """One Back press per page: what a page writes to its address replaces the entry of the browser's history.

    A new page begins at its top, also where a click into a picture opens it. Streamlit adds an entry for every choice,
    and for the step from an address of an earlier version, or of a saved view without its page.

    A click on a link, a press of Enter on it and a step back first leave the field that is typed into and close what is
    open. Streamlit would send that after it has asked for the other page, for a section that is no longer there: that
    page stayed empty, or was not opened, or the text was lost. A browser without the Navigation API steps back at once.
    """
    moved = json.dumps(list(page_list.MOVED))
    script = HISTORY.replace("MOVED", moved).replace("LONGEST", str(LONGEST_LEAVING)).replace("LEAVING", str(LEAVING))
    st.html(script, unsafe_allow_javascript=True)


@st.fragment(run_every=3600)
def _ask_again_after_a_restart() -> None:
    """Nothing; but a page that holds a fragment which runs by itself asks a restarted server for its view.

    Without it, a page at rest reconnects and asks for nothing: the next click would meet a session without runs.
    """


def _sidebar(present: set[str]) -> None:
    """The choices that every page shares."""
    runs = state.runs()
    if not runs:
        st.caption("Load runs to choose what is shown.")
        return
    state.text_key(state.READ_JUDGE)
    if state.get(state.ACCEPTED):
        state.choices_key(state.ACCEPTED, (), (), free=True)
    shown_digests = run_picker.choose_runs(runs)
    has_results = page_list.JUDGMENTS in present
    _baseline(shown_digests, {entry.digest: entry.name for entry in runs}, has_results)
    _metric_and_cutoff(has_results)
    _slice()
    relevance.choose_relevance()
    reviews.choose_reviews()
    with st.container(horizontal=True, vertical_alignment="center", key="sharing"):
        _show_link()
        if has_results:
            st.page_link("pages/share.py", label="Share", icon=":material/ios_share:")


def _metric_and_cutoff(has_results: bool) -> None:
    """What is measured, drawn where there are judgments to measure against; the choices are kept in any case."""
    if file_metrics.session_file_specs():
        state.choices_key(state.DIRECTIONS, (), (), free=True)
    menu = file_metrics.menu()
    metric = state.choice_key(state.METRIC, menu, file_metrics.default_metric(page_context.DEFAULT_METRIC))
    key = state.number_key(state.K, data_store.DEEPEST, page_context.DEFAULT_K)
    if not has_results:
        return
    fits = len(fmt.menu_title(state.get(metric))) <= METRIC_NAME
    left, right = st.columns([3, 2], gap="small") if fits else (st.container(), st.container())
    chosen, titled = state.get(metric), file_metrics.with_need(fmt.menu_title, menu)
    left.selectbox("Metric", menu, key=metric, help=tooltip("metric"),
                   format_func=lambda name: fmt.menu_title(name) if name == chosen else titled(name))
    if lacking := file_metrics.needs([chosen]).get(chosen):
        left.caption(f"Needs {lacking}.")  # in the field it would be cut
    cutoffs = sorted({*map(str, page_context.CUTOFFS), state.get(state.K)}, key=int)
    right.selectbox("Cutoff k", cutoffs, key=key, accept_new_options=True, help=tooltip("cutoff"))


def _show_link() -> None:
    """The address of this view, which the browser writes when it is opened: sections may have changed it meanwhile.

    Streamlit could write it only after a message that it is open. It would also send one when it closes, and where a
    click on another page closes it, that page would stay empty.
    """
    with st.popover("Show link", icon=":material/link:", key="show_link"):
        if page_links.is_loopback():
            st.caption("Only this computer can open this address. To show the result to others, send the one-page "
                       "report of the **Share** page.")
        else:
            st.caption("Opens this view again, in any browser that reaches this server, for as long as it keeps the "
                       "runs. The **Share** page saves a view under a short address.")
        st.html(LINK, unsafe_allow_javascript=True)


def _slice() -> None:
    """Which queries count, if the truth has groups of them."""
    slices = slices_of(state.truth()) if data_store.LOADED.truth(state.truth() or "") else {}
    key = state.choice_key(state.SLICE, ["", *slices], "")
    if slices:
        st.selectbox("Queries", ["", *slices], key=key, label_visibility="collapsed",
                     format_func=lambda token: fmt.slice_label(slices, token))


def _baseline(shown_digests: list[str], names: dict[str, str], has_results: bool) -> None:
    """Which of the runs shown the others are compared with; drawn where there are several, and results to compare."""
    key = state.choice_key(state.BASELINE, shown_digests, shown_digests[0])
    if len(shown_digests) == 1 or not has_results:
        return
    short = dict(zip(names, short_names(list(names.values()), NARROW_NAME), strict=True))
    if st.session_state.get(BASELINE_OPTIONS) != shown_digests:  # a browser keeps the place of its choice among others
        st.session_state.update({BASELINE_OPTIONS: shown_digests, key: state.get(key)})
    st.selectbox("Baseline", shown_digests, format_func=lambda digest: short.get(digest, digest), key=key,
                 help=tooltip("baseline"))
