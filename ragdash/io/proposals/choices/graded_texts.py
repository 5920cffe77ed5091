"""Texts without ids next to a list of their grades: judged passages of a data set, or what a system was given."""

from __future__ import annotations

from dataclasses import replace

from ragdash.io.proposals.assignment import WEIGHTS, Assignment, take
from ragdash.io.proposals.content import ratings
from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.names import GRADES
from ragdash.io.proposals.shapes.families import RUN, ColumnFamily
from ragdash.io.proposals.shapes.ranked_lists import same_lengths

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


def _grades(item: Field) -> bool:
    """True for a list of whole numbers, marks or words that say how relevant each text is."""
    is_named = ratings.parallel_role(item) == "grade" or not GRADES.isdisjoint(item.name_words)
    is_graded = item.is_bool or item.is_grade or (item.is_number and ratings.is_whole(item))
    return item.is_list and is_named and is_graded and len(set(map(str, item.items))) > 1
