"""Whether the quotes of a table are whole: one that is never closed hides the rows behind it."""

from __future__ import annotations

import re
from functools import cache


def has_whole_quotes(content: bytes, delimiter: str) -> bool:
    """False where a quoted cell is not closed, or holds a line end and is followed by text: a quote is missing.

    A cell that begins with a quoted word goes on to its end. Quotes within a cell are as they are written.

    Examples
    --------
    >>> [has_whole_quotes(row, ",") for row in (b'q1,"a ""b"" c"', b'q1,5" pipe', b'q1,"open', b'q1,"a\\nq2,"b"')]
    [True, True, False, False]
    """
    match = _pattern(delimiter).match(content)
    return match is not None and match.end() == len(content)


@cache
def _pattern(delimiter: str) -> re.Pattern[bytes]:
    """What well-formed quotes look like, from the beginning; nothing in it is tried a second time."""
    end = re.escape(delimiter).encode() + rb"\r\n"
    begin = rb"(?<![^%s])" % end
    whole = begin + rb'"[^"]*+(?:""[^"]*+)*+"(?![^%s])' % end
    word = begin + rb'"[^"\r\n]*+(?:""[^"\r\n]*+)*+"'
    return re.compile(rb'(?:[^"]++|%s|%s|%s")*+' % (whole, word, rb"(?<=[^%s])" % end))
