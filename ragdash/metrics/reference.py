"""The reference of the metrics, written from the registry: for the terminal, for programs, for docs/metrics.md."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from itertools import groupby

from ragdash.bands import bands_of
from ragdash.metrics.registry import Metric

FAMILIES = {"retrieval": "Retrieval", "judgements": "Judgements and counts", "detection": "Detection",
            "cost": "Speed and cost"}
_HEAD = """# Metrics

Generated from the registry by `ragdash metrics --format markdown -o docs/metrics.md`.

Every metric is computed for each query first; its summary is the mean over the queries where it is defined, unless
the entry says otherwise. Letters: k cutoff, R relevant documents of the query, g grade of a document.
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
        "aliases": list(m.aliases), "doc": m.doc,
    } for m in metrics]
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


def as_markdown(metrics: Iterable[Metric]) -> str:
    """docs/metrics.md."""
    parts = [_HEAD]
    for family, members in groupby(metrics, key=lambda m: m.family):
        parts.append(f"## {FAMILIES.get(family, family.capitalize())}\n")
        parts.extend(_entry(m) for m in members)
    return "\n".join(parts).rstrip() + "\n"


def _entry(m: Metric) -> str:
    facts = [f"Range {range_words(m)}", direction_words(m), f"{m.aggregate} over queries"]
    lines = [f"### {m.title}", "", f"`{signature(m)}`", "", f"$${m.formula}$$", "", m.doc, "", f"- {'; '.join(facts)}."]
    if m.source:
        lines.append(f"- Source: {m.source}.")
    if m.aliases:
        lines.append(f"- Also read as {', '.join(f'`{alias}`' for alias in m.aliases)}, in any case.")
    lines += [f"- Bands of {bands.spec} ({bands.source}): {bands.words()}." for bands in bands_of(m.name)]
    return "\n".join(lines) + "\n"
