"""What stands in one cell of a table: text, a number, a list or an object (JSON, Python or bars)."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize

from ragdash.io.field_names import BESIDE, MISSING
from ragdash.io.json.exact_parser import Number, unique_pairs
from ragdash.io.json.typed_fields import Cell

TEXTS = ("query", "answer", "config")
LISTS = ("retrieved", "relevant", "contexts", "answers", "evidence", "score", "rank", "text", "source")
OBJECTS = ("settings", "usage", "attributes")
NUMBERS = ("latency_ms", "prompt_tokens", "completion_tokens", "cost_usd")
IDS = ("retrieved", "relevant")  # lists of ids, and of nothing else
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_BESIDE = re.compile(r"""['"]\s+[rbuf]?['"]""")
_DECODER = json.JSONDecoder(object_pairs_hook=unique_pairs, parse_int=Number, parse_float=Number, parse_constant=float)


class _NotRead(ValueError):
    """The text of a cell is no list, with the reason."""


def value_of(name: str, written: str, cell: Cell):
    """The value of a cell of the column that holds `name`; None where nothing stands. Notes what cannot be read."""
    if written in MISSING and name != "query_id":
        return None
    if name == "query_id":
        return _id(written, cell)
    if name in TEXTS:
        return written
    if name in NUMBERS and not written.lstrip().startswith("{"):
        return number(written)
    return _nested(name, written, cell)


def attribute(written: str):
    """The value of a column that nobody knows: a number where its digits are what a number is written as, else text."""
    if _NUMBER.fullmatch(written) and len(written) < 16:
        value = float(written) if re.search("[.eE]", written) else int(written)
        if json.dumps(value) == written:
            return value
    return written


def number(written: str):
    """A number as it is written, or the text where it is none."""
    return Number(written.strip()) if _NUMBER.fullmatch(written.strip()) else written


def _id(written: str, cell: Cell) -> str:
    value = written.strip(" \t")
    if value and value != written:
        cell.note("padded-id", {"written": written, "value": value}, severity="warning")
    return value


def _nested(name: str, written: str, cell: Cell):
    """A list or an object; a text without brackets is split at bars where it is a list of several."""
    text = written.strip()
    if text[:1] in "[{(" or text.startswith("array("):
        try:
            value = nested(text)
        except _NotRead as reason:
            if name not in IDS and name not in OBJECTS and (name in BESIDE or text[-1] not in "]})"):
                return written if name in BESIDE else [written]  # a text such as "[1] says ..."
            what = "an object" if name in OBJECTS else "a list"
            return cell.note("bad-list", {"start": text[:60], "reason": reason, "type": what})
        return value if type(value) is not dict or name not in ("contexts", "answers", "evidence") else [value]
    if name in OBJECTS:
        return cell.wrong(written, "an object")
    if "|" in text and (name in IDS or _may_be_several(name, cell.field)):
        parts = [part.strip() for part in text.split("|")]
        return [number(part) for part in parts] if name in ("score", "rank") else parts
    if name in BESIDE:
        return number(written) if name in ("score", "rank") else written
    return [text] if name in IDS else [written]


def _may_be_several(name: str, field: str) -> bool:
    """False for columns named for one text, such as reference: a bar in it belongs to the text."""
    return name != "answers" or field.lower().endswith("s")


def nested(text: str):
    """The value of JSON or of a Python literal; numbers as they are written. Raises _NotRead with the reason."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise _NotRead("nested too deeply") from None
    except ValueError:
        pass
    if "..." in text and re.search(r"""['"\]\d,]\s*\.\.\.""", text):
        raise _NotRead("it seems to be cut short with ...")
    if _BESIDE.search(text) and _strings_beside(text):
        raise _NotRead("there are no commas between its parts")
    try:
        return _literal(ast.parse(text, mode="eval").body, text)
    except (RecursionError, MemoryError):
        raise _NotRead("nested too deeply") from None
    except SyntaxError as error:
        raise _NotRead("there are no commas between its parts" if re.search(r"\d\s+-?\d", text) else
                       (error.msg or "it is not complete")) from None
    except ValueError as error:
        raise _NotRead(str(error)) from None


def _literal(node: ast.AST, text: str):
    """The value of a part of a Python literal."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return _as_written(node, text)
        if node.value is None or isinstance(node.value, (str, bool)):
            return node.value
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [_literal(part, text) for part in node.elts]
    if isinstance(node, ast.Dict) and all(node.keys):
        keys = [_literal(key, text) for key in node.keys]
        if all(isinstance(key, str) for key in keys) and len(set(keys)) == len(keys):
            return dict(zip(map(str, keys), (_literal(value, text) for value in node.values), strict=True))
        raise _NotRead("a key that is no text, or stands twice")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) \
            and isinstance(node.operand.value, (int, float)):
        return Number(f"-{_as_written(node.operand, text)}")
    if isinstance(node, ast.Name) and node.id in ("nan", "null", "true", "false"):
        return {"nan": float("nan"), "null": None, "true": True, "false": False}[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "array" and node.args:
        return _literal(node.args[0], text)
    raise _NotRead("more than texts, numbers, lists and objects")


def _as_written(node: ast.Constant, text: str) -> Number:
    written = ast.get_source_segment(text, node) or ""
    if not _NUMBER.fullmatch(written):
        raise _NotRead(f"the number {written[:20]}")
    return Number(written)


def _strings_beside(text: str) -> bool:
    """True where two texts stand side by side, which Python would join and numpy means as two."""
    before = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and before == tokenize.STRING:
                return True
            if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT):
                before = token.type
    except (tokenize.TokenError, SyntaxError):
        return False
    return False
