"""Numbers of places within one document, which name no document of a collection."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.names import GOLD

_MEMBER = re.compile(r"\[\]\.")
_PARTS = {"article", "section", "page", "paragraph", "chapter"}
_SMALL_PARTS = {"sent", "sentence", "line", "span", "token", "char", "character", "offset", "word"}


def is_place_within(field: Field) -> bool:
    """True for numbers of sentences or lines, and for parts of a document that another member names."""
    name = set(field.name_words)
    if not field.is_number:
        return False
    return not name.isdisjoint(_SMALL_PARTS) or ("[]" in field.path and name <= _PARTS)


def without_marked_sentences(fields: Mapping[str, Field]) -> dict[str, Field]:
    """The fields but all sentences of a document, where other numbers say which are right: evidence[].sent_id next to
    gold_sent_ids.
    """
    places = [item for item in fields.values() if is_place_within(item)]
    if not any("[]" not in item.path and item.is_list and not GOLD.isdisjoint(item.words) for item in places):
        return dict(fields)
    lists = {item.path[:end.start()] for item in places for end in _MEMBER.finditer(item.path)} - {""}
    return {name: item for name, item in fields.items() if item.path.rpartition("[].")[0] not in lists}
