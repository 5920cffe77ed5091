"""Exact JSON parsing: numbers keep their digits, no key is lost, every entry has its line.

Files are first parsed with orjson. What it would lose (numbers used as ids, bare NaN, repeated keys, the line of a
problem) raises NeedsExact, and the file is parsed again with the functions here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

import orjson

from ragdash.core.errors import SHOWN_PER_KIND, Collector, shorten
from ragdash.io.source.read_progress import progress_steps
from ragdash.io.source.source import Source, not_utf8_problem

_WHITESPACE = re.compile(r"[ \t\n\r]*")
_SPACED_KEY = re.compile(rb'"\s+:')
_PYTHON_LITERAL = re.compile(r"\bNone\b|\bTrue\b|\bFalse\b|'")


class NeedsExact(Exception):
    """Fast parsing met something that only exact parsing can read or explain."""


class NumberText(str):
    """A number as it is written in the file: Number("1e5")."""

    __slots__ = ()


class InputEntry(NamedTuple):
    """A line of a JSONL file, an element of an array (key None) or a member of an object, with its first line."""

    line: int
    value: object
    key: str | None = None


class StrictCollector(Collector):
    """The collector of fast parsing: the first problem switches to exact parsing."""

    def add(self, *args, **kwargs) -> None:
        raise NeedsExact


def parse_fast(text: bytes):
    """The value of a JSON text; raises NeedsExact for what orjson refuses or would lose."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise NeedsExact from None
    if text.count(b'":') + len(_SPACED_KEY.findall(text)) != count_keys(value):
        raise NeedsExact  # a repeated key, or a text that looks like one
    return value


def parse_lines_fast(source: Source) -> Iterator[InputEntry]:
    """The objects of a JSONL file, with line numbers from 1. An uncompressed file is read line by line."""
    if source.plain_file is None:
        lines = numbered_lines(source.data, source.file)
    else:
        lines = ((line, text) for line, text in enumerate(map(bytes.strip, source.lines()), 1) if text)
    for line, text in lines:
        yield InputEntry(line, parse_fast(text))


def numbered_lines(data: bytes, file: str) -> Iterator[tuple[int, bytes]]:
    """(line number, text) of the lines that are not empty."""
    start, line, next_report, report = 0, 1, 0, progress_steps(file, len(data))
    while start < len(data):
        if start >= next_report:
            next_report = report(start)
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        text = data[start:end].strip()
        if text:
            yield line, text
        start, line = end + 1, line + 1
    report(len(data))


def count_keys(value) -> int:
    """Number of keys of all objects in a parsed value, level by level."""
    count, level = 0, [value]
    while level:
        objects = [node for node in level if type(node) is dict]
        count += sum(map(len, objects))
        inner = chain(chain.from_iterable(map(dict.values, objects)),
                      chain.from_iterable(node for node in level if type(node) is list))
        level = [node for node in inner if type(node) is dict or type(node) is list]
    return count


class ExactReader:
    """Reads a source entry by entry with the standard library, noting problems with their lines."""

    def __init__(self, source: Source, problems: Collector):
        self.source, self.problems = source, problems
        self._repeated: list[str] = []
        self._located = 0  # repeated keys whose places were looked for
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object_from_pairs,
            parse_int=NumberText,
            parse_float=NumberText,
            parse_constant=float,
        )

    def lines(self) -> Iterator[InputEntry]:
        """The entries of a JSONL file; a line that is not JSON is noted and skipped."""
        for line, raw in numbered_lines(self.source.data, self.source.file):
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                self.problems.take(not_utf8_problem(self.source.file, raw[error.start:error.start + 1], line))
                continue
            decoded = self._decode(text, 0, line)
            if decoded is None:
                continue
            value, end = decoded
            if end < len(text):
                self._note_invalid(text, end, line, "more text behind the value")
            else:
                yield InputEntry(line, value)

    def elements(self) -> Iterator[InputEntry]:
        """The elements of a JSON array."""
        yield from self._walk("[", "]")

    def list_elements(self, path: tuple[str, ...]) -> Iterator[InputEntry]:
        """The elements of the list at this path of keys in a file of one object; other members are noted."""
        text = self.source.text
        start = _WHITESPACE.match(text).end()
        line = 1 + text.count("\n", 0, start)
        document = self._decode(text, start, line, json.JSONDecoder())
        if document is None:
            return
        self._check_end(text, document[1], line + text.count("\n", start, document[1]))
        position = start
        for key in path:
            location = None
            for entry, value_at in self._walk_from(text, position, line, "{", "}"):
                if entry.key == key:
                    location = value_at, line + text.count("\n", position, value_at)
                else:
                    note_unread_member(entry.key, path, self.problems, entry.line)
            if location is None or text[location[0]:location[0] + 1] not in ("{", "["):
                return
            position, line = location
        if text[position:position + 1] == "[":
            yield from (entry for entry, _ in self._walk_from(text, position, line, "[", "]"))

    def members(self) -> Iterator[InputEntry]:
        """The members of a JSON object in file order, including repeated keys."""
        yield from self._walk("{", "}")

    def single_value(self) -> Iterator[InputEntry]:
        """The one value of a JSON file."""
        text = self.source.text
        position = _WHITESPACE.match(text).end()
        line = 1 + text.count("\n", 0, position)
        decoded = self._decode(text, position, line)
        if decoded is not None:
            yield InputEntry(line, decoded[0])
            self._check_end(text, decoded[1], line + text.count("\n", position, decoded[1]))

    def _walk(self, opening: str, closing: str) -> Iterator[InputEntry]:
        """The entries between the outermost brackets. Invalid JSON is noted and ends the iteration."""
        text = self.source.text
        start = _WHITESPACE.match(text).end()
        for entry, _ in self._walk_from(
            text, start, 1 + text.count("\n", 0, start), opening, closing, is_document=True
        ):
            yield entry

    def _walk_from(self, text: str, start: int, line: int, opening: str, closing: str,
                 is_document: bool = False) -> Iterator[tuple[InputEntry, int]]:
        """(entry, start of its value) for the brackets that open at this position."""
        position = _WHITESPACE.match(text, start + 1).end()
        line += text.count("\n", start, position)
        has_more = text[position:position + 1] != closing
        while has_more:
            key, value_at = self._read_key(text, position, line) if opening == "{" else (None, position)
            decoded = self._decode(text, value_at, line) if value_at is not None else None
            if decoded is None:
                return
            yield InputEntry(line, decoded[0], key), value_at
            end = _WHITESPACE.match(text, decoded[1]).end()
            has_more = text[end:end + 1] == ","
            if not has_more and text[end:end + 1] != closing:
                return self._note_invalid(
                    text, end, line + text.count("\n", position, end), f"no comma or {closing} after it"
                )
            following = _WHITESPACE.match(text, end + 1).end() if has_more else end
            line, position = line + text.count("\n", position, following), following
        if is_document:
            self._check_end(text, position + 1, line)

    def _read_key(self, text: str, position: int, line: int) -> tuple[str, int | None]:
        """(key, start of its value); the start is None after noting what is missing."""
        if text[position:position + 1] != '"':
            return "", self._note_invalid(text, position, line, "no key in double quotes")
        decoded = self._decode(text, position, line)
        if decoded is None:
            return "", None
        colon = _WHITESPACE.match(text, decoded[1]).end()
        if text[colon:colon + 1] != ":":
            return "", self._note_invalid(text, colon, line, "no colon behind a key")
        return decoded[0], _WHITESPACE.match(text, colon + 1).end()

    def _check_end(self, text: str, position: int, line: int) -> None:
        content_start = _WHITESPACE.match(text, position).end()
        if content_start < len(text):
            self._note_invalid(
                text, content_start, line + text.count("\n", position, content_start), "more text behind the value"
            )

    def _decode(self, text: str, position: int, line: int, decoder: json.JSONDecoder | None = None) -> (
            tuple[object, int] | None):
        """(value, end) of the JSON value at this position; None after noting a problem."""
        self._repeated.clear()
        try:
            value, end = (decoder or self._decoder).raw_decode(text, position)
            if "\\u" in text[position:end]:
                json.dumps(value, ensure_ascii=False).encode()
        except json.JSONDecodeError as error:
            return self._note_invalid(text, error.pos, line + text.count("\n", position, error.pos), error.msg)
        except RecursionError:
            return self._note_invalid(text, position, line, "values nested too deeply")
        except UnicodeEncodeError:
            return self._note_invalid(text, position, line, "half of a surrogate pair (\\ud800 to \\udfff)")
        if self._repeated:
            self._note_repeated_keys(text, position, end, line)
        return value, end

    def _object_from_pairs(self, pairs: list[tuple[str, object]]) -> dict:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            seen_keys = set()
            self._repeated.extend(key for key, _ in pairs if key in seen_keys or seen_keys.add(key))
        return fields

    def _note_repeated_keys(self, text: str, position: int, end: int, line: int) -> None:
        """Note each repeated key of the value at this position; only the first ones are located."""
        keys = list(dict.fromkeys(self._repeated))
        located, other_keys = keys[:SHOWN_PER_KIND - self._located], keys[SHOWN_PER_KIND - self._located:]
        self._located += len(located)
        for key in located:
            self._note_repeated_key(key, text, position, end, line)
        if other_keys:
            self.problems.add(
                "duplicate-key", {"key": other_keys[0]}, line=line, field=other_keys[0], count=len(other_keys)
            )

    def _note_repeated_key(self, key: str, text: str, position: int, end: int, line: int) -> None:
        """Note a key that one object has twice, with both lines, or both columns on one line."""
        spelled = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:")
        positions = [match.start() for match in islice(spelled.finditer(text, position, end), 2)]
        if len(positions) < 2:
            positions = [position, end]
        lines = [line + text.count("\n", position, position_of_key) for position_of_key in positions]
        if lines[0] == lines[1]:
            begin = text.rfind("\n", 0, positions[0]) + 1
            columns = [position_of_key - begin + 1 for position_of_key in positions]
            self.problems.add("duplicate-key/columns", {"key": key, "columns": columns}, line=lines[1], field=key)
        else:
            self.problems.add("duplicate-key/lines", {"key": key, "lines": lines}, line=lines[1], field=key)

    def _note_invalid(self, text: str, position: int, line: int, reason: str) -> None:
        """Note that the text is not JSON from this position on."""
        begin = text.rfind("\n", 0, position) + 1
        excerpt = shorten(text[max(begin, position - 20):position + 40].split("\n")[0], 70)
        is_python = _PYTHON_LITERAL.search(text[max(0, position - 2):position + 8])
        error = reason.lower().removesuffix(" at")  # the place follows
        self.problems.add("invalid-json/python" if is_python else "invalid-json",
                          {"error": error, "column": position - begin + 1, "start": excerpt}, line=line)


def note_unread_member(key: str, path: tuple[str, ...], problems: Collector, line: int) -> None:
    """Warn of a member next to the list of objects that is read."""
    problems.add("unread-field/beside-list", {"key": key, "list_name": path[-1]}, line=line, field=key,
                 severity="warning")


def object_of_unique_keys(pairs: list[tuple[str, object]]) -> dict:
    """The members of an object; ValueError for a repeated key."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key twice in one object")
    return fields


def to_python(value):
    """An exactly parsed value with Python numbers instead of NumberText."""
    if isinstance(value, NumberText):
        number = float(value) if re.search("[.eE]", value) or len(value) > 18 else int(value)
        return number
    if isinstance(value, dict):
        return {key: to_python(member) for key, member in value.items()}
    if isinstance(value, list):
        return [to_python(member) for member in value]
    return value
