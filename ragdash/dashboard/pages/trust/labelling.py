"""Labelling on the Trust page: one answer after another of a random sheet, kept at once, no verdict shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from ragdash.analysis.judge_validation import Verdicts, draw, sheet
from ragdash.dashboard.caches import evaluation_cache
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


def labelling(held: Held) -> None:
    """Choose the sheet, label it, take it along as a file."""
    if read_only():
        st.info("You may look, and not label: this server is read-only for you.", icon=":material/lock:")
    st.caption("Say of each answer what you find, without knowing what the judge said or which run it is of. Answers "
               "are drawn at random and come in random order: whatever you have done when you stop is a random sample.")
    one = _drawn(held)
    with st.container(key="label_desk"):
        _progress(one)
        place = _place(one)
        if place is None:
            _finished(one)
        else:
            _item(one, place)
    st.caption(
        f"Labels are kept as soon as they are given, and can be taken back. {MIN_LABELS} on a run give an interval. "
        "Skip only what you cannot read: who skips what is hard makes the sample no random one."
    )


def _drawn(held: Held) -> Sheet:
    """The sheet as it is chosen: how many queries, with which seed, of which runs."""
    names = {"": "All runs shown", **{held.context.digests[at]: held.context.names[at] for at in held.judged}}
    state.number(state.SHEET, MOST, USUAL), state.text(state.SEED), state.one(state.OF, list(names), "")
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
        place = st.popover("As a file", icon=":material/download:", key="sheet_file")
    chosen = [at for at in held.judged if state.get(state.OF) in ("", held.context.digests[at])]
    one = sheet_of(held, chosen, int(state.get(state.SHEET)), _seed())
    with place:
        _file(one, chosen)
    return one


def _seed() -> int:
    """The seed typed, the usual one for none or what is no whole number."""
    typed = state.get(state.SEED).strip()
    return int(typed) if typed.isdecimal() and len(typed) < 10 else SEED


def sheet_of(held: Held, runs: Sequence[int], n: int, seed: int) -> Sheet:
    """n queries drawn of all queries, whatever slice is shown; the runs of each in random order, so that none is known
    by its place.
    """
    scope = replace(held.context.scope, part="")
    verdicts = tuple(replace(
        trained_judge.unjudged_of(held.context.digests[at], scope, held.what) if held.local else
        trust_data.verdicts_of(held.context.digests[at], scope, held.spec), name=held.context.names[at]) for at in runs)
    queries = draw(verdicts, n, seed=seed)
    mixed = np.random.default_rng([seed, 1]).permuted(np.tile(np.arange(len(runs)), (len(queries), 1)), axis=1)
    items = tuple((query, verdicts[at].run) for query, row in zip(queries, mixed.tolist(), strict=True) for at in row)
    said = {(query, one.run): value for one in verdicts
            for query, value in trust_data.labels(one.run, held.what)[0].items()}
    return Sheet(held, tuple(queries), items, said, verdicts)


def _file(one: Sheet, chosen: Sequence[int]) -> None:
    """The sheet for a spreadsheet or an editor."""
    matches = [evaluation_cache.match(one.held.context.digests[at], one.held.context.scope) for at in chosen]
    st.caption("The same answers with their texts and an empty column label. Fill it in from the top, then hand the "
               "file in under **Labels kept**.")
    downloads.sheets(
        lambda: sheet(one.verdicts, one.queries, matches), f"ragdash-sheet-{one.held.spec.name}", "sheet"
    )


def _progress(one: Sheet) -> None:
    total, done = len(one.items), one.done
    runs = f", {len(one.verdicts)} answers to each" if len(one.verdicts) > 1 else ""
    st.progress(done / total, text=f"**{done:,} of {total:,}** labelled, of "
                f"{fmt.count(len(one.queries), 'query', 'queries')} drawn with seed {_seed()}{runs}")


def _place(one: Sheet) -> int | None:
    """The item that is shown: the one gone back to, else the first that is open; None where none is."""
    wanted = state.get(state.LABEL_AT)
    if wanted in one.items:
        return one.items.index(wanted)
    skipped = st.session_state.get(state.LABELS_SKIPPED, set())
    return next((at for at, item in enumerate(one.items) if item not in one.said and item not in skipped), None)


def _item(one: Sheet, place: int) -> None:
    """One answer with the buttons, which stay where they are from answer to answer."""
    query, run = item = one.items[place]
    mine = one.said.get(item)
    with st.container(border=True, key="label_one"):
        st.markdown(
            f"**{trust_sentences.question(one.held.spec)}**",
            help="Yes is 1, no is 0. A number in between, such as 0.8, can be given in a file.",
        )
        with st.container(horizontal=True, vertical_alignment="center", key="label_buttons"):
            for title, value, key, icon in CHOICES:
                st.button(title, key=f"label_{key}", icon=f":material/{icon}:", shortcut=key, disabled=read_only(),
                          type="primary" if mine == value else "secondary", on_click=_say, args=(one, item, value))
            st.button("Skip", key="label_skip", icon=":material/skip_next:", shortcut="s", type="tertiary",
                      on_click=_skip, args=(item,))
            st.button("Back", key="label_back", icon=":material/undo:", shortcut="b", type="tertiary",
                      disabled=place == 0, on_click=_to, args=(one.items[max(place - 1, 0)],))
            if mine is not None and not read_only():
                st.button("Take back", key="label_none", icon=":material/delete:", type="tertiary", on_click=_say,
                          args=(one, item, None))
        st.caption(f"Answer {place + 1:,} of {len(one.items):,}" + (
            f" · your label: {trust_sentences.label_text(mine)}" if mine is not None else ""))
        told = answers_data.told(run, replace(one.held.context.scope, part=""))
        row = told.ids.index(query)
        st.markdown("**Question**")
        st.html(texts.block(texts.shown(told.questions[row] or query)))
        left, right = st.columns(2, gap="large")
        with left:
            disagreements.texts_of(told, row)
        with right:
            disagreements.contexts_of(told, row)


def _say(one: Sheet, item: Item, value: float | None) -> None:
    """Keep a label and go on to the first answer that is open; stay where it could not be kept, or was taken back."""
    kept = trust_data.keep(item[1], one.held.what, {item[0]: value})
    _to(item if kept < 0 or value is None else None)
    if kept >= 0:
        st.session_state[state.LABELS_SKIPPED] = st.session_state.get(state.LABELS_SKIPPED, set()) - {item}


def _skip(item: Item) -> None:
    st.session_state[state.LABELS_SKIPPED] = st.session_state.get(state.LABELS_SKIPPED, set()) | {item}
    _to(None)


def _to(item: Item | None) -> None:
    st.session_state[state.LABEL_AT] = item


def _finished(one: Sheet) -> None:
    """All labelled, or the rest skipped."""
    skipped = [item for item in one.items if item not in one.said]
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
                      args=(one.items[-1],))


def _unskip() -> None:
    st.session_state[state.LABELS_SKIPPED] = set()
    _to(None)
