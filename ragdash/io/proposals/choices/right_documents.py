"""Which fields hold the documents that are right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ragdash.io.proposals import meanings
from ragdash.io.proposals.assignment import WEIGHTS, Assignment, is_inside, take
from ragdash.io.proposals.content import ratings
from ragdash.io.proposals.content.first_ranks import ranks_one_document
from ragdash.io.proposals.content.spread import has_codes, is_title, names_document
from ragdash.io.proposals.fields import GOLD_OBJECTS, Field, is_missing, leaves
from ragdash.io.proposals.names import (
    ANSWER,
    DOCUMENT,
    GOLD,
    ID,
    RETRIEVING,
    RETURNED,
    TEXT,
    WEAK_GOLD,
)
from ragdash.io.proposals.shapes.ranked_lists import counts_evidence, same_lengths

_CHUNK = re.compile(r"[_#:/-]+(?:chunk|passage|page|part|p|c)[_-]?\d+$|#\d+$", re.IGNORECASE)  # a part of a document
_ENDING = re.compile(r"\.(?:pdf|md|txt|html?|docx?|json|pptx?)$", re.IGNORECASE)
_NO_RANKING = {"candidate", "pool", "corpus", "allowed", "acceptable", "negative", "distractor", "scope", "all",
               "haystack", "option", "choice", "cited", "citation"}  # right documents among others, in no order
_VARIED = 0.5  # share of the records with a list of its own
_SHORT = 5  # characters: numbers of sections, such as 60E
_TRUTH_ALONE = {"ground", "truth", "groundtruth", "gt"}  # next to an answer: answers as well
_SEVERAL = 3  # documents of queries
_MANY = 4  # times as many documents as collections of them
_PARTIAL = {"partial", "secondary"}  # in names of documents that are right in part
_DOCUMENTS = {"doc", "document", "chunk", "passage", "file", "filename", "page", "url", "article", "section",
              "paragraph"}  # in names that cannot mean a kind


def id_rank(item: Field) -> int:
    """Ids before names and paths of the same documents."""
    return 0 if not set(item.name_words).isdisjoint(ID) else 1


def assign_relevant(result: Assignment, free: dict[str, Field], lists: Sequence[Field]) -> None:
    """The ids of what is right; lists: fields whose name only says so, and whose values are ids."""
    gold = _gold_documents(result, free, lists)
    if gold and all(item.mean_length < _SHORT or names_document(item) for item in gold):
        gold = [item for item in free.values() if _names_origin_of_question(item)] or gold
    if all(map(meanings.is_judged_pool, gold)):
        gold = [item for item in free.values() if item.is_object and 2 * item.share > 1 and (
            not item.path.endswith("]")) and not set(item.words).isdisjoint(
            GOLD_OBJECTS) and all(
            type(value) is dict and all(type(grade) in (int, float, list) for grade in value.values())
            for value in item.present)] or gold
    if gold:
        partial = [item for item in gold if not _PARTIAL.isdisjoint(item.words)]
        full = [item for item in gold if item not in partial]
        returned = {str(value) for item in free.values() if meanings.is_returned_documents(item)
                    for value in item.items}
        varied = max((item.distinct_count for item in full if not item.is_list), default=0)
        full.sort(key=lambda item: (
            _is_index(item), any(_is_wider(item, other) for other in gold),
            returned.isdisjoint(map(str, item.items)) if returned else False,
            _is_same_for_all(item) or (not item.is_list and 2 * item.distinct_count < varied), not item.is_list,
            item.path.count("."), _is_weakly_named(item), id_rank(item), item.is_number,
            "citation" not in item.name_words,
            {"chunk", "passage", "section"}.isdisjoint(item.name_words)))
        if full and partial and all(map(set.isdisjoint, *zip(*_pairs_of_lists(full[0], partial[0]), strict=True))):
            take(result, free, "relevant", full[0], partial[0], note=f"{full[0].path}:2+{partial[0].path}:1")
        else:
            chosen = (full or partial)[0]
            graded = next((item for item in free.values() if _grades(item, chosen)), None)
            others: list[Field] = []
            for item in sorted(full, key=lambda item: -item.share):
                if item is not chosen and all(_complements(item, other) for other in (chosen, *others)):
                    others.append(item)
            parts = sorted([chosen, *others], key=lambda item: "[]" not in item.path)  # grades are those of the first
            take(result, free, "relevant", *([graded] if graded else parts))


def gold_lists(free: dict[str, Field]) -> list[Field]:
    """Fields whose values are among those that were returned, and whose name says that they are right."""
    lists = [item for item in free.values() if meanings.is_returned_list(item)
             or meanings.is_returned_documents(item) or ("[]" in item.path and meanings.is_neutral_documents(item))]
    titles = [item for item in free.values() if is_title(item) or (
        item.is_list and "[]" not in item.path and has_codes(item) and GOLD.isdisjoint(item.words)) or (
        item.name_words == ("top1",))]
    returned = {name for item in (*lists, *titles) for value in item.items for name in names_of(str(value))}
    gold = [item for item in free.values() if meanings.is_gold_list(item) or (
        not item.is_list and "[]" not in item.path and item.is_text and item.mean_length < 120 and not GOLD.isdisjoint(
            item.name_words) and ANSWER.isdisjoint(item.name_words) and not meanings.names_kinds(item))]
    is_answered = any(meanings.is_answer(item) for item in free.values())
    named = [item for item in gold if ANSWER.isdisjoint(item.name_words) or (ID | DOCUMENT) & {*item.name_words} or (
        2 * sum(str(value) in returned for value in item.items) > len(item.items))]  # not the year 1975 in gold_answers
    return [item for item in named if any(
        not returned.isdisjoint(names_of(str(value))) for value in item.items)] or [
        item for item in gold if item.is_list and not lists and (has_codes(item) or TEXT & {*item.name_words} or (
            item.is_text != (item.name_words == ("expected",)))) and not (_TRUTH_ALONE.issuperset(item.name_words) and (
                is_answered or not _are_mostly_ids(item)))
        and ANSWER.isdisjoint(item.name_words) and meanings.is_gold_list(item)]


def _are_mostly_ids(item: Field) -> bool:
    """True for numbers and for names with a digit or a mark in them, not for words such as India and yes."""
    return item.is_number or item.is_shared or item.path_share > _VARIED or 2 * sum(
        meanings.ID_FORM.fullmatch(str(value)) is not None for value in item.items) > len(item.items)


def settle_found_document(result: Assignment) -> None:
    """One document for each query next to its rank as one document is the right one: no ranking begins with rank 4."""
    role = "retrieved" if "retrieved" in result.roles else "doc_id"
    item = result.fields.get(result.roles.get(role, ""))
    if item is not None and not item.is_list and "relevant" not in result.roles and (
            ranks_one_document(result.fields.values())):
        result.roles["relevant"] = result.roles.pop(role)
        result.roles.pop("rank", None)


def names_of(document: str) -> set[str]:
    """The names of a document: as it is, without its folders, without its ending, without the number of its chunk."""
    return {document, document.rpartition("/")[2], _ENDING.sub("", document), _CHUNK.sub("", document)} - {""}


def names_whole(returned: Field, relevant: Field, result: Assignment) -> bool:
    """True where returned names have a folder or the number of a chunk, and the relevant ones have not; no other list
    has the relevant ones as they are.
    """
    right = {str(item) for item in relevant.items}
    return not any(item.is_list and item is not relevant and overlap(item, right) for item in result.fields.values()
                   ) and any(not names_of(str(item)).isdisjoint(right) for item in returned.items)


def _gold_documents(result: Assignment, free: dict[str, Field], lists: Sequence[Field]) -> list[Field]:
    """The fields that may hold the ids of what is right; where some are sure, not what an answer cites."""
    gold = [item for item in free.values() if meanings.is_gold_documents(item)
            and not is_inside(item.path, {"evidence": result.roles.get("evidence", "")})]
    gold = [item for item in gold if item.path != result.roles.get("query_id")]
    gold = [item for item in gold if item in lists or (lists and _is_next_to(item, lists))] if lists else gold
    gold = gold or list(lists)
    gold = [item for item in gold if not meanings.is_judged_pool(item)] or gold
    if gold and all(map(_is_index, gold)):
        gold = _shared_members(free) or gold
    gold = [item for item in gold if not (_is_rare(item) and not any(_complements(item, other) for other in gold))
            and not ("[]" in item.path and counts_evidence(item))]
    sure = [item for item in gold if not (GOLD - WEAK_GOLD).isdisjoint(item.words)]
    return [item for item in gold if "cited" not in item.words] if sure else gold


def _names_origin_of_question(item: Field) -> bool:
    """True for source_chunk_id next to the number of a section or the title of a law: which of its parts is right."""
    name = {*item.name_words}
    return {"source"} < name and bool(name & _DOCUMENTS) and bool(name & ID) and item.is_id_like and item.is_text and (
        not item.is_list and "[]" not in item.path and item.distinct_count > 1)


def _is_next_to(item: Field, lists: Sequence[Field]) -> bool:
    """True for another list in an object of what is right: gold.related_tests next to gold.supporting_files."""
    parent = item.path.rpartition(".")[0]
    return item.is_list and bool(parent) and any(other.path.rpartition(".")[0] == parent for other in lists)


def _is_weakly_named(item: Field) -> bool:
    """True for gold.supporting_files, which may come next to gold.files or gold.root_cause_files."""
    return bool(GOLD & {*item.name_words}) and WEAK_GOLD.issuperset(GOLD & {*item.name_words})


def _is_same_for_all(item: Field) -> bool:
    """True for the one document, such as a law, that all questions are about; its parts are what is right."""
    return not item.is_list and len(item.values) > 2 and item.distinct_count == 1


def settle_gold_sets(result: Assignment) -> list[Assignment]:
    """Another list of right documents next to the one that is read: which of them is meant, only a person knows."""
    path = result.roles.get("relevant", "")
    chosen = result.fields.get(path)
    if chosen is None or "grade" in result.roles or chosen.is_object:
        return []
    returned = {str(value) for name in result.roles.get("retrieved", "").split("+") if name in result.fields
                for value in result.fields[name].items}
    free = {name: item for name, item in result.fields.items() if not is_inside(name, result.roles)}
    others = [item for item in _gold_documents(result, free, ()) if _rivals(item, chosen) and (
        not returned or not returned.isdisjoint(map(str, item.items)))]
    return [replace(result, roles={**result.roles, "relevant": item.path}, penalty=result.penalty + 0.1)
            for item in others[:2]]


def _rivals(item: Field, chosen: Field) -> bool:
    """True for a list of other documents of the same kind."""
    are_alike = item.is_list and chosen.is_list and item.is_number == chosen.is_number and not item.is_object
    is_next_to_it = "[]" not in item.path and item.path.rpartition(".")[0] == chosen.path.rpartition(".")[0]
    return are_alike and is_next_to_it and item.values != chosen.values and 2 * item.share >= chosen.share and not (
        _complements(item, chosen) or meanings.is_judged_pool(item))


def settle_shared_document(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """The document of a query that is among those returned for it is the right one, or what the query was made of."""
    returned = result.fields.get(result.roles.get("retrieved", ""))
    if returned is None or not returned.is_list or not {"relevant", "grade"}.isdisjoint(result.roles):
        return []
    for item in free.values():
        name = set(item.name_words)
        if item.is_list or "." in item.path or item.distinct_count < _SEVERAL or not meanings.is_neutral_documents(
                item) or not name.isdisjoint(RETURNED | {"best", "first", "cited", "selected"}):
            continue
        pairs = [(str(value), list(map(str, leaves(docs)))) for value, docs in zip(
            item.values, returned.values, strict=False)]
        if 3 * sum(value in docs for value, docs in pairs) > len(pairs):
            other = replace(result, roles=dict(result.roles), penalty=result.penalty + 0.1)
            if all(value == (docs or [""])[0] for value, docs in pairs):  # of a perfect ranking, or taken from it
                other.roles["relevant"] = item.path
            else:
                take(result, free, "relevant", item)
            return [other]
    return []


def take_documents_of_evidence(result: Assignment, free: dict[str, Field]) -> None:
    """The ids of documents in a list of quotes: evidence[].doc_id next to evidence[].quote."""
    parent = result.roles.get("evidence", "").rpartition("[].")[0]
    if not parent or {"relevant", "retrieved", "doc_id", "answer", "contexts", "text"} & result.roles.keys():
        return
    ids = [item for item in free.values() if item.path.startswith(f"{parent}[].") and item.path.count("[]") == (
        result.roles["evidence"].count("[]")) and meanings.is_neutral_documents(item) and ID & {*item.name_words}
           and DOCUMENT - ID & {*item.name_words} and not item.is_number]
    if ids:
        take(result, free, "relevant", ids[0])


def take_whole_list(result: Assignment, free: dict[str, Field]) -> None:
    """All right documents of a question, where those of its quotes are some of them: documents next to
    snippets[].document.
    """
    quoted = result.fields.get(result.roles.get("relevant", ""))
    if quoted is None or "[]." not in quoted.path or {"retrieved", "answer", "contexts"} & result.roles.keys():
        return
    for item in free.values():
        if item.is_list and item.is_id_like and "[]." not in item.path and not DOCUMENT.isdisjoint(item.words) and (
                RETURNED.isdisjoint(item.words)) and len(item.values) == len(quoted.values):
            pairs = _pairs_of_lists(item, quoted)
            if all(part <= whole for whole, part in pairs) and any(part < whole for whole, part in pairs):
                take(result, free, "relevant", item)
                return


def settle_quoted_documents(result: Assignment) -> list[Assignment]:
    """A list of quotes from the documents in another list, which are right or what was returned, as BioASQ writes them:
    documents next to snippets[].document. The quotes are their texts, not the ranking.
    """
    quoted = result.fields.get(result.roles.get("retrieved", "").split("+")[0])
    texts = result.roles.get("contexts") or result.roles.get("text")
    if quoted is None or "[]." not in quoted.path or texts is None or not {
            "score", "rank", "relevant", "evidence"}.isdisjoint(result.roles) or (
            {"answer", "answers"} <= result.roles.keys()):
        return []
    whole = next((item for item in result.fields.values() if item.is_list and "[]" not in item.path and (
        item.is_id_like and DOCUMENT & {*item.name_words} and RETURNED.isdisjoint(item.words)) and (
        _holds(item, quoted))), None)
    if whole is None:
        return []
    answer = result.roles.get("answers") or result.roles.get("answer")
    asked = {name: path for name, path in result.roles.items() if name in ("query_id", "query")}
    ways = [asked | {documents: whole.path, answers: answer, about: texts} for documents, answers, about in (
        ("relevant", "answers", "evidence"), ("retrieved", "answer", "contexts"))]
    right, returned = ({name: path for name, path in roles.items() if path} for roles in ways)
    result.roles = right
    return [replace(result, roles=returned, penalty=result.penalty + 0.1)]


def _holds(item: Field, quoted: Field) -> bool:
    """True for lists with nearly all documents that are quoted."""
    pairs = _pairs_of_lists(item, quoted) if len(item.values) == len(quoted.values) else []  # else of several systems
    quoted_count = sum(len(listed & part) for listed, part in pairs)
    return bool(pairs) and 10 * quoted_count >= 9 * sum(len(part) for _, part in pairs)


def judged_or_ranked(result: Assignment, free: dict[str, Field], documents: Field) -> list[Assignment]:
    """The reading of documents that are taken as right ones as what was returned. A list of numbers next to them grades
    or ranks them where they are whole; fractions rank them, so that the first reading becomes this one.
    """
    marks = [item for item in free.values() if "[]" not in item.path and ratings.parallel_role(item) in (
        "score", "grade") and same_lengths(item, documents)][:1]
    roles = {"retrieved" if name == "relevant" else name: path for name, path in result.roles.items()}
    if not marks:
        return [replace(result, roles=roles)]
    take(result, free, "grade", *marks)
    roles["score"] = marks[0].path
    if ratings.is_whole(marks[0]):
        return [replace(result, roles=roles)]
    result.roles = roles
    return []


def _is_index(item: Field) -> bool:
    """True for context_idx in a list of objects: a part of an id, if there is another one."""
    return "[]" in item.path and not {"idx", "index"}.isdisjoint(item.name_words)


def _is_wider(item: Field, other: Field) -> bool:
    """True for the collection of each document, of which there are few, next to another name of the same documents."""
    parent = item.path.rpartition("[].")[0]
    return bool(parent) and other.path.startswith(f"{parent}[].") and item.path.count("[]") == other.path.count(
        "[]") and ID.isdisjoint(item.name_words) and _MANY * len(set(map(str, item.items))) < len(
            set(map(str, other.items)))


def _shared_members(free: dict[str, Field]) -> list[Field]:
    """Ids in a list of what is right that are in a list of what was returned as well, whatever they are called there:
    gold_evidence[].pubid and retrieved_passages[].metadata.pubid.
    """
    members = [item for item in free.values() if "[]." in item.path and item.is_id_like and not _is_index(item)]
    right = [item for item in members if not (GOLD - WEAK_GOLD).isdisjoint(item.words)
             and RETRIEVING.isdisjoint(item.words)]
    returned = [item for item in members if not RETRIEVING.isdisjoint(item.words)]
    return [item for item in right for other in returned if item.name_words == other.name_words
            and overlap(other, {str(value) for value in item.items})][:1]


def _complements(item: Field, chosen: Field) -> bool:
    """True for a field of the same kind that has values where the other has none: expect.id and expect_any[].id."""
    if item is chosen or item.name_words[-1:] != chosen.name_words[-1:] or len(item.values) != len(chosen.values):
        return False
    return all(is_missing(one) or is_missing(other) for one, other in zip(item.values, chosen.values, strict=True))


def _grades(item: Field, gold: Field) -> bool:
    """True for objects with a grade for each of the relevant ids: {"d7": 2, "d2": 1} next to ["d7", "d2"]."""
    if not item.is_object or item.is_list or gold.is_object or GOLD_OBJECTS.isdisjoint(item.name_words):
        return False
    pairs = [(value, {str(doc) for doc in leaves(docs)}) for value, docs in zip(item.values, gold.values, strict=False)
             if not is_missing(docs)]
    return all(type(value) is dict and docs <= value.keys() and all(type(grade) in (int, float)
                                                                    for grade in value.values())
               for value, docs in pairs)


def _is_rare(item: Field) -> bool:
    """True for what few records have and no id or document names, such as what a tool has to find in some of the cases.
    """
    name = set(item.name_words)
    names_documents = bool(name & _DOCUMENTS) and "required" not in name  # papers that someone has to hand in
    is_id = "." not in item.path and (item.path_share > 0.6 or bool(name & ID) or names_documents)
    return not is_id and "[]" not in item.path and (2 if "." in item.path else 3) * item.share <= 1


def overlap(item: Field, others: set[str]) -> float:
    """Share of the relevant ids that are among these."""
    return len(others & {str(value) for value in item.items}) / max(len(others), 1)


def settle_overlapping(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """A list that has right documents among others in most records is what was returned, whatever its name is:
    visited_passages next to gold_passages. The reading without it comes next, or first where all right documents are in
    it: it may be what was searched.
    """
    gold = result.fields.get(result.roles.get("relevant", ""))
    if gold is None or {"retrieved", "doc_id", "text"} & result.roles.keys():
        return []
    lists = [item for item in free.values() if item.is_list and item.is_id_like and not item.is_object
             and len(item.values) == len(gold.values) and (_NO_RANKING | GOLD | {"evidence"}).isdisjoint(item.words)]
    lists = [item for item in lists if item.distinct_share > _VARIED]
    mixed = max(lists, key=lambda item: _share_of_mixed(item, gold), default=None)
    if mixed is None or 2 * _share_of_mixed(mixed, gold) < 1:
        return []
    other = replace(result, roles=dict(result.roles))
    if all(right <= listed for listed, right in _pairs_of_lists(mixed, gold)):
        other.roles["retrieved"], other.penalty = mixed.path, WEIGHTS["retrieved"] + 0.1
    else:
        take(result, free, "retrieved", mixed)
    return [other]


def _pairs_of_lists(item: Field, gold: Field) -> list[tuple[set[str], set[str]]]:
    return [({*map(str, leaves(listed))}, {*map(str, leaves(right))})
            for listed, right in zip(item.values, gold.values, strict=True)]


def _share_of_mixed(item: Field, gold: Field) -> float:
    """The share of the records in which a list has a right document and another one."""
    pairs = _pairs_of_lists(item, gold)
    return sum(bool(listed & right) and bool(listed - right) for listed, right in pairs) / max(len(pairs), 1)
