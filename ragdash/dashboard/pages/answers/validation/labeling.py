"""Labels answers on the Judge validation tab: a random sheet, one at a time, saved immediately, verdicts hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import streamlit as st

from ragdash.analysis.judge_validation import RunVerdicts, labeling_sheet, sample_queries, shows_reference
from ragdash.core.paths import PACKAGE
from ragdash.core.terms import tooltip
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.answers.validation import data as trust_data
from ragdash.dashboard.pages.answers.validation import disagreements, labeling_policy, trained_judge
from ragdash.dashboard.pages.answers.validation import sentences as trust_sentences
from ragdash.dashboard.pages.answers.validation.data import TrustData
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import downloads, elements, fields, texts
from ragdash.dashboard.widgets.conversation import earlier_messages
from ragdash.evaluation.stats import MIN_LABELS, SEED
from ragdash.models.judge.tasks.policy import Policy, current_policy
from ragdash.reporting.sentences import formatting as fmt

SIZES = ("20", "50", "100", "150")  # queries offered; any other number can be typed
DEFAULT_SIZE, LARGEST_SIZE = 50, 2_000
MIXED = 10  # queries whose answers are shuffled together
LABEL_CHOICES = (("Yes", 1.0, "y", "check"), ("In between", 0.5, "i", "remove"), ("No", 0.0, "n", "close"))
Item = tuple[str, str]
"""A query and the digest of a run."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """Answers to label, in order. saved_labels: of any query; verdicts: of the runs drawn from; policy: the shown one.
    """

    data: TrustData
    queries: tuple[str, ...]
    items: tuple[Item, ...]
    saved_labels: dict[Item, float]
    verdicts: tuple[RunVerdicts, ...]
    policy: Policy | None

    @property
    def labeled_count(self) -> int:
        """Number of items that have a label."""
        return sum(item in self.saved_labels for item in self.items)


def labeling_view(data: TrustData) -> None:
    """Render the labeling view: choose a sheet, label it, or export it as a file."""
    if read_only():
        st.info("View only: you cannot save labels on this server.", icon=":material/lock:")
    st.caption(
        f"Label each answer without seeing its verdict or its run. Queries are drawn at random, and the answers to "
        f"{MIXED} of them at a time are shuffled, so your labels are a random sample whenever you stop."
    )
    drawn_sheet = _choose_sheet(data)
    labeling_policy.labeling_policy(data.context, data.spec, bool(drawn_sheet.saved_labels))
    st.html(f"<script>{_keys_script()}</script>", unsafe_allow_javascript=True)
    with st.container(key="label_desk"):
        _progress(drawn_sheet)
        position = _shown_position(drawn_sheet)
        if position is None:
            _completed(drawn_sheet)
        else:
            _item_view(drawn_sheet, position)
    st.caption(f"Labels are saved immediately and can be undone. {MIN_LABELS} labels on a run give an interval. "
               "Skip only answers you cannot read: skipping hard ones makes the sample less random.")


@cache
def _keys_script() -> str:
    return (PACKAGE / "dashboard" / "assets" / "label_keys.js").read_text(encoding="utf-8")


def _choose_sheet(data: TrustData) -> Sheet:
    """Choose the sheet: number of queries, seed and runs."""
    names = {
        "": "All runs shown",
        **{data.context.digests[index]: data.context.names[index] for index in data.judged_runs},
    }
    (
        state.number_key(state.SHEET, LARGEST_SIZE, DEFAULT_SIZE),
        state.text_key(state.SEED),
        state.choice_key(state.OF, list(names), ""),
    )
    with st.container(horizontal=True, vertical_alignment="bottom", key="label_sheet"):
        st.selectbox("Queries drawn", sorted({*SIZES, state.get(state.SHEET)}, key=int), key=state.SHEET, width=130,
                     accept_new_options=True, persist_state="session", help=tooltip("sheet_size"))
        fields.text_input("Seed", key=state.SEED, placeholder=str(SEED), width=110, persist_state="session",
                          help=tooltip("sheet_seed"))
        if len(names) > 2:
            st.selectbox("Answers of", list(names), key=state.OF, width=220, persist_state="session",
                         format_func=names.get,
                         help=tooltip("sheet_runs"))
        file_popover = st.popover("As a file", icon=":material/download:", key="sheet_file")
    run_indices = [index for index in data.judged_runs if state.get(state.OF) in ("", data.context.digests[index])]
    drawn_sheet = draw_sheet(data, run_indices, int(state.get(state.SHEET)), _seed())
    with file_popover:
        _sheet_file(drawn_sheet, run_indices)
    return drawn_sheet


def _seed() -> int:
    """The seed typed; the default if it is empty or not a whole number."""
    typed = state.get(state.SEED).strip()
    return int(typed) if typed.isdecimal() and len(typed) < 10 else SEED


def draw_sheet(data: TrustData, runs: Sequence[int], n: int, seed: int) -> Sheet:
    """Draw a sheet of n queries from all queries, whatever slice is shown.

    The answers to MIXED queries at a time come in random order, so that position does not reveal the run, and answers
    to one question seldom follow each other. Whoever stops has labeled nearly the same queries in all runs.

    Parameters
    ----------
    runs
        Indices of the runs to label.
    n, seed
        Number of queries and seed of the sample.
    """
    scope = data.context.scope.whole
    verdicts = tuple(
        replace(
            trained_judge.unjudged_of(data.context.digests[index], scope, data.label_key)
            if data.is_local
            else trust_data.verdicts_of(data.context.digests[index], scope, data.spec),
            name=data.context.names[index],
        )
        for index in runs
    )
    queries = sample_queries(verdicts, n, seed=seed)
    items = tuple(item for start in range(0, len(queries), MIXED)
                  for item in _shuffled(queries[start:start + MIXED], [row.run for row in verdicts], [seed, 1, start]))
    saved_labels = {(query, run_verdicts.run): value for run_verdicts in verdicts
            for query, value in trust_data.labels(run_verdicts.run, data.label_key)[0].items()}
    return Sheet(data, tuple(queries), items, saved_labels, verdicts, current_policy())


def _shuffled(queries: Sequence[str], runs: Sequence[str], seed: Sequence[int]) -> list[Item]:
    """The answers of all runs to these queries, in random order; those of one run in the order of the queries."""
    items = [(query, run) for query in queries for run in runs]
    return [items[index] for index in np.random.default_rng(seed).permutation(len(items))] if len(runs) > 1 else items


def _sheet_file(drawn_sheet: Sheet, run_indices: Sequence[int]) -> None:
    """Export the sheet for a spreadsheet or an editor."""
    matches = [
        drawn_sheet.data.context.scope.match(drawn_sheet.data.context.digests[index])
        for index in run_indices
    ]
    st.caption("The same answers with their texts and an empty label column. Fill it in from the top, then upload it "
               "under **Saved labels**.")
    downloads.sheets(
        lambda: labeling_sheet(drawn_sheet.verdicts, drawn_sheet.queries, matches),
        f"ragdash-sheet-{drawn_sheet.data.spec.name}",
        "sheet",
    )


def _progress(drawn_sheet: Sheet) -> None:
    total, labeled_count = len(drawn_sheet.items), drawn_sheet.labeled_count
    runs = f", {len(drawn_sheet.verdicts)} answers to each" if len(drawn_sheet.verdicts) > 1 else ""
    st.progress(labeled_count / total, text=f"**{labeled_count:,} of {total:,}** labeled; "
                f"{fmt.query_count(len(drawn_sheet.queries))} drawn with seed {_seed()}{runs}")


def _shown_position(drawn_sheet: Sheet) -> int | None:
    """Position of the item shown: the one requested, else the first without a label; None if there is none."""
    requested = state.get(state.LABEL_AT)
    if requested in drawn_sheet.items:
        return drawn_sheet.items.index(requested)
    skipped = st.session_state.get(state.LABELS_SKIPPED, set())
    return next(
        (
            index
            for index, item in enumerate(drawn_sheet.items)
            if item not in drawn_sheet.saved_labels and item not in skipped
        ),
        None,
    )


def _item_view(drawn_sheet: Sheet, position: int) -> None:
    """One answer below its buttons, so that the buttons stay in place from answer to answer."""
    query, run = item = drawn_sheet.items[position]
    saved_label = drawn_sheet.saved_labels.get(item)
    subject = (item, drawn_sheet.data.label_key)
    with st.container(border=True, key="label_one"):
        st.markdown(
            f"**{trust_sentences.question(drawn_sheet.data.spec)}**",
            help=tooltip("label"),
        )
        with st.container(horizontal=True, vertical_alignment="center", key="label_buttons"):
            for title, value, key, icon in LABEL_CHOICES:
                st.button(
                    title,
                    key=state.bound_key(f"label_{key}", subject),
                    icon=f":material/{icon}:",
                    shortcut=key,
                    disabled=read_only(),
                    type="primary" if saved_label == value else "secondary",
                    on_click=_save_label,
                    args=(drawn_sheet, item, value),
                )
            st.button("Skip", key=state.bound_key("label_skip", subject), icon=":material/skip_next:", shortcut="s",
                      type="tertiary", on_click=_skip, args=(item,))
            st.button("Back", key="label_back", icon=":material/undo:", shortcut="b", type="tertiary",
                      disabled=position == 0, on_click=_go_to, args=(drawn_sheet.items[max(position - 1, 0)],))
            if saved_label is not None and not read_only():
                st.button(
                    "Undo",
                    key=state.bound_key("label_none", subject),
                    icon=":material/delete:",
                    type="tertiary",
                    on_click=_save_label,
                    args=(drawn_sheet, item, None),
                )
        st.caption(f"Answer {position + 1:,} of {len(drawn_sheet.items):,}" + (
            f" · your label: {trust_sentences.label_text(saved_label)}" if saved_label is not None else ""))
        answers = answers_data.read_answer_texts(run, drawn_sheet.data.context.scope.whole)
        row = answers.ids.index(query)
        earlier_messages(answers.histories[row], "label_earlier_messages")
        st.markdown("**Question**")
        st.html(texts.paragraph_html(texts.text_html(answers.questions[row] or query)))
        left_column, right = elements.two_columns("labeling_columns")
        with left_column:
            disagreements.show_answer(answers, row, references=shows_reference(str(drawn_sheet.data.spec)))
        with right:
            disagreements.show_contexts(answers, row)


def _save_label(drawn_sheet: Sheet, item: Item, value: float | None) -> None:
    """Save a label and go to the first unlabeled answer; stay if it was not saved or was undone."""
    new_count = trust_data.save_labels(item[1], drawn_sheet.data.label_key, {item[0]: value},
                                       {item[0]: drawn_sheet.saved_labels.get(item)}, drawn_sheet.policy)
    _go_to(item if new_count < 0 or value is None else None)
    if new_count >= 0:
        st.session_state[state.LABELS_SKIPPED] = st.session_state.get(state.LABELS_SKIPPED, set()) - {item}


def _skip(item: Item) -> None:
    st.session_state[state.LABELS_SKIPPED] = st.session_state.get(state.LABELS_SKIPPED, set()) | {item}
    _go_to(None)


def _go_to(item: Item | None) -> None:
    st.session_state[state.LABEL_AT] = item


def _completed(drawn_sheet: Sheet) -> None:
    """Everything is labeled or skipped: what to do next."""
    skipped = [item for item in drawn_sheet.items if item not in drawn_sheet.saved_labels]
    with st.container(border=True, key="label_done"):
        if skipped:
            st.markdown(
                f"Everything is labeled except {fmt.count(len(skipped), 'answer')} that you skipped. Skipped answers "
                "make the sample less random: go back to them if you can."
            )
        else:
            st.markdown("This sheet is fully labeled. Increase the number of queries to add more.")
        with st.container(horizontal=True, key="label_ends"):
            if skipped:
                st.button(
                    "Back to skipped answers", key="label_again", icon=":material/undo:", on_click=_restore_skipped
                )
            st.button("Show result", key="label_result", icon=":material/handshake:", type="primary",
                      on_click=lambda: st.session_state.update({state.TRUST_VIEW: "result"}))
            st.button("Back", key="label_back", icon=":material/undo:", type="tertiary", on_click=_go_to,
                      args=(drawn_sheet.items[-1],))


def _restore_skipped() -> None:
    st.session_state[state.LABELS_SKIPPED] = set()
    _go_to(None)
