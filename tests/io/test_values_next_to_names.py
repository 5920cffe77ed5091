"""What values say next to names: which field is the question, which list is graded, which columns are systems."""

from __future__ import annotations

import json
from functools import partial

import pytest
from reading_checks import numbered_rows

from ragdash.core.errors import InputError
from ragdash.io import read_runs, read_truth
from ragdash.io.proposals.names import words
from ragdash.io.proposals.propose import propose
from ragdash.io.source.source import Source

COUNT = range(12)
ASKED = [f"Which rule covers case {number} of the game?" for number in COUNT]
TEXTS = [f"Case {number} is covered by the part on moves, which says so in full." for number in COUNT]
rows = partial(numbered_rows, len(COUNT))


def first(content, name: str = "file.json") -> tuple[dict[str, str], tuple[str, bytes]]:
    """The first reading, and the file."""
    file = name, content if type(content) is bytes else json.dumps(content, ensure_ascii=False).encode()
    return dict(propose(Source(file))[0].mapping), file


def table(**columns) -> bytes:
    """A CSV file with a function of the row's number for each column."""
    lines = [",".join(columns), *(",".join(f'"{value(number)}"' for value in columns.values()) for number in COUNT)]
    return "\n".join(lines).encode()


def hits(number: int, **more) -> list[dict]:
    """Three documents with falling scores."""
    return [{"score": 0.9 - place / 10 + number / 1000, **{name: value(number, place) for name, value in more.items()}}
            for place in range(3)]


def test_true_and_false_for_each_retrieved_id_are_its_grades():
    content = {"results": [{"system": system, "per_query": rows(
        id=lambda n: f"q{n}", query=lambda n: ASKED[n], relevance=lambda n: [n % 2 == 0, True, False],
        retrieved_ids=lambda n, shift=shift: [f"c{n + shift}", f"c{n + 20}", f"c{n + 40}"],
        mrr=lambda n: 1 / (1 + n % 2))}
        for shift, system in enumerate(("dense", "hybrid"))]}
    reading, file = first(content)
    assert (reading["config"], reading["retrieved"], reading["grade"]) == ("*.system", "retrieved_ids", "relevance")
    assert set(read_truth(file, mapping=reading).grades) == {0, 1}


def test_kinds_of_sources_are_no_documents_and_two_lists_of_the_same_queries_are_two_systems():
    def queries(kind: str) -> list[dict]:
        return rows(query_id=lambda n: f"q{n}", query=lambda n: ASKED[n],
                    expected_source=lambda n: ("csv", "pdf")[n % 2],
                    retrieved=lambda n: hits(n, chunk_id=lambda n, place: f"{kind}_pdf_page_{n + place:03}",
                                             source=lambda n, place: ("csv", "pdf")[n % 2],
                                             relevant=lambda n, place: place == 0))

    reading, file = first({"settings": {"top_k": 3}, "corpus": {"size": 9}, "files": {"index": "a.faiss"},
                           "baseline": {"summary": {"mrr": 1.0}, "per_query": queries("a")},
                           "hybrid": {"summary": {"mrr": 1.0}, "per_query": queries("b")}})
    assert (reading["config"], reading["retrieved"], reading["grade"]) == (
        "*", "retrieved[].chunk_id", "retrieved[].relevant")
    assert [(run.name, len(run)) for run in read_runs(file, mapping=reading)] == [("baseline", 12), ("hybrid", 12)]


def test_an_id_next_to_a_rank_that_counts_the_rows_of_each_query_is_that_of_a_document():
    lines = ["user_id,movie_id,rank,pred_score,label"]
    lines += [f"{user},{10 * rank + user % 5},{rank},{0.9 - rank / 10},{int(rank == 2)}"
              for user in range(1, 21) for rank in (1, 2, 3)]
    reading, file = first("\n".join(lines).encode(), "recommendations.csv")
    assert [reading[name] for name in ("query_id", "doc_id", "rank", "grade")] == [
        "user_id", "movie_id", "rank", "label"]
    (run,) = read_runs(file, mapping=reading)
    assert (len(run), run.depth) == (20, 3)


def test_two_metrics_of_a_graph_are_no_systems():
    reading, _ = first(table(
        id=lambda n: f"case_{n}", answer_preview=lambda n: TEXTS[n], ret_precision=lambda n: n / 12,
        ret_recall=lambda n: 1 - n / 12, ret_graph_coverage=lambda n: n / 24,
        ret_edge_coverage=lambda n: n / 36), "a.csv")
    assert "{run}" not in "".join(reading.values())
    assert len(reading["scores"].split("+")) == 4


def test_an_oracle_whose_answers_are_rated_is_a_system_and_a_classifier_without_answers_is_none():
    reading, file = first(table(
        question=lambda n: ASKED[n], correct_answer=lambda n: f"Part {n}", classifier_correct=lambda n: n % 4 == 0,
        **{f"{system}_{kind}": value for system in ("naive", "dense", "oracle") for kind, value in (
            ("answer", lambda n, system=system: f"{system} says part {n} of the rules."),
            ("correct", lambda n: n % 2 == 0))}), "a.csv")
    assert (reading["answer"], reading["answers"]) == ("{run}_answer", "correct_answer")
    assert [run.name for run in read_runs(file, mapping=reading)] == ["naive", "dense", "oracle"]


def test_an_oracles_answer_without_a_value_is_right():
    reading, _ = first(table(
        question=lambda n: ASKED[n], oracle_answer=lambda n: TEXTS[n], dense_answer=lambda n: f"Yes. {TEXTS[n]}",
        bm25_answer=lambda n: f"No. {TEXTS[n]}", dense_f1=lambda n: n / 12, bm25_f1=lambda n: n / 13), "a.csv")
    assert (reading["answer"], reading["answers"]) == ("{run}_answer", "oracle_answer")


def test_what_known_systems_made_of_the_one_other_text_are_answers_to_it():
    reading, file = first(table(
        korean_sentence=lambda n: f"{n}번 영화는 정말 감동적인 작품이었다.", expected_title=lambda n: f"Film {n % 3}",
        rag_translation=lambda n: f"Film {n} is a moving one.", rag_correct=lambda n: n % 2 == 0,
        normal_translation=lambda n: f"The film of {n} was moving.", normal_correct=lambda n: n % 3 == 0,
        both_correct=lambda n: n % 6 == 0), "a.csv")
    assert (reading["query"], reading["answer"]) == ("korean_sentence", "{run}_translation")
    assert [run.name for run in read_runs(file, mapping=reading)] == ["rag", "normal"]


def test_the_one_text_next_to_related_ones_is_asked():
    reading, file = first({"results": rows(
        index=lambda n: n, clause=lambda n: TEXTS[n], related_laws=lambda n: [ASKED[n], ASKED[n - 1]])})
    assert (reading["query"], reading["contexts"]) == ("clause", "related_laws")
    assert len(read_runs(file, mapping=reading)[0]) == 12


def test_titles_of_hits_with_falling_scores_are_returned_rather_than_what_the_answer_cites():
    content = rows(query=lambda n: ASKED[n], answer=lambda n: TEXTS[n], sources=lambda n: [f"Policy{n}.pdf"] * (n % 2),
                   retrieved=lambda n: hits(n, title=lambda n, place: f"Policy{n + place}.pdf"))
    file = "file.json", json.dumps({"metrics": {"cases": 12}, "cases": content}).encode()
    with pytest.raises(InputError) as caught:
        read_runs(file)
    assert caught.value.problems[0].facts["mappings"][0]["retrieved"] == "retrieved[].title"


@pytest.mark.parametrize(("name", "meaning"), [
    ("Câu hỏi", "question"), ("Đáp án", "answer"), ("ngữ cảnh", "context"), ("cau_tra_loi", "answer"),
    ("Nguồn file", "source file"), ("Kunci Jawaban", "gold answer"), ("Pertanyaan", "question"), ("konteks", "context"),
    ("標準答案", "gold answer"), ("参考文档", "reference document"), ("模範解答", "gold answer"), ("근거", "evidence"),
    ("Ожидаемый ответ", "expected answer"), ("oczekiwana_odpowiedź", "expected answer"),
    ("beklenen_cevap", "expected answer"),
    ("السؤال", "question"), ("प्रश्न", "question"), ("คำตอบ", "answer"), ("Gabarito", "gold"), ("trechos", "passage")])
def test_names_of_fields_in_other_languages_mean_the_same(name, meaning):
    assert words(name) == tuple(meaning.split())


def test_titles_of_documents_in_rows_are_graded_not_compared():
    lines = ["query_id,query,doc_title,relevance_score"]
    lines += [f"{n},{ASKED[n]},Handbook part {(n + place) % 12},{place}" for n in COUNT for place in range(4)]
    reading, file = first("\n".join(lines).encode(), "judgments.csv")
    assert (reading["doc_id"], "config" in reading) == ("doc_title", False)
    assert read_truth(file, mapping=reading).judgments == 48


def test_a_reference_that_mentions_a_section_in_a_sentence_is_the_right_answer():
    reading, _ = first(rows(question=lambda n: ASKED[n], reference=lambda n: f"Section {n} of the rules says so.",
                            answers=lambda n: {"rag": TEXTS[n], "llm": f"No. {TEXTS[n]}"}))
    assert (reading["answers"], reading["answer"]) == ("reference", "answers.{run}")


def test_a_document_of_each_system_next_to_its_score_was_returned():
    reading, file = first(table(query=lambda n: ASKED[n], cosine_doc=lambda n: f"part{n}.pdf", bm25_doc=lambda n: (
        f"part{n % 5}.pdf"), cosine_score=lambda n: n / 12, bm25_score=lambda n: n), "top.csv")
    assert reading["retrieved"] == "{run}_doc"
    assert [run.depth for run in read_runs(file, mapping=reading)] == [1, 1]


def test_a_document_and_its_right_pages_are_right_together():
    reading, file = first(table(question=lambda n: ASKED[n], document=lambda n: f"part{n // 2}.pdf",
                                relevant_pages=lambda n: f"{n}, {n + 1}", answer=lambda n: TEXTS[n]), "gold.csv")
    assert reading["relevant"] == "document+relevant_pages"
    truth = read_truth(file, mapping=reading)
    assert truth.judgments == 24
    assert set(truth.docs.to_pylist()) >= {"part0.pdf#0", "part0.pdf#1", "part5.pdf#12"}


def test_an_overlap_of_tokens_is_a_setting_and_what_people_took_is_no_time_of_a_system():
    lines = ["question,chunk_size,overlap,answer,recall,time_human,time_ai"]
    lines += [f"{ASKED[n]},{size},{overlap},Size {size} says {n}.,{n / 12},{10 * n},{n / 10}"
              for size in (256, 512) for overlap in (0, 50) for n in COUNT]
    reading, file = first("\n".join(lines).encode(), "grid.csv")
    assert (reading["config"], reading["scores"], reading["latency_s"]) == ("chunk_size+overlap", "recall", "time_ai")
    assert len(read_runs(file, mapping=reading)) == 4


@pytest.mark.parametrize(("more", "role", "path"), [
    ({"evidence_docs": lambda n: [f"part{n}.pdf"]}, "relevant", "evidence_docs"),
    ({"Expected Doc": lambda n: f"part{n}.pdf", "Top result": lambda n: f"part{n % 5}.pdf"}, "retrieved",
     "Top result")])
def test_files_of_evidence_are_right_and_the_top_result_was_returned(more, role, path):
    reading, _ = first(rows(query=lambda n: ASKED[n], **more))
    assert reading[role] == path


def test_rows_next_to_the_names_of_their_columns_are_records():
    content = {"columns": ["query", "target", "retrieved", "mrr"],
               "rows": [[ASKED[n], f"d{n}", [f"d{n + place}" for place in range(3)], 1.0] for n in COUNT]}
    reading, _ = first(content)
    assert (reading["query"], reading["relevant"], reading["retrieved"]) == ("query", "target", "retrieved")
