"""`ragdash check` prints one line for a file that is fine, whatever its format, and nothing else."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from ragdash.cli.main import main

ROWS = [{"query_id": "q1", "query": "Who wrote it?", "retrieved": ["d7", "d2"], "answer": "She did."},
        {"query_id": "q2", "query": "When?", "retrieved": ["d9"], "answer": "In 1999."}]


def write_parquet(path) -> None:
    parquet.write_table(pa.Table.from_pylist(ROWS), path)


FILES = {
    "run.trec": "q1 Q0 d7 1 12.5 bm25\nq1 Q0 d2 2 11.25 bm25\nq2 Q0 d9 1 8.0 bm25\n",
    "qrels.txt": "q1 0 d7 1\nq1 0 d2 0\nq2 0 d9 2\n",
    "run.csv": "query_id,doc_id,rank,score\nq1,d7,1,0.83\nq1,d2,2,0.79\nq2,d9,1,0.9\n",
    "run.jsonl": "".join(f"{json.dumps(row)}\n" for row in ROWS),
    "run.parquet": write_parquet,
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_fine_takes_one_line(name, tmp_path, capsys):
    content = FILES[name]
    content(tmp_path / name) if callable(content) else (tmp_path / name).write_text(content)
    assert main(["check", str(tmp_path / name)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    line, = out.splitlines()
    assert line.startswith(str(tmp_path / name)) and "2 queries" in line and "3 " in line
    assert out == f"{line}\n"


def test_a_file_with_problems_takes_short_lines_with_one_fact_each(tmp_path, capsys):
    rows = [{"q": f"What is number {n}?", "outcome": {"ids": [f"d{n}", "d9"]}, "pages": [n, 40], "expected_pages": [n],
             **{f"score_{name}": n / 9 for name in "abcdef"}} for n in range(8)]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"about": 1, "results": rows}))
    assert main(["check", str(path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"error: {path}: found 8 records under results in no format that ragdash knows"
    tries = [line for line in lines if "Try: ragdash check" in line]
    assert tries and all(len(line) <= 100 for line in lines if line not in (lines[0], *tries)), lines
    assert "    query = q" in lines


def test_a_proposed_reading_says_what_it_does_not_read(tmp_path, capsys):
    rows = [{"id": f"q{n}", "query": f"What is number {n}?", "gold_note_ids": [f"d{n}"], "draft": {"by": n},
             "remark": f"A long remark on number {n} that nobody else made."} for n in range(8)]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"about": 1, "results": rows}))
    main(["check", str(path)])
    assert "    not read: draft, remark" in capsys.readouterr().err.splitlines()


def test_a_file_with_a_proposed_reading_says_once_why_it_is_not_read_as_it_is(tmp_path, capsys):
    rows = [f"{bot},What is number {number}?,It is {number}.,{number}" for number in range(9)
            for bot in ("small", "large")]
    file = tmp_path / "bots.csv"
    file.write_text("\n".join(["chatbot,question,answer,ground_truth", *rows]) + "\n")
    assert main(["check", str(file)]) == 2
    printed = capsys.readouterr()
    assert printed.out == f"{file}: not read as it is; a reading is proposed\n"
    assert "config = chatbot" in printed.err and "of other names" not in printed.err
    assert printed.err.count("expected a query once in a run") == 1
    assert "... and 8 more of the kind duplicate-query" in printed.err
    command = printed.err.partition("Try: ragdash ")[2].splitlines()[0].split()
    assert main(command) == 0 and capsys.readouterr().out.count(": run '") == 2


def test_problems_that_are_alike_say_once_what_was_expected_and_all_are_counted(tmp_path, capsys):
    file = tmp_path / "answers.jsonl"
    rows = [{"query_id": f"q{number // 3}", "retrieved": ["a"], "answer": str(number)} for number in range(90)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["check", str(file)]) == 2
    printed = capsys.readouterr()
    assert printed.out == f"{file}: cannot be used, 60 problems\n"
    lines = printed.err.splitlines()
    assert lines[0] == f"error: {file}: expected a query once in a run"
    assert lines[1] == "  line 2 (query_id): found query 'q0' on lines 1 and 2"
    assert lines[-2:] == ["  Keep one of the two, or name each configuration in a field config.",
                          f"... and 55 more of the kind duplicate-query in {file}"]
    assert len(lines) == 1 + 5 + 1 + 1
