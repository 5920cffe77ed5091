"""File formats: each file here registers the formats that it reads; `FORMATS` has them all."""

from ragdash.io.formats import (
    csv_tsv,
    excel_parquet,
    headerless,
    json_columns,
    json_dict,
    jsonl,
    score_rows,
    squad,
    tools,
    tracing,
    trec,
)
from ragdash.io.formats.registry import FORMATS

__all__ = ["FORMATS", "csv_tsv", "excel_parquet", "headerless", "json_columns", "json_dict", "jsonl", "score_rows",
           "squad", "tools", "tracing", "trec"]
