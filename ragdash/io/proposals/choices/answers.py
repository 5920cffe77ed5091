"""Answers that only the fields next to them show to be answers."""

from __future__ import annotations

from ragdash.io.proposals.assignment import Assignment, take
from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.names import GOLD
from ragdash.io.proposals.shapes.values_by_query import is_code


def answer_next_to_documents(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """A plain `text` next to the question, in a record with a list of returned documents."""
    if "[]." not in result.roles.get("retrieved", ""):
        return []
    return [item for item in free.values() if item.path.lower() in ("text", "content", "message") and item.is_text
            and not item.is_list and item.distinct_share > 0.5]


def predicted_class(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """`predicted_label` next to `label`, of the same few classes: what a system answers, and what is right."""
    kinds = [item for item in free.values() if item.name_words[-1:] == ("label",) and item.is_text
             and not item.is_list and "." not in item.path]
    predicted = [item for item in kinds if not {"predicted", "pred"}.isdisjoint(item.name_words)]
    right = [item for item in kinds if item.name_words == ("label",) or (
        len(item.name_words) == 2 and not GOLD.isdisjoint(item.name_words[:1]))]
    if len(predicted) != 1 or len(right) != 1 or set(predicted[0].items).isdisjoint(right[0].items):
        return []
    if "answers" not in result.roles:
        take(result, free, "answers", right[0])
    return predicted


def code_answers(free: dict[str, Field]) -> list[Field]:
    """Queries to a database next to the question that they answer: SQL, SPARQL, Cypher."""
    return [item for item in free.values() if item.is_text and not item.is_list and "[]" not in item.path
            and 10 * sum(map(is_code, item.items)) >= 9 * len(item.items) and item.path.count(".") < 2]


def short_names(result: Assignment, free: dict[str, Field]) -> list[Field]:
    """`a` next to `q`, and the second column without a header next to a question in the first."""
    pairs = {"q": "a", "column 1": "column 2", "column 2": "column 3"}
    other = pairs.get(result.roles.get("query", "").rpartition(".")[2])
    return [item for item in free.values() if other and item.path.rpartition(".")[2] == other and item.is_text]
