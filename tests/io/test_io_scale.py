"""Large and very broken files end soon, in a few problems; and the fast way through TREC files is the exact one."""

from __future__ import annotations

import json
from unittest.mock import patch

import numpy as np
import pytest
from helpers import problems_of
from speed import quick

from ragdash.core.arrow_columns import encode
from ragdash.core.errors import SHOWN_PER_KIND, InputError
from ragdash.io import read_run, read_runs, read_truth
from ragdash.io.formats.text import trec
from ragdash.io.formats.text.trec_lines import QRELS, RUN, read_lines
from ragdash.io.json.exact_parser import ExactReader
from ragdash.io.source.source import Source

pytestmark = pytest.mark.slow
MANY = 100_000
SECONDS = 10  # of computing; a few are enough
BROKEN = {
    "trec, columns": "q1 Q0 d{i} 1\tx\n",
    "trec, scores": "q1 Q0 d{i} 1 nan t\n",
    "trec, numbers": "q1 Q0 d{i} 1 x{i} t\n",
    "csv": "q1,d{i},\n",
    "jsonl, json": '{{"query_id": "q{i}", "retrieved": [\n',
    "jsonl, fields": '{{"query_id": "q{i}", "retrieved": 5}}\n',
    "jsonl, queries": '{{"query_id": "q1", "retrieved": ["d{i}"]}}\n',
}


@pytest.mark.parametrize("name", BROKEN)
def test_many_broken_lines(name):
    head = "query_id,doc_id,score\n" if name == "csv" else ""
    content = (head + "".join(BROKEN[name].format(i=i) for i in range(MANY))).encode()
    problems = quick(lambda: problems_of(read_runs, ("x", content)), SECONDS)
    assert len(problems) == SHOWN_PER_KIND
    repeats = name == "jsonl, queries"  # the first line is right
    assert f"(and {MANY - SHOWN_PER_KIND - repeats:,} more like it)" in problems[-1].actual


def test_one_damaged_line_at_the_end_of_many_that_are_fine():
    """No proposal looks at all lines of a text whose first ones are not of its kind."""
    content = b"".join(b"q%d Q0 d%d %d %d tag\n" % (i // 100, i, i % 100, 100 - i % 100) for i in range(2 * MANY))
    problems = quick(lambda: problems_of(read_runs, ("x", content + b"bad line\n")), 2.5)
    assert [(problem.kind, problem.line) for problem in problems] == [("column-count", 2 * MANY + 1)]


def test_many_broken_scores_in_a_dictionary():
    content = json.dumps({"q": {f"d{i}": None for i in range(MANY)}}).encode()
    assert len(quick(lambda: problems_of(read_runs, ("x", content)), SECONDS)) == SHOWN_PER_KIND


WIDE = {  # one object with very many members: content, kind, problems
    "numbers of no query": (lambda: {f"k{i}": i for i in range(MANY)}, "wrong-type", SHOWN_PER_KIND),
    "fields of a query": (lambda: {"query_id": "q", "retrieved": [], **{f"k{i}": 1 for i in range(MANY)}},
                          "too-many-columns", 1),
    "fields in a list": (lambda: [{"query_id": "q", "retrieved": [], **{f"k{i}": 1 for i in range(MANY)}}],
                         "too-many-columns", 1),
}


@pytest.mark.parametrize("name", WIDE)
def test_an_object_with_very_many_members(name):
    content, kind, count = WIDE[name]
    problems = quick(lambda: problems_of(read_runs, ("x", json.dumps(content()).encode())), SECONDS)
    assert [problem.kind for problem in problems] == [kind] * count


def test_very_many_repeated_keys():
    members = ", ".join(f'"d{i % (MANY // 2)}": 1.5' for i in range(MANY))
    problems = quick(lambda: problems_of(read_runs, ("x", f'{{"q": {{{members}}}}}'.encode())), SECONDS)
    assert len(problems) == SHOWN_PER_KIND and {problem.kind for problem in problems} == {"duplicate-key"}
    assert f"(and {MANY // 2 - SHOWN_PER_KIND:,} more like it)" in problems[-1].actual


REPEATS = {  # start, what is repeated, end, where the first two are
    "in a dictionary of documents": ('{"q": {', '"d": 1', "}}", (1, 8, 16)),
    "in the object of a query": ('{"retrieved": ["d"], ', '"query_id": "q"', "}", (1, 22, 39)),
    "in settings": ('{"query_id": "q", "retrieved": [], "settings": {', '"k": 1', "}}", (1, 49, 57)),
}


@pytest.mark.parametrize("name", REPEATS)
def test_a_key_repeated_very_many_times(name):
    start, member, end, (line, first, second) = REPEATS[name]
    file = ("x", (start + ", ".join([member] * MANY) + end).encode())
    problems = [problem for problem in quick(lambda: problems_of(read_runs, file), SECONDS)
                if problem.kind == "duplicate-key"]
    assert [problem.line for problem in problems] == [line]
    assert f"(line {line}, at columns {first} and {second})" in problems[0].actual


def test_repeated_keys_are_located_only_where_they_are_shown():
    """A look goes through the text of the line, and a line may have very many objects that repeat a key."""
    objects = 1000
    source = Source(("x", ("[" + ", ".join(['{"query_id": "q", "query_id": "q"}'] * objects) + "]").encode()))
    notes = source.collector()
    with patch.object(
        ExactReader, "_note_repeated_key", autospec=True, side_effect=ExactReader._note_repeated_key
    ) as looks:
        assert len(list(ExactReader(source, notes).elements())) == objects
    assert looks.call_count == len(notes.problems) == SHOWN_PER_KIND
    assert f"(and {objects - SHOWN_PER_KIND:,} more like it)" in notes.problems[-1].actual


def test_a_large_file_of_several_blocks_is_read_in_pieces():
    content = b"".join(b"query%d Q0 document-%d %d %.6f tag\n" % (i // 1000, i * 7919, i % 1000, 1 / (1 + i % 1000))
                       for i in range(300_000))
    assert len(content) > 2 * trec.BLOCK_BYTES
    columns = quick(lambda: trec.read_columns(Source(("x", content)), RUN, Source(("x", content)).collector()), SECONDS)
    assert columns.lines is None, "the fast way gave up"
    assert columns.docs.num_chunks > 1
    assert columns.docs[299_999].as_py() == f"document-{299_999 * 7919}"
    exact = read_lines(content, RUN, Source(("x", content)).collector())
    assert columns.docs.equals(exact.docs)
    assert np.array_equal(columns.values, exact.values)
    (names, codes), (exact_names, exact_codes) = encode(columns.query_ids), encode(exact.query_ids)
    assert names.equals(exact_names) and np.array_equal(codes, exact_codes)


LATE = {  # behind what is looked at in the beginning, and with six columns if split at single blanks
    "a missing second column": ("q  d9 1 0.5 t", "column-count"),
    "a missing query": (" Q0 d9 1 0.5 t", "column-count"),
    "a missing document": ("q Q0  1 0.5 t", "column-count"),
    "a missing score": ("q Q0 d9 1  t", "column-count"),
    "a comment": ("# Q0 d9 1 0.5 t", None),
    "a tab in place of a blank": ("q Q0\td9 1 0.5 t", None),
    "two blanks": ("q Q0  d9 1 0.5 t", None),
    "a seventh column": ("q Q0 d9 1 0.5 t x", None),
    "a blank line": (" \t", None),
    "an infinite score": ("q Q0 d9 1 inf t", "nan-score"),
    "not UTF-8": ("q Q0 \udce9 1 0.5 t", "wrong-encoding"),
    "a long line": (f"q Q0 d9 1 0.5 {'t' * (5 << 20)}", None),
}


@pytest.mark.parametrize("name", LATE)
def test_irregular_lines_far_down_are_found(name):
    line, kind = LATE[name]
    before = "".join(f"q{i} Q0 d{i} 1 0.5 t\n" for i in range(6000))
    content = (before + line + "\nq Q0 d8 2 0.25 t\n").encode(errors="surrogateescape")
    if kind:
        with pytest.raises(InputError) as caught:
            read_run(("x", content))
        assert [(problem.kind, problem.line) for problem in caught.value.problems] == [(kind, 6001)]
    else:
        expected = line.split()[2:3] if not line.startswith("#") else []
        assert read_run(("x", content)).ranking("q")["doc_id"].to_pylist() == [*expected, "d8"]


def test_odd_qrels_far_down_are_found():
    before = "".join(f"q{i} 0 d{i} 1\n" for i in range(9000))
    for line, kind in (("q 0 d9 0.5", "bad-grade"), ("q  d9 1", "column-count"),
                       ("q1 0 d1 2", "conflicting-judgments")):
        with pytest.raises(InputError) as caught:
            read_truth(("x", (before + line + "\n").encode()))
        assert [(problem.kind, problem.line) for problem in caught.value.problems] == [(kind, 9001)]


@pytest.mark.parametrize("layout, line", [(RUN, b"q%d\tQ0\td%d\t1\t 0.5\tt\n"), (RUN, b" q%d Q0  d%d 1 0.5 t \r\n"),
                                          (QRELS, b"q%d\t0\td%d  \t1\n"), (QRELS, b"q%d  0 d%d 1\n")])
def test_irregular_white_space_is_read_fast(layout, line):
    source = Source(("x", b"".join(line % (i, i) for i in range(1000))))
    problems = source.collector()
    columns = trec.read_columns(source, layout, problems)
    assert columns.lines is None, "the fast way gave up"
    assert not problems.problems
    assert columns.docs.to_pylist() == [f"d{i}" for i in range(1000)]


def test_blank_lines_and_blanks_take_linear_time():
    rows = b'{"query_id": "q1", "retrieved": ["d1"]}\n'
    for blanks in (b"\n" * 300_000, b" " * 300_000 + b"\n", b"\r\n" * 300_000):
        content = rows + blanks + rows.replace(b"q1", b"q2")
        read = quick(lambda content=content: read_run(("run.jsonl", content)), 5)
        assert len(read) == 2  # minutes where each blank line reads all that follow
