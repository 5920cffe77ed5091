"""A file with answers and no retrieved documents on the pages: they begin with its answers."""

from __future__ import annotations

from page_cases import address, leaderboard, opened
from test_pages import texts

from ragdash.core.records import Run, Truth

QUERIES = [f"q{number}" for number in range(30)]
TRUTH = Truth.from_records([{"query_id": query, "relevant": [f"d{query}"], "answers": [f"{query} is right"]}
                            for query in QUERIES], "truth")


def run(name: str, right: int, queries: int = 30) -> Run:
    return Run.from_records([{"query_id": query, "documents": [],
                              "answer": f"{query} is right" if number < right else "Something else was asked for"}
                             for number, query in enumerate(QUERIES[:queries])], name)


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


def test_common_queries_are_the_same_queries_in_every_mean():
    runs = [run("dense", 8), run("hybrid", 10, queries=10)]
    before = opened("overview", **address(TRUTH, runs))
    assert "Not comparable yet" in texts(before) and "no value of Token F1" in texts(before)
    next(button for button in before.button if button.label == "Use common queries only").click().run()
    pages = {page: opened(page, **dict(before.query_params)) for page in ("overview", "compare", "answers", "data")}
    said = {page: texts(at) for page, at in pages.items()}
    assert not any(at.exception for at in pages.values())
    assert "over 10 queries" in said["overview"] and "10 to 30" not in said["overview"]
    assert "20 queries missing from hybrid: left out of the means" in said["overview"]
    assert "interval, over 10 queries." in said["compare"]
    means = leaderboard(pages["compare"]).filter(like="Token F1").iloc[:, 0].str[:5].tolist()
    assert means == ["1.000", "0.800"], "of the first 10 answers, dense has 8 right"
    assert "only 10 queries have a value" in said["overview"].lower()
    assert "common queries only, or" not in said["overview"]
    assert "cannot be compared" not in said["data"]
