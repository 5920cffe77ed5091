"""How runs and truths show themselves: a data frame with a row per document, and a small table for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib import import_module

import numpy as np
import pyarrow as pa

from ragdash.core.arrow_columns import plain_array
from ragdash.core.records.flat_settings import setting_texts

_LONGEST_SETTING = 200  # characters shown; prompts are longer


def ranking_frame(query_ids: pa.StringArray, queries: np.ndarray, columns: Mapping[str, pa.Array], by_score: bool):
    """Rankings as a pandas DataFrame with the rank of each document.

    queries, columns: the query of each row, ascending, and its doc_id, score ... in the order of the ranking. by_score:
    ties are ordered by document id, descending.
    """
    table = pa.table({"query": plain_array(queries), **columns})
    if by_score:
        table = table.sort_by([("query", "ascending"), ("score", "descending"), ("doc_id", "descending")])
    ranks = np.arange(len(queries)) - np.searchsorted(queries, queries, "left") + 1
    ids = query_ids.take(plain_array(queries))
    table = table.drop_columns(["query"]).add_column(0, "rank", plain_array(ranks)).add_column(0, "query_id", ids)
    return table.to_pandas()


def notebook():
    """What draws and writes, on a floor above; loaded where something is shown."""
    return import_module("ragdash.reporting.notebook")


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


def details_text(details: pa.Table | None) -> str:
    """The names of the details."""
    return "none" if details is None else ", ".join(details.column_names)


def settings_text(settings: Mapping) -> str:
    """A line for each setting; values that look like secrets are left out, long ones are cut."""
    return "\n".join(f"{name}: {text[:_LONGEST_SETTING]}{'…' * (len(text) > _LONGEST_SETTING)}"
                     for name, text in setting_texts(settings).items()) or "none"
