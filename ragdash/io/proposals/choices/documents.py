"""Which fields hold the returned documents, and what goes with them: scores, ranks, gains, texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ragdash.io.proposals import meanings
from ragdash.io.proposals.assignment import WEIGHTS, Assignment, is_inside, take
from ragdash.io.proposals.choices.others import without_ranks_of_parts
from ragdash.io.proposals.choices.right_documents import id_rank, names_whole, overlap
from ragdash.io.proposals.content import ratings
from ragdash.io.proposals.content.spread import is_constant, is_title
from ragdash.io.proposals.fields import Field, as_bool, is_missing, leaves
from ragdash.io.proposals.names import (
    CONFIGS,
    DOCUMENT,
    GOLD,
    ID,
    RETRIEVING,
    RETURNED,
    SPANS,
    WEAK_GOLD,
    last_words,
    words,
)
from ragdash.io.proposals.shapes.families import ColumnFamily
from ragdash.io.proposals.shapes.ranked_lists import (
    are_places,
    counts_within,
    distinguishing,
    falls,
    files_of_hits,
    is_beginning,
    judged_titles,
    lists_with_scores,
    same_lengths,
)

_NO_LISTS_OF_HITS = {"rating", "judgment", "relevance", "qrel", "tool", "event", "seed", "message", "step", "claim"}
_PATHS, _VARIED, _SEVERAL = 0.9, 0.5, 5  # share of addresses among ids, of different ones; queries with judgments
_SHORT_TEXTS = {"description", "summary", "abstract", "highlight", "caption", "preview"}  # of a hit without its text
_PLACES = {"index", "idx", "number", "no", "position"}  # in a document
_COMBINED = {"combined", "final", "fused", "fusion", "overall", "total", "rerank", "reranked", "rrf"}  # of other scores
_RANKED = {"ranked", "reranked", "ranking"}  # of two lists of returned documents: the one in their order


def _is_aside(item: Field, result: Assignment) -> bool:
    """True for lists in an object that few of the records with right answers have, such as what an author looked at."""
    return "answers" in result.roles and "." in item.path.partition("[]")[0] and 3 * item.share < 1


def assign_returned(result: Assignment, free: dict[str, Field], family: ColumnFamily | None) -> None:
    gold = result.roles.get("relevant", "").split("+")[0].rpartition(":")[0] or result.roles.get("relevant", "")
    parent = gold.rpartition("[].")[0]
    if parent and (grades := [item for item in free.values() if item.path.startswith(f"{parent}[].")
                              and ratings.parallel_role(item) in ("grade", "score")
                              and "distance" not in item.name_words]):
        take(result, free, "grade", grades[0])
    elif parent and (GOLD | {"evidence"}).isdisjoint(words(gold)):  # judged documents; nothing says which are right
        paths = [path.rpartition(":")[0] or path for path in result.roles.pop("relevant").split("+")]
        free |= {path: result.fields[path] for path in paths if path in result.fields}
        gold = ""
    lists = [item for item in free.values() if meanings.is_returned_documents(item) and item.path != gold]
    gold_ids = {str(value) for value in result.fields[gold].items} if gold in result.fields else set()
    lists = lists or [item for item in free.values() if meanings.is_returned_list(item) and item.path != gold]
    lists = _of_each_system([item for item in free.values() if item.path != gold], lists, family)
    lists += [item for item in free.values() if "[]." in gold and "[]." in item.path and item not in lists
              and last_words(item.path) == last_words(gold) and overlap(item, gold_ids)
              and not RETRIEVING.isdisjoint(item.words)]
    units = DOCUMENT & set(result.fields[gold].name_words) if gold in result.fields else set()
    if not any(units & {*item.name_words} for item in lists):  # of relevant_pages those of the pages, not of chunks
        lists += [item for item in free.values() if units & {*item.name_words} and overlap(item, gold_ids) and any(
            "[]." in other.path and item.path.startswith(f"{other.path.rpartition('.')[0]}.") for other in lists)]
    if gold in result.fields and not any(overlap(item, gold_ids) or item.is_number != result.fields[gold].is_number
                                         for item in lists):
        lists = [item for item in free.values() if _is_counterpart(item, result.fields[gold]) and (
            overlap(item, gold_ids) or min(item.path_share, result.fields[gold].path_share) > _PATHS)] or lists
    lists = lists or [item for item in free.values() if _misses_some(item, result.fields.get(gold))]
    lists = lists or lists_with_scores(free) or files_of_hits(free) or list(filter(_is_single_hit, free.values()))
    if not lists:
        spans = result.roles.get("evidence", "")
        is_quoted = not (SPANS - {"context", "sentence"}).isdisjoint(words(spans.rpartition("[].")[2]))
        quoted = spans.rpartition("[].")[0] if is_quoted and "answers" in result.roles else ""
        lists = [item for item in free.values() if ("[]" in item.path or "{n}" in item.path)
                 and meanings.is_neutral_documents(item) and not _is_gold_path(item.path)
                 and not (quoted and item.path.startswith(f"{quoted}[]."))]
    lists = lists or _ids_of_texts(free)
    lists = [item for item in lists if (gold_ids or not are_places(item)) and not _is_aside(item, result) and (
        not counts_within(item) or (units & {*item.name_words} and overlap(item, gold_ids)))]  # pages 1 and 2
    lists = lists or judged_titles(free)
    if not any(overlap(item, gold_ids) for item in lists):
        titles = [item for path, item in result.fields.items() if not _is_gold_path(path) and (
            (path in free and is_title(item)) or ("[]." in path and 2 * overlap(item, gold_ids) >= 1))]
        lists = [item for item in titles if overlap(item, gold_ids)] or lists
    if gold in result.fields:
        lists = [item for item in lists if not _resolves(item, result.fields[gold], result.fields)]
    pools = {item.path.rpartition("[].")[0] for item in lists if gold_ids and _is_pool(item, result.fields[gold], free)}
    lists = [item for item in lists if item.path.rpartition("[].")[0] not in pools or "[]." not in item.path]
    lists = [item for item in lists if not any(_is_reranked(other, item) for other in lists)]
    if lists:
        known = gold_ids or (_origins(result, free) if all("[]." in item.path for item in lists) else set())
        best = max(lists, key=lambda item: (bool(units & {*item.name_words}) and overlap(item, known) > 0,
                                            overlap(item, known) > 0, {"cited", "citation"}.isdisjoint(item.words),
                                            overlap(item, known), not _RANKED.isdisjoint(item.name_words),
                                            id_rank(item) == 0 and _PLACES.isdisjoint(item.name_words),
                                            (id_rank(item) == 0) - 2 * ("page" in item.name_words),
                                            -item.path.count("."), item.distinct_share))
        best = next((item for item in free.values() if "[]." in item.path and item.values == best.values), best)
        _take_documents(result, free, best, bool(known and overlap(best, known)), family)
    _settle_texts(result, free)
    _take_texts(result, free, pools - {""})


def _ids_of_texts(free: dict[str, Field]) -> list[Field]:
    """Ids under a name that does not say what they are, as many in each record as texts that were given to a system."""
    texts = [item for item in free.values() if meanings.is_context(item) and item.is_list]
    return [item for item in free.values() if item.is_list and meanings.is_neutral_documents(item) and (
        not _is_gold_path(item.path) and any(same_lengths(item, other) for other in texts))]


def _take_texts(result: Assignment, free: dict[str, Field], pools: set[str]) -> None:
    """The texts of the returned documents, or contexts; pools: lists of candidates, whose texts nothing returned."""
    judged = result.roles.get("relevant", "").rpartition("[].")[0] if "grade" in result.roles else ""
    spans = result.roles.get("evidence", "").rpartition("[].")[0]
    spans_are_read = "evidence" in words(result.roles.get("evidence", ""))
    contexts = [item for item in free.values() if meanings.is_context(item) and not _is_aside(item, result)
                and item.path.rpartition("[].")[0] not in pools
                and not (spans_are_read and "evidence" in item.words and RETURNED.isdisjoint(item.words))
                and not (spans and item.path.startswith(f"{spans}[]."))
                and not (judged and item.path.startswith(f"{judged}[]."))
                and not is_inside(item.path, {"evidence": result.roles.get("evidence", "")})]
    contexts.sort(key=lambda item: (not item.is_list, "retrieval" not in item.words and "retrieved" not in item.words,
                                    "context" not in item.words, item.path.count("."), -item.mean_length))
    documents = result.roles.get("retrieved", "")
    inside = documents.rpartition("[].")[0]
    texts_of_documents = [item for item in contexts if inside and item.path.startswith(f"{inside}[].")] or [
        item for item in free.values() if inside and item.path.startswith(f"{inside}[].") and item.is_long_text
        and not _SHORT_TEXTS.isdisjoint(item.name_words)]
    if {"text", "contexts"}.isdisjoint(result.roles) and (texts_of_documents or contexts):
        take(result, free, "text" if texts_of_documents else "contexts", (texts_of_documents or contexts)[0])


def _origins(result: Assignment, free: dict[str, Field]) -> set[str]:
    """The documents that questions with right answers were made from, such as those under source_doc."""
    if "answers" not in result.roles:
        return set()
    origins = [item for item in free.values() if not item.is_list and "[]" not in item.path
               and meanings.is_neutral_documents(item) and {"source", "document"} & set(item.name_words)]
    return {str(value) for item in origins for value in item.items}


def _is_single_hit(item: Field) -> bool:
    """True for the id of the one document that was retrieved for each query: retrieved_recipe_id, top1_file."""
    name = {word.rstrip("1") for word in item.name_words}
    ranked = {"retrieved", "top"} | ({"predicted"} if max(item.distinct_share, item.path_share) >= _VARIED else set())
    is_named = ("id" in name and name & {"retrieved", "top"}) or (name & ranked and name & DOCUMENT) or (
        name in ({"top"}, {"top", "result"}) and item.is_text)
    return (item.is_id_like or ({"top", "retrieved"} <= name and item.is_text)) and "[]" not in item.path and not (
        item.is_list) and item.distinct_count > 1 and bool(is_named) and GOLD.isdisjoint(item.words) and (
        "id" in name or not item.is_number)


def _is_reranked(item: Field, other: Field) -> bool:
    """True for a list of some of the documents in the other one, which is not reranked or has those of all steps: what
    is returned in the end. A list that begins with the other one replaces it as well.
    """
    if is_beginning(other, item):
        return True
    is_of_steps = other.path.count("[]") > max(1, item.path.count("[]"))
    if not is_of_steps and (_RANKED.isdisjoint(item.words) or not _RANKED.isdisjoint(other.words)):
        return False
    pairs = [(set(map(str, leaves(value))), set(map(str, leaves(wider)))) for value, wider in zip(
        item.values, other.values, strict=False)]
    return all(value <= wider or (is_of_steps and not wider) for value, wider in pairs) and any(
        value and wider for value, wider in pairs)


def _is_pool(item: Field, gold: Field, free: dict[str, Field]) -> bool:
    """True for candidates with all that is right and in no order: what is to be ranked, not a ranking."""
    parent = item.path.rpartition("[].")[0]
    if not parent or "candidate" not in words(parent) or any(
            ratings.parallel_role(other) for other in free.values() if other.path.startswith(f"{parent}[].")):
        return False
    return all(set(map(str, leaves(right))) <= set(map(str, leaves(value)))
               for value, right in zip(item.values, gold.values, strict=False))


def _resolves(item: Field, gold: Field, fields: Iterable[str]) -> bool:
    """True for a list of how each expected document was found: its ids are the relevant ones, and it says "expected".
    """
    parent = item.path.rpartition("[].")[0]
    if not parent or not any(name.startswith(f"{parent}[].") and "expected" in words(name.rpartition("[].")[2])
                             for name in fields):
        return False
    pairs = _pairs_of_sets(item, gold)
    return len(pairs) > 2 and sum(returned == right for returned, right in pairs) >= 0.9 * len(pairs)


def _is_flag(item: Field) -> bool:
    """True for members such as is_supporting, which mark what is right among candidates."""
    return "[]." in item.path and bool({"supporting", "selected", "gold", "positive"} & set(item.name_words)) and (
        ratings.parallel_role(item) == "grade")


def _is_of_each_system(item: Field) -> bool:
    """True for lists of ids in a column for each system, such as dense_sources: what differs by system was returned."""
    name = set(item.words) - {"run", "list"}
    return ("{run}" in item.path and "[]" not in item.path and item.is_list and item.is_id_like
            and not item.is_bool and not (item.is_number and name.isdisjoint(ID)) and not is_constant(item)
            and bool(name) and name <= DOCUMENT | ID | RETURNED | {"context"})


def _of_each_system(items: list[Field], lists: list[Field], family: ColumnFamily | None) -> list[Field]:
    """The lists; columns of each system, such as dense_sources, where lists[].source is of some systems or of none."""
    is_whole = any(family is None or family.has_all(item.path) for item in lists)
    return lists if is_whole else [item for item in items if _is_of_each_system(item) and (
        not lists or family is None or family.has_all(item.path))] or lists


def _is_counterpart(item: Field, gold: Field) -> bool:
    """True for a list such as retrieved_cases or cases next to expected_case: the same noun, returned."""
    noun = set(gold.name_words) - GOLD - ID - SPANS
    name = set(item.name_words) - ID
    is_named = bool(name - noun) or ("[]" not in item.path and item.path != gold.path)
    return bool(noun) and item.is_list and item.is_id_like and noun <= name and is_named and (
        name - noun <= RETURNED | CONFIGS)


def _pairs_of_sets(item: Field, gold: Field) -> list[tuple[set[str], set[str]]]:
    """The documents of a field, and the right ones, of each record that has right ones."""
    return [(set(map(str, leaves(value))), set(map(str, leaves(right)))) for value, right in zip(
        item.values, gold.values, strict=False) if not is_missing(right)]


def _misses_some(item: Field, gold: Field | None) -> bool:
    """True for a list of documents with some of those that are right, not all: no pool, so a system returned it."""
    if gold is None or not item.is_list or "[]" in item.path or not meanings.is_neutral_documents(item) or (
            _is_gold_path(item.path)):
        return False
    pairs = _pairs_of_sets(item, gold)
    return any(value & right for value, right in pairs) and any(right - value for value, right in pairs)


def _settle_texts(result: Assignment, free: dict[str, Field]) -> None:
    """Texts next to the ids of returned documents are those of these documents, as in LangChain's source_documents."""
    evidence, documents = result.roles.get("evidence", ""), result.roles.get("retrieved", "")
    parent = evidence.rpartition("[].")[0]
    if parent and not documents and _is_of_answer(result):
        _take_evidence_as_returned(result, free, parent)
    elif documents and "contexts" not in result.roles and _differs_by_answer(result):
        result.roles["contexts"] = result.roles.pop("evidence")  # what each system was given
        if parent and result.roles.get("relevant", "").startswith(f"{parent}[]."):
            result.roles = {name: path for name, path in result.roles.items() if name not in ("relevant", "grade")}
        return
    if parent and documents.startswith(f"{parent}[].") and not _is_gold_path(parent):
        result.roles["text"] = result.roles.pop("evidence")
    returned = documents.rpartition("[].")[0]
    if returned and "grade" not in result.roles and "evidence" in words(result.roles.get("relevant", "")) and (
            result.roles["relevant"].startswith(f"{returned}[].")):
        result.roles.pop("relevant")  # another id of the same documents


def _is_of_answer(result: Assignment) -> bool:
    """True for records of a system, with a model and an answer, and nothing that says what is right."""
    if _differs_by_answer(result):
        return True
    names = {word for path in result.fields for word in words(path)}
    return "answers" not in result.roles and bool({"response", "output", "generated"} & names) and bool(
        {"usage", "token", "model"} & names)


def _differs_by_answer(result: Assignment) -> bool:
    """True where a question comes with several answers, each with evidence of its own: a system's, not the right one.
    """
    query, evidence = (result.fields.get(result.roles.get(name, "")) for name in ("query", "evidence"))
    answer = next((item for item in result.fields.values() if meanings.is_answer(item)), None)
    if query is None or answer is None or evidence is None or "answers" in result.roles or len(
            {len(item.values) for item in (query, answer, evidence)}) > 1:  # of several systems
        return False
    asked, answered, both = (len({repr(values) for values in zip(*(item.values for item in items), strict=True)})
                             for items in ((query,), (query, answer), (query, evidence)))
    return asked < answered == both


def _take_evidence_as_returned(result: Assignment, free: dict[str, Field], parent: str) -> None:
    """The evidence that a system based its answer on is what it was given."""
    ids = [item for path, item in result.fields.items() if path.startswith(f"{parent}[].") and item.is_list
           and set(item.name_words) & ID and item.is_id_like and item.distinct_share > 0.5]
    if not ids:
        return
    result.roles |= {"retrieved": ids[0].path, "text": result.roles.pop("evidence")}
    is_cited = "cited" in words(result.roles.get("relevant", ""))
    if is_cited or result.roles.get("relevant", "").startswith(f"{parent}[]."):
        result.roles.pop("relevant")  # what it cites or was given, not what is right
    result.roles.pop("grade", None)
    scores = [item for item in free.values() if item.path.startswith(f"{parent}[].")
              and ratings.parallel_role(item) == "score" and same_lengths(item, ids[0])]
    if scores and "score" not in result.roles:
        take(result, free, "score", scores[0])


def _is_gold_path(path: str) -> bool:
    return not set(words(path)).isdisjoint((GOLD - {"cited"}) | _NO_LISTS_OF_HITS | SPANS - {"context"})


def _take_documents(result: Assignment, free: dict[str, Field], documents: Field, is_judged: bool,
                    family: ColumnFamily | None) -> None:
    """Take a list of documents and what goes with it: scores, ranks, grades."""
    parent = documents.path.rpartition("[].")[0]
    siblings = [item for item in free.values() if item.path != documents.path and (
        item.path.startswith(f"{parent}[].") and item.path.count("[]") == documents.path.count("[]") if parent
        else item.is_list and "[]" not in item.path)]
    parallel = [item for item in without_ranks_of_parts(siblings) if ratings.parallel_role(item)
                and same_lengths(item, documents)]
    gains = [item for item in parallel if ratings.parallel_role(item) == "grade"]
    is_parted = parent and (not is_judged or (gains and "relevant" not in result.roles))
    take(result, free, "retrieved", documents, *(distinguishing(documents, siblings) if is_parted else ()))
    parallel.sort(key=lambda item: (item.path.count("."), _is_unsorted_part(item), ratings.rates_document(item),
                                    "distance" in item.name_words, _COMBINED.isdisjoint(item.name_words)))
    for item in parallel:
        role = ratings.parallel_role(item)
        role = "grade" if {role} & result.roles.keys() == {"score"} and ratings.rates_document(item) else role
        if role == "grade" and "relevant" in result.roles and "gain" not in item.words and not (
                parent and _names_others(result, documents, item)):
            continue
        if role not in result.roles:
            take(result, free, role, item)
    if parent and gains and _is_flag(gains[0]) and not {"score", "rank", "relevant"} & result.roles.keys():
        result.roles["relevant"] = result.roles.pop("retrieved")  # candidates with a mark of those that are right
        return
    if "grade" in result.roles and "relevant" in result.roles and parent and result.roles["grade"].startswith(parent):
        path = result.roles.pop("relevant")
        free[path] = result.fields[path]


def _names_others(result: Assignment, documents: Field, grades: Field) -> bool:
    """True where some returned documents are marked as right, and none of them is among the right ids: those are of
    another kind.
    """
    right = result.fields.get(result.roles["relevant"])
    return right is not None and any(as_bool(mark) for mark in grades.items) and not shares_ids(result, right) and not (
        names_whole(documents, right, result))


def _is_unsorted_part(item: Field) -> bool:
    """True for a score such as graph_score by which the documents are not in order, next to one by which they are."""
    return ratings.parallel_role(item) == "score" and len(item.name_words) > 1 and not falls(item)


def settle_units(result: Assignment) -> list[Assignment]:
    """Next to ids of chunks without judgments, pages or sections that were returned and judged are a reading as well.
    """
    gold = result.fields.get(result.roles.get("relevant", ""))
    returned = result.fields.get(result.roles.get("retrieved", ""))
    if gold is None or returned is None or "{run}" in returned.path:
        return []
    judged = set(map(str, gold.items))
    units = [item for item in result.fields.values() if item is not returned and _is_counterpart(item, gold)
             and overlap(item, judged)]
    if not units or overlap(returned, judged):
        return []
    other_roles = {name: path for name, path in result.roles.items() if name not in ("score", "rank", "text", "source")}
    return [replace(result, roles={**other_roles, "retrieved": units[0].path}, penalty=WEIGHTS["relevant"] + 0.1)]


def _marks(item: Field) -> set[str]:
    """The characters other than letters and digits in most ids; those of ids without any are "none"."""
    texts = [str(value).strip() for value in item.items]
    marks = {mark for text in texts[:50] for mark in text if not mark.isalnum()}
    return {mark for mark in marks if 2 * sum(mark in text for text in texts) > len(texts)} or {"none"}


def shares_ids(result: Assignment, item: Field) -> bool:
    """True where some of these ids were returned."""
    returned = result.fields.get(result.roles.get("retrieved", "").split("+")[0])
    return returned is not None and overlap(returned, {str(value) for value in item.items}) > 0


def drop_unlike_ids(result: Assignment, free: dict[str, Field]) -> None:
    """Leave out relevant ids of another kind than those returned, such as page numbers or headings next to ids of
    chunks.
    """
    returned = [result.fields.get(path) for path in result.roles.get("retrieved", "").split("+")]
    relevant = result.fields.get(result.roles.get("relevant", ""))
    if relevant is None or returned[0] is None or (len(returned) > 1 and "{run}" not in result.roles["retrieved"]):
        return
    is_unlike = relevant.is_number != returned[0].is_number or (
        len(relevant.present) >= _SEVERAL and _marks(relevant).isdisjoint(_marks(returned[0])))
    if is_unlike and not overlap(returned[0], {str(x) for x in relevant.items}) and not names_whole(
            returned[0], relevant, result):
        is_named = RETURNED.isdisjoint(returned[0].words) and not (GOLD - WEAK_GOLD).isdisjoint(relevant.name_words)
        if is_named and "[]" not in returned[0].path and {"answer", "score", "rank", "text"}.isdisjoint(result.roles):
            free[returned[0].path] = result.fields[result.roles.pop("retrieved")]  # doc_ids next to expected_chunks
            return
        path = result.roles.pop("relevant", None)
        if path is not None:
            free[path] = relevant
