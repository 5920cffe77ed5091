"""An example of --map, made of a file's own columns."""

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
_MEASURE = re.compile(r"runid|num_(q|ret|rel|rel_ret|nonrel\w*)|g?m?map\w*|Rprec\w*|bpref|recip_rank|infAP|utility|"
                      r"(iprec_at_recall|ircl_prn|P|recall|ndcg|map_cut|relative_P|success|set|prefs|Rprec_mult|Rndcg|"
                      r"11pt|binG|G|rel|yaap)_?[\w.,-]*")
_ALIASES = {**QUERY_ALIASES, **ALIASES}


def fail_if_unknown_table(source: Source) -> None:
    """Raise where the file is a table whose columns nobody knows; the problem tells how to name them."""
    if source.head.lstrip().startswith(b"{"):
        source.fail("unknown-format/pandas-split", line=1)
    _fail_if_trec_eval_results(source)
    found = unknown_header(source.head)
    if found is None:
        return
    header, row = found
    shown = ", ".join(header.names[:20])
    source.fail(
        "unknown-format/columns",
        {
            "columns": shown,
            "by_document": mapping_example(header.names, ROW_EXAMPLE, row),
            "by_query": mapping_example(header.names, QUERY_EXAMPLE, row),
            "judged": mapping_example(header.names, JUDGMENT_EXAMPLE, row),
        },
        line=header.line,
    )


def _fail_if_trec_eval_results(source: Source) -> None:
    """Raise for what trec_eval puts out: a measure, a query or all, and a value on each line."""
    lines = [line.split() for line in source.head.decode(errors="replace").splitlines()[:20] if line.strip()]
    measured = [parts for parts in lines if len(parts) == 3 and _MEASURE.fullmatch(parts[0])]
    if len(measured) > len(lines) / 2:
        source.fail("results", {"cells": list(measured[0])}, line=1)


def mapping_example(columns: Sequence[str], fields: Sequence[str] = ROW_EXAMPLE, row: Sequence[str] = ()) -> str:
    """Such as "--map query_id=question,doc_id=file,score=points"; fields that are there by name are left out.

    row: the values of the first row, to tell a column of numbers.
    """
    free = [name for name in dict.fromkeys(columns) if name and "=" not in name and "," not in name]
    missing = []
    for field in fields:
        known = {normalize_name(other) for other in _ALIASES[field]}
        own = next((name for name in free if normalize_name(name) in known), None)
        if own is None:
            missing.append(field)
        else:
            free.remove(own)
    numbers = {name for name, value in zip(columns, row, strict=False) if parse_number(value) is not None}
    pairs = []
    for field in missing:
        wanted = [name for name in free if (name in numbers) == (field in ("score", "rank", "grade"))] or free
        name = wanted[0] if wanted else "NAME"
        free = [other for other in free if other != name]
        pairs.append(f"{field}={name}")
    named = ",".join(pairs)
    return f"--map {shlex.quote(named)}" if set(named) & set(" |;&()'\"") else f"--map {named}"

def fail_if_questions_missing(source: Source, sniffed: DetectedFormat) -> None:
    """Raise for what tools write without its questions: LlamaIndex's predictions, the scores of RAGAS."""
    if sniffed.format == "json-results":
        _fail_if_llamaindex_predictions(source)
    elif sniffed.format in ("json-dict", "json-columns", "unknown") and source.head.lstrip().startswith(b"{"):
        _fail_if_ragas_scores(source)


def _fail_if_ragas_scores(source: Source) -> None:
    fields = keys_by_path(source.head.decode(errors="replace")).get(("scores", LIST))
    if fields and not source.mapping:
        source.fail("missing-question/ragas", {"fields": list(fields[:5])}, line=1)


def _fail_if_llamaindex_predictions(source: Source) -> None:
    """Raise for answers in a list under predictions that do not say which question they answer."""
    fields = keys_by_path(source.head.decode(errors="replace")).get(("predictions", LIST))
    if not fields or {"query", "query_id"} & resolve_fields(fields, source.mapping).keys() or source.mapping:
        return
    source.fail("missing-question/llamaindex", {"fields": list(fields[:5])}, line=1)
