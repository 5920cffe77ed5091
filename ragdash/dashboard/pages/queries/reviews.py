"""The reviews on the Queries page: verdict and note of a query, judgement of a document, all that is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError
from ragdash.dashboard.caches import evaluation_cache
from ragdash.dashboard.pages.queries.query_data import Case
from ragdash.dashboard.pages.queries.table_data import Desk
from ragdash.dashboard.session import reviews, state
from ragdash.dashboard.session.data_store import LOADED, read_only
from ragdash.dashboard.widgets import elements
from ragdash.reporting.sentences import fmt
from ragdash.workspace.reviews import VERDICTS, ReviewStore, reviews_jsonl, reviews_qrels

MEANT = {"fine": "Nothing is wrong with this query.", "wrong gold": "What the truth says is right is not.",
         "wrong run": "The truth is right, the run is not.",
         "wrong matching": "The run is right, and was not recognised as such."}


def panel(case: Case) -> None:
    """A person's verdict and note of a query, for all runs or for one; kept as soon as they are given."""
    context, query = case.desk.context, case.desk.ids[case.row]
    st.markdown("### Your verdict")
    notice = state.notice()
    elements.problems(notice, "reviews")
    summary = reviews.reviews()
    names = {"": "All runs", **dict(zip(context.digests, context.names, strict=True))}
    if state.get(state.REVIEW_RUN) not in names:
        st.session_state[state.REVIEW_RUN] = ""
    run = st.session_state[state.REVIEW_RUN]
    st.session_state[state.REVIEW_VERDICT] = summary.verdicts.get((query, run))
    st.session_state[state.REVIEW_NOTE] = summary.notes.get((query, run), "")
    with st.container(horizontal=True, key="review"):
        if len(context.entries) > 1:
            st.selectbox("About", list(names), format_func=names.get, key=state.REVIEW_RUN, width=170)
        verdict_help = "  \n".join(f"**{name.capitalize()}**: {meaning}" for name, meaning in MEANT.items())
        st.segmented_control("Verdict", VERDICTS, key=state.REVIEW_VERDICT, format_func=str.capitalize,
                             on_change=_verdict, args=(query, run), disabled=read_only(), help=verdict_help, wrap=True)
    st.text_area("Note", key=state.REVIEW_NOTE, height=80, max_chars=2_000, on_change=_note, args=(query, run),
                 disabled=read_only(),
                 placeholder="What you found out about this query")


def _verdict(query: str, run: str) -> None:
    reviews.say("verdict", query, st.session_state[state.REVIEW_VERDICT] or "", run)


def _note(query: str, run: str) -> None:
    reviews.say("note", query, st.session_state[state.REVIEW_NOTE].strip(), run)


def judge(case: Case, doc: str) -> None:
    """Buttons that grade a document for the query, and what was said of it."""
    query = case.desk.ids[case.row]
    own_grade = reviews.reviews().judgements.get((query, doc))
    truth = LOADED.truth(state.truth())
    top = max(int(truth.grades.max(initial=1)), 1, own_grade or 0)
    with st.container(horizontal=True, vertical_alignment="center", key="judge"):
        for grade in range(min(top, 9) + 1):
            st.button("Not relevant (0)" if grade == 0 else f"Relevant ({grade})" if top == 1 else f"Grade {grade}",
                      key=f"grade_{grade}", type="primary" if own_grade == grade else "secondary",
                      disabled=read_only(), on_click=reviews.say, args=("judgement", query, str(grade)),
                      kwargs={"doc_id": doc})
        if own_grade is not None and not read_only():
            st.button("Take back", key="grade_none", icon=":material/undo:", type="tertiary",
                      on_click=reviews.say, args=("judgement", query, ""), kwargs={"doc_id": doc})
    grade_in_truth = case.grades.get(doc)
    st.caption(
        f"Grade {own_grade}, by you."
        if own_grade is not None
        else "Unjudged."
        if grade_in_truth is None
        else f"Grade {grade_in_truth} in the truth; a grade of yours stands above it where your judgements are applied."
    )


def kept(data: Desk) -> None:
    """What has been said of all queries, to take along; the means without and with it."""
    summary = reviews.reviews()
    elements.problems(summary.problems, "kept_reviews")
    counts = summary.counts
    if not summary.events:
        return
    st.header("Your reviews", anchor=False, help="Kept in the workspace of this machine: they survive a restart, and a "
              "second tab sees them at its next click.")
    kind_counts = [fmt.count(counts[kind], kind) for kind in ("verdict", "note", "judgement")]
    st.markdown(f"{fmt.listed(kind_counts)} on {fmt.count(counts['queries'], 'query', 'queries')}.")
    _effect(data)
    with st.container(horizontal=True, key="take_along"):
        truth = reviews.judged()
        st.download_button("Reviews as JSONL", lambda: reviews_jsonl(truth, summary.events), "ragdash-reviews.jsonl",
                           "application/jsonl", key="reviews_jsonl", icon=":material/download:", on_click="ignore")
        if counts["judgement"]:
            st.download_button("Judgements as qrels", lambda: reviews_qrels(summary), "ragdash-reviews.qrels",
                               "text/plain", key="reviews_qrels", icon=":material/download:", on_click="ignore")
    st.caption(f"In {fmt.escape(str(ReviewStore().path))}.")


def _effect(data: Desk) -> None:
    """The mean of every run shown, by the judgements of the file alone and with those of the reviews."""
    context = data.context
    versions = ["", "mine", *(["sure"] if "wrong gold" in reviews.reviews().verdicts.values() else [])]
    rows = []
    for index, digest in enumerate(context.digests):
        row = {"Run": f"**{elements.swatch(context.slots[index], context.names[index])}**"}
        for version in versions:
            scope = replace(context.scope, truth=reviews.truth_in_force(version))
            try:
                values = evaluation_cache.evaluation(digest, scope, [data.spec]).column(data.spec)
            except (InputError, KeyError):
                values = np.zeros(0)
            values = values[np.isfinite(values)]
            mean = fmt.number(values.mean() if len(values) else np.nan)
            row[reviews.APPLIED[version]] = f"{mean} :gray[n\u00a0=\u00a0{len(values):,}]"
        rows.append(row)
    st.markdown(f"Mean {data.spec.title} by the judgements of the file, and with yours:")
    st.table(rows, border="horizontal", hide_index=True, alt=f"Mean {data.spec.title} without and with the reviews")
    st.caption("Which of them the pages show is chosen under **Judgements** in the sidebar.")
