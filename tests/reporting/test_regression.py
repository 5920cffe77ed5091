"""Failing queries for others: a truth of their own, and a ticket in which every text stays text."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest
from helpers import run_of, truth_of

from ragdash.core.errors import InputError
from ragdash.core.records import Conventions
from ragdash.evaluation.evaluate import evaluate
from ragdash.io import read_truth
from ragdash.matching.match import Match
from ragdash.reporting.tables.regression_set import regression_set, ticket

DETAILS = pa.table({"query_id": ["q1", "q2", "q3"], "query": ["Who?", "When?", "Why?"],
                    "answers": [["She."], ["1999", "In 1999."], None],
                    "evidence": [["She did it."], None, ["Because."]],
                    "attributes": ['{"type":"who"}', '{"type":"when"}', None]})
TRUTH = truth_of({"q1": {"a": 2, "b": 0}, "q2": {"c": 1}, "q3": []}, details=DETAILS)
RUN = run_of({"q1": {"x": 3.0, "a": 2.0, "b": 1.0}, "q2": {"y": 1.0}}, "dense",
             texts=["the text of x", "the text of a", "the text of b", None],
             details=pa.table({"query_id": ["q1", "q2"], "answer": ["He did.", None]}))
CHOSEN = np.array([True, False, True])


def test_the_chosen_queries_are_a_truth_of_their_own(tmp_path):
    path = tmp_path / "regression.jsonl"
    path.write_bytes(regression_set(TRUTH, CHOSEN))
    back = read_truth(path)
    assert back.query_ids.to_pylist() == ["q1", "q3"]
    assert list(zip(back.queries.tolist(), back.docs.to_pylist(), back.grades.tolist(), strict=True)) == [
        (0, "a", 2), (0, "b", 0)]
    for name in ("query", "answers", "attributes"):
        expected = [row for row, kept in zip(DETAILS[name].to_pylist(), CHOSEN, strict=True) if kept]
        assert back.details[name].to_pylist() == expected
    assert [[span["text"] if isinstance(span, dict) else span for span in cell] for cell in
            back.details["evidence"].to_pylist()] == [["She did it."], ["Because."]]


def test_values_of_the_chosen_queries_are_those_they_had(tmp_path):
    path = tmp_path / "regression.jsonl"
    path.write_bytes(regression_set(TRUTH, np.array([True, True, False])))
    np.testing.assert_array_equal(evaluate(RUN, read_truth(path), "nDCG@3 RR").values,
                                  evaluate(RUN, TRUTH, "nDCG@3 RR").values[:2])


def test_no_query_is_no_file():
    for write in (lambda: regression_set(TRUTH, ~CHOSEN & CHOSEN), lambda: ticket([Match(RUN, TRUTH)], CHOSEN & False)):
        with pytest.raises(InputError, match="none of the 3 queries"):
            write()


def test_a_ticket_tells_what_was_asked_expected_and_returned():
    other = run_of({"q3": []}, "sparse")
    text = ticket([Match(RUN, TRUTH), Match(other, TRUTH)], CHOSEN, k=2, title="For Ann",
                  verdicts={"dense": ["below the cutoff: rank 2 > 1", "", ""]})
    assert text.startswith("# `For Ann`\n")
    assert "2 of 3 queries of the ground truth `truth`. Runs: `dense`, `sparse`." in text
    first, second = text.split("## 2. `q3`")
    for wanted in ("Who?", "She.", "She did it.", "The first 2 of 3 documents:", "He did.",
                   "below the cutoff: rank 2 > 1", "The run does not name this query."):
        assert wanted in first, wanted
    rows = [line.split() for line in first.splitlines()]
    assert ["1", "x", "unjudged", "the", "text", "of", "x"] in rows
    assert ["2", "a", "2", "the", "text", "of", "a"] in rows
    assert ["a", "2"] in rows and not any(row[:2] == ["3", "b"] for row in rows)
    for wanted in ("Why?", "Because.", "No document is known to be relevant.", "Nothing was returned."):
        assert wanted in second, wanted
    assert "Verdict" not in second and "When?" not in text


def test_ties_stand_in_a_ticket_as_they_are_matched():
    run = run_of({"q1": {"a": 1.0, "x": 1.0}}, "tied")
    for ties, expected in (("docid", ["x", "a"]), ("file", ["a", "x"])):
        text = ticket([Match(run, TRUTH, Conventions(ties=ties))], np.array([True, False, False]))
        assert re.findall(r"^\s*\d +([ax]) ", text, re.MULTILINE) == expected


def test_many_queries_are_named_and_not_written_out():
    truth = truth_of({f"q{i}": ["a"] for i in range(30)})
    text = ticket([Match(run_of({"q1": ["a"]}), truth)], np.ones(30, bool), max_queries=3)
    assert text.count("\n## ") == 4 and "## 27 more queries" in text and "\nq29\n" in text


WILD = ["<script>alert(1)</script>", "</details><img src=x onerror=alert(1)>", "```\n# out\n````\n<b>x</b>", "~~~\nout",
        "| a | b |\n|---|---|", "[a](javascript:alert(1)) ![b](http://x)", "$$x^2$$ \\(y\\)", "@someone #1", "`", "``",
        "\u202egnirts", "a\0b\x1b[31m", "- [ ] x\n    code\n\n> q", "&lt;b&gt;", "\r# out\r\n# out", "  ",
        "\u2028# out", "```text", "x" * 50_000, "https://example.org www.example.org"]


def wild_ticket(text: str) -> str:
    details = pa.table({"query_id": [text], "query": [text], "answers": [[text]], "evidence": [[text]]})
    truth = truth_of({text: {text: 1}}, name=text, details=details)
    run = run_of({text: [text]}, text, texts=[text],
                 details=pa.table({"query_id": [text], "answer": [text]}))
    return ticket([Match(run, truth)], np.array([True]), title=text, verdicts={text: [text]})


@pytest.mark.parametrize("text", WILD, ids=lambda text: repr(text)[:20])
def test_texts_stay_within_fences_and_code_spans(text):
    outside, fence = [], None
    for line in wild_ticket(text).split("\n"):
        ticks = re.match("`*", line)[0]
        if fence is None and len(ticks) >= 3 and line == f"{ticks}text":
            fence = ticks
        elif fence is not None:
            fence = None if line.startswith(fence) else fence
        else:
            outside.append(re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "CODE", line))
    assert fence is None
    allowed = r"|#+ (\d\. )?CODE|1 of 1 query of the ground truth CODE\. Runs: CODE\.|[A-Z][a-z0-9 ]+:"
    assert [line for line in outside if not re.fullmatch(allowed, line)] == []
    assert len(wild_ticket(text)) < 40_000


@pytest.mark.parametrize("text", WILD, ids=lambda text: repr(text)[:20])
def test_texts_stay_text_for_a_reader_of_markdown(text):
    markdown = pytest.importorskip("markdown_it").MarkdownIt("gfm-like", {"linkify": False})
    tokens = markdown.parse(wild_ticket(text))
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text",
                     "code_inline", "fence", "softbreak"}
    assert sum(token.type == "heading_open" for token in tokens) == 3


def test_a_text_that_is_cut_says_so():
    assert "[48,000 more characters]" in wild_ticket("x" * 50_000)
    assert "\\u202egnirts" in wild_ticket("\u202egnirts") and "\\u0000b\\u001b" in wild_ticket("a\0b\x1b[31m")
