"""Answers: who answers best, what is unavailable and why, counts that equal the rows they show, marks, the address."""

from __future__ import annotations

import json

import numpy as np
import page_cases
import pyarrow as pa
import pytest
from judged_cases import judge
from page_cases import address, asked, drawn, texts, widget
from streamlit.testing.v1 import AppTest

from ragdash.analysis.diagnosis import Declined
from ragdash.core.file_scores import FileScores
from ragdash.core.records import Conventions, Run, Truth
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.dashboard.pages.answers import data as answers_data
from ragdash.dashboard.session.data_store import LOADED
from ragdash.dashboard.session.scope import Scope
from ragdash.dashboard.widgets import answer_html, elements
from ragdash.dashboard.widgets.texts import LONGEST
from ragdash.models.judge.tasks.policy import Policy, save_policy
from ragdash.reporting.plots.common.theme import LIGHT

QUERIES = 24
IDS = [f"q{at:02}" for at in range(QUERIES)]
CONTEXT = "The Eagle landed in the Sea of Tranquility."
BARE = 20  # from here on no reference is known


def built(name: str, answers: list[str | None] | None, *, contexts: bool = True, texts: bool = False) -> Run:
    """A run that finds the document of every query but each third."""
    docs = [["x", "a"] if at % 3 else ["x", "y"] for at in range(QUERIES)]
    rows = [(query, doc, 2.0 - rank) for query, own in zip(IDS, docs, strict=True) for rank, doc in enumerate(own)]
    columns = {"query_id": IDS}
    if answers is not None:
        columns["answer"] = answers
    if contexts:
        columns["contexts"] = [[CONTEXT]] * QUERIES
    return Run.build(name, *map(list, zip(*rows, strict=True)), details=pa.table(columns),
                     texts=[CONTEXT] * len(rows) if texts else None)


def the_truth(references: bool = True) -> Truth:
    columns = {"query_id": IDS, "query": [f"question {at}?" for at in range(QUERIES)]}
    if references:
        columns["answers"] = [["Sea of Tranquility"] if at < BARE else [] for at in range(QUERIES)]
    return Truth.build("truth", IDS, ["a"] * QUERIES, np.ones(QUERIES, int), details=pa.table(columns))


def runs() -> dict[str, Run]:
    """good: right on the first 10, then wrong, q12 and q22 declined; bad: always wrong, with a number of its own."""
    good = ["the Sea of Tranquility" if at < 10 else "landed" for at in range(QUERIES)]
    good[12] = good[22] = "I don't know."
    return {"good": built("good", good), "bad": built("bad", ["Moscow in 1974 <b>"] * QUERIES),
            "near": built("near", ["Sea of Storms"] * QUERIES), "mute": built("mute", None),
            "texts": built("texts", good, contexts=False, texts=True)}


def opened(*names: str, truth: Truth | None = None, **more) -> AppTest:
    known = runs()
    return page_cases.opened("answers", **address(truth or the_truth(), [known[name] for name in names], **more))


BROWSER, SPREAD = {"answer_parts": "One by one"}, {"answer_parts": "Distribution and retrieval"}


def counts(at: AppTest) -> dict[str, int]:
    return {option.rpartition(" ")[0]: int(option.rpartition(" ")[2].replace(",", ""))
            for option in widget(at, "button_group", "kind").options}


def test_the_best_run_is_named_with_what_it_can_be_told_apart_from():
    at = opened("bad", "good")
    said = texts(at)
    assert "**good** has the highest Token F1" in said and "**bad** (−" in said.replace("\\", "")
    assert said.index("highest Token F1") < said.index("highest Support coverage"), "right comes before grounded"
    assert "Token F1 is word overlap with the references" in said and "overlap with the contexts" in said
    right, grounded = (one.value for one in at.table)
    assert "best" in right["Run"][0] and "good" in grounded["Run"][0]
    column = next(name for name in grounded.columns if name.startswith("Unsupported words"))
    assert "▲ better −" in grounded[column][0].replace("\u00a0", " ").replace("\\", ""), "lower is better"


def test_of_many_runs_the_metrics_of_the_sentences_are_tested_until_all_are_asked_for():
    answers = [["Sea of Tranquility" if at % (turn + 2) else "landed" for at in range(QUERIES)] for turn in range(11)]
    at = page_cases.opened("answers", **address(the_truth(), [
        built(f"run{turn:02}", texts) for turn, texts in enumerate(answers)]))
    limited = "Differences of Token F1 and Support coverage are tested."

    def tested() -> set[str]:
        return {name.partition(" ")[0] for table in at.table for name in table.value.columns
                if any("p = " in cell.replace("\u00a0", " ") for cell in table.value[name])}

    assert limited in texts(at) and tested() == {"Support", "Token"}
    widget(at, "toggle", "_answers_tested").set_value(True).run()
    assert limited not in texts(at) and {"Support", "Token", "ROUGE\\-L", "Exact"} <= tested()


def test_the_metric_of_the_sidebar_is_shown_and_asked_about_until_another_is_chosen_here():
    for run in ("good", "bad"):
        judge(runs()[run], the_truth(), "Faithfulness")
    at = opened("good", "bad", metric="Faithfulness")
    assert widget(at, "selectbox", "answer").value == "Faithfulness" and "highest Faithfulness" in texts(at)
    assert [name.split(" ")[0] for name in at.table[0].value.columns] == ["Run", "Faithfulness"]
    assert "best" in str(at.table[0].value["Run"].tolist()), "the table that it stands in says who is best"
    assert not any("best" in str(one.value["Run"].tolist()) for one in at.table[1:])
    widget(at, "selectbox", "answer").set_value("EM").run()
    assert "highest Exact match" in texts(at) and len(at.table) == 3, "the sidebar's metric stays in the tables"
    at.run()
    assert widget(at, "selectbox", "answer").value == "EM"
    widget(at, "selectbox", "metric").set_value("SupportCoverage").run()
    assert widget(at, "selectbox", "answer").value == "SupportCoverage" and len(at.table) == 3, "the judge's stay too"
    widget(at, "selectbox", "metric").set_value("nDCG@k").run()
    assert widget(at, "selectbox", "answer").value == "SupportCoverage", "a metric of documents is not shown here"


def test_scores_of_the_judge_are_in_the_tables_with_the_means_of_its_tab_and_new_ones_appear_at_once():
    known, truth = runs(), the_truth()
    judge(known["good"], truth, "Faithfulness")
    at = opened("good", "bad")
    table = next(table for table in at.table if "LLM judge" in table.proto.alt).value
    (title,) = (name for name in table.columns if name.startswith("Faithfulness"))
    tab = page_cases.opened("answers/judge", **address(truth, [known["good"], known["bad"]]))
    results = next(frame.value for frame in tab.dataframe if "Judged metric" in frame.value)
    mean = results.set_index("Judged metric").loc["Faithfulness", "Mean"]
    assert f"**{mean:.3f}**" in next(cell for cell in table[title] if "**" in cell)
    assert "highest mean" not in str(table["Run"].tolist()), "no other run has a mean"
    assert "Faithfulness: verdicts of **toy" in texts(at)
    assert "Reasons, cost and validation of the judge" in [link.proto.label for link in at.get("page_link")]
    judge(known["good"], truth, "Correctness")
    assert "Correctness" in widget(at.run(), "multiselect", "answers").value
    widget(at, "multiselect", "answers").set_value(["EM", "Faithfulness"]).run()
    assert "The judge has also scored Correctness: add it under" in texts(at)
    assert widget(at, "multiselect", "answers").value == ["EM", "Faithfulness"], "a choice stays"


def test_the_overview_names_the_judge_of_its_metric_and_what_its_interval_leaves_out():
    for run in ("good", "bad"):
        judge(runs()[run], the_truth(), "Faithfulness")
    known = runs()
    at = page_cases.opened("overview", **address(the_truth(), [known["good"], known["bad"]], metric="Faithfulness"))
    assert "Faithfulness is 0.500" in " ".join(one.value for one in (*at.header, *at.subheader))
    assert "Faithfulness: verdicts of **toy" in texts(at) and "sampling only" in texts(at)


@pytest.mark.parametrize("page", ["overview", "compare"])
def test_a_result_on_common_words_says_so_where_it_is_read(page):
    known = runs()
    at = page_cases.opened(page, **address(the_truth(), [known["good"], known["bad"]], metric="TokenF1"))
    assert "Token F1 is word overlap with the references: in free prose" in texts(at)
    at = page_cases.opened(page, **address(the_truth(), [known["good"], known["bad"]], metric="EM"))
    assert "word overlap" not in texts(at)


def test_a_policy_takes_the_metric_of_the_sentence_away_and_its_end_brings_it_back():
    for run in ("good", "bad"):
        judge(runs()[run], the_truth(), "Correctness")
    at = opened("good", "bad")
    assert "highest Correctness" in texts(at)
    assert "A judge gave these scores. Judge validation shows how often it is wrong." in texts(at)
    save_policy(Policy("right", "between", "wrong", "right"))
    assert "highest Correctness" not in texts(at.run())
    assert "without a policy: 40 verdicts" in texts(at)
    widget(at, "button", "policy_to_None").click().run()
    assert "highest Correctness" in texts(at), "the sentence is about it again"
    save_policy(Policy("right", "between", "wrong", "right"))
    widget(at.run(), "selectbox", "answer").set_value("EM").run()
    save_policy(None)
    assert "highest Exact match" in texts(at.run()), "what was chosen meanwhile stays"


def test_a_link_keeps_its_own_answer_metric_and_a_metric_without_values_is_not_asked_about():
    assert widget(opened("good", "bad", metric="SupportCoverage", answer="EM"), "selectbox", "answer").value == "EM"
    at = opened("good", "bad", metric="Correctness")
    assert widget(at, "selectbox", "answer").value == "TokenF1"
    assert any("Correctness" in one.value.columns for one in at.table)


def test_labels_of_the_files_come_first():
    known, declines = runs(), 6
    references = [["Sea of Tranquility"] if at < QUERIES - declines else ["I don't know."] for at in range(QUERIES)]
    truth = Truth.build("truth", IDS, ["a"] * QUERIES, np.ones(QUERIES, int),
                        details=pa.table({"query_id": IDS, "answers": references}))
    labels = {"good": ["Correct"] * 18 + ["Refusal"] * 6, "bad": ["Incorrect"] * 20 + ["Correct"] * 4}
    labeled = [known[name].with_file_scores(FileScores.build(
        [(query, name, "verdict", label) for query, label in zip(IDS, given, strict=True)]))
        for name, given in labels.items()]
    at = page_cases.opened("answers", **address(truth, labeled))
    said = texts(at)
    first = "**good** has the highest share correct \\(verdict\\)"
    assert said.index(first) < said.index("highest Support coverage")
    assert [header.value for header in at.header][:1] == ["Labels from the files"]
    assert widget(at, "multiselect", "answers").value[0] == "file:verdict(label='Correct')"
    board = at.table[0].value.replace("\u00a0", " ", regex=True)
    right = dict(zip(board["Run"].str.extract(r"(good|bad)")[0], board["*Right* (verdict)"], strict=True))
    assert right == {"good": "**1.000** :gray[n = 24]  \n:gray[6 right refusals]",
                     "bad": f"**{4 / 24:.3f}** :gray[n = 24]  \n:gray[0 right refusals]"}
    assert "*Right* is how Failures counts" in said
    assert said.index("How many answers are right?") < said.index("has the highest"), "the number comes first"
    shares = "Of 24 labeled answers each: **good** 100% [86%, 100%] and **bad** 17% [4%, 33%]"
    assert f"{shares}, by Share correct (verdict)" in said.replace("\\", "").replace("\u00a0", " ")
    assert "good has 24 of 24 answers right (8 of them where another step fails), 0 wrong." in said
    assert "bad has 4 of 24 answers right" in said
    failures = page_cases.opened("failures", **address(truth, labeled, look="bad"))
    assert "**bad** has 4 of 24 answers right" in texts(failures), "the same count on both pages"


def test_scores_of_other_tools_are_in_the_tables_of_what_their_names_say():
    """Recall of a ranking and the latency are none of answers; a label is in its own table."""
    columns = {"faithfulness": 0.75, "answer_relevancy": 0.5, "context_recall": 1.0, "mrr": 0.25, "latency": 0.1,
               "verdict": "Correct"}
    rows = [(query, "good", column, value) for query in IDS for column, value in columns.items()]
    at = page_cases.opened("answers", **address(the_truth(), [runs()["good"].with_file_scores(FileScores.build(rows))]))
    words = {table.proto.alt.partition("? ")[0]: " ".join(table.value.columns) for table in at.table}
    tables = {name: text.replace("\u00a0", " ").replace("\\", "") for name, text in words.items()}
    assert all(name in tables["Grounded"] for name in ("faithfulness (file)", "Support cov"))
    assert "Token F1" in tables["Right"] and not any("(file)" in one for one in tables["Right"].split(" (n"))
    assert "answer_relevancy (file)" in tables["Relevant"] and "context_recall (file)" in tables["Good contexts"]
    assert "context_recall (file)" not in tables["Grounded"]
    labels, = (text for name, text in tables.items() if name.startswith("Labels from the files"))
    assert labels.count("(verdict)") == 1 and "Share correct (verdict)" in labels and "(file)" not in labels
    assert not any(name in text for name in ("mrr", "latency") for text in tables.values())


def test_refusals_are_counted_apart():
    at = opened("good", "bad")
    column = dict(zip(("good", "bad"), at.table[0].value["Declined"], strict=True))
    assert column["good"].replace("\u00a0", " ") == "**2** :gray[of 24]  \n:gray[2 wrongly]"
    assert "**0**" in column["bad"]
    assert "Under Grounded they are left out: they state nothing" in texts(at)
    assert ("good declines in 2 of 24 answers: 2 wrongly (1 at **Declined needlessly**, 1 at an earlier "
            "stage).") in texts(at)


def test_the_counts_of_the_filter_are_the_rows_that_it_shows():
    expected = {"All": 24, "Found and right": 6, "Not found and right": 4, "Found and wrong": 7,
                "Not found and wrong": 3, "Cannot be said": 4, "Declined": 2}
    assert counts(opened("good", "bad", look="good", **BROWSER)) == expected
    for kind, title in {"all": "All", **{name: title for name, (title, _, _) in answers_data.QUADRANTS.items()},
                        "unknown": "Cannot be said", "declined": "Declined"}.items():
        at = opened("good", "bad", look="good", kind=kind, **BROWSER)
        rows = at.dataframe[-1].value
        assert len(rows) == expected[title]
        if kind not in ("all", "declined"):
            assert rows["Kind"].str.startswith(title).all()


def test_right_may_begin_at_another_band():
    """Two of three words of "Sea of Storms" are right: 0.667 is good, and not excellent."""
    edges = answers_data.bands_by_label()
    assert edges["good"].low <= 2 / 3 < edges["excellent"].low
    assert counts(opened("near", **BROWSER))["Found and right"] == 13
    at = opened("near", **SPREAD)
    assert widget(at, "selectbox", "right").value == "good"
    assert widget(at, "selectbox", "right").label == "Least Token F1, where no other rule decides"
    widget(at, "selectbox", "right").set_value("excellent").run()
    assert asked(at, "right") == ["excellent"]
    at.session_state["answer_parts"] = "One by one"
    at.run()
    assert counts(at)["Found and right"] == 0 and counts(at)["Found and wrong"] == 13


def test_the_worst_answer_comes_first_and_undefined_ones_last():
    rows = opened("good", answer="TokenF1", **BROWSER).dataframe[-1].value
    values = rows["Token F1"].to_numpy()
    assert values[0] == 0 and (np.diff(values[:BARE]) >= 0).all() and np.isnan(values[BARE:]).all()
    values = opened("good", answer="HallucinationRate", **BROWSER).dataframe[-1].value["Unsupported words"].to_numpy()
    assert np.isnan(values[-2:]).all(), "the two refusals"
    assert (np.diff(values[:-2]) <= 0).all()


def test_the_chosen_answer_is_shown_with_marks_and_its_numbers_named():
    at = opened("bad", query="q05", **BROWSER)
    assert "q05" in at.subheader[0].value and "question 5" in at.subheader[0].value
    page = drawn(at)
    assert page.count("<mark") == 3 and "1974</mark>" in page and "&lt;<mark" in page and "<b>" not in page
    assert "Sea of Tranquility" in page
    said = texts(at).replace("\\", "")
    assert "Numbers that no context contains (box): “1974”." in said and "In no context (dotted line): “Moscow”" in said
    widget(at, "button", "answer_next").click().run()
    assert asked(at, "query") == ["q06"] and "q06" in at.subheader[0].value


def test_texts_that_stand_in_for_contexts_are_said_so():
    said = texts(opened("texts", "good"))
    assert "texts: the contexts are not known" in said
    assert "They are used as contexts, because the run has none" in texts(opened("texts", "good", **BROWSER))
    assert "They are used as contexts" not in texts(opened("good", "bad", **BROWSER))
    assert "they do not see word order, negations and paraphrases" in said


def test_a_run_without_answers_is_a_dash_with_its_reason_told_once():
    at = opened("good", "mute")
    row = at.table[0].value.iloc[-1]
    assert "mute" in row["Run"] and "level" not in row["Run"] and row.iloc[1] == "– :gray[no answers]"
    assert texts(at).count("mute has answers to none of 24 queries. Give the run a column answer.") == 1
    assert "**mute**: no answers" not in texts(at)
    at = opened("good", "mute", **BROWSER)
    assert not [one for one in at.selectbox if one.key == "look"], "only one run has answers to read"


def test_pictures_of_answers_are_of_runs_that_have_some_whatever_the_baseline_is():
    at = opened("mute", "good", "near", **SPREAD)
    spread = page_cases.charts(at)["answer_spread"]["layout"]["yaxis"]["ticktext"]
    assert [text.rpartition("</span> ")[2].strip() for text in spread] == ["good", "near"]
    assert any(one.value == "Do better documents go with better answers? good" for one in at.header)
    assert "Closest: " in texts(at) and "No query has both" not in texts(at)


@pytest.mark.parametrize("tab", [SPREAD, BROWSER])
def test_pictures_and_texts_are_one_below_the_other_on_a_narrow_screen(tab):
    """Next to the sidebar of a screen of 1,024 pixels, two columns would have 250 each."""
    grids = [grid.proto for grid in opened("good", **tab).main.get("grid")]
    assert (2, elements.COLUMN) in [(grid.columns, grid.min_column_width_px) for grid in grids] and grids[0].wrap


def test_of_many_runs_without_answers_some_are_named_and_the_rest_counted():
    mute = [Run.build(f"mute{number}", IDS, [f"d{number}"] * QUERIES, [1.0] * QUERIES) for number in range(6)]
    at = page_cases.opened("answers", **address(the_truth(), [*mute, runs()["good"]], **SPREAD))
    said = texts(at)
    once = "mute0, mute1, mute2 and 3 more have answers to none of 24 queries. Give the run a column answer."
    assert once in said
    assert "Not assessed: **mute0**, **mute1**, **mute2** and 3 more have no answers." in said
    link = address(the_truth(), [*mute, runs()["good"]])
    means = texts(page_cases.opened("answers", **link))
    assert once in means and "more: no answers." not in means, "it is said once"
    assert "Below it the difference" not in means, "the baseline, mute0, has no value to compare with"
    assert "Below it the difference to **good**, the baseline" in texts(opened("good", "mute"))


def test_no_answers_at_all_says_what_to_load():
    at = opened("mute")
    assert [one.value for one in at.header] == ["No answers are loaded"]
    assert "column answer" in texts(at) and not at.table


def test_without_references_grounding_alone_is_measured():
    at = opened("good", "bad", truth=the_truth(references=False))
    assert widget(at, "selectbox", "answer").value == "SupportCoverage"
    said = texts(at)
    assert "**good** has the highest Support coverage" in said and said.count("No reference answers, so") == 1
    assert "right answers" in said
    spread = opened("good", "bad", truth=the_truth(references=False), **SPREAD)
    assert "Nothing shows which answers are right" in texts(spread)


def test_choices_are_in_the_address():
    at = opened("good", "bad", look="bad", answer="ROUGE_L", kind="found_wrong", answers=["ROUGE_L", "EM"])
    assert asked(at, "answer") == ["ROUGE_L"] and asked(at, "kind") == ["found_wrong"]
    assert asked(at, "answer_parts") == ["One by one"], "a link to answers of one kind opens the tab that lists them"
    assert asked(at, "answers") == ["ROUGE_L", "EM"]
    assert asked(at, "look") == ["1"]
    assert r"has the highest ROUGE\-L" in texts(at)


@pytest.mark.parametrize(("declined", "expected"), [
    ((0, 0, 0, 0, 0, 0), "–"), ((0, 0, 0, 0, 0, 1), "**0** :gray[of 1]"),
    ((1, 0, 0, 0, 1, 2), "**1** :gray[of 2]  \n:gray[1 unknown]"),
    ((6, 2, 1, 3, 0, 9), "**6** :gray[of 9]  \n:gray[2 rightly]  \n:gray[4 wrongly]")])
def test_declined_answers_of_none_are_undefined_and_not_0(declined, expected):
    assert answer_html.declined_cell(Declined(*declined)).replace("\u00a0", " ") == expected


@pytest.mark.parametrize("wordless", [0, 1, 3])
def test_fewer_declined_answers_than_answers_have_a_reason(wordless):
    """An answer without a letter or a digit neither declines nor says anything."""
    run = built("dots", ["."] * wordless + ["landed"] * (QUERIES - wordless))
    at = page_cases.opened("answers", **address(the_truth(), [run]))
    said = texts(at)
    assert (f"dots: {wordless} of {QUERIES} answers {'has' if wordless == 1 else 'have'} no letter and no digit" in
            said) is bool(wordless)
    (cells,) = [table.value["Declined"].tolist() for table in at.table if "Declined" in table.value]
    assert cells == [f"**0**\u00a0:gray[of\u00a0{QUERIES - wordless}]"]


@pytest.mark.parametrize(("columns", "expected"), [
    (None, [None] * 2), ({"answers": [["a"], ["b"]]}, [None] * 2), ({"query": ["one?", None]}, ["one?", None])])
def test_the_questions_of_a_run_without_answers_are_those_of_the_truth_where_it_has_any(columns, expected):
    ids = ["q1", "q2"]
    truth = Truth.build("truth", ids, ["a"] * 2, np.ones(2, int),
                        details=None if columns is None else pa.table({"query_id": ids, **columns}))
    run = Run.build("mute", ids, ["a", "b"], np.ones(2))
    scope = Scope(LOADED.put(truth), Conventions())
    known = answers_data.read_answer_texts(LOADED.put(run), scope)
    assert (list(known.ids), list(known.questions)) == (ids, expected)
    assert known.answers == known.contexts == (None, None)


def test_marks_do_not_overlap_and_long_answers_are_cut():
    answer = "It was 4,213 km & <i>more</i>"
    page = answer_html.marked_answer(answer, [(7, 12), (20, 21)], [(7, 12)], LIGHT)
    assert page.count("<mark") == 2 and "border:2px" in page and "&amp; &lt;" in page
    long = answer_html.marked_answer("word " * 300_000, [(0, 4), (1_000_000, 1_000_004)], [], LIGHT)
    assert long.count("<mark") == 1 and len(long) < LONGEST + 1_000


def test_long_names_are_as_short_as_on_other_pages():
    """In the sentences and in the tables, where a long name would run into the numbers on a phone."""
    known = runs()
    shared = "a_long_name_that_the_runs_share_before_the_setting"
    long = [known[name].renamed(f"{shared}_{name}") for name in ("good", "bad")]
    at = page_cases.opened("answers", **address(the_truth(), long))
    assert "How many answers are right?** Of 20 answers each: **setting" in texts(at).replace("\\", "")
    assert not any("a_long_name" in cell.replace("\\", "") for cell in at.table[0].value["Run"])
    assert "**a_long_name" not in texts(at).replace("\\", "")
    bare = built("another_name_that_is_as_long_as_this_one_is", None)
    part = page_cases.opened("answers", **address(the_truth(), [*long, bare], **SPREAD))
    short = short_names([run.name for run in (*long, bare)], NARROW_NAME)
    for key in ("answer_spread", "answer_kinds"):
        drawn = json.dumps(page_cases.charts(part)[key]["layout"]["yaxis"], ensure_ascii=False)
        assert all(name in drawn for name in short[:2]), "a picture without some runs has the short names of the page"


@pytest.mark.parametrize(("answer", "words"), [
    ("The passages do not say which machine it was.", "It declines to answer, so there is nothing to support."),
    ("It was the big machine.", "In no context (dotted line): “big”."), (None, "")])
def test_words_of_an_answer_that_declines_are_not_marked(answer, words):
    page, note = answer_html.answer_support(answer, ["It was the machine."], "Which machine was it?", LIGHT)
    assert note == words and ("<mark" in page) == ("big" in words)
