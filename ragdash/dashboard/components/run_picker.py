"""The runs shown: a field with a chip for each of few runs; of many, a panel with search, tags and settings.

Of many runs, pictures draw the best, the baseline and the one chosen on Compare, unless all are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar
from zlib import crc32

import numpy as np
import streamlit as st

from ragdash.analysis.variants.setting_groups import varying_settings
from ragdash.core.errors import InputError
from ragdash.core.terms import tooltip
from ragdash.core.text.short_names import NARROW_NAME, PAGE_NAME, short_names
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.session import run_facts, state
from ragdash.dashboard.session.data_store import SessionRun
from ragdash.dashboard.session.run_facts import RunFacts
from ragdash.dashboard.widgets import clicks
from ragdash.evaluation.compare import best_first
from ragdash.reporting.plots.common.theme import COLORED
from ragdash.reporting.sentences import formatting as fmt

MAX_CHIPS = 2  # runs that the sidebar shows as chips
FILTERS = "_run_filters"  # key of the field for tags and settings, of the session alone
MAX_VALUES = 12  # values of a setting to choose from; one with more is not a group
MOST_DRAWN = FEW = COLORED  # runs up to which pictures draw all; runs that they draw of more
T = TypeVar("T")


def choose_runs(entries: Sequence[SessionRun]) -> list[str]:
    """Which runs are shown; returns their digests, all where none is chosen."""
    digests = [entry.digest for entry in entries]
    names = dict(zip(digests, short_names([entry.name for entry in entries], NARROW_NAME), strict=True))
    state.choices_key(state.SHOWN, digests, digests)
    if len(entries) == 1:
        st.caption(f"Run: {fmt.escape(short_names([entries[0].name], PAGE_NAME)[0])}")
    elif len(entries) <= MAX_CHIPS:
        _run_field(names)
        if len(state.get(state.SHOWN)) == 1:
            st.caption("1 shown, 1 hidden")
    else:
        shown = len(state.get(state.SHOWN)) or len(digests)
        hidden = len(digests) - shown
        words = f"{shown} shown, {hidden} hidden" if hidden else f"{shown} of {shown} runs"
        with st.popover(words, icon=":material/checklist:", key="run_picker", width="stretch"):
            _render_filters(entries, run_facts.of_runs(entries))
            _run_field(names)
            if shown > COLORED:
                st.caption(tooltip("run_colors"))
    return [digest for digest in digests if digest in state.get(state.SHOWN)] or digests


def _run_field(names: Mapping[str, str]) -> None:
    """The field for the runs shown. Other runs get another field.

    A browser keeps the value of a field that it does not draw, such as one in a closed panel. It would send that value
    back and hide the runs that were added since.
    """
    key = f"shown_runs_{crc32(' '.join(names).encode()):x}"
    st.session_state[key] = list(state.get(state.SHOWN))
    st.multiselect("Runs shown", list(names), format_func=lambda digest: names.get(digest, digest),
                   placeholder="Type to search", key=key, on_change=clicks.take_choice, args=(key, _show), wrap=True)


def _render_filters(entries: Sequence[SessionRun], facts: Sequence[RunFacts]) -> None:
    """A field for tags and settings, and the buttons that show the runs that match."""
    options = filter_options(facts)
    with st.container(horizontal=True, vertical_alignment="bottom", key="run_filters"):
        if options:
            st.multiselect("Tags and settings", list(options), key=FILTERS, placeholder="Such as chunk_size = 256",
                           format_func=lambda text: f"{text} ({options.get(text, 0)})", help=tooltip("run_filters"),
                           wrap=True)
            matches = [entry.digest for entry, run in zip(entries, facts, strict=True)
                       if matches_filters(run, state.get(FILTERS) or ())]
            st.button(f"Show these {len(matches)}", key="show_matching", on_click=_show, args=(matches,),
                      disabled=not (state.get(FILTERS) and matches))
        st.button("Show all", key="show_all", type="tertiary", on_click=_show,
                  args=([entry.digest for entry in entries],))


def filter_options(facts: Sequence[RunFacts]) -> dict[str, int]:
    """What runs can be chosen by, and how many runs have it: tags, then values of settings in which runs differ.

    Examples
    --------
    >>> filter_options([RunFacts({"k": "5"}, tags=("old",)), RunFacts({"k": "9"}), RunFacts({"k": "9"})])
    {'tag: old': 1, 'k = 5': 1, 'k = 9': 2}
    """
    counts: dict[str, int] = {}
    for tag in sorted({tag for run in facts for tag in run.tags}):
        counts[f"tag: {tag}"] = sum(tag in run.tags for run in facts)
    settings = [run.settings for run in facts]
    for name in varying_settings(settings):
        values = sorted({run[name] for run in settings if name in run})
        if len(values) <= MAX_VALUES:
            counts |= {f"{name} = {value}": sum(run.get(name) == value for run in settings) for value in values}
    return counts


def matches_filters(run: RunFacts, filters: Sequence[str]) -> bool:
    """Whether a run has one of the chosen values of every setting, and one of the chosen tags.

    Examples
    --------
    >>> run = RunFacts({"k": "5"}, tags=("old",))
    >>> matches_filters(run, ["k = 5", "k = 9"]), matches_filters(run, ["k = 5", "tag: new"])
    (True, False)
    """
    wanted: dict[str, set[str]] = {}
    for text in filters:
        name, _, value = text.partition(": ") if text.startswith("tag: ") else text.partition(" = ")
        wanted.setdefault(name, set()).add(value)
    known = {**{name: {value} for name, value in run.settings.items()}, **({"tag": set(run.tags)} if run.tags else {})}
    return all(known.get(name, set()) & values for name, values in wanted.items())


def _show(digests: Sequence[str]) -> None:
    st.session_state[state.SHOWN] = list(digests)


def choose_drawn(context: PageContext) -> PageContext:
    """The context with the runs that the pictures of a page draw, in the order of the leaderboard.

    Of many runs these are the best, the baseline and the run chosen on Compare, unless all are wanted.
    """
    total, order = len(context.entries), _best_first(context)
    if total <= MOST_DRAWN:
        return context.only([context.entries[index] for index in order])
    drawn = _few_of_many(context, order)
    titles = {"best": f"Best {len(drawn.entries)}", "all": f"All {total}"}
    with st.container(horizontal=True, vertical_alignment="center", key="drawn_runs"):
        st.segmented_control("Runs in the pictures", list(titles), format_func=titles.__getitem__, required=True,
                             key=state.choice_key(state.DRAWN, list(titles), "best"), persist_state="session",
                             label_visibility="collapsed")
        if state.get(state.DRAWN) == "best":
            st.caption(f"Pictures show {len(drawn.entries)} of {total} runs: the best by the metric of the sidebar, "
                       f"the baseline and the run chosen on Compare. Each **Table** tab has all {total}.",
                       width="content")
    return drawn if state.get(state.DRAWN) == "best" else context.only([context.entries[index] for index in order])


def of_drawn(results: Sequence[T], context: PageContext, drawn: PageContext) -> list[T]:
    """Of results of all runs, those of the runs that are drawn, in their order."""
    result_of = dict(zip(context.digests, results, strict=True))
    return [result_of[digest] for digest in drawn.digests]


def _few_of_many(context: PageContext, order: Sequence[int]) -> PageContext:
    """The context with few of many runs: the first of an order, the baseline, and the run chosen on Compare.

    Their names are the short ones of the page: a picture of a part would shorten some of them in another way.
    """
    kept = {context.baseline, *(index for index, digest in enumerate(context.digests)
                                if digest == state.get(state.CANDIDATE))}
    for index in order:
        if len(kept) >= FEW:
            break
        kept.add(index)
    names = short_names(context.names, NARROW_NAME)
    return context.only([replace(context.entries[index], name=names[index]) for index in order if index in kept])


def _best_first(context: PageContext) -> list[int]:
    """The indices of the runs by the sidebar's metric; as they were loaded where it cannot be computed."""
    try:
        spec = context.selection.spec
        means = np.array([row[0].mean for row in context.results.summary([spec])])
    except InputError:
        return list(range(len(context.entries)))
    return best_first(means, spec.metric.better)


def usual_run(context: PageContext) -> str:
    """The digest of the run that pages look at first: the best by the metric."""
    return context.digests[_best_first(context)[0]]


def best_other_run(context: PageContext) -> str:
    """The digest of the best run by the metric of those that are not the baseline."""
    others = context.selection.others() or [0]
    return context.digests[next(index for index in _best_first(context) if index in others)]
