"""The Overview: its verdict by what is loaded, the cards, the way without judgments, and the example files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from page_cases import ROOT, address, asked, keys, leaderboard, listed, opened, texts
from test_compare_page import session
from test_pages import upload, with_runs

from ragdash import io, read_run, read_truth
from ragdash.core.file_scores import FileScores
from ragdash.core.records import Repetition, Run, Truth
from ragdash.dashboard.caches import what_if_cache
from ragdash.dashboard.components import verdict_panel
from ragdash.dashboard.pages.overview import start, without_judgments
from ragdash.dashboard.pages.overview.run_cards import CARD_WIDTH


def states(at) -> list[str]:
    """The badge of the verdict."""
    return [one.value for one in at.markdown if "-badge[" in one.value][:1]


def headings(at) -> str:
    return " ".join(heading.value for heading in (*at.header, *at.subheader))


def test_a_significant_lead_is_a_clear_winner():
    at = opened("overview", **session(("old", "new"), k="2"))
    assert "Clear winner" in states(at)[0]
    assert "new has the highest MRR" in headings(at) and "**new** is better than **old**" in texts(at)
    assert at.header[0].value.count("[") == 1 and "MRR: 1 over the rank of the first relevant document" in texts(at)
    assert "For your decision" in texts(at) and "**new**" in texts(at)


def test_runs_of_equal_quality_are_tied_and_the_page_says_what_to_do():
    at = opened("overview", **session(("old", "same"), k="2"))
    assert "No clear difference" in states(at)[0] and "no significant difference from" in texts(at)
    assert "Choose by cost or speed" in texts(at) and "What would change it" in texts(at)
    assert "badge[not clearly worse]" not in texts(at) and "badge[best]" not in texts(at)
    assert sum("badge[highest mean]" in one.value for one in at.markdown) == 2, "the same rankings, the same mean"
    assert "Would a hybrid help?" in [link.proto.label for link in at.get("page_link")]


@pytest.mark.parametrize("page", ["overview", "compare", "share"])
def test_a_better_hybrid_is_said_on_the_first_visit_and_the_page_is_the_same_on_the_second(page):
    folder = ROOT / "sample_runs"
    runs = [read_run(folder / f"{name}.jsonl").renamed(name) for name in ("sparse", "dense")]
    what_if_cache._gain.clear()  # a server that has not tried it
    first, second = (texts(opened(page, **address(read_truth(folder / "truth.jsonl"), runs))) for _ in range(2))
    sentence = "An equal mix of **sparse** and **dense** would reach NDCG@10 0.814"
    assert first.replace("\\", "").count(sentence) == 1
    assert first == second


def test_the_verdict_is_decided_once_and_again_where_a_hybrid_is_found(monkeypatch):
    advised, advise = [], verdict_panel.advise
    monkeypatch.setattr(verdict_panel, "advise", lambda verdict, facts: advised.append(facts) or advise(verdict, facts))
    opened("overview", **session(("old", "same"), k="2"))
    assert advised and len({facts.hybrid is None for facts in advised}) == len(advised)


def test_five_queries_are_too_few():
    at = opened("overview", **with_runs(2, queries=5))
    assert "Too few queries" in states(at)[0] and "Do not decide" in texts(at)


def test_a_tie_on_few_queries_is_no_reason_to_choose_by_cost():
    truth = Truth.build("qrels", [f"q{number}" for number in range(10)], ["a"] * 10, [1] * 10)
    runs = [Run.from_dict({f"q{number}": docs[number % 2] for number in range(10)}, name)
            for name, docs in (("one", (["a", "b"], ["b", "a"])), ("two", (["b", "a"], ["a", "b"])))]
    said = texts(opened("overview", **address(truth, runs)))
    assert "**For your decision:** Do not decide on so few queries." in said and "Choose by cost" not in said


def test_one_run_alone_is_not_compared():
    at = opened("overview", **with_runs(1))
    assert "One run" in states(at)[0] and "Add a second run" in texts(at)


def test_many_runs_are_counted_instead_of_listed():
    at = opened("overview", **with_runs(10))
    assert "Of the other 9 runs, " in texts(at)
    assert any("Compare all 10 runs" in link.proto.label for link in at.get("page_link"))
    assert sum("badge[baseline]" in one.value for one in at.markdown) == 1, "the baseline has a card whatever its rank"
    assert len(at.subheader) == 6 and len(listed(at, "other_runs")) == 4
    words = texts(at)
    panels = [words.index(f"**{title}") for title in ("What would change it", "What speaks against") if title in words]
    assert panels and max(panels) < words.index("The other 4 runs"), "a long table does not part cards and panels"


@pytest.mark.parametrize(("many", "columns", "parts"), [
    (1, 1, 0), (2, 2, 0), (3, 3, 0), (4, 2, 0), (5, 3, 2), (6, 3, 0)])
def test_cards_leave_no_place_empty(many, columns, parts):
    at = opened("overview", **with_runs(many))
    [grid] = [block.proto for block in at.get("grid_container") if block.proto.min_column_width_px == CARD_WIDTH]
    assert grid.columns == columns and len(at.main.columns) == parts, "the last of five takes two places"


def test_a_metric_with_a_long_name_has_a_line_of_its_own():
    assert len(opened("overview", **with_runs(2), metric="nDCG@k").sidebar.columns) == 2, "next to the cutoff"
    at = opened("overview", **with_runs(2), metric="ERR@k")
    assert not at.sidebar.columns and "Expected reciprocal rank@10" in headings(at)


def test_without_judgments_the_page_shows_what_needs_none():
    lines = b"q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\nq2 Q0 c 1 1.0 x\n"
    other = b"q1 Q0 a 1 2.0 y\nq1 Q0 d 2 1.0 y\nq2 Q0 c 1 1.0 y\n"
    at = upload(opened("overview"), ("one.run", lines), ("two.run", other))
    assert "No judgments yet" in states(at)[0] and "needs no judgments" in " ".join(one.value for one in at.header)
    assert "Overlap of the first 10 documents" in [one.value for one in at.header]
    assert at.dataframe[0].value["Overlap"].tolist() == [75.0] and at.table[0].value["Queries"].tolist() == ["2", "2"]
    assert list(at.table[0].value) == ["Run", "Queries", "Documents per query", "Scores, median (middle half)"], (
        "no column that is empty for every run")
    of_results = {"Baseline", "Metric", "Cutoff k"}
    assert not of_results & {box.label for box in at.sidebar.selectbox}, "they would change nothing"
    judged = upload(at, ("judged.qrels", b"q1 0 a 1\nq2 0 c 1\n"))
    assert of_results <= {box.label for box in judged.sidebar.selectbox}
    deep = "".join(f"q1 Q0 d{rank} {rank} {2000 - rank} x\n" for rank in range(1, 1201)).encode()
    (depth,) = upload(opened("overview"), ("deep.run", deep)).table[0].value["Documents per query"]
    assert depth == "1,200"
    (depth,) = upload(opened("overview"), ("some.run", lines)).table[0].value["Documents per query"]
    assert depth.replace("\u00a0", " ") == "1.5 (at most 2)"


def test_one_run_without_judgments_is_not_compared_and_a_proposed_reading_comes_first():
    at = upload(opened("overview"), ("one.run", b"q1 Q0 a 1 2.0 x\n"))
    assert "nothing says yet how good the run is" in texts(at) and "no run can be called better" not in texts(at)
    assert "proposed reading" not in texts(at)
    rows = "".join(f"What is {i}?,Passage {i} is long.,It is {i}.,Number {i}\n" for i in range(9))
    at = upload(opened("overview"), ("mine.csv", f"Question,Context 1,Model output,Expected\n{rows}".encode()))
    said = texts(at).replace("\\", "")
    assert "Read it like this?" in said
    assert "**What would change it:** apply the proposed reading of **mine.csv**" in said


def test_the_overlap_counts_common_documents_over_the_longer_list():
    first = Run.build("first", ["q1", "q1", "q2"], ["a", "b", "c"], np.array([2.0, 1.0, 1.0]))
    second = Run.build("second", ["q1", "q1", "q1", "q3"], ["b", "x", "y", "c"], np.array([3.0, 2.0, 1.0, 1.0]))
    apart = Run.build("apart", ["q9"], ["a"], np.array([1.0]))

    def overlap(other, k=10):
        return without_judgments.top_overlap(*(without_judgments.top_documents(run, k) for run in (first, other)))

    assert overlap(second) == (pytest.approx(1 / 3), 1)
    assert overlap(second.renamed("third"), k=1) == (0.0, 1)
    assert np.isnan(overlap(apart)[0])


def test_nothing_loaded_offers_examples_and_the_samples():
    at = opened("overview")
    assert "samples" in keys(at) and len(at.get("file_uploader")) == 1
    assert len(at.get("download_button")) == len(start.EXAMPLES) == 4


def test_the_example_files_can_be_read_and_evaluated_together():
    runs = io.read_runs(("run.trec", start.EXAMPLES["example-run.trec"][2].encode()))
    truth = io.read_truth(("qrels.txt", start.EXAMPLES["example-qrels.txt"][2].encode()))
    answers = io.read_runs(("answers.jsonl", start.EXAMPLES["example-answers.jsonl"][2].encode()))
    assert len(runs[0]) == len(truth) == len(answers[0]) == 2
    at = opened("overview", **address(truth, [*runs, *answers]))
    assert not at.error and states(at)


def test_the_example_table_is_read_without_a_question_as_two_runs_with_what_is_right():
    at = upload(opened(), ("example-table.csv", start.EXAMPLES["example-table.csv"][2].encode()))
    assert not at.error and not any(button.label == "Apply" for button in at.button)
    assert len(at.session_state["_runs"]) == 2 and at.session_state["_truth"]
    truth = io.read_truth(("t.csv", start.EXAMPLES["example-table.csv"][2].encode()))
    assert len(truth) == 2 and truth.details["answers"].to_pylist() == [["July 1969"], ["Nobody"]]


QUERIES = [f"q{number:02}" for number in range(30)]


def run_of(name: str, docs: list[str], scores: list[float], queries: list[str] = QUERIES) -> Run:
    """A run that returns the same documents for every query."""
    return Run.build(name, np.repeat(queries, len(docs)), docs * len(queries), np.tile(scores, len(queries)))


def judged() -> Truth:
    return Truth.build("judged", [*QUERIES, *QUERIES], ["a"] * 30 + ["b"] * 30, np.array([1] * 30 + [0] * 30))


@pytest.mark.parametrize("page", ["overview", "compare"])
def test_reversed_scores_withhold_the_verdict_until_one_click_reverses_them(page):
    fine = run_of("fine", ["b", "a", "c"], [3.0, 2.0, 1.0])
    turned = run_of("turned", ["a", "b", "c"], [0.1, 0.2, 0.3])
    at = opened(page, **address(judged(), [fine, turned]))
    assert (headings(at) + texts(at)).count("Not comparable yet") == 1 and "scores rise" in texts(at)
    assert page == "compare" or "The 2 runs have the same 30 queries**. 1 check is open: turned." in texts(at)
    next(button for button in at.button if button.label == "Reverse scores").click().run()
    assert not at.exception and "Not comparable yet" not in headings(at) + texts(at)
    again = opened(page, **dict(at.query_params))
    assert "turned has the highest" in (headings(again) + texts(again)).replace("**", "")
    if page == "overview":
        card = texts(opened("data", **dict(at.query_params)))
        assert card.count("scores reversed") == 1 and "Read with" not in card
        assert "Scores were reversed: the smallest is ranked first." in card


def test_missing_queries_withhold_the_verdict_and_common_queries_are_one_click_away():
    whole, part = run_of("whole", ["b", "a"], [2.0, 1.0]), run_of("part", ["a", "b"], [2.0, 1.0], QUERIES[:15])
    at = opened("overview", **address(judged(), [whole, part]))
    assert "Not comparable yet" in states(at)[0] and "no results for 15 of 30 queries" in at.header[0].value
    assert not any("badge[best]" in item.value for item in at.markdown)
    assert sum("15 of 30 queries" in item.value for item in [*at.header, *at.markdown]) == 1, (
        "what the verdict says is not said again")
    assert "can be compared" not in texts(at)
    next(button for button in at.button if button.label == "Use common queries only").click().run()
    assert "Not comparable yet" not in texts(at) and asked(at, "missing") == ["skip"]


def test_a_run_that_is_too_shallow_for_the_cutoff_is_compared_at_its_depth_by_one_click():
    deep, shallow = run_of("deep", ["b", "a", "c"], [3.0, 2.0, 1.0]), run_of("shallow", ["a"], [2.0])
    at = opened("overview", **address(judged(), [deep, shallow]))
    assert "Not comparable yet" in states(at)[0]
    next(button for button in at.button if button.label == "Use k = 1").click().run()
    assert not at.exception and "Not comparable yet" not in headings(at) + texts(at) and asked(at, "k") == ["1"]


def test_runs_that_are_equally_shallow_are_one_check_with_one_fix():
    deep = run_of("deep", ["b", "a", "c"], [3.0, 2.0, 1.0])
    shallow = [run_of(f"top-1-{name}", [document], [2.0]) for name, document in (("x", "a"), ("y", "b"), ("z", "c"))]
    at = opened("overview", **address(judged(), [deep, *shallow, run_of("top-2", ["c", "a"], [2.0, 1.0])]))
    assert sum(button.label == "Use k = 1" for button in at.button) == 1
    said = texts(at).replace("\\", "")
    assert "top-1-x has at most 1 document per query" in said and "The same for top-1-y and top-1-z." in said
    assert "top-2 has at most 2 documents" in said


def test_labels_that_differ_are_told_next_to_a_verdict_on_retrieval():
    runs = [run.with_file_scores(FileScores.build(
        [(query, run.name, "verdict", "Incorrect" if at < wrong else "Correct") for at, query in enumerate(QUERIES)]))
        for run, wrong in ((run_of("old", ["b", "a"], [2.0, 1.0]), 2), (run_of("new", ["a", "b"], [2.0, 1.0]), 24))]
    at = opened("overview", **address(judged(), runs))
    assert "new has the highest" in headings(at)
    assert "By the labels of the answers" in texts(at)
    assert "**new** is :orange[worse] than **old** on Share correct \\(verdict\\)" in texts(at)
    alike = [run.with_file_scores(FileScores.build([(query, run.name, "verdict", "Correct") for query in QUERIES]))
             for run in runs]
    assert "By the labels" not in texts(opened("overview", **address(judged(), alike)))


def test_a_check_can_be_accepted_and_the_link_says_so():
    whole, part = run_of("whole", ["b", "a"], [2.0, 1.0]), run_of("part", ["a", "b"], [2.0, 1.0], QUERIES[:15])
    at = opened("overview", **address(judged(), [whole, part]))
    next(button for button in at.button if button.label == "Accept anyway").click().run()
    assert "Not comparable yet" not in texts(at)
    again = opened("overview", **dict(at.query_params))
    assert "Not comparable yet" not in texts(again)
    assert any(button.label == "Accepted: undo" for button in again.button)


def test_the_badge_of_a_run_is_on_its_card_and_in_the_leaderboard():
    perfect, other = run_of("perfect", ["a", "b"], [2.0, 1.0]), run_of("other", ["b", "a"], [2.0, 1.0])
    where = address(judged(), [perfect, other])
    lines = [one.value for one in opened("overview", **where).markdown if "badge" in one.value]
    assert any("perfect on every query" in line for line in lines)
    assert "perfect on every query" in leaderboard(opened("compare", **where))["Marks"][0]


def test_a_file_that_needs_a_reading_is_offered_it_on_the_first_page():
    rows = "".join(f"Question {i}?,Answer {i}.,\"['c{i}','c9']\",['c{i}'],Answer {i}.\n" for i in range(1, 5))
    at = upload(opened("overview"), ("results.csv", f"question,my_answer,retrieved_chunks,gold_chunks,expected\n{rows}"
                                     .encode()))
    assert "results.csv" in texts(at) and "Read it like this?" in texts(at)
    next(one for one in at.button if one.label == "Apply").click().run()
    assert not at.exception and "reaches" in texts(at) and "Read it like this?" not in texts(at)


def test_repeats_of_a_file_are_one_card_for_each_configuration():
    truth = Truth.from_dict({f"q{number}": ["a"] for number in range(24)})
    runs = [replace(Run.from_dict({f"q{number}": ["x", "a"] if number % wrong == 0 else ["a"] for number in range(24)},
                                  f"{name} / {trial}"), repetition=Repetition(name, str(trial), "results.csv"))
            for name, trials in (("bm25", (2, 3)), ("dense", (4, 6))) for trial, wrong in enumerate(trials, 1)]
    at = opened("overview", **address(truth, runs, metric="RR"))
    assert len(at.subheader) == 2, "a card for each configuration"
    shown = texts(at).replace("\\", "")
    assert "bm25 is the mean of 2 repeats (standard deviation of their MRR: 0.059)." in shown
    assert "dense is the mean of 2 repeats" in shown and "bm25 / 1" not in shown
    for page in ("failures", "threshold-bands", "answers"):
        for count, runs_shown in ((1, runs), (0, runs[::2])):
            shown = texts(opened(page, **address(truth, runs_shown, metric="RR")))
            assert shown.count("repeats of one configuration. This page shows each by itself") == count, page


@pytest.mark.parametrize(("attribute", "is_kind"), [("kind", True), ("failure_type", False)])
def test_only_kinds_of_queries_speak_against_a_choice(attribute, is_kind):
    ids = [f"q{number:02}" for number in range(60)]
    details = pa.table({"query_id": ids, "attributes": [
        json.dumps({attribute: "first" if number < 30 else "second"}) for number in range(60)]})
    truth = Truth.build("truth", ids, ["a"] * 60, np.ones(60, np.int64), details=details)
    runs = [Run.from_dict({query: ["x", "x2", "a"] if (number < 30) == is_worse else ["a"]
                           for number, query in enumerate(ids)}, name)
            for name, is_worse in (("early", True), ("late", False))]
    assert (f"whose {attribute} is" in texts(opened("overview", **address(truth, runs, metric="RR"))).replace(
        "\\", "")) == is_kind
