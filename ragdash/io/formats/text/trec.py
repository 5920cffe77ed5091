"""TREC runs and qrels. Well-formed files are read by pyarrow's CSV reader, others by trec_lines.

Fast reading never guesses. The whole text is checked first. If a row could be split wrongly (an empty or padded field),
its white space is normalized in memory. If that is not enough, or anything else is unusual (a comment, an invalid
number), the file is read line by line.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from ragdash.core.arrow_columns import encode, joined, on_all_cores, side_by_side
from ragdash.core.errors import Collector, InputError
from ragdash.core.records import Run, Truth
from ragdash.io.assemble.assemble_runs import Rows, build_runs
from ragdash.io.assemble.subtopic_judgments import build_subtopic_truth, has_subtopics
from ragdash.io.detected_format import DetectedFormat
from ragdash.io.formats.file_start import SAMPLED_LINES, FileStart
from ragdash.io.formats.registry import FORMATS, Format, Writer
from ragdash.io.formats.text.questions_of_qrels import read_questions
from ragdash.io.formats.text.trec_lines import (
    QRELS,
    RUN,
    TRAILING_TAB,
    Layout,
    TrecColumns,
    data_lines,
    header_line,
    note_wide,
    read_lines,
    split_line,
)
from ragdash.io.json.numbers import all_usable, parse_number
from ragdash.io.source.source import HEAD_BYTES, Source
from ragdash.io.tables.whitespace import is_regular, normalize_line_ends, normalize_whitespace
from ragdash.io.write import format_writers
from ragdash.io.wrong_role import fail_run_as_truth, fail_truth_as_run

BLOCK_BYTES = 4 << 20  # bytes that one core reads at a time
MOST_LOOKED_AT, MOST_LINES = 16 << 20, 200_000  # bytes and lines that are split to look at ranks
FIRST_QUERIES, MOST_FIRST_LINES, MOST_FIRST_BYTES = 3, 20_000, 2 << 20  # of a long file in order
_MARKS_IN_IDS = ((b",", 3), (b";", 1), (b"|", 2))  # marks, and how many of them a line of ids may have
_LEAST_SHARE = 5  # one line in this many must have the columns of the format
ENCODED_TEXT = pa.dictionary(pa.int32(), pa.string())


def detect(start: FileStart) -> DetectedFormat | None:
    """Recognizes lines with the columns of a run or of qrels, and a number where one belongs."""
    return _DETECTIONS.get(matching_format(start.head) or "")


def matching_format(head: bytes) -> str | None:
    """The format that more of the first lines match; None where none matches any."""
    lines = [line for _, line in islice(data_lines(head), SAMPLED_LINES)]
    if _are_ranked_scores(lines) or _are_measures(lines):
        return None
    runs = sum(_matches_layout(split_line(line, RUN), RUN) for line in lines)
    qrels = 0 if runs == len(lines) else sum(_matches_layout(split_line(line, QRELS), QRELS) for line in lines)
    if _LEAST_SHARE * max(runs, qrels) < len(lines):
        return None  # lines of another kind, some of which have as many words
    if runs and runs >= qrels:
        return "trec-run"
    return "trec-qrels" if qrels else None


def _are_ranked_scores(lines: list[bytes]) -> bool:
    """True for lines of query, document, rank and score, which also have the four columns of qrels."""
    rows = [split_line(line, QRELS) for line in lines]
    if len(rows) < 2 or any(len(row) != len(QRELS.columns) for row in rows):
        return False
    scores = [parse_number(row[3]) for row in rows]
    return not any(score is None for score in scores) and any(not score.is_integer() for score in scores) and all(
        row[2].isdigit() for row in rows)


def _are_measures(lines: list[bytes]) -> bool:
    """True for a table of values by query: fractions where a run has Q0 and a document, below a line of names."""
    rows = [split_line(line, RUN)[1:3] for line in lines]
    values = [number for row in rows[1:] for field in row if (number := parse_number(field)) is not None]
    return len(rows) > 2 and len(rows[0]) == 2 and len(values) == 2 * (len(rows) - 1) and (
        parse_number(rows[0][0]) is None) and (
        2 * sum(not value.is_integer() for value in values) > len(values))


def _are_titles(lines: list[bytes]) -> bool:
    """True for an id and a text of one to many words in each line, few of which have a number: topics."""
    rows = [line.split() for line in lines]
    numbered = sum(parse_number(word) is not None for row in rows for word in row[2:])
    is_pair = all(line.count(b"\t") == 1 for line in lines)
    is_uneven = not numbered and len(set(map(len, rows))) > 1
    return 2 < len(rows) == len({row[0] for row in rows}) and 3 * numbered < len(rows) and (is_pair or is_uneven)


def _matches_layout(fields: list[bytes], layout: Layout) -> bool:
    width = len(layout.columns)
    right = len(fields) == width or (len(fields) > width and layout.allows_extra)
    return right and parse_number(fields[layout.value_index]) is not None


def guess(start: FileStart) -> DetectedFormat | None:
    """Lines with about as many columns as TREC files have; those of JSON below comments, or of a table, are none."""
    if start.head.lstrip().startswith((b"//", b"#,", b"#;", b"#\t")):
        return None
    lines = [line for _, line in islice(data_lines(start.head), SAMPLED_LINES)]
    rows = [split_line(line, RUN) for line in lines]
    if lines and any((len(rows[0]) == 1 and lines[0].count(mark) > most) or all(
            line.count(mark) > most for line in lines) for mark, most in _MARKS_IN_IDS):
        return None  # the header of a table whose cells have blanks, and its rows
    if _are_measures(lines) or _are_titles(lines):
        return None
    width = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    if width >= len(RUN.columns) and b"Q0" in rows[0][1:2]:
        return DetectedFormat("trec-run", "run", f"{width} columns, with Q0 as the second")
    if width in (5, 6):
        return DetectedFormat("trec-run", "unknown", f"{width} columns; a TREC run has 6")
    if width == len(QRELS.columns):
        return DetectedFormat("trec-qrels", "unknown", "4 columns, as TREC qrels have")
    return None


_DETECTIONS = {
    "trec-run": DetectedFormat("trec-run", "run", "lines of query, Q0, document, rank, score and tag"),
    "trec-qrels": DetectedFormat("trec-qrels", "truth", "lines of query, iteration, document and grade"),
}


def memory_pool() -> pa.MemoryPool:
    """jemalloc where it exists: Arrow's default costs up to a second on files of some hundred MB."""
    return pa.jemalloc_memory_pool() if "jemalloc" in pa.supported_memory_backends() else pa.default_memory_pool()


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The one run of a TREC run file; the order is by score, the rank column is not read (as in trec_eval)."""
    problems = source.collector()
    columns = read_columns(source, RUN, problems)
    by_tag = _rows_by(5, source, columns) if len(_first_tags(source)) > 1 else {}
    if not by_tag:
        note_tags(source, problems)
        by_tag = _rows_by(1, source, columns) if len(_second_words(source.head)) > 1 else {}
    if not by_tag:
        _note_equal_ranks(source, columns, problems)
    rows = by_tag or {None: Rows(columns.query_ids, columns.docs, columns.values)}
    return build_runs(rows, source, name, problems)


def read_qrels_as_runs(source: Source, name: str | None) -> NoReturn:
    """Raise: qrels are ground truth, not a run."""
    fail_truth_as_run(source, _detect_again(source).reason, "TREC qrels")


def read_run_as_truth(source: Source) -> Truth:
    """Raise for a run; lines that only may be a run are read as qrels, for their problems."""
    detection = _detect_again(source)
    if detection.role == "run":
        fail_run_as_truth(source, detection.reason, "a TREC run")
    return read_truth(source)


def _detect_again(source: Source) -> DetectedFormat:
    start = FileStart(source)
    return detect(start) or guess(start) or DetectedFormat("unknown", "unknown", "")


def read_truth(source: Source) -> Truth:
    """The judgments of a TREC qrels file."""
    problems = source.collector()
    columns = read_columns(source, QRELS, problems)
    problems.raise_errors()
    if not len(columns.docs):
        problems.add("no-rows/qrels", {"layout": str(QRELS)})
    problems.raise_errors()
    questions = read_questions(source, problems)
    if questions is None and has_subtopics(source.head):
        return build_subtopic_truth(columns, source, problems)
    try:
        truth = _build_truth(columns, source, problems, questions)
        is_shorter = questions is None and len(truth.grades) < len(columns.docs) and has_subtopics(source.data)
        return build_subtopic_truth(columns, source, problems) if is_shorter else truth
    except InputError:
        if questions is None and has_subtopics(source.data):
            return build_subtopic_truth(columns, source, problems)
        if columns.lines is not None:
            raise
        return _build_truth(
            read_lines(source.data, QRELS, source.collector()), source, problems, questions
        )  # now with line numbers


def _build_truth(columns: TrecColumns, source: Source, problems: Collector, questions: pa.Table | None = None) -> Truth:
    return Truth.build(source.name, columns.query_ids, columns.docs, columns.values.astype(np.int64), details=questions,
                       problems=problems.problems, file=source.file, lines=columns.lines)


def read_columns(source: Source, layout: Layout, problems: Collector) -> TrecColumns:
    """The rows in file order; problems are noted, not raised."""
    if header_line(normalize_line_ends(source.head)):
        return read_lines(source.data, layout, problems)
    shape = detect_shape(source.head, layout)
    extra = shape.width - len(layout.columns)
    columns = None
    if extra == 0 or (extra > 0 and layout.allows_extra):
        regular, columns = _read_if_regular(source, shape, layout)
        if not regular and not _may_have_blanks_in_ids(source.data, shape, layout):
            text = normalize_whitespace(source.data, shape.separator)
            columns = _read_fast(pa.BufferReader(text), shape, layout) if is_regular(text, shape.separator) else None
    if columns is None:
        return read_lines(source.data, layout, problems)
    if extra:
        note_wide(shape.width, layout, problems, shape.line, len(columns.docs))
    return columns


def _may_have_blanks_in_ids(data: bytes, shape: Shape, layout: Layout) -> bool:
    """Check whether a line may separate its columns by tabs alone and have as many words as the first line has columns.

    That takes further columns, or an empty tag. Splitting at blanks would then read parts of an id as columns.
    """
    if shape.separator == "\t" or b"\t" not in data:
        return False
    return shape.width > len(layout.columns) or (layout.allows_extra and TRAILING_TAB.search(data) is not None)


def _read_if_regular(source: Source, shape: Shape, layout: Layout) -> tuple[bool, TrecColumns | None]:
    """(whether the text is regular; its rows, None where it is not or anything else is odd).

    The look takes what the reader leaves of the cores, and the reader's rows are dropped where it finds something.
    """
    content = source.plain_file or source.data
    if source.stored_size < BLOCK_BYTES:
        with source.arrow_text() as text:
            regular = is_regular(content, shape.separator)
            return regular, _read_fast(text, shape, layout, threads=False) if regular else None
    with source.arrow_text() as text:
        regular, columns = side_by_side(partial(is_regular, content, shape.separator),
                                        partial(_read_fast, text, shape, layout))
    return (True, columns) if regular else (False, None)


@dataclass(frozen=True)
class Shape:
    """How the first line of data is split, how many columns it has, and which line it is."""

    separator: str
    width: int
    line: int


def detect_shape(head: bytes, layout: Layout) -> Shape:
    """The shape of a file, from its first 64 KiB."""
    line, first = next(data_lines(normalize_line_ends(head)), (1, b""))
    width = len(split_line(first, layout))
    return Shape("\t" if b"\t" in first and width == first.count(b"\t") + 1 else " ", width, line)


def _read_fast(text: pa.NativeFile, shape: Shape, layout: Layout, threads: bool = True) -> TrecColumns | None:
    """The rows of a regular text; None for anything that needs exact reading."""
    names = [*layout.columns, *(f"extra {i}" for i in range(shape.width - len(layout.columns)))]
    types = {"query_id": ENCODED_TEXT, "doc_id": pa.string(), layout.value: pa.float64()}
    try:
        table = csv.read_csv(
            text, memory_pool=memory_pool(),
            read_options=csv.ReadOptions(column_names=names, block_size=BLOCK_BYTES, use_threads=threads),
            parse_options=csv.ParseOptions(delimiter=shape.separator, quote_char=False, escape_char=False),
            convert_options=csv.ConvertOptions(include_columns=list(types), column_types=types, null_values=[]))
    except pa.ArrowInvalid:
        return None
    queries, values = table["query_id"], [chunk.to_numpy() for chunk in table[layout.value].chunks]
    if not len(table) or any(pc.any(pc.starts_with(chunk.dictionary, "#")).as_py() for chunk in queries.chunks) \
            or not all(on_all_cores(partial(all_usable, name=layout.value), values)):
        return None
    numbers = joined(values)
    numbers.setflags(write=False)  # so that the record need not copy it
    return TrecColumns(queries, table["doc_id"], numbers)


def _second_words(head: bytes) -> set[bytes]:
    """What the first lines have in the place of Q0, such as PRO and CON."""
    rows = (split_line(line, RUN) for _, line in islice(data_lines(head), SAMPLED_LINES))
    return {fields[1] for fields in rows if len(fields) > 1}


def _rows_by(place: int, source: Source, columns: TrecColumns) -> dict[str | None, Rows]:
    """The rows of each word in this column where it names a run, as tags do: some query has several, and the ranks of
    each begin anew.
    """
    fields = [split_line(line, RUN) for _, line in data_lines(normalize_line_ends(source.data))]
    if len(fields) != len(columns.docs) or any(len(row) < len(RUN.columns) or not row[3].isdigit() for row in fields):
        return {}
    places: dict[str | None, list[int]] = {}
    ranks: dict[tuple[bytes, bytes], list[int]] = {}
    for number, row in enumerate(fields):
        places.setdefault(row[place].decode(), []).append(number)
        ranks.setdefault((row[0], row[place]), []).append(int(row[3]))
    is_counted = all(sorted(numbers) in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))
                     for numbers in ranks.values())
    if not is_counted or len({query for query, _ in ranks}) == len(ranks):
        return {}
    return {tag: Rows(columns.query_ids.take(rows), columns.docs.take(rows), columns.values[rows])
            for tag, rows in places.items()}


def _note_equal_ranks(source: Source, columns: TrecColumns, problems: Collector) -> None:
    """Warn of several rankings of a query in one run: most queries have their ranks again, with other scores.

    Of a long file in the order of its scores, in which no query comes back, the first queries are looked at.
    """
    _, codes = encode(columns.query_ids)
    is_same, is_higher = codes[1:] == codes[:-1], columns.values[1:] > columns.values[:-1]
    is_sorted = not (is_same & is_higher).any() and np.count_nonzero(~is_same) < codes.max(initial=0) + 1
    if is_sorted and source.stored_size > HEAD_BYTES:
        ends = np.flatnonzero(~is_same) + 1
        count = int(ends[FIRST_QUERIES - 1]) if len(ends) >= FIRST_QUERIES else len(codes)
        if not _several_rankings(source, min(count, MOST_FIRST_LINES), MOST_FIRST_BYTES):
            return
    if melted := _several_rankings(source, MOST_LINES, MOST_LOOKED_AT):
        facts = {"query": melted[0].decode(errors="replace"), "others": len(melted) - 1}
        problems.add("equal-ranks/several-rankings", facts, field="rank", severity="warning")


def _several_rankings(source: Source, line_count: int, size: int) -> list[bytes]:
    """The queries with several rankings in the first lines of a text, if they are most; size in bytes."""
    by_query: dict[bytes, list[tuple[bytes, bytes]]] = {}
    for _, line in islice(data_lines(normalize_line_ends(_first_bytes(source, size))), line_count):
        fields = split_line(line, RUN)
        if len(fields) >= len(RUN.columns):
            by_query.setdefault(fields[0], []).append((fields[3], fields[4]))
    melted = [query for query, places in by_query.items() if _has_several_rankings(places)]
    return melted if 2 * len(melted) > sum(len(places) > 1 for places in by_query.values()) else []


def _first_bytes(source: Source, size: int) -> bytes:
    if source.plain_file is None:
        return source.data[:size]
    with source.stream() as stream:
        return stream.read(size)


def _has_several_rankings(places: list[tuple[bytes, bytes]]) -> bool:
    """True where a third of the ranks of a query come again with another score; one rank for all says nothing."""
    ranks = {rank for rank, _ in places}
    return len(ranks) > 1 and 3 * (len(set(places)) - len(ranks)) >= len(places)


def note_tags(source: Source, problems: Collector) -> None:
    """Warn if the first lines have different tags, and they are read as one run."""
    tags = _first_tags(source)
    if len(tags) > 1:
        shown_tags = ", ".join(tag.decode(errors="replace") for tag in list(tags)[:5])
        problems.add("several-tags", {"tags": shown_tags}, line=list(tags.values())[1], field="tag", severity="warning")


def _first_tags(source: Source) -> dict[bytes, int]:
    """{tag: its first line} of the first lines where they have different tags; empty where all have the same."""
    text = normalize_line_ends(source.head)
    if len(source.head) >= HEAD_BYTES - 3:
        text = text[:text.rfind(b"\n") + 1]
    first = text.split(b"\n", 1)[0].split()
    if first and text.count(b"\n") + (not text.endswith(b"\n")) == sum(map((text + b"\n").count, (
            b" " + first[-1] + b"\n", b"\t" + first[-1] + b"\n"))):
        return {}
    tags: dict[bytes, int] = {}
    for number, line in data_lines(text):
        fields = split_line(line, RUN)
        words = fields[5].split() if len(fields) >= len(RUN.columns) else []
        if words:
            tags.setdefault(words[0], number)
    return tags


FORMATS.register(
    Format("trec-run", "TREC run", read_runs, read_run_as_truth),
    Format("trec-qrels", "TREC qrels", read_qrels_as_runs, read_truth),
    kind="text", order=20, detect=detect, guess=guess,
    writer=Writer("trec", 1, (".trec", ".run", ".txt", ".qrels", ".qrel"),
                  format_writers.write_trec_run, format_writers.write_trec_qrels))
