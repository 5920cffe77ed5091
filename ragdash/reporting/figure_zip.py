"""All pictures of a report in one archive."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from ragdash.reporting.figure_files import FIGURE_FORMATS, render_figures
from ragdash.reporting.html.blocks import Figure
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.html.markdown import as_plain
from ragdash.reporting.html.report_page import build_sections
from ragdash.reporting.html.sections import WITHOUT_PICTURES
from ragdash.reporting.plots.common.captioned import WIDTH, captioned
from ragdash.reporting.plots.common.theme import LIGHT, Theme
from ragdash.reporting.sentences.formatting import query_count


def figure_archive(content: ReportContent, form: str, theme: Theme = LIGHT) -> bytes:
    """A ZIP archive of every picture of the sections asked for, in one of PICTURES; the same input, the same bytes.

    Each picture has its title, its legend and what it shows.

    InputError where this machine cannot draw the format.
    """
    figures = report_figures(content, theme)
    images = render_figures([figure for _, figure in figures], form, background=theme.paper, width=WIDTH)
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for index, ((key, _), data) in enumerate(zip(figures, images, strict=True), 1):
            info = zipfile.ZipInfo(f"{index:02}-{key}.{FIGURE_FORMATS[form].ending}")
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return sink.getvalue()


def report_figures(content: ReportContent, theme: Theme = LIGHT) -> list[tuple[str, Any]]:
    """(key, figure) of every picture of the sections asked for, each with its title, its legend and what it shows.

    A picture that two sections have is there once.
    """
    pictures: dict[str, tuple[Figure, Any]] = {}
    for section in build_sections(content, WITHOUT_PICTURES):
        for block in section.blocks:
            if isinstance(block, Figure):
                drawn = block.draw(theme)
                pictures.setdefault(drawn.to_json(), (block, drawn))
    return [(block.key, captioned(drawn, as_plain(block.title), _caption(block, content), theme))
            for block, drawn in pictures.values()]


def _caption(picture: Figure, content: ReportContent) -> str:
    """What a picture shows: the start of its alternative text, its caption, and the number of queries."""
    queries = query_count(int(content.selected.sum()))
    return f"{picture.alt.split(': ')[0].rstrip('.')}. {as_plain(picture.caption)} {queries} in the report."
