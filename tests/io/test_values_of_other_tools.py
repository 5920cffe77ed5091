"""Values of old evaluation tools, scores made of others, values with their reasons, and evidence without blanks."""

from __future__ import annotations

import json

import pytest

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source


def offered(name: str, content: str) -> list[dict[str, str]]:
    with pytest.raises(InputError) as caught:
        read_runs((name, content.encode()))
    return caught.value.problems[0].facts["mappings"]


@pytest.mark.parametrize("names", [
    ("num_ret", "num_rel", "map", "R-prec", "bpref", "recip_rank", "ircl_prn.0.00", "P5", "P10"),
    ("infAP", "infNDCG", "iP10", "inum_rel_ret", "iprec@rec0.10")])
def test_old_names_of_measures_are_read_for_each_query(names):
    lines = [f"{name}\t\t{query}\t\t0.{query}5" for query in (1, 2, 3) for name in names]
    lines += [f"{names[-1]}\t\tall\t\t0.25", "gm_ap\tall\t0.2"]
    run, = read_runs(("old.eval", "\n".join(lines).encode()))
    assert run.file_scores.names == names and len(run) == 3


ROWS = [(query, f"d{place}", -1.5 - place, 0.8 - place / 10, 1.9 - place / 5, 4 - place, place)
        for query in ("q1", "q2") for place in (1, 2, 3)]


def test_a_score_made_of_others_ranks_with_the_new_ranks():
    header = "query_id,doc_id,ltr_score,colbert_score,final_score,original_rank,new_rank"
    content = "\n".join([header, *(",".join(map(str, row)) for row in ROWS)])
    mapping, *_ = offered("reranked.csv", content)
    assert mapping.items() >= {"role": "run", "doc_id": "doc_id", "score": "final_score", "rank": "new_rank"}.items()
    assert {"config", "grade", "scores"}.isdisjoint(mapping)
    run, = read_runs(("reranked.csv", content.encode()), mapping=mapping)
    assert run.ranking("q1").column("doc_id").to_pylist() == ["d1", "d2", "d3"]


def test_values_with_their_reasons_are_numbered():
    header = "Faithfulness Score,Faithfulness Reason,Answer Relevancy Score,Answer Relevancy Reason"
    rows = [f'0.{number},"All of it, as said.",1.0,It answers {number}.' for number in range(2, 9)]
    mapping, = offered("scores.csv", "\n".join([header, *rows]))
    run, = read_runs(("scores.csv", "\n".join([header, *rows]).encode()), mapping=mapping)
    assert run.file_scores.names == ("Faithfulness Score", "Answer Relevancy Score") and len(run) == 7


def test_texts_that_explain_nothing_are_not_numbered():
    header = "Faithfulness Score,Comment,Answer Relevancy Score,Reply"
    rows = [f"0.{number},Seen by {number},1.0,It is {number}." for number in range(2, 9)]
    with pytest.raises(InputError) as caught:
        read_runs(("scores.csv", "\n".join([header, *rows]).encode()))
    assert all("mappings" not in problem.facts for problem in caught.value.problems)


def test_evidence_in_a_script_without_blanks_is_evidence():
    facts = {"title": ["深度学习"], "sent_id": [0]}
    asked = [{"id": f"q{number}", "question": "深度学习和机器学习是什么关系？", "answer": "分支",
              "evidence": f"深度学习是机器学习的一个分支，第{number}章。", "supporting_facts": facts}
             for number in range(3)]
    truth = read_truth(("asked.json", json.dumps(asked).encode()))
    assert [spans[0]["text"] for spans in truth.details["evidence"].to_pylist()] == [
        item["evidence"] for item in asked]


def test_answers_of_questions_without_a_key_are_right_ones_too():
    asked = [{"question": f"Which dome is number {number}?", "answer": "" if number % 4 else f"The dome of {number}",
              "answerKey": "ABCD"[number % 4] if number % 4 else "",
              "choices": {"text": ["north", "south"], "label": ["A", "B"]}} for number in range(12)]
    mapping, = offered("asked.json", json.dumps(asked))
    truth = read_truth(("asked.json", json.dumps(asked).encode()), mapping=mapping)
    assert truth.details["answers"].to_pylist() == [[item["answer"] or item["answerKey"]] for item in asked]


VALUES = {"map": 0.5, "P_5": 0.25, "ndcg_cut_10": 0.75, "recip_rank": 0.5}


@pytest.mark.parametrize("names", [[f"q{number}" for number in range(1, 9)],
                                   [f"127_{number}" for number in range(1, 9)],
                                   [str(number) for number in range(301, 331)],
                                   [f"PLAIN-{number}" for number in range(2, 62, 3)]])
@pytest.mark.parametrize("wrap", [lambda values: values, lambda values: {"all": values, "agg": VALUES}])
def test_values_of_measures_by_query_are_offered_and_never_read_as_documents(names, wrap):
    """As evaluators of pytrec_eval return them."""
    content = json.dumps(wrap({name: VALUES for name in names})).encode()
    with pytest.raises(InputError) as caught:
        read_runs(("values.json", content))
    reading, = propose(Source(("values.json", content)))
    assert "Try: ragdash check" in caught.value.problems[0].fix
    assert reading.count == len(names) and set(reading.mapping["scores"].split("+")) == VALUES.keys()


@pytest.mark.parametrize("names", [["bm25", "dense", "k5", "rrf60", "splade2"], ["q1", "q2"]])
def test_values_of_measures_by_configuration_are_a_summary(names):
    with pytest.raises(InputError) as caught:
        read_runs(("means.json", json.dumps({name: VALUES for name in names}).encode()))
    assert [problem.kind for problem in caught.value.problems] == ["summary"]


def test_passages_called_like_precision_are_documents():
    run, = read_runs(("run.json", json.dumps({"q1": {"P_1": 0.5, "P_2": 0.25}, "q2": {"P_2": 0.5}}).encode()))
    assert run.query_ids.to_pylist() == ["q1", "q2"]


def rows_of_groups(names: str) -> list[str]:
    """Ranked chunks of three groups for each question; the first chunks are right."""
    cells = [(query, group, rank, (query + rank + len(group)) % 7)
             for query in range(6) for group in ("words", "vectors", "both") for rank in (1, 2, 3)]
    return [names, *(f"q{query},Why is dome {query} cold?,{group},{rank},chk_{chunk}e{query},{chunk < 3},The wall of "
                     f"dome {query} lets the cold in at place {rank}." for query, group, rank, chunk in cells)]


@pytest.mark.parametrize("flag", ["matched_relevant_chunk", "unnamed"])
@pytest.mark.parametrize("group", ["group", "note"])
def test_a_text_that_separates_repeated_ranks_is_asked_about_under_any_name(group, flag):
    """Whether a document is right names no configuration, though `chunk` may."""
    rows = rows_of_groups(f"case_id,query,{group},rank,chunk_id,{flag},snippet")
    with pytest.raises(InputError):
        read_runs(("cases.csv", "\n".join(rows).encode()))
    reading = propose(Source(("cases.csv", "\n".join(rows).encode())))[0]
    assert reading.mapping["config"] == group
    assert reading.mapping.get("grade") == (flag if flag != "unnamed" else None)


def test_the_narrative_of_a_topic_is_no_answer():
    lines = ["id\tquery\tquestion\tnarrative", *(
        f"{number}\tcold dome {number}\tWhat is the temperature of dome {number}?\tStudies that measure dome {number} "
        "are wanted; those that measure only its wall are not." for number in range(34, 44))]
    reading, = propose(Source(("topics.tsv", "\n".join(lines).encode())))
    assert reading.role == "questions" and reading.mapping["query_id"] == "id"
