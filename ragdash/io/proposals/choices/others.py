"""What is said of something else than the system and the query: a judge, a rival, another data set."""

from __future__ import annotations

from collections.abc import Sequence

from ragdash.io.proposals.assignment import Assignment, take
from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.names import GOLD

_JUDGES = {"judge", "grader", "evaluator", "critic", "assessor"}
_RIVALS = {"baseline", "competitor", "opponent", "rival", "distractor"}
_OF_OTHERS = {"answers": _JUDGES | _RIVALS, "evidence": _JUDGES | _RIVALS, "relevant": _JUDGES | _RIVALS,
              "answer": _JUDGES, "retrieved": _JUDGES, "contexts": _JUDGES}
_DATA_SETS = {"dataset", "ds", "corpus", "benchmark", "subset", "collection", "bench"}


def drop_of_others(result: Assignment, free: dict[str, Field]) -> None:
    """What a judge or a rival of the system wrote is neither right nor the system's."""
    for role, others in _OF_OTHERS.items():
        item = result.fields.get(result.roles.get(role, ""))
        if item is not None and not others.isdisjoint(item.words) and GOLD.isdisjoint(item.name_words):
            del result.roles[role]
            free[item.path] = item


def take_data_set(result: Assignment, free: dict[str, Field], names: Sequence[str]) -> bool:
    """True where the name of a data set makes the ids of queries distinct, which two of them share: both are the id."""
    key = result.fields.get(result.roles.get("query_id", ""))
    named = [item for item in free.values() if not item.is_list and not item.is_object and item.share == 1.0
             and {*_DATA_SETS} & {*item.name_words} and 1 < item.distinct_count < len(names)
             and len(set(zip(names, map(repr, item.values), strict=False))) == len(names)]
    asked = result.fields.get(result.roles.get("query", ""))
    if asked is not None and asked.distinct_count < len(names):
        return False  # the same questions on two collections, which are configurations
    if key is None or not named or len(named[0].values) != len(names):
        return False
    take(result, free, "query_id", named[0], key)
    return True

