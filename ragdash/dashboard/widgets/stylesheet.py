"""What Streamlit's own style leaves uneven, pale or loose, set right on every page."""

from __future__ import annotations

import streamlit as st

from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import tint
from ragdash.reporting.plots.common import theme as plot_theme


def align() -> None:
    """What Streamlit leaves uneven: controls next to fields, text next to links, and what its own boxes cut."""
    st.html("<style>.katex-display{padding-block: 0.5em}"  # else its scroll box cuts the top of a fraction
            # a name next to a button on a card: Streamlit makes the row scroll, and it has scroll bars under the mouse
            '[class*="st-key-card_"] [data-testid="stHorizontalBlock"]{overflow: visible}'
            # segments and pills are lower than the field next to them, and so are their words
            '[data-testid="stMain"] [data-testid="stHorizontalBlock"] [data-variant]'
            "{min-height: 40px}"
            # a count of 0, which is no link, begins where the links next to it do
            ':is(.st-key-stage_rows [class*="st-key-stage_"], .st-key-only_found) [data-testid="stCaptionContainer"]'
            "{padding-left: 8px}</style>")


def set_contrast() -> None:
    """Dark words on the dark appearance's blue buttons and chips: Streamlit writes white there, with a contrast of 3.5.

    Those of the sidebar have a darker blue of their own, which is too dark for the words of a chosen segment there. In
    both appearances the pages without data are gray, and dark enough to read. The words of a caption are pale, but not
    its signs of runs: they have the colors of the marks in the picture. A segment next to the chosen one keeps its
    edges: where the row wraps, the two are on different lines.
    """
    edge = st.get_option(f"theme.{elements.theme().name}.borderColor")
    st.html(f'<style>[data-testid="stCaptionContainer"]{{opacity: 1; color: {tint(elements.theme().ink, 0.6)}}}'
            '[data-variant="segmented_control"]:not([data-selected])'
            f"{{border-left-color: {edge} !important; border-right-color: {edge} !important}}</style>")
    st.html('<style>[data-testid="stSidebar"] :is([disabled], [aria-disabled="true"])[data-testid="stPageLink-NavLink"]'
            f' :is(p, span){{color: {elements.theme().muted} !important; opacity: 1 !important}}</style>')
    theme = elements.theme()
    if theme is plot_theme.DARK:
        selector = ':is([data-testid="stBaseButton-primary"]:not(:disabled), [data-tag], [data-tag-index])'
        segment = '[data-testid="stSidebar"] [data-variant="segmented_control"][data-selected="true"]'
        st.html(f'<style>{selector}:not([data-testid="stSidebar"] *) :is(p, span, svg)'
                f"{{color: {theme.paper} !important}} {segment} p {{color: {theme.ink} !important}}</style>")


def tighten_sidebar() -> None:
    """Less empty space around the choices of the sidebar: on 900 pixels of height nothing has to be scrolled.

    Its menu of metrics is wider than the field, so that it cuts no name.
    """
    st.html('<style>[data-testid="stSidebarUserContent"]{padding-top: 0 !important; padding-bottom: 0 !important} '
            '[data-testid="stSidebarHeader"]{margin-bottom: 0 !important} '
            '[data-testid="stSelectboxVirtualDropdown"]:has([aria-label="Metric"]){min-width: min(280px, 92vw)}'
            '</style>')


def hide_sidebar() -> None:
    """For a page in a frame of another site: Streamlit leaves out its own bar there, but not the sidebar."""
    st.html('<style>:is([data-testid="stSidebar"], [data-testid="stExpandSidebarButton"], [data-testid="stHeader"])'
            "{display: none !important}</style>")
