"""Leaderboard and Compare: verdicts, counts that equal the rows they show, slices, the address."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import page_cases
import pyarrow as pa
import pytest
from page_cases import address, asked, charts, leaderboard, listed, opened, shown, texts, widget

from ragdash import read_run, read_truth
from ragdash.core.file_scores import FileScores
from ragdash.core.records import Run, Truth
from ragdash.core.text.short_names import NARROW_NAME, PAGE_NAME, short_names
from ragdash.dashboard import page_context
from ragdash.dashboard.components import leaderboard_table, run_picker
from ragdash.dashboard.pages.compare import leaderboard as compare_leaderboard
from ragdash.dashboard.pages.compare import pairwise
from ragdash.dashboard.widgets import row_list
from ragdash.evaluation.evaluate import evaluate

QUERIES = 40


def runs_and_truth() -> tuple[list[Run], Truth]:
    """old; new: better on the first 20 queries, worse on 4, equal on 16; same: as old. Queries are hard or easy."""
    ids = [f"q{at:02}" for at in range(QUERIES)]
    details = pa.table({"query_id": ids, "query": [f"question {at}?" for at in range(QUERIES)], "attributes": [
        json.dumps({"kind": "hard" if at < 20 else "easy"}) for at in range(QUERIES)]})
    truth = Truth.build("truth", ids, ["a"] * QUERIES, np.ones(QUERIES, int), details=details)
    ranks = {"old": [3 if at < 20 else 1 for at in range(QUERIES)],
             "new": [1 if at < 20 else 2 if at < 24 else 1 for at in range(QUERIES)]}
    ranks["same"] = ranks["old"]
    built = []
    for name, places in ranks.items():
        rows = [(query, doc, 10.0 - rank) for query, place in zip(ids, places, strict=True) for rank, doc in enumerate(
            [*(f"x{i}" for i in range(place - 1)), "a", *([name] if name == "same" else [])])]
        built.append(Run.build(name, *map(list, zip(*rows, strict=True))))
    return built, truth


def session(names: tuple[str, ...] = ("old", "new", "same"), **more) -> dict:
    """The address of a session with these runs."""
    built, truth = runs_and_truth()
    return address(truth, [one for one in built if one.name in names], **{"metric": "RR", "baseline": "old", **more})


def test_the_leaderboard_says_what_the_best_can_be_told_apart_from():
    at = opened("compare", **session(k="2"))
    said = texts(at)
    assert "**new** has the highest MRR" in said
    assert "**new** is better than **old**" in said and "and **same**" in said
    table = leaderboard(at).set_index("Run")
    assert list(table.index) == ["new", "old", "same"] and table.loc["new", "Marks"] == "best"
    assert table["Outcome"].tolist() == ["▲ better", "baseline", "not significant"], "the same run again is not better"
    assert table.loc["new", "MRR"].startswith("0.950 [") and table.loc["new", "Difference"] == "+0.283"
    assert table.loc["new", "Recall@2"] == "▲ better 1.000" and table.loc["same", "Recall@2"] == "0.500"
    numbers = listed(at, "leaderboard_runs")
    assert numbers["MRR"].tolist() == pytest.approx([0.95, 2 / 3, 2 / 3]), "headings sort by the numbers"
    assert numbers["Difference"].tolist() == pytest.approx([0.95 - 2 / 3, np.nan, 0.0], nan_ok=True)


def test_two_paragraphs_come_before_the_leaderboard_and_the_arguments_are_folded():
    at = opened("compare", **samples_by("type"))
    outside = [one.value for one in at.main.get("markdown")]
    folded = next(one for one in at.expander if "What speaks against" in one.label)
    assert folded.label == "What speaks against choosing sparse and what to build next"
    arguments = folded.markdown[0].value.split("\n\n")
    assert [text.partition(":**")[0] for text in arguments] == ["**What speaks against choosing sparse",
                                                                "**What to build next"]
    before = outside[:outside.index(folded.markdown[0].value)]
    assert sum(len(text.split("\n\n")) for text in before if not text.startswith("<")) == 2, before


def test_differences_have_the_runs_in_the_order_of_the_leaderboard_not_of_loading():
    at = opened("compare", **session(baseline="same"))
    order = leaderboard(at)["Run"].tolist()
    assert order.index("new") < order.index("old")
    outcomes = next(one.value for one in at.table if "Outcome" in one.value)["Run"].tolist()
    assert "new" in outcomes[0] and "old" in outcomes[-1]
    lines = next(one.value for one in at.markdown if one.value.startswith("- ") and "p = " in one.value)
    assert lines.index("**new**") < lines.index("**old**")


def test_no_mark_says_better_or_worse_while_the_verdict_is_withheld():
    built, truth = runs_and_truth()
    rows = [(f"q{index:02}", "a", 1.0) for index in range(QUERIES - 5)]  # one in eight queries is missing
    runs = [built[0], Run.build("part", *map(list, zip(*rows, strict=True)))]

    def cell(**more) -> str:
        at = opened("compare", **address(truth, runs, metric="RR", baseline="old", k="1", **more))
        assert ("Not comparable yet" in texts(at)) is not bool(more)
        row = leaderboard(at).set_index("Run").loc["part"]
        return f"{row['Difference']} {row['Outcome']}"

    assert cell() == "+0.208 not comparable yet"
    assert cell(accepted=["missing-queries"]) == "+0.208 ▲ better"


def test_runs_without_a_significant_difference_to_the_best_are_tied_for_best():
    at = opened("compare", **session(("old", "same"), k="2"))
    assert "the highest mean" in texts(at)
    assert all(mark.startswith("highest mean") for mark in leaderboard(at)["Marks"]), "the same values, the same mark"
    assert "The 40 queries have the same value in both runs, so the interval has no width." in texts(at)



def test_what_the_picture_leaves_out_and_over_which_queries_a_difference_is_are_said():
    """Scores of a file: 40 queries of old, 30 of new. Seven metrics, of which the picture has six."""
    built, truth = runs_and_truth()
    for index, (run, scored) in enumerate(zip(built[:2], (QUERIES, 30), strict=True)):
        built[index] = run.with_file_scores(FileScores.build(
            [(f"q{at:02}", run.name, "sas", (at % 7 + index) / 8) for at in range(scored)]))
    others = ["RR", "nDCG@k", "R@k", "P@k", "Success@k", "AP"]
    at = opened("compare", **address(truth, built[:2], metric="file:sas", baseline="old", k="2",
                                     columns=others))
    text = texts(at).replace("\\", "")
    assert "The picture has the first 6 metrics. MAP is in the table below." in text
    assert ", on the 30 queries that both have" in text
    assert text.count("not always the difference of the two means") == 2


def test_a_click_on_a_row_chooses_its_run(monkeypatch):
    """A row is a place in the table, which is not the place of the run."""
    picks, chosen = [], []
    monkeypatch.setattr(row_list, "render", lambda rows, key, items, pick: picks.append((items, pick)))
    monkeypatch.setattr(compare_leaderboard, "_open_run", lambda context, index: chosen.append(context.names[index]))
    opened("compare", **session())
    items, pick = picks[0]
    for item in items:
        pick(item)
    assert chosen == ["new", "old", "same"]


def test_compare_names_the_verdict_and_its_numbers():
    at = opened("compare", **session(k="2"))
    said = texts(at)
    assert "**new** is :blue[better] than **old** on MRR" in said
    assert "No significant difference between **same** and **old** on MRR: same minus old " in said
    table = at.table[-1].value
    row = table[table["Run"].str.contains("new") & (table["Metric"] == "MRR")].iloc[0]
    counts = row["Better\u00a0/\u00a0equal\u00a0/\u00a0worse"].replace("\u00a0", " ")
    assert counts == "20 / 16 / 4" and "better" in row["Outcome"]


def test_a_name_in_the_table_of_verdicts_can_be_copied():
    """A hyphen stays a hyphen, and no other character that looks like one takes its place."""
    built, truth = runs_and_truth()
    runs = [built[0].renamed("bm25-k1"), built[1].renamed("dense-v2"), built[2]]
    cells = opened("compare", **address(truth, runs, metric="RR")).table[-1].value["Run"]
    assert any("dense\\-v2" in cell for cell in cells) and not any("\u2011" in cell for cell in cells)


def test_the_counts_of_the_filter_are_the_rows_that_it_shows():
    at = opened("compare/queries", **session(candidate="new"))
    control = widget(at, "button_group", "outcome")
    counts = {option.rpartition(" ")[0]: int(option.rpartition(" ")[2]) for option in control.options}
    assert counts == {"All": 40, "Better": 20, "Equal": 16, "Worse": 4}
    for outcome, title in (("all", "All"), ("better", "Better"), ("equal", "Equal"), ("worse", "Worse")):
        shown = opened("compare/queries", **session(candidate="new", outcome=outcome)).dataframe[-1].value
        assert len(shown) == counts[title]
        if outcome == "better":
            assert (shown["Difference"] > 0).all() and shown["Question"][0].startswith("question")


def test_the_mean_without_a_query_is_the_mean_without_it():
    at = opened("compare/queries", **session(("old", "new"), candidate="new"))
    shown = at.dataframe[-1].value.set_index("Query")
    built, truth = runs_and_truth()
    old, new = (evaluate(one, truth, "RR").column("RR") for one in built[:2])
    difference = new - old
    for place in (0, 21, 39):
        expected = np.delete(difference, place).mean()
        assert shown.loc[f"q{place:02}", "Mean difference without it"] == pytest.approx(expected)
    assert "No single query reverses the difference" in texts(at)
    columns = json.loads(at.dataframe[-1].proto.columns)
    assert columns["Mean difference without it"]["type_config"]["format"] == "%+.3f", "it is a difference"


def test_a_table_of_two_runs_has_their_short_names_as_headings():
    """A heading of 44 letters would push the difference out of the table."""
    named = [one.renamed(f"e5-large-v2_chunk{256 * (at + 1)}_overlap32_rerank-bge-v2")
             for at, one in enumerate(runs_and_truth()[0][:2])]
    at = opened("compare/queries", **address(runs_and_truth()[1], named))
    columns = json.loads(at.dataframe[-1].proto.columns)
    assert [columns[one.name]["label"] for one in named] == short_names([one.name for one in named], PAGE_NAME)
    assert set(at.dataframe[-1].value) >= {one.name for one in named}, "the file has the whole names"


def test_a_slice_of_the_sidebar_holds_for_every_page():
    at = opened("compare", **session(("old", "new"), slice="kind=easy"))
    assert "**new** and **old**" in texts(at) or "**new** is" in texts(at)
    row = at.table[-1].value.iloc[0]
    assert row["Better\u00a0/\u00a0equal\u00a0/\u00a0worse"].replace("\u00a0", " ") == "0 / 16 / 4" and row["n"] == "20"
    at = opened("compare", **session(("old", "new"), slice="kind=hard"))
    assert leaderboard(at)["MRR"][0].startswith("1.000") and "20 queries" in texts(at)
    for page in ("precision-recall", "ranking"):
        assert "20 queries" in texts(opened(page, **session(("old", "new"), slice="kind=hard")))
    assert "slice" not in opened("compare", **session(slice="kind=gone")).query_params


@pytest.mark.parametrize("page", ["overview", "compare", "ranking", "failures", "queries", "threshold-bands", "share",
                                  "what-if"])
def test_a_page_about_a_part_of_the_queries_says_so_above_its_results(page):
    """On a phone the sidebar is closed: a link with a slice would show its winner as that of all queries."""
    about = "These results are about 20 of 40 queries only: **kind: hard**."
    assert about in texts(opened(page, **session(("old", "new"), slice="kind=hard"))).replace("\\", "")
    assert "These results are about" not in texts(opened(page, **session(("old", "new"))))


def test_the_labels_in_a_runs_file_slice_the_comparison():
    built, truth = runs_and_truth()
    labels = FileScores.build([(f"q{index:02}", "old", "verdict", "Refusal" if index < 20 else "Correct")
                               for index in range(QUERIES - 2)])
    at = opened("compare/slices", **address(truth, [built[0].with_file_scores(labels), built[1]], metric="RR",
                                            baseline="old", k="2", by="verdict of old"))
    said = texts(at).replace("\\", "")
    assert widget(at, "selectbox", "by").value == "verdict of old"
    assert widget(at, "selectbox", "by").options == ["kind", "verdict of old"]
    assert "**new** is :blue[better] on *verdict of old: Refusal* (+0.667 [" in said and ", 20 queries)" in said
    assert "These slices are an outcome of one run" in said
    figure = json.dumps(charts(at))
    assert all(title in figure for title in ("Refusal (20)", "Correct (18)", "not given (2)"))


def test_a_slice_says_how_many_of_its_queries_are_compared():
    """The sentence above the picture has the queries with a value; the picture must not have another number."""
    queries = [f"q{number}" for number in range(30)]
    details = pa.table({"query_id": queries, "attributes": [json.dumps({"kind": "hard" if number < 27 else "easy"})
                                                            for number in range(30)]})
    truth = Truth.build("truth", queries, ["a"] * 30, [int(number >= 6) for number in range(30)], details=details)
    runs = [Run.build(name, queries, docs * 10, [1.0] * 30) for name, docs in (
        ("old", ["a", "a", "a"]), ("new", ["a", "b", "a"]))]
    at = opened("compare/slices", **address(truth, runs, by="kind"))
    assert "hard (21 of 27)" in (drawn := str(charts(at)["slices"])) and "easy (3)" in drawn


def test_slices_are_compared_side_by_side():
    at = opened("compare/slices", **session(("old", "new"), by="kind", k="2"))
    assert [one.key for one in at.selectbox if one.key in ("by", "candidate")] == ["by"], "all candidates are shown"
    assert "By slice: MRR" in [one.value for one in at.header]
    said = texts(at).replace("\\", "")
    assert "Compared with **old**, **new** is :blue[better] on *kind: hard* (+0.667 [" in said
    assert ", 20 queries). This counts if users often ask such queries. On the other slices no difference is " in said
    assert "The intervals are corrected for 2 comparisons." in said
    said = texts(opened("compare/slices", **session(("old", "same"), by="kind", k="2")))
    assert "No slice shows a significant difference between **same** and **old**, so do not choose between them by " \
        "these slices. The largest difference is on *kind" in said
    withheld = texts(opened("compare/slices", **session(("old", "new"), by="kind", k="10")))
    assert "The runs are not comparable yet, so do not choose by slice." in withheld


@pytest.mark.parametrize("picture", ["sorted", "histogram", "scatter"])
def test_each_picture_is_drawn(picture):
    at = opened("compare/queries", **session(picture=picture))
    figure = charts(at)[f"compare_{picture}"]
    assert {trace.get("yaxis", "y") for trace in figure["data"]} == {"y"}, "one candidate, in one panel"
    assert pairwise.comparison_sentences.PICTURE_NOTES[picture].format(candidate="new", baseline="old") in texts(at)


@pytest.mark.parametrize(("typed", "word"), [("0.9", "equivalent"), ("0,9", "equivalent"), ("x", "above 0"),
                                             ("-1", "above 0"), ("", "better")])
def test_a_margin_makes_equivalent_what_lies_within_it(typed, word):
    said = texts(opened("compare", **session(("old", "new"), margin=typed, k="2")))
    assert word in said
    assert ("Margin: differences up to 0.9 do not matter" in said) == (word == "equivalent")


def test_one_run_alone_is_told_what_to_do():
    at = opened("compare", **session(("old",)))
    assert "Add a second run to compare" in [one.value for one in at.header]
    assert "Add runs" in [link.proto.label for link in at.main.get("page_link")]
    assert "Load another on the **Data** page." in texts(at), "the sidebar has no choice of runs where one is loaded"


def test_what_cannot_be_compared_is_named():
    at = opened("compare", **session(("old", "new"), metric="Judged@k"))
    assert "Not compared here: Judged@10" in texts(at).replace("\\", "")


def many_runs() -> tuple[list[Run], Truth]:
    """Twelve runs: four retrievers by three chunk sizes, one cell twice and one empty; the later, the better."""
    ids = [f"q{at:02}" for at in range(30)]
    truth = Truth.build("truth", ids, ["a"] * 30, np.ones(30, int))
    runs = []
    for index in range(12):
        retriever, chunk = "abcd"[index // 3], (256, 512, 512 if index == 2 else 1024)[index % 3]
        rows = [(query, doc) for at, query in enumerate(ids)
                for doc in [*(f"x{i}" for i in range(12 - index + at % 3)), "a", *(f"y{i}" for i in range(20))][:15]]
        runs.append(Run.build(f"a-rather-long-name-of-a-run-{index:02}-with-a-long-end", *map(list, zip(
            *rows, strict=True)), settings={"retriever": retriever, "chunk": {"size": chunk}, "same": 1}))
    return runs, truth


def test_many_runs_are_chosen_by_setting_colored_by_rank_and_grouped():
    runs, truth = many_runs()
    at = opened("compare/settings", **address(truth, runs, metric="RR"))
    assert "12 of 12 runs" in [one.proto.popover.label for one in at.get("popover")]
    names = leaderboard(at)["Run"]
    assert names[0] != names[1] and all(len(name) <= NARROW_NAME for name in names)
    assert [one.value for one in at.header] == ["By setting: MRR"]
    grid = charts(at)["setting_grid"]["data"][0]
    assert len(grid["hovertext"]) == 4 and grid["hovertext"][0][2] == "no run", "its run has chunks of 512"
    assert "n = 30 queries" in grid["hovertext"][0][1] and grid["hovertext"][0][1].count("a-rather-long") == 2
    field = widget(at, "multiselect", run_picker.FILTERS)
    assert "chunk.size = 256 (4)" in field.options and "retriever = a (3)" in field.options
    assert not any("same" in option for option in field.options)
    field.set_value(["chunk.size = 256", "retriever = a", "retriever = b"]).run()
    widget(at, "button", "show_matching").click().run()
    assert not at.exception and len(leaderboard(at)) == 2
    assert "2 shown, 10 hidden" in [one.proto.popover.label for one in at.get("popover")]


def test_many_candidates_are_counted_and_one_is_shown_in_detail():
    runs, truth = many_runs()
    at = opened("compare", **address(truth, runs, metric="RR"))
    assert ":blue[Better] than" in texts(at) and "and 8 more." in texts(at)
    assert "of 11 candidates" not in texts(at), "the verdict counts the others without the best run"
    heads = [one.value for one in at.header]
    assert any(one.startswith("Differences to ") for one in heads) and not any("All 11" in one for one in heads)
    pictures = charts(at)
    assert len(pictures["forest"]["data"]) == 5 and len(pictures["forest_candidate"]["data"]) == 1
    assert "Run" not in at.table[-1].value and len(at.table[-1].value) == 5, "the heading names the candidate"
    widget(at, "button_group", "drawn").set_value("all").run()
    assert len(charts(at)["forest"]["data"]) == 11


def test_slices_of_many_runs_are_about_the_selected_run_and_count_the_others_that_differ():
    """Run 11 is the best, and better than run 0; the baseline is run 0."""
    runs, truth = many_runs()
    kinds = pa.table({"query_id": truth.query_ids, "attributes": ['{"kind": "hard"}', '{"kind": "easy"}'] * 15})
    at = opened("compare/slices", **address(replace(truth, details=kinds), runs, metric="RR", by="kind"))
    sentence = next(one.value for one in at.markdown if one.value.startswith("Compared with **"))
    assert sentence.count(":blue[better]") == 2 and "more differences" not in sentence
    assert "of the other 10 runs differ significantly on a slice: choose one under **Selected run**." in texts(at)
    assert {line["name"] for line in charts(at)["slices"]["data"]} == {short_names([one.name for one in runs],
                                                                                   NARROW_NAME)[11]}


def test_what_another_tool_would_report_is_said_of_one_run_or_of_several():
    labels = [next(one.label for one in opened("compare", **session(names)).expander if "another tool" in one.label)
              for names in (("old",), ("old", "new"))]
    assert labels == [f"What another tool would report for {runs}" for runs in ("this run", "these runs")]


def test_axes_call_a_run_by_the_name_that_headings_give_it():
    names = [f"{name}-chunk{size}-overlap128-top10" for name in ("bge-m3-multi-vector-reranked", "colbert-v2.1", "bm25")
             for size in (256, 1024)]
    queries = [f"q{number}" for number in range(20)]
    runs = [Run.build(name, queries, ["a" if at % (place + 2) else "b" for at in range(20)])
            for place, name in enumerate(names)]
    session_address = address(Truth.build("truth", queries, ["a"] * 20, [1] * 20), runs, metric="RR", baseline=names[1])
    at = opened("compare", **session_address)
    base = next(one.value for one in at.header if " minus " in one.value).replace("\\", "").partition(" minus ")[2]
    assert charts(at)["forest_candidate"]["layout"]["xaxis"]["title"]["text"].endswith(f"Difference to {base}")
    by_query = charts(opened("compare", **session_address, detail="queries"))["compare_sorted"]["layout"]
    short = short_names(names, NARROW_NAME)
    assert short[1] in str(by_query) and any(name in str(by_query) for name in (short[0], *short[2:]))
    title = charts(opened("ranking", **session_address))["per_query"]["layout"]["xaxis"]["title"]["text"]
    assert title == f"MRR, {base}"


def test_means_can_be_shown_as_another_tool_with_the_causes_of_the_gap():
    truth = Truth.build("truth", ["q1", "q1", "q2"], ["a", "b", "c"], [1, 1, 0])
    runs = [Run.build(name, ["q1", "q2"], [doc, "c"]) for name, doc in (("old", "a"), ("new", "x"))]
    at = opened("compare", **address(truth, runs, metric="nDCG@k", show_as="phoenix"))
    assert not at.exception
    assert "old, NDCG@10: 0.500 in Phoenix, 0.613 here: queries without a relevant document count 0 (−0.500); the " \
        "ideal counts only retrieved documents (+0.387)." in texts(at).replace("\\", "")
    table = next(entry.value for entry in at.dataframe if "Step" in entry.value.columns)
    assert table["Step"].tolist()[:4] == ["here", "the ideal counts only retrieved documents",
                                          "queries without a relevant document count 0", "Phoenix: ndcg@10"]
    at.selectbox(key="show_as").select("langchain").run()
    assert not at.exception and "It has no metric of rankings" in texts(at)
    assert not any("Step" in entry.value.columns for entry in at.dataframe)


def test_a_page_without_enough_memory_says_so_and_comes_back_as_it_was(monkeypatch):
    """In a part of the page, in its table and in the whole page: what is above is drawn."""
    at = opened("compare", **session(k="3"))
    for module, name, has_table in ((pairwise, "comparable_specs", True), (leaderboard_table, "render", False),
                                    (page_context, "current", False)):
        with monkeypatch.context() as short:
            short.setattr(module, name, raise_memory_error if has_table else raise_map_error)
            at.run()
        assert not at.exception and [one.value for one in at.error] == [
            "Found not enough memory for this part of the page; expected less than the memory that is free.  \n"
            ":material/build: Nothing is lost. Show fewer runs, remove runs on the Data page, or give the server more "
            "memory."]
        assert has_table != listed(at, "leaderboard_runs").empty
        assert at.session_state["k"] == "3" and len(at.run().error) == 0 and len(leaderboard(at)) == 3


def raise_memory_error(*arguments: object, **options: object) -> None:
    raise MemoryError


def raise_map_error(*arguments: object, **options: object) -> None:
    raise ImportError("/lib/_ppoly.so: failed to map segment from shared object")


def test_with_several_grades_the_caption_says_which_are_relevant_and_how_to_change_it():
    built, truth = runs_and_truth()
    graded = Truth.build("graded", truth.query_ids.to_pylist(), ["a"] * QUERIES, [1, 2] * (QUERIES // 2))
    more = {"metric": "RR", "baseline": "old", "k": "2"}
    said = texts(opened("compare", **address(graded, built[:2], **more)))
    assert "Relevant: grade 1 or more; NDCG@2 uses all grades. To count grade 2 or more, type `RR(rel=2)` under" in said
    assert "Relevant: grade" not in texts(opened("compare", **session(k="2")))
    typed = leaderboard(opened("compare", **address(graded, built[:2], **more, columns=["RR(rel=2)"])))
    assert "MRR (rel = 2)" in typed.columns
    assert "Relevant: grade 1 or more" in texts(opened("overview", **address(graded, built[:2], **more)))


def test_slices_without_a_difference_name_the_attribute_that_has_one():
    """The first attribute is the same for every query of a kind; a click leads to the one by which the runs differ."""
    at = opened("compare/slices", **samples_by("difficulty"))
    assert "Slices by another attribute differ significantly:" in texts(at)
    offered = [one for one in at.button if one.label.startswith("By ")]
    assert [one.label for one in offered] == ["By type"]
    at = shown(offered[0].click().run())
    assert asked(at, "by") == ["type"] and "by another attribute" not in texts(at)
    assert "paraphrase" in texts(at)


def samples_by(attribute: str, **more) -> dict:
    folder = page_cases.ROOT / "sample_runs"
    runs = [read_run(folder / f"{name}.jsonl") for name in ("dense", "sparse", "hybrid")]
    return address(read_truth(folder / "truth.jsonl"), runs, by=attribute, **more)


def test_by_slice_opens_by_the_attribute_that_the_verdict_names():
    """The verdict names paraphrases; "difficulty" is the first attribute. A link from Overview says which."""
    session_of = {key: value for key, value in samples_by("").items() if key != "by"}
    assert asked(opened("compare/slices", **session_of), "by") == ["type"]
    overview = opened("overview", **session_of)
    links = [one.proto for one in overview.get("page_link") if one.proto.label == "Compare by type"]
    assert len(links) == 1 and "by=type" in links[0].query_string and "detail=slices" in links[0].query_string


def test_the_attribute_that_another_page_starts_with_is_not_a_choice_for_compare():
    session_of = {key: value for key, value in samples_by("").items() if key != "by"}
    at = opened("failures", **session_of)
    assert at.selectbox(key="by").value == "difficulty"
    at.switch_page("pages/compare.py").run()
    at.session_state["detail"] = "slices"
    assert shown(at.run()).selectbox(key="by").value == "type"
    shown(at.selectbox(key="by").set_value("difficulty").run())
    at.switch_page("pages/failures.py").run()
    at.switch_page("pages/compare.py").run()
    assert at.selectbox(key="by").value == "difficulty", "chosen on Compare"


def test_a_difference_of_two_runs_has_one_direction_on_the_page():
    """By NDCG, dense is better than sparse in the paraphrases alone: as the baseline it is the best run there."""
    part = {"slice": "type=paraphrase", "detail": "differences"}
    text = texts(opened("compare", **samples_by("type", **part)))
    [on_top] = re.findall(r"\*\*sparse\*\* \\\((−\S+ .+?)\\\) and \*\*hybrid\*\* .+ are worse than \*\*dense\*\*", text)
    assert f"**sparse** is :orange[worse] than **dense** on NDCG@10: {on_top}" in text, "the same numbers"
    assert "dense** is better than" not in text
    assert "▲ significantly better, ▼ significantly worse than **dense**." in text, "the marks of the picture"
    other = texts(opened("compare", **samples_by("type", baseline="sparse", **part)))
    assert "**dense** is better than **sparse** \\(\\+" in other
