"""The Metrics page's parts: a card with everything the registry says about a metric, and the search."""

from __future__ import annotations

import re

import pandas as pd
import streamlit as st

from ragdash.metrics import METRICS, Metric
from ragdash.metrics.bands import bands_of
from ragdash.metrics.docs.human_agreement import LIMITS, RATED, agreement_rows
from ragdash.metrics.docs.reference import example_words
from ragdash.metrics.docs.use_cases import USES, USES_SOURCE
from ragdash.reporting.sentences import formatting as fmt

BETTER = {"higher": "higher is better", "lower": "lower is better", None: "neither end is better"}
CUTOFF = {
    "required": "needs a cutoff, {0}@10",
    "optional": "with or without a cutoff, {0} or {0}@10",
    "none": "no cutoff, {0}",
}
AGGREGATE = {
    "mean": "mean over the queries where it is defined",
    "geometric": "geometric mean over the queries where it is defined",
    "sum": "sum over the queries where it is defined",
    "median": "median over the queries where it is defined",
    "corpus": "one value of the whole corpus",
}


def render_card(metric: Metric) -> None:
    """Formula, explanation, and the facts of one metric."""
    with st.container(border=True, key="metric_card"):
        st.header(metric.title, anchor=False)
        if metric.formula:
            st.latex(latex_with_words(metric.formula))
        st.markdown(docstring_markdown(metric.doc))
        render_guidance(metric)
        st.table(metric_facts(metric), border="horizontal", alt=f"Facts about {metric.title}")


def render_guidance(metric: Metric) -> None:
    """When to look at it, a worked example, and what others compute under its name."""
    if metric.when:
        st.markdown(f"**When to look at it.** {fmt.escape(metric.when)}")
    if metric.example:
        worked = fmt.escape(example_words(metric))
        st.markdown(f"**Worked example.** {fmt.escape(metric.example.setting)}  \n**{worked}**")
    if metric.differs:
        st.markdown(f"**Elsewhere.** {fmt.escape(metric.differs)}")


def render_agreement() -> None:
    """How far metrics of answers agree with people, as a table."""
    st.table(pd.DataFrame(agreement_rows()).map(fmt.escape), border="horizontal", hide_index=True,
             alt="How far metrics of answers agree with people")
    sets = " ".join(f"{rated.data}: {rated.answers} ({rated.source})." for rated in RATED)
    st.caption(fmt.escape(f"{LIMITS} {sets}"))


def render_uses() -> None:
    """Which metrics matter for which use, as a table."""
    rows = [{"Use": f"**{use.title}**: {fmt.escape(use.why)}",
             "Look at": fmt.escape(fmt.listed([METRICS[name].title for name in use.metrics])),
             "With an LLM judge": fmt.escape(fmt.listed([METRICS[name].title for name in use.judged]))
             or fmt.UNDEFINED} for use in USES]
    st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, alt="Which metrics matter for which use")
    st.caption(f"After a {USES_SOURCE}. For what only a judge can assess, the nearest metrics without one come first.")


def metric_facts(metric: Metric) -> dict[str, str]:
    """What the registry says, in readable rows."""
    unit = f" {metric.unit}" if metric.unit else ""
    rows = {
        "Range": fmt.range_text(*metric.range) + unit,
        "Direction": BETTER[metric.better],
        "Cutoff": CUTOFF[metric.cutoff].format(metric.name),
        "Summary": AGGREGATE.get(metric.aggregate, metric.aggregate),
        "Also read as": ", ".join(f"`{alias}`" for alias in metric.aliases),
    }
    rows["Parameters"] = ", ".join(f"`{name}={default!r}`" for name, default in metric.params.items())
    rows["Bands"] = bands_text(metric)
    rows["Source"] = fmt.escape(metric.source)
    return {label: text for label, text in rows.items() if text}


def bands_text(metric: Metric) -> str:
    """The bands of this metric where there are some, each table with its cutoff and its source."""
    tables = [f"{metric.title}{f'@{table.k}' if table.k else ''}: {table.words()} ({table.source})"
              for table in bands_of(metric.name)]
    return "  \n".join(fmt.escape(text) for text in tables)


def search_metrics(text: str) -> list[Metric]:
    """Metrics whose name, title, alias or explanation holds every word of the text."""
    words = text.casefold().split()
    return [metric for metric in METRICS.values() if all(word in _haystack(metric) for word in words)]


def latex_with_words(formula: str) -> str:
    """A formula in which words of several letters are upright, as words; what its parts are is on lines of its own."""
    words = re.sub(r"(?<![\\a-zA-Z])(?<!\\text{)([A-Za-z]{3,})(?![a-zA-Z}])", r"\\text{\1}", formula)
    lines = re.split(r",\\(?: |quad) *|, (?=[A-Z] = )", words)
    return words if len(lines) < 2 else r"\begin{gathered} " + r" \\[0.6em] ".join(lines) + r" \end{gathered}"


def docstring_markdown(doc: str) -> str:
    """A docstring as markdown: paragraphs joined, what it says about arrays left out, nothing taken for markup."""
    paragraphs = [
        re.sub(r"Returns \((?:Q|Q, K)\)(?: in \[[^\]]*\])?[;.,]? ?", "", " ".join(paragraph.split()))
        for paragraph in doc.split("\n\n")
    ]
    return "\n\n".join(
        fmt.escape(re.sub(r"(?:(?<=\. )|^)[a-z](?!\w*=)", lambda first: first[0].upper(), paragraph))
        for paragraph in paragraphs
    )


def _haystack(metric: Metric) -> str:
    return " ".join((metric.name, metric.title, *metric.aliases, metric.doc)).casefold()
