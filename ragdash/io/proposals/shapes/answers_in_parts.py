"""Answers in parts: the text of each section or sentence in a list below the answer."""

from __future__ import annotations

import re

from ragdash.io.proposals.names import ANSWER, words

_PART = re.compile(r"(.*)\.(sections|paragraphs|parts|blocks|segments)\[\]\.(text|content|body)")


def is_in_parts(path: str) -> bool:
    """True for response.sections[].text, which together are the answer.

    Examples
    --------
    >>> is_in_parts("response.sections[].text"), is_in_parts("document.sections[].text")
    (True, False)
    """
    match = _PART.fullmatch(path)
    return match is not None and "[]" not in match[1] and not ANSWER.isdisjoint(words(match[1]))
