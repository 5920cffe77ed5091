"""Two tools, two numbers: what other tools compute, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragdash.analysis.comparability.other_tools import TOOLS, Cause, Rules, ToolGap
from ragdash.analysis.comparability.other_tools.rules import STEPS
from ragdash.reporting.sentences.formatting import listed, number

_WORDS = {
    ("duplicates", "first"): "repeated documents are removed",
    ("duplicates", "ranks"): "repeated documents take up ranks and count once",
    ("duplicates", "count"): "repeated documents count each time",
    ("ties", "docid"): "equal scores are ordered by descending id",
    ("ties", "ascending"): "equal scores are ordered by ascending id",
    ("ties", "trec_eval"): "scores are compared in 32 bits, equal ones by descending id",
    ("ties", "file"): "equal scores stay in the order of the file",
    ("same_id", True): "documents with the id of their query are removed",
    ("gain", "linear"): "the gain is the grade",
    ("gain", "exp"): "the gain is 2^grade − 1",
    ("gain", "binary"): "every relevant document gains 1",
    ("ideal", "relevant"): "the ideal holds the best k relevant documents",
    ("ideal", "uncut"): "the ideal holds all relevant documents, also beyond k",
    ("ideal", "returned"): "the ideal is no longer than the results",
    ("ideal", "found"): "the ideal counts only retrieved documents",
    ("denominator", "k"): "divided by k, also where fewer were returned",
    ("denominator", "returned"): "divided by the results returned, not by k",
    ("denominator", "distinct"): "divided by the distinct results returned, not by k",
    ("denominator", "relevant"): "divided by all relevant documents",
    ("denominator", "found"): "divided by the relevant documents retrieved",
    ("per_document", True): "each relevant document is ranked for itself",
    ("every", True): "1 / rank is added up over all relevant results, not the first alone",
    ("queries", "judged"): "every judged query counts",
    ("queries", "run"): "queries that the run lacks are left out of the mean",
    ("queries", "returned"): "queries without results are left out of the mean",
    ("unanswerable", "zero"): "queries without a relevant document count 0",
    ("unanswerable", "judged"): "queries with judgments but without a relevant document count 0",
    ("unanswerable", "skip"): "queries without a relevant document are left out",
}


def rule_text(choice: str, value: object) -> str:
    """What a tool does, in words.

    Examples
    --------
    >>> rule_text("ideal", "found"), rule_text("decimals", 5)
    ('the ideal counts only retrieved documents', 'the mean is rounded to 5 decimals')
    """
    if choice == "decimals":
        return "the mean is not rounded" if value is None else f"the mean is rounded to {value} decimals"
    if choice == "depth":
        return "all results are looked at" if value is None else f"only the first {value} results are looked at"
    if choice == "rel":
        return f"documents from grade {value} on are relevant"
    return _WORDS[choice, value]


def cause_text(cause: Cause) -> str:
    """The cause of a change, in words."""
    return rule_text(cause.choice, cause.there)


def causes_text(gap: ToolGap, decimals: int = 3) -> str:
    """Why both numbers differ, the largest cause first; of several, how much each changes."""
    if not gap.causes:
        return "no difference"
    ordered = sorted(gap.causes, key=lambda cause: -abs(np.nan_to_num(cause.change, nan=np.inf)))
    return "; ".join(cause_text(cause) + (f" ({number(cause.change, decimals, signed=True)})" if len(ordered) > 1
                                          else "") for cause in ordered)


def gap_sentence(gap: ToolGap, decimals: int = 3) -> str:
    """Both numbers and why they differ, the largest cause first.

    Examples
    --------
    >>> from ragdash import Run, Truth, parse_specs
    >>> from ragdash.analysis.comparability.other_tools import show_as
    >>> truth = Truth.build("qrels", ["q", "q"], ["d1", "d3"], [1, 1])
    >>> gap_sentence(show_as(Run.build("bm25", ["q"], ["d1"]), truth, "phoenix", parse_specs("nDCG@10"))[0])
    'bm25, NDCG@10: 1.000 in Phoenix, 0.613 here: the ideal counts only retrieved documents.'
    """
    title = f"{gap.run}, {gap.spec.title}"
    there, here = number(gap.there, decimals), number(gap.here, decimals)
    if not gap.causes:
        return f"{title}: {here} in {gap.tool.title} and here."
    return f"{title}: {there} in {gap.tool.title}, {here} here: {causes_text(gap, decimals)}."


def missing_metrics_sentence(tool: str, titles: Sequence[str]) -> str:
    """Which of these metrics the tool lacks."""
    return f"Not in {TOOLS[tool].title}: {listed(titles)}." if titles else ""


def tools_reference() -> str:
    """Every tool with its version, source and rules as a Markdown table.

    Examples
    --------
    >>> "| Phoenix | arize-phoenix 20.26.1 |" in tools_reference()
    True
    """
    lines = ["| name | tool | version | what it does otherwise | source |", "|---|---|---|---|---|"]
    for tool in TOOLS.values():
        words = [f"{', '.join(names)}: {'; '.join(rules)}." for rules, names in _grouped(tool.metrics).items() if rules]
        same = [", ".join(names) for rules, names in _grouped(tool.metrics).items() if not rules]
        words += [f"{names}: the same." for names in same]
        lines.append(f"| `{tool.name}` | {tool.title} | {tool.version} | {' '.join([*words, tool.note])} | "
                     f"{tool.source} |")
    return "\n".join(lines) + "\n"


def _grouped(metrics) -> dict[tuple[str, ...], list[str]]:
    """Rules that differ from ours, in words -> the metrics that have them."""
    groups: dict[tuple[str, ...], list[str]] = {}
    ours = Rules()
    for name, rules in metrics.items():
        words = tuple(rule_text(choice, getattr(rules, choice)) for choice in STEPS
                      if getattr(rules, choice) != getattr(ours, choice)
                      and not (choice == "gain" and name != "nDCG"))
        groups.setdefault(words, []).append(name)
    return groups
