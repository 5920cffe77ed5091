"""A column with what the system wrote is its answer, whatever the column is called."""

import pytest

from ragdash.io.field_names import resolve_fields
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

ROWS = [(f"What is at place {row}?", f"It is number {row} of the map.", f"loc_{row:02d}; loc_{row + 1:02d}",
         f"loc_{row:02d}") for row in range(12)]


def mapping_of(name, texts=None):
    """The proposed mapping of a file whose second column has this name."""
    rows = [row if texts is None else (row[0], texts[index], *row[2:]) for index, row in enumerate(ROWS)]
    text = "\n".join([f"Question,{name},Retrieved docs,Right doc", *map(",".join, rows)])
    source = Source(("eval.csv", text.encode()))
    return dict(propose(source)[0].mapping)


@pytest.mark.parametrize("name", ["Bot says", "The assistant wrote", "What came back", "Output of v2", "Column 7"])
def test_a_text_next_to_the_documents_is_the_answer(name):
    """By its name, or as the only column of long texts that is left."""
    mapping = mapping_of(name)
    assert mapping["answer"] == name and mapping["relevant"] == "Right doc" and mapping["role"] == "both"


@pytest.mark.parametrize("name", ["Comment", "Review of Ann", "Persona", "Right text", "Rubric"])
def test_notes_and_references_are_no_answer(name):
    """A name that says something else wins over the length of the texts."""
    assert "answer" not in mapping_of(name)


def test_values_that_repeat_are_no_answer():
    """Texts that are the same for many questions describe them."""
    assert "answer" not in mapping_of("Column 7", ["a question of the first kind"] * 12)


@pytest.mark.parametrize("name", ["Bot says", "bot_reply", "Assistant response", "model_output", "LLM response"])
def test_common_names_are_read_as_answers(name):
    """Without a proposal, in every format with names."""
    assert resolve_fields(["question", name, "retrieved_ids"])["answer"] == name
    assert resolve_fields(["question", name, "answer"]) == {"query": "question", "answer": name, "answers": "answer"}


@pytest.mark.parametrize(("names", "plain"), [(("ungrounded", "poor"), ["answers", "answer"]),
                                              (("bm25", "dense"), ["answers"])])
def test_a_plain_answer_next_to_others_is_right_or_one_of_them(names, plain):
    """Next to answers of known systems it is the right one."""
    header = ["Question", "answer", *(f"{name}_answer" for name in names)]
    rows = [[row[0], f"At {row[1][3:-1]} indeed.", *(f"{row[1]} So says {name}." for name in names)] for row in ROWS]
    source = Source(("eval.csv", "\n".join([",".join(header), *map(",".join, rows)]).encode()))
    readings = [dict(reading.mapping) for reading in propose(source)]
    assert [role for reading in readings for role in ("answers", "answer") if "answer" in reading.get(role, "").split(
        "+")] == plain
    assert all("{run}_answer" in reading["answer"] for reading in readings)
