"""Write the metric reference from the registry: for the terminal, for programs, for docs/reference/metrics.md."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby

from ragdash.metrics.bands import bands_of
from ragdash.metrics.docs.human_agreement import LIMITS, RATED, agreement_rows
from ragdash.metrics.docs.ragas_names import not_here_table
from ragdash.metrics.docs.use_cases import USES, USES_SOURCE
from ragdash.metrics.example_setups import SETTINGS
from ragdash.metrics.registry import METRICS, Metric

FAMILIES = {"retrieval": "Retrieval", "judgments": "Judgments and counts", "detection": "Detection",
            "sets": "Returned sets", "gains": "Gains along the ranking", "recall levels": "Levels of recall",
            "user models": "User models", "diversity": "Diversity", "permissions": "Permissions",
            "overlap": "Overlap of texts, by sacrebleu", "judged": "Judged by a model", "cost": "Speed and cost"}
_HEAD = """# Metrics

Generated from the registry by `ragdash metrics --format markdown -o docs/reference/metrics.md`.

Every metric is computed per query first. Its summary is the mean over the queries with a value, unless the entry says
otherwise. Symbols: k cutoff, R relevant documents of the query, g grade of a document.

The parameter names in parentheses work on the command line and in Python: `P(denominator='returned')@10`.
"""
_NOT_HERE = """## Not here

- METEOR, because it needs WordNet, a dictionary that must be downloaded apart. chrF, ROUGE-L and token F1 need none.
- BERTScore, because its value depends on a large model, one of its layers and a baseline, and its package has had no
  release since 2023. SBERT similarity and cross-encoder similarity compare meanings with smaller models.

{ragas}

If a file has a column of one of these, its values are read as a metric from the file, such as `file:meteor`.
"""
_EXAMPLES = """## The examples

Each metric below has an example with one of these setups. The tests compute all of them.
"""


def signature(metric: Metric) -> str:
    """How the metric is written: nDCG(gain='linear')@k."""
    params = ", ".join(f"{key}={value!r}" for key, value in metric.params.items())
    tail = {"required": "@k", "optional": "[@k]", "none": ""}[metric.cutoff]
    return metric.name + (f"({params})" if params else "") + tail


def range_words(metric: Metric) -> str:
    """The range in words: 0 to 1, 1 and more, -beta to 1."""
    low, high = (bound if isinstance(bound, str) else f"{bound:g}" for bound in metric.range)
    return f"{low} and more" if high == "inf" else f"{low} to {high}"


def direction_words(metric: Metric) -> str:
    """Which way is better, in words."""
    return f"{metric.better} is better" if metric.better else "neither direction is better"


def as_text(metrics: Iterable[Metric]) -> str:
    """A short block for each metric."""
    blocks = []
    for m in metrics:
        lines = [f"{signature(m)}  ({m.title})", f"    {m.summary_line}",
                 f"    range {range_words(m)}, {direction_words(m)}; {m.aggregate} over queries",
                 f"    formula {m.formula}"]
        lines += [f"    when {m.when}"] if m.when else []
        lines += [f"    example {example_words(m)}"] if m.example else []
        lines += [f"    elsewhere {m.differs}"] if m.differs else []
        if m.source:
            lines.append(f"    source {m.source}")
        if m.aliases:
            lines.append(f"    also read as {', '.join(m.aliases)}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def as_json(metrics: Iterable[Metric]) -> str:
    """A list of objects with every fact of the registry; an infinite bound is null."""
    entries = [{
        "name": m.name, "title": m.title, "family": m.family, "signature": signature(m), "params": dict(m.params),
        "allowed": {key: list(value) for key, value in m.allowed.items()}, "cutoff": m.cutoff,
        "range": [None if isinstance(bound, float) and math.isinf(bound) else bound for bound in m.range],
        "better": m.better, "unit": m.unit, "aggregate": m.aggregate, "formula": m.formula, "source": m.source,
        "aliases": list(m.aliases), "doc": m.doc, "when": m.when, "differs": m.differs,
        "example": asdict(m.example) if m.example else None,
    } for m in metrics]
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


def as_markdown(metrics: Iterable[Metric]) -> str:
    """docs/reference/metrics.md."""
    settings = "\n".join(f"- *{setup}*: {text}" for setup, text in SETTINGS.items())
    blocks = [_HEAD, uses(), agreement(), f"{_EXAMPLES}\n{settings}\n"]
    for family, members in groupby(metrics, key=lambda m: m.family):
        blocks.append(f"## {FAMILIES.get(family, family.capitalize())}\n")
        blocks.extend(_entry(m) for m in members)
    return "\n".join([*blocks, _NOT_HERE.format(ragas=not_here_table())]).rstrip() + "\n"


def uses() -> str:
    """Which metrics matter for which use, as a Markdown table."""
    rows = [(use.title, ", ".join(METRICS[name].title for name in use.metrics), ", ".join(use.judged) or "–", use.why)
            for use in USES]
    table = "\n".join(f"| {' | '.join(row)} |" for row in [("use case", "metrics", "with an LLM judge", "why"),
                                                           ("---",) * 4, *rows])
    return (f"## Which metrics for which use\n\nBased on a {USES_SOURCE}. If it asks for an LLM judge, the closest "
            f"metrics without one come first.\n\n{table}\n")


def agreement() -> str:
    """How far metrics of answers agree with people, as a Markdown table."""
    rows = agreement_rows()
    table = "\n".join(f"| {' | '.join(row)} |" for row in [tuple(rows[0]), ("---",) * len(rows[0]),
                                                           *(tuple(row.values()) for row in rows)])
    sets = "\n".join(f"- {rated.data}: {rated.answers} ({rated.source})." for rated in RATED)
    return (f"## Agreement with people\n\nMeasured with `benchmarks/agreement.py` on public sets that people rated, "
            f"with 95% intervals over questions. Menus of answer metrics have the same order.\n\n{table}\n\n"
            f"{LIMITS}\n\n{sets}\n")


def example_words(metric: Metric) -> str:
    """nDCG@5 = 0.502: how it comes about; empty where there is no example."""
    example = metric.example
    return f"{example.spec} = {_rounded(example.value)}: {example.worked}" if example else ""


def _rounded(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _entry(m: Metric) -> str:
    facts = [f"Range {range_words(m)}", direction_words(m), f"{m.aggregate} over queries"]
    lines = [f"### {m.title}", "", f"`{signature(m)}`", "", f"$${m.formula}$$", "", m.doc, "", f"- {'; '.join(facts)}."]
    if m.when:
        lines.append(f"- When: {m.when}")
    if m.example:
        lines.append(f"- Example (*{m.example.about}*): {example_words(m)}.")
    if m.differs:
        lines.append(f"- Elsewhere: {m.differs}")
    if m.source:
        lines.append(f"- Source: {m.source}.")
    if m.aliases:
        lines.append(f"- Also read as {', '.join(f'`{alias}`' for alias in m.aliases)}, in any case.")
    lines += [f"- Bands of {bands.spec} ({bands.source}): {bands.words()}." for bands in bands_of(m.name)]
    return "\n".join(lines) + "\n"
