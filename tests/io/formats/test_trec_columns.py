"""How lines of TREC files are split into columns: at runs of white space, and the fast reader does as the exact one."""

from __future__ import annotations

from itertools import product

import pytest
from both_ways import read_both_ways, rows

from ragdash.io.formats.text import trec
from ragdash.io.formats.text.trec_lines import QRELS, RUN, split_line
from ragdash.io.source.source import Source

SEPARATORS = [" ", "\t", "  ", "\t\t", " \t", "\t ", " \t ", "\t \t"]
EDGES = ["", " ", "\t", " \t", "\t "]
RUN_FIELDS, QRELS_FIELDS = ["q1", "Q0", "d1", "1", "0.5", "t"], ["q1", "0", "d1", "1"]


LINES = {  # fields after splitting a line of a run
    "blanks": ("q1 Q0 d1 1 0.5 t", "q1 Q0 d1 1 0.5 t"),
    "tabs": ("q1\tQ0\td1\t1\t0.5\tt", "q1 Q0 d1 1 0.5 t"),
    "two tabs before the tag": ("q1\tQ0\td2\t2\t0\t\tt", "q1 Q0 d2 2 0 t"),
    "two tabs before the score": ("q1\tQ0\td2\t2\t\t0\tt", "q1 Q0 d2 2 0 t"),
    "two tabs and a column more": ("q1\tQ0\td2\t2\t0\t\tt\tx", "q1 Q0 d2 2 0 t x"),
    "a tab at the start": ("\tq1\tQ0\td2\t2\t0\tt", "q1 Q0 d2 2 0 t"),
    "tabs at the end": ("q1\tQ0\td2\t2\t0\tt\t\t", "q1 Q0 d2 2 0 t"),
    "a tab at the end of blanks": ("q1 Q0 d2 2 0 t\t", "q1 Q0 d2 2 0 t"),
    "two columns between tabs": ("q1\tQ0 d2\t2\t0\tt", "q1 Q0 d2 2 0 t"),
    "ids with blanks": ("q 1\tQ0\td 2\t2\t0\tt", "q_1 Q0 d_2 2 0 t"),
    "ids with blanks, two tabs": ("q 1\t\tQ0\td 2\t2 \t 0\tt", "q 1 Q0 d 2 2 0 t"),
    "ids with blanks, a tab at the start": ("\tq 1\tQ0\td 2\t2\t0\tt", "q 1 Q0 d 2 2 0 t"),
    "ids with blanks, two tabs before the tag": ("q 1\tQ0\td 2\t2 \t 0\t\tt", "q_1 Q0 d_2 2 0 t"),
    "ids with blanks, tabs at the end": ("q 1\tQ0\td 2\t2 \t 0\tt\t \t", "q_1 Q0 d_2 2 0 t"),
    "ids with two blanks": ("q  1\tQ0\td2\t2\t0\tt", "q__1 Q0 d2 2 0 t"),
    "a tag with blanks": ("q1\tQ0\td2\t2\t0\tmy tag", "q1 Q0 d2 2 0 my_tag"),
    "an empty tag": ("q1\tQ0\td 2\t2\t0\t", "q1 Q0 d_2 2 0 -"),
    "an empty tag of blanks": ("q1\tQ0\td2\t2\t0 \t  ", "q1 Q0 d2 2 0 -"),
    "an empty tag of tabs": ("q1\tQ0\td 2\t2\t0\t\t\t", "q1 Q0 d_2 2 0 -"),
    "no tag": ("q1\tQ0\td2\t2\t0", "q1 Q0 d2 2 0"),
    "no score": ("q1\tQ0\td2\t2\t\tt", "q1 Q0 d2 2 t"),
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_of_a_run_has_the_columns(name):
    line, expected = LINES[name]
    columns = ["" if column == "-" else column.replace("_", " ") for column in expected.split()]
    assert [field.decode() for field in split_line(line.encode(), RUN)] == columns


@pytest.mark.parametrize("first", LINES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_both_readers_agree_on_every_pair_of_lines(first, end):
    for second, _ in LINES.values():
        for content in (end.join([LINES[first][0], second]), end.join([LINES[first][0], second, LINES[first][0], ""])):
            read_both_ways(content.encode(), RUN)


@pytest.mark.parametrize("layout, fields", [(RUN, RUN_FIELDS), (QRELS, QRELS_FIELDS)], ids=["run", "qrels"])
@pytest.mark.parametrize("first", [" ", "\t"], ids=["blanks first", "tabs first"])
def test_any_white_space_between_columns_reads_as_trec_eval_does(layout, fields, first):
    """Every separator at every place among blanks and among tabs, and every white space at both ends."""
    line_of = {common: [[common] * i + [odd] + [common] * (len(fields) - 2 - i)
                        for i in range(len(fields) - 1) for odd in SEPARATORS] for common in SEPARATORS[:2]}
    between = [*line_of[" "], *line_of["\t"], *([odd] * (len(fields) - 1) for odd in SEPARATORS)]
    lines = [before + "".join(field + gap for field, gap in zip(fields, [*gaps, after], strict=True))
             for gaps, before, after in [*((gaps, "", "") for gaps in between),
                                         *(([gap] * (len(fields) - 1), *edges)
                                           for gap in SEPARATORS for edges in product(EDGES, EDGES))]]
    fast = 0
    for line in lines:
        content = (first.join(fields) + "\n" + line + "\n").encode()
        source = Source(("x", content))
        problems = source.collector()
        assert (
            rows(trec.read_columns(source, layout, problems)) == [("q1", "d1", float(fields[layout.value_index]))] * 2
        )
        assert not problems.problems
        assert [field.decode() for field in split_line(line.encode(), layout)] == line.split()
        fast += read_both_ways(content, layout)
    assert fast > 0


@pytest.mark.parametrize("layout, fields", [(RUN, RUN_FIELDS), (QRELS, QRELS_FIELDS)], ids=["run", "qrels"])
@pytest.mark.parametrize("empty", [0, 1, 2, 3, 4, 5])
def test_both_readers_agree_on_empty_columns_and_blanks_in_ids(layout, fields, empty):
    if empty >= len(fields):
        return
    for first, second in product([" ", "\t"], repeat=2):
        for query, doc, more in product(["q1", "q 1", " q1 "], ["d1", "d 1", "d  1"], ["", second + "x", second]):
            line = [query, fields[1], doc, *fields[3:]]
            line[empty] = ""
            content = first.join(fields) + "\n" + second.join(line) + more + "\n"
            read_both_ways(content.encode(), layout)
            read_both_ways("".join(reversed(content.splitlines(keepends=True))).encode(), layout)


FROM_FUZZING = {  # cases in which the readers once differed
    "an empty column before the tag": (b"q1 Q0 d1 1 0.9 t\nq1\tQ0\td2\t2\t0\t\tt\nq2  Q0 d1 1 5e-1 t\n", RUN),
    "an empty tag and a blank in the document": (b"q1 Q0 d1 1 0.9 t\nq1\tQ0\td 2\t2\t0.8\t\n", RUN),
}


@pytest.mark.parametrize("name", FROM_FUZZING)
def test_both_readers_agree_on_cases_from_fuzzing(name):
    read_both_ways(*FROM_FUZZING[name])


def test_an_empty_column_is_not_an_extra_column():
    source = Source(("x", FROM_FUZZING["an empty column before the tag"][0]))
    problems = source.collector()
    columns = trec.read_columns(source, RUN, problems)
    assert columns.lines is None, "the fast reader gave up"
    assert not problems.problems
    assert rows(columns) == [("q1", "d1", 0.9), ("q1", "d2", 0.0), ("q2", "d1", 0.5)]


def test_an_id_keeps_its_blanks_if_the_tag_is_empty():
    source = Source(("x", FROM_FUZZING["an empty tag and a blank in the document"][0]))
    assert rows(trec.read_columns(source, RUN, source.collector())) == [("q1", "d1", 0.9), ("q1", "d 2", 0.8)]


def several_rankings(ranks, scores, queries=3) -> bytes:
    lines = [f"q{query} Q0 d{number} {rank} {score} t" for query in range(queries)
             for number, (rank, score) in enumerate(zip(ranks, scores, strict=True))]
    return "\n".join(lines).encode()


def notes_of(content: bytes) -> list[str]:
    return [problem.message for problem in trec.read_runs(Source(("x", content)), None)[0].problems]


@pytest.mark.parametrize("queries", [3, 3000], ids=["short", "long"])
def test_ranks_that_begin_anew_within_a_query_are_said(queries):
    """Several rankings of a query were melted into one without a word."""
    content = several_rankings([1, 2, 3, 1, 2, 3], [0.9, 0.8, 0.7, 0.95, 0.6, 0.5], queries)
    assert notes_of(content) == ["equal-ranks/several-rankings"]
    blocks = [line for half in (0, 3) for query in range(queries)
              for line in content.decode().split("\n")[6 * query + half:6 * query + half + 3]]
    assert notes_of("\n".join(blocks).encode()) == ["equal-ranks/several-rankings"]


@pytest.mark.parametrize("depth", [3, 1500], ids=["shallow", "deeper than the beginning"])
def test_a_second_ranking_with_lower_scores_alone_is_said(depth, tmp_path):
    """The file is in the order of its scores, so that a long one was not looked at."""
    content = several_rankings([*range(depth)] * 2, [1 - number / 10000 for number in range(2 * depth)], 6000 // depth)
    path = tmp_path / "melted.trec"
    path.write_bytes(content)
    assert [notes_of(content), [problem.message for problem in trec.read_runs(Source(path), None)[0].problems]] == [
        ["equal-ranks/several-rankings"]] * 2


@pytest.mark.parametrize("ranks, scores", [
    ([1, 2, 3, 4], [0.9, 0.8, 0.7, 0.6]), ([4, 3, 2, 1], [0.6, 0.7, 0.8, 0.9]), ([0, 0, 0, 0], [0.5, 0.9, 0.8, 0.6]),
    ([1, 1, 2, 2], [0.9, 0.9, 0.5, 0.5])], ids=["in order", "in another order", "one rank for all", "ties"])
def test_ranks_of_one_ranking_are_not_remarked_on(ranks, scores):
    assert notes_of(several_rankings(ranks, scores)) == []
