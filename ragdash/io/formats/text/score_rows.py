"""Scores of other engines, one value a line: tables with query, metric and value, and the output of `trec_eval -q`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa

from ragdash.core.errors import Collector, shorten
from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run
from ragdash.core.text.metric_names import may_be_metric
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.field_names import ALIASES, QUERY_ALIASES, find_fields
from ragdash.io.formats.file_start import SAMPLED_LINES, FileStart
from ragdash.io.formats.registry import FORMATS, Format
from ragdash.io.json.numbers import parse_number
from ragdash.io.source.source import Source
from ragdash.io.tables.header import Header, read_header
from ragdash.io.tables.row_reader import read_records
from ragdash.io.wrong_role import fail_run_as_truth

NAMES = {"query_id": (*ALIASES["query_id"], "id", "topic"), "query": QUERY_ALIASES["query"],
         "config": (*ALIASES["config"], "run_name", "retriever", "configuration", "name"),
         "metric": ("metric", "measure", "metric_name"), "value": ("value", "score", "metric_value")}
MEANS = ("all", "mean", "average", "avg", "overall")  # under these ids files have the means of all queries
_MEASURE = re.compile(
    r"runid|i?num_(q|ret|rel|rel_ret|nonrel\w*)|g?m_?map|map|gm_ap|R-?prec|bpref|gm_bpref|recip_rank|inf(AP|NDCG)|ndcg|"
    r"utility|11pt_avg|i?P\d+|iprec@rec[\d.]+|"
    r"(P|recall|ndcg_cut|map_cut|success|iprec_at_recall|ircl_prn|relative_P|Rprec_mult)[_.][\d.]+|set_\w+")
"""Measures of trec_eval, also of its old versions (R-prec, P5, ircl_prn.0.10), and of sample_eval (infNDCG, iP10)."""
_WORD = re.compile(r"[A-Za-z][A-Za-z_]{2,}[A-Za-z_@\d.]*")  # a measure; qrels have 0 there, runs Q0
_HYPHENED = re.compile(r"[A-Za-z]{3,}(?:-[A-Za-z_@\d.]+)+")  # a measure, or a subtopic of qrels
_COMMAND = re.compile(r"[$%>#]|\S*\btrec_eval\b")  # the line above what it printed
_GRADES = set("01234")
_COLUMNS = ("run", "measure", "query", "value")
_FEW_LINES, _MOST_MEASURES = 4, 30
Row = tuple[int, str | None, str, str, str, tuple[str, ...]]  # line, run, query, metric, value, columns not read


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes a table with a row for each query and metric, and the output of trec_eval for single queries."""
    header = read_header(start.head, start.mapping)
    schema = _schema(header) if header else {}
    if header and schema:
        reason = f"a header line with {', '.join(schema.values())}"
        return DetectedFormat("score-rows", "run", reason, header.names, schema)
    lines = [line.split() for line in start.head.decode(errors="replace").splitlines()[:SAMPLED_LINES] if (
        line.strip() and not _COMMAND.match(line.strip()))]
    measured = lines and all(len(words) == 3 and _MEASURE.fullmatch(words[0]) for words in lines)
    if measured and any(words[1] not in MEANS for words in lines if words[0] != "runid"):
        return DetectedFormat("score-rows", "run", "measure, query and value on each line, as trec_eval -q writes them")
    if _are_values_of_runs(lines):
        return DetectedFormat("score-rows", "run", "run, measure, query and value on each line")
    return None


def _are_values_of_runs(lines: list[list[str]]) -> bool:
    """True for lines of run, measure, query and value: several measures in words, each once for a run and a query.

    Some may be missing where a line has the mean of all queries. A measure with a hyphen needs that too, or several
    runs with the same queries: subtopics of qrels have such names.
    """
    if len(lines) < _FEW_LINES or any(len(words) != len(_COLUMNS) or parse_number(words[3]) is None for words in lines):
        return False
    measures = {words[1] for words in lines}
    if not 1 < len(measures) <= _MOST_MEASURES or len({tuple(words[:3]) for words in lines}) < len(lines):
        return False
    runs, pairs = {words[0] for words in lines}, {(words[0], words[2]) for words in lines}
    queries = {query for _, query in pairs}
    has_mean = not queries.isdisjoint(MEANS)
    is_crossed = len(runs) > 1 and len(pairs) == len(runs) * len(queries)
    if not (has_mean or is_crossed or any(map(may_be_metric, measures))) and all(
            words[3] in _GRADES for words in lines):
        return False  # grades by rater
    is_named = all(_WORD.fullmatch(measure) or _MEASURE.fullmatch(measure) or (
        (has_mean or is_crossed) and _HYPHENED.fullmatch(measure)) for measure in measures)
    return is_named and (has_mean or len(lines) > (len(pairs) - 1) * len(measures))


def _schema(header: Header) -> dict[str, str]:
    """{our name: column}; empty where the table is none of scores."""
    mapped = {name: column for name, column in header.mapping.items() if name in NAMES and column in header.names}
    schema = {**find_fields([name for name in header.names if name not in mapped.values()], NAMES, NAMES), **mapped}
    is_scores = {"metric", "value"} <= schema.keys() and {"query_id", "query"} & schema.keys()
    return schema if is_scores and len(set(schema.values())) == len(schema) else {}


def read_runs(source: Source, name: str | None) -> list[Run]:
    """A run for each configuration, with scores and without rankings."""
    problems = source.collector()
    header = read_header(source.head, source.mapping)
    schema = _schema(header) if header else {}
    scores: dict[str | None, list[tuple[str, str, float | str | None]]] = {}
    first: dict[tuple[str | None, str, str], tuple[int, tuple[str, ...]]] = {}
    means, unread = 0, [name for name in header.names if name not in schema.values()] if header and schema else []
    rows = _table_rows(source, header, schema, problems) if header and schema else _trec_eval_rows(source, problems)
    for line, run, query, metric, text, others in rows:
        if query.casefold() in MEANS:
            means += 1
        elif not query or not metric:
            problems.add("missing-id", {"value": ""}, line=line, field="query_id" if not query else "metric")
        elif (before := first.setdefault((run, query, metric), (line, others)))[0] != line:
            different = [name for name, one, other in zip(unread, before[1], others, strict=False) if one != other]
            problems.add("duplicate-score", {"metric": metric, "query": query, "first": before[0],
                                             "columns": different[:1]}, line=line)
        else:
            number = parse_number(text.strip())
            scores.setdefault(run, []).append((query, metric, text.strip() or None if number is None else number))
    problems.raise_errors()
    for column in unread:
        problems.add("unread-column", {"name": column}, line=header.line if header else None, field=column,
                     severity="warning")
    if not scores:
        source.fail("no-rows/returned")
    if means:
        problems.add("mean-rows", {"rows": means}, severity="note")
    runs = []
    for config, values in scores.items():
        run_name = f"{name}/{config}" if name and config and len(scores) > 1 else name or config or source.name
        queries = pa.table({"query_id": pa.array(list(dict.fromkeys(query for query, *_ in values)), pa.string())})
        run = Run.build(run_name, pa.array([], pa.string()), pa.array([], pa.string()), details=queries,
                        problems=problems.problems, file=source.file)
        runs.append(run.with_file_scores(FileScores.build((query, run_name, metric, value)
                                                          for query, metric, value in values)))
    return runs


def read_truth(source: Source):
    """Refuse: scores say nothing of what is relevant."""
    fail_run_as_truth(source, "it holds metrics of queries")


def _table_rows(source: Source, header: Header, schema: dict[str, str], problems) -> Iterator[Row]:
    names = list(header.names)
    index = {name: names.index(column) for name, column in schema.items()}
    query = index.get("query_id", index.get("query", 0))
    for line, row in read_records(source, header, problems):
        if len(row) != len(names):
            problems.add("column-count", {"count": len(row), "row": header.delimiter.join(row)[:80],
                                          "width": len(names)}, line=line)
            continue
        run = row[index["config"]].strip() or None if "config" in index else None
        others = tuple(cell for place, cell in enumerate(row) if place not in index.values())
        yield line, run, row[query].strip(), row[index["metric"]].strip(), row[index["value"]], others


def _trec_eval_rows(source: Source, problems: Collector) -> Iterator[Row]:
    for line, text in enumerate(source.text.splitlines(), 1):
        words = text.split()
        if _COMMAND.match(text.strip()):
            problems.add("comment/command", {"comment": shorten(text.strip(), 80)}, line=line, severity="note")
        elif len(words) == 3 and words[0] != "runid":
            yield line, None, words[1], words[0], words[2], ()
        elif len(words) == len(_COLUMNS):
            yield line, words[0], words[2], words[1], words[3], ()
        elif words and words[0] != "runid":
            source.fail("column-count", {"count": len(words), "row": text[:80], "width": 3}, line=line)


FORMATS.register(Format("score-rows", "Scores by query and metric", read_runs, read_truth), kind="text", order=4,
                 detect=detect)
