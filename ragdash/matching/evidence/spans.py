"""Gold spans, and the rules of which text may be compared with which, and how.

Letters: Q queries, E spans, U parts of spans.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import numpy as np

from ragdash.core.errors import Problem, Unavailable
from ragdash.core.records import Truth

SHORT = 25  # characters; a shorter text matches only exactly
LONG = 1500  # characters; a longer span is split
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf" \
             "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # scripts without spaces: a character is a token
_SPACELESS_CHARACTER = re.compile(f"[{_SPACELESS}]")
_WORD = re.compile(f"[{_SPACELESS}]|\\d+(?:[.,]\\d+)+|[^\\W{_SPACELESS}]+")
_ASCII_WORD = re.compile(r"\d+(?:[.,]\d+)+|\w+", re.ASCII)  # what _WORD finds in ASCII
_WHITE = "\t\n\v\f\r\x1c\x1d\x1e\x1f"  # of ASCII, without the plain space
_LETTER_OR_DIGIT, _DIGIT = re.compile(r"[^\W_]"), re.compile(r"\d")


@dataclass(frozen=True, eq=False)
class Spans:
    """The gold spans of a truth, each once for a query.

    query (E,) int64, ascending; texts, sources (E,): as they are written; plain (E,): normalized.
    part_span (U,) int64, ascending: the span of each part; parts (U,): normalized text. A short span is its one part.
    problems: what of the evidence does not count.
    """

    queries: int
    query: np.ndarray
    texts: tuple[str, ...]
    sources: tuple[str | None, ...]
    plain: tuple[str, ...]
    part_span: np.ndarray
    parts: tuple[str, ...]
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)


def normalize(text: str) -> str:
    """Lower case, white space collapsed; nothing else is changed.

    Examples
    --------
    >>> normalize("The  CAT\\nsat")
    'the cat sat'
    """
    text = text.lower().strip()
    plain = not any(map(text.__contains__, _WHITE)) if text.isascii() else text.isprintable()
    if plain and "  " not in text:
        return text  # as most are; of white space only the plain space is printable
    return " ".join(text.split())


def spans(truth: Truth, *, split: bool = True) -> Spans:
    """The evidence of a truth. Spans of a query that are equal once normalized are one; an empty one is none.

    split: spans of more than LONG characters are taken in parts. Raises Unavailable where the truth has no evidence.
    """
    if truth.details is None or "evidence" not in truth.details.column_names:
        raise _no_evidence(truth)
    rows, empty, repeated = [], 0, 0
    for query, cell in enumerate(truth.details["evidence"].to_pylist()):
        known_texts = set()
        for span in cell or ():
            text, source = (span, None) if isinstance(span, str) or span is None else (span["text"], span["source"])
            plain = normalize(text or "")
            if is_empty(plain):
                empty += 1
            elif plain in known_texts:
                repeated += 1
            else:
                known_texts.add(plain)
                rows.append((query, text, source, plain))
    if not rows:
        raise _no_evidence(truth)
    query, texts, sources, plain = zip(*rows, strict=True)
    parts_of = [split_span(text) if split else [text] for text in plain]
    part_span = np.repeat(np.arange(len(plain)), [len(parts_of_span) for parts_of_span in parts_of])
    return Spans(
        len(truth),
        np.array(query, np.int64),
        texts,
        sources,
        plain,
        part_span,
        tuple(span_part for parts_of_span in parts_of for span_part in parts_of_span),
        tuple(_left_out(truth, empty, repeated)),
    )


def is_empty(plain: str) -> bool:
    """A text without a letter or a digit: it covers nothing and nothing covers it."""
    return _LETTER_OR_DIGIT.search(plain) is None


def exact_only(plain: str) -> bool:
    """A text that matches only exactly: a short one, or one with more digits than letters ("2019" is 75% "2021")."""
    digits = 0 if len(plain) < SHORT else len(_DIGIT.findall(plain))
    return len(plain) < SHORT or (digits > 0 and 2 * digits > len(_LETTER_OR_DIGIT.findall(plain)))


def words(plain: str) -> list[str]:
    """The words and numbers of a normalized text; of a script without spaces, its characters."""
    return (_ASCII_WORD if plain.isascii() else _WORD).findall(plain)


def word_places(text: str) -> list[tuple[int, int]]:
    """(start, stop) of the words and numbers of a text as it is written."""
    return [match.span() for match in _WORD.finditer(text)]


def split_span(plain: str) -> list[str]:
    """Parts of at most LONG characters and of about equal length, cut at spaces where there are some."""
    pieces = []
    if 0 < len(plain) <= LONG:
        return [plain]
    while plain:
        goal = -(-len(plain) // -(-len(plain) // LONG))
        cut = plain.rfind(" ", goal // 2, goal + 1) if len(plain) > goal else goal
        cut = cut if cut > 0 else goal
        pieces.append(plain[:cut].strip())
        plain = plain[cut:].strip()
    return pieces


def place_in(text: str, part: str, *, whole_tokens: bool) -> int:
    """First position of the part in the text, -1 if nowhere; whole_tokens: only where it cuts no token in two."""
    start = text.find(part)
    while whole_tokens and start >= 0 and _cuts_a_token(text, start, start + len(part)):
        start = text.find(part, start + 1)
    return start


def _cuts_a_token(text: str, start: int, stop: int) -> bool:
    """Whether text[start:stop] begins or ends inside a word or a number: 496.5 does in 1,496.5, and 12 in -12."""
    preceding, following = text[max(start - 2, 0):start], text[stop:stop + 2]
    if preceding and (_one_token(preceding[-1], text[start]) or _one_number(preceding, text[start])):
        return True
    return bool(following) and (_one_token(text[stop - 1], following[0]) or _goes_on(text[stop - 1], following))


def _one_token(a: str, b: str) -> bool:
    """Whether neighboring characters belong to one word."""
    if unicodedata.category(b).startswith("M"):
        return True
    same_token = (a.isalnum() or a == "_" or unicodedata.category(a).startswith("M")) and (b.isalnum() or b == "_")
    return same_token and not (_SPACELESS_CHARACTER.match(a) or _SPACELESS_CHARACTER.match(b))


def _one_number(before: str, first: str) -> bool:
    """Whether a number goes on to the left: digit and decimal mark are there, or a sign (2018-2019 has none)."""
    if not first.isdigit():
        return False
    if before[-1] in ".,":
        return len(before) == 2 and before[0].isdigit()
    return before[-1] in "-−" and (len(before) < 2 or not before[0].isalnum())


def _goes_on(last: str, behind: str) -> bool:
    """Whether a number goes on to the right, with a decimal mark and a digit."""
    return last.isdigit() and behind[0] in ".," and len(behind) == 2 and behind[1].isdigit()


def _no_evidence(truth: Truth) -> Unavailable:
    return Unavailable("no-evidence", {"truth": truth.name}, "evidence")


def _left_out(truth: Truth, empty: int, repeated: int) -> list[Problem]:
    problems = []
    if empty:
        problems.append(Problem("empty-evidence", {"spans": empty, "truth": truth.name}, field="evidence",
                             severity="warning"))
    if repeated:
        problems.append(Problem("repeated-evidence", {"spans": repeated, "truth": truth.name}, field="evidence",
                             severity="warning"))
    return problems
