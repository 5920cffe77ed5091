"""The Share page's parts: the report, tables and pictures."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragdash.core.terms import tooltip
from ragdash.dashboard import page_context
from ragdash.dashboard.caches import what_if_cache
from ragdash.dashboard.components import comparison_tables, hybrid_report, verdict_panel
from ragdash.dashboard.page_context import PageContext
from ragdash.dashboard.pages.threshold_bands.speed_cost import price_table
from ragdash.dashboard.session import file_metrics, state
from ragdash.dashboard.widgets import downloads, elements, fields
from ragdash.evaluation.compare import best_first
from ragdash.evaluation.repeats import digests_of
from ragdash.metrics import Spec
from ragdash.reporting.figure_zip import figure_archive, report_figures
from ragdash.reporting.html.content import ReportContent, ReportRequest, default_title
from ragdash.reporting.html.report_page import render_report
from ragdash.reporting.html.sections import ASKED, ONE_PAGE, SECTIONS
from ragdash.reporting.plots.common.theme import Theme
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.tables.evaluation import summary_table
from ragdash.reporting.tables.export import TABLES, export_table, long_values, wide_values

SETTLED = 0.4  # seconds after which a field has sent the text that it was left with
HYBRID = "hybrid"  # the section of a report that is computed when it is downloaded
PREVIEW_HEIGHT = 720  # pixels: the highest usual picture as a whole
HYBRID_PLACES = {"sentence": "In a sentence", "section": "With a section", "none": "Left out"}
TABLE_KINDS = {"paper": "Runs and metrics, for a paper", "means": "Means and intervals",
         "tests": "Differences and tests", "long": "Values of every query, a row each",
         "wide": "Values of every query, a column each"}


def build_request(context: PageContext, specs: Sequence[Spec]) -> ReportRequest:
    """What the report is about: the view of this session."""
    query_slice = context.scope.slices.get(context.scope.slice)
    return ReportRequest(
        tuple(context.scope.match(digest, specs) for digest in context.digests),
        tuple(specs),
        tuple(context.names),
        tuple(context.slots),
        context.baseline,
        context.k,
        st.session_state.get(state.REPORT_TITLE, "").strip(),
        tuple(name for name in SECTIONS if name in state.get(state.PARTS)),
        state.get(state.TEXTS) == "yes",
        queries=context.scope.queries,
        slice_title=query_slice.title if query_slice else "",
        prices=price_table.current_prices(),
        accepted=tuple(state.get(state.ACCEPTED) or ()),
        author=st.session_state.get(state.REPORT_AUTHOR, "").strip(),
        date=date.today().isoformat(),
        repeats=tuple(tuple(context.scope.match(repeat, specs) for repeat in digests_of(digest))
                      for digest in context.digests),
        file_specs=file_metrics.session_file_specs(),
    )


def render_one_page_report(context: PageContext, specs: Sequence[Spec]) -> DeltaGenerator:
    """The decision in one file, for people who will never open this page; gives the place of its sentences."""
    st.header("One-page report", anchor=False, help=tooltip("html_report"))
    sentences = verdict_panel.render_line(context, specs[0])
    _set_report_choices(context)
    with st.container(horizontal=True, vertical_alignment="bottom", key="one_page_bar"):
        runs = [context.scope.match_by_id(digest).run for digest in context.digests]
        fields.text_input("Title", key=state.REPORT_TITLE, placeholder=default_title(runs), width=320,
                          persist_state="session", on_change=_note_words)
        fields.text_input("Author", key=state.REPORT_AUTHOR, placeholder="Your name or team", width=220,
                          persist_state="session", on_change=_note_words)
        report_request = replace(build_request(context, specs), sections=ONE_PAGE)
        if hybrid_report.is_possible(context) and st.segmented_control(
                "Better hybrid", list(HYBRID_PLACES), format_func=HYBRID_PLACES.__getitem__, required=True,
                key=state.choice_key(state.REPORT_HYBRID, list(HYBRID_PLACES), "sentence"), persist_state="session",
                help=tooltip("report_hybrid")) == "section":
            report_request = replace(report_request, sections=(*ONE_PAGE, HYBRID))
        with_appendix = HYBRID in (report_request.sections or ())
        st.download_button(f"Download the {'report' if with_appendix else 'one-page report'}",
                           _report_maker(report_request, context, specs),
                           "ragdash-report.html", "text/html", key="one_page", type="primary",
                           icon=":material/description:", on_click="ignore")
    st.caption("Date, data, decision, warnings, one table, one picture and three example queries in one HTML file. It "
               "opens without this dashboard."
               + (" The section on the hybrid follows as an appendix." if with_appendix else ""))
    return sentences


def _report_maker(report_request: ReportRequest, context: PageContext, specs: Sequence[Spec]) -> Callable[[], bytes]:
    """A call that makes the report; the answer on hybrids is computed then, where the report has that section."""
    answer = hybrid_report.maker(context, specs) if HYBRID in (report_request.sections or ()) else None
    names_gain = answer is not None or state.get(state.REPORT_HYBRID) != "none"
    written = _note_words()
    digests, names, scope, lead = context.digests, context.names, context.scope, specs[0]

    def make() -> bytes:
        time.sleep(SETTLED)
        return render_report(ReportContent(replace(
            report_request, **written, hybrid=None if answer is None else answer(),
            hybrid_gain=what_if_cache.gain(digests, names, scope, lead) if names_gain else None)))

    return make


def _note_words() -> dict[str, str]:
    """Title and author as they are now, in one object of the session: the click on a download may leave their field."""
    words = st.session_state.setdefault(state.REPORT_WORDS, {})
    words.update({name: st.session_state.get(key, "").strip()
                  for name, key in (("title", state.REPORT_TITLE), ("author", state.REPORT_AUTHOR))})
    return words


def _set_report_choices(context: PageContext) -> None:
    """Set what both reports are made with before the first of them."""
    state.choices_key(state.PARTS, list(_sections(context)), [name for name in SECTIONS if name not in ASKED])
    state.choice_key(state.TEXTS, ["yes", "no"], "yes")


def render_full_report(context: PageContext, specs: Sequence[Spec]) -> None:
    """The one page with everything else as its appendix."""
    with st.expander("Full report: the page with an appendix", icon=":material/menu_book:", key="full_report"):
        _render_full_choices(context, specs)


def _sections(context: PageContext) -> dict[str, str]:
    """The sections that a report can have here: {name: title}; the answer on hybrids needs runs to fuse."""
    return {name: title for name, (title, _) in SECTIONS.items()
            if name not in ASKED or (name == HYBRID and hybrid_report.is_possible(context))}


def _render_full_choices(context: PageContext, specs: Sequence[Spec]) -> None:
    titles = _sections(context)
    st.pills("Sections", list(titles), format_func=titles.__getitem__, selection_mode="multi", persist_state="session",
             key=state.choices_key(state.PARTS, list(titles), [name for name in titles if name not in ASKED]),
             wrap=True)
    with st.container(horizontal=True, vertical_alignment="bottom", key="report_bar"):
        st.segmented_control("Texts of questions, documents and answers", ["yes", "no"], required=True,
                             format_func={"yes": "In it", "no": "Left out"}.__getitem__, persist_state="session",
                             key=state.choice_key(state.TEXTS, ["yes", "no"], "yes"),
                             help=tooltip("report_texts"))
        report_request = build_request(context, specs)
        st.download_button(
            "Download the full report",
            _report_maker(report_request, context, specs),
            "ragdash-full-report.html",
            "text/html",
            key="report",
            icon=":material/description:",
            on_click="ignore",
            disabled=not report_request.sections,
        )
    if not report_request.sections:
        st.caption("Choose a section or more.")
    else:
        st.caption("What the runs do not have (answers, texts, latencies) is left out, and the report says so. "
                   "`ragdash report --full` makes the same on the command line.")


def render_tables(context: PageContext, specs: list[Spec]) -> None:
    """The numbers, in the format that is wanted."""
    st.header("Tables", anchor=False, help=tooltip("exported_table"))
    kinds = [kind for kind in TABLE_KINDS if kind != "tests" or len(context.entries) > 1]
    with st.container(horizontal=True, vertical_alignment="bottom", key="table_bar"):
        with st.container(horizontal=True, width="content"):  # their labels are on one line
            st.selectbox(
                "Table",
                kinds,
                format_func=TABLE_KINDS.get,
                key=state.choice_key(state.TABLE, kinds, kinds[0]),
                width=320,
                persist_state="session",
            )
            st.segmented_control(
                "Table format",
                list(TABLES),
                format_func=lambda form: TABLES[form].title,
                wrap=True,
                required=True,
                key=state.choice_key(state.FORM, list(TABLES), "csv"),
                persist_state="session",
            )
        kind, form = state.get(state.TABLE), state.get(state.FORM)
        make_table, note = _table_maker(context, specs, kind), ""
        if kind == "paper":
            paper = _paper(context, specs)
            make_table, note = lambda: paper.table, paper.note
        st.download_button(
            "Download the table",
            lambda: export_table(make_table(), form, note),
            f"ragdash-{kind}.{TABLES[form].ending}",
            TABLES[form].mime,
            key="table_file",
            icon=":material/download:",
            on_click="ignore",
        )


def _paper(context: PageContext, specs: list[Spec]) -> downloads.Paper:
    """The leaderboard as a paper prints it."""
    summaries = context.results.summary(specs)
    order = best_first(np.array([row[0].mean for row in summaries]), specs[0].metric.better)
    return comparison_tables.leaderboard_paper(context, summaries, order, context.results.compared(specs))


def _table_maker(context: PageContext, specs: list[Spec], kind: str):
    """A call that makes the table; what it needs of the session is taken now."""
    if kind == "means":
        data, names = context.results.summary(specs), context.results.evaluations(specs)
        return lambda: summary_table(names, data)
    if kind == "tests":
        flat = list(context.results.compared(specs).values())
        return lambda: comparison_tables.test_table(flat)
    data = context.results.evaluations(specs)
    return lambda: (long_values if kind == "long" else wide_values)(data)


def render_figures(context: PageContext, specs: Sequence[Spec]) -> None:
    """All pictures of the report at once: PNG and SVG that the browser makes, and Plotly's JSON."""
    st.header("Pictures", anchor=False, help=tooltip("exported_figures"))
    report_request, theme = build_request(context, specs), elements.theme()
    with st.expander("All pictures of the report", icon=":material/imagesmode:", key="browser_pictures",
                     on_change="rerun") as fold:
        if fold.open and report_request.sections:
            _render_all_pictures(report_request, theme)
    st.caption("Your browser makes them: PNG or SVG, in one ZIP archive. A single picture is in the **Download** tab "
               "next to it on its page.")


def _render_all_pictures(report_request: ReportRequest, theme: Theme) -> None:
    """The pictures, drawn on this page, and archives of them."""
    figures = report_figures(ReportContent(report_request), theme)
    charts = [(f"picture_{index}", key, figure.layout.width, figure.layout.height)
              for index, (key, figure) in enumerate(figures, 1)]
    downloads.browser_buttons("browser_archive", "ragdash-pictures", charts=charts)
    st.download_button("Download all as Plotly JSON (ZIP)",
                       lambda: figure_archive(ReportContent(report_request), "json", theme),
                       "ragdash-pictures-json.zip", "application/zip", key="album", icon=":material/data_object:",
                       on_click="ignore", type="tertiary")
    st.caption(f"{fmt.count(len(figures), 'picture')}: scroll down in the frame for the next one.")
    with st.container(height=PREVIEW_HEIGHT, key="pictures_of_report"):
        for (key, *_), (name, figure) in zip(charts, figures, strict=True):
            st.plotly_chart(figure, key=key, alt=name, width="content", config=elements.LOCAL)


def leaderboard_specs(context: PageContext) -> list[Spec]:
    """The metrics of the Leaderboard, as chosen there; what cannot be read or measured is said."""
    usual = file_metrics.default_columns(page_context.COLUMNS)
    chosen = file_metrics.of_shown_runs(state.get(state.choices_key(state.METRICS, usual, usual, free=True)))
    templates = chosen or usual
    requested, unreadable = page_context.specs([context.selection.template, *templates], context.k)
    measurable, unfit = context.results.computable(requested)
    elements.problems([*unreadable, *unfit], "metrics")
    return measurable
