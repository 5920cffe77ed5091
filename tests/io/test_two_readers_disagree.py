"""A file is read without a question only where its format and the best reading of its values agree."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth

ASKED = [f"What is kept in room {number} of the house?" for number in range(6)]
LONG = [f"Room {number} holds the maps that were drawn by hand in the north." for number in range(6)]
SHORT = ["a map", "two globes", "a bed", "a lamp", "an oar", "a sail"]
LISTS = [[f"doc-{number}", f"doc-{number + 7}"] for number in range(6)]
TWICE = {  # columns of which two have the same meaning, that meaning, whether it is of a run
    "two right answers": ({"target": LONG, "ground_truth": SHORT}, "answers", False),
    "two right answers next to one of a system": (
        {"reply": LONG, "expected_output": SHORT, "gold_answer": LONG[::-1]}, "answers", False),
    "two answers": ({"output": SHORT, "answer": LONG, "expected_answer": LONG[::-1]}, "answer", True),
    "a draft and what was said": ({"result": LONG, "generated_answer": LONG[::-1], "contexts": LISTS}, "answer", True),
    "two lists of right documents": ({"relevant_docs": LISTS, "positive_passages": LISTS[::-1]}, "relevant", False),
}


def records(**columns) -> bytes:
    return json.dumps([{"id": f"q{number}", "question": ASKED[number], **{name: values[number]
                                                                          for name, values in columns.items()}}
                       for number in range(6)]).encode()


@pytest.mark.parametrize("name", TWICE)
def test_of_two_columns_with_one_meaning_somebody_chooses(name):
    columns, meaning, of_run = TWICE[name]
    with pytest.raises(InputError) as caught:
        (read_runs if of_run else read_truth)(("file.json", records(**columns)))
    facts = caught.value.problems[0].facts
    chosen = {mapping[meaning] for mapping in facts["mappings"]}
    assert len(chosen) == 2 and chosen <= columns.keys()
    for mapping, previews in zip(facts["mappings"], facts["previews"], strict=True):
        content = ("file.json", records(**columns))
        read = read_runs(content, mapping=mapping)[0] if of_run else read_truth(content, mapping=mapping)
        values = columns[mapping[meaning]]
        if meaning == "relevant":
            assert read.docs.to_pylist() == [doc for docs in values for doc in docs]
            continue
        assert read.details[meaning].to_pylist() == (values if of_run else [[text] for text in values])
        assert previews[0][meaning].startswith(values[0][:20])


def test_right_documents_with_their_texts_are_read_at_once():
    documents = [[{"id": f"d{number}", "text": LONG[number]}] for number in range(6)]
    truth = read_truth(("file.json", records(relevant_docs=documents)))
    assert truth.docs.to_pylist() == [f"d{number}" for number in range(6)]
