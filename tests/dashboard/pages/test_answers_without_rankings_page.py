"""A file with answers and no retrieved documents on the pages: they begin with its answers."""

from __future__ import annotations

from page_cases import address, opened
from test_pages import texts

from ragdash.core.records import Run, Truth

QUERIES = [f"q{number}" for number in range(30)]
TRUTH = Truth.from_records([{"query_id": query, "relevant": [f"d{query}"], "answers": [f"{query} is right"]}
                            for query in QUERIES], "truth")


def run(name: str, right: int) -> Run:
    return Run.from_records([{"query_id": query, "documents": [],
                              "answer": f"{query} is right" if number < right else "Something else was asked for"}
                             for number, query in enumerate(QUERIES)], name)


def test_overview_and_answers_compare_the_answers_and_failures_does_not_blame_the_retriever():
    pages = {page: opened(page, **address(TRUTH, [run("dense", 28), run("hybrid", 12)]))
             for page in ("overview", "answers", "failures", "ranking")}
    said = {page: texts(at) for page, at in pages.items()}
    assert not any(at.exception for at in pages.values())
    assert "Token F1" in pages["overview"].header[0].value and "dense" in pages["overview"].header[0].value
    assert "no retrieved documents" in said["overview"] and "Not comparable" not in said["overview"]
    assert "not comparable" not in said["answers"].lower()
    assert "no retrieved documents" in said["failures"] and "Not retrieved: " not in said["failures"]
    assert "No retrieved documents" in said["ranking"] or "no retrieved documents" in said["ranking"]
