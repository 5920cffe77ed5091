"""Judge verdicts on one query as HTML: values by run, and claims with links to the chunks that support them.

Verdicts quote the texts of files, and both may contain markup, so everything is escaped. Does not import streamlit.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence

from ragdash.core.text.quoted import cut_end
from ragdash.dashboard.pages.queries.ranking_html import (
    NAME_COLUMN,
    RankingColumn,
    cell_style,
    chip,
    name_header,
    scrollable_table,
    table_row,
)
from ragdash.dashboard.widgets.texts import paragraph_html, tint
from ragdash.evaluation.scoring.claims import (
    ANSWER,
    REFERENCE,
    Claim,
    JudgedValue,
    JudgeFindings,
    count_supported_claims,
)
from ragdash.matching.views.panel_verdicts import UNDEFINED_WHY
from ragdash.models.judge.tasks import TASKS, Case
from ragdash.reporting.plots.common.theme import Theme
from ragdash.reporting.sentences import judge
from ragdash.reporting.sentences.formatting import UNDEFINED, count, number

LONGEST_REASON = 4_000  # characters shown of a judge's reason, or of a claim
LONGEST_CHUNK = 1_200  # characters shown of a chunk
MOST_CLAIMS = 100  # claims shown of a text
CARD_WIDTH = "min(280px, 84%)"  # on a narrow screen, the edge of the next card stays visible
CLAIM_TITLES = {ANSWER: "Claims of the answer", REFERENCE: "Claims of the reference"}
NO_CLAIMS = {ANSWER: "The judge found no claim in the answer.", REFERENCE: ""}


def chunk_anchors(case: Case, index: int) -> dict[str, str]:
    """HTML id of each chunk of a run. index: of the run among those shown."""
    return {chunk: f"chunk-{index + 1}-{n}" for n, (chunk, _) in enumerate(case.contexts or (), 1)}


def chunk_labels(findings: JudgeFindings, chunks: Iterable[str]) -> dict[str, list[tuple[str, bool, str]]]:
    """Labels of each chunk from the judge's findings: (text, whether it is positive, reason)."""
    helps = count_supported_claims(findings.claims)
    return {chunk: judge.chunk_verdicts(findings.chunks.get(chunk), helps.get(chunk, 0)) for chunk in chunks}


def target_style(theme: Theme) -> str:
    """CSS that highlights the chunk a link jumped to."""
    return (f"<style>.rd-chunk{{scroll-margin:96px 0 0 60px}}.rd-chunk:target,td:has(>details .rd-chunk:target),"
            f"td:has(>.rd-chunk:target){{outline:3px solid {theme.better};outline-offset:-2px;"
            f"background:{tint(theme.better, 0.2)}!important}}</style>")


def values_table(columns: Sequence[RankingColumn], findings: Sequence[JudgeFindings], theme: Theme) -> str:
    """Table of the judged metrics: metrics in rows, runs in columns; those of RAGChecker are collapsed."""
    judged_names = {value.metric for run_findings in findings for value in run_findings.values}
    names = [name for name in TASKS if name in judged_names]
    plain_names = [name for name in names if not name.startswith("RAGChecker.")]
    family = [name for name in names if name not in plain_names]
    blocks = [_values_table(plain_names, findings, columns, theme)] if plain_names else []
    if family:
        table = _values_table(family, findings, columns, theme)
        blocks.append(
            f'<details style="margin-top:8px"><summary style="cursor:pointer">'
            f"{count(len(family), 'share')} of RAGChecker</summary>{table}</details>"
            if plain_names
            else table
        )
    return "".join(blocks)


def _values_table(names: Sequence[str], findings: Sequence[JudgeFindings], columns: Sequence[RankingColumn],
                  theme: Theme) -> str:
    values_by_run = [{value.metric: value for value in run_findings.values} for run_findings in findings]
    left_aligned = f'style="{cell_style(theme)}text-align:left'
    head = "".join(f'<th scope="col" {left_aligned}">{column.header}</th>' for column in columns)
    rows = [
        table_row(
            html.escape(judge.metric_title(name)),
            "".join(_value_cell(run_values.get(name), findings, theme) for run_values in values_by_run),
            theme,
        )
        for name in names
    ]
    table = (f"<thead><tr>{name_header('Judged metric', theme)}{head}</tr></thead>"
             f"<tbody>{''.join(rows)}</tbody>")
    return scrollable_table("Values of the judged metrics", table, NAME_COLUMN + 130 * len(columns), theme)


def _value_cell(value: JudgedValue | None, findings: Sequence[JudgeFindings], theme: Theme) -> str:
    if value is None:
        return f'<td style="{cell_style(theme)}color:{theme.muted}">{UNDEFINED} <small>not judged</small></td>'
    state = "undefined" if value.missing in UNDEFINED_WHY else "missing"
    small = [f"{state}: {value.missing}"] if value.missing else []
    small += [judge.FLAGS.get(flag, flag) for flag in value.flags]
    small += [value.reason] if value.reason else []
    small += [version] if (version := judge.value_version(value, findings)) else []
    details = "".join(f'<div dir="auto" style="font-size:12px;color:{theme.muted};overflow-wrap:anywhere">'
                   f"{_shortened(text)}</div>" for text in small)
    return f'<td style="{cell_style(theme)}"><b>{number(value.value)}</b>{details}</td>'


def _shortened(text: str, limit: int = LONGEST_REASON) -> str:
    return html.escape(cut_end(text, limit))


def claim_cards(columns: Sequence[RankingColumn], cases: Sequence[Case], findings: Sequence[JudgeFindings],
                theme: Theme) -> str:
    """Claims of every run side by side, with the contexts that are not in the table of rankings."""
    run_cards = "".join(
        f'<div style="flex:1 0 {CARD_WIDTH};min-width:0"><b>{column.header}</b>'
        f"{_claim_card(column, case, run_findings, theme)}</div>"
        for column, case, run_findings in zip(columns, cases, findings, strict=True)
    )
    return ('<div role="region" tabindex="0" aria-label="Claims of each run with their verdicts" style="display:flex;'
            f'gap:20px;overflow-x:auto;font-size:14px;line-height:1.45;color:{theme.ink}">{run_cards}</div>')


def _claim_card(column: RankingColumn, case: Case, findings: JudgeFindings, theme: Theme) -> str:
    def link_to(chunk: str) -> str:
        anchor = column.anchors.get(chunk)
        name = html.escape(chunk[:200])
        return f'<a href="#{anchor}" style="color:{theme.better};overflow-wrap:anywhere">{name}</a>' if anchor else name

    blocks = []
    for text_kind, claims in ((ANSWER, findings.answer), (REFERENCE, findings.reference)):
        if claims:
            yes = sum(claim.contexts is not None and claim.contexts.yes for claim in claims)
            judged_count = sum(claim.contexts is not None for claim in claims)
            support = f" · {yes} of {judged_count} supported by the contexts" if judged_count else ""
            blocks.append(f'<div style="margin-top:12px;color:{theme.muted}">{CLAIM_TITLES[text_kind]}{support}</div>'
                         f"{_claim_list(claims, text_kind, link_to, theme)}")
        elif any("vacuous" in value.flags for value in findings.values) and text_kind == ANSWER:
            blocks.append(_muted(f"{NO_CLAIMS[text_kind]} That counts as faithful.", theme))
    blocks += [_generated_questions(findings, theme)] if findings.generated_questions else []
    blocks += [_hidden_contexts(column, case, findings, theme)]
    return "".join(blocks) if any(blocks) else _muted("No claims requested." if findings.values else
                                                      "No verdicts on this run.", theme)


def _claim_list(claims: Sequence[Claim], text_kind: str, link_to: Callable[[str], str], theme: Theme) -> str:
    rows = []
    for claim in claims[:MOST_CLAIMS]:
        chips = _chips(judge.claim_verdicts(claim, text_kind), theme)
        lines = []
        if claim.chunks:
            contradicted = claim.contexts is not None and claim.contexts.verdict == "contradicted"
            lines.append(
                f"{'contradicted by' if contradicted else 'supported by'} {', '.join(map(link_to, claim.chunks))}"
            )
        if claim.entailed_by and claim.entailed_by != claim.chunks:
            lines.append(
                f"{'read alone: ' if claim.chunks else 'supported by '}{', '.join(map(link_to, claim.entailed_by))}"
            )
        lines += [
            _shortened(verdict.reason)
            for verdict in (claim.contexts, claim.other_text)
            if verdict is not None and verdict.reason
        ]
        small = "".join(f'<div dir="auto" style="overflow-wrap:anywhere">{line}</div>' for line in dict.fromkeys(lines))
        rows.append(f'<li style="margin:6px 0"><div dir="auto" style="overflow-wrap:anywhere">'
                    f'{_shortened(claim.text)}</div>'
                    f'<div style="display:flex;flex-wrap:wrap;gap:4px;margin:2px 0">{chips}</div>'
                    f'<div style="font-size:12px;color:{theme.muted}">{small}</div></li>')
    remainder = _muted(f"and {len(claims) - MOST_CLAIMS:,} more", theme) if len(claims) > MOST_CLAIMS else ""
    return f'<ol style="padding-left:1.4em;margin:0">{"".join(rows)}</ol>{remainder}'


def _chips(labels: Iterable[tuple[str, bool, str]], theme: Theme) -> str:
    return " ".join(chip(words, theme.better if yes else theme.worse, reason[:LONGEST_REASON], filled=yes)
                    for words, yes, reason in labels)


def _generated_questions(findings: JudgeFindings, theme: Theme) -> str:
    rows = "".join(f'<li dir="auto" style="overflow-wrap:anywhere">{_shortened(text)}'
                   f'{" (evasive)" if evasive else ""}</li>' for text, evasive in findings.generated_questions)
    return (f'<details style="margin-top:8px"><summary style="cursor:pointer">Questions this answer would answer'
            f'</summary><ul style="padding-left:1.4em;margin:0">{rows}</ul></details>')


def _hidden_contexts(column: RankingColumn, case: Case, findings: JudgeFindings, theme: Theme) -> str:
    """Contexts that are not in the table of rankings, collapsed; a link opens them."""
    labels = chunk_labels(findings, (chunk for chunk, _ in case.contexts or ()))
    rows = []
    for chunk, text in case.contexts or ():
        if chunk in column.anchors_shown:
            continue
        rows.append(f'<li class="rd-chunk" id="{column.anchors[chunk]}" tabindex="-1" style="margin:6px 0">'
                    f'<b style="overflow-wrap:anywhere">{html.escape(chunk[:200])}</b> {_chips(labels[chunk], theme)}'
                    f"{paragraph_html(_shortened(text, LONGEST_CHUNK))}</li>")
    if not rows:
        return ""
    return (f'<details style="margin-top:8px"><summary style="cursor:pointer">{count(len(rows), "context")} '
            'not among the ranks shown</summary><ol style="padding-left:1.4em;margin:0">'
            f'{"".join(rows)}</ol></details>')


def _muted(text: str, theme: Theme) -> str:
    return f'<div style="font-size:13px;color:{theme.muted};margin-top:4px">{html.escape(text)}</div>'
