"""Answers in parts: the text of each section or sentence in a list below the answer."""

from __future__ import annotations

import re
from collections.abc import Collection

from ragdash.io.proposals.fields import leaves
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


def whole_answer(path: str, value, names: Collection[str]):
    """The whole answer where each of its sentences has citations of its own, or where it is several names."""
    is_cited = is_in_parts(path) or (path.endswith("[].text") and f"{path.removesuffix('text')}citations" in names)
    if is_cited and type(value) is list:
        return " ".join(str(item) for item in leaves(value))
    if "[]" not in path and type(value) is list and len(value) > 1 and all(type(item) is str for item in value):
        return "; ".join(value)
    return value
