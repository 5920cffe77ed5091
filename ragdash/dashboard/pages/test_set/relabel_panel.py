"""Judging again without knowing the old label: one question and document at a time, then the agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import streamlit as st

from ragdash.analysis.test_set.check import LabelCheck
from ragdash.analysis.test_set.relabel import RelabelItem, RelabelStore, relabel_agreement
from ragdash.analysis.test_set.texts import questions_of
from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.dashboard.auth import rights
from ragdash.dashboard.session import reviews, state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import elements, texts
from ragdash.dashboard.widgets.steps import steps
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.test_set import relabel_sentence

HIGHEST = 9  # grade with a button


def render(labels: LabelCheck) -> None:
    """The panel, in an expander that computes only when it is open."""
    with st.expander("Judge again without the old labels", icon=":material/visibility_off:", key="relabel",
                     on_change="rerun") as fold:
        if not fold.open:
            return
        items = labels.items()
        if not items:
            st.caption("No judged document has a text to show. Load the documents on the Data page.")
            return
        elements.problems(state.notice(), "relabel")
        truth = labels.truth.judged_digest
        try:
            grades = RelabelStore().read(truth)
        except InputError as error:
            elements.problems(error.problems, "relabel_store")
            return
        labeled = sum(item.key in grades for item in items)
        st.caption(f"Judgments in doubt are mixed with as many others. You see neither ids, runs nor old labels. "
                   f"{labeled:,} of {len(items):,} judged.", help=tooltip("blind_relabeling"))
        st.progress(labeled / len(items))
        if st.session_state.get(state.RELABEL_COMPARED, labeled == len(items)):
            _render_agreement(items, grades)
        else:
            _render_item(labels, items, grades, truth)


def _render_item(labels: LabelCheck, items: Sequence[RelabelItem], grades: Mapping[str, int], truth: str) -> None:
    first_open = next((row for row, item in enumerate(items) if item.key not in grades), 0)
    position = min(st.session_state.get(state.RELABEL_POSITION, first_open), len(items) - 1)
    item = items[position]
    questions = dict(zip(labels.truth.query_ids.to_pylist(), questions_of(labels.truth), strict=True))
    question = questions.get(item.query)
    with st.container(border=True, key="relabel_item"):
        st.markdown(f"**{fmt.escape(question)}**" if question else "*The ground truth has no text of this question.*")
        st.html(texts.paragraph_html(texts.text_html(labels.texts.get(item.doc))))
    top = min(max(int(labels.truth.grades.max(initial=1)), 1), HIGHEST)
    with st.container(horizontal=True, vertical_alignment="center", key="relabel_steps"):
        steps("relabel", position, len(items), _go)
        for grade in range(top + 1):
            st.button("Not relevant (0)" if grade == 0 else f"Relevant ({grade})" if top == 1 else f"Grade {grade}",
                      key=state.bound_key(f"relabel_{grade}", truth, item.key), disabled=read_only(),
                      type="primary" if grades.get(item.key) == grade else "secondary", on_click=_save,
                      args=(truth, item, grade, items, position, grades.get(item.key)))
        st.button("Compare with the old labels", key="relabel_compare", icon=":material/compare_arrows:",
                  type="tertiary", disabled=not grades, on_click=_compare, args=(True,))


def _render_agreement(items: Sequence[RelabelItem], grades: Mapping[str, int]) -> None:
    result = relabel_agreement(items, grades)
    st.markdown(relabel_sentence(result))
    by_key = {item.key: item for item in items}
    changed = [by_key[key] for key in result.all.changed]
    if changed:
        rows = [{"Query": fmt.escape(item.query), "Document": fmt.escape(item.doc), "Old": f"{item.grade}",
                 "Yours": f"{grades[item.key]}", "": "in doubt" if item.suspicious else ""} for item in changed]
        st.table(rows, border="horizontal", hide_index=True, alt="Judgments on which you differ from the old label")
    with st.container(horizontal=True, key="relabel_result"):
        if changed:
            st.button("Add these to my judgments", icon=":material/playlist_add:",
                      key=state.bound_key("relabel_take", [(item.key, grades[item.key]) for item in changed]),
                      disabled=read_only(), on_click=_take, args=(changed, grades), help=tooltip("own_judgments"))
        st.button("Judge more" if len(grades) < len(items) else "Look again", key="relabel_again",
                  icon=":material/visibility_off:", type="tertiary", on_click=_compare, args=(False,))


def _go(position: int) -> None:
    st.session_state[state.RELABEL_POSITION] = position


def _save(truth: str, item: RelabelItem, grade: int, items: Sequence[RelabelItem], position: int,
          given: int | None) -> None:
    """Keep a grade and go to the next item, after the last open one to the agreement; a failure is shown.

    given: the grade on the page.
    """
    try:
        with rights.change("relabel", item.query):
            RelabelStore().add(truth, item, grade, given, when=datetime.now(UTC).isoformat(timespec="seconds"),
                               by=rights.who())
        grades = RelabelStore().read(truth)
    except InputError as error:
        state.set_notice(error.problems)
        _go(position)
        return
    _go(min(position + 1, len(items) - 1))
    if all(other.key in grades for other in items):
        _compare(True)


def _compare(compared: bool) -> None:
    st.session_state[state.RELABEL_COMPARED] = compared


def _take(items: Sequence[RelabelItem], grades: Mapping[str, int]) -> None:
    """Make the grades that differ the person's judgments, which apply on request."""
    for item in items:
        reviews.record_review("judgement", item.query, str(grades[item.key]), doc_id=item.doc)
