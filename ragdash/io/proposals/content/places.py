"""Numbers of places within one document or one answer, which name no document of a collection."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragdash.io.proposals.fields import SENTENCE_ENDS, Field, as_number, leaves
from ragdash.io.proposals.names import DOCUMENT, GOLD, ID, SURE_METRICS

_MEMBER = re.compile(r"\[\]\.")
_PARTS = {"article", "section", "page", "paragraph", "chapter"}
_SMALL_PARTS = {"sent", "sentence", "line", "span", "token", "char", "character", "offset", "word"}

_CITING = {"citation", "cited", "citing", "footnote", "marker"}
_MOST_CITED = 60
_NUMBERED_PARTS = (("item",), ("section",), ("chapter",), ("article",), ("part",), ("clause",), ("paragraph",))
_LONGEST_NUMBER = 4  # characters: 12, 1A, IV


def are_places(field: Field) -> bool:
    """True for short texts, nearly all with a number, and no full stop at the end: "SR 220 Art. 335c", "Book, part 4".
    """
    texts = [str(item).strip() for item in field.items]
    numbered = sum(any(map(str.isdigit, text)) for text in texts)
    return field.is_text and field.mean_length < 60 and bool(texts) and 10 * numbered >= 9 * len(texts) and not any(
        text.endswith(SENTENCE_ENDS) for text in texts)


def are_headings(field: Field) -> bool:
    """True for short texts, nearly all with the mark of a section: "Refunds § Eligibility"."""
    texts = [str(item) for item in field.items]
    return field.is_text and field.mean_length < 60 and 10 * sum("§" in text for text in texts) >= 9 * len(texts) > 0


def is_place_within(field: Field) -> bool:
    """True for numbers of sentences or lines, and for parts of a document that another member names."""
    name = set(field.name_words)
    if not field.is_number:
        return False
    return not name.isdisjoint(_SMALL_PARTS) or ("[]" in field.path and name <= _PARTS)


def _numbers_parts(field: Field, fields: Mapping[str, Field]) -> bool:
    """True for expected.items next to expected.ticker, and expected_sections next to doc: ["1A", "7"], the same few
    numbers of parts for all documents, of which another field names the one that is meant.
    """
    parent = field.path.rpartition(".")[0]
    texts = {str(item) for item in field.items}
    if "[]" in field.path or tuple(word for word in field.name_words if word not in GOLD) not in _NUMBERED_PARTS or any(
            len(text) > _LONGEST_NUMBER for text in texts) or 2 * len(texts) > len(field.items):
        return False
    beside = [item for path, item in fields.items() if path.rpartition(".")[0] == parent and item is not field
              and (parent or not DOCUMENT.isdisjoint(item.name_words))]
    return field.is_list and any(item.is_text and not item.is_list and item.share == 1 and item.distinct_count > 1
                                 for item in beside)


def counts_citations(field: Field) -> bool:
    """True for 1, 2, 4 next to an answer with [1], [2] and [4]: in most records the first of them is one of them."""
    name = set(field.name_words)
    if _CITING.isdisjoint(field.words) or (name & DOCUMENT - {"citation", "source"} and name & ID) or (
            not name.isdisjoint(SURE_METRICS)):
        return False  # cited_doc_ids, citation_score
    rows = [[as_number(item) for item in leaves(value)] for value in field.present]
    rows = [row for row in rows if row]
    counted = [number for row in rows for number in row if number is not None and number.is_integer()
               and 0 <= number <= _MOST_CITED]
    if 10 * len(counted) < 9 * sum(map(len, rows)) or not counted:
        return False  # a name among the numbers does not matter
    return 2 * sum(0 in row or 1 in row for row in rows) > len(rows)


def without_places(fields: Mapping[str, Field]) -> dict[str, Field]:
    """The fields but the numbers of citations, of parts of a document that another field names, and of all sentences of
    a document where other numbers say which are right: evidence[].sent_id next to gold_sent_ids.
    """
    fields = {name: item for name, item in fields.items() if not (
        counts_citations(item) or _numbers_parts(item, fields))}
    places = [item for item in fields.values() if is_place_within(item)]
    if not any("[]" not in item.path and item.is_list and not GOLD.isdisjoint(item.words) for item in places):
        return fields
    lists = {item.path[:end.start()] for item in places for end in _MEMBER.finditer(item.path)} - {""}
    return {name: item for name, item in fields.items() if item.path.rpartition("[].")[0] not in lists}
