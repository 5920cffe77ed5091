"""Pages of documents, returned and right: a document and its page together are what is right, or the document alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ragdash.io.proposals.assignment import Assignment
from ragdash.io.proposals.content.ratings import is_whole
from ragdash.io.proposals.content.values import joined_ids
from ragdash.io.proposals.fields import Field, leaves
from ragdash.io.proposals.names import COUNTING, DOCUMENT, GOLD, ID, numbers_chunk
from ragdash.io.proposals.shapes.families import NUMBER, RUN


def settle_pages(result: Assignment) -> list[Assignment]:
    """The reading of documents with their pages, first where a right page was returned; else the one without them is.
    """
    if _take_right_pages(result):
        return []
    if alone := _take_document_of_pages(result):
        return alone
    returned, right = (result.fields.get(result.roles.get(name, "")) for name in ("retrieved", "relevant"))
    if returned is None or right is None or "grade" in result.roles or RUN in returned.path + right.path:
        return []
    pages = [item for item in result.fields.values() if "page" in item.name_words and is_whole(item) and (
        item.name_words[0] not in COUNTING) and item not in (returned, right)]
    beside = [item for item in pages if GOLD.isdisjoint(item.words) and _goes_with(item, returned)]
    expected = [item for item in pages if not GOLD.isdisjoint(item.words) and _goes_with(item, right)]
    if not beside or not expected:
        return []
    other = replace(result, roles={**result.roles, "retrieved": f"{returned.path}+{beside[0].path}",
                                   "relevant": f"{right.path}+{expected[0].path}"}, penalty=result.penalty)
    pairs = zip(_ids(returned, beside[0]), _ids(right, expected[0]), strict=True)
    is_found = any(not docs.isdisjoint(gold) for docs, gold in pairs)
    later = result if is_found else other
    later.penalty += 0.1
    return [other]


def settle_numbered_chunks(result: Assignment) -> list[Assignment]:
    """A right document next to the number of a chunk in it: both together where its name does not say that it is all,
    as in article, section, chunk_index; else they are another reading.
    """
    right = result.fields.get(result.roles.get("relevant", ""))
    if right is None or right.is_list or right.is_number or "." in right.path or not {
            "retrieved", "doc_id", "contexts", "text"}.isdisjoint(result.roles):
        return []
    beside = [item for item in result.fields.values() if not item.is_list and "." not in item.path]
    numbers = [item for item in beside if numbers_chunk(item.path) and is_whole(item) and item.distinct_count > 1]
    taken = {path for name, spec in result.roles.items() if name != "relevant" for path in spec.split("+")}
    documents = [item for item in beside if item.is_text and not DOCUMENT.isdisjoint(item.name_words)
                 and item.path not in taken]
    if not numbers:
        return []
    chunks = [set(zip(*(map(repr, item.values) for item in (*parts, numbers[0])), strict=True))
              for parts in (documents, *([item] for item in documents))]
    fitting = [item for item, pairs in zip(documents, chunks[1:], strict=True) if len(pairs) == len(chunks[0])]
    document = min(fitting or documents, key=lambda item: item.distinct_count)
    roles = {**result.roles, "relevant": f"{document.path}+{numbers[0].path}"}
    if (GOLD | ID).isdisjoint(right.words):
        result.roles = roles
        return []
    return [replace(result, roles=roles, penalty=result.penalty + 0.1)]


def _take_right_pages(result: Assignment) -> bool:
    """Take documents with their pages, and the document of a question with its right pages: retrieved[].doc_name and
    retrieved[].page_number next to doc_name and evidence_page_nums, as in evaluations on FinanceBench.
    """
    returned = result.fields.get(result.roles.get("retrieved", ""))
    if returned is None or "[]." not in returned.path or RUN in returned.path or "grade" in result.roles:
        return False
    pages = [item for item in result.fields.values() if "page" in item.name_words and is_whole(item)
             and item.name_words[0] not in COUNTING and len(item.values) == len(returned.values)]
    beside = [item for item in pages if _goes_with(item, returned)]
    documents = [item for item in result.fields.values() if item.name_words == returned.name_words
                 and not item.is_list and "." not in item.path]
    right = [item for item in pages if "[]" not in item.path and not {"evidence", *GOLD}.isdisjoint(item.words)]
    if not (beside and documents and right) or result.roles.get("relevant", documents[0].path) not in (
            documents[0].path, right[0].path):
        return False
    result.roles |= {"retrieved": f"{returned.path}+{beside[0].path}",
                     "relevant": f"{documents[0].path}+{right[0].path}"}
    return True


def _take_document_of_pages(result: Assignment) -> list[Assignment]:
    """Take the document of each question with its right pages where nothing was returned: document next to
    relevant_pages; the document alone is another reading.
    """
    pages = result.fields.get(result.roles.get("relevant", ""))
    if pages is None or "page" not in pages.name_words or "." in pages.path or not {
            "retrieved", "doc_id", "contexts", "text", "grade"}.isdisjoint(result.roles):
        return []
    documents = [item for item in result.fields.values() if not item.is_list and item.is_text and "." not in item.path
                 and DOCUMENT - {"page"} >= {*item.name_words} - {"name", "id"} != set() and item.share == 1.0
                 and item.path not in result.roles.values() and item.distinct_count > 1]
    if len(documents) != 1:
        return []
    document = documents[0].path
    result.roles["relevant"] = f"{document}+{pages.path}"
    return [replace(result, roles={**result.roles, "relevant": document}, penalty=result.penalty + 0.1)]


def _goes_with(item: Field, documents: Field) -> bool:
    """True for a page of each document: in the same objects or numbered columns, or one for one document."""
    is_in_place = item.path.rpartition("[].")[0] == documents.path.rpartition("[].")[0] and (
        NUMBER in item.path) == (NUMBER in documents.path) and item.is_list == documents.is_list
    return is_in_place and len(item.values) == len(documents.values) and all(
        len(list(leaves(page))) == len(list(leaves(doc)))
        for page, doc in zip(item.values, documents.values, strict=True))


def _ids(documents: Field, pages: Field) -> Iterator[set[str]]:
    return (set(joined_ids(values)) for values in zip(documents.values, pages.values, strict=True))
