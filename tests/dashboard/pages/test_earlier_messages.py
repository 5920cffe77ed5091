"""What was said before a question, on the pages that show the question."""

from __future__ import annotations

import page_cases
import pyarrow as pa
import pytest
from page_cases import address, drawn

from ragdash.core.records import Run, Truth

LABEL = "Earlier in this conversation: 2 messages"
HISTORY = [{"role": "user", "text": "Who built <b>it</b>?"}, {"role": "assistant", "text": "Eiffel."}]


def chosen(page: str, query: str, **more):
    ids = ["q1", "q2"]
    truth = Truth.build("truth", ids, ["d1", "d1"], [1, 1], details=pa.table({
        "query_id": ids, "query": ["When?", "Alone?"], "answers": [["1889"], ["Yes"]]}))
    run = Run.build("dense", ids, ["d1", "d1"], [2.0, 1.0], texts=["In 1889."] * 2, details=pa.table({
        "query_id": ids, "answer": ["1889", "Yes"], "chat_history": [HISTORY, None]}))
    return page_cases.opened(page, **address(truth, [run], query=query, **more))


@pytest.mark.parametrize(("page", "more"), [("queries", {}), ("answers", {"answer_parts": "One by one"})])
def test_messages_before_the_question_are_shown_as_text(page, more):
    at = chosen(page, "q1", **more)
    assert [one.label for one in at.expander if "conversation" in one.label] == [LABEL]
    assert "Who built &lt;b&gt;it&lt;/b&gt;?" in drawn(at) and "assistant" in [one.value for one in at.caption]
    assert not [one for one in chosen(page, "q2", **more).expander if "conversation" in one.label]
