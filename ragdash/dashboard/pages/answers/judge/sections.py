"""Results of the LLM judge tab: means with intervals, missing verdicts by reason, tokens and cost, warnings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from ragdash.analysis.judge_validation import generator_of, same_family
from ragdash.core.terms import tooltip
from ragdash.dashboard.components import judge_note, page_links, query_links
from ragdash.dashboard.pages.answers.judge import data as judges_data
from ragdash.dashboard.pages.answers.judge import disagreement, form
from ragdash.dashboard.pages.answers.judge import sentences as judges_sentences
from ragdash.dashboard.pages.answers.judge.data import JudgesData
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import bulleted
from ragdash.matching.views.judged import IMPORTED
from ragdash.matching.views.panel_verdicts import reason_text
from ragdash.metrics import METRICS
from ragdash.models.judge.endpoint import Prices
from ragdash.models.judge.panel import AND
from ragdash.models.judge.verdict_store.store import JudgeUsage
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences import judge as sentences_judge

JUDGES_AGREE = "Judges agree"
MOST_WARNINGS = 4  # warnings shown before the expander
TEXT_COLUMNS = ("Undefined", "Missing", "Worth knowing")
CHARACTER, NARROWEST, WIDEST = 7, 120, 480  # pixels: of a character, and of a column of text


def summary(data: JudgesData | None) -> None:
    """Render the results in one sentence."""
    if data is None:
        st.markdown("**No judge scores yet.** Choose metrics and a judge; the plan shows calls, tokens and cost before "
                    "anything is sent.")
        return
    runs = len({index for index, _ in data.cells})
    n = sum(cell.n for cell in data.cells.values())
    undefined = sum(sum(cell.undefined.values()) for cell in data.cells.values())
    lacking = sum(sum(cell.missing.values()) for cell in data.cells.values())
    unasked = sum(
        cell.missing.get(reason_text(reason)[0], 0) for cell in data.cells.values() for reason in judges_data.NOT_ASKED
    )
    name = sentences_judge.judge_name(data.label, short=not data.single)
    if lacking and not n:
        st.markdown(f"**{fmt.escape(name)} has given no verdict yet.** Results says why. Fix that, then plan again.")
        return
    counts = [*([f"{undefined:,} without a value, as their texts have nothing to score"] if undefined else []),
            f"{lacking - unasked:,} missing" if lacking > unasked else "none missing",
            *(["other queries not asked"] if unasked else [])]
    subject = f"**{fmt.escape(name)}** has" if data.single else f"**{name}** ({fmt.escape(data.label)}): they have"
    st.markdown(f"{subject} judged {fmt.count(runs, 'run')} by "
                f"{fmt.count(len(data.metrics), 'metric')}: {fmt.count(n, 'value')}, "
                f"{', '.join(counts)}. These means do not show how often "
                f"{'it is' if data.single else 'they are'} wrong: **Judge validation** measures that with labels of "
                "answers.")
    if sentences_judge.is_toy(data.label):
        st.warning(sentences_judge.TOY_NOTE, icon=":material/smart_toy:")


def results(data: JudgesData) -> None:
    """Render the table of results, usage, warnings and links."""
    st.header("Results", anchor=False, help=tooltip("judge_scores"))
    if len(data.labels) > 1:
        st.selectbox("Judge", data.labels, key=state.choice_key(state.JUDGE, data.labels, data.label), width=420,
                     format_func=lambda label: sentences_judge.judge_name(label, short=True), persist_state="session",
                     help=tooltip("several_judges"), on_change=judge_note.read_selected)
        _read_on_pages(data)
    if not any(cell.n for cell in data.cells.values()):
        _render_without_values(data)
        return
    frame = _results_frame(data)
    elements.frame(
        frame,
        "judged",
        f"Results of {data.label}: mean, interval, n, undefined and missing verdicts",
        widths={name: _width(frame[name]) for name in TEXT_COLUMNS if name in frame},
    )
    disagreement.where_judges_differ(data)
    st.caption(f":material/info: {sentences_judge.SAMPLING_ONLY}")
    for usage in data.usages:
        _show_usage(usage, "This judge" if data.single else str(usage.judge))
    _warnings(data)
    _links(data)


def _render_without_values(data: JudgesData) -> None:
    """One row with the reasons, where no metric of any run has a value: a dash for each would say no more."""
    reasons = dict.fromkeys(reason for cell in data.cells.values() for reason in (*cell.missing, *cell.undefined))
    unasked = {reason_text(reason)[0] for reason in judges_data.NOT_ASKED}
    st.table(pd.DataFrame([{
        "Judge": fmt.escape(sentences_judge.judge_name(data.label, short=True)),
        "No value of": fmt.escape(fmt.listed_few([sentences_judge.metric_title(name) for name in data.metrics])),
        "Why": fmt.escape(", ".join([reason for reason in reasons if reason not in unasked] or reasons))}]),
        border="horizontal", hide_index=True, alt=f"{data.label}: no value yet")


def _read_on_pages(data: JudgesData) -> None:
    """Whose verdicts the other pages show, and the way to change that."""
    read = state.get(state.READ_JUDGE)
    with st.container(horizontal=True, vertical_alignment="center", key="read_judge_row"):
        if read == data.label:
            st.caption(judge_note.CHOSEN.format(judge=fmt.escape(sentences_judge.judge_name(read, short=True))),
                       width="content")
            st.button("Show the judge with most values", key="judge_unread", on_click=judge_note.read_judge)
        else:
            st.caption(f"All pages show {f'**{fmt.escape(read)}**' if read else judge_note.BY_DEFAULT}.",
                       width="content")
            st.button("Show this judge on all pages", key="judge_read", on_click=judge_note.read_judge,
                      args=(data.label,))


def _width(column: pd.Series) -> int:
    """Pixels in which the longest text of a column can be read, within bounds."""
    return min(max(CHARACTER * int(column.str.len().max()) + 20, NARROWEST), WIDEST)


def _results_frame(data: JudgesData) -> pd.DataFrame:
    rows, counted = [], judges_sentences.reason_counts
    for (index, name), cell in data.cells.items():
        rows.append(
            {
                "Run": data.context.names[index],
                "Judged metric": sentences_judge.metric_title(name),
                "Mean": cell.mean,
                "Low": cell.low,
                "High": cell.high,
                "n": cell.n,
                "Undefined": counted(cell.undefined),
                "Missing": counted(cell.missing),
                "Votes": cell.votes,
                "Votes agree": cell.agreement,
                "Differ on": "" if np.isnan(cell.agreement) else f"{cell.differ:,} of {cell.compared:,}",
                "Worth knowing": sentences_judge.flag_counts(cell.flags),
                "Judges": ", ".join(map(sentences_judge.judge_name, cell.judges)),
            }
        )
    frame = pd.DataFrame(rows).rename(columns={} if data.single else {"Votes agree": JUDGES_AGREE})
    optional = ("Votes agree", "Differ on", "Worth knowing", "Undefined", "Missing", "Judges")
    empty = [name for name in optional if name in frame if not frame[name].replace("", None).notna().any()]
    return frame.drop(columns=[*empty, *(["Votes"] if "Votes agree" in empty or not data.single else [])])


def _show_usage(usage: JudgeUsage, name: str) -> None:
    """Total tokens and cost of a judge; not by metric, because metrics share verdicts."""
    if usage.judge.host == IMPORTED:
        st.caption(f"{fmt.count(usage.verdicts, 'verdict')} read from a file; no judge was called.")
        return
    prices = form.prices()
    cost = (
        f", about {judges_sentences.money(Prices(*prices).cost(usage.prompt, usage.completion))} at the given prices"
        if prices
        else ""
    )
    failed = f" and {fmt.count(usage.failures, 'question')} without a verdict" if usage.failures else ""
    guessed = (
        f" Tokens of {fmt.count(usage.estimated, 'reply', 'replies')} are estimated." if usage.estimated else ""
    )
    st.caption(f"{fmt.escape(name)} in total, for all texts judged here: "
               f"{fmt.count(usage.verdicts, 'verdict')}{failed}, "
               f"{fmt.count(usage.prompt, 'token')} in and {usage.completion:,} out{cost}.{guessed}")


def _warnings(data: JudgesData) -> None:
    """Warn of a judge that always gives the same score, and of one of the generator's family."""
    sentences = sentences_judge.constant_warnings(
        (sentences_judge.metric_title(name), data.context.names[index], cell.mean)
        for (index, name), cell in data.cells.items() if cell.constant)
    for index, digest in enumerate(data.context.digests):
        wrote = generator_of(LOADED.run(digest))
        shared = same_family(AND.join(usage.judge.model for usage in data.usages), wrote) if wrote else ()
        if shared:
            sentences.append(
                f"**{fmt.escape(data.context.names[index])}** was written by {fmt.escape(wrote)}, from the judge's "
                f"own family ({fmt.escape(fmt.listed(sorted(shared)))}): judges favor texts in their own "
                "style. Validate its verdicts with human labels."
            )
    for sentence in sentences[:MOST_WARNINGS]:
        st.caption(f":material/warning: {sentence}")
    if len(sentences) > MOST_WARNINGS:
        with st.expander(f"{len(sentences) - MOST_WARNINGS:,} more warnings", key="judge_warnings"):
            st.markdown(bulleted(sentences[MOST_WARNINGS:]))


def _links(data: JudgesData) -> None:
    name = next((name for name in data.metrics if name in METRICS), None)
    with st.container(horizontal=True, key="judge_links"):
        page_links.link("answers", "Can this judge be trusted?", icon=":material/handshake:",
                        **{state.ANSWERS_PART: "validation"})
        for index, digest in enumerate(data.context.digests if name else ()):
            if (index, name) in data.cells:
                title = fmt.escape(sentences_judge.metric_title(name))
                query_links.link(f"{fmt.escape(data.context.names[index])}: worst first", digest,
                                 help=tooltip("judged_queries_link", metric=title), **{state.METRIC: name})
