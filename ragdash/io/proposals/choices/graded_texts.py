"""Judged texts and documents with their grades, and all judged documents of a query."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ragdash.io.proposals import meanings
from ragdash.io.proposals.assignment import WEIGHTS, Assignment, take
from ragdash.io.proposals.choices.settle import is_of_system, renamed
from ragdash.io.proposals.content import ratings
from ragdash.io.proposals.content.grades import WHOLE_GRADES
from ragdash.io.proposals.fields import Field, as_number, leaves
from ragdash.io.proposals.names import CONFIGS, GOLD, GRADES, QUESTION, RATERS, RETURNED
from ragdash.io.proposals.shapes.families import RUN, ColumnFamily
from ragdash.io.proposals.shapes.ranked_lists import same_lengths

_OF_OTHERS = {"user", "session", "conversation", "worker", "group", "category", "intent", "batch", "trace",
              "topic"}
_IDS = ("rid", "cid", "nid", "uid")  # of records, chunks, nodes
_OF_SYSTEMS = {"retrieved", "doc_id", "relevant", "evidence", "answer", "text", "config", "latency_ms", "latency_s"}


def settle_graded_texts(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """The texts with a grade above 0 are right ones; they may as well be what a system was given, without grades."""
    texts = result.fields.get(result.roles.get("contexts", ""))
    if texts is None or not texts.is_list or not _OF_SYSTEMS.isdisjoint(result.roles) or "{" in texts.path:
        return []
    parent = texts.path.rpartition("[].")[0]
    grades = [item for item in free.values() if item.path.rpartition("[].")[0] == parent and _grades(item)
              and same_lengths(item, texts)]
    if not grades:
        return []
    given = replace(result, roles=dict(result.roles))
    judged = replace(result, roles={{"contexts": "evidence"}.get(name, name): path
                                    for name, path in result.roles.items()}, penalty=WEIGHTS["grade"])
    take(judged, free, "grade", grades[0])
    if "retrieved" in texts.words:  # what a system was given, of which some is right
        result.roles = {**result.roles, "evidence": texts.path, "grade": judged.roles["grade"]}
        return []
    result.roles, result.penalty = judged.roles, judged.penalty
    return [given]


def settle_relevant_texts(result: Assignment) -> list[Assignment]:
    """Texts of relevant_docs next to a system's answer may be those that it was given."""
    texts = result.fields.get(result.roles.get("evidence", ""))
    is_open = texts is not None and GOLD & set(texts.words) == {"relevant"} and "answer" in result.roles
    if not is_open or {"retrieved", "contexts", "doc_id", "text", "relevant"} & result.roles.keys():
        return []
    return [replace(result, roles={{"evidence": "contexts"}.get(name, name): path
                                   for name, path in result.roles.items()}, penalty=0.1)]


def settle_raters(result: Assignment, family: ColumnFamily | None) -> list[Assignment]:
    """The grades of one of several people, grade_a or grade_b: whose count, only a person knows."""
    path = result.roles.get("grade", "")
    if family is None or path not in family.members or any(
            RUN in other for name, other in result.roles.items() if name != "grade"):
        return []
    first, *others = family.members[path].values()
    result.roles["grade"], result.runs = first, ()
    return [replace(result, roles={**result.roles, "grade": other}, penalty=result.penalty + 0.1)
            for other in others[:2]]


def settle_whole_scores(result: Assignment) -> list[Assignment]:
    """Whole numbers from 0 to 4 for the documents of a list are rather grades: of a truth first, of a run second."""
    marks = result.fields.get(result.roles.get("score", ""))
    if marks is None or "[]" in marks.path or not marks.is_list or not ratings.is_whole(marks) or not {
            as_number(mark) for mark in marks.items} <= {*WHOLE_GRADES} or not {
            "answer", "answers", "relevant", "config", "rank"}.isdisjoint(result.roles):
        return []
    ranked, names = dict(result.roles), {"retrieved": "relevant", "score": "grade", "contexts": "evidence",
                                         "text": "evidence"}
    result.roles = {names.get(name, name): path for name, path in ranked.items()}
    return [replace(result, roles=ranked)]


def settle_judged(result: Assignment, free: dict[str, Field]) -> list[Assignment]:
    """All judged documents of a query: those that are not right have grade 0. Without right ones and without grades
    nothing says which of them are right, so the reading with all of them comes second.
    """
    right = result.roles.get("relevant", "")
    first = result.fields.get(right.split("+")[0].removesuffix(":2"))
    if first is None or "grade" in result.roles or ("+" in right and ":2+" not in right):
        return []
    if not meanings.is_judged_pool(first):
        pool = next((item for item in free.values() if meanings.is_judged_pool(item) and _holds(item, first)), None)
        if pool is not None:
            take(result, free, "relevant", pool, note=f"{right if '+' in right else f'{right}:1'}+{pool.path}:0")
        return []
    if meanings.lists_irrelevant(first):
        free[result.roles.pop("relevant")] = first
        return []
    grades = [item for item in free.values() if "[]" not in item.path and _grades(item) and same_lengths(item, first)]
    if grades:
        take(result, free, "grade", grades[0])
        return []
    if not {"judged", "assessed", "rated"} & {*first.name_words}:
        return []
    left = {name: path for name, path in result.roles.items() if name != "relevant"}
    others = [replace(result, roles=result.roles, penalty=result.penalty + WEIGHTS["relevant"] + 0.1)]
    if not replace(result, roles=left).is_useful:  # nothing else is read
        others.append(replace(others[0], roles={**left, "retrieved": right}))
    result.roles = left
    free[right] = first
    return others


def _holds(pool: Field, right: Field) -> bool:
    """True for lists with nearly all right documents, of which some are among others, and for lists of other ones."""
    pairs = [({*map(str, leaves(every))}, {*map(str, value if type(value) is dict else leaves(value))})
             for every, value in zip(pool.values, right.values, strict=False)]
    count = sum(len(some) for _, some in pairs)
    if meanings.lists_irrelevant(pool):
        return not any(every & some for every, some in pairs)
    return 10 * sum(len(every & some) for every, some in pairs) >= 9 * count > 0 and any(
        every - some for every, some in pairs)


def _grades(item: Field) -> bool:
    """True for a list of whole numbers, marks or words that say how relevant each text is."""
    is_named = ratings.parallel_role(item) == "grade" or not GRADES.isdisjoint(item.name_words)
    is_graded = item.is_bool or item.is_grade or (item.is_number and ratings.is_whole(item))
    return item.is_list and is_named and is_graded and len(set(map(str, item.items))) > 1


def settle_judged_texts(result: Assignment) -> None:
    """Texts with a grade each and no ids: those judged relevant are evidence; documents of evidence are relevant."""
    if {"doc_id", "evidence"} <= result.roles.keys() and {"score", "rank", "grade", "retrieved", "relevant", "answer",
                                                          "text", "contexts"}.isdisjoint(result.roles):
        result.roles = renamed(result, {"doc_id": "relevant"})
    if {"doc_id", "answers"} <= result.roles.keys() and {"score", "rank", "grade", "retrieved", "relevant", "answer",
                                                         "text", "contexts", "config"}.isdisjoint(result.roles):
        result.roles = renamed(result, {"doc_id": "relevant"})
    text = result.fields.get(result.roles.get("contexts", ""))
    if text is not None and not text.is_list and RETURNED.isdisjoint(text.words) and "relevant" in result.roles and {
            "retrieved", "doc_id", "answer", "evidence"}.isdisjoint(result.roles) and not is_of_system(result):
        result.roles["evidence"] = result.roles.pop("contexts")  # the text of the chunk that is asked about
    if {"text", "grade"} <= result.roles.keys() and {"score", "rank", "doc_id", "retrieved", "relevant", "answer",
                                                     "evidence", "contexts"}.isdisjoint(result.roles):
        result.roles = renamed(result, {"text": "evidence"})


def judged_ids(result: Assignment, free: dict[str, Field], key: Field) -> list[Field]:
    """`id` next to a grade, another one in each record, below questions that come again without an id of their own,
    and `rid`, `cid` below the id of a query, or the one other id or title, such as verse_id: the judged documents.
    """
    keys = Counter(map(repr, key.values))
    others = {"retrieved", "relevant", "answers", "answer", "evidence", "contexts"}
    is_text = key.path == result.roles.get("query")
    names = ("id", "_id") if is_text else _IDS
    entries = [] if len(keys) == len(key.values) else list(filter(_names_entry, free.values()))
    if (min(keys.values()) < 2 and len(entries) != 1) or not others.isdisjoint(result.roles):
        return []
    rated = [item for item in result.fields.values() if (GRADES | {"relevant"}) & {*item.name_words}
             and not item.is_list and item.share == 1]
    graded = any(item.is_bool or item.is_grade or {as_number(value) for value in item.items} <= {*WHOLE_GRADES}
                 for item in rated)
    named = [item for item in free.values() if item.path.lower() in names and item.is_id_like] or entries
    return [item for item in named if graded and not item.is_list and item.share == 1 and len(set(zip(map(
        repr, key.values), map(repr, item.values), strict=True))) == len(item.values)]


def _names_entry(item: Field) -> bool:
    """True for a title, and for the id of something that is no query, no person and no system: verse_id, answer_id."""
    return item.name_words == ("title",) or (item.name_words[-1:] == ("id",) and len(item.name_words) > 1 and (
        "." not in item.path) and (_OF_OTHERS | QUESTION | CONFIGS | RATERS).isdisjoint(item.name_words))
