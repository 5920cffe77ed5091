"""Threshold bands: where each run stands on the bands of a metric and against a target, in a picture and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.caches import score_cutoff_cache
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.threshold_bands import sentences as threshold_bands_sentences
from ragdash.dashboard.pages.threshold_bands import tables as threshold_bands_tables
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import elements
from ragdash.evaluation.bands_toml import read_bands, write_bands
from ragdash.evaluation.evaluate import Summary
from ragdash.metrics import Spec, parse_spec
from ragdash.metrics.bands import BANDS, Bands, Target, missing_bands_reason, place_in_bands, tables_for, target_outcome
from ragdash.reporting.plots import bands as pictures_of
from ragdash.reporting.plots.common import axes
from ragdash.reporting.plots.leaderboard import best_first
from ragdash.reporting.sentences import fmt

MEGABYTES = 1  # a file of bands has a few kilobytes


@dataclass(frozen=True)
class BandsFile:
    """The bands file of a session: tables of the one in force, problems of the last one read, how many were read."""

    name: str = ""
    tables: tuple[Bands, ...] = ()
    problems: tuple[Problem, ...] = ()
    read: int = 0


@dataclass(frozen=True)
class Rated:
    """A metric with what it is held against: a table of bands, else the reason why there is none; a target.

    order: the runs, best first; summaries: one for each run of the view.
    """

    spec: Spec
    table: Bands | None
    why: str | None
    target: Target | None
    summaries: tuple[Summary, ...]

    @property
    def order(self) -> list[int]:
        return best_first(np.array([one.mean for one in self.summaries]), self.spec.metric.better)

    @property
    def placements(self) -> list:
        return [place_in_bands(self.table, one.mean, one.low, one.high) for one in self.summaries] if self.table else []

    @property
    def verdicts(self) -> list[str]:
        return [threshold_bands_tables.verdict(self.target, one) for one in self.summaries] if self.target else []


def _file() -> BandsFile:
    return st.session_state.get(state.BANDS_FILE) or BandsFile()


def in_force() -> tuple[Bands, ...]:
    """The tables of the session's file, and the built-in ones of the metrics that it does not name."""
    own = _file().tables
    named = {(table.metric, table.params) for table in own}
    return own + tuple(table for table in BANDS if (table.metric, table.params) not in named)


def file_panel() -> None:
    """Bands of one's own: read a file, get what is in force as a file, go back to the built-in ones."""
    own = _file()
    st.caption("Bands of your own, in place of the built-in ones of the same metrics. Download what is in force, edit "
               "it, and open it here. They hold for this browser session and are not part of the link.")
    key = f"{state.BANDS_FILE}_{own.read}"
    st.file_uploader("Open a bands file (TOML)", type=["toml"], key=key, max_upload_size=MEGABYTES, on_change=_take,
                     args=(key,))
    with st.container(horizontal=True):
        st.download_button("Download the bands in force", lambda: write_bands(in_force()).encode(), "bands.toml",
                           "application/toml", key="bands_toml", icon=":material/download:", on_click="ignore")
        if own.tables:
            st.button("Back to the built-in bands", icon=":material/undo:", key="bands_back", on_click=_forget)


def _take(key: str) -> None:
    """Read the file just opened; a wrong one leaves the bands in force."""
    file, own = st.session_state[key], _file()
    if file is None:
        return
    try:
        found = BandsFile(file.name, read_bands((file.name, file.getvalue())), (), own.read + 1)
    except InputError as error:
        found = BandsFile(own.name, own.tables, error.problems, own.read + 1)
    st.session_state[state.BANDS_FILE] = found


def _forget() -> None:
    st.session_state[state.BANDS_FILE] = BandsFile(read=_file().read + 1)


def _dismiss() -> None:
    st.session_state[state.BANDS_FILE] = replace(_file(), problems=())


def file_note() -> None:
    """What is wrong with the bands file last read, and which one is in force."""
    own = _file()
    if own.problems:
        name = fmt.escape(own.problems[0].file or "The bands file")
        kept = f"those of {fmt.escape(own.name)}" if own.tables else "the built-in ones"
        st.markdown(f"**{name}** could not be used. The bands in force are still {kept}.")
        elements.problems(own.problems, "bands_file")
        st.button("Dismiss", icon=":material/close:", key="bands_dismiss", type="tertiary", on_click=_dismiss)
    if own.tables:
        many = fmt.count(len(own.tables), "table")
        st.caption(f":material/upload_file: Bands of **{fmt.escape(own.name)}** are in force ({many}), in this "
                   "browser session; the link does not carry them.")


def choose_source(specs: Sequence[Spec]) -> str:
    """Whose bands are drawn, where several sources have bands for one of the metrics; "" where there is no choice."""
    several = [tables for spec in specs if len(tables := tables_for(spec, in_force())) > 1]
    sources = list(dict.fromkeys(table.source for tables in several for table in tables))
    if not sources:
        return ""
    titles = fmt.listed(list(dict.fromkeys(spec.title for spec in specs if len(tables_for(spec, in_force())) > 1)))
    st.radio("Bands by", sources, format_func=fmt.escape, horizontal=True, persist_state="session",
             key=state.choice_key(state.SOURCE, sources, sources[0]),
             help=f"These sources disagree on {fmt.escape(titles)}. Where the one that is chosen has no bands, "
                  "another one's are drawn; each picture names its source.")
    return state.get(state.SOURCE)


def rated(context: PageContext, specs: Sequence[Spec], source: str) -> list[Rated]:
    """Each metric with its bands and its target; what is wrong with a target of the link is said."""
    wanted, problems = _targets()
    waiting = [str(spec) for spec in wanted if spec not in specs]
    elements.problems(problems, "targets")
    if waiting:
        st.caption(f"A target for {fmt.escape(fmt.listed(waiting))} waits until the metric is shown.")
    found, rows = [], context.results.summary(specs)
    for at, spec in enumerate(specs):
        tables = tables_for(spec, in_force())
        table = next((table for table in tables if table.source == source), tables[0] if tables else None)
        found.append(
            Rated(spec, table, missing_bands_reason(spec, in_force()), wanted.get(spec), tuple(row[at] for row in rows))
        )
    return found


def _targets() -> tuple[dict[Spec, Target], list[Problem]]:
    """The targets of this session by metric, and what is wrong with those that cannot be read."""
    state.choices_key(state.TARGETS, (), (), free=True)
    found, problems = {}, []
    for text in state.get(state.TARGETS):
        name, _, number = text.rpartition("=")
        try:
            target = Target(parse_spec(name), float(number))
            target_outcome(target, np.nan, np.nan, np.nan, target.spec.metric.better)
            found[target.spec] = target
        except InputError as error:
            problems.extend(error.problems)
        except ValueError:
            problems.append(Problem("target/text", {"text": text}, field="targets"))
    return found, problems


def _set_target(spec: Spec, key: str) -> None:
    """Take over what was typed; what could not be read goes."""
    value, others = st.session_state[key], _targets()[0]
    others.pop(spec, None)
    kept = [f"{one.spec}={one.value:.9g}" for one in others.values()]
    st.session_state[state.TARGETS] = kept if value is None else [*kept, f"{spec}={value:.9g}"]


def _target_field(one: Rated) -> None:
    """Where the target of a metric is typed."""
    if one.spec.metric.better is None:
        st.caption("Neither end of this metric is better: no target.")
        return
    low, high = (float(end) if np.isfinite(end) else None for end in one.spec.range)
    key = f"target_{threshold_bands_tables.title(one.spec)}"
    st.session_state[key] = float(one.target.value) if one.target else None
    least = "least" if one.spec.metric.better == "higher" else "most"
    st.number_input(f"Target for {one.spec.title}", value=None, min_value=low, max_value=high, step=0.01,
                    format="%.3f", key=key, placeholder="none", width=190, on_change=_set_target, args=(one.spec, key),
                    help=f"The value to reach at {least}. A run passes or fails where its whole interval lies on one "
                         "side; else it is undecided. Targets are part of the link.")


def findings(context: PageContext, found: Sequence[Rated], place) -> None:
    """In words: the band of each run on each metric that has bands, and which targets are reached."""
    banded = [one for one in found if one.table]
    said = threshold_bands_sentences.with_sources(
        [threshold_bands_sentences.band_sentence(one.spec, context.names, one.placements, one.order) for one in banded],
        [one.table.source for one in banded])
    said += [
        threshold_bands_sentences.target_sentence(one.target, context.names, one.verdicts, one.order)
        for one in found
        if one.target
    ]
    if not said:
        said = ["No bands are stated for the metrics shown. Set a target below, choose others, or open a bands file."]
    place.markdown("  \n".join(said))


def pictures(context: PageContext, found: Sequence[Rated]) -> None:
    """Each metric that has bands: the runs on them."""
    with st.grid(2, min_column_width=360, gap="medium", key="bands_grid"):
        for one in found:
            if one.table:
                with st.container(key=f"box_{threshold_bands_tables.title(one.spec)}"):
                    bands = fmt.escape(threshold_bands_sentences.bands_tooltip(one.table))
                    st.header(one.spec.title, anchor=False, help=f"{one.spec.metric.summary_line} Bands: {bands}")
                    _picture(context, one)
                    _target_field(one)


def targets(context: PageContext, found: Sequence[Rated]) -> None:
    """The metrics without bands: said so, with a target to set instead."""
    bare = [one for one in found if not one.table]
    if not bare:
        return
    st.header("Metrics without bands", anchor=False,
              help="Nobody is quoted here who says what is good on these. Set a target of your own instead, or open a "
                   "bands file.")
    with st.grid(3, min_column_width=300, gap="medium", key="targets_grid"):
        for one in bare:
            with st.container(border=True, key=f"box_{threshold_bands_tables.title(one.spec)}"):
                st.markdown(f"**{fmt.escape(one.spec.title)}**", help=one.spec.metric.summary_line)
                st.caption(fmt.escape(threshold_bands_sentences.no_bands_reason(one.spec, one.why)))
                _target_field(one)
                if one.target:
                    _picture(context, one)


def _picture(context: PageContext, one: Rated) -> None:
    """The runs, best first, on the bands of the metric, or on the two sides of its target."""
    order, rows = one.order, [one.summaries[at] for at in one.order]
    mean, low, high = (np.array([getattr(row, part) for row in rows], dtype=float) for part in ("mean", "low", "high"))
    names, title = [context.names[at] for at in order], threshold_bands_tables.title(one.spec)
    if one.table:
        edges, labels = one.table.edges, [band.label for band in one.table.bands]
    else:
        edges = (one.spec.range[0], one.target.value, one.spec.range[1])
        labels = ["below the target", "reached"] if one.spec.metric.better == "higher" else ["reached", "above it"]
    said = [
        threshold_bands_sentences.placement_text(
            one.placements[at] if one.table else None, one.verdicts[at] if one.target else None
        )
        for at in order
    ]
    slots, theme, axis = [context.slots[at] for at in order], elements.theme(), axes.axis_of(one.spec)
    target = one.target.value if one.target else None
    figure = score_cutoff_cache.cached_figure(
        "bands", names, slots, rows, edges, labels, said, target, theme.name,
        draw=lambda: pictures_of.band_placement(names, slots, mean, low, high, np.array([row.n for row in rows]),
                                           np.array(edges), labels, axis=axis, words=said, target=target, theme=theme))
    alt = "; ".join(f"{name}: {fmt.number(row.mean)}, {text or 'undefined'}"
                    for name, row, text in zip(names, rows, said, strict=True))
    elements.chart(figure, threshold_bands_tables.standings(names, rows, one.table, one.target), f"bands_{title}",
                  f"{one.spec.title}: {alt}")
    source = f"Bands: {fmt.escape(one.table.source)}. " if one.table else ""
    st.caption(
        f"{source}Mean over {fmt.query_range([row.n for row in rows])} with 95 % intervals.{context.scope.basis}"
    )


def by_slice(context: PageContext, found: Sequence[Rated]) -> None:
    """A metric in each slice of an attribute of the queries; nothing where the truth has no attributes."""
    attributes = list(dict.fromkeys(one.attribute for one in context.scope.slices.values()))
    if not attributes:
        return
    st.header("By kind of query", anchor=False,
              help="Kinds are the attributes that the truth gives its queries. Few queries make wide intervals.")
    own = {str(one.spec): one for one in found}
    first = next((str(one.spec) for one in found if one.table or one.target), str(found[0].spec))
    with st.container(horizontal=True):
        st.selectbox("Metric", list(own), format_func=lambda name: own[name].spec.title, width=240,
                     key=state.choice_key(state.BANDED, list(own), first), persist_state="session")
        st.selectbox("Attribute", attributes, key=state.choice_key(state.BY, attributes, attributes[0]), width=240,
                     persist_state="session")
    one = own[state.get(state.BANDED)]
    rows = score_cutoff_cache.summaries_by_slice(context.digests, context.scope, one.spec, state.get(state.BY))
    alt = f"{one.spec.title} by {state.get(state.BY)}"
    readable, numbers = st.tabs(["By slice", "All numbers"], key="slices_tabs", on_change="rerun")
    if readable.open is not False:
        with readable:
            st.table(
                threshold_bands_tables.by_slice(context, rows, one.table, one.target),
                border="horizontal",
                hide_index=True,
                alt=alt,
            )
    if numbers.open:
        with numbers:
            elements.frame(
                threshold_bands_tables.slice_numbers(context.names, rows, one.table, one.target), "by_slice", alt
            )
    about = f"Bands: {one.table.source}." if one.table else threshold_bands_sentences.no_bands_reason(one.spec, one.why)
    about += f" Target: {threshold_bands_sentences.target_text(one.target)}." if one.target else ""
    st.caption(f"{fmt.escape(about)} Mean over n queries of each kind with its 95 % interval."
               f"{context.scope.basis}")
