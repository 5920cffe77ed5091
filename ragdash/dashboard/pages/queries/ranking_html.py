"""Rankings of one query side by side, as HTML: what is looked for above, rank by rank below. No streamlit here.

Texts of files are escaped; colours come from the theme, with a word beside each.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ragdash.analysis.query_rankings import Ranking
from ragdash.core.text.word_diff import Spans
from ragdash.dashboard.widgets.texts import block, highlighted, tint
from ragdash.reporting.plots.common.theme import Look, Theme
from ragdash.reporting.sentences.fmt import UNDEFINED, count, number

LONG = 1_200  # characters of a chunk in a cell
READ = 50  # ranks whose texts are sent with the table
NARROW, RANK, NAMED = 210, 44, 180  # pixels of a run's column, of the ranks' and of the names'
PLACE = 84  # pixels of a column with ranks alone


@dataclass(frozen=True, eq=False)
class Column:
    """One run: its mark, its ranking (None: it lacks the query), what of it covers the evidence and where.

    covers: {document: numbers of the gold spans}; places: {document: (start, stop) in its text}; compared: ranks that
    were laid beside the spans, 0 where nothing could be; only: documents that no other run has among its first k;
    before: {document: rank in the baseline}, None for the baseline itself. anchors: {chunk: id of its place on the
    page}; anchored: those whose place is in the table; judged: {chunk: (words, whether they are a yes, reason)}.
    """

    name: str
    look: Look
    ranking: Ranking | None
    covers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    places: Mapping[str, Spans] = field(default_factory=dict)
    compared: int = 0
    only: frozenset[str] = frozenset()
    before: Mapping[str, int] | None = None
    anchors: Mapping[str, str] = field(default_factory=dict)
    anchored: frozenset[str] = frozenset()
    judged: Mapping[str, Sequence[tuple[str, bool, str]]] = field(default_factory=dict)

    @property
    def head(self) -> str:
        """The run's mark and name."""
        return f'<span style="color:{self.look.color}">{self.look.sign}</span> {html.escape(self.name)}'


def chip(text: str, color: str, title: str = "", *, filled: bool = False) -> str:
    """Words in a small frame."""
    ground = f"background:{tint(color, 0.18)};" if filled else ""
    return (f'<span title="{html.escape(title)}" style="{ground}border:1px solid {color};border-radius:4px;'
            f'padding:0 5px;display:inline-block;max-width:100%;font-size:12px">{html.escape(text)}</span>')


def wanted(columns: Sequence[Column], grades: Mapping[str, int], spans: Sequence[tuple[str, str | None]], k: int,
           theme: Theme, limit: int = 20) -> str:
    """What should be found, and where each run has it: relevant documents and gold spans down, runs across."""
    head = "".join(f'<th scope="col" style="{cell(theme)}text-align:left;min-width:{PLACE}px;overflow-wrap:anywhere">'
                   f"{column.head}</th>" for column in columns)
    rows = []
    good = [doc for doc, grade in grades.items() if grade >= 1]
    for doc in good[:limit]:
        name = f"{chip(f'grade {grades[doc]}', theme.better, filled=True)} {html.escape(doc)}"
        cells = "".join(_place(_rank(column, doc), column, k, theme) for column in columns)
        rows.append(row(name, cells, theme))
    for span_number, (text, _) in enumerate(spans[:limit], 1):
        excerpt = html.escape(text[:160]) + (" …" if len(text) > 160 else "")
        ranks = [
            min(
                (_rank(column, doc) or np.inf for doc, numbers in column.covers.items() if span_number in numbers),
                default=None,
            )
            for column in columns
        ]
        cells = "".join(_place(rank, column, k, theme, _uncovered(column)) for rank, column in zip(ranks, columns,
                        strict=True))
        rows.append(row(f"{chip(f'evidence {span_number}', theme.muted)} “{excerpt}”", cells, theme))
    if not rows:
        return ""
    return scroll("What should be found, and its rank in each run", f"<thead><tr>{first('What should be found', theme)}"
                   f"{head}</tr></thead><tbody>{''.join(rows)}</tbody>", NAMED + PLACE * len(columns), theme)


def _uncovered(column: Column) -> str:
    """What is said where no document is known to cover a span."""
    if not column.compared and column.ranking is not None and column.ranking.depth:
        return "not known"
    deeper = column.ranking is not None and column.ranking.depth > column.compared
    return f"not in the first {column.compared}" if deeper else "not covered"


def rankings(columns: Sequence[Column], ranks: int, theme: Theme, read: int = READ) -> str:
    """The first ranks of every run, a row per rank; texts open by a click for the first `read` of them."""
    heads = "".join(f'<th scope="col" style="{cell(theme)}text-align:left">{column.head}{_told(column)}</th>'
                    for column in columns)
    cells = [_cells(column, ranks, theme, read) for column in columns]
    deepest = max((len(run_cells) for run_cells in cells), default=0)
    stick = f"position:sticky;left:0;background:{theme.paper};width:{RANK}px;text-align:right;color:{theme.muted};"
    body = "".join(
        f'<tr><th scope="row" style="{cell(theme)}{stick}font-weight:400">{index + 1:,}</th>'
        + "".join(
            run_cells[index] if index < len(run_cells) else f'<td style="{cell(theme)}"></td>' for run_cells in cells
        )
        + "</tr>"
        for index in range(deepest)
    )
    return scroll("Rankings side by side", f'<thead><tr><th scope="col" style="{cell(theme)}{stick}">Rank</th>{heads}'
                   f"</tr></thead><tbody>{body}</tbody>", RANK + NARROW * len(columns), theme, fixed=True)


def _told(column: Column) -> str:
    """How long the ranking is, below the run's name."""
    note = "has no ranking for this query" if column.ranking is None else "returned nothing" \
        if not column.ranking.depth else count(column.ranking.depth, "document")
    return f'<div style="font-weight:400;font-size:12px;opacity:.8">{note}</div>'


def _cells(column: Column, ranks: int, theme: Theme, read: int) -> list[str]:
    ranking = column.ranking
    if ranking is None:
        return []
    rows = ranking.first(ranks)
    duplicates = {ranking.docs[row]: 0 for row in np.flatnonzero(ranking.repeated)}
    for row in np.flatnonzero(ranking.repeated):
        duplicates[ranking.docs[row]] += 1
    texts = [*ranking.texts(rows[:read]), *[None] * max(len(rows) - read, 0)]
    return [_document(column, ranking, int(row), text, duplicates.get(ranking.docs[row], 0), theme)
            for row, text in zip(rows, texts, strict=True)]


def _document(column: Column, ranking: Ranking, row: int, text: str | None, duplicates: int, theme: Theme) -> str:
    doc, grade = ranking.docs[row], ranking.grades[row]
    name = f'<b style="overflow-wrap:anywhere;font-weight:600">{html.escape(doc[:200])}</b>'
    anchor_attributes = f'class="rd-chunk" id="{column.anchors[doc]}" tabindex="-1" ' if doc in column.anchored else ""
    if text is None:
        name = f"<div {anchor_attributes}>{name}</div>" if anchor_attributes else name
    else:
        marked = highlighted(text, list(column.places.get(doc, ())), theme.better, "covers the evidence", LONG)
        name = (
            f'<details><summary style="cursor:pointer">{name}</summary><div {anchor_attributes}style="font-size:13px;'
            f'margin:4px 0">{block(marked)}</div></details>'
        )
    chips = [chip("unjudged", theme.muted, "no grade is known") if np.isnan(grade) else
             chip(f"grade {grade:.0f}", theme.better if grade >= 1 else theme.worse,
                  "relevant" if grade >= 1 else "judged not relevant", filled=grade >= 1)]
    chips += [chip("evidence " + ", ".join(map(str, column.covers[doc])), theme.better, "covers this gold span",
                   filled=True)] if doc in column.covers else []
    chips += [chip(f"duplicate ×{duplicates}", theme.worse, "stands again further down, where it does not count")
              ] if duplicates else []
    chips += [chip(words, theme.better if yes else theme.worse, reason, filled=yes)
              for words, yes, reason in column.judged.get(doc, ())]
    chips += [chip("only here", theme.ink, "no other run shown has it among its first k")] if doc in column.only else []
    small = [] if ranking.scores is None else [f"score {number(float(ranking.scores[row]), 4).rstrip('0').rstrip('.')}"]
    small += [_moved(column.before.get(doc), int(ranking.rank[row]))] if column.before is not None else []
    ground = f"background:{tint(theme.better, 0.10)};" if grade >= 1 else ""
    details = f'<span style="font-size:12px;color:{theme.muted}">{" · ".join(small)}</span>'
    return (f'<td dir="auto" style="{cell(theme)}{ground}">{name}<div style="display:flex;flex-wrap:wrap;gap:4px;'
            f'align-items:center;margin-top:2px">{"".join(chips)}{details}</div></td>')


def _moved(baseline_rank: int | None, rank: int) -> str:
    """How a document moved from its rank in the baseline."""
    if baseline_rank is None:
        return "new"
    return "same rank" if baseline_rank == rank else f"{'↑' if rank < baseline_rank else '↓'} from {baseline_rank:,}"


def _rank(column: Column, doc: str) -> int | None:
    if column.ranking is None or doc not in column.ranking.docs:
        return None
    return int(column.ranking.rank[column.ranking.docs.index(doc)])


def _place(rank: float | None, column: Column, k: int, theme: Theme, none: str = "not returned") -> str:
    """A rank as a cell: strong within the first k, with a word where it is deeper or nowhere."""
    if rank is None:
        text, style = f'{UNDEFINED} <small style="white-space:nowrap">{none}</small>', f"color:{theme.worse}"
    elif rank <= k:
        text, style = f"<b>{rank:,}</b>", ""
    else:
        text, style = f'{rank:,} <small style="white-space:nowrap">below {k}</small>', f"color:{theme.worse}"
    return f'<td style="{cell(theme)}{style}">{text}</td>'


def first(text: str, theme: Theme) -> str:
    """The head of the names, which stay in view while the runs scroll by."""
    return (f'<th scope="col" style="{cell(theme)}text-align:left;min-width:{NAMED}px;{_still(theme)}">'
            f"{html.escape(text)}</th>")


def _still(theme: Theme) -> str:
    return f"position:sticky;left:0;background:{theme.paper}"


def row(name: str, cells: str, theme: Theme) -> str:
    style = (f"{cell(theme)}text-align:left;font-weight:400;overflow-wrap:anywhere;max-width:520px;"
             f"{_still(theme)}")
    return f'<tr><th scope="row" dir="auto" style="{style}">{name}</th>{cells}</tr>'


def cell(theme: Theme) -> str:
    return f"border:0;border-bottom:1px solid {theme.grid};padding:6px 8px;vertical-align:top;color:{theme.ink};"


def scroll(label: str, inner: str, width: int, theme: Theme, fixed: bool = False) -> str:
    """A table that scrolls sideways by itself where the page is too narrow for it."""
    layout = "table-layout:fixed;" if fixed else ""
    return (f'<div role="region" tabindex="0" aria-label="{label}" style="overflow-x:auto">'
            f'<table style="border-collapse:collapse;width:100%;min-width:{width}px;{layout}font-size:14px;'
            f'line-height:1.45;color:{theme.ink}">{inner}</table></div>')
