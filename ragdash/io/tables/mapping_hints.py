"""Errors for files without known columns or without questions, with a --map example from the file's own columns."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import ALIASES, QUERY_ALIASES, normalize_name, resolve_fields
from ragdash.io.json.head import LIST, keys_by_path
from ragdash.io.json.numbers import parse_number
from ragdash.io.source.source import Source
from ragdash.io.tables.header import unknown_header

ROW_EXAMPLE = ("query_id", "doc_id", "score")
QUERY_EXAMPLE = ("query", "retrieved")
JUDGMENT_EXAMPLE = ("query_id", "doc_id", "grade")
MEASURE = re.compile(r"runid|num_(q|ret|rel|rel_ret|nonrel\w*)|g?m?map\w*|Rprec\w*|bpref|recip_rank|infAP|utility|"
                      r"(iprec_at_recall|ircl_prn|P|recall|ndcg|map_cut|relative_P|success|set|prefs|Rprec_mult|Rndcg|"
                      r"11pt|binG|G|rel|yaap)_?[\w.,-]*")
_ALIASES = {**QUERY_ALIASES, **ALIASES}


def fail_if_unknown_table(source: Source) -> None:
    """Raise for a table without known columns; the problem shows how to map them."""
    if source.head.lstrip().startswith(b"{"):
        source.fail("unknown-format/pandas-split", line=1)
    _fail_if_trec_eval_results(source)
    table = unknown_header(source.head)
    if table is None:
        return
    header, row = table
    columns = ", ".join(header.names[:20])
    source.fail(
        "unknown-format/columns",
        {
            "columns": columns,
            "by_document": mapping_example(header.names, ROW_EXAMPLE, row),
            "by_query": mapping_example(header.names, QUERY_EXAMPLE, row),
            "judged": mapping_example(header.names, JUDGMENT_EXAMPLE, row),
        },
        line=header.line,
    )


def _fail_if_trec_eval_results(source: Source) -> None:
    """Raise for the output of trec_eval: a measure, a query or "all", and a value on each line."""
    lines = [line.split() for line in source.head.decode(errors="replace").splitlines()[:20] if line.strip()]
    measured = [words for words in lines if len(words) == 3 and MEASURE.fullmatch(words[0])]
    if len(measured) > len(lines) / 2:
        source.fail("results", {"cells": list(measured[0])}, line=1)


def mapping_example(columns: Sequence[str], fields: Sequence[str] = ROW_EXAMPLE, row: Sequence[str] = ()) -> str:
    """Such as "--map query_id=question,doc_id=file,score=points"; fields with a known column are left out.

    row: the values of the first row, to recognize columns of numbers.
    """
    free = [name for name in dict.fromkeys(columns) if name and "=" not in name and "," not in name]
    missing = []
    for field in fields:
        aliases = {normalize_name(alias) for alias in _ALIASES[field]}
        column = next((name for name in free if normalize_name(name) in aliases), None)
        if column is None:
            missing.append(field)
        else:
            free.remove(column)
    numbers = {name for name, value in zip(columns, row, strict=False) if parse_number(value) is not None}
    pairs = []
    for field in missing:
        candidates = [name for name in free if (name in numbers) == (field in ("score", "rank", "grade"))] or free
        name = candidates[0] if candidates else "NAME"
        free = [alias for alias in free if alias != name]
        pairs.append(f"{field}={name}")
    pairs_text = ",".join(pairs)
    return f"--map {shlex.quote(pairs_text)}" if set(pairs_text) & set(" |;&()'\"") else f"--map {pairs_text}"

def fail_if_questions_missing(source: Source, detected: DetectedFormat) -> None:
    """Raise for files that lack their questions: predictions of LlamaIndex, scores of RAGAS."""
    if _are_tool_calls(detected) and not source.mapping:
        source.fail("missing-question/tool-calls", {"fields": list(detected.columns[:5])}, line=1)
    if detected.format == "json-results":
        _fail_if_llamaindex_predictions(source)
    elif detected.format in ("json-dict", "json-columns", "unknown") and source.head.lstrip().startswith(b"{"):
        _fail_if_ragas_scores(source)


def _are_tool_calls(detected: DetectedFormat) -> bool:
    """True for records with the name of a tool, its arguments and its output, and no question."""
    return {"query", "retrieved", "answers"}.isdisjoint(detected.guess) and detected.guess.get("query_id") in (
        None, "id") and not {"args", "arguments"}.isdisjoint(detected.columns) and not {
        "name", "tool", "tool_name", "function"}.isdisjoint(detected.columns)


def _fail_if_ragas_scores(source: Source) -> None:
    fields = keys_by_path(source.head.decode(errors="replace")).get(("scores", LIST))
    if fields and not source.mapping:
        source.fail("missing-question/ragas", {"fields": list(fields[:5])}, line=1)


def _fail_if_llamaindex_predictions(source: Source) -> None:
    """Raise for a list of predictions without their questions."""
    fields = keys_by_path(source.head.decode(errors="replace")).get(("predictions", LIST))
    if not fields or {"query", "query_id"} & resolve_fields(fields, source.mapping).keys() or source.mapping:
        return
    source.fail("missing-question/llamaindex", {"fields": list(fields[:5])}, line=1)
