"""Labelling on the Trust page: one answer after another of a random sheet, kept at once, no verdict shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from ragdash.analysis.judge_validation import Verdicts, draw, sheet
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.pages.trust import data as trust_data
from ragdash.dashboard.pages.trust import disagreements, trained_judge
from ragdash.dashboard.pages.trust import sentences as trust_sentences
from ragdash.dashboard.pages.trust.data import Held
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import read_only
from ragdash.dashboard.widgets import downloads, texts
from ragdash.evaluation.stats import MIN_LABELS, SEED
from ragdash.reporting.sentences import fmt

SIZES = ("20", "50", "100", "150")  # queries offered; any other number can be typed
USUAL, MOST = 50, 2_000
CHOICES = (("Yes", 1.0, "y", "check"), ("In between", 0.5, "i", "remove"), ("No", 0.0, "n", "close"))
Item = tuple[str, str]
"""A query and the digest of a run."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """What is to be labelled, in order. said: labels kept, of any query; verdicts: of the runs drawn from."""

    held: Held
    queries: tuple[str, ...]
    items: tuple[Item, ...]
    said: dict[Item, float]
    verdicts: tuple[Verdicts, ...]

    @property
    def done(self) -> int:
        """How many items bear a label."""
        return sum(item in self.said for item in self.items)


def labelling(data: Held) -> None:
    """Choose the sheet, label it, take it along as a file."""
    if read_only():
        st.info("You may look, and not label: this server is read-only for you.", icon=":material/lock:")
    st.caption("Say of each answer what you find, without knowing what the judge said or which run it is of. Answers "
               "are drawn at random and come in random order: whatever you have done when you stop is a random sample.")
    drawn_sheet = _drawn(data)
    with st.container(key="label_desk"):
        _progress(drawn_sheet)
        position = _place(drawn_sheet)
        if position is None:
            _finished(drawn_sheet)
        else:
            _item(drawn_sheet, position)
    st.caption(
        f"Labels are kept as soon as they are given, and can be taken back. {MIN_LABELS} on a run give an interval. "
        "Skip only what you cannot read: who skips what is hard makes the sample no random one."
    )


def _drawn(data: Held) -> Sheet:
    """The sheet as it is chosen: how many queries, with which seed, of which runs."""
    names = {"": "All runs shown", **{data.context.digests[index]: data.context.names[index] for index in data.judged}}
    state.number_key(state.SHEET, MOST, USUAL), state.text_key(state.SEED), state.choice_key(state.OF, list(names), "")
    with st.container(horizontal=True, vertical_alignment="bottom", key="label_sheet"):
        st.selectbox("Queries drawn", sorted({*SIZES, state.get(state.SHEET)}, key=int), key=state.SHEET, width=130,
                     accept_new_options=True, persist_state="session", help="A larger number adds to a smaller one. "
                     "Choose, or type another number.")
        st.text_input("Seed", key=state.SEED, placeholder=str(SEED), width=110, persist_state="session",
                      help="The same seed draws the same queries in the same order, here and on the command line.")
        if len(names) > 2:
            st.selectbox("Answers of", list(names), key=state.OF, width=220, persist_state="session",
                         format_func=names.get,
                         help="Differences between runs need the same queries labelled in both: label all runs shown.")
        file_popover = st.popover("As a file", icon=":material/download:", key="sheet_file")
    run_indices = [index for index in data.judged if state.get(state.OF) in ("", data.context.digests[index])]
    drawn_sheet = sheet_of(data, run_indices, int(state.get(state.SHEET)), _seed())
    with file_popover:
        _file(drawn_sheet, run_indices)
    return drawn_sheet


def _seed() -> int:
    """The seed typed, the usual one for none or what is no whole number."""
    typed = state.get(state.SEED).strip()
    return int(typed) if typed.isdecimal() and len(typed) < 10 else SEED


def sheet_of(data: Held, runs: Sequence[int], n: int, seed: int) -> Sheet:
    """n queries drawn of all queries, whatever slice is shown; the runs of each in random order, so that none is known
    by its place.
    """
    scope = data.context.scope.whole
    verdicts = tuple(
        replace(
            trained_judge.unjudged_of(data.context.digests[index], scope, data.what)
            if data.local
            else trust_data.verdicts_of(data.context.digests[index], scope, data.spec),
            name=data.context.names[index],
        )
        for index in runs
    )
    queries = draw(verdicts, n, seed=seed)
    mixed = np.random.default_rng([seed, 1]).permuted(np.tile(np.arange(len(runs)), (len(queries), 1)), axis=1)
    items = tuple(
        (query, verdicts[index].run) for query, row in zip(queries, mixed.tolist(), strict=True) for index in row
    )
    saved_labels = {(query, run_verdicts.run): value for run_verdicts in verdicts
            for query, value in trust_data.labels(run_verdicts.run, data.what)[0].items()}
    return Sheet(data, tuple(queries), items, saved_labels, verdicts)


def _file(drawn_sheet: Sheet, run_indices: Sequence[int]) -> None:
    """The sheet for a spreadsheet or an editor."""
    matches = [
        drawn_sheet.held.context.scope.match(drawn_sheet.held.context.digests[index])
        for index in run_indices
    ]
    st.caption("The same answers with their texts and an empty column label. Fill it in from the top, then hand the "
               "file in under **Labels kept**.")
    downloads.sheets(
        lambda: sheet(drawn_sheet.verdicts, drawn_sheet.queries, matches),
        f"ragdash-sheet-{drawn_sheet.held.spec.name}",
        "sheet",
    )


def _progress(drawn_sheet: Sheet) -> None:
    total, labeled_count = len(drawn_sheet.items), drawn_sheet.done
    runs = f", {len(drawn_sheet.verdicts)} answers to each" if len(drawn_sheet.verdicts) > 1 else ""
    st.progress(labeled_count / total, text=f"**{labeled_count:,} of {total:,}** labelled, of "
                f"{fmt.count(len(drawn_sheet.queries), 'query', 'queries')} drawn with seed {_seed()}{runs}")


def _place(drawn_sheet: Sheet) -> int | None:
    """The item that is shown: the one gone back to, else the first that is open; None where none is."""
    requested = state.get(state.LABEL_AT)
    if requested in drawn_sheet.items:
        return drawn_sheet.items.index(requested)
    skipped = st.session_state.get(state.LABELS_SKIPPED, set())
    return next(
        (index for index, item in enumerate(drawn_sheet.items) if item not in drawn_sheet.said and item not in skipped),
        None,
    )


def _item(drawn_sheet: Sheet, position: int) -> None:
    """One answer with the buttons, which stay where they are from answer to answer."""
    query, run = item = drawn_sheet.items[position]
    saved_label = drawn_sheet.said.get(item)
    with st.container(border=True, key="label_one"):
        st.markdown(
            f"**{trust_sentences.question(drawn_sheet.held.spec)}**",
            help="Yes is 1, no is 0. A number in between, such as 0.8, can be given in a file.",
        )
        with st.container(horizontal=True, vertical_alignment="center", key="label_buttons"):
            for title, value, key, icon in CHOICES:
                st.button(
                    title,
                    key=f"label_{key}",
                    icon=f":material/{icon}:",
                    shortcut=key,
                    disabled=read_only(),
                    type="primary" if saved_label == value else "secondary",
                    on_click=_say,
                    args=(drawn_sheet, item, value),
                )
            st.button("Skip", key="label_skip", icon=":material/skip_next:", shortcut="s", type="tertiary",
                      on_click=_skip, args=(item,))
            st.button("Back", key="label_back", icon=":material/undo:", shortcut="b", type="tertiary",
                      disabled=position == 0, on_click=_to, args=(drawn_sheet.items[max(position - 1, 0)],))
            if saved_label is not None and not read_only():
                st.button("Take back", key="label_none", icon=":material/delete:", type="tertiary", on_click=_say,
                          args=(drawn_sheet, item, None))
        st.caption(f"Answer {position + 1:,} of {len(drawn_sheet.items):,}" + (
            f" · your label: {trust_sentences.label_text(saved_label)}" if saved_label is not None else ""))
        answers = answers_data.told(run, drawn_sheet.held.context.scope.whole)
        row = answers.ids.index(query)
        st.markdown("**Question**")
        st.html(texts.paragraph_html(texts.text_html(answers.questions[row] or query)))
        left_column, right = st.columns(2, gap="large")
        with left_column:
            disagreements.texts_of(answers, row)
        with right:
            disagreements.contexts_of(answers, row)


def _say(drawn_sheet: Sheet, item: Item, value: float | None) -> None:
    """Keep a label and go on to the first answer that is open; stay where it could not be kept, or was taken back."""
    new_count = trust_data.keep(item[1], drawn_sheet.held.what, {item[0]: value})
    _to(item if new_count < 0 or value is None else None)
    if new_count >= 0:
        st.session_state[state.LABELS_SKIPPED] = st.session_state.get(state.LABELS_SKIPPED, set()) - {item}


def _skip(item: Item) -> None:
    st.session_state[state.LABELS_SKIPPED] = st.session_state.get(state.LABELS_SKIPPED, set()) | {item}
    _to(None)


def _to(item: Item | None) -> None:
    st.session_state[state.LABEL_AT] = item


def _finished(drawn_sheet: Sheet) -> None:
    """All labelled, or the rest skipped."""
    skipped = [item for item in drawn_sheet.items if item not in drawn_sheet.said]
    with st.container(border=True, key="label_done"):
        if skipped:
            st.markdown(f"All but {fmt.count(len(skipped), 'answer')} that you skipped. Skipped ones make the sample "
                        "less of a random one: go back to them if you can.")
        else:
            st.markdown("All of this sheet is labelled. A larger number of queries adds to it.")
        with st.container(horizontal=True, key="label_ends"):
            if skipped:
                st.button("Back to the skipped ones", key="label_again", icon=":material/undo:", on_click=_unskip)
            st.button("Show the result", key="label_result", icon=":material/handshake:", type="primary",
                      on_click=lambda: st.session_state.update({state.DESK: "result"}))
            st.button("Back", key="label_back", icon=":material/undo:", type="tertiary", on_click=_to,
                      args=(drawn_sheet.items[-1],))


def _unskip() -> None:
    st.session_state[state.LABELS_SKIPPED] = set()
    _to(None)
