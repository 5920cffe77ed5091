"""How retrieval changes with the cutoff, and the rank of the first relevant document."""

from __future__ import annotations

from functools import partial

import numpy as np

from ragdash.core.terms import tooltip
from ragdash.metrics import METRICS
from ragdash.reporting.html import cells
from ragdash.reporting.html.blocks import Figure, Heading, Section, Table, Text
from ragdash.reporting.html.content import ReportContent
from ragdash.reporting.plots import precision_recall
from ragdash.reporting.plots import ranking as plots
from ragdash.reporting.plots.common import arrays
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.runs.rankings import first_rank_sentence

NO_DOCUMENT = "No run returns a document, so there is no cutoff to look at."


def by_cutoff(content: ReportContent, title: str) -> Section:
    """Precision and recall at every cutoff, and one against the other."""
    if not any(match.run.depth for match in content.request.matches):
        return Section("curves", title, missing=NO_DOCUMENT)
    run_curves, marked = content.cutoff_curves(("P", "R")), min(content.request.k, content.depth)
    blocks = []
    for name in ("P", "R"):
        metric, mean = METRICS[name], np.array([curve.mean[name] for curve in run_curves])
        low, high = (np.array([getattr(curve, side)[name] for curve in run_curves]) for side in ("low", "high"))
        draw = partial(precision_recall.by_cutoff, content.names, content.slots, run_curves[0].ks, mean,
                       run_curves[0].interval_ks, low, high, axis=axis_of(metric.spec()), cutoff=marked)
        blocks += [Heading(f"{metric.title}@k"), Figure(
            f"curve-{name}", f"{metric.title}@k", fmt.curve_alt_text(metric.title, content.names, mean[:, marked - 1],
                                                                 marked) + ".",
            lambda theme, draw=draw: draw(theme=theme), _at_round_cutoffs(content, run_curves, name),
            f"Mean over {fmt.query_range([curve.n[name] for curve in run_curves])} with 95% confidence bands.")]
    precision, recall = (np.array([curve.mean[name] for curve in run_curves]) for name in ("P", "R"))
    blocks += [Heading("Trade-off"), Figure(
        "trade-off", "Precision against recall", "Mean precision against mean recall, from k = 1 to the deepest rank.",
        lambda theme: precision_recall.trade_off(content.names, content.slots, run_curves[0].ks, precision, recall,
                                                 cutoff=marked, theme=theme),
        caption=f"Each curve starts at k = 1; small marks are at round cutoffs, the large one at k = {marked}. "
                + tooltip("precision_recall_area"))]
    return Section("curves", title, blocks)


def _at_round_cutoffs(content: ReportContent, run_curves: list, name: str) -> Table:
    ks = arrays.cutoffs_until(content.depth)
    columns = np.searchsorted(run_curves[0].ks, ks)
    rows = [[run, *(fmt.number(value) for value in curve.mean[name][columns])]
            for run, curve in zip(content.names, run_curves, strict=True)]
    return Table(f"Mean {METRICS[name].title} at round cutoffs", ["Run", *(f"k = {k:,}" for k in ks)], rows,
                frozenset(range(1, len(ks) + 1)), folded=True)


def ranking(content: ReportContent, title: str) -> Section:
    """MRR and NDCG at the round cutoffs, and how the ranks of the first relevant documents are distributed."""
    if not any(match.run.depth for match in content.request.matches):
        return Section("ranking", title, missing=NO_DOCUMENT)
    ks = arrays.cutoffs_until(content.depth)
    specs = [METRICS[name].spec(int(k)) for name in ("RR", "nDCG") for k in ks]
    rows = content.summarize(content.evaluate(specs))
    mean, low, high = cells.summary_arrays(rows)
    blocks = []
    for index, name in enumerate(("RR", "nDCG")):
        columns, metric = slice(index * len(ks), (index + 1) * len(ks)), METRICS[name]
        draw = partial(
            plots.at_cutoffs,
            content.names,
            content.slots,
            ks,
            mean[:, columns],
            low[:, columns],
            high[:, columns],
            axis=axis_of(metric.spec()),
        )
        table = Table(f"{metric.title} at each cutoff with its 95% interval", ["Run", *(f"k = {k:,}" for k in ks)],
                     [[run, *(f"{fmt.number(summary.mean)} {fmt.interval(summary)}" for summary in row[columns])]
                      for run, row in zip(content.names, rows, strict=True)], frozenset(range(1, len(ks) + 1)), True)
        blocks += [Heading(f"{metric.title}@k"), Figure(
            f"at-{name}", f"{metric.title}@k",
            fmt.curve_alt_text(metric.title, content.names, mean[:, columns][:, -1], int(ks[-1])) + ".",
            lambda theme, draw=draw: draw(theme=theme), table,
            f"Mean over {fmt.query_range([row[columns][0].n for row in rows])} with 95% intervals.")]
    return Section("ranking", title, [*blocks, *_first_rank(content)])


def _first_rank(content: ReportContent) -> list:
    first = [np.concatenate([_first_ranks(match, content.selected) for match in repeats])
             for repeats in content.request.repeats]
    if not any(len(ranks) for ranks in first):
        return [Text("No query has a relevant document, so there is no first one.")]
    edges, labels = arrays.rank_bins(content.depth)
    bins = [*labels, "none"]
    shares = np.array([arrays.rank_shares(ranks, edges) for ranks in first])
    counts = [len(ranks) // len(repeats) for ranks, repeats in zip(first, content.request.repeats, strict=True)]
    on_top, missed = (METRICS["Success"].spec(k) for k in (1, content.depth))
    first_shares = [row[0] for row in content.summarize(content.evaluate([on_top]))]
    sentence = first_rank_sentence(content.names, shares[:, 0], shares[:, -1], first_shares,
                                   content.pairs_of_rankings(on_top, int(np.argmax(shares[:, 0]))),
                                   content.pairs_of_rankings(missed, int(np.argmin(shares[:, -1]))))
    table = Table("Share of queries by the rank of their first relevant document", ["Run", *bins],
                 [[run, *(fmt.percent(share, 1) for share in row)]
                  for run, row in zip(content.names, shares, strict=True)],
                 frozenset(range(1, len(bins) + 1)), folded=True)
    return [
        Heading("First relevant document"),
        Text(sentence),
        Figure(
            "first-rank",
            "First relevant document",
            fmt.strip_markdown(sentence),
            lambda theme: plots.first_rank(content.names, content.slots, bins, shares, theme=theme),
            table,
            f"{fmt.query_range(counts)} with a relevant document; “none”: no relevant "
            "document was returned at all.",
        ),
    ]


def _first_ranks(match, selected: np.ndarray) -> np.ndarray:
    """Rank of the first relevant document of each query that has one to find, NaN for none returned."""
    ranks = arrays.first_ranks(*match.ranked.hits(), match.ranked.queries)
    included = ~match.missing if match.conventions.missing == "skip" else np.ones(len(match.query_ids), bool)
    return ranks[included & selected & (match.ranked.relevant() > 0)]
