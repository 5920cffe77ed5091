"""Small parts of pages: headings, notes, what is cut."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from page_cases import address, charts, drawn, keys, opened, texts
from streamlit.testing.v1 import AppTest
from test_answers_page import opened as opened_answers
from test_pages import upload

from ragdash import read_runs, read_truth
from ragdash.core.records import Run, Truth
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.dashboard.pages.metrics.sections import latex_with_words
from ragdash.dashboard.widgets import elements
from ragdash.dashboard.widgets.texts import CELL, shortened, text_width, widths_of_later_texts
from ragdash.reporting.plots.common import margins

RUN = b"q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n"


def test_the_answers_page_draws_the_values_and_counts_the_contexts():
    assert "answer_spread" in charts(opened_answers("bad", answer_parts="Distribution and retrieval"))
    at = opened_answers("bad", query="q05", answer_parts="One by one")
    count = drawn(at).count("<li>")
    assert count and f"**Contexts** ({count})" in texts(at)


def test_a_file_with_the_content_of_a_loaded_one_is_named_and_not_added_again():
    at = upload(opened(), ("first.run", RUN))
    assert not at.info
    upload(at, ("second.run", RUN))
    (note,) = [one.value for one in at.info if "same content" in one.value]
    assert "second.run" in note and "It is not added a second time" in note
    assert len(at.session_state["_runs"]) == 1


def test_a_broken_file_does_not_say_that_what_was_loaded_is_still_here_where_nothing_was():
    broken = ("broken.jsonl", b'{"query_id": "q1", "retrieved": [\n')
    for files, is_named in (((broken,), False), ((("first.run", RUN), broken), True)):
        page_text = texts(upload(opened(), *files))
        assert "**broken.jsonl** could not be read." in page_text
        assert ("Everything loaded before is still here." in page_text) == is_named


def test_the_list_of_files_says_how_many_of_them_were_read_and_what_was_loaded_once():
    broken = ("broken.jsonl", b'{"query_id": "q1", "retrieved": [\n')
    other = ("other.jsonl", b'{"query_id": "q2", "retrieved": [\n')
    for files, title in (((broken,), "1 file not read"), ((broken, other), "2 files not read"),
                         ((("first.run", RUN),), "How 1 file was read"),
                         ((("first.run", RUN), broken, other), "How 1 of 3 files was read")):
        at = upload(opened(), *files)
        assert title in [fold.label for fold in at.expander]
        assert texts(at).count("Everything loaded before is still here.") == (len(files) == 3)


@pytest.mark.parametrize(("text", "shown"), [
    ("x" * CELL, "x" * CELL), ("x" * (CELL + 1), "x" * (CELL - 1) + "…"), ("a  b\n c", "a b c"), (None, None),
    ("x" + " " * 4 * CELL + "y", "x …"),
])
def test_a_text_in_a_table_is_cut_where_it_is_long(text, shown):
    assert shortened(text) == shown and CELL == 300


def problems_page() -> None:
    from ragdash.core.errors import Problem
    from ragdash.dashboard.widgets import elements

    many = [Problem("bad-number", {"value": str(line)}, "a.csv", line) for line in range(9)]
    elements.problems(many, "card", limit=4)
    capped = [*many[:5], Problem("bad-number", {"value": "x"}, "a.csv", 9, more=30)]
    elements.problems(capped, "capped", limit=4)
    elements.problems([Problem("bad-number", {"value": "x"}, f"{file}.csv", 1) for file in "bc"], "few", limit=2)
    elements.problems([Problem("bad-number", {"value": "x"}, f"{file}.csv", 1) for file in "def"], "files", limit=2)


def test_problems_that_are_alike_share_a_card_and_others_are_counted_and_folded_away():
    at = AppTest.from_function(problems_page).run()
    assert not at.exception and len(at.error) == 1 + 1 + 2 + 2
    assert [at.error[0].value.count(words) for words in ("**a.csv**", "Expected", ":material/build:", "found")] == [
        1, 1, 1, 4]
    assert "- line 3: found 3" in at.error[0].value and "**b.csv, line 1**" in at.error[2].value
    assert [one.label for one in at.expander] == ["5 more problems", "32 more problems", "1 more problem"]


def test_of_many_runs_the_first_have_cards_and_the_others_are_folded():
    truth = Truth.build("truth", ["q1"], ["a"], [1])
    many = [Run.build(f"run {at}", ["q1"] * 2, ["a", f"d{at}"], [2.0, 1.0]) for at in range(13)]
    at, every = opened(**address(truth, many)), opened(**address(truth, many), state={"more_runs": True})
    assert [sum(key.startswith("edit_") for key in keys(page, "popover")) for page in (at, every)] == [9, 13]
    assert "4 more runs" in [fold.label for fold in at.expander]


def test_of_many_runs_data_has_the_signs_of_the_other_pages():
    """The last run is the best, so that it has a color; the first of the others do not."""
    truth = Truth.build("truth", ["q1"], ["a"], [1])
    many = [Run.build(f"run {at}", ["q1"] * (10 - at), [*(f"before{rank}" for rank in range(9 - at)), "a"])
            for at in range(10)]
    data, compare = (opened(page, **address(truth, many), state={"more_runs": True}) for page in ("data", "overview"))
    signs = [{name: sign for sign, name in re.findall(r'(:color.\S+"})\s(run \d)\*\*', texts(page))}
             for page in (data, compare)]
    assert len(signs[0]) == 10 and len(signs[1]) == 6 and signs[1].items() <= signs[0].items()
    assert any("The five best runs and the baseline have colors" in one.value for one in data.caption)


def test_settings_of_a_run_are_told_apart_though_they_have_commas_and_a_date_stays_on_its_line():
    run = Run.build("dense", ["q1"], ["d1"], [1.0], settings={"retriever": "MiniLM, cosine", "top_k": 30})
    truth = Truth.build("truth", ["q1"], ["d1"], [1])
    at = opened("data", **address(truth, [run]))
    [line] = [one.value for one in at.caption if "MiniLM" in one.value]
    assert line.replace("\\", "").replace("\u00a0", " ").startswith("retriever: MiniLM, cosine · top_k: 30")


def test_what_a_page_offers_for_one_run_does_not_speak_of_all_runs():
    labels = [[one.proto.label for one in opened_answers(*names, answer_parts="One by one").get("page_link")]
              for names in (["good"], ["good", "bad"])]
    assert ["All runs side by side for these queries" in one for one in labels] == [False, True]


def test_the_first_column_leaves_room_for_the_others_on_a_phone():
    ids = [f"a-very-long-identifier-of-a-query-{number}-of-a-set" for number in (1, 2)]
    short, long = (pd.DataFrame({"Query": texts, "Mean": [0.5, 0.25]}) for texts in (["q1", "q2"], ids))
    assert elements._first_width(short["Query"]) is None and elements._short_texts(short, {}) == {}
    assert elements._first_width(long["Query"]) == elements.small_screen.FIRST_COLUMN < 390 / 2
    written = [elements._short_texts(long, {})["Query"](text) for text in ids]
    assert len(set(written)) == 2 and all(
        text_width([text]) <= elements.small_screen.FIRST_COLUMN for text in written)
    runs = ["colbert-v2.1-chunk1024-overlap128-top10", "e5-large-v2-chunk512-top30"]
    written = elements._short_texts(pd.DataFrame({"Run": runs, "Mean": [0.5, 0.25]}), {})["Run"]
    assert [written(run) for run in runs] == short_names(runs, NARROW_NAME), "as short as elsewhere on the page"
    alike = [*(f"bge-m3-multi-vector-reranked-chunk256-top{depth}" for depth in (10, 30)), *runs]
    short, of_two = short_names(alike, NARROW_NAME), short_names(alike[:2], NARROW_NAME)
    written = elements._short_texts(pd.DataFrame({"Run": alike[:2], "Mean": [0.5, 0.25]}), {}, alike)["Run"]
    assert [written(run) for run in alike[:2]] == short[:2] != of_two, "also in a table of some of its runs"


def test_short_names_of_runs_that_are_alike_have_room_in_the_first_column():
    """The sign for what is left out is as wide as two letters."""
    names = ["hybr…r-chunk256…t…op10)", "hybr…r-chunk512…t…op10)"]
    assert elements._first_width(pd.Series(names, name="Run")) >= margins.text_width(names[0], 14) + 16


def test_a_text_that_a_cell_has_no_room_for_ends_after_a_word_there_and_stays_whole_in_the_table():
    question = "How long does a cold brew steep, and could you please explain it to a beginner?"
    table = pd.DataFrame({"Query": ["q1", "q2"], "Question": [question, None], "Answer": ["12 hours", question * 2]})
    written = elements._short_texts(table, {"Question": 200})
    assert written["Question"](question) == "How long does a cold brew …" and written["Question"](None) == "–"
    assert written["Answer"]("12 hours") == "12 hours" and written["Answer"](question * 2).endswith(" …")
    assert table["Question"][0] == question


def test_a_cell_has_as_many_words_as_its_pixels_have_room_for():
    """By the widths of letters: narrow ones leave room for more, wide ones need more."""
    narrow, wide, foreign = "a little till " * 20, "WWW MMM " * 20, "漢字 " * 60
    table = pd.DataFrame({"Query": ["q1"], "Question": [narrow], "Answer": [wide], "Reference": [foreign]})
    written = elements._short_texts(table, dict.fromkeys(table, 300))
    lengths = {}
    for name in ("Question", "Answer", "Reference"):
        text = written[name](table[name][0])
        lengths[name] = len(text)
        assert 300 - 18 - 60 < margins.text_width(text, 14) <= 300 - 16 and text.endswith(" …"), name
    assert lengths["Question"] > 55 > 30 > lengths["Answer"] > lengths["Reference"]


def test_a_column_whose_widest_text_is_far_below_is_wide_enough_for_it():
    """Streamlit measures the first ten rows; a text without a blank would be cut within a word."""
    long = "rrf-bm25-bge-small-en-v1.5"
    table = pd.DataFrame({"Run": [f"r{row}" for row in range(12)], "retriever": [*["bm25"] * 11, long],
                          "reranker": ["rerank-bge-v2", *["none"] * 11], "n": [110] * 12})
    assert widths_of_later_texts(table) == {"retriever": text_width([long])}
    upside_down = table.iloc[::-1].reset_index(drop=True)
    assert widths_of_later_texts(upside_down) == {"reranker": text_width(["rerank-bge-v2"])}
    assert widths_of_later_texts(table[:10]) == {}


def test_a_metric_that_needs_what_is_not_loaded_says_so_and_comes_last():
    rows = "config,query_id,query,answer,reference\n" + "".join(
        f"{bot},q{query},Who?,She {bot}.,She.\n" for bot in "ab" for query in range(3))
    content = ("bots.csv", rows.encode())
    at = opened("overview", **address(read_truth(content), read_runs(content)))
    (menu,) = [box.options for box in at.sidebar.selectbox if box.label == "Metric"]
    needy = [place for place, title in enumerate(menu) if "(needs " in title]
    assert "NDCG@k (needs judgments)" in menu and "Token F1" in menu
    assert needy == list(range(needy[0], len(menu)))
    at.selectbox(key="metric").set_value("nDCG@k").run()
    (menu,) = [box.options for box in at.sidebar.selectbox if box.label == "Metric"]
    assert "NDCG@k" in menu and "Needs judgments." in [one.value for one in at.sidebar.caption], "not cut there"


@pytest.mark.parametrize(("total", "words"), [(2, "1 shown, 1 hidden"), (4, "1 shown, 3 hidden")])
def test_the_sidebar_says_how_many_runs_are_hidden(total, words):
    truth = Truth.build("truth", ["q1", "q2"], ["a", "a"], [1, 1])
    runs = [Run.build(f"run {at}", ["q1", "q2"], ["a", f"d{at}"], [1.0, 1.0]) for at in range(total)]
    every, first = opened(**address(truth, runs)), opened(**address(truth, runs), state={"shown": [runs[0].digest]})

    def sidebar(at):
        labels = [one.proto.popover.label for one in at.sidebar.get("popover")]
        return [*labels, *(one.value for one in at.sidebar.caption)]

    assert words in sidebar(first) and "hidden" not in " ".join(sidebar(every))


def test_words_of_the_field_are_explained_where_a_sentence_uses_them():
    truth = Truth.build("truth", ["q1", "q2"], ["a", "a"], [1, 1])
    runs = [Run.build(name, ["q1", "q2"], list(docs), [1.0, 1.0]) for name, docs in (("old", "ab"), ("new", "ba"))]
    at = opened("compare", **address(truth, runs))
    headline = next(block for block in at.markdown if "NDCG@10" in block.value)
    assert "**NDCG@10**: " in headline.proto.help


def test_negative_numbers_of_a_table_have_a_minus_sign():
    table = pd.DataFrame({"Run": ["a", "b"], "Difference": [-0.5, 0.25], "Mean": [0.5, 0.25], "Share": [-0.5, 0.5]})
    texts_of = elements._texts_of_negative(table, {"Difference": "%+.3f", "Mean": "%.3f", "Share": elements.PERCENT})
    assert {name: [write(value) for value in table[name]] for name, write in texts_of.items()} == {
        "Difference": ["\u22120.500", "+0.250"]}
    assert not elements._texts_of_negative(pd.concat([table] * 2), {"Difference": "%+.3f"}), "rows with one index"


@pytest.mark.parametrize(("most", "height"), [(300, 290), (370, 360), (290, 290), (38 + 35 * 3, 38 + 35 * 3)])
def test_no_row_at_the_end_of_a_table_is_cut_in_half(most, height):
    assert elements._whole_rows(most) == height


def test_names_in_a_formula_are_upright_and_text_stays_as_it_is():
    assert latex_with_words(r"nDCG@k = \frac{DCG@k}{\text{ideal } DCG@k}") == (
        r"\text{nDCG}@k = \frac{\text{DCG}@k}{\text{ideal } \text{DCG}@k}")


def test_a_column_as_wide_as_its_text_does_not_shorten_it():
    for text in ("Not found and wrong, declined", *("x" * length for length in range(1, 60))):
        table = pd.DataFrame({"Query": ["q1"], "Kind": [text]})
        assert "Kind" not in elements._short_texts(table, {"Kind": text_width([text])}), text
