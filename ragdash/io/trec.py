"""TREC runs and qrels. Well-formed files are read by pyarrow's CSV reader; whatever is odd goes to trec_lines.

The fast way never guesses: where a row could have been split wrongly (an empty or padded field, a comment, a number
that is none), it gives up and the file is read line by line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from ragdash.columns import on_all_cores
from ragdash.errors import Collector, InputError
from ragdash.io.assemble import Rows, build_runs
from ragdash.io.source import HEAD, Source
from ragdash.io.trec_lines import QRELS, RUN, Columns, Layout, data_lines, note_wide, one_line_end, read_lines, split
from ragdash.records import Run, Truth

BLOCK = 4 << 20  # bytes that one core reads at a time
CODED = pa.dictionary(pa.int32(), pa.string())


def memory_pool() -> pa.MemoryPool:
    """jemalloc where it exists: Arrow's default costs up to a second on files of some hundred MB."""
    return pa.jemalloc_memory_pool() if "jemalloc" in pa.supported_memory_backends() else pa.default_memory_pool()


def read_runs(source: Source, name: str | None) -> list[Run]:
    """The one run of a TREC run file; the order is by score, the rank column is not read (as in trec_eval)."""
    problems = source.collector()
    _note_tags(source, problems)
    columns = read_columns(source, RUN, problems)
    return build_runs({None: Rows(columns.query_ids, columns.docs, columns.values)}, source, name, problems)


def read_truth(source: Source) -> Truth:
    """The judgements of a TREC qrels file."""
    problems = source.collector()
    columns = read_columns(source, QRELS, problems)
    if not len(columns.docs):
        problems.add("no-rows", "no judgement", str(QRELS), "Check that the file was written completely.")
    problems.raise_errors()
    try:
        return _truth(columns, source, problems)
    except InputError:
        if columns.lines is not None:
            raise
        return _truth(read_lines(source.data, QRELS, source.collector()), source, problems)  # now with line numbers


def _truth(columns: Columns, source: Source, problems: Collector) -> Truth:
    return Truth.build(source.name, columns.query_ids, columns.docs, columns.values.astype(np.int64),
                       problems=problems.problems, file=source.file, lines=columns.lines)


def read_columns(source: Source, layout: Layout, problems: Collector) -> Columns:
    """The rows of the file in file order; problems are noted, not raised."""
    shape = look(source.head, layout)
    extra = shape.width - len(layout.columns)
    columns = None
    if extra == 0 or (extra > 0 and layout.wider):
        if shape.regular:
            columns = _read_fast(source.arrow(), shape, layout)
        if columns is None and not (extra and shape.separator == " " and b"\t" in source.data):
            columns = _read_fast(pa.BufferReader(tidy(source.data, shape.separator)), shape, layout)
    if columns is None:
        return read_lines(source.data, layout, problems)
    if extra:
        note_wide(shape.width, layout, problems, shape.line, len(columns.docs))
    return columns


@dataclass(frozen=True)
class Shape:
    """What the beginning of a file looks like; `regular`: one separator, never twice, never at the ends of a line."""

    separator: str
    width: int
    line: int
    regular: bool


def look(head: bytes, layout: Layout) -> Shape:
    """The shape of a file, from its first 64 KiB."""
    text = one_line_end(head)
    number, first = next(data_lines(text), (1, b""))
    fields = split(first, layout)
    tabs = len(fields) == first.count(b"\t") + 1 and b"\t" in first
    sep, other = (b"\t", b" ") if tabs else (b" ", b"\t")
    odd = (sep + sep, sep + b"\n", b"\n" + sep, *((sep + other, other + sep) if tabs else (other,)))
    regular = not text.startswith((b" ", b"\t")) and not any(pattern in text for pattern in odd)
    return Shape(sep.decode(), len(fields), number, regular)


def tidy(data: bytes, separator: str) -> bytes:
    """The text with one separator between fields and none at the ends of lines. Lines stay lines."""
    data = one_line_end(data)
    if separator == "\t":
        twice = ((b"\t ", b"\t"), (b" \t", b"\t"))
    else:
        data = data.replace(b"\t", b" ")
        twice = ((b"  ", b" "),)
    for pattern, single in (*twice, (b"\n ", b"\n"), (b" \n", b"\n")):
        while pattern in data:
            data = data.replace(pattern, single)
    return data.strip(b" ")


def _read_fast(source: pa.NativeFile, shape: Shape, layout: Layout) -> Columns | None:
    """The rows, or None where anything is odd."""
    names = [*layout.columns, *(f"extra {i}" for i in range(shape.width - len(layout.columns)))]
    # the second column is read to see that it is nowhere empty: there a row would have been split wrongly
    types = {"query_id": CODED, layout.columns[1]: pa.string(), "doc_id": pa.string(), layout.value: pa.float64()}
    try:
        table = csv.read_csv(
            source, memory_pool=memory_pool(),
            read_options=csv.ReadOptions(column_names=names, block_size=BLOCK),
            parse_options=csv.ParseOptions(delimiter=shape.separator, quote_char=False, escape_char=False),
            convert_options=csv.ConvertOptions(include_columns=list(types), column_types=types, null_values=[]))
    except pa.ArrowInvalid:
        return None
    return None if _is_odd(table, shape.separator, layout) else _columns(table, layout)


def _columns(table: pa.Table, layout: Layout) -> Columns:
    coded = table["query_id"].unify_dictionaries().combine_chunks()
    return Columns(coded, table["doc_id"], table[layout.value].to_numpy())


def _is_odd(table: pa.Table, separator: str, layout: Layout) -> bool:
    """True where an id is empty, padded with white space or starts a comment, or a value cannot be used."""
    if not len(table):
        return True
    queries = pc.unique(pa.concat_arrays([chunk.dictionary for chunk in table["query_id"].chunks]))
    if _odd_text(queries, separator) or pc.any(pc.starts_with(queries, "#")).as_py():
        return True
    values = table[layout.value].chunks
    if layout.value == "grade" and any(on_all_cores(_has_fraction, values)):
        return True
    return any(on_all_cores(_not_finite, values)) or any(on_all_cores(_has_empty, table[1].chunks)) \
        or any(on_all_cores(lambda chunk: _odd_text(chunk, separator), table["doc_id"].chunks))


def _not_finite(values: pa.Array) -> bool:
    return not np.isfinite(values.to_numpy()).all()


def _has_fraction(values: pa.Array) -> bool:
    numbers = values.to_numpy()
    return bool((np.rint(numbers) != numbers).any() or (np.abs(numbers) > 2**53).any())


def _has_empty(texts: pa.Array) -> bool:
    if not len(texts):
        return False
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset:texts.offset + len(texts) + 1]
    return bool((offsets[1:] == offsets[:-1]).any())


def _odd_text(texts: pa.Array, separator: str) -> bool:
    """True where a text is empty or holds white space that does not belong to it."""
    if not len(texts) or _has_empty(texts):
        return len(texts) > 0
    content = texts.buffers()[2].to_pybytes()
    if separator == " ":
        return b"\t" in content
    return b" " in content and not pc.all(pc.equal(pc.ascii_trim(texts, " "), texts)).as_py()


def _note_tags(source: Source, problems: Collector) -> None:
    """Warn where the first lines bear different tags: they are read as one run all the same."""
    text = one_line_end(source.head)
    if len(source.head) >= HEAD - 3:
        text = text[:text.rfind(b"\n") + 1]
    tags: dict[bytes, int] = {}
    for number, line in data_lines(text):
        fields = split(line, RUN)
        if len(fields) >= len(RUN.columns) and fields[5]:
            tags.setdefault(fields[5].split()[0], number)
    if len(tags) > 1:
        shown = ", ".join(tag.decode(errors="replace") for tag in list(tags)[:5])
        problems.add("several-tags", f"the tags {shown}", "one tag in a TREC run", "The file is read as one run; put "
                     "each configuration in a file of its own.", line=list(tags.values())[1], field="tag",
                     severity="warning")
