"""Tables and pictures as files: what comes back is what went in, and no cell runs."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from helpers import run_of, truth_of
from hostile import BAD
from pyarrow import parquet
from python_calamine import CalamineWorkbook

from ragdash.cli.main import main
from ragdash.core.errors import InputError
from ragdash.evaluation.compare import ComparisonRules
from ragdash.evaluation.evaluate import Summary, evaluate
from ragdash.metrics import parse_spec, parse_specs
from ragdash.reporting import figure_files
from ragdash.reporting.plots.common.axes import axis_of
from ragdash.reporting.plots.leaderboard import means
from ragdash.reporting.tables.comparison import paper_note, paper_table
from ragdash.reporting.tables.escaping import escape_formula, escape_latex
from ragdash.reporting.tables.excel import MAX_CHARACTERS, workbook
from ragdash.reporting.tables.export import TABLES, export_table, long_values, wide_values

IDS = ["007", "2506.00500", "1e5", "=1+1", "-cmd", "+44 20", "@x", "\tx", "-3.5", " =1", "ü<b>&\"'",
       "_x0041_", "a\x01b"]
TABLE = pa.table({"query_id": IDS, "value": [0.1, float("nan"), None, 1 / 3, *range(4, 13)],
                  "n": pa.array([2**60, *range(12)], pa.int64())})


@pytest.mark.parametrize("text, written", [
    ("=1+1", "'=1+1"), ("+44 20", "'+44 20"), ("-cmd", "'-cmd"), ("@SUM(A1)", "'@SUM(A1)"), ("\tx", "'\tx"),
    ("\rx", "'\rx"), ("\n=1", "'\n=1"), (" =1", "' =1"), ("＝1", "'＝1"), ("-3.5", "-3.5"), ("+1e3", "+1e3"),
    ("-.5", "-.5"), ("a=1", "a=1"), ("", ""), ("q-1", "q-1"), ("-", "'-"), ("-1-1", "'-1-1")])
def test_a_text_that_begins_a_formula_gets_an_apostrophe(text, written):
    assert escape_formula(text) == written


def test_csv_gives_back_numbers_in_full_and_texts_harmless():
    rows = list(csv.reader(io.StringIO(export_table(TABLE, "csv").decode())))
    assert rows[0] == ["query_id", "value", "n"]
    assert [row[0] for row in rows[1:]] == [escape_formula(one) for one in IDS]
    assert rows[4][1] == repr(1 / 3) and rows[2][1] == rows[3][1] == "" and rows[1][2] == str(2**60)
    assert not any(cell[:1] in "=@\t\r" and cell for row in rows for cell in row)


def test_a_header_is_made_harmless_too():
    assert export_table(pa.table({"=1+1": [1]}), "csv").decode().startswith("'=1+1\n")


def test_excel_holds_ids_as_text_and_numbers_as_numbers():
    sheet = openpyxl.load_workbook(io.BytesIO(export_table(TABLE, "xlsx"))).active
    cells = list(sheet.iter_rows())
    assert [row[0].value for row in cells[1:]] == [one.replace("\x01", "\ufffd") for one in IDS]
    assert all(row[0].data_type == "s" for row in cells), "nothing is a formula"
    assert cells[1][1].value == 0.1 and cells[2][1].value is None and cells[4][1].value == 1 / 3
    assert cells[1][2].value == str(2**60), "a number that Excel would round is text"
    assert cells[2][2].value == 0 and sheet.freeze_panes == "A2" and cells[0][0].font.b
    read = CalamineWorkbook.from_filelike(io.BytesIO(export_table(TABLE, "xlsx"))).get_sheet_by_index(0).to_python()
    assert [row[0] for row in read[1:5]] == IDS[:4]


def test_excel_says_where_it_cuts_and_refuses_what_it_cannot_hold():
    sheet = openpyxl.load_workbook(io.BytesIO(workbook(pa.table({"text": ["x" * 40_000]})))).active
    assert len(sheet["A2"].value) == MAX_CHARACTERS and "cut" in sheet["A2"].value[-60:]
    with pytest.raises(InputError, match="Choose CSV or Parquet"):
        workbook(pa.table({"n": pa.array(np.zeros(1_048_576, np.int8))}))


def test_the_same_table_gives_the_same_workbook():
    assert workbook(TABLE) == workbook(TABLE)


@pytest.mark.parametrize("value", [0.1 + 0.2, 2 / 3, 1e-300, 2**53 - 1, True, "<r><t>bold</t></r>", "http://a.b/c"])
def test_excel_keeps_every_digit_and_takes_no_text_for_markup_or_a_link(value):
    cell = openpyxl.load_workbook(io.BytesIO(workbook(pa.table({"value": [value]})))).active["A2"]
    assert cell.value == value and cell.hyperlink is None


def test_parquet_gives_the_table_back():
    back = parquet.read_table(io.BytesIO(export_table(TABLE, "parquet")))
    pd.testing.assert_frame_equal(back.to_pandas(), TABLE.to_pandas())
    assert back.schema.equals(TABLE.schema)


def test_markdown_keeps_its_columns_whatever_stands_in_them():
    lines = export_table(pa.table({"a": list(BAD), "b": [0.5] * len(BAD)}), "markdown").decode().splitlines()
    assert len(lines) == 2 + len(BAD)
    for line in lines:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3
        assert not re.search(r"(?<!\\)[<`*]", line) and not re.search(r"(?<!\\)\]\(", line)


def test_tables_for_people_have_titles_of_metrics_sides_for_texts_and_no_number_that_looks_like_zero():
    cells = {"run": ["a", "b"], "metric": ["nDCG@10", "file:latency(high=None)"], "p": [0.00011, 0.0],
             "needed": [843.4, 1e5]}
    assert export_table(pa.table(cells), "latex").decode().splitlines() == [
        r"\begin{tabular}{llrr}", r"\toprule", r"run & metric & p & needed \\", r"\midrule",
        r"a & NDCG@10 & 0.00011 & 843.400 \\", r"b & latency (file) & 0.000 & 100000 \\",
        r"\bottomrule", r"\end{tabular}"]
    assert b"| --- | --- | ---: | ---: |" in export_table(pa.table(cells), "markdown")
    assert b"nDCG@10" in export_table(pa.table(cells), "csv")
    assert export_table(pa.table({"TokenF1": [0.5]}), "latex").decode().splitlines()[2] == r"Token F1 \\"


def test_latex_sets_texts_as_written():
    cells = {"a": ["50% & $x_1$ \\write18{ls} #1 ~^", "a\nb"], "b": [0.5, float("nan")]}
    table = export_table(pa.table(cells), "latex").decode()
    assert r"50\% \& \$x\_1\$ \textbackslash{}write18\{ls\} \#1 \textasciitilde{}\textasciicircum{} & 0.500 \\" in table
    assert r"a b & -- \\" in table and table.startswith(r"\begin{tabular}{lr}" + "\n\\toprule")
    odd = pa.table({"a": ["x\x1b[31m\x1cy\u2028z \u06cc\u200cx \U0001f469\u200d\U0001f467"]})  # words have joiners
    assert r"x\textbackslash{}x1b[31m\textbackslash{}x1cy\textbackslash{}u2028z" in export_table(odd, "latex").decode()
    for form in ("latex", "markdown"):
        assert "\u06cc\u200cx \U0001f469\u200d\U0001f467" in export_table(odd, form).decode()
    assert "x\\\\x1b[31m\\\\x1cy\\\\u2028z" in export_table(odd, "markdown").decode()
    for bad in BAD:
        rest = re.sub(r"\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textquotedbl)\{\}"
                      r"|\\[&%$#_{}]|\$\\?[a-z-]*\$", "", escape_latex(bad))
        assert not re.search(r"[\\&%$#_{}^<>|]", rest), escape_latex(bad)


@pytest.mark.parametrize("name", ["[2cm]", "[", "*", "* [b]"])
def test_a_latex_row_is_never_an_option_of_the_line_above(name):
    rows = export_table(pa.table({name: [name, "b", name], "b": [0.5, 0.25, 1.0]}), "latex").decode().splitlines()
    for line in rows:
        assert not line.startswith(("[", "*"))
    assert sum(line.startswith("{}" + name) for line in rows) == 3


def test_a_data_frame_is_taken_as_it_stands():
    frame = pd.DataFrame({"Run": ["a", None], "Mean": [0.25, np.nan], "mixed": ["x", 3]})
    assert export_table(frame, "csv").decode() == "Run,Mean,mixed\na,0.25,x\n,,3\n"
    assert set(TABLES) == {"csv", "xlsx", "parquet", "markdown", "latex"}
    for form in TABLES:
        assert export_table(frame, form)


def evaluations():
    truth = truth_of({"q1": ["a"], "q2": ["b"], "q3": []})
    rankings = {"q1": ["a"], "q2": ["x", "b"], "q3": ["a"]}
    return [evaluate(run_of(rankings, name), truth, "RR P@1") for name in ("r", "s")]


def test_values_of_every_query_long_and_wide_are_the_evaluation():
    found = evaluations()
    long = long_values(found).to_pylist()
    assert long[:2] == [{"run": "r", "query_id": "q1", "metric": "RR", "value": 1.0},
                        {"run": "r", "query_id": "q1", "metric": "P@1", "value": 1.0}]
    assert len(long) == 2 * 3 * 2
    for row in long:
        one = found["rs".index(row["run"])]
        expected = one.column(row["metric"])[one.query_ids.index(row["query_id"]).as_py()]
        assert row["value"] == expected or (row["value"] is None and np.isnan(expected))
    wide = wide_values(found).to_pylist()
    assert list(wide[0]) == ["query_id", "r RR", "r P@1", "s RR", "s P@1"]
    assert wide[1]["r RR"] == 0.5 and wide[2]["r RR"] is None


def figure():
    return means(["a", BAD[0]], [0, 1], np.array([0.5, 0.6]), np.array([0.4, 0.5]), np.array([0.6, 0.7]),
                 np.array([9, 9]), axis=axis_of(parse_spec("nDCG@10")))


def test_a_picture_as_json_needs_no_browser(monkeypatch):
    monkeypatch.setattr(figure_files, "find_browser", lambda: None)
    assert len(json.loads(figure_files.render_figure(figure(), "json"))["data"]) == 2
    with pytest.raises(InputError, match="Install Chromium"):
        figure_files.render_figure(figure(), "svg")


def test_a_browser_named_in_the_environment_is_the_one(monkeypatch, tmp_path):
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "none"))
    assert figure_files.find_browser() is None and figure_files.missing_requirement().kind in (
        "no-browser",
        "no-kaleido",
    )


@pytest.mark.browser
@pytest.mark.skipif(figure_files.missing_requirement() is not None, reason="no kaleido, or no Chromium for it")
def test_png_and_svg_are_drawn():
    (svg,) = figure_files.render_figures([figure()], "svg")
    assert svg.startswith(b"<svg") and b"&#60;script" in svg and b"<script" not in svg
    png = figure_files.render_figure(figure(), "png", width=500)
    assert png.startswith(b"\x89PNG") and int.from_bytes(png[16:20]) == 1000


def put_out(capfdbinary, *more: str) -> bytes:
    samples = Path(__file__).resolve().parents[3] / "sample_runs"
    assert main(["evaluate", str(samples / "dense.jsonl"), str(samples / "sparse.jsonl"), "--truth",
                 str(samples / "truth.jsonl"), "-m", "RR P@5", "--resamples", "40", *more]) == 0
    return capfdbinary.readouterr().out


def test_the_command_line_writes_every_shape(capfdbinary):
    heads = {shape: put_out(capfdbinary, "--per-query", "--shape", shape, "--format", "csv").decode().splitlines()
             for shape in ("rows", "long", "wide")}
    assert {shape: lines[0] for shape, lines in heads.items()} == {
        "rows": "run,query_id,RR,P@5", "long": "run,query_id,metric,value",
        "wide": "query_id,dense RR,dense P@5,sparse RR,sparse P@5"}
    assert [len(lines) - 1 for lines in heads.values()] == [2 * 122, 2 * 122 * 2, 122]


def test_the_command_line_writes_excel(capfdbinary):
    sheet = openpyxl.load_workbook(io.BytesIO(put_out(capfdbinary, "--format", "xlsx"))).active
    rows = list(sheet.iter_rows(values_only=True))
    assert rows[0] == ("run", "metric", "mean", "low", "high", "n", "undefined") and len(rows) == 1 + 4
    assert rows[1][0] == "dense" and isinstance(rows[1][2], float) and rows[1][5] == 110


def test_a_paper_gets_runs_and_metrics_with_intervals_marks_and_n():
    first, second = parse_specs("RR R@2")
    summaries = [[Summary(first, 0.5, 0.4, 0.6, n=20, undefined=0), Summary(second, 0.25, 0.2, 0.3, n=20, undefined=0)],
                 [Summary(first, 0.75, 0.7, 0.8, n=20, undefined=0), Summary(second, 0.2, 0.1, 0.3, n=20, undefined=0)]]
    deltas = {(1, first): SimpleNamespace(outcome="better"), (1, second): SimpleNamespace(outcome="undecided")}
    table = paper_table(["old", "new"], summaries, deltas, [1, 0])
    assert table.to_pylist() == [
        {"Run": "new", first.title: "▲ 0.750 [0.700, 0.800]", second.title: "0.200 [0.100, 0.300]", "n": 20},
        {"Run": "old", first.title: "0.500 [0.400, 0.600]", second.title: "0.250 [0.200, 0.300]", "n": 20}]
    note = paper_note("old", ComparisonRules(), 2)
    text = export_table(table, "latex", note).decode()
    assert r"new & $\uparrow$ 0.750 [0.700, 0.800] & 0.200 [0.100, 0.300] & 20 \\" in text
    assert (r"% Mean [95\% interval] over n queries. Against old: $\uparrow$ better, $\downarrow$ worse (p "
            r"\textless{} 0.05)") in text, "ready for a caption"
    summaries[0][1] = replace(summaries[0][1], n=18)
    uneven = paper_table(["old", "new"], summaries, deltas, [1, 0])
    assert uneven.column_names == ["Run", first.title, second.title]
    assert uneven.to_pylist()[1][second.title] == "0.250 [0.200, 0.300] (n = 18)"
