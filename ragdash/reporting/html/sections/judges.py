"""What judges said: whose verdicts, how many are missing and why, the worst queries with each claim and its chunk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from ragdash.core.errors import InputError, Unavailable
from ragdash.evaluation.compare import direction
from ragdash.evaluation.scoring.claims import ANSWER, REFERENCE, Claim, JudgeFindings, query_case, read_query_verdicts
from ragdash.matching.views.panel_verdicts import reason_counts, split_reasons
from ragdash.metrics import Spec
from ragdash.metrics.judged import judge_request
from ragdash.models.judge import default_verdict_store
from ragdash.models.judge.endpoint import Judge
from ragdash.models.local import default_score_cache
from ragdash.reporting.html import cells
from ragdash.reporting.html.blocks import Heading, JudgedClaim, QueryBlock, ReportDocument, Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.html.sections.judge_validation import label_blocks
from ragdash.reporting.html.sections.texts import query_field, question, shorten
from ragdash.reporting.sentences import judge as judge_sentences
from ragdash.reporting.sentences.formatting import UNDEFINED, number

WORST, RUNS, CLAIMS, CHUNKS = 3, 3, 8, 3  # shown at most: queries, runs, claims of a text, chunks
NONE = ("No metric in this report comes from an LLM judge. Run `ragdash judge` first, then name its metrics with "
        "--metrics, such as ClaimFaithfulness.")


def judged_specs(content: ReportContent) -> list[Spec]:
    """The metrics of the report that need a judge: those asked for, and the one that says whether answers are right."""
    return [spec for spec in dict.fromkeys([*content.request.specs, *content.evidence]) if spec.metric.view == "Judged"]


def judges(content: ReportContent, title: str) -> Section:
    """Whose verdicts the values are, what is missing, how far people's labels agree, the worst queries.

    Empty where no metric is judged; where the section was asked for by name, with that reason.
    """
    specs = judged_specs(content)
    if not specs:
        return Section("judges", title, missing="" if content.request.sections is None else NONE)
    evaluations = content.evaluate(specs)
    lines = judge_sentences.judge_sources(content.names, evaluations, specs)
    blocks: list = [Text("\n".join(f"- {line}" for line in lines))] if lines else []
    blocks += [Text("\n".join(f"- {line}" for line in lacking))] if (
        lacking := judge_sentences.unavailable_judged(content.names, evaluations, specs)) else []
    rows = [row for spec in specs for run in range(len(content.names)) if (row := _count_row(content, run, spec))]
    if rows:
        head = ["Run", "Metric", "n", "Undefined", "Missing", "To know"]
        blocks += [Table("Values of each run and metric; queries that their texts leave undefined, and verdicts that "
                        "are missing, by reason", head, rows, frozenset({2})),
                   Text("A verdict that failed is missing and does not count, neither for nor against.", quiet=True)]
    return Section("judges", title, [*blocks, *label_blocks(content, specs), *_worst(content, specs)])


def _count_row(content: ReportContent, run: int, spec: Spec) -> list | None:
    """A row of the table; None where the metric is unavailable."""
    try:
        verdicts = content.request.matches[run].judged.read(*judge_request(spec))
    except Unavailable:
        return None
    selected = np.flatnonzero(content.selected)
    unscored = [q for q in selected if np.isnan(verdicts.values[q])]
    missing_cells = [
        reason_counts(reasons) or UNDEFINED
        for reasons in split_reasons(verdicts.judgments[q].missing for q in unscored)
    ]
    flags = Counter(flag for q in selected for flag in verdicts.judgments[q].flags)
    return [
        cells.run_cell(content.names[run], content.slots[run]),
        spec.title,
        f"{len(selected) - len(unscored):,}",
        *missing_cells,
        judge_sentences.flag_counts(flags) or UNDEFINED,
    ]


def _worst(content: ReportContent, specs: Sequence[Spec]) -> list:
    """The queries with the lowest mean over the runs on the first metric that has a value, each with its claims."""
    spec = next((candidate for candidate in specs if any(row.n for row in content.metric_summaries(candidate))), None)
    if spec is None:
        return []
    values = np.stack([evaluation.column(spec) for evaluation in content.rows_of(spec)])
    defined = np.isfinite(values)
    mean = np.where(defined, values, 0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1) * direction(spec)
    mean[~defined.any(axis=0)] = np.inf
    worst = [int(row) for row in np.argsort(mean, kind="stable")[:WORST] if np.isfinite(mean[row])]
    runs = list(range(len(content.names)))[:RUNS]
    return [Heading(f"Worst {spec.title}"), *(_query(content, row, runs, spec, values[:, row]) for row in worst)]


def _query(content: ReportContent, row: int, runs: Sequence[int], spec: Spec, values: np.ndarray) -> QueryBlock:
    """A query with what each run answered, the claims of it and the chunks that the judge read."""
    name = content.evaluations[0].query_ids[row].as_py()
    values_text = ", ".join(f"{content.names[run]} {number(float(values[run]))}" for run in runs)
    claims, chunks = judged_claims(content, runs, name, [spec])
    answers = [
        (content.names[run], documents, shorten(content, query_field(content.request.matches[run].run, name, "answer")))
        for run, documents in zip(runs, chunks, strict=True)
    ]
    reference = query_field(content.truth, name, "answers") or []
    return QueryBlock(
        name,
        shorten(content, question(content, name, runs)),
        f"{spec.title}: {values_text}",
        (),
        answers,
        shorten(content, " / ".join(reference)),
        claims,
    )


def judged_claims(content: ReportContent, runs: Sequence[int], query_id: str,
          specs: Sequence[Spec]) -> tuple[list[list[JudgedClaim]], list[list[ReportDocument]]]:
    """(claims, chunks that were judged) of a query in each of these runs, by the judge whose verdicts the values of the
    first of these metrics are that has any.
    """
    query = content.truth.query_ids.index(query_id).as_py()
    cases = [query_case(content.request.matches[run], query) for run in runs]
    try:
        claims_by_judge = read_query_verdicts(cases, default_verdict_store(), default_score_cache())
    except InputError:  # the metrics themselves say so
        claims_by_judge = {}
    run_judges = (_judge(content, run, specs) for run in runs)
    all_claims = [
        claims_by_judge[judge][i] if judge in claims_by_judge else JudgeFindings() for i, judge in enumerate(run_judges)
    ]
    texts = [dict(case.contexts or ()) for case in cases]
    return (
        [
            [
                _claim(content, claim, side)
                for side in (ANSWER, REFERENCE)
                for claim in getattr(run_claims, side)[:CLAIMS]
            ]
            for run_claims in all_claims
        ],
        [_chunks(content, run_claims, contexts) for run_claims, contexts in zip(all_claims, texts, strict=True)],
    )


def _judge(content: ReportContent, run: int, specs: Sequence[Spec]) -> Judge | None:
    for spec in specs:
        with suppress(Unavailable):
            return content.request.matches[run].judged.read(*judge_request(spec)).judge
    return None


def _claim(content: ReportContent, claim: Claim, side: str) -> JudgedClaim:
    verdicts = judge_sentences.claim_verdicts(claim, side)
    reasons = [
        judgment.reason for judgment in (claim.contexts, claim.other_text) if judgment is not None and judgment.reason
    ]
    return JudgedClaim("the answer" if side == ANSWER else "the reference",
                       shorten(content, claim.text), " · ".join(words for words, _, _ in verdicts), all(
                           yes for _, yes, _ in verdicts) and bool(verdicts),
                       claim.supported_by[:CHUNKS], shorten(content, "; ".join(dict.fromkeys(reasons))))


def _chunks(content: ReportContent, run_claims: JudgeFindings, texts: dict[str, str]) -> list[ReportDocument]:
    """The chunks that support a claim, or that the judge found useful."""
    helps = Counter(chunk for claim in run_claims.claims for chunk in claim.supported_by)
    rows = [
        (chunk, judge_sentences.chunk_verdicts(run_claims.chunks.get(chunk), helps.get(chunk, 0))) for chunk in texts
    ]
    return [ReportDocument(None, chunk, " · ".join(words for words, _, _ in verdicts), shorten(content, texts[chunk]))
            for chunk, verdicts in rows if any(yes for _, yes, _ in verdicts)][:CHUNKS]
