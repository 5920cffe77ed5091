"""Read a TREC file with the fast reader and with the exact one, and compare."""

from __future__ import annotations

import numpy as np

from ragdash.io.formats.text import trec
from ragdash.io.formats.text.trec_lines import Layout, TrecColumns, read_lines
from ragdash.io.source.source import Source


def read_both_ways(content: bytes, layout: Layout) -> bool:
    """Check that the fast reader finds what the exact one does; False where it leaves the file to the exact one."""
    source = Source(("x", content))
    problems, exact_problems = source.collector(), source.collector()
    fast = trec.read_columns(source, layout, problems)
    if fast.lines is not None:
        return False
    exact = read_lines(source.data, layout, exact_problems)
    assert {problem.kind for problem in exact_problems.problems} == {problem.kind for problem in problems.problems}
    assert rows(fast) == rows(exact)
    return True


def rows(columns: TrecColumns) -> list[tuple[str, str, float]]:
    """(query, document, value) of each row."""
    return list(zip(columns.query_ids.cast("string").to_pylist(), columns.docs.to_pylist(),
                    np.asarray(columns.values).tolist(), strict=True))
