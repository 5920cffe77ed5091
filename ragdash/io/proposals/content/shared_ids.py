"""Names of documents with blanks, which look like texts: those that are right are among those that were returned, or
all have the form of a place in a document.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from ragdash.io.proposals.fields import SENTENCE_ENDS, Field
from ragdash.io.proposals.names import (
    ANSWER,
    DOCUMENT,
    GOLD,
    NOTES,
    QUESTION,
    RETRIEVING,
    RETURNED,
    SPANS,
    TEXT,
)

_LONGEST = 120
_FEWEST = 3  # different names that are right and were returned
_VARIED = 0.5  # share of different names: kinds of sources come again
_SHARE = 0.3  # of the different names that are right
_PLACE = re.compile(r"\S::\S|\S > \S|\.(?:pdf|md|txt|html?|docx?|pptx?)\b")  # Rules::3 Storage, a.pdf, page 3


class SharedIds(Field):
    """A field with names of documents that another field has as well."""

    is_id_like = True
    is_long_text = False
    is_shared = True

    @cached_property
    def blank_share(self) -> float:
        """Blanks within a name do not matter."""
        return 0.0


def with_shared_ids(fields: Mapping[str, Field]) -> dict[str, Field]:
    """The fields; those of which one names what is right and the other has the same names of what was returned are ids.
    """
    names = {path: item for path, item in fields.items() if _may_name_documents(item)}
    right = {path: item for path, item in names.items() if not GOLD.isdisjoint(item.name_words)
             and RETRIEVING.isdisjoint(item.words)}
    returned = {path: item for path, item in names.items() if path not in right
                and not (RETURNED | RETRIEVING).isdisjoint(item.words) and (item.is_list or (
                    not DOCUMENT.isdisjoint(item.name_words) and item.distinct_share >= _VARIED))}
    shared = set()
    for path, item in right.items():
        wanted = set(map(str, item.items))
        for other, listed in returned.items():
            common = wanted & set(map(str, listed.items))
            if len(common) >= _FEWEST and len(common) >= _SHARE * len(wanted):
                shared |= {path, other}
    shared |= {path for path, item in names.items() if _are_places(item)}
    if all(fields[path].is_id_like for path in shared):
        return dict(fields)
    return {path: SharedIds(path, item.values) if path in shared else item for path, item in fields.items()}


def _are_places(item: Field) -> bool:
    """True for right or returned documents of which nearly all say a place in one: "Handbook::3.2 Storage"."""
    name, texts = {*item.name_words}, [str(text) for text in item.items]
    return bool({*item.words} & (GOLD | RETURNED)) and bool(name & (DOCUMENT | TEXT | SPANS)) and name.isdisjoint(
        NOTES) and 10 * sum(_PLACE.search(text) is not None for text in texts) >= 9 * len(texts)


def _may_name_documents(item: Field) -> bool:
    """True for short texts of one line, few of which end as sentences do, and no answers or questions."""
    texts = [str(text).strip() for text in item.items]
    return item.is_text and not item.is_object and item.mean_length < _LONGEST and not any(
        "\n" in text for text in texts) and 5 * sum(text.endswith(SENTENCE_ENDS) for text in texts) < len(texts) and (
        (ANSWER | QUESTION).isdisjoint(item.name_words) or not DOCUMENT.isdisjoint(item.name_words))
