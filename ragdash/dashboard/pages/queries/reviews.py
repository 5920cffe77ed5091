"""Reviews on the Queries page: a person's verdict and note on a query, relevance judgments, and saved reviews."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.dashboard.components import page_links
from ragdash.dashboard.pages.queries.data import QueriesData, QueryCase
from ragdash.dashboard.session import reviews, state
from ragdash.dashboard.session.data_store import LOADED, read_only
from ragdash.dashboard.widgets import clicks, elements, fields
from ragdash.reporting.sentences import formatting as fmt
from ragdash.workspace.reviews import VERDICTS, ReviewStore, reviews_jsonl, reviews_qrels

VERDICT_MEANINGS = {"fine": "Nothing is wrong with this query.", "wrong gold": "The ground truth is wrong.",
         "wrong run": "The ground truth is right, the run is wrong.",
         "wrong matching": "The run is right, but was not matched with the ground truth."}


def review_panel(case: QueryCase) -> None:
    """Verdict and note on a query, for all runs or one; saved immediately."""
    context, query = case.data.context, case.data.ids[case.row]
    st.markdown("### Your verdict")
    elements.notice(state.notice(), "reviews")
    summary = reviews.reviews()
    names = {"": "All runs", **dict(zip(context.digests, context.names, strict=True))}
    if state.get(state.REVIEW_RUN) not in names:
        st.session_state[state.REVIEW_RUN] = ""
    run = st.session_state[state.REVIEW_RUN]
    subject = (reviews.reviewed_truth_digest(), query, run)
    verdict_key = state.bound_key(state.REVIEW_VERDICT, subject)
    st.session_state[verdict_key] = summary.verdicts.get((query, run))
    with st.container(horizontal=True, key="review"):
        if len(context.entries) > 1:
            st.selectbox("About", list(names), format_func=names.get, key=state.REVIEW_RUN, width=170)
        verdict_help = "  \n".join(f"**{name.capitalize()}**: {meaning}" for name, meaning in VERDICT_MEANINGS.items())
        st.segmented_control(
            "Verdict",
            VERDICTS,
            key=verdict_key,
            format_func=str.capitalize,
            on_change=clicks.take_choice,
            args=(verdict_key, partial(_save_verdict, query, run, summary.verdicts.get((query, run), ""))),
            disabled=read_only(),
            help=verdict_help,
            wrap=True,
        )
    note = summary.notes.get((query, run), "")
    fields.stored_text(fields.text_area, "Note", state.bound_key(state.REVIEW_NOTE, subject), note,
                       lambda text: reviews.record_note(query, text, run, note), height=80,
                       disabled=read_only(), placeholder="Your findings on this query")


def _save_verdict(query: str, run: str, shown: str, verdict: str | None) -> None:
    reviews.replace_review("verdict", query, verdict or "", shown, run)
    page_links.draw_open_page("queries")


def judgment_buttons(case: QueryCase, doc: str) -> None:
    """Buttons that judge the relevance of a document for the query, and its current grade."""
    query = case.data.ids[case.row]
    own_grade = reviews.reviews().judgments.get((query, doc))
    shown_grade = "" if own_grade is None else str(own_grade)
    truth = LOADED.truth(state.truth())
    top = max(int(truth.grades.max(initial=1)), 1, own_grade or 0)
    with st.container(horizontal=True, vertical_alignment="center", key="judge"):
        for grade in range(min(top, 9) + 1):
            st.button("Not relevant (0)" if grade == 0 else f"Relevant ({grade})" if top == 1 else f"Grade {grade}",
                      key=state.bound_key(f"grade_{grade}", truth.judged_digest, query, doc), disabled=read_only(),
                      type="primary" if own_grade == grade else "secondary", on_click=reviews.replace_review,
                      args=("judgement", query, str(grade), shown_grade), kwargs={"doc_id": doc})
        if own_grade is not None and not read_only():
            st.button("Undo", icon=":material/undo:", type="tertiary",
                      key=state.bound_key("grade_none", truth.judged_digest, query, doc),
                      on_click=reviews.replace_review, args=("judgement", query, "", shown_grade),
                      kwargs={"doc_id": doc})
    grade_in_truth = case.grades.get(doc)
    if own_grade is not None:
        st.caption(f"Grade {own_grade} (yours).")
    elif grade_in_truth is None:
        st.caption("Unjudged.")
    else:
        st.caption(f"Grade {grade_in_truth} in the ground truth; your grade overrides it where your judgments apply.")


def note_problems() -> None:
    """Say why reviews cannot be read, or that a damaged file of them was set aside."""
    problems = reviews.reviews().problems
    elements.problems(problems, "kept_reviews")
    for problem in problems:
        if problem.severity == "warning":
            elements.warning(problem)


def saved_reviews(data: QueriesData) -> None:
    """Saved reviews: counts, their effect on the means, and exports."""
    summary = reviews.reviews()
    counts = summary.counts
    if not summary.events:
        return
    st.header("Your reviews", anchor=False, help=tooltip("review"))
    kind_counts = [fmt.count(counts[kind], noun)
                   for kind, noun in (("verdict", "verdict"), ("note", "note"), ("judgement", "judgment"))]
    st.markdown(f"{fmt.listed(kind_counts)} on {fmt.query_count(counts['queries'])}.")
    _effect_table(data)
    with st.container(horizontal=True, key="take_along"):
        truth = reviews.reviewed_truth_digest()
        st.download_button("Reviews as JSONL", lambda: reviews_jsonl(truth, summary.events), "ragdash-reviews.jsonl",
                           "application/jsonl", key="reviews_jsonl", icon=":material/download:", on_click="ignore")
        if counts["judgement"]:
            st.download_button("Judgments as qrels", lambda: reviews_qrels(summary), "ragdash-reviews.qrels",
                               "text/plain", key="reviews_qrels", icon=":material/download:", on_click="ignore")
    st.caption(f"In {fmt.escape(ReviewStore().location)}.")


def _effect_table(data: QueriesData) -> None:
    """Mean of every run shown by the judgments of the file, and with those of the reviews added."""
    context = data.context
    versions = ["", "mine", *(["sure"] if "wrong gold" in reviews.reviews().verdicts.values() else [])]
    rows = []
    for index, digest in enumerate(context.digests):
        row = {"Run": f"**{elements.swatch(context.slots[index], context.names[index])}**"}
        for version in versions:
            scope = replace(context.scope, truth_digest=reviews.truth_with_reviews(version))
            try:
                values = scope.evaluation(digest, [data.spec]).column(data.spec)
            except (InputError, KeyError):
                values = np.zeros(0)
            values = values[np.isfinite(values)]
            mean = fmt.number(values.mean() if len(values) else np.nan)
            row[reviews.APPLIED[version]] = f"{mean} :gray[n\u00a0=\u00a0{len(values):,}]"
        rows.append(row)
    st.markdown(f"Mean {fmt.escape(data.spec.title)} by the judgments of the file, and with yours:")
    st.table(rows, border="horizontal", hide_index=True, alt=f"Mean {data.spec.title} without and with the reviews")
    st.caption("Which of them the pages show is chosen under **Judgments** in the sidebar.")
