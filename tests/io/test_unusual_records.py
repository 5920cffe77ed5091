"""Shapes of records between the usual ones: what the first reading takes, and what it leaves."""

from __future__ import annotations

import json

import pytest
from helpers import json_lines

from ragdash import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

QUESTIONS = ["How long do poppy seeds live?", "Who may deposit seeds?", "How cold is the vault?",
             "Which rice was first?", "What happens without power?", "Who may visit the vault?"]
ANSWERS = ["Roughly forty years.", "Any gene bank.", "It is not known.", "Blue rice.", "The frost holds.",
           "Nobody may."]
BY_GROUP = {"seeds": QUESTIONS[:2], "vault": {"easy": QUESTIONS[2:4], "hard": QUESTIONS[4:]}}
TEXT = "A sentence of several words that a document contains about the seeds in line "
COUNT = range(len(QUESTIONS))
SQL = [f"SELECT name FROM seeds WHERE line = {i}" for i in COUNT]


def rows(**fields) -> bytes:
    """Records with a question each; fields are lists, or the same for all records."""
    return json.dumps([{"question": QUESTIONS[i], **{
        name: value[i] if type(value) is list and len(value) == len(QUESTIONS) else value
        for name, value in fields.items()}} for i in COUNT]).encode()


def table(*columns: list[str], header: str = "") -> bytes:
    lines = [",".join(f'"{cell}"' for cell in row) for row in zip(*columns, strict=True)]
    return "\n".join([*([header] if header else []), *lines, ""]).encode()


FIRST = {  # content, what the first reading takes, fields of ours that it does not have
    "questions by group": (
        "a.json", json.dumps(BY_GROUP).encode(),
        {"role": "questions", "query": "question", "attributes": "group+group 2"}, ()),
    "a list of questions": ("a.json", json.dumps(QUESTIONS).encode(), {"role": "questions", "query": "question"}, ()),
    "questions without blanks, with a category": (
        "a.json", json.dumps([{"question": text, "category": "休假"} for text in (
            "我今年还有几天年假？", "年假可以累积到明年吗？", "病假需要医生证明吗？")], ensure_ascii=False).encode(),
        {"role": "questions", "query": "question", "attributes": "category"}, ()),
    "no header": ("a.csv", table(QUESTIONS, ANSWERS), {"query": "column 1", "answers": "column 2"}, ()),
    "no header, with ids": ("a.tsv", "".join(f"s{i}\t{QUESTIONS[i]}\t{ANSWERS[i]}\tdoc-{i}\n" for i in COUNT).encode(),
                            {"query_id": "column 1", "query": "column 2", "answers": "column 3"}, ()),
    "the right SQL": ("a.csv", table(QUESTIONS, SQL, header="Query,SQL"), {
        "role": "truth", "query": "Query", "answers": "SQL"}, ()),
    "the right SQL, called query": ("a.json", rows(query=SQL, db_id="seeds"), {
        "role": "truth", "query": "question", "answers": "query"}, ()),
    "numbers of citations": (
        "a.json", rows(answer=ANSWERS, cited_sources=[[1, 2], [1], [1, 2], [2], [1], [1]],
                       citations=[{"number": 1, "title": "The vault"}]), {"answers": "answer"},
        ("relevant", "retrieved")),
    "ids of cited documents": (
        "a.json", rows(generated_answer=ANSWERS, cited_doc_ids=[[1, 7], [1], [1, 9], [2], [1], [1]]),
        {"role": "run", "answer": "generated_answer"}, ("relevant",)),
    "ids that a step of an agent returned": (
        "a.json", rows(answer=ANSWERS, steps=[[{"tool": "search_docs", "result": [f"d{i}", "d9"]},
                                                {"tool": "finish", "result": ANSWERS[i]}] for i in COUNT]),
        {"role": "run", "retrieved": "retrieval[].doc_id", "answer": "answer"}, ()),
    "times three objects deep": (
        "a.json", rows(results=[{name: {"answer": f"{name}: {text}", "stats": {"total_time_s": 1.5 + place}}
                                 for name in ("bm25", "dense")} for place, text in enumerate(ANSWERS)]),
        {"answer": "results.{run}.answer", "latency_ms": "results.{run}.stats.total_time_s"}, ()),
    "measures at k of variants": (
        "a.json", json.dumps({"name": "leaks", "variants": {name: {"per_query": [
            {"query": text, "leakage_at_k": place, "latency_ms": 12.5} for place, text in enumerate(QUESTIONS)]}
            for name in ("P1", "P2")}}).encode(),
        {"records": "variants.*.per_query", "config": "*", "scores": "leakage_at_k", "latency_ms": "latency_ms"}, ()),
    "a reply of the user in a script": (
        "a.json", json.dumps([{"id": f"s{i}", "conversation": [{"role": "user", "content": QUESTIONS[i]}],
                               "expected_actions": ["look up"], "final_reply": None if i > 1 else "Yes, that is it."}
                              for i in COUNT]).encode(),
        {"role": "questions", "query": "user"}, ("answer", "answers", "contexts")),
    "turns of a user": (
        "a.json", json.dumps([{"test_id": f"s{i}", "user_turns": ["My name is Ada.", QUESTIONS[i]],
                               "expected_outcome": f"The assistant says that {ANSWERS[i].lower()}"} for i in COUNT]
                             ).encode(),
        {"role": "truth", "query": "user", "chat_history": "chat_history", "answers": "expected_outcome"}, ()),
    "documents of the evidence": (
        "a.json", rows(answer=ANSWERS, ground_truth=ANSWERS, facts=[[f"{TEXT}{i}."] * (1 + i % 2) for i in COUNT],
                       documents=[[f"d{i}", "d9"][:1 + i % 2] for i in COUNT], recall=0.5,
                       context=[[f"{TEXT}{i}.", f"{TEXT}7.", f"{TEXT}8."] for i in COUNT]),
        {"relevant": "documents", "evidence": "facts", "contexts": "context"}, ("retrieved",)),
    "a link that few cases have": (
        "a.json", rows(expected_answer=ANSWERS, link_path=["/seeds", None, None, "/vault", None, None]),
        {"answers": "expected_answer"}, ("relevant",)),
    "how people came to what is right": (
        "a.json", json.dumps([{"prompt": f"Is number {i} answered in time?", "ground_truth": ("yes", "no")[i % 2],
                               "ground_truth_source": "by rule", "system_a_answer": ("yes", "unclear")[i % 3 % 2],
                               "system_b_answer": ("unclear", "no")[i % 2]}
                              for i in range(20)]).encode(),
        {"answer": "system_{run}_answer", "answers": "ground_truth"}, ("relevant",)),
    "an empty metric of contexts": (
        "a.csv", b"case_id,prompt,reply,latency_ms,llm/context_retention,llm/grounding\n" + "".join(
            f'c{i},"{QUESTIONS[i]}","{ANSWERS[i]}",12.5,,0.{i}\n' for i in COUNT).encode(),
        {"answer": "reply", "scores": "llm/grounding"}, ("contexts",)),
    "names of sources in the context": (
        "a.json", rows(elapsed_ms=12.5, actual={"unique_context_source_awards": ["Cleaning Services Award 2020"],
                                                "route": "rag"}, checks={"route": True, "award_detection": False}),
        {"scores": "checks.route+checks.award_detection"}, ("contexts", "retrieved")),
}


@pytest.mark.parametrize("shape", FIRST)
def test_the_first_reading_of_a_shape(shape):
    name, content, taken, left = FIRST[shape]
    mapping = dict(propose(Source((name, content)))[0].mapping)
    assert {field: mapping.get(field) for field in taken} == taken
    assert not set(left) & mapping.keys()


@pytest.mark.parametrize("content", [{"seeds": QUESTIONS[:3], "vault": QUESTIONS[3:]}, BY_GROUP])
def test_lists_of_questions_are_not_read_as_rankings(content):
    with pytest.raises(InputError) as failed:
        read_runs(("a.json", json.dumps(content).encode()))
    assert "proposed-reading" in {problem.kind for problem in failed.value.problems}
    offered = failed.value.problems[0].facts["mappings"][0]
    assert len(read_truth(("a.json", json.dumps(content).encode()), mapping=offered).query_ids) == len(QUESTIONS)


def test_a_list_of_ids_stays_a_ranking():
    assert len(read_runs(("a.json", b'{"q1": ["d1?", "d2"], "q2": ["d3"]}'))[0].docs) == 3


@pytest.mark.parametrize("facts", [[["Vault", 0], ["Seeds", 1]], [{"title": "Vault", "sent_id": 0},
                                                                  {"title": "Seeds"}]])
@pytest.mark.parametrize("evidence", [f"{TEXT}1.", [f"{TEXT}1."]])
def test_evidence_next_to_supporting_facts_is_read(facts, evidence):
    records = [{"_id": f"s{i}", "question": QUESTIONS[i], "answer": ANSWERS[i], "supporting_facts": facts,
                "evidence": evidence} for i in COUNT]
    truth = read_truth(("a.json", json.dumps(records).encode()))
    assert truth.judgments == 2 * len(QUESTIONS)
    assert [[span["text"] for span in spans] for spans in truth.details["evidence"].to_pylist()] == [
        [f"{TEXT}1."]] * len(QUESTIONS)


def test_evidence_of_an_auditor_is_asked_about():
    lines = "".join(f'tasks/{i}.json,{i % 2},"1) Look it up, {i}. 2) Write it down.","{TEXT}{i}."\n' for i in COUNT)
    content = f"task_id,exact_match,recorded_plan_text,evidence\n{lines}".encode()
    with pytest.raises(InputError) as failed:
        read_truth(("a.csv", content))
    assert "proposed-reading" in {problem.kind for problem in failed.value.problems}


def test_claims_with_evidence_by_document_are_judgments_not_what_an_auditor_wrote():
    lines = [{"id": i, "claim": f"{TEXT}{i}.", "evidence": {f"{i}7": [{"sentences": [2], "label": "SUPPORT"}]},
              "cited_doc_ids": [int(f"{i}7")]} for i in range(1, 5)]
    content = json_lines(lines)
    with pytest.raises(InputError) as failed:
        read_runs(("a.jsonl", content))
    assert "truth-as-run" in {problem.kind for problem in failed.value.problems}
