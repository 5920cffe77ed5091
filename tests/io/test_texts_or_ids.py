"""Texts of documents are no ids: under a name for documents, and in scripts that need no blanks."""

from __future__ import annotations

import csv
import io as streams
import json

import pytest
from helpers import json_lines

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth

ENGLISH = [("How long is probation?", "Six months.", ["Probation is at most six months.", "Pay is at least 80 %."]),
           ("May leave carry over?", "Yes, by a year.", ["Leave may be carried over by one year."]),
           ("How is overtime paid?", "At 150 percent.", ["Overtime is paid at 150 percent.", "Sundays count twice."]),
           ("What is needed?", "An invoice.", ["Hand in the invoice and the form."])]
CHINESE = [("试用期最长多久？", "六个月。", ["试用期不得超过六个月。", "试用期工资不得低于百分之八十。"]),
           ("年假可以跨年吗？", "可以。", ["年休假可以跨一个年度安排。"]),
           ("加班费怎么计算？", "一点五倍。", ["安排延长工作时间的，支付百分之一百五十的报酬。", "节假日三倍。"]),
           ("报销需要什么？", "发票。", ["报销时应提交发票原件及审批单。"])]
TITLES = [(asked, answer, [f"Handbook of the staff, part {number}", "Rules of the house"])
          for number, (asked, answer, _) in enumerate(ENGLISH)]


def as_json(rows, question, answer, documents) -> tuple[str, bytes]:
    return "file.json", json.dumps([dict(zip((question, answer, documents), row, strict=True)) for row in rows],
                                   ensure_ascii=False).encode()


def as_csv(rows, *names) -> tuple[str, bytes]:
    text = streams.StringIO()
    csv.writer(text).writerows([names, *((asked, answer, str(texts)) for asked, answer, texts in rows)])
    return "file.csv", text.getvalue().encode()


def as_lines(rows: list[dict]) -> tuple[str, bytes]:
    return "file.jsonl", json_lines(rows)


def offered(read, file) -> list[dict[str, str]]:
    """The readings in the error of a file that is not read as it is."""
    with pytest.raises(InputError) as error:
        read(file)
    return [mapping for problem in error.value.problems if problem.kind == "proposed-reading"
            for mapping in problem.facts["mappings"]]


@pytest.mark.parametrize("rows", [ENGLISH, CHINESE], ids=["English", "Chinese"])
@pytest.mark.parametrize("name", ["retrieved_docs", "retrieved_documents", "retrieved"])
@pytest.mark.parametrize("write", [as_json, as_csv])
def test_texts_under_a_name_for_documents_are_offered_as_contexts(rows, name, write):
    file = write(rows, "question", "answer", name)
    mapping = offered(read_runs, file)[0]
    assert mapping == {"role": "run", "query": "question", "contexts": name, "answer": "answer"}
    run, = read_runs(file, mapping=mapping)
    assert run.details["contexts"].to_pylist() == [texts for *_, texts in rows] and not len(run.docs)


@pytest.mark.parametrize("rows", [ENGLISH, CHINESE], ids=["English", "Chinese"])
@pytest.mark.parametrize(("name", "is_known"), [("relevant_docs", True), ("gold_docs", False)])
def test_texts_of_what_is_right_are_offered_as_evidence(rows, name, is_known):
    """With an error where the format would read them as ids, with a warning where it leaves them out."""
    file = as_json(rows, "question", "ground_truth", name)
    mapping = offered(read_truth, file)[0] if is_known else read_truth(file).problems[-1].facts["mappings"][0]
    assert mapping == {"role": "truth", "query": "question", "answers": "ground_truth", "evidence": name}
    truth = read_truth(file, mapping=mapping)
    assert not truth.judgments and [len(spans) for spans in truth.details["evidence"].to_pylist()] == [2, 1, 2, 1]


@pytest.mark.parametrize("name", ["retrieved_docs", "retrieved"])
def test_titles_of_documents_are_ids(name):
    """They have blanks, and no full stop at the end."""
    run, = read_runs(as_json(TITLES, "question", "answer", name))
    assert len(run.docs) == 8 and run.docs[0].as_py() == "Handbook of the staff, part 0"


def test_chinese_names_of_fields_and_contexts():
    """What a retriever returned in one column, without a blank in it."""
    file = as_json(CHINESE, "问题", "模型回答", "检索文档")
    assert offered(read_runs, file)[0] == {"role": "run", "query": "问题", "contexts": "检索文档", "answer": "模型回答"}


@pytest.mark.parametrize(("read", "field", "meaning"), [
    (read_runs, "retrieved", "contexts"), (read_truth, "relevant", "evidence")])
def test_sentences_under_the_names_of_our_own_format_are_no_ids(read, field, meaning):
    content = "".join(json.dumps({"query_id": f"q{number}", "query": asked, field: texts}) + "\n"
                      for number, (asked, _, texts) in enumerate(ENGLISH))
    readings = offered(read, ("file.jsonl", content.encode()))
    assert [reading[meaning] for reading in readings] == [field]


def test_passages_with_nothing_but_a_title_are_evidence():
    rows = [{"question": asked, "answers": [answer], "hard_negative_ctxs": [],
             "positive_ctxs": [{"title": "Handbook", "text": text} for text in texts]}
            for asked, answer, texts in ENGLISH]
    truth = read_truth(("train.json", json.dumps(rows).encode()))
    assert not truth.judgments and [len(spans) for spans in truth.details["evidence"].to_pylist()] == [2, 1, 2, 1]
    for row in rows:
        for number, passage in enumerate(row["positive_ctxs"]):
            passage["passage_id"] = f"p{number}"
    assert len(read_truth(("train.json", json.dumps(rows).encode())).docs) == 6


def test_the_solution_of_a_code_task_is_the_right_answer_and_its_documents_are_evidence():
    rows = [{"task_id": number, "prompt": asked, "canonical_solution": f"return solve({number})",
             "docs": [{"title": "handbook", "text": text} for text in texts]}
            for number, (asked, _, texts) in enumerate(ENGLISH)]
    readings = offered(read_truth, as_lines(rows))
    assert [(reading["role"], reading["answers"]) for reading in readings] == [
        ("truth", "canonical_solution"), ("both", "canonical_solution")]
    assert readings[0]["evidence"] == readings[1]["contexts"] == "docs[].text"
