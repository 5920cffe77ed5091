"""Runs and truths as data frames and as tables of notebooks."""

from __future__ import annotations

import re

import pyarrow as pa

from ragdash import Run, Truth
from ragdash.core.corpus import Corpus


def cells(html: str) -> dict[str, str]:
    return dict(re.findall("<th>(.*?)</th><td>(.*?)</td>", html))


def test_the_frame_of_a_run_has_a_row_per_document_in_the_order_of_the_ranking():
    run = Run.build("bm25", ["q2", "q1", "q1", "q1", "q1"], ["x", "a", "c", "b", "a"], [1.0, 0.5, 0.75, 0.75, 0.25],
                    texts=["tx", "ta", None, "tb", "ta"], sources=["s"] * 5,
                    details=pa.table({"query_id": ["q2", "q1", "q3"]}))
    frame = run.frame()
    assert frame.columns.tolist() == ["query_id", "rank", "doc_id", "score", "text", "source"]
    assert frame.astype(object).where(frame.notna(), None).values.tolist() == [
        ["q2", 1, "x", 1.0, "tx", "s"], ["q1", 1, "c", 0.75, None, "s"], ["q1", 2, "b", 0.75, "tb", "s"],
        ["q1", 3, "a", 0.5, "ta", "s"]]
    for query in ("q1", "q2"):
        assert frame[frame.query_id == query].doc_id.tolist() == run.ranking(query)["doc_id"].to_pylist()


def test_a_frame_is_read_back():
    listed = Run.from_dict({"q1": ["b", "a"], "q2": ["c"]})
    assert listed.frame().columns.tolist() == ["query_id", "rank", "doc_id"]
    assert Run.from_frame(listed.frame()).frame().equals(listed.frame())
    truth = Truth.from_dict({"q1": {"d7": 2, "d2": 0}, "q2": ["a"]})
    assert truth.frame().values.tolist() == [["q1", "d7", 2], ["q1", "d2", 0], ["q2", "a", 1]]
    assert Truth.from_frame(truth.frame()).judgments == 3 and Truth.of(truth.frame()).digest == truth.digest
    for empty in (Run.from_dict({}), Run.from_dict({"q": []}), Truth.from_dict({"q": []})):
        assert len(empty.frame()) == 0 and "doc_id" in empty.frame()


def test_notebooks_show_what_a_run_holds_with_everything_as_text():
    run = Run.from_records([{"query_id": "q1", "documents": [{"doc_id": "a", "text": "x"}, "b"], "<i>": 1}], "<b>",
                           settings={"<k>": "<script>", "prompt": "p" * 300, "api_key": "do not show"})
    html = run._repr_html_()
    assert "<caption>Run &lt;b&gt;</caption>" in html
    assert cells(html) == {
        "queries": "1", "documents returned": "2", "depth": "2", "documents with text": "1", "details": "&lt;i&gt;",
        "settings": f"&lt;k&gt;: &lt;script&gt;<br>prompt: {'p' * 200}…"}
    assert cells(Run.from_dict({})._repr_html_())["settings"] == "none"


def test_notebooks_show_what_a_truth_holds_with_everything_as_text():
    truth = Truth.of([{"query_id": "q1", "relevant": ["a"], "<i>": "x"}, {"query_id": "q2", "relevant": []}], "<b>")
    assert "<caption>Truth &lt;b&gt;</caption>" in truth._repr_html_()
    shown = {"queries": "2", "judgments": "1", "queries without a relevant document": "1", "documents loaded": "none",
             "details": "&lt;i&gt;"}
    assert cells(truth._repr_html_()) == shown
    corpus = Corpus.build(["a", "b", "c"], ["x", "y", "z"])
    assert cells(truth.with_corpus(corpus)._repr_html_()) == shown | {"documents loaded": "3"}
