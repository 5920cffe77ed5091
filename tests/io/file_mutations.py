"""Changed copies of files: single bytes, and the structure of JSON, of tables and of lines."""

from __future__ import annotations

import csv
import io
import json
from random import Random

PIECES = (b"", b" ", b"\t", b"\n", b"\r\n", b'"', b"'", b",", b";", b":", b"{", b"}", b"[", b"]", b"\\", b"\\ud800",
          b"\0",
          b"\xff", b"NaN", b"Infinity", b"1e999", b"-", b"0", b"#", b"null", b"true", b"9" * 30, b"[" * 200,
          b'"a":{' * 20, b"\xef\xbb\xbf", "é".encode(), b"q1 0 d1 1\n")
VALUES = (None, True, 0, -1, 2.5, 10**30, "", "x", "a b c d e", "[]", "['a'", "{}", [], {}, [[]], [None], ["a", 1,
          None], {"a": {"b": {"c": []}}}, {"": 1}, [{"id": "d", "score": 1}], {"1": ["d"], "2": []}, "x" * 5000)
NAMES = ("query", "question", "id", "answer", "contexts", "retrieved", "relevant", "expected_ids", "score", "rank",
         "results", "metadata", "config", "grade", "0", "", "doc_id", "text", "hits[].id", "a.b", "answer+text",
         "{run}")


def mutate(data: bytes, random: Random) -> bytes:
    """The file with one to three changes."""
    for _ in range(random.randint(1, 3)):
        data = random.choice((_change_bytes, _change_structure, _change_structure))(data, random)
    return data


def _change_bytes(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    stop = min(len(data), start + random.choice((0, 1, 2, 8, 64)))
    kind = random.randrange(6)
    if kind == 0:
        return data[:start]
    piece = random.choice((data[start:stop] * 2, random.randbytes(2))) if kind < 3 else random.choice(PIECES)
    return data[:start] + piece + data[stop:]


def _change_structure(data: bytes, random: Random) -> bytes:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _change_bytes(data, random)
    if text.lstrip()[:1] in ("{", "["):
        return _change_json(text, random).encode("utf-8", "replace")
    return _change_table(text, random).encode("utf-8", "replace")


def _change_json(text: str, random: Random) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _change_lines(text, random)
    root = [value]
    parent, key = random.choice(_places(root, []))
    _change_member(parent, key, random)
    return json.dumps(root[0], indent=random.choice((None, 2)), ensure_ascii=random.random() < 0.5)


def _change_lines(text: str, random: Random) -> str:
    """A change of one line of JSON lines, or of the order of lines."""
    lines = text.splitlines()
    if not lines:
        return text
    index = random.randrange(len(lines))
    kind = random.randrange(4)
    if kind == 0:
        lines.insert(random.randrange(len(lines) + 1), lines[index])
    elif kind == 1:
        del lines[index]
    else:
        try:
            root = [json.loads(lines[index])]
        except (ValueError, RecursionError):
            return "\n".join(lines)
        parent, key = random.choice(_places(root, []))
        _change_member(parent, key, random)
        lines[index] = json.dumps(root[0])
    return "\n".join(lines) + "\n"


def _places(node, places: list) -> list:
    """(container, key) of every value in it; the first is the root."""
    level = [node]
    while level:
        following = []
        for container in level:
            for key in list(container) if type(container) is dict else range(len(container)):
                places.append((container, key))
                if type(container[key]) in (dict, list) and len(places) < 5000:
                    following.append(container[key])
        level = following
    return places


def _change_member(parent, key, random: Random) -> None:
    kind = random.randrange(8)
    value = parent[key]
    if kind == 0 and type(parent) is dict:
        del parent[key]
    elif kind == 1 and type(parent) is dict:
        parent[random.choice(NAMES)] = parent.pop(key)
    elif kind == 2 and type(parent) is list:
        parent[key:key] = [value] * random.choice((1, 2, 50))
    elif kind == 3:
        parent[key] = [value]
    elif kind == 4:
        parent[key] = {random.choice(NAMES): value}
    elif kind == 5 and type(parent) is dict:
        parent[random.choice(NAMES)] = random.choice(VALUES)
    else:
        parent[key] = random.choice(VALUES)


def _change_table(text: str, random: Random) -> str:
    delimiter = next((mark for mark in "\t,; " if mark in text.split("\n", 1)[0]), ",")
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    except csv.Error:
        return text
    if not rows:
        return text
    i, j = random.randrange(len(rows)), random.randrange(len(rows[0]))
    kind = random.randrange(8)
    if kind == 0:
        rows = [row[:j] + row[j + 1:] for row in rows]
    elif kind == 1:
        rows = [[*row, *row[j:j + 1]] for row in rows]
    elif kind == 2:
        rows.insert(i, rows[random.randrange(len(rows))])
    elif kind == 3:
        del rows[i]
    elif kind == 4:
        rows[0] = [random.choice(NAMES) if index == j else name for index, name in enumerate(rows[0])]
    elif kind == 5:
        delimiter = random.choice("\t,;| ")
    else:
        cell = str(random.choice(VALUES))
        rows[i] = [cell if index == j else value for index, value in enumerate(rows[i])]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()
