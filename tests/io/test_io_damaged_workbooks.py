"""Workbooks with hidden sheets and damaged cells, tar archives, and files of zero bytes alone."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile

import pytest
from openpyxl import Workbook

from ragdash.core.errors import InputError
from ragdash.io import read_run, read_runs
from ragdash.io.source.source import Source
from ragdash.io.tables.excel_sheets import _reading

ROWS = [["query_id", "doc_id", "score"], ["q1", "d1", 2], ["q1", "d2", 1]]


def workbook(**sheets: list[list]) -> bytes:
    book, content = Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        sheet.sheet_state = "hidden" if name.startswith("hidden") else "visible"
        for row in rows:
            sheet.append(row)
    book.active = len(sheets) - 1
    book.save(content)
    return content.getvalue()


def with_sheet(content: bytes, old: bytes, new: bytes) -> bytes:
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(changed, "w") as copy:
        for info in archive.infolist():
            data = archive.read(info)
            assert info.filename != "xl/worksheets/sheet1.xml" or old in data
            copy.writestr(info, data.replace(old, new, 1) if info.filename == "xl/worksheets/sheet1.xml" else data)
    return changed.getvalue()


def message(name: str, content: bytes) -> str:
    with pytest.raises(InputError) as raised:
        read_runs((name, content))
    return raised.value.problems[0].message


def test_a_sheet_that_is_shown_is_read_rather_than_a_hidden_one():
    content = workbook(hidden_old=[ROWS[0], ["q9", "d9", 1]], current=ROWS)
    run = read_run(("runs.xlsx", content))
    assert list(run.query_ids.to_pylist()) == ["q1"]
    assert [problem.facts["name"] for problem in run.problems] == ["hidden_old"]
    only = read_run(("runs.xlsx", workbook(hidden_only=ROWS, notes=[["about"], ["x"]])))
    assert only.query_ids.to_pylist() == ["q1"], "a hidden sheet is read where no other one has known columns"


@pytest.mark.parametrize("place", [b'"ZZZZZ99999999"', b'"ZZZZZZ99999999999"', b"'zzzzz99999999'",
                                   b'"A' + b"9" * 5000 + b'"'])
def test_a_cell_far_outside_of_every_sheet_is_too_large_a_table(place):
    content = with_sheet(workbook(runs=ROWS), b'r="A1"', b"r=%s" % place)
    assert message("runs.xlsx", content) == "too-large-table"


def test_a_workbook_without_values_is_not_called_damaged():
    assert message("runs.xlsx", workbook(runs=[])) == "empty-file/workbook"


@pytest.mark.parametrize("place", [b"A0", b"-B-2"])
def test_a_cell_at_an_impossible_place_is_a_damaged_workbook(place):
    content = with_sheet(workbook(runs=ROWS), b'r="A1"', b'r="%s"' % place)
    assert message("runs.xlsx", content).startswith("corrupt-file")


@pytest.mark.parametrize("rows", [ROWS, [["passage", "number", "length"], *ROWS[1:]]], ids=["known", "unknown"])
@pytest.mark.parametrize("row", [1, 2, 3])
def test_a_duration_that_python_cannot_hold_is_a_damaged_workbook(rows, row):
    book, content = Workbook(), io.BytesIO()
    for values in rows:
        book.active.append(values)
    cell = book.active.cell(row, 3, 1e9)
    cell.number_format = "[h]:mm:ss"
    book.save(content)
    expected = "corrupt-file" if rows is ROWS or row == 1 else "missing-column/returned"  # no row is needed to say so
    assert message("runs.xlsx", content.getvalue()).startswith(expected)


def test_compiled_code_says_nothing_of_an_impossible_date(capfd):
    book, content = Workbook(), io.BytesIO()
    for row in (["query_id", "doc_id", "when"], ["q1", "d1", 5]):
        book.active.append(row)
    book.active["C2"].number_format = "yyyy-mm-dd"
    book.save(content)
    damaged = with_sheet(content.getvalue(), b"<v>5</v>", b"<v>-1e300</v>")
    assert message("run.xlsx", damaged).startswith("corrupt-file")
    assert not capfd.readouterr().err


def test_what_others_write_while_a_workbook_is_read_is_not_lost(capfd):
    with _reading(Source(("run.xlsx", b"x"))):
        os.write(2, b"of another thread")
    assert capfd.readouterr().err == "of another thread"


def test_a_tar_archive_and_zero_bytes_are_not_taken_for_text_of_another_encoding():
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        info = tarfile.TarInfo("a.trec")
        info.size = 16
        archive.addfile(info, io.BytesIO(b"q1 Q0 d1 1 3 t\n\n"))
    assert message("a.tar", packed.getvalue()) == "binary-file"
    assert message("a.trec", bytes(100_000)) == "binary-file/zero-bytes"
    with pytest.raises(InputError, match="found a binary file, with NUL bytes"):  # not: 0 bytes, as in an empty file
        read_run(("a.trec", bytes(100_000)))
    assert message("a.trec", "q1 Q0 d1 1 3 t\n".encode("utf-16-le")) == "wrong-encoding"
