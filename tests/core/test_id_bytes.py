"""Changes made to all bytes of a column give what the regular expressions give that define them."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragdash.core.ids.id_bytes import contains_any, form_of, is_visible_ascii, without_leading_zeros

PIECES = ["0", "00", "7", "10", ".", "a", "Zb", "-", "_", "/", " ", "\n", "é", "é", "日本", "٣", "\0", "[", "`", "{"]


def drawn_ids():
    """Short ids of these pieces, seeded: 100,000, which is more than a block."""
    rng = np.random.default_rng(0)
    pieces, lengths = rng.integers(0, len(PIECES), 600_000), rng.integers(0, 7, 100_000)
    ends = np.cumsum(lengths)
    return pa.array(["".join(PIECES[i] for i in pieces[end - n:end]) for n, end in zip(lengths, ends, strict=True)])


def test_numbers_lose_their_zeros_and_ids_get_their_form_as_by_regular_expressions():
    ids = drawn_ids()
    expected = [pc.replace_substring_regex(ids, r"(^|[^0-9.])0+([0-9])", r"\1\2"),
                pc.replace_substring_regex(pc.replace_substring_regex(ids, "[A-Za-z]+", "a"), "[0-9]+", "0")]
    parts = pa.chunked_array([ids.slice(3, 50), ids.slice(0, 0), ids.slice(99_000)])
    for change, column in zip((without_leading_zeros, form_of), expected, strict=True):
        assert not column.equals(ids)
        assert change(ids).equals(column)
        assert change(parts).to_pylist() == [*column.slice(3, 50).to_pylist(), *column.slice(99_000).to_pylist()]
        assert change(pa.array(["a07", None, "b"])).null_count == 1
        assert change(pa.array([], pa.string())).to_pylist() == []


def test_characters_are_looked_for_in_a_part_of_a_column_alone():
    ids = pa.array(["a/b", "c", "d\u00a0", "e\x1c", "f g", "h\x7f"])
    assert contains_any(ids, "?/") and not contains_any(ids.slice(1), "?/")
    assert [is_visible_ascii(ids.slice(i, 1)) for i in range(6)] == [True, True, False, False, False, False]
    assert is_visible_ascii(pa.chunked_array([], pa.string())) and not contains_any(pa.array([""]), "?")
