"""A cell of a table is a list only where its column holds lists; a text in brackets is text."""

from __future__ import annotations

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth


def references(*cells: str) -> list:
    rows = "".join(f'q{i}?,"{cell}"\n' for i, cell in enumerate(cells))
    truth = read_truth(("t.csv", f"question,reference\n{rows}".encode()))
    return truth.details["answers"].to_pylist()


@pytest.mark.parametrize("text", ["(Tyler Simpson)", "[see the FAQ]", "(5)", "[1]", "{x} is a variable", "[1] and [2]"])
def test_a_reference_in_brackets_among_texts_is_text(text):
    assert references("Paris", text, "Rome") == [["Paris"], [text], ["Rome"]]


def test_a_reference_in_brackets_is_text_even_alone():
    assert references("(Tyler Simpson)") == [["(Tyler Simpson)"]]
    assert references("[see the FAQ]", "[none]") == [["[see the FAQ]"], ["[none]"]]


def test_a_column_of_lists_is_read_as_lists():
    assert references("['a', 'b']", "['c']", "plain") == [["a", "b"], ["c"], ["plain"]]


def test_a_late_text_in_brackets_does_not_refuse_a_large_file():
    rows = "".join(f"q{i}?,the answer number {i} of many\n" for i in range(4000))
    content = f"question,reference\n{rows}last?,(Tyler Simpson)\n".encode()
    assert len(content) > 1 << 17
    assert read_truth(("t.csv", content)).details["answers"].to_pylist()[-1] == ["(Tyler Simpson)"]


def test_a_column_of_broken_lists_is_still_refused():
    with pytest.raises(InputError) as caught:
        read_runs(("r.csv", b'question,contexts\nq?,"[\'a\' \'b\']"\nr?,"[\'c\' \'d\']"\n'))
    assert "bad-list" in {problem.kind for problem in caught.value.problems}
