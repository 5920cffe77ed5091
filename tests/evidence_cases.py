"""Runs with texts and truths with spans for the tests of evidence, and its rules written out once more, slowly."""

from __future__ import annotations

import re

import pyarrow as pa

from ragdash.core.records import Run, Truth


def run_with_texts(rankings: dict, name: str = "run", **facts) -> Run:
    """A run of {"q": ["text of rank 1", ...]}; documents are d1, d2 ... of each query."""
    rows = [(query, f"d{i}", text) for query, texts in rankings.items() for i, text in enumerate(texts, 1)]
    if not all(rankings.values()):
        facts.setdefault("details", pa.table({"query_id": pa.array(list(rankings), pa.string())}))
    return Run.build(name, [row[0] for row in rows], [row[1] for row in rows],
                     texts=pa.array([row[2] for row in rows], pa.string()), **facts)


def truth_with_evidence(evidence: dict, name: str = "truth") -> Truth:
    """A truth of {"q": ["span", ...]}."""
    cells = [None if spans is None else [{"text": text, "source": None} for text in spans]
             for spans in evidence.values()]
    kind = pa.list_(pa.struct([("text", pa.string()), ("source", pa.string())]))
    return Truth.build(name, [], [], [], details=pa.table({"query_id": pa.array(list(evidence), pa.string()),
                                                           "evidence": pa.array(cells, kind)}))


def naive_is_exact(text: str) -> bool:
    return len(text) < 25 or sum(c.isdigit() for c in text) > sum(c.isalpha() for c in text)


def naive_contained(part: str, text: str) -> bool:
    """For ASCII: anywhere, or for a short or numeric part between token boundaries."""
    if not naive_is_exact(part):
        return part in text
    left = r"(?<![a-z0-9_])(?<![0-9][.,])" if part[0].isdigit() else r"(?<![a-z0-9_])" if part[0].isalpha() else ""
    right = r"(?![a-z0-9_])(?![.,][0-9])" if part[-1].isdigit() else r"(?![a-z0-9_])" if part[-1].isalpha() else ""
    return re.search(left + re.escape(part) + right, text) is not None


def naive_covers(chunk: str, span: str, similarity, threshold: float) -> bool:
    """Whether a chunk covers a span of at most 1,500 characters, read off the rule."""
    chunk, span = " ".join(chunk.lower().split()), " ".join(span.lower().split())
    if not any(c.isalnum() for c in chunk) or not any(c.isalnum() for c in span):
        return False
    shorter, longer = sorted((span, chunk), key=len)
    if naive_contained(shorter, longer):
        return True
    if naive_is_exact(span) or naive_is_exact(shorter):
        return False
    return similarity(span, chunk) >= threshold


def naive_lcs(a: str, b: str) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], before + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def naive_partial(a: str, b: str) -> float:
    """The best 2 * LCS / (length + length) of the shorter text with a window of its length, or less at either end."""
    a, b = sorted((a, b), key=len)
    n, m = len(a), len(b)
    windows = {b[max(i, 0):i + n] for i in range(1 - n, m)}
    return max(2 * naive_lcs(a, window) / (n + len(window)) for window in windows)
