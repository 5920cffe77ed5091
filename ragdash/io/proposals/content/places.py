"""Numbers of places within one document, which name no document of a collection."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.names import GOLD

_PARTS = {"article", "section", "page", "paragraph", "chapter"}
_SMALL_PARTS = {"sent", "sentence", "line", "span", "token", "char", "character", "offset", "word"}


def is_place_within(field: Field) -> bool:
    """True for numbers of sentences or lines, and for parts of a document that another member names."""
    name = set(field.name_words)
    if not field.is_number:
        return False
    return not name.isdisjoint(_SMALL_PARTS) or ("[]" in field.path and name <= _PARTS)


def are_marked_elsewhere(texts: Field, fields: Mapping[str, Field]) -> bool:
    """True for all sentences of a document, of which other numbers say which are right: evidence[].sent_id next to
    gold_sent_ids.
    """
    parent = texts.path.rpartition("[].")[0]
    places = [item for item in fields.values() if is_place_within(item)]
    return bool(parent) and any(item.path.startswith(f"{parent}[].") for item in places) and any(
        "[]" not in item.path and item.is_list and not GOLD.isdisjoint(item.words) for item in places)
