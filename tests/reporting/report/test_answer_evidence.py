"""A verdict on rankings looks at the labels and scores of the answers: its sentences, and both reports."""

from __future__ import annotations

import pyarrow as pa
import pytest
from helpers import truth_of

from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run, Truth
from ragdash.matching.match import Match
from ragdash.metrics import file_spec, parse_specs
from ragdash.reporting.html.blocks import Table, Text
from ragdash.reporting.html.content import ReportContent, ReportRequest
from ragdash.reporting.html.report_page import build_sections
from ragdash.reporting.sentences.runs.choice import verdict_title
from ragdash.reporting.sentences.verdict import (
    answers_sentence,
    change_sentence,
    decision_sentence,
    evidence_heading,
    evidence_lines,
)

QUERIES = [f"q{number:02}" for number in range(40)]
TRUTH = truth_of({query: ["right"] for query in QUERIES})
SPECS = parse_specs("nDCG@10 R@10 P@10 RR Success@10")
LABEL = file_spec("verdict", "Correct")
FAITHFUL = file_spec("faithfulness")
OLD, NEW = ["wrong", "right"], ["right", "wrong"]


def run(name: str, docs: list[str], wrong: int = 0, faithful: float | None = None, labeled: bool = True) -> Run:
    """A run whose first answers are wrong by their labels, and which misses the best ranking of three queries."""
    details = pa.table({"query_id": QUERIES, "answer": ["Some words."] * len(QUERIES)})
    columns = zip(*[(query, doc, 1 / rank) for at, query in enumerate(QUERIES)
                    for rank, doc in enumerate(docs if at > 2 else OLD, 1)], strict=True)
    built = Run.build(name, *columns, details=details)
    rows = [(query, name, "verdict", "Incorrect" if at < wrong else "Correct") for at, query in enumerate(QUERIES)]
    rows += [(query, name, "faithfulness", faithful) for query in QUERIES] if faithful is not None else []
    return built.with_file_scores(FileScores.build(rows)) if labeled else built


def content(*runs: Run, **options) -> ReportContent:
    return ReportContent(ReportRequest(tuple(Match(run, TRUTH) for run in runs), SPECS, **options))


@pytest.mark.parametrize(("old", "new", "decision", "change"), [
    (dict(wrong=2, faithful=0.9), dict(wrong=24, faithful=0.8), "**new** is better by NDCG@10, but the answers say "
     "otherwise: **old** is better than **new** on Share correct (verdict).", "The answers point the other way: **old**"
     ),
    (dict(wrong=24), dict(wrong=2), "choose **new**", "The answers point the same way: Share correct (verdict)."),
    (dict(wrong=2), dict(wrong=2), "choose **new**", "Nothing that was checked would change this result. The answers "
     "show no significant difference (Share correct (verdict))."),
    (dict(labeled=False), dict(wrong=2), "choose **new**", "Nothing that was checked would change this result. The "
     "answers cannot be compared by Share correct (verdict): no two runs have a value for the same query."),
    (dict(labeled=False), dict(labeled=False), "choose **new**", "Nothing that was checked would change this result."),
])
def test_a_clear_winner_by_its_rankings_is_held_against_the_answers(old, new, decision, change):
    verdict = content(run("old", OLD, **old), run("new", NEW, **new)).verdict
    assert verdict.state == "clear-winner" and verdict.best == "new"
    assert decision in decision_sentence(verdict).replace("\\", "")
    assert change in change_sentence(verdict).replace("\\", "")
    assert change.startswith("The answers point the other") or "other way" not in change_sentence(verdict)


def test_where_rankings_do_not_differ_the_answers_that_do_are_named():
    verdict = content(run("old", NEW, wrong=24), run("new", NEW, wrong=2)).verdict
    assert verdict.state == "no-clear-difference" and len(verdict.evidence) == 1, "each pair once"
    assert "The answers do differ: **new** is better than **old** on Share correct (verdict)." in decision_sentence(
        verdict).replace("\\", "")
    assert evidence_heading(verdict) == "By the labels of the answers:" and len(evidence_lines(verdict)) == 1
    assert [row["metric"] for row in verdict.as_dict()["evidence"]] == [str(LABEL)]


def test_next_to_a_metric_of_answers_another_score_differs_not_the_answers():
    """Both scores are of answers: "if the answers matter most" would not say which of the two to follow."""
    pair = run("old", NEW, wrong=24, faithful=0.9), run("new", NEW, wrong=2, faithful=0.9)
    verdict = ReportContent(ReportRequest(tuple(Match(one, TRUTH) for one in pair), [FAITHFUL, LABEL])).verdict
    assert verdict.state == "no-clear-difference" and verdict.spec == FAITHFUL
    decision = decision_sentence(verdict).replace("\\", "")
    assert decision.endswith("Other scores do differ: **new** is better than **old** on Share correct (verdict). "
                             "Decide which of the two matters more.")
    assert "Other scores point the other way: **new** is better" in change_sentence(verdict)


def test_next_to_a_metric_of_answers_scores_that_do_not_differ_are_other_scores():
    pair = run("old", OLD, wrong=4, faithful=0.2), run("new", NEW, wrong=4, faithful=0.9)
    verdict = ReportContent(ReportRequest(tuple(Match(one, TRUTH) for one in pair), [FAITHFUL, LABEL])).verdict
    assert verdict.state == "clear-winner"
    assert answers_sentence(verdict) == "Other scores show no significant difference (Share correct \\(verdict\\))."


def test_reports_have_the_labels_and_scores_of_the_answers():
    whole = content(run("old", OLD, wrong=2, faithful=0.9), run("new", NEW, wrong=24, faithful=0.8))
    sections = {section.name: section for section in build_sections(whole)}
    tables = {name: [block for block in sections[name].blocks if isinstance(block, Table)] for name in sections}
    assert tables["summary"][0].header == ["Run", "NDCG@10", "Nothing found in the first 10", "Recall@10",
                                           "Precision@10", "Share correct (verdict)", "faithfulness (file)"]
    assert [column for table in tables["answers"] for column in table.header][:4] == [
        "Run", "Share correct (verdict)", "Run", "faithfulness (file)"]
    stages = next(table for table in tables["failures"] if table.caption.startswith("Queries by stage"))
    by_stage = {str(row[0]): " ".join(map(str, row[1:])) for row in stages.rows}
    assert "22" in by_stage["Wrong answer"] or "24" in by_stage["Wrong answer"]
    assert "at most" not in by_stage["Wrong answer"], "a better answer does not change NDCG"
    assert "rightly decline" not in str(sections["answers"].blocks), "no label is one of a refusal"
    without = content(run("old", OLD, labeled=False), run("new", NEW, labeled=False))
    summary = build_sections(content(run("old", OLD, labeled=False), run("new", NEW, labeled=False),
                                     sections=("summary",)))[0]
    assert not without.evidence
    header = next(block for block in summary.blocks if isinstance(block, Table)).header[1:]
    assert header.pop(1) == "Nothing found in the first 10"
    assert header == [spec.title for spec in SPECS], "answers without references or labels have nothing to show"


def test_what_is_right_with_right_refusals_is_said_next_to_the_label():
    """Of ten queries four have no answer: their Refusal is right, so 6 + 4 of 10 are right."""
    ids, declined = QUERIES[:10], "The documents do not say."
    details = pa.table({"query_id": ids, "answers": [["Paris"] if at < 6 else [declined] for at in range(10)]})
    truth = truth_of({query: ["right"] for query in ids}, details=details)
    labels = [(query, "old", "verdict", "Correct" if at < 6 else "Refusal") for at, query in enumerate(ids)]
    answers = pa.table({"query_id": ids, "answer": ["Paris"] * 6 + [declined] * 4})
    labeled = Run.build("old", ids, ["right"] * 10, details=answers).with_file_scores(FileScores.build(labels))
    section, = build_sections(ReportContent(ReportRequest((Match(labeled, truth),), SPECS, sections=("answers",))))
    text = " ".join(block.text for block in section.blocks if isinstance(block, Text)).replace("\\", "")
    assert ("Share correct (verdict) counts that label alone. With the answers that rightly decline and "
            "those that are partly right: old 100%.") in text


def test_examples_never_call_an_answer_worse_that_counts_as_right_and_outcomes_are_counted():
    """Token F1 of a right answer in a long sentence is below that of a short wrong one with the same words."""
    references = {"q1": "May 1990", "q2": "felt", "q3": "spruce", "q4": "three strings"}
    truth = Truth.build("references", [], [], [], details=pa.table({
        "query_id": list(references), "query": list(references), "answers": [[text] for text in references.values()]}))

    def bot(name: str, *answers: str | None) -> Run:
        return Run.build(name, [], [], [], details=pa.table({"query_id": list(references), "answer": list(answers)}))

    runs = (bot("short", "May 1991", "cloth", "I don't know.", "three strings"),
            bot("long", "The first one was built in May 1990 in the town.", "It is felt, as in every grand piano.",
                "The board is made of spruce, a light wood.", None))
    content = ReportContent(ReportRequest(tuple(Match(run, truth) for run in runs), parse_specs("TokenF1")))
    sections = {section.name: section for section in build_sections(content)}
    (table,) = (block for block in sections["summary"].blocks if isinstance(block, Table))
    cells = {name: row[-1] for name in ("short", "long") for row in table.rows if name in str(row[0])}
    assert table.header[-1] == "Answers: right / wrong / wrongly declined"
    assert cells == {"short": "1 / 2 / 1", "long": "3 / 0 / 0"}
    values = {run.name: content.evaluations[at].column("TokenF1") for at, run in enumerate(runs)}
    assert values["short"][0] > values["long"][0], "the wrong answer has the better value"
    left_out = "1 query is not among the examples: the answer with the lower Token F1 counts as right there, "\
               "or that with the higher does not."
    for section in sections["summary"], sections["queries"]:
        blocks = [block for block in section.blocks if block.kind == "query"]
        assert blocks and "q1" not in [block.query_id for block in blocks]
        assert left_out in " ".join(block.text for block in section.blocks if isinstance(block, Text))
        assert {(block.query_id, name): outcome for block in blocks
                for (name, *_), outcome in zip(block.runs, block.outcomes, strict=True)}.items() <= {
            ("q2", "short"): "wrong", ("q2", "long"): "right", ("q3", "short"): "wrongly declined",
            ("q3", "long"): "right", ("q4", "short"): "right", ("q4", "long"): ""}.items()


@pytest.mark.parametrize("column", ["latency_ms", "cost"])
def test_a_run_that_takes_less_is_no_winner_in_quality(column):
    def bot(name: str, taken: float) -> Run:
        rows = [(query, taken + at / 100) for at, query in enumerate(QUERIES)]
        details = {"query_id": QUERIES, "answer": ["Some words."] * len(QUERIES)}
        if column == "latency_ms":
            details["latency_ms"] = [{"total": value} for _, value in rows]
        run = Run.build(name, [], [], [], details=pa.table(details))
        return run if column == "latency_ms" else run.with_file_scores(FileScores.build(
            [(query, name, column, value) for query, value in rows]))

    spec = parse_specs("Latency")[0] if column == "latency_ms" else file_spec("cost", better="lower")
    runs = bot("slow", 900.0), bot("fast", 100.0)
    verdict = ReportContent(ReportRequest(tuple(Match(run, Truth.of_queries(runs)) for run in runs), (spec,))).verdict
    assert verdict.state == "clear-winner" and verdict.best == "fast"
    words = " ".join([verdict_title(verdict), decision_sentence(verdict), change_sentence(verdict)]).replace("\\", "")
    assert f"Clear difference in {spec.title}; quality not compared" in words and "Clear winner" not in words
    assert "it says nothing about how good the answers are" in words and "Nothing that was checked" not in words


def test_an_answer_that_counts_as_wrong_is_no_example_of_a_better_one():
    """Both answers are wrong on q1: the one with more words of the reference is not shown as better."""
    references = {"q1": "May 1990", "q2": "three strings"}
    truth = Truth.build("references", [], [], [], details=pa.table({
        "query_id": list(references), "query": list(references), "answers": [[text] for text in references.values()]}))
    runs = [Run.build(name, [], [], [], details=pa.table({"query_id": list(references), "answer": list(answers)}))
            for name, answers in (("near", ("May 1991", "three strings")), ("far", ("June", "two hammers")))]
    content = ReportContent(ReportRequest(tuple(Match(run, truth) for run in runs), parse_specs("TokenF1"),
                                          sections=("summary",)))
    (section,) = build_sections(content)
    (block,) = (block for block in section.blocks if block.kind == "query")
    assert block.query_id == "q2" and block.why == "The largest win of near"
    assert "(+1.000)" in block.values, "near is the baseline: its value minus the other"
