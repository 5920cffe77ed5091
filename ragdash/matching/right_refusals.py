"""Where declining is the right answer: the reference declines, or the question has no answer.

Letters: Q queries of the truth.
"""

from __future__ import annotations

import numpy as np

from ragdash.core.records import Truth
from ragdash.matching.answer_alignment import references
from ragdash.matching.question_types import kinds


def right_refusals(truth: Truth) -> np.ndarray:
    """The queries to which declining is right: (Q,) bool.

    The truth marks the question as without an answer (no_answer, out_of_scope), or a reference declines or is empty.

    Examples
    --------
    >>> import pyarrow as pa
    >>> details = pa.table({"query_id": ["q1", "q2"], "answers": [["Paris"], ["The documents do not say."]]})
    >>> right_refusals(Truth.build("truth", [], [], [], details=details)).tolist()
    [False, True]
    """
    from ragdash.core.text import is_refusal  # its patterns take long to import, and few commands ask

    marked = kinds(truth)
    declined = [any(not text.strip() or is_refusal(text) for text in texts) for texts in references(truth)]
    return marked["no_answer"] | marked["out_of_scope"] | np.array(declined, bool)
