"""What judges said of one query as HTML: values by run, claims with links to the chunks that support them.

Judges quote texts of files, and both may hold markup: everything is escaped. No streamlit here.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence

from ragdash.dashboard.pages.queries.ranking_html import NAMED, Column, cell, chip, first, row, scroll
from ragdash.dashboard.widgets.texts import block, tint
from ragdash.evaluation.scoring.claims import ANSWER, REFERENCE, Claim, Heard, Value, supporting
from ragdash.models.judge.tasks import TASKS, Case
from ragdash.reporting.plots.common.theme import Theme
from ragdash.reporting.sentences import judge
from ragdash.reporting.sentences.fmt import UNDEFINED, count, number

LONG = 4_000  # characters of a judge's reason, or of a claim, that are shown
CHUNK = 1_200  # of a chunk
MOST = 100  # claims of a text that are shown
CARD = "min(280px, 84%)"  # where one fills the screen, the next one shows its edge
HEADS = {ANSWER: "Claims of the answer", REFERENCE: "Claims of the reference"}
NONE = {ANSWER: "The judge found no claim in the answer.", REFERENCE: ""}


def anchors(case: Case, at: int) -> dict[str, str]:
    """{chunk: the id of its place on the page} of the run with this number."""
    return {chunk: f"chunk-{at + 1}-{n}" for n, (chunk, _) in enumerate(case.contexts or (), 1)}


def said_of(heard: Heard, chunks: Iterable[str]) -> dict[str, list[tuple[str, bool, str]]]:
    """{chunk: (words, whether they are a yes, reason) of what the judge said of it}."""
    helps = supporting(heard.claims)
    return {chunk: judge.chunk_verdicts(heard.chunks.get(chunk), helps.get(chunk, 0)) for chunk in chunks}


def marking(theme: Theme) -> str:
    """How the chunk looks that a link has led to."""
    return (f"<style>.rd-chunk{{scroll-margin:96px 0 0 60px}}.rd-chunk:target,td:has(>details .rd-chunk:target),"
            f"td:has(>.rd-chunk:target){{outline:3px solid {theme.better};outline-offset:-2px;"
            f"background:{tint(theme.better, 0.2)}!important}}</style>")


def values(columns: Sequence[Column], heard: Sequence[Heard], theme: Theme) -> str:
    """The values of every metric that the judge was asked for: metrics down, runs across; RAGChecker's folded away."""
    known = [{one.metric: one for one in each.values} for each in heard]
    names = [name for name in TASKS if any(name in one for one in known)]
    own = [name for name in names if not name.startswith("RAGChecker.")]
    family = [name for name in names if name not in own]
    parts = [_values(own, known, columns, theme)] if own else []
    if family:
        table = _values(family, known, columns, theme)
        parts.append(f'<details style="margin-top:8px"><summary style="cursor:pointer">'
                     f'{count(len(family), "share")} of RAGChecker</summary>{table}</details>' if own else table)
    return "".join(parts)


def _values(names: Sequence[str], known: Sequence[Mapping[str, Value]], columns: Sequence[Column],
            theme: Theme) -> str:
    left = f'style="{cell(theme)}text-align:left'
    head = "".join(f'<th scope="col" {left}">{column.head}</th>' for column in columns)
    rows = [row(html.escape(judge.metric_title(name)), "".join(_value(one.get(name), theme) for one in known), theme)
            for name in names]
    return scroll("Values of the judged metrics", f"<thead><tr>{first('Judged metric', theme)}{head}</tr></thead>"
                  f"<tbody>{''.join(rows)}</tbody>", NAMED + 130 * len(columns), theme)


def _value(one: Value | None, theme: Theme) -> str:
    if one is None:
        return f'<td style="{cell(theme)}color:{theme.muted}">{UNDEFINED} <small>not judged</small></td>'
    small = [f"missing: {one.missing}"] if one.missing else []
    small += [judge.FLAGS.get(flag, flag) for flag in one.flags]
    small += [one.reason] if one.reason else []
    said = "".join(f'<div dir="auto" style="font-size:12px;color:{theme.muted};overflow-wrap:anywhere">'
                   f"{_text(text)}</div>" for text in small)
    return f'<td style="{cell(theme)}"><b>{number(one.value)}</b>{said}</td>'


def _text(text: str, limit: int = LONG) -> str:
    return html.escape(text[:limit]) + (" …" if len(text) > limit else "")


def cards(columns: Sequence[Column], cases: Sequence[Case], heard: Sequence[Heard], theme: Theme) -> str:
    """Every run's claims, side by side, and the contexts that stand nowhere above."""
    held = "".join(f'<div style="flex:1 0 {CARD};min-width:0"><b>{column.head}</b>{_card(column, case, one, theme)}'
                   "</div>" for column, case, one in zip(columns, cases, heard, strict=True))
    return ('<div role="region" tabindex="0" aria-label="Claims of each run with their verdicts" style="display:flex;'
            f'gap:20px;overflow-x:auto;font-size:14px;line-height:1.45;color:{theme.ink}">{held}</div>')


def _card(column: Column, case: Case, heard: Heard, theme: Theme) -> str:
    def to(chunk: str) -> str:
        place = column.anchors.get(chunk)
        name = html.escape(chunk[:200])
        return f'<a href="#{place}" style="color:{theme.better};overflow-wrap:anywhere">{name}</a>' if place else name

    parts = []
    for of, claims in ((ANSWER, heard.answer), (REFERENCE, heard.reference)):
        if claims:
            yes = sum(one.contexts is not None and one.contexts.yes for one in claims)
            asked = sum(one.contexts is not None for one in claims)
            told = f" · {yes} of {asked} supported by the contexts" if asked else ""
            parts.append(f'<div style="margin-top:12px;color:{theme.muted}">{HEADS[of]}{told}</div>'
                         f"{_list(claims, of, to, theme)}")
        elif any("vacuous" in one.flags for one in heard.values) and of == ANSWER:
            parts.append(_quiet(f"{NONE[of]} That counts as faithful.", theme))
    parts += [_asked_back(heard, theme)] if heard.asked_back else []
    parts += [_contexts(column, case, heard, theme)]
    return "".join(parts) if any(parts) else _quiet("No claims were asked for." if heard.values else
                                                    "The judge said nothing of this run.", theme)


def _list(claims: Sequence[Claim], of: str, to: Callable[[str], str], theme: Theme) -> str:
    rows = []
    for one in claims[:MOST]:
        chips = _chips(judge.claim_verdicts(one, of), theme)
        lines = []
        if one.chunks:
            against = one.contexts is not None and one.contexts.verdict == "contradicted"
            lines.append(f"{'contradicted by' if against else 'supported by'} {', '.join(map(to, one.chunks))}")
        if one.alone and one.alone != one.chunks:
            lines.append(f"{'read alone: ' if one.chunks else 'supported by '}{', '.join(map(to, one.alone))}")
        lines += [_text(held.reason) for held in (one.contexts, one.other) if held is not None and held.reason]
        small = "".join(f'<div dir="auto" style="overflow-wrap:anywhere">{line}</div>' for line in dict.fromkeys(lines))
        rows.append(f'<li style="margin:6px 0"><div dir="auto" style="overflow-wrap:anywhere">{_text(one.text)}</div>'
                    f'<div style="display:flex;flex-wrap:wrap;gap:4px;margin:2px 0">{chips}</div>'
                    f'<div style="font-size:12px;color:{theme.muted}">{small}</div></li>')
    more = _quiet(f"and {len(claims) - MOST:,} more", theme) if len(claims) > MOST else ""
    return f'<ol style="padding-left:1.4em;margin:0">{"".join(rows)}</ol>{more}'


def _chips(said: Iterable[tuple[str, bool, str]], theme: Theme) -> str:
    return " ".join(chip(words, theme.better if yes else theme.worse, reason[:LONG], filled=yes)
                    for words, yes, reason in said)


def _asked_back(heard: Heard, theme: Theme) -> str:
    rows = "".join(f'<li dir="auto" style="overflow-wrap:anywhere">{_text(text)}'
                   f'{" (evasive)" if evasive else ""}</li>' for text, evasive in heard.asked_back)
    return (f'<details style="margin-top:8px"><summary style="cursor:pointer">Questions that the answer would answer'
            f'</summary><ul style="padding-left:1.4em;margin:0">{rows}</ul></details>')


def _contexts(column: Column, case: Case, heard: Heard, theme: Theme) -> str:
    """The chunks that stand in no rank shown, folded away; a link opens them."""
    said = said_of(heard, (chunk for chunk, _ in case.contexts or ()))
    rows = []
    for chunk, text in case.contexts or ():
        if chunk in column.anchored:
            continue
        rows.append(f'<li class="rd-chunk" id="{column.anchors[chunk]}" tabindex="-1" style="margin:6px 0">'
                    f'<b style="overflow-wrap:anywhere">{html.escape(chunk[:200])}</b> {_chips(said[chunk], theme)}'
                    f"{block(_text(text, CHUNK))}</li>")
    if not rows:
        return ""
    return (f'<details style="margin-top:8px"><summary style="cursor:pointer">{count(len(rows), "context")} '
            'not among the ranks shown</summary><ol style="padding-left:1.4em;margin:0">'
            f'{"".join(rows)}</ol></details>')


def _quiet(text: str, theme: Theme) -> str:
    return f'<div style="font-size:13px;color:{theme.muted};margin-top:4px">{html.escape(text)}</div>'
