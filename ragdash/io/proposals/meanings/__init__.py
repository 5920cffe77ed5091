"""What one field can mean, by its name and its values."""

from __future__ import annotations

from ragdash.io.proposals.meanings.documents import (
    ID_FORM,
    is_gold_documents,
    is_gold_list,
    is_judged_pool,
    is_neutral_documents,
    is_returned_documents,
    is_returned_list,
    lists_irrelevant,
    names_kinds,
    names_of_hits,
)
from ragdash.io.proposals.meanings.questions import (
    is_query_id,
    is_question,
    is_question_of_text,
    names_query,
)
from ragdash.io.proposals.meanings.texts import (
    is_answer,
    is_answer_object,
    is_context,
    is_evidence,
    is_reference,
)

__all__ = [
    "ID_FORM",
    "is_answer",
    "is_answer_object",
    "is_context",
    "is_evidence",
    "is_gold_documents",
    "is_gold_list",
    "is_judged_pool",
    "is_neutral_documents",
    "is_query_id",
    "is_question",
    "is_question_of_text",
    "is_reference",
    "is_returned_documents",
    "is_returned_list",
    "lists_irrelevant",
    "names_kinds",
    "names_of_hits",
    "names_query",
]
