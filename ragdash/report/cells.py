"""Tables in the formats people paste: text, CSV, Markdown, LaTeX, Parquet; numbers and p-values as text."""

from __future__ import annotations

import csv
import io
import math

import pyarrow as pa

from ragdash.console import aligned


def number(value: float) -> str:
    """Three decimals; a dash for undefined."""
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"


def signed(value: float) -> str:
    """Three decimals with the sign; a dash for undefined, no sign where it rounds to 0."""
    if math.isnan(value):
        return number(value)
    return f"{value:+.3f}" if round(value, 3) else number(abs(value))


def null(value: float) -> float | None:
    """None for NaN and infinity, which JSON lacks."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_bytes(table: pa.Table, form: str) -> bytes:
    """A table as "csv" (full precision, an empty cell for undefined) or "parquet"."""
    if form == "csv":
        return _csv(table).encode()
    from pyarrow import parquet  # slow to import, and few ask for it

    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def as_text(header: list[str], rows: list[list[str]], form: str) -> str:
    """Cells as "table" (aligned text), "markdown" or "latex" (booktabs)."""
    return {"table": aligned, "markdown": _markdown, "latex": _latex}[form](header, rows)


def as_note(text: str, form: str) -> str:
    """A remark below a table, in the comment form of its format."""
    return f"% {text}\n" if form == "latex" else f"\n{text}\n"


def _markdown(header: list[str], rows: list[list[str]]) -> str:
    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join([line(header), "| " + " | ".join(rule) + " |", *map(line, rows)]) + "\n"


_TEX = str.maketrans({"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
                      "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"})


def _latex(header: list[str], rows: list[list[str]]) -> str:
    """A booktabs table."""
    def line(cells: list[str]) -> str:
        return " & ".join(cell.translate(_TEX) for cell in cells) + r" \\"

    body = [rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\toprule", line(header), r"\midrule",
            *map(line, rows), r"\bottomrule", r"\end{tabular}"]
    return "\n".join(body) + "\n"


def _csv(table: pa.Table) -> str:
    """Comma separated, full precision, an empty cell for undefined."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return out.getvalue()
