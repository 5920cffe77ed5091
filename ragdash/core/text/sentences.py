"""The sentences of a text, a text without its reasoning, and whether texts are questions."""

from __future__ import annotations

import re
from collections.abc import Sequence

_END = re.compile("[.!?\u2026\u061f\u06d4\u0964]+[\"')\\]\u201d\u2019\u00bb*_]*(?=\\s)"
                  "|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\uff09]*|\n+")
_ABBREVIATION = re.compile(r"(?:^|[\s(\[\"'])(?:[^\W\d_]|(?:[^\W\d_]\.)+[^\W\d_]?|mr|mrs|ms|dr|prof|sr|jr|st|vs|etc|cf"
                           r"|no|nos|vol|figs?|eq|pp|approx|inc|ltd|co|corp|dept|est|al|ca|bzw|nr|jan|feb|mar|apr|jun"
                           r"|jul|aug|sept?|oct|nov|dec)\.$", re.IGNORECASE)
_NUMBERING = re.compile(r"[*#>\-\s]*\d{1,3}\.")
_SAID_BY_USER = "|user|"
_QUESTIONS = ("what ", "who ", "whose ", "when ", "where ", "why ", "how ", "which ", "is ", "are ", "does ", "do ",
              "can ", "did ", "was ", "were ", "has ", "could ", "would ", "should ", "explain ", "describe ",
              "wie ", "wer ", "welche", "warum ", "wann ", "quel", "comment ", "pourquoi ", "qui ", "\u00bf", "qual ",
              "quais ", "cu\u00e1l", "qu\u00e9 ", "c\u00f3mo ", "qui\u00e9n", "\u8bf7", "\u8acb", "\u5982\u4f55",
              "\u4ec0\u4e48", "\u4ec0\u9ebc", "\u70ba\u4ec0\u9ebc", "\u4e3a\u4ec0\u4e48")
_THINK = re.compile(r"(</?think(?:ing)?>)", re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """The text without <think>...</think> (or thinking) blocks.

    A block that is never closed takes all the rest with it: there is no answer yet. One that is never opened (some
    templates open it in the prompt) takes all before it.
    """
    pieces = _THINK.split(text)
    if len(pieces) == 1:
        return text
    visible, depth = [], 0
    for i, piece in enumerate(pieces):
        if i % 2 == 0:
            visible.append("" if depth else piece)
        elif not piece.startswith("</"):
            depth += 1
        elif depth:
            depth -= 1
        else:
            visible = []
    return "".join(visible).strip()


def sentences(text: str) -> list[tuple[int, int]]:
    """(start, stop) of every sentence, white space at its edges left out.

    One ends at . ! ? and their like before white space, at the full stops of Chinese and Japanese, at a line's end;
    not behind an initial or a common abbreviation, nor where the next word is in lower case.
    """
    spans, start = [], 0
    for match in _END.finditer(text):
        stop = match.end()
        if match[0] == "." and _goes_on(text, start, stop):
            continue
        spans.append((start, stop))
        start = stop
    spans.append((start, len(text)))
    return [(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
            for start, piece in ((start, text[start:stop]) for start, stop in spans) if piece.strip()]


def _goes_on(text: str, start: int, stop: int) -> bool:
    """Whether the point before `stop` ends a list's number or an abbreviation, or the next word is in lower case."""
    if text[stop:stop + 40].lstrip()[:1].islower():
        return True
    return bool(_NUMBERING.fullmatch(text, start, stop)
                or _ABBREVIATION.search(text[max(start, stop - 24):stop]))


def asks(text: str) -> bool:
    """True for a text that ends or begins as a question does, and for what a user said, as MT-RAG marks it.

    Examples
    --------
    >>> asks("Who wrote it?"), asks("how it works"), asks("a report"), asks("|user|: And now? Tell me.")
    (True, True, False, True)
    """
    return text.rstrip().endswith(("?", "？")) or text.lstrip().lower().startswith((_SAID_BY_USER, *_QUESTIONS))


def are_questions(texts: Sequence[str]) -> bool:
    """True where nearly all texts, of several words or without blanks in them, are questions.

    Examples
    --------
    >>> are_questions(["Who wrote it?", "When was it?"]), are_questions(["doc-1?", "doc-2?"])
    (True, False)
    """
    asked = [text for text in texts if asks(text) and (" " in text.strip() or any(ord(char) > 0x0E00 for char in text))]
    return 10 * len(asked) >= 9 * len(texts) > 0
