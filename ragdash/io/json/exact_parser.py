"""JSON as it is written: numbers keep their digits, no key is lost, every entry knows its line.

Files are first read with orjson. Whatever it cannot keep or tell (numbers used as ids, bare NaN, repeated keys, a
problem that needs its line) raises NeedsExact, and the file is read once more with the functions here.
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
    """The quick way met something that only the exact way can read or explain."""


class NumberText(str):
    """A number as it is written in the file: Number("1e5")."""

    __slots__ = ()


class InputEntry(NamedTuple):
    """A line of a JSONL file, an element of an array (key None) or a member of an object, with its first line."""

    line: int
    value: object
    key: str | None = None


class StrictCollector(Collector):
    """The Collector of the quick way: the first thing to note sends the reader the exact way."""

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
    """The objects of a JSONL file; their lines are counted from 1. A plain file is read line by line."""
    if source.plain_file is None:
        lines = numbered_lines(source.data, source.file)
    else:
        lines = ((line, text) for line, text in enumerate(map(bytes.strip, source.lines()), 1) if text)
    for line, text in lines:
        yield InputEntry(line, parse_fast(text))


def numbered_lines(data: bytes, file: str) -> Iterator[tuple[int, bytes]]:
    """(line number, text) of the lines that are not empty."""
    start, line, tell_at, tell = 0, 1, 0, progress_steps(file, len(data))
    while start < len(data):
        if start >= tell_at:
            tell_at = tell(start)
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        text = data[start:end].strip()
        if text:
            yield line, text
        start, line = end + 1, line + 1
    tell(len(data))


def count_keys(value) -> int:
    """Keys of all objects in a parsed value, level by level."""
    count, level = 0, [value]
    while level:
        objects = [part for part in level if type(part) is dict]
        count += sum(map(len, objects))
        inner = chain(chain.from_iterable(map(dict.values, objects)),
                      chain.from_iterable(part for part in level if type(part) is list))
        level = [part for part in inner if type(part) is dict or type(part) is list]
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
        """The entries of a JSONL file; a line that is not JSON is noted and passed over."""
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
        """The elements of the list at this path of keys in the one object; what stands beside it is noted."""
        text = self.source.text
        start = _WHITESPACE.match(text).end()
        line = 1 + text.count("\n", 0, start)
        whole = self._decode(text, start, line, json.JSONDecoder())
        if whole is None:
            return
        self._check_end(text, whole[1], line + text.count("\n", start, whole[1]))
        at = start
        for key in path:
            place = None
            for entry, value_at in self._walk_from(text, at, line, "{", "}"):
                if entry.key == key:
                    place = value_at, line + text.count("\n", at, value_at)
                else:
                    note_unread_member(entry.key, path, self.problems, entry.line)
            if place is None or text[place[0]:place[0] + 1] not in ("{", "["):
                return
            at, line = place
        if text[at:at + 1] == "[":
            yield from (entry for entry, _ in self._walk_from(text, at, line, "[", "]"))

    def members(self) -> Iterator[InputEntry]:
        """The members of a JSON object, in file order, also those whose key was there before."""
        yield from self._walk("{", "}")

    def single_value(self) -> Iterator[InputEntry]:
        """The one value of a JSON file."""
        text = self.source.text
        at = _WHITESPACE.match(text).end()
        line = 1 + text.count("\n", 0, at)
        decoded = self._decode(text, at, line)
        if decoded is not None:
            yield InputEntry(line, decoded[0])
            self._check_end(text, decoded[1], line + text.count("\n", at, decoded[1]))

    def _walk(self, opening: str, closing: str) -> Iterator[InputEntry]:
        """The entries between the brackets of the whole text. What is not JSON is noted, and ends the walk."""
        text = self.source.text
        start = _WHITESPACE.match(text).end()
        for entry, _ in self._walk_from(text, start, 1 + text.count("\n", 0, start), opening, closing, whole=True):
            yield entry

    def _walk_from(self, text: str, start: int, line: int, opening: str, closing: str,
                 whole: bool = False) -> Iterator[tuple[InputEntry, int]]:
        """(entry, where its value starts) between the brackets that begin here."""
        at = _WHITESPACE.match(text, start + 1).end()
        line += text.count("\n", start, at)
        more = text[at:at + 1] != closing
        while more:
            key, value_at = self._read_key(text, at, line) if opening == "{" else (None, at)
            decoded = self._decode(text, value_at, line) if value_at is not None else None
            if decoded is None:
                return
            yield InputEntry(line, decoded[0], key), value_at
            end = _WHITESPACE.match(text, decoded[1]).end()
            more = text[end:end + 1] == ","
            if not more and text[end:end + 1] != closing:
                return self._note_invalid(
                    text, end, line + text.count("\n", at, end), f"no comma or {closing} after it"
                )
            following = _WHITESPACE.match(text, end + 1).end() if more else end
            line, at = line + text.count("\n", at, following), following
        if whole:
            self._check_end(text, at + 1, line)

    def _read_key(self, text: str, at: int, line: int) -> tuple[str, int | None]:
        """(key, where its value starts); None in its place after noting what is missing."""
        if text[at:at + 1] != '"':
            return "", self._note_invalid(text, at, line, "no key in double quotes")
        decoded = self._decode(text, at, line)
        if decoded is None:
            return "", None
        colon = _WHITESPACE.match(text, decoded[1]).end()
        if text[colon:colon + 1] != ":":
            return "", self._note_invalid(text, colon, line, "no colon behind a key")
        return decoded[0], _WHITESPACE.match(text, colon + 1).end()

    def _check_end(self, text: str, at: int, line: int) -> None:
        rest = _WHITESPACE.match(text, at).end()
        if rest < len(text):
            self._note_invalid(text, rest, line + text.count("\n", at, rest), "more text behind the value")

    def _decode(self, text: str, at: int, line: int, decoder: json.JSONDecoder | None = None) -> (
            tuple[object, int] | None):
        """(value, end) of the JSON value at this place, or None after noting what is wrong with it."""
        self._repeated.clear()
        try:
            value, end = (decoder or self._decoder).raw_decode(text, at)
            if "\\u" in text[at:end]:
                json.dumps(value, ensure_ascii=False).encode()
        except json.JSONDecodeError as error:
            return self._note_invalid(text, error.pos, line + text.count("\n", at, error.pos), error.msg)
        except RecursionError:
            return self._note_invalid(text, at, line, "values nested too deeply")
        except UnicodeEncodeError:
            return self._note_invalid(text, at, line, "half of a surrogate pair (\\ud800 to \\udfff)")
        if self._repeated:
            self._note_repeated_keys(text, at, end, line)
        return value, end

    def _object_from_pairs(self, pairs: list[tuple[str, object]]) -> dict:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            seen = set()
            self._repeated.extend(key for key, _ in pairs if key in seen or seen.add(key))
        return fields

    def _note_repeated_keys(self, text: str, at: int, end: int, line: int) -> None:
        """Note each repeated key of the value at this place; look for the places of the first ones only."""
        keys = list(dict.fromkeys(self._repeated))
        located, others = keys[:SHOWN_PER_KIND - self._located], keys[SHOWN_PER_KIND - self._located:]
        self._located += len(located)
        for key in located:
            self._note_repeated_key(key, text, at, end, line)
        if others:
            self.problems.add("duplicate-key", {"key": others[0]}, line=line, field=others[0], count=len(others))

    def _note_repeated_key(self, key: str, text: str, at: int, end: int, line: int) -> None:
        """A key twice in one object: name both lines, or both columns where they are on one line."""
        spelled = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:")
        places = [match.start() for match in islice(spelled.finditer(text, at, end), 2)]
        if len(places) < 2:
            places = [at, end]
        lines = [line + text.count("\n", at, place) for place in places]
        if lines[0] == lines[1]:
            begin = text.rfind("\n", 0, places[0]) + 1
            columns = [place - begin + 1 for place in places]
            self.problems.add("duplicate-key/columns", {"key": key, "columns": columns}, line=lines[1], field=key)
        else:
            self.problems.add("duplicate-key/lines", {"key": key, "lines": lines}, line=lines[1], field=key)

    def _note_invalid(self, text: str, at: int, line: int, what: str) -> None:
        """Note that the text is not JSON from this place on."""
        begin = text.rfind("\n", 0, at) + 1
        shown = shorten(text[max(begin, at - 20):at + 40].split("\n")[0], 70)
        is_python = _PYTHON_LITERAL.search(text[max(0, at - 2):at + 8])
        self.problems.add("invalid-json/python" if is_python else "invalid-json",
                          {"error": what.lower(), "column": at - begin + 1, "start": shown}, line=line)


def note_unread_member(key: str, path: tuple[str, ...], problems: Collector, line: int) -> None:
    """Warn of what a file holds beside the list of objects that is read."""
    problems.add("unread-field/beside-list", {"key": key, "list_name": path[-1]}, line=line, field=key,
                 severity="warning")


def object_of_unique_keys(pairs: list[tuple[str, object]]) -> dict:
    """The members of an object; ValueError where a key stands twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key twice in one object")
    return fields


def to_python(value):
    """A value of the exact way with Python's numbers in place of Number."""
    if isinstance(value, NumberText):
        number = float(value) if re.search("[.eE]", value) or len(value) > 18 else int(value)
        return number
    if isinstance(value, dict):
        return {key: to_python(part) for key, part in value.items()}
    if isinstance(value, list):
        return [to_python(part) for part in value]
    return value
