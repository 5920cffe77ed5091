"""Rankings of one query side by side as HTML: expected documents first, then rank by rank.

Texts of files are escaped. Colors come from the theme, always with a word next to them. Does not import streamlit.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ragdash.analysis.query_rankings import Ranking
from ragdash.core.text.quoted import cut_end, isolated
from ragdash.core.text.word_diff import Spans
from ragdash.dashboard.widgets.texts import highlighted_html, paragraph_html, tint
from ragdash.reporting.plots.common.theme import Look, Theme
from ragdash.reporting.sentences.formatting import UNDEFINED, count, escape, number

LONG = 1_200  # characters shown of a chunk in a cell
MOST_EXPECTED = 20  # relevant documents, and pieces of evidence, that are listed
TEXTS_SENT = 50  # ranks whose texts are sent to the browser with the table
RUN_COLUMN, RANK_HEADER, NAME_COLUMN = 210, 44, 180  # widths in pixels
NAME_WIDTH = "min(320px, 46vw)"  # of the column with what should be found, so that its texts take few lines
RANK_COLUMN, HALF_LETTER = 84, 5  # pixels: a column that contains only ranks; of a letter of a name on two lines


@dataclass(frozen=True, eq=False)
class RankingColumn:
    """One run: its marker, its ranking (None if it lacks the query), and which documents cover the evidence.

    Parameters
    ----------
    covers
        {document: numbers of the gold spans it covers}.
    spans
        {document: (start, stop) spans in its text that cover evidence}.
    compared_ranks
        Number of ranks compared with the gold spans; 0 if that was not possible.
    unique
        Documents that no other run has in its top k.
    baseline_ranks
        {document: rank in the baseline}; None for the baseline itself.
    anchors, anchors_shown
        {chunk: HTML id}, and the chunks whose anchor is in this table.
    chunk_labels
        {chunk: labels from the judge: (text, whether it is positive, reason)}.
    """

    name: str
    look: Look
    ranking: Ranking | None
    covers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    spans: Mapping[str, Spans] = field(default_factory=dict)
    compared_ranks: int = 0
    unique: frozenset[str] = frozenset()
    baseline_ranks: Mapping[str, int] | None = None
    anchors: Mapping[str, str] = field(default_factory=dict)
    anchors_shown: frozenset[str] = frozenset()
    chunk_labels: Mapping[str, Sequence[tuple[str, bool, str]]] = field(default_factory=dict)

    @property
    def header(self) -> str:
        """Marker and name of the run."""
        return f'<span style="color:{self.look.color}">{self.look.sign}</span> {html.escape(self.name)}'


def chip(text: str, color: str, title: str = "", *, filled: bool = False) -> str:
    """A short label in a frame."""
    ground = f"background:{tint(color, 0.18)};" if filled else ""
    return (f'<span title="{html.escape(title)}" style="{ground}border:1px solid {color};border-radius:4px;'
            f'padding:0 5px;display:inline-block;max-width:100%;font-size:12px">{html.escape(text)}</span>')


def expected_table(
    columns: Sequence[RankingColumn],
    grades: Mapping[str, int],
    spans: Sequence[tuple[str, str | None]],
    k: int,
    theme: Theme,
) -> str:
    """Relevant documents and gold spans in rows, with their rank in each run in columns; "" if there are none.

    The highest grade is first, and within a grade the document with the best rank in a run. At most MOST_EXPECTED of
    each are listed.
    """
    width = int(max(RANK_COLUMN, 20 + HALF_LETTER * max((len(column.name) for column in columns), default=0)))
    head = "".join(
        f'<th scope="col" style="{cell_style(theme)}text-align:left;min-width:{width}px;overflow-wrap:anywhere">'
        f"{column.header}</th>"
        for column in columns
    )
    rows = []
    best_rank = {doc: min((_rank(column, doc) or np.inf for column in columns), default=np.inf)
                 for doc, grade in grades.items() if grade >= 1}
    for doc in sorted(best_rank, key=lambda doc: (-grades[doc], best_rank[doc]))[:MOST_EXPECTED]:
        name = f"{chip(f'grade {grades[doc]}', theme.better, filled=True)} {html.escape(doc)}"
        cells = "".join(_rank_cell(_rank(column, doc), column, k, theme) for column in columns)
        rows.append(table_row(name, cells, theme))
    for span_number, (text, _) in enumerate(spans[:MOST_EXPECTED], 1):
        excerpt = html.escape(isolated(cut_end(text, 160)))
        ranks = [
            min(
                (_rank(column, doc) or np.inf for doc, numbers in column.covers.items() if span_number in numbers),
                default=None,
            )
            for column in columns
        ]
        cells = "".join(
            _rank_cell(rank, column, k, theme, _uncovered_text(column))
            for rank, column in zip(ranks, columns, strict=True)
        )
        rows.append(table_row(f"{chip(f'evidence {span_number}', theme.muted)} “{excerpt}”", cells, theme))
    if not rows:
        return ""
    return scrollable_table(
        "What should be found, and its rank in each run",
        f"<thead><tr>{name_header('What should be found', theme)}{head}</tr></thead><tbody>{''.join(rows)}</tbody>",
        NAME_COLUMN + width * len(columns),
        theme,
    )


def _uncovered_text(column: RankingColumn) -> str:
    """Cell text if no document is known to cover a span."""
    if not column.compared_ranks and column.ranking is not None and column.ranking.depth:
        return "unknown"
    deeper = column.ranking is not None and column.ranking.depth > column.compared_ranks
    return f"not in the top {column.compared_ranks}" if deeper else "not covered"


def rankings_table(columns: Sequence[RankingColumn], ranks: int, theme: Theme, read: int = TEXTS_SENT) -> str:
    """The top ranks of every run, one row per rank; the texts of the first `read` ranks open on click."""
    heads = "".join(
        f'<th scope="col" style="{cell_style(theme)}text-align:left">{column.header}{_ranking_length(column)}</th>'
        for column in columns
    )
    cells = [_document_cells(column, ranks, theme, read) for column in columns]
    deepest = max((len(run_cells) for run_cells in cells), default=0)
    stick = (
        f"position:sticky;left:0;background:{theme.paper};width:{RANK_HEADER}px;text-align:right;color:{theme.muted};"
    )
    body = "".join(
        f'<tr><th scope="row" style="{cell_style(theme)}{stick}font-weight:400">{index + 1:,}</th>'
        + "".join(
            run_cells[index] if index < len(run_cells) else f'<td style="{cell_style(theme)}"></td>'
            for run_cells in cells
        )
        + "</tr>"
        for index in range(deepest)
    )
    return scrollable_table(
        "Rankings side by side",
        f'<thead><tr><th scope="col" style="{cell_style(theme)}{stick}">Rank</th>{heads}'
        f"</tr></thead><tbody>{body}</tbody>",
        RANK_HEADER + RUN_COLUMN * len(columns),
        theme,
        fixed=True,
    )


def _ranking_length(column: RankingColumn) -> str:
    """Number of documents returned, shown below the name of the run."""
    note = "no ranking for this query" if column.ranking is None else "nothing returned" \
        if not column.ranking.depth else count(column.ranking.depth, "document")
    return f'<div style="font-weight:400;font-size:12px;opacity:.8">{note}</div>'


def _document_cells(column: RankingColumn, ranks: int, theme: Theme, read: int) -> list[str]:
    ranking = column.ranking
    if ranking is None:
        return []
    rows = ranking.first(ranks)
    duplicates = {ranking.docs[row]: 0 for row in np.flatnonzero(ranking.repeated)}
    for row in np.flatnonzero(ranking.repeated):
        duplicates[ranking.docs[row]] += 1
    texts = [*ranking.texts(rows[:read]), *[None] * max(len(rows) - read, 0)]
    return [_document_cell(column, ranking, int(row), text, duplicates.get(ranking.docs[row], 0), theme)
            for row, text in zip(rows, texts, strict=True)]


def _document_cell(
    column: RankingColumn, ranking: Ranking, row: int, text: str | None, duplicates: int, theme: Theme
) -> str:
    doc, grade = ranking.docs[row], ranking.grades[row]
    name = f'<b style="overflow-wrap:anywhere;font-weight:600">{html.escape(doc[:200])}</b>'
    anchor_attributes = (
        f'class="rd-chunk" id="{column.anchors[doc]}" tabindex="-1" ' if doc in column.anchors_shown else ""
    )
    if text is None:
        name = f"<div {anchor_attributes}>{name}</div>" if anchor_attributes else name
    else:
        marked = highlighted_html(text, list(column.spans.get(doc, ())), theme.better, "covers the evidence", LONG)
        name = (
            f'<details><summary style="cursor:pointer">{name}</summary><div {anchor_attributes}style="font-size:13px;'
            f'margin:4px 0">{paragraph_html(marked)}</div></details>'
        )
    chips = [chip("unjudged", theme.muted, "no relevance judgment") if np.isnan(grade) else
             chip(f"grade {grade:.0f}", theme.better if grade >= 1 else theme.worse,
                  "relevant" if grade >= 1 else "judged not relevant", filled=grade >= 1)]
    chips += [chip("evidence " + ", ".join(map(str, column.covers[doc])), theme.better, "covers this gold span",
                   filled=True)] if doc in column.covers else []
    chips += [chip(f"duplicate ×{duplicates}", theme.worse, "repeated further down, where it does not count")
              ] if duplicates else []
    chips += [chip(words, theme.better if yes else theme.worse, reason, filled=yes)
              for words, yes, reason in column.chunk_labels.get(doc, ())]
    chips += [chip("only in this top k", theme.ink, "no other run shown has it in its top k")
              ] if doc in column.unique else []
    small = [] if ranking.scores is None else [f"score {number(float(ranking.scores[row]), 4).rstrip('0').rstrip('.')}"]
    small += (
        [_rank_change(column.baseline_ranks.get(doc), int(ranking.rank[row]))]
        if column.baseline_ranks is not None
        else []
    )
    ground = f"background:{tint(theme.better, 0.10)};" if grade >= 1 else ""
    details = f'<span style="font-size:12px;color:{theme.muted}">{" · ".join(small)}</span>'
    return (f'<td dir="auto" style="{cell_style(theme)}{ground}">{name}<div style="display:flex;flex-wrap:wrap;gap:4px;'
            f'align-items:center;margin-top:2px">{"".join(chips)}{details}</div></td>')


def moves_note(baseline: str) -> str:
    """What the signs next to a score mean, in Markdown."""
    return f"↑ ↓: the rank in {escape(baseline)}, the baseline. new: {escape(baseline)} does not return it."


def _rank_change(baseline_rank: int | None, rank: int) -> str:
    """Change from the rank in the baseline."""
    if baseline_rank is None:
        return "new"
    return "same rank" if baseline_rank == rank else f"{'↑' if rank < baseline_rank else '↓'} from {baseline_rank:,}"


def _rank(column: RankingColumn, doc: str) -> int | None:
    if column.ranking is None or doc not in column.ranking.docs:
        return None
    return int(column.ranking.rank[column.ranking.docs.index(doc)])


def _rank_cell(rank: float | None, column: RankingColumn, k: int, theme: Theme, none: str = "not returned") -> str:
    """Table cell with a rank: bold within the top k, with a note if it is deeper or missing."""
    if rank is None:
        text, style = f'{UNDEFINED} <small>{none}</small>', f"color:{theme.worse}"
    elif rank <= k:
        text, style = f"<b>{rank:,}</b>", ""
    else:
        text, style = f'{rank:,} <small>below {k}</small>', f"color:{theme.worse}"
    return f'<td style="{cell_style(theme)}white-space:nowrap;{style}">{text}</td>'


def name_header(text: str, theme: Theme) -> str:
    """Header of the first column, which stays in view while the runs scroll sideways."""
    return (f'<th scope="col" style="{cell_style(theme)}text-align:left;min-width:{NAME_WIDTH};{_sticky(theme)}">'
            f"{html.escape(text)}</th>")


def _sticky(theme: Theme) -> str:
    return f"position:sticky;left:0;background:{theme.paper}"


def table_row(name: str, cells: str, theme: Theme) -> str:
    """A table row with its name in the first column. name, cells: HTML."""
    style = (f"{cell_style(theme)}text-align:left;font-weight:400;overflow-wrap:anywhere;max-width:520px;"
             f"{_sticky(theme)}")
    return f'<tr><th scope="row" dir="auto" style="{style}">{name}</th>{cells}</tr>'


def cell_style(theme: Theme) -> str:
    """CSS of a table cell."""
    return f"border:0;border-bottom:1px solid {theme.grid};padding:6px 8px;vertical-align:top;color:{theme.ink};"


def scrollable_table(label: str, inner: str, width: int, theme: Theme, fixed: bool = False) -> str:
    """An HTML table that scrolls sideways if the page is too narrow."""
    layout = "table-layout:fixed;" if fixed else ""
    return (f'<div role="region" tabindex="0" aria-label="{label}" style="overflow-x:auto">'
            '<table style="border-collapse:separate;border-spacing:0;'  # collapsed lines vanish below the pinned column
            f'width:100%;min-width:{width}px;{layout}font-size:14px;line-height:1.45;color:{theme.ink}">{inner}</table>'
            "</div>")
