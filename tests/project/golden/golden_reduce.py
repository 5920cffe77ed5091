"""What of an output must stay when its words change: its numbers and its structure.

Prose becomes its numbers, sorted within a paragraph or an element, as a sentence may be turned round; a table's numbers
stay in their order. JSON stays but for sentences and the keys in FREE. Figures and long tables become digests.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import html
import html.parser
import io
import json
import math
import re
import sys

import numpy as np

NUMBER = re.compile(r"(?<![\w.@#/-])[+−-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?(?!\w)")
FREE = {"mend", "fix", "option", "schema", "found", "expected", "effect", "doc", "when", "note", "message", "reason",
        "version", "versions", "made_by", "title", "label", "titles"}
WORDS = {"name", "text", "hovertemplate", "hovertext", "customdata", "ticktext", "label", "labels", "title",
         "texttemplate"}  # of figures
UNREAD = ("template", "datarevision")  # of a layout: the same for all figures; a digest of numbers to the last bit
SHORT = 80  # numbers that are stored themselves; more become a digest
PROSE = {"markdown", "caption", "header", "subheader", "title", "error", "warning", "info", "success", "text", "alert",
         "heading", "code", "html", "latex", "expander", "popover", "tab", "button", "download_button", "metric"}
WIDGETS = {"selectbox", "multiselect", "radio", "button_group", "select_slider", "number_input", "slider", "text_input",
           "text_area", "checkbox", "toggle", "file_uploader"}
LIMITS = ("min", "max", "step", "type_", "max_chars", "accept_multiple", "multiple_files", "disabled", "selection_mode")


def numbers(text: str) -> list[str]:
    """The numbers of a text in their order; a figure inside a name (R@10, q004, a digest) is none."""
    return [number.replace("−", "-").replace(",", "") for number in NUMBER.findall(text)]


def prose(text: str) -> list[str]:
    return sorted(numbers(text))


def digest(content) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def short(values: list[str]) -> str:
    """The numbers themselves where they are few, else how many and their digest."""
    return " ".join(values) if len(values) <= SHORT else f"{len(values)}:{digest(values)}"


def rounded(value: float):
    """Seven digits: the last bits of a sum may differ between processors; ties are moved off the half way."""
    if not math.isfinite(value):
        return repr(value)
    result = float(f"{value * (1 + 1e-11):.7g}")
    return int(result) if result.is_integer() and abs(result) < 2**53 else result


def is_name(text: str) -> bool:
    """Whether a text is an id, a metric or a choice rather than words."""
    return not re.search(r"\s", text.strip())


def reduce_json(value, *, words: bool = True):
    """JSON without sentences: their numbers alone, or with words=False nothing of them."""
    if isinstance(value, dict):
        return {key: reduce_json(item, words=words) for key, item in value.items() if key not in FREE}
    if isinstance(value, list):
        return [reduce_json(item, words=words) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return rounded(value)
    return value if is_name(value) else (prose(value) if words else None)


def compact_json(value, limit: int = 1500):
    """The JSON itself where it is short, else its parts, a long leaf list or dictionary as a digest."""
    text = json.dumps(value, separators=(",", ":"))
    if len(text) <= limit or not isinstance(value, dict | list):
        return value
    if isinstance(value, list):
        small = [compact_json(item, limit) for item in value]
        return small if len(json.dumps(small)) <= 2 * limit else f"{len(value)}:{digest(value)}"
    small = {key: compact_json(item, limit) for key, item in value.items()}
    return small if len(json.dumps(small)) <= 6 * limit else f"{len(value)}:{digest(value)}"


def reduce_text(text: str) -> list[str]:
    """Paragraphs: of a table every line's numbers in order, of prose the numbers sorted."""
    results = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.strip("\n").split("\n")
        if any(re.match(r"[-| :]*--[-| :]*$|\\begin\{tabular\}|.* & ", line) for line in lines):
            rows = [numbers(line) for line in lines]
            results.append(f"table {len(lines)} " + (" | ".join(map(" ".join, rows)) if len(lines) <= 9
                                                     else digest(rows)))
        elif values := prose(paragraph):
            results.append(short(values))
    return results


def reduce_csv(text: str) -> dict:
    rows = list(csv.reader(io.StringIO(text)))
    cells = [[cell_content(cell) for cell in row] for row in rows]
    return {"header": rows[0] if rows and len(" ".join(rows[0])) < 300 else digest(rows[:1]), "rows": len(rows) - 1,
            "digest": digest(cells)}


def cell_content(text: str):
    try:
        return rounded(float(text))
    except ValueError:
        return text if is_name(text) else prose(text)


def reduce_output(text: str, arguments: list[str]):
    """Standard output of a command, by what it looks like."""
    if "json" in arguments and text.startswith(("{", "[")):
        with_words = "metrics" not in arguments[:1]
        return compact_json(reduce_json(json.loads(text), words=with_words))
    if "csv" in arguments:
        return reduce_csv(text)
    if text.startswith("<?xml"):
        return reduce_xml(text)
    return reduce_text(text) if arguments[0] != "metrics" else text.count("\n    range ")


def reduce_xml(text: str) -> dict:
    import xml.etree.ElementTree as tree

    nodes = [(node.tag, sorted(node.attrib.keys() - {"message"}), prose(" ".join([*node.attrib.values(),
              node.text or ""]))) for node in tree.fromstring(text).iter()]
    return {"nodes": len(nodes), "digest": digest(nodes)}


def reduce_command(result: dict, executable: str = sys.executable) -> dict:
    """One command: what it was, its status, its output, the numbers of its messages, the files that it wrote."""
    arguments = result["arguments"]
    timed = arguments[0] == "ab"  # the messages tell how long it took
    content = {"command": " ".join(arguments).replace(executable, "python"), "status": result["status"]}
    if result["kinds"]:
        content["kinds"] = result["kinds"]
    if result["out"]:
        content["out"] = reduce_output(result["out"], arguments)
    if result["err"] and not timed and result["status"] != 2:
        content["err"] = short(prose(result["err"]))
    if result["files"]:
        content["files"] = {name: reduce_file(name, data) for name, data in result["files"].items()
                            if not (timed and "journal" in name)}
    return content


def reduce_file(name: str, data: bytes):
    if name.endswith(".html"):
        return reduce_html(data.decode())
    if name.endswith(".parquet"):
        import pyarrow.parquet as parquet

        table = parquet.read_table(io.BytesIO(data))
        return {"columns": table.column_names, "rows": table.num_rows, "digest": digest(reduce_json(table.to_pylist()))}
    if name.endswith(".xlsx"):
        import python_calamine

        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = [reduce_json(book.get_sheet_by_index(sheet).to_python()) for sheet in range(len(book.sheet_names))]
        return [f"{len(sheet)}x{len(sheet[0])}:{digest(sheet)}" for sheet in sheets[:1]]
    text = data.decode()
    if name.endswith(".csv"):
        return reduce_csv(text)
    if name.endswith(".json"):
        return compact_json(reduce_json(json.loads(text)))
    if name.endswith(".jsonl"):
        rows = [without_times(reduce_json(json.loads(line))) for line in text.splitlines()]
        keys = sorted({key for row in rows if isinstance(row, dict) for key in row})
        return {"keys": keys, "rows": len(rows), "digest": digest(rows)}
    return {"lines": text.count("\n"), "digest": hashlib.sha256(data).hexdigest()[:10]}


def without_times(row):
    return {key: value for key, value in row.items() if not key.startswith(("latency", "settings", "time"))} \
        if isinstance(row, dict) else row


class Page(html.parser.HTMLParser):
    """The sections of a report: tables as rows of numbers, figures, and the numbers of the prose."""

    VOID = ("br", "meta", "img", "input", "link", "hr")

    def __init__(self):
        super().__init__()
        self.sections: dict[str, dict] = {}
        self.figures: dict[str, dict] = {}
        self.section, self.stack, self.script = "", [], None
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        facts = dict(attrs)
        if tag == "section":
            self.section = facts.get("id", "")
        here = self.sections.setdefault(self.section, {"tables": [], "words": []})
        if tag == "table":
            here["tables"].append([])
        elif tag == "tr" and here["tables"]:
            here["tables"][-1].append([])
        elif tag in ("td", "th") and here["tables"] and here["tables"][-1]:
            here["tables"][-1][-1].append("")
        elif tag == "script" and facts.get("type") == "application/json":
            self.script = facts.get("id", "")
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        while self.stack and self.stack.pop() != tag:
            pass
        if tag == "script":
            self.script = None

    def handle_data(self, data):
        if self.script is not None:
            self.figures[self.script] = json.loads(data)
        elif "td" in self.stack or "th" in self.stack:
            self.sections[self.section]["tables"][-1][-1][-1] += data
        elif not {"script", "style", "caption"} & set(self.stack):
            self.sections.setdefault(self.section, {"tables": [], "words": []})["words"].append(data)


def reduce_html(text: str) -> dict:
    """Sections of a report; of the guide of the metrics and of the versions no prose."""
    page = Page()
    page.feed(text)
    sections = {}
    for name, content in page.sections.items():
        tables = [[[short(numbers(cell)) for cell in row] for row in table] for table in content["tables"]]
        values = [] if name in ("metrics", "versions", "") else prose(" ".join(content["words"]))
        sections[name] = {"tables": [f"{len(table)}x{max(map(len, table), default=0)}:{digest(table)}"
                                     for table in tables], "numbers": short(values)}
    figures = {name: {mode: reduce_figure(figure) for mode, figure in modes.items() if isinstance(figure, dict)}
               if "data" not in modes else reduce_figure(modes) for name, modes in page.figures.items()
               if isinstance(modes, dict)}
    return {"sections": sections, "figures": {name: digest(figure) for name, figure in figures.items()}}


def reduce_figure(figure: dict) -> list[str]:
    """Every trace: type, points, and the digest of all but its words; in the end that of the layout."""
    traces = []
    for trace in figure.get("data", ()):
        facts = figure_content(trace)
        points = max((len(facts[axis]) for axis in ("x", "y", "z") if isinstance(facts.get(axis), list)), default=0)
        traces.append(f"{trace.get('type', 'scatter')}:{points}:{digest(facts)}")
    layout = {key: value for key, value in figure.get("layout", {}).items() if key not in UNREAD}
    return [*traces, f"layout:{digest(figure_content(layout))}"]


def figure_content(value, key: str = ""):
    """A part of a figure, arrays decoded, numbers rounded, words by their numbers."""
    if isinstance(value, dict):
        if set(value) >= {"dtype", "bdata"}:
            array = np.frombuffer(base64.b64decode(value["bdata"]), np.dtype(value["dtype"]))
            return [rounded(float(item)) for item in array.ravel()]
        inner = key if key in WORDS else ""
        return {name: figure_content(item, name if name in WORDS else inner) for name, item in value.items()}
    if isinstance(value, list):
        return [figure_content(item, key) for item in value]
    if isinstance(value, str):
        return prose(value) if key in WORDS or not is_name(value) else value
    if isinstance(value, bool) or value is None:
        return value
    return rounded(value)


def reduce_page(page: dict) -> dict:
    """A page: its address, and a line for every element of its main area and its sidebar."""
    return {"address": page["address"], **{side: [reduce_element(element) for element in page[side]]
                                           for side in ("main", "sidebar")}}


def reduce_element(element: dict) -> str:
    """Depth, type and key of an element, and what of its content is no words."""
    kind = element["type"]
    name = f"{element['depth']} {kind}" + (f" #{element['key'].replace('mend', 'fix')}" if element["key"] else "")
    if kind == "plotly_chart":
        return f"{name} {' '.join(reduce_figure(element['figure']))}"
    if "frame" in element:
        return f"{name} {reduce_frame(element['frame'])}"
    if kind in WIDGETS:
        return f"{name} {reduce_widget(element)}".rstrip()
    if kind == "page_link":
        return f"{name} {element.get('page') or element.get('url', '')}"
    if kind in PROSE:
        texts = [element.get(field) for field in ("body", "label", "text", "code_text") if element.get(field)]
        text = " ".join(text for text in texts if "://" not in text or not is_name(text))
        values = prose(html.unescape(text if kind == "html" else re.sub(r"</?[a-z][^>]*>", " ", text)))
        return f"{name} {short(values)}".rstrip()
    return name


def reduce_frame(frame: dict) -> str:
    columns = [[rounded(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else
                cell if cell is None or isinstance(cell, bool) else numbers(str(cell)) for cell in column]
               for column in frame.values()]
    rows = max(map(len, columns), default=0)
    return f"{rows}x{len(columns)} {' '.join(digest(column) for column in columns)}"


def reduce_widget(element: dict) -> str:
    facts = {name: element[name] for name in LIMITS if name in element and is_name(str(element[name]))}
    options = element.get("options")
    if options is not None:
        facts["options"] = f"{len(options)}:{short(prose(' '.join(map(str, options))))}"
    value = element.get("value")
    if isinstance(value, str):
        value = value if is_name(value) else prose(value)
    elif isinstance(value, list | tuple):
        value = [item if not isinstance(item, str) or is_name(item) else prose(item) for item in value]
    if value not in (None, "", []):
        facts["value"] = value
    return " ".join(f"{name}={json.dumps(fact, separators=(',', ':'))}" for name, fact in facts.items())
