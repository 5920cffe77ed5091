"""Repeats of one configuration as one line: the mean over repeats of each query first; or each repeat by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import streamlit as st

from ragdash.core.records import Run
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import state
from ragdash.dashboard.session.data_store import LOADED, SessionRun
from ragdash.evaluation.repeats import (
    RepeatSpread,
    digests_of,
    group_names,
    joined_digest,
    repeat_groups,
    repeat_spreads,
)
from ragdash.metrics import Spec
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.runs.repeats import SINGLES_NOTE, leading_noise, spread_sentence

MEAN, SINGLE = "mean", "single"
MAX_LINES = 4  # configurations that have a sentence
CHOICES_OF_LINES = (state.CANDIDATE, state.X_RUN, state.Y_RUN)  # hold the digest of a line


@dataclass(frozen=True)
class RepeatLine(SessionRun):
    """Repeats of one configuration in the place of a run: its digest is that of all of them."""

    repeats: tuple[SessionRun, ...] = ()

    @property
    def run(self) -> Run | None:
        """The first repeat."""
        return self.repeats[0].run

    @property
    def loaded(self) -> str:
        """Digest of the first repeat as it was loaded: settings and tags are those of it."""
        return self.repeats[0].loaded


def recorded_runs(context: PageContext) -> list[Run]:
    """The runs under the names shown; what they are repeats of is known of fixed ones too."""
    return [_as_loaded(entry).renamed(entry.name) for entry in context.entries]


def has_repeats(context: PageContext, same_settings: bool = False) -> bool:
    """Whether two of the runs shown are repeats of one configuration."""
    return any(len(group) > 1 for group in repeat_groups(list(map(_as_loaded, context.entries)), same_settings))


def merged(context: PageContext, same_settings: bool = False) -> PageContext:
    """The context with one line for each configuration, unless the reader chose to see the single repeats.

    same_settings: runs with other settings are no repeats, as where variants are compared.
    """
    runs = recorded_runs(context)
    groups = repeat_groups(runs, same_settings)
    if all(len(group) == 1 for group in groups) or (same_settings and len(groups) == 1):
        return context
    if state.get(state.choice_key(state.REPEATS, [MEAN, SINGLE], MEAN)) == SINGLE:
        for key in CHOICES_OF_LINES:
            if isinstance(value := state.get(key), str):
                st.session_state[key] = digests_of(value)[0]
        return context
    lines = [_line(name, [context.entries[index] for index in group])
             for group, name in zip(groups, group_names(runs, groups), strict=True)]
    for key, line in product(() if same_settings else CHOICES_OF_LINES, lines):
        if state.get(key) in digests_of(line.digest):
            st.session_state[key] = line.digest
    baseline = next(index for index, group in enumerate(groups) if context.baseline in group)
    return replace(context, selection=replace(context.selection, entries=tuple(lines), baseline=baseline))


def render(context: PageContext, spec: Spec | None = None, noise: bool = False) -> None:
    """Say which lines are means of repeats, with the spread of the repeats, and the way to see them one by one.

    context: that of the single runs; spec: default the metric of the sidebar. noise: say too which noise dominates and
    what to run next.
    """
    if not has_repeats(context):
        return
    specs, _ = context.results.computable([spec or context.selection.spec])
    is_merged = state.get(state.REPEATS) != SINGLE
    with st.container(horizontal=True, vertical_alignment="center", key="repeat_note"):
        if is_merged:
            merged_spreads = spreads(context, specs)
            lines = [spread_sentence(spread) for spread in merged_spreads if not spread.is_difference]
            rest = len(lines) - MAX_LINES
            text = " ".join([*lines[:MAX_LINES], *([f"And {rest} more configurations."] if rest > 0 else [])])
            st.caption(fmt.escape(text or "Repeats of one configuration are one line."), width="content")
        else:
            st.caption("Each repeat is shown by itself, as if it were a configuration of its own.", width="content")
        render_switch()
    for line in leading_noise(merged_spreads) if noise and is_merged else ():
        st.caption(fmt.escape(line))


def note_singles(context: PageContext) -> None:
    """On a page that merges no repeats: that some of the runs shown are repeats, and where they are one line."""
    if has_repeats(context):
        st.caption(SINGLES_NOTE)


def render_switch() -> None:
    """The way from means to single repeats and back."""
    is_merged = state.get(state.REPEATS) != SINGLE
    st.button("Show single repeats" if is_merged else "Show means of repeats", key="switch_repeats", type="tertiary",
              icon=":material/stacks:", on_click=_switch, args=(SINGLE if is_merged else MEAN,))


def spreads(context: PageContext, specs: Sequence[Spec]) -> list[RepeatSpread]:
    """How much the metrics vary between the repeats of each configuration, and in their differences."""
    return repeat_spreads(context.results.evaluations(specs), recorded_runs(context), specs) if specs else []


def repeats_note(entry: SessionRun) -> str:
    """"3 repeats" for a line that is their mean, nothing for a run."""
    return f"{len(entry.repeats)} repeats" if isinstance(entry, RepeatLine) else ""


def _line(name: str, repeats: Sequence[SessionRun]) -> SessionRun:
    if len(repeats) == 1:
        return repeats[0]
    first = repeats[0]
    return RepeatLine(joined_digest([repeat.digest for repeat in repeats]), name, first.slot, repeats=tuple(repeats))


def _as_loaded(entry: SessionRun) -> Run:
    """The run with the header and the repetition that it was loaded with, which a fix leaves out."""
    run, loaded = entry.run, LOADED.run(entry.loaded)
    if loaded is None or (loaded.header is run.header and loaded.repetition is run.repetition):
        return run
    return replace(run, header=loaded.header, repetition=loaded.repetition)


def _switch(choice: str) -> None:
    st.session_state[state.REPEATS] = choice
