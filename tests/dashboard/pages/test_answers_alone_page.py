"""Files with answers and nothing that says what is right, and files without answers: no page is a dead end."""

from __future__ import annotations

import numpy as np
import pytest
from page_cases import address, charts, keys, listed, opened, widget
from test_answers_page import BROWSER, counts
from test_pages import texts, upload

from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run, Truth
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.widgets import answer_html

QUESTIONS = [f"Which stone is number {number}?" for number in range(24)]
CONTEXTS = "['Stone {0} is gray granite.', 'Marble is white.']"
HEAD = "config,id,question,contexts"


def table(more: str, cells: dict[str, str]) -> bytes:
    """A CSV file with a row for each question and configuration; cells: {configuration: the last cells}."""
    rows = [f'{config},{number},{question},"{CONTEXTS.format(number)}",{last.format(number)}'
            for config, last in cells.items() for number, question in enumerate(QUESTIONS)]
    return "\n".join([f"{HEAD},{more}", *rows]).encode()


NO_REFERENCE = table("answer", {"dense": "Stone {0} is gray granite.", "hybrid": "Stone {0} is pink quartz."})
NO_ANSWER = table("reference", {"dense": "granite", "hybrid": "granite"})


def loaded(page: str, name: str, content: bytes):
    at = upload(opened("data"), (name, content))
    return at.switch_page(f"pages/{page}.py").run() if page != "data" else at


def ranked(name: str, **more) -> Run:
    return Run.from_records([{"query_id": f"q{number}", "answer": "Gray granite.", "documents": [
        {"doc_id": f"d{number}", "score": 1.0, "text": "A gray granite."}], **more} for number in range(24)], name)


@pytest.mark.parametrize("page", ["overview", "compare", "answers", "queries", "failures"])
def test_answers_without_references_are_measured_by_their_contexts(page):
    at = loaded(page, "answers.csv", NO_REFERENCE)
    said = texts(at).replace("\\", "")
    assert not at.exception and "No relevance judgments loaded" not in [one.value for one in at.header]
    assert "There are no reference answers" in said and "reference, reference_answer, ground_truth" in said
    if page in ("overview", "compare", "answers"):
        assert "Support coverage" in said + at.header[0].value and "dense" in said + at.header[0].value


def test_the_answers_page_has_no_table_of_dashes_where_nothing_is_right():
    at = loaded("answers", "answers.csv", NO_REFERENCE)
    assert [one.value for one in at.header] == ["Grounded?"]
    assert "Declined" in at.table[0].value.columns and not any("–" in cell for cell in at.table[0].value.iloc[0])


def test_a_file_without_answers_is_said_to_lack_them():
    for page in ("overview", "data", "answers"):
        at = loaded(page, "questions.csv", NO_ANSWER)
        said = texts(at).replace("\\", "")
        assert not at.exception and "has no answers and no ids of retrieved documents" in said, page
        assert "answer, response, output, generated_answer, prediction" in said, page
    at = loaded("overview", "questions.csv", NO_ANSWER)
    assert at.header[0].value.startswith("Token F1 is undefined for every run: the file of dense has no answers")


def test_the_data_page_counts_answers_and_references_in_place_of_documents_and_judgments():
    said = texts(loaded("data", "answers.csv", NO_REFERENCE))
    assert "24 queries, 24 answers, no retrieved documents" in said and "0 documents" not in said
    at = loaded("data", "questions.csv", NO_ANSWER)
    assert "24 queries, no answers, no retrieved documents" in texts(at)
    assert {one.label: one.value for one in at.metric} == {"Queries": "24", "Reference answers": "24"}


def test_rankings_without_judgments_keep_their_overview_and_their_answers_can_be_looked_at():
    runs = address(Truth.build("none", [], [], []), [ranked("dense"), ranked("hybrid")])["run"]
    at = opened("overview", run=runs)
    assert "nothing says which documents are relevant" in at.header[0].value
    assert any(one.proto.label == "Look at the answers" for one in at.get("page_link"))
    answers = at.switch_page("pages/answers.py").run()
    assert not answers.exception and "Support coverage" in texts(answers)


def test_answers_without_contexts_can_be_read():
    content = "\n".join(["config,id,question,answer", *(f"{config},{number},{question},It is {config} gray."
                         for config in ("dense", "hybrid") for number, question in enumerate(QUESTIONS))]).encode()
    at = loaded("overview", "answers.csv", content)
    assert at.header[0].value == "2 runs are loaded, but nothing says which answers are right"
    assert "With a column `contexts`" in texts(at)
    assert list(at.table[0].value) == ["Run", "Queries", "Answers", "Words per answer", "Refusals"]  # nothing returned
    answers = at.switch_page("pages/answers.py").run()
    assert "Nothing to compare the answers with" in [one.value for one in answers.header]
    assert any(one.proto.label == "Read the answers" for one in answers.get("page_link"))
    assert at.switch_page("pages/queries.py").run().tabs[0].label == "Answers"


def test_removed_judgments_can_be_restored_and_the_answers_stay():
    judged = [{"query_id": f"q{number}", "relevant": [f"d{number}"]} for number in range(24)]
    truth = Truth.from_records(judged, "qrels")
    at = opened("data", **address(truth, [ranked("dense")]))
    widget(at, "button", "remove_truth").click().run()
    assert LOADED.truth(at.session_state["_truth"]).queries_only and "restore_truth" in keys(at)
    widget(at, "button", "restore_truth").click().run()
    assert at.session_state["_truth"] == truth.digest


def test_queries_begin_with_the_answers_where_there_are_no_rankings():
    at = loaded("queries", "answers.csv", NO_REFERENCE)
    assert at.tabs[0].label == "Answers"
    judged = Truth.from_records([{"query_id": "q1", "relevant": ["d1"]}], "qrels")
    assert opened("queries", **address(judged, [ranked("dense")])).tabs[0].label.startswith("Rankings")


def test_an_answer_is_right_or_wrong_on_every_page_where_no_relevant_document_is_known():
    truth = Truth.from_records([{"query_id": f"q{number}", "relevant": [], "answers": ["granite"]}
                                for number in range(24)], "truth")
    run = Run.from_records([{"query_id": f"q{number}", "documents": [], "contexts": ["Granite."],
                             "answer": "granite" if number < 10 else "quartz"} for number in range(24)], "dense")
    at = opened("answers", **address(truth, [run]), **BROWSER)
    assert counts(at) == {"All": 24, "Right, retrieval not judged": 10, "Wrong, retrieval not judged": 14}
    stages = listed(opened("queries", **address(truth, [run])), "query_rows")["Stage"]
    assert (stages == "Wrong answer").sum() == 14
    assert "no person and no judge has checked them" in texts(at)
    assert "an answer counts as right by the first rule that applies: " in texts(at)


def test_the_sentence_on_right_answers_counts_those_of_which_nothing_was_found_too():
    assert answer_html.right_answers_sentence(["dense"], np.array([[0, 0, 0, 0, 10, 14, 2]])) == (
        "**dense** is right for 10 of 24 queries (42%).")


def test_the_wrong_answers_of_the_sentence_and_the_right_ones_are_all_answers():
    """83 right of 122, so 39 wrong; 2 of them answer a question that has no relevant document."""
    assert answer_html.right_answers_sentence(["dense"], np.array([[73, 0, 22, 15, 10, 2, 0]])) == (
        "**dense** is right for 83 of 122 queries (68%); of its 39 wrong answers 22 had a relevant document at hand, "
        "15 had none and for 2 no relevant document is known.")
    assert answer_html.right_answers_sentence(["dense"], np.array([[1, 0, 1, 0, 0, 0, 0]])).endswith(
        "of its 1 wrong answer 1 had a relevant document at hand.")


@pytest.mark.parametrize("page", ["answers", "failures"])
def test_how_many_queries_lack_an_answer_is_said(page):
    rows = [f'{number},{question},"{CONTEXTS.format(number)}",{"" if number < 6 else "Gray granite."}'
            for number, question in enumerate(QUESTIONS)]
    at = loaded(page, "partly.csv", "\n".join(["id,question,contexts,answer", *rows]).encode())
    lines = [one.value for one in at.caption]
    said = "partly has answers to 18 of 24 queries: answer metrics that ragdash computes leave out the other 6."
    assert said in lines
    whole = loaded(page, "answers.csv", NO_REFERENCE)
    assert "answers to" not in texts(whole)


def test_failures_draws_no_failures_and_exports_none_where_nothing_could_be_checked():
    at = loaded("failures", "answers.csv", NO_REFERENCE)
    said = texts(at).replace("\\", "")
    assert "Not measured: " in said and "Not assessed" in said, said
    assert not charts(at) and "**Nothing to check**" not in texts(at) and "as a regression set" not in texts(at)


def test_a_fix_is_said_once_in_the_verdict_of_one_run():
    said = texts(loaded("overview", "answers.csv", NO_REFERENCE))
    assert "**What would change it:** Add a column with the right answers." in said
    assert said.count("Add a column with the right answers.") == 1


def test_failures_asks_for_answers_where_only_they_are_missing():
    rows = [f'{number},{config},{question},"{CONTEXTS.format(number)}",Gray granite.,{number / 10}'
            for config in ("x", "y") for number, question in enumerate(QUESTIONS)]
    table = "\n".join(["nr,config,question,contexts,reference,latency", *rows])
    at = loaded("failures", "noanswer.csv", table.encode())
    said = texts(at)
    assert "There are reference answers, but the runs have no answers to check against them" in said
    assert "add reference answers" not in said


def test_failures_says_what_is_measured_and_what_not_where_nothing_is_known():
    at = loaded("failures", "answers.csv", NO_REFERENCE)
    said = texts(at).replace("\\", "")
    assert "Not measured: at which step queries go wrong, and which answers are right." in said
    assert ("Measured anyway: how far the contexts support the answers, Support coverage. **dense** 1.000 (n = 24) and "
            "**hybrid**") in said
    assert "fails most often at" not in said and "first fix" not in said and "To fix Nothing to check" not in said


def test_labels_of_people_come_first_and_answers_without_one_are_counted_apart():
    """20 answers with a label, 3 of them right; 2 without one, by their words wrong; 2 questions without an answer."""
    rows = [f'{question},"{CONTEXTS.format(number)}",{"" if number > 21 else f"Granite {number}."},marble {number},'
            f'{"y" if number < 3 else "n" if number < 20 or number > 21 else ""}'
            for number, question in enumerate(QUESTIONS)]
    at = upload(opened("data"), ("thesis.csv", "\n".join(["Question,Contexts,Model output,Expected,Correct (y/n)",
                                                          *rows]).encode()))
    next(one for one in at.button if one.label == "Apply").click().run()
    said = texts(at.switch_page("pages/answers.py").run()).replace("\\", "")
    assert "**thesis** 15% " in said and "of 20 labeled answers (22 in all), by Correct (y/n) (file): people's" in said
    assert "It also counts 2 answers without a label, by the next rule that it names." in said
    said = texts(at.switch_page("pages/failures.py").run()).replace("\\", "")
    assert "**thesis**: first fix **Wrong answer**: 19 queries" in said and "Then **Nothing to check**" not in said
    said = texts(at.switch_page("pages/overview.py").run()).replace("\\", "")
    assert "undefined for every run" not in said


def test_a_wrong_answer_is_not_blamed_on_the_generator_where_retrieval_was_not_assessed():
    reference = table("answer,reference", {"x": "It is quartz.,granite", "y": "It is marble.,granite"})
    at = loaded("failures", "answers.csv", reference)
    (fix,) = (one.value for one in at.caption if "To fix Wrong answer in" in one.value)
    assert "retrieval was not assessed, so the cause may be retrieval or the generator" in fix
    assert "load the retrieved documents with their ids, and judgments of documents or evidence" in fix
    judged = Truth.from_records([{"query_id": f"q{number}", "relevant": [f"d{number}"], "answers": ["quartz"]}
                                 for number in range(24)], "truth")
    at = opened("failures", **address(judged, [ranked("dense")]))
    (fix,) = (one.value for one in at.caption if "To fix Wrong answer" in one.value)
    assert "the prompt or the model of the generator" in fix and "not assessed" not in fix


def test_menus_of_metrics_begin_with_those_that_can_be_measured():
    reference = table("answer,reference", {"x": "It is quartz.,granite", "y": "It is marble.,granite"})
    at = loaded("compare", "answers.csv", reference)
    menu = next(one.options for one in at.selectbox if one.label == "Metric")
    place = {name: next(row for row, option in enumerate(menu) if option.partition(" (needs")[0] == name)
             for name in ("Support coverage", "Correctness", "Precision@k", "Leak@k")}
    assert menu[0] == "Exact match"
    assert place["Support coverage"] < place["Correctness"] < min(place["Precision@k"], place["Leak@k"])
    columns = next(one.options for one in at.multiselect if one.label == "Metrics of the table")
    assert columns[0] == "Exact match"
    judged = Truth.from_records([{"query_id": f"q{number}", "relevant": [f"d{number}"]} for number in range(24)], "t")
    at = opened("compare", **address(judged, [ranked("dense")]))
    menu = [option.partition(" (needs")[0] for one in at.selectbox if one.label == "Metric" for option in one.options]
    assert menu[0] == "Precision@k" and menu.index("Support coverage") < menu.index("Exact match")


@pytest.mark.parametrize("head", ["config,query_id,question,contexts,answer,reference",
                                  "chatbot,number,question,contexts,answer,reference"])  # known, and asked about
def test_missing_answers_are_said_in_one_sentence_on_every_page(head):
    rows = [f'{config},{number},{question},"{CONTEXTS.format(number)}",'
            f'{"" if config == "y" and number < 12 else "Gray granite."},granite'
            for config in ("x", "y") for number, question in enumerate(QUESTIONS)]
    at = upload(opened("data"), ("half.csv", "\n".join([head, *rows]).encode()))
    if head.startswith("chatbot"):
        at = next(one for one in at.button if one.label == "Apply").click().run()
    sentence = "y has answers to 12 of 24 queries: answer metrics that ragdash computes leave out the other 12."
    for page in ("data", "overview", "answers", "failures"):
        assert sentence in texts(at.switch_page(f"pages/{page}.py").run()), page
        assert ("have no answer in the run" in texts(at)) is (page == "data"), "Data alone lists them too"
    is_known = not head.startswith("chatbot")  # there, one right answer to every question is not taken for a reference
    assert ("**Nothing to check**" in texts(at)) is is_known and ("Not measured: " in texts(at)) is not is_known
    assert "No ground truth" not in texts(at)


def test_failures_says_once_that_queries_lack_an_answer():
    rows = [f'bot,{number},{question},"{CONTEXTS.format(number)}",{"" if number < 2 else "Gray granite."},granite'
            for number, question in enumerate(QUESTIONS)]
    at = loaded("failures", "bot.csv", "\n".join([f"{HEAD},answer,reference", *rows]).encode())
    said = texts(at)
    assert "has answers to 22 of 24 queries" in said and "leaves out 2 of them" not in said


def test_share_offers_no_hybrid_of_runs_without_rankings():
    reference = table("answer,reference", {"x": "It is quartz.,granite", "y": "It is marble.,granite"})
    at = loaded("share", "answers.csv", reference)
    assert not at.exception and "Better hybrid" not in [one.proto.label for one in at.get("button_group")]
    judged = Truth.from_records([{"query_id": f"q{number}", "relevant": [f"d{number}"]} for number in range(24)], "t")
    at = opened("share", **address(judged, [ranked("dense"), ranked("other", latency_ms=5.0)]))
    assert "Better hybrid" in [one.proto.label for one in at.get("button_group")]


RAGAS = ("user_input,retrieved_contexts,response,reference,answer_relevancy,context_precision,context_recall,"
         "faithfulness\n" + "".join(
             f'What is {n}?,"[\'It is {n}.\']",It is {n}.,{n},0.{n},1.0,0.{9 - n},0.{n}\n' for n in range(1, 9)))


def test_scores_of_a_file_are_asked_for_what_their_name_says():
    at = loaded("answers", "ragas.csv", RAGAS.encode())
    tables = dict(zip([one.value for one in at.header], [one.value for one in at.table], strict=False))
    assert list(tables) == ["Right?", "Grounded?", "Relevant?", "Good contexts?"]
    assert "faithfulness" in " ".join(tables["Grounded?"].columns)
    assert not any("context" in column or "relevancy" in column
                   for name in ("Right?", "Grounded?") for column in tables[name].columns)


def test_where_references_exist_the_main_score_compares_with_them_and_faithfulness_gains_nothing_by_right_answers():
    at = loaded("overview", "ragas.csv", RAGAS.encode())
    assert widget(at, "selectbox", "metric").value == "TokenF1" and "Token F1" in at.header[0].value
    at = loaded("overview", "scores.csv", RAGAS.replace("reference,", "note,").encode())
    assert widget(at, "selectbox", "metric").value == "file:faithfulness", "nothing to compare with"
    wrong = RAGAS.replace("It is 1.", "It is unknown to me.")
    at = loaded("failures", "ragas.csv", wrong.encode())
    widget(at, "selectbox", "metric").set_value("file:faithfulness").run()
    assert "**Wrong answer**" in texts(at)
    assert "faithfulness (file) does not show whether answers are right" in texts(at).replace("\\", "")


def test_failures_says_when_an_answer_is_grounded_where_no_judge_has_said_it():
    at = loaded("failures", "ragas.csv", RAGAS.encode())
    assert "**Grounded** here: Support coverage is 0.8 or more. That is word overlap with the contexts." in texts(at)


OVERVIEW_LEAD = "How many answers are right?"


@pytest.mark.parametrize("labeled, leads", [(24, True), (12, True), (6, False)])
def test_overview_begins_with_the_labels_of_people_where_most_answers_have_one(labeled, leads):
    """As on Answers: labels of at least half the answers. Two of three labeled answers are right by them."""
    rows = [f"{number},{question},Gray granite.,granite,{0.5 + number / 100},"
            f"{('yes' if number % 3 else 'no') if number < labeled else ''}" for number, question in
            enumerate(QUESTIONS)]
    content = "\n".join(["id,question,answer,reference,answer_correctness,human_ok", *rows]).encode()
    at = loaded("overview", "bot.csv", content)
    said, headline = texts(at).replace("\\", ""), at.header[0].value.replace("\\", "")
    first = next(one.value for one in at.markdown if OVERVIEW_LEAD in one.value).replace("\\", "")
    rest = " (24 in all)" if labeled < 24 else ""
    assert said.index(OVERVIEW_LEAD) < said.index("answer_correctness")
    assert ("**bot** 67% [" in first and f"of {labeled} labeled answers{rest}, by human_ok" in first) is leads, first
    assert ("human_ok" in headline) is leads and ("answer_correctness" in headline) is not leads
    answers = texts(at.switch_page("pages/answers.py").run()).replace("\\", "")
    assert first in answers, "one sentence on both pages"


def test_overview_says_how_many_answers_are_right_by_grades_and_by_their_words():
    graded = "\n".join(["id,question,answer,verdict,latency_ms", *(
        f"{number},{question},Gray granite.,{('Correct', 'Incorrect', 'Refusal', 'Correct')[number % 4]},{number + 1}"
        for number, question in enumerate(QUESTIONS))]).encode()
    said = texts(loaded("overview", "bot.csv", graded)).replace("\\", "")
    assert f"{OVERVIEW_LEAD}** **bot** 50% [" in said and "of 24 labeled answers, by Share correct (verdict)" in said
    plain = table("answer,reference", {"bot": "Stone {0} is gray granite.,granite"})
    said = texts(loaded("overview", "plain.csv", plain)).replace("\\", "")
    assert f"{OVERVIEW_LEAD}** **bot** 100%" in said and "no person and no judge has checked them." in said


def test_overview_of_rankings_does_not_begin_with_answers_that_nobody_labeled():
    truth = Truth.from_records([{"query_id": f"q{number}", "relevant": [f"d{number}"], "answers": ["granite"]}
                                for number in range(24)], "truth")
    assert OVERVIEW_LEAD not in texts(opened("overview", **address(truth, [ranked("one"), ranked("two")])))


def test_a_card_has_no_dash_for_a_score_that_its_run_lacks():
    truth = Truth.from_records([{"query_id": f"q{number}", "relevant": [f"d{number}"]} for number in range(24)], "t")
    scores = FileScores.build([(f"q{number}", "one", "answer_correctness", number / 24) for number in range(24)])
    said = texts(opened("overview", **address(truth, [ranked("one").with_file_scores(scores), ranked("two")])))
    assert said.count("answer\\_correctness \\(file\\) 0.479") == 1 and "answer\\_correctness \\(file\\) –" not in said


def test_failures_goes_as_far_as_the_files_do_and_equal_grades_are_no_range():
    """Without answers the way ends at the relevant documents. All grades are 1."""
    truth = Truth.from_records([{"query_id": f"q{number}", "relevant": [f"d{number}"]} for number in range(24)], "t")
    bare = Run.from_dict({f"q{number}": [f"d{number}"] for number in range(24)}, "bare")
    at = opened("failures", **address(truth, [bare]))
    assert "From a query to its relevant documents" in [one.value for one in at.header]
    data = at.switch_page("pages/data.py").run()
    assert next(one.value for one in data.metric if one.label == "Grades") == "1"
    at = loaded("failures", "bot.csv", table("answer,reference", {"bot": "Stone {0} is gray granite.,granite"}))
    assert "From a query to a right answer" in [one.value for one in at.header]
