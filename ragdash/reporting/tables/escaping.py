"""Cells as text, and what keeps them harmless: formulas in CSV, markup in Markdown, commands in LaTeX."""

from __future__ import annotations

import io
import math
import re

import pyarrow as pa

from ragdash.core.console import aligned, one_line
from ragdash.core.text.csv_lines import csv_text
from ragdash.reporting.tables.excel import workbook

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the last four: full-width, read alike


def number(value: float) -> str:
    """Three decimals with a true minus sign; a dash for undefined."""
    return "–" if value is None or math.isnan(value) else f"{value:.3f}".replace("-", "−")


def p_number(p: float) -> str:
    """Three decimals, below 0.001 as that; a dash for undefined."""
    return "< 0.001" if p < 0.001 else number(p)


def signed(value: float) -> str:
    """Three decimals with the sign; a dash for undefined, no sign where it rounds to 0."""
    if math.isnan(value):
        return number(value)
    return f"{value:+.3f}".replace("-", "−") if round(value, 3) else number(abs(value))


def finite_or_none(value: float) -> float | None:
    """None for NaN and infinity, which JSON lacks."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table_bytes(table: pa.Table, form: str) -> bytes:
    """A table as "csv" (full precision, an empty cell for undefined), "xlsx" or "parquet"."""
    if form == "csv":
        return _csv(table).encode()
    if form == "xlsx":
        return workbook(table)
    from pyarrow import parquet  # slow to import, and few ask for it

    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def table_text(header: list[str], rows: list[list[str]], form: str) -> str:
    """Cells as "table" (aligned text), "markdown" or "latex" (booktabs)."""
    return {"table": aligned, "markdown": _markdown, "latex": _latex}[form](header, rows)


def note_text(text: str, form: str) -> str:
    """A remark below a table, in the comment form of its format."""
    return f"% {one_line(text)}\n" if form == "latex" else f"\n{sentence_text(text, form)}\n"


def sentence_text(text: str, form: str) -> str:
    r"""A plain sentence for an output of this format: in Markdown no name, question or setting in it is markup.

    Examples
    --------
    >>> sentence_text("<b>x is better than # y", "markdown"), sentence_text("# y\n# z", "markdown")
    ('\\<b\\>x is better than # y', '\\# y\\\\n# z')
    """
    return _FIRST_MARK.sub(r"\1\\\2", _escape_markdown(one_line(text))) if form == "markdown" else text


def escape_formula(text: str) -> str:
    """A text that no spreadsheet runs: an apostrophe before what begins as a formula and is no number.

    "=1+1", "@SUM(A1)", "-cmd" and texts that begin with a tab or a line break get one; "-3.5" and "+1e3" do not.
    Source: OWASP, CSV injection.
    """
    is_formula = text.lstrip(" ").startswith(_FORMULA) or text.startswith(_FORMULA)
    return f"'{text}" if is_formula and not _NUMBER.fullmatch(text.strip(" ")) else text


_NUMBERS = re.compile(r"(▲|▼)?\s*[<≈±+−-]*\s*\.?\d.*|[–-]?", re.DOTALL)


def _number_columns(header: list[str], rows: list[list[str]]) -> list[bool]:
    """Which columns are set to the right: those whose cells begin with a number, but for the first."""
    return [index > 0 and all(_NUMBERS.fullmatch(row[index]) for row in rows) for index in range(len(header))]


_MARKS = re.compile(r"[\\`*<>~$&|]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[])")


_FIRST_MARK = re.compile(r"^(\s*\d*)([#+.)=-])")  # of a heading or a list, only at the beginning of a line


def _drawn_line(text: str) -> str:
    """On one line: blanks, tabs and line ends are one blank, as they are drawn; control characters become visible."""
    return one_line(re.sub(r"[ \t\r\n]+", " ", text).strip(" "))


def _escape_markdown(text: str) -> str:
    return _MARKS.sub(r"\\\g<0>", text)


def _markdown(header: list[str], rows: list[list[str]]) -> str:
    def line(cells: list[str]) -> str:
        return "| " + " | ".join(_escape_markdown(_drawn_line(cell)) for cell in cells) + " |"

    rule = ["---:" if is_number else "---" for is_number in _number_columns(header, rows)]
    return "\n".join([line(header), "| " + " | ".join(rule) + " |", *map(line, rows)]) + "\n"


_TEX = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "−": "$-$", "±": r"$\pm$", "≈": r"$\approx$", "∞": r"$\infty$",
    "▲": r"$\uparrow$", "▼": r"$\downarrow$", "\u00a0": "~"})


def escape_latex(text: str) -> str:
    """A text that LaTeX sets as written, on one line; control characters become visible, as in other formats."""
    return _drawn_line(text).translate(_TEX)


def _latex(header: list[str], rows: list[list[str]]) -> str:
    """A booktabs table."""
    def line(cells: list[str]) -> str:
        row = " & ".join(map(escape_latex, cells)) + r" \\"
        is_option = row.startswith(("[", "*"))  # LaTeX would read it as an option of the line above
        return f"{{}}{row}" if is_option else row

    sides = "".join("r" if is_number else "l" for is_number in _number_columns(header, rows))
    body = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", line(header), r"\midrule",
            *map(line, rows), r"\bottomrule", r"\end{tabular}"]
    return "\n".join(body) + "\n"


def _csv(table: pa.Table) -> str:
    """Comma separated, full precision, an empty cell for undefined; texts harmless."""
    columns = [column.to_pylist() for column in table.columns]
    rows = zip(*([escape_formula(cell) if isinstance(cell, str) else None if cell != cell else cell
                  for cell in column] for column in columns), strict=True)
    return csv_text([map(escape_formula, table.column_names), *rows])
