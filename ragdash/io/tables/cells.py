"""Parse a table cell into text, a number, a list or an object (as JSON, as Python, or separated by bars)."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize

from ragdash.core.text.quoted import cut_middle, quoted
from ragdash.io.field_names import MISSING_TEXTS, PARALLEL_FIELDS, STAGE_TIMES
from ragdash.io.json.exact_parser import NumberText, object_of_unique_keys
from ragdash.io.json.typed_fields import Cell

TEXTS = ("query", "answer", "config")
LISTS = ("retrieved", "relevant", "allowed", "contexts", "answers", "evidence", "score", "rank", "text", "source",
         "chat_history")
TEXT_LISTS = ("contexts", "answers", "evidence")  # lists of texts; a cell may hold a single text
OBJECTS = ("settings", "usage", "attributes", "metrics")
NUMBERS = ("latency_ms", "latency_s", *STAGE_TIMES, "prompt_tokens", "completion_tokens", "cost_usd")
IDS = ("retrieved", "relevant", "allowed")  # lists of ids, and of nothing else
_BAR, _TIGHT_BAR = re.compile(r"\|"), re.compile(r"(?<![\s|])\|(?![\s|])")
_BARS = re.compile(r"\|{2,}")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_ADJACENT_STRINGS = re.compile(r"""['"]\s+[rbuf]?['"]""")
_DECODER = json.JSONDecoder(
    object_pairs_hook=object_of_unique_keys, parse_int=NumberText, parse_float=NumberText, parse_constant=float
)


ID_PART = r"(?=[^\s,;|]*[A-Za-z])[^\s,;|]*[\d_./#-][^\s,;|]*"  # letters with a digit or a mark
IDS_WITH_BLANKS = re.compile(rf"{ID_PART}(?:\s+{ID_PART})+")
_SEPARATED_IDS = re.compile(r"[^\s,;|]+(?:\s*;\s*[^\s,;|]+)+|[^\s,;|]+(?:,\s+[^\s,;|]+)+")


_CUT_START = re.compile(r"""\s*[\[{(]\s*(?:[\[{(]\s*)?['"]""")


def is_cut_off(text: str) -> bool:
    """Whether a cell begins as a list or an object does and has no end, as where a program cuts long cells.

    Examples
    --------
    >>> [is_cut_off(text) for text in ('["d1", "d', '["d1", "d2"]', "[see the FAQ] for more", "[1] says more")]
    [True, False, False, False]
    """
    return _CUT_START.match(text) is not None and text.rstrip()[-1] not in "]})"


class UnreadableCell(ValueError):
    """The text of a cell cannot be parsed as a list; the message is the reason."""


def parse_cell(name: str, cell_text: str, cell: Cell):
    """The value of a cell in the column of the field `name`; None for an empty cell. Notes unreadable text."""
    if cell_text in MISSING_TEXTS and name != "query_id":
        return None
    if name == "query_id":
        return _parse_id(cell_text, cell)
    if name in TEXTS:
        return cell_text
    if name == "metrics" and not cell_text.lstrip().startswith("{"):
        return parse_attribute(cell_text)
    if name in NUMBERS and not cell_text.lstrip().startswith("{"):
        return parse_number(cell_text)
    return _parse_list_or_object(name, cell_text, cell)


def parse_attribute(cell_text: str):
    """The value of an attribute: a number where parsing and writing it gives the same text, else text."""
    if _NUMBER.fullmatch(cell_text) and len(cell_text) < 16:
        value = float(cell_text) if re.search("[.eE]", cell_text) else int(cell_text)
        if json.dumps(value) == cell_text:
            return value
    return cell_text


def parse_number(cell_text: str):
    """A number with its digits; other text unchanged."""
    return NumberText(cell_text.strip()) if _NUMBER.fullmatch(cell_text.strip()) else cell_text


def _parse_id(cell_text: str, cell: Cell) -> str:
    value = cell_text.strip(" \t")
    if value and value != cell_text:
        cell.note("padded-id", {"written": quoted(cut_middle(cell_text, 60)), "value": value}, severity="warning")
    return value


def _parse_list_or_object(name: str, cell_text: str, cell: Cell):
    """A list or an object; text without brackets is split at bars where the field may hold several values."""
    text = cell_text.strip()
    if not text:
        return None
    if text.startswith(("[", "{", "(", "array(")):
        try:
            value = parse_nested(text)
        except UnreadableCell as reason:
            is_text = text[-1] not in "]})" or text[1:].lstrip()[:1] not in tuple("'\"[{(")
            if name in TEXT_LISTS and is_cut_off(text):
                cell.note("cut-list", {"end": text[-40:]}, severity="warning")
            if name not in IDS and name not in OBJECTS and (name in PARALLEL_FIELDS or is_text):
                return cell_text if name in PARALLEL_FIELDS else [cell_text]  # a text such as "[1] says ..."
            expected = "an object" if name in OBJECTS else "a list"
            return cell.note("bad-list", {"start": text[:60], "reason": reason, "type": expected})
        if name in TEXT_LISTS and type(value) not in (list, dict):
            return [cell_text]
        return value if type(value) is not dict or name not in ("contexts", "answers", "evidence") else [value]
    if name in OBJECTS:
        return cell.note_wrong_type(cell_text, "an object")
    if "|" in text and (name in IDS or _may_hold_several(name, cell.field)):
        is_wide = "||" in text and name in (*TEXT_LISTS, *IDS)  # "|||" between texts that may have bars themselves
        parts = _BARS.split(text) if is_wide else split_at_bars(text) if name in TEXT_LISTS else text.split("|")
        items = [item.strip() for item in parts]
        return [parse_number(item) for item in items] if name in ("score", "rank") else items
    if name in IDS and (name == "allowed" or cell.field.lower().rstrip(") ").endswith("s")):
        if _SEPARATED_IDS.fullmatch(text):
            return re.split(r"\s*[;,]\s*", text)
        if IDS_WITH_BLANKS.fullmatch(text):
            return text.split()
    if name in PARALLEL_FIELDS:
        return parse_number(cell_text) if name in ("score", "rank") else cell_text
    return [text] if name in IDS else [cell_text]


def split_at_bars(text: str) -> list[str]:
    """The texts between bars; where some bars have blanks around them and others have none, only at the others.

    DeepEval joins texts with bars without blanks; " | " belongs to a text, as in a menu.
    """
    return (_TIGHT_BAR if _TIGHT_BAR.search(text) and " | " in text else _BAR).split(text)


def _may_hold_several(name: str, field: str) -> bool:
    """False for columns named in the singular, such as reference, and for messages: a bar in them belongs to the text.
    """
    return name != "chat_history" and (name != "answers" or field.lower().endswith("s"))


def parse_nested(text: str):
    """Parse JSON or a Python literal; numbers keep their digits. Raises UnreadableCell with the reason."""
    value = _parse_any(text)
    if "\\u" in text or "\\U" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError):
            raise UnreadableCell("half of a surrogate pair (\\ud800 to \\udfff)") from None
    return value


def _parse_any(text: str):
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise UnreadableCell("nested too deeply") from None
    except ValueError:
        pass
    try:
        return _parse_python(text)
    except UnreadableCell:
        if "..." in text and re.search(r"""['"\]\d,]\s*\.\.\.""", text):
            raise UnreadableCell("it seems to be cut short with ...") from None
        raise


def _parse_python(text: str):
    """The value of a Python literal."""
    if _ADJACENT_STRINGS.search(text) and _has_adjacent_strings(text):
        raise UnreadableCell("there are no commas between its parts")
    try:
        return _parse_literal(ast.parse(text, mode="eval").body, text)
    except (RecursionError, MemoryError):
        raise UnreadableCell("nested too deeply") from None
    except SyntaxError as error:
        raise UnreadableCell("there are no commas between its parts" if re.search(r"\d\s+-?\d", text) else
                       (error.msg or "it is not complete")) from None
    except ValueError as error:
        raise UnreadableCell(str(error)) from None


def _parse_literal(node: ast.AST, text: str):
    """The value of a node of a Python literal."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return _number_text(node, text)
        if node.value is None or isinstance(node.value, (str, bool)):
            return node.value
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [_parse_literal(element, text) for element in node.elts]
    if isinstance(node, ast.Dict) and all(node.keys):
        keys = [_parse_literal(key, text) for key in node.keys]
        if all(isinstance(key, str) for key in keys) and len(set(keys)) == len(keys):
            return dict(zip(map(str, keys), (_parse_literal(value, text) for value in node.values), strict=True))
        raise UnreadableCell("a key that is not text, or a repeated key")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) \
            and isinstance(node.operand.value, (int, float)):
        return NumberText(f"-{_number_text(node.operand, text)}")
    if isinstance(node, ast.Name) and node.id in ("nan", "null", "true", "false"):
        return {"nan": float("nan"), "null": None, "true": True, "false": False}[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "array" and node.args:
        return _parse_literal(node.args[0], text)
    raise UnreadableCell("more than texts, numbers, lists and objects")


def _number_text(node: ast.Constant, text: str) -> NumberText:
    literal = ast.get_source_segment(text, node) or ""
    if not _NUMBER.fullmatch(literal):
        raise UnreadableCell(f"the number {literal[:20]}")
    return NumberText(literal)


_LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT}


def _has_adjacent_strings(text: str) -> bool:
    """True if two string literals are adjacent: Python would join them, numpy means two values."""
    previous_type = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and previous_type == tokenize.STRING:
                return True
            if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT):
                previous_type = token.type
    except (tokenize.TokenError, SyntaxError):
        return False
    return False


def printed_array(text: str) -> list[str] | None:
    """The texts of an array as NumPy prints it, without commas: "['a' 'b']"; None for anything else."""
    if text[:1] != "[" or text[-1:] != "]" or "..." in text:
        return None
    values = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(f"({text[1:-1]})").readline):
            if token.type == tokenize.STRING and token.string[:1] in "'\"":
                values.append(ast.literal_eval(token.string))
            elif (token.type == tokenize.OP and token.string in "()") or token.type in _LAYOUT:
                continue
            else:
                return None
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None
    return values if len(values) > 1 and all(value.isprintable() or "\n" in value for value in values) else None
