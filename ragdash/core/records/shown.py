"""How runs and truths show themselves: a data frame with a row per document, and a small table for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import plain_array, take
from ragdash.core.records.flat_settings import setting_texts

if TYPE_CHECKING:
    from ragdash.core.records.run import Run
    from ragdash.core.records.truth import Truth

_LONGEST_SETTING = 200  # characters shown; prompts are longer


def run_frame(run: Run):
    """Rankings without repeated documents as a pandas DataFrame, in the order of `Run.ranking`."""
    positions = np.delete(np.arange(len(run.docs)), run.repeated)
    queries, rows = run.query_of(positions), run.rows(positions)
    columns = {"query": pa.array(queries), "doc_id": take(run.docs, rows)}
    if run.scores is not None:
        columns["score"] = pa.array(run.scores[positions])
    for name, texts in (("text", run.texts), ("source", run.sources)):
        if texts is not None:
            columns[name] = take(texts, rows)
    table = pa.table(columns)
    if run.ranked_by == "score":
        table = table.sort_by([("query", "ascending"), ("score", "descending"), ("doc_id", "descending")])
    ranks = np.arange(len(queries)) - np.searchsorted(queries, queries, "left") + 1
    ids = run.query_ids.take(plain_array(queries))
    table = table.drop_columns(["query"]).add_column(0, "rank", plain_array(ranks)).add_column(0, "query_id", ids)
    return table.to_pandas()


def truth_frame(truth: Truth):
    """Judgments as a pandas DataFrame."""
    return pa.table({"query_id": truth.query_ids.take(plain_array(truth.queries)), "doc_id": truth.docs,
                     "grade": plain_array(truth.grades)}).to_pandas()


def run_html(run: Run) -> str:
    """Counts, texts and settings of a run as an HTML table; values that look like secrets are left out."""
    texts = 0 if run.texts is None else len(run.texts) - run.texts.null_count
    settings = setting_texts(run.settings or (run.header.settings if run.header else {}))
    short = [f"{name}: {text[:_LONGEST_SETTING]}{'…' * (len(text) > _LONGEST_SETTING)}"
             for name, text in settings.items()]
    return facts_html(f"Run {run.name}", {
        "queries": f"{len(run):,}", "documents returned": f"{len(run.docs):,}", "depth": f"{run.depth:,}",
        "documents with text": f"{texts:,}", "details": _details(run.details), "settings": "\n".join(short) or "none"})


def truth_html(truth: Truth) -> str:
    """Counts and details of a truth as an HTML table."""
    documents = "none" if truth.corpus is None else f"{len(truth.corpus):,}"
    return facts_html(f"Truth {truth.name}", {
        "queries": f"{len(truth):,}", "judgments": f"{truth.judgements:,}",
        "queries without a relevant document": f"{truth.queries_without_relevant:,}",
        "documents loaded": documents, "details": _details(truth.details)})


def facts_html(caption: str, facts: Mapping[str, str]) -> str:
    """An HTML table with a row per fact; a new line in a value is one in its cell.

    Examples
    --------
    >>> facts_html("Run <a>", {"queries": "2"})
    '<table><caption>Run &lt;a&gt;</caption><tbody><tr><th>queries</th><td>2</td></tr></tbody></table>'
    """
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value).replace(chr(10), '<br>')}</td></tr>"
                   for name, value in facts.items())
    return f"<table><caption>{escape(caption)}</caption><tbody>{rows}</tbody></table>"


def _details(details: pa.Table | None) -> str:
    return "none" if details is None else ", ".join(details.column_names)
