"""Queries: counts that equal the rows they show, filters that combine, steps, links from other pages, safe texts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import page_cases
import pyarrow as pa
import pytest
from page_cases import address, drawn, leaderboard, shown, widget
from streamlit.testing.v1 import AppTest

from ragdash.core.records import Run, Truth
from ragdash.dashboard.pages.queries import ranking_html
from ragdash.evaluation.evaluate import evaluate
from ragdash.reporting.plots.common.theme import LIGHT, run_look
from ragdash.workspace.reviews import ReviewStore

QUERIES = 30
IDS = [f"q{at:02}" for at in range(QUERIES)]
SPAN = "the probe crashed in the Sea of Crises"
NOTES = "Read, judge and note"  # a tab of the query
NASTY = "<script>alert(1)</script> **bold** $x^2$ [l](http://x) \u202eمرحبا"


def the_truth() -> Truth:
    """Queries hard (the first 12) or easy; q29 has no relevant document; q00 a question full of marks."""
    details = pa.table({
        "query_id": IDS, "query": [NASTY if at == 0 else f"question {at}?" for at in range(QUERIES)],
        "answers": [["Sea of Crises"]] * QUERIES,
        "evidence": [[{"text": SPAN, "source": None}] if at < 10 else [] for at in range(QUERIES)],
        "attributes": [json.dumps({"kind": "hard" if at < 12 else "easy"}) for at in range(QUERIES)]})
    graded = [at for at in range(QUERIES) if at != 29]
    return Truth.build("truth", [IDS[at] for at in graded], ["a"] * len(graded), [2] * len(graded), details=details)


def built(name: str, ranks: list[int], *, texts: bool = True, scores: bool = True, answers: bool = True,
          depth: int = 4) -> Run:
    """A run with the relevant document at a rank for each query, 0: not at all."""
    rows = [(query, "a" if rank + 1 == place else f"{name}-{rank}", float(depth - rank))
            for query, place in zip(IDS, ranks, strict=True) for rank in range(depth)]
    queries, docs, values = map(list, zip(*rows, strict=True))
    details = pa.table({"query_id": IDS, "answer": [f"the Sea of {NASTY if at == 0 else 'Storms'}" for at in range(
        QUERIES)]}) if answers else None
    said = [f"One day {SPAN}." if doc == "a" else NASTY for doc in docs] if texts else None
    return Run.build(name, queries, docs, values if scores else None, texts=said, details=details)


def runs() -> dict[str, Run]:
    """old: rank 2 on the first 20; new: rank 1 on the first 10, none on 10 to 14, else as old; third: never."""
    old = [2 if at < 20 else 0 for at in range(QUERIES)]
    new = [1 if at < 10 else 0 if at < 15 else rank for at, rank in enumerate(old)]
    found = {"old": built("old", old), "new": built("new", new), "third": built("third", [0] * QUERIES)}
    return found | {"bare": built("bare", old, texts=False, scores=False, answers=False)}


def opened(*names: str, page: str = "queries", truth: Truth | None = None, own: dict | None = None, tab: str = "",
           **more) -> AppTest:
    known = own or runs()
    held = [known[name] for name in names or ("old", "new", "third")]
    state = {"tab": tab} if tab else None
    return page_cases.opened(page, state=state, **address(truth or the_truth(), held, **{"metric": "nDCG@k", **more}))


def test_long_names_are_short_in_the_lines_of_a_query():
    start = "support-assistant-2026-embedding-v3-chunk512"
    long = {name: replace(run, name=f"{start}-{name}") for name, run in runs().items()}
    (lines,) = [one.value for one in opened(own=long).markdown if "NDCG@10" in one.value and ":gray[·]" in one.value]
    assert start not in lines.replace("\\", "") and lines.count("**:") == len(lines.splitlines()) == 3


def has(at: AppTest, kind: str, key: str) -> bool:
    return any(one.key == key for one in at.get(kind))


def table(at: AppTest):
    return page_cases.listed(at, "query_rows")


def texts(at: AppTest) -> str:
    return "\n".join(one.value for one in (*at.markdown, *at.caption, *at.header))


def counts(options: list[str]) -> dict[str, int]:
    return {title: int(n.replace(",", "")) for title, n in (re.fullmatch(r"(.*) \(([\d,]+)\)", one).groups()
                                                           for one in options)}


def test_every_query_is_in_the_table_with_every_runs_value():
    at = opened()
    rows = table(at)
    assert len(rows) == QUERIES and list(rows.columns) == ["Query", "Question", "new", "old", "third", "Range",
                                                           "Stage of new"]
    expected = evaluate(runs()["new"], the_truth(), "nDCG@10").column("nDCG@10")
    np.testing.assert_allclose(rows.set_index("Query").loc[IDS, "new"], expected)
    assert rows["new"].dropna().is_monotonic_increasing, "worst first"
    assert rows["Query"].iloc[-1] == "q29", "undefined last"
    assert rows["Query"][0] in IDS[10:15], "another run does better there"


@pytest.mark.parametrize("extra", [{}, {"attributes": ["kind=hard"]}, {"text": "1", "stages": ["below-k", "fine"]}])
def test_the_count_beside_each_outcome_is_the_rows_that_it_shows(extra):
    at = opened("old", "new", "third", **extra)
    control = widget(at, "selectbox", "case")
    said = counts(control.options)
    assert len(said) == 10
    for value, (title, n) in zip(["", "failed-all", "failed-only", "worse", "better", "equal", "best", "worst",
                                  "alone", "undefined"], said.items(), strict=True):
        at = opened("old", "new", "third", case=value, **extra)
        assert len(table(at)) == n, title
        if not n:
            assert "No query passes all filters" in [one.value for one in at.header]


def test_signs_of_changed_ranks_are_explained_and_choices_have_short_names():
    assert "new: old does not return it." in texts(opened("old", "new"))
    assert "does not return it" not in texts(opened("new"))
    name = "a-long-name-of-the-baseline-that-no-choice-has-room-for"
    own = {name: built(name, [1] * QUERIES), "new": built("new", [2] * QUERIES)}
    at = opened(name, "new", own=own, look="new")
    for key in ("case", "order"):
        assert max(map(len, widget(at, "selectbox", key).options)) < 60, key


@pytest.mark.parametrize("name, lines", [("bm25", 1), ("a-name-of-thirty-two-characters-", 2)])
def test_the_head_of_a_run_takes_two_lines_at_most_above_its_ranks(name, lines):
    column = ranking_html.RankingColumn(name, run_look(0), None)
    page = ranking_html.expected_table([column] * 30, {"d1": 1}, (), 10, LIGHT)
    widths = [int(text) for text in re.findall(r"<th[^>]*min-width:(\d+)px[^>]*overflow-wrap", page)]
    assert len(widths) == 30 and min(widths) >= 8 * len(name) / lines


def test_few_runs_have_room_for_their_whole_names():
    ranks = {"retriever-of-2026": 0, "run.trec2019-bm25-v2": 1}
    own = {name: built(name, [rank] * QUERIES) for name, rank in ranks.items()}
    more = {**own, "a-third": built("a-third", [1] * QUERIES)}
    heads = page_cases.listed(opened(*own, own=own), "query_rows").columns
    assert {"retriever-of-2026", "run.trec2019-bm25-v2"} <= set(heads)
    assert "run.trec2019-bm25-v2" not in page_cases.listed(opened(*more, own=more), "query_rows").columns
    name = "run.trec2019-bm25-of-2026"
    single = opened(name, own={name: built(name, [1] * QUERIES)})
    assert "Run: run.trec2019\\-bm25\\-of\\-2026" in [one.value for one in single.caption]
    signs = [one.value.replace("\\", "") for one in opened(*own, own=own, page="failures").caption]
    assert any(text.startswith(":color[") and all(name in text for name in own) for text in signs)


def test_of_many_runs_the_one_looked_at_and_the_baseline_are_the_first_columns():
    own = {f"run-{rank}": built(f"run-{rank}", [rank] * QUERIES) for rank in range(1, 7)}
    few = dict(list(own.items())[:4])
    for known, order in ((own, ["run-5", "run-3", "run-1", "run-2", "run-4", "run-6"]), (few, list(few))):
        at = opened(*known, own=known, look=order[0], baseline=order[1])
        assert [name for name in table(at).columns if name.startswith("run-")] == order
        heads = re.findall(r"run-\d(?=[^<]*<)", page_cases.drawn(at).partition("Rank</th>")[2])
        assert heads[:len(order)] == order
        assert f"the rank in {order[1]}, the baseline" in texts(at).replace("\\", "")


def test_the_selected_run_is_the_first_column_of_the_list_and_the_rankings_keep_their_order():
    own = {f"run-{rank}": built(f"run-{rank}", [rank] * QUERIES) for rank in range(1, 4)}
    at = opened(*own, own=own, look="run-3", baseline="run-1")
    assert [name for name in table(at).columns if name.startswith("run-")] == ["run-3", "run-1", "run-2"]
    assert re.findall(r"run-\d(?=[^<]*<)", page_cases.drawn(at).partition("Rank</th>")[2])[:3] == list(own)


def test_a_mark_of_direction_in_an_id_or_an_attribute_turns_nothing_behind_it():
    ids = [f"\u202e{query}" for query in IDS]
    details = pa.table({"query_id": ids, "query": ["Who?"] * QUERIES, "attributes": [
        json.dumps({"kind": "\u202ehard", "size": "few"} if at < 12 else {"kind": "easy", "size": "many"})
        for at in range(QUERIES)]})
    truth = Truth.build("truth", ids, ["a"] * QUERIES, [2] * QUERIES, details=details)
    run = Run.build("\u202enew", ids, ["b"] * QUERIES)
    at = opened("old", "new", truth=truth, own={"old": Run.build("old", ids, ["a"] * QUERIES), "new": run})
    filters = widget(at, "multiselect", "attributes").options
    outcomes, orders = (widget(at, "selectbox", key).options for key in ("case", "order"))
    at = opened("old", "new", truth=truth, own={"old": Run.build("old", ids, ["a"] * QUERIES), "new": run},
                attributes=["kind=\u202ehard", "size=few"])
    marked = [text for text in (*filters, *outcomes, *orders, *texts(at).split("\n")) if "\u202e" in text]
    assert len(marked) >= 6
    for text in marked:
        for mark in re.finditer("\u202e", text):
            inside = text[:mark.start()].count("\u2068") - text[:mark.start()].count("\u2069")
            left = text[mark.end():].partition("\u2069")
            assert inside and left[1], text
            assert not re.search(r" \(\d|Who|few|: \*\*", left[0]), text


def test_an_attribute_whose_name_has_an_equals_sign_is_shown_as_written():
    sizes = [json.dumps({"k=1": "few" if at < 9 else "many"}) for at in range(QUERIES)]
    details = pa.table({"query_id": IDS, "query": IDS, "attributes": sizes})
    truth = Truth.build("truth", IDS[:29], ["a"] * 29, [2] * 29, details=details)
    at = opened(truth=truth, attributes=["k=1=few"])
    drawn = texts(at).replace("\\", "")
    assert "Only k=1: few." in drawn and drawn.count("k=1: few") >= 2 and "k: 1" not in drawn


def test_a_query_without_an_id_shows_its_question_once_and_a_pass_below_1_is_explained():
    ids = ["Who walked first?", "Who walked next?"]
    details = pa.table({"query_id": ids, "query": ["Who walked  first?", "Who walked next?"]})
    truth = Truth.build("truth", ids, ["a", "a"], [1, 1], details=details)
    run = Run.build("run", np.repeat(ids, 3).tolist(), ["x", "y", "a"] * 2, [3.0, 2.0, 1.0] * 2)
    at = opened("run", truth=truth, own={"run": run})
    assert list(table(at).columns) == ["Query", "NDCG@10", "Stage"]
    assert set(table(at)["Stage"]) == {"No failure found, ranked low"}, "the list says why the value is not 1"
    best = opened("run", truth=truth, own={"run": Run.build("run", ids, ["a", "a"], [1.0, 1.0])})
    assert set(table(best)["Stage"]) == {"No failure found"}
    assert next(one.value for one in at.header).replace("\\", "") == "Who walked first?"
    line = next(one for one in at.markdown if "No failure found" in one.value)
    assert "**0.500**" in line.value and "can still be below 1" in line.help


def test_one_run_alone_has_a_ranking_and_no_word_of_others():
    for names, heading, caption in ((("old",), "### Ranking", "of old"), (("old", "new"), "### Rankings side by side",
                                                                           "of each run")):
        at = opened(*names)
        assert heading in [block.value for block in at.markdown]
        assert any(caption in block.value for block in at.caption)


def test_outcomes_are_those_of_the_run_that_is_looked_at():
    said = counts(widget(opened(look="new"), "selectbox", "case").options)
    assert said == {"All": 30, "Failed in every run shown": 9, "Failed only in new": 0, "Worse than old": 5,
                    "Better than old": 10, "Equal to old": 14, "Only new is best": 10, "Only new is worst": 0,
                    "Only new found a relevant document in its top 10": 0, "Undefined": 1}
    said = counts(widget(opened(look="old"), "selectbox", "case").options)
    assert "Worse than old" not in said and said["Only old is best"] == 5
    assert said["Only old found a relevant document in its top 10"] == 5, "q10 to q14"


@pytest.mark.parametrize(("key", "names"), [("attributes", ["kind=hard", "kind=easy"]),
                                            ("stages", None), ("readings", None)])
def test_the_count_beside_each_choice_is_the_rows_that_it_shows(key, names):
    at = opened(case="equal", text="question")
    control = widget(at, "multiselect", key)
    said = counts(control.options)
    assert len(said) > 1 and (names is None or len(said) == len(names))
    for option, n in zip(control.options, said.values(), strict=True):
        if n:
            own = opened(case="equal", text="question")
            shown(widget(own, "multiselect", key).select(option).run())
            assert len(table(own)) == n, option


@pytest.mark.parametrize(("typed", "n"), [("", 10), ("0.3", 10), ("0,4", 0), ("x", 10)])
def test_better_by_at_least(typed, n):
    at = opened(case="better", least=typed)
    assert len(table(at)) == n  # 1 - 1 / log2(3) = 0.369
    assert ("is not a number" in texts(at)) == (typed == "x")


@pytest.mark.parametrize(("where", "how", "text", "n"), [
    ("question", "plain", "QUESTION 1", 11), ("question", "regex", r"question \d\?", 9), ("question", "plain", "<", 1),
    ("answer", "plain", "storms", 29), ("chunk", "plain", "sea of crises", 15), ("chunk", "plain", "<script>", 30)])
def test_text_is_searched_in_questions_answers_and_chunks(where, how, text, n):
    at = opened(text=text, where=where, **{"as": how})
    assert len(table(at)) == n


def test_a_wrong_expression_is_explained_and_takes_nothing_away():
    at = opened(text="(a", **{"as": "regex"})
    assert "character 1" in at.error[0].value and "Close the bracket" in at.error[0].value
    assert len(table(at)) == QUERIES


def test_what_cannot_be_searched_is_said():
    at = opened("bare", text="x", where="chunk")
    assert "has no such text" in texts(at) and len(table(at)) == QUERIES


def test_what_to_loosen_where_no_query_passes():
    at = opened(case="better", attributes=["kind=easy"])
    assert "Clear the selection of queries first: without it 18 queries pass" in texts(at)
    shown(widget(at, "button", "loosen_attributes").click().run())
    assert len(table(at)) == 10
    at = opened(case="better", attributes=["kind=easy"], text="nowhere")
    shown(widget(at, "button", "loosen_all").click().run())
    assert len(table(at)) == QUERIES


def test_steps_keep_filter_and_order_and_the_address_says_them():
    at = opened(case="better", order="gains")
    ids = list(table(at)["Query"])
    assert at.session_state["query"] == ids[0] and widget(at, "button", "query_before").disabled
    for expected in ids[1:4]:
        shown(widget(at, "button", "query_next").click().run())
        assert at.query_params["query"] == expected and at.header[0].value.startswith(expected)
    assert "Query 4 of 10 shown (30 in total)" in texts(at)
    again = opened(**{key: at.query_params[key] for key in ("case", "order", "query")})
    assert again.header[0].value.startswith(ids[3]) and list(table(again)["Query"]) == ids
    shown(widget(at, "button", "query_before").click().run())
    assert at.query_params["query"] == ids[2]


def test_the_buttons_have_keys():
    at = opened()
    assert [widget(at, "button", f"query_{way}").proto.shortcut.lower() for way in ("before", "next")] == ["p", "n"]


def test_one_query_shows_rankings_grades_evidence_and_moves():
    at = opened(query="q03", k="3")
    page = drawn(at)
    assert "grade 2" in page and "evidence 1" in page and "unjudged" in page and "only in this top k" in page
    assert "from 2" in page, "the document stood at rank 2 in the baseline"
    assert page.count("covers the evidence") >= 2 and "not covered" in page and "not returned" in page
    assert re.search('<td style="[^"]*white-space:nowrap[^"]*">– <small>not returned', page), "on one line"
    assert not at.get("plotly_chart"), "a closed tab costs nothing"
    at.session_state["tab"] = "Rank changes"
    assert any("bump" in str(one.proto) for one in shown(at.run()).get("plotly_chart"))
    assert "**relevant** a" not in texts(at), "two runs found it"
    assert "Blue diamonds: relevant, with the grade in parentheses." in texts(at), "the legend"


def test_of_many_runs_the_rank_changes_draw_those_that_a_phone_has_room_for():
    names = [f"r{number}" for number in range(8)]
    at = opened(*names, own={name: built(name, [1 + at % 3] * QUERIES) for at, name in enumerate(names)})
    at.session_state["tab"] = "Rank changes"
    [chart] = shown(at.run()).get("plotly_chart")
    assert len(json.loads(chart.proto.spec)["layout"]["xaxis"]["ticktext"]) == 6
    assert "6 of 8 runs: the selected run, the baseline" in texts(at)


def test_more_ranks_on_demand():
    own = {"deep": built("deep", [1] * QUERIES, depth=300), "new": built("new", [1] * QUERIES)}
    at = opened("deep", "new", own=own)
    assert "deep\\-0" not in texts(at) and drawn(at).count('scope="row"') < 20
    for ranks in (50, 200, 300):
        shown(widget(at, "button", "ranks_more").click().run())
        assert f">{ranks}</th>" in drawn(at) and f">{ranks + 1}</th>" not in drawn(at)
    assert not has(at, "button", "ranks_more")
    shown(widget(at, "button", "ranks_fewer").click().run())
    assert ">11</th>" not in drawn(at)


def test_texts_are_shown_as_written_and_never_interpreted():
    at = opened(query="q00")
    page = drawn(at)
    assert "<script>" not in page and "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\\*\\*bold\\*\\*" in at.header[0].value and "\\$x\\^2\\$" in at.header[0].value
    assert 'dir="auto"' in page


def test_a_megabyte_chunk_is_cut():
    own = {"long": Run.build("long", ["q00"], ["a"], texts=["x <b> " * 200_000])}
    at = opened("long", own=own, query="q00")
    assert len(drawn(at)) < 40_000


def test_what_should_be_found_is_ordered_by_grade_and_rank_and_says_what_it_leaves_out():
    grades = {**{f"a{n:02}": 1 for n in range(24)}, "top": 2}
    truth = Truth.build("t", ["q"] * 25, list(grades), np.array(list(grades.values())))
    run = Run.build("r", ["q"] * 4, ["a20", "x", "a03", "top"], np.array([4.0, 3.0, 2.0, 1.0]))
    at = opened("r", own={"r": run}, truth=truth, query="q")
    table_html = drawn(at).partition("What should be found")[2]
    places = [table_html.index(doc) for doc in ("top", "a20", "a03", "a00")]
    assert places == sorted(places) and "Not listed: 5 more relevant documents." in texts(at)


def test_answers_word_by_word():
    at = opened(query="q03", tab="Answers")
    assert "Storms</mark>" in drawn(at) and "Missing: “Crises”." in drawn(at) and "<b>Contexts</b>" not in drawn(at)
    shown(widget(at, "button_group", "against").set_value("contexts").run())
    assert "are used as contexts" in drawn(at)
    assert "<b>Contexts</b><ol><li" in drawn(at)


def test_the_selected_run_of_many_is_first_among_the_answers_and_costs_as_among_the_rankings():
    own = {f"run-{at}": built(f"run-{at}", [2] * QUERIES) for at in range(5)}
    own = {name: replace(run, details=run.details.append_column("latency_ms", pa.array([{"retrieval": 9.0}] * QUERIES)))
           for name, run in own.items()}
    at = opened(*own, own=own, look="run-3", baseline="run-1", query="q03", tab="Answers")
    order = ["run-3", "run-1", "run-0", "run-2", "run-4"]
    assert re.findall(r"<b>(run-\d)</b>", drawn(at).partition("Answers of the runs")[2])[:5] == order
    costs = next(one.value for one in at.table if "Run" in one.value)
    assert [re.search(r"run\S*\d", name)[0].replace("\\", "") for name in costs["Run"]] == order


def test_runs_without_an_answer_are_named_behind_the_answers():
    at = opened("bare", "new", query="q03", tab="Answers")
    cards = re.findall(r"<b>(\w+)</b>", drawn(at))
    assert "new" in cards and "bare" not in cards
    assert "bare has no answer to this query." in texts(at)


def test_a_run_with_nothing_but_rankings_and_a_query_without_gold():
    at = opened("bare", query="q29")
    assert "has no relevant document" in texts(at) and "The rankings have ids and no texts" in texts(at)
    assert "score" not in drawn(at).replace("scope", "") and not has(at, "selectbox", "look")
    assert list(table(at).columns) == ["Query", "Question", "NDCG@10", "Stage"]


def test_evidence_below_k_is_found_and_without_texts_it_is_not_known():
    own = {"deep": built("deep", [4] * QUERIES), "bare": runs()["bare"]}
    page = drawn(opened("deep", "bare", own=own, query="q03", k="3"))
    assert page.count("below 3") == 2, "the document and the evidence that it holds"
    assert "unknown" in page and "not covered" not in page


def test_a_query_that_a_run_lacks_is_said():
    own = {"old": runs()["old"], "few": Run.build("few", ["q00"], ["a"])}
    at = opened("old", "few", own=own, query="q05")
    assert "no ranking for this query" in drawn(at)


def test_the_slice_of_the_sidebar_holds():
    at = opened(slice="kind=hard")
    assert len(table(at)) == 12 and "Query 1 of 12. Click" in texts(at), "all are shown, so one number is enough"


@pytest.mark.parametrize("outcome", ["all", "better", "equal", "worse"])
def test_compare_leads_to_exactly_its_queries(outcome):
    at = opened(page="compare/queries", candidate="new", outcome=outcome)
    rows = at.dataframe[-1].value
    link = next(one.proto for one in at.get("page_link") if "side by side" in one.proto.label)
    assert f"Read {len(rows)} quer" in link.label
    followed = follow(link.query_string)
    assert set(table(followed)["Query"]) == set(rows["Query"])
    assert list(table(followed).columns)[-1] == "Stage of new"


def test_a_link_to_a_list_opens_its_first_query_not_the_one_read_last():
    at = opened(page="compare/queries", candidate="new", query="q05")
    link = next(one.proto for one in at.get("page_link") if "side by side" in one.proto.label)
    assert "query=&" in f"{link.query_string}&"


def follow(query: str) -> AppTest:
    from urllib.parse import parse_qs

    return page_cases.opened("queries", **parse_qs(query, keep_blank_values=True))


def test_the_leaderboard_leads_to_each_runs_worst_queries():
    at = opened(page="compare")
    links = {one.proto.label: one.proto.query_string for one in at.get("page_link") if "queries" in str(one.proto)}
    assert set(links) == {"old", "new", "third"}
    rows = table(follow(links["old"]))
    assert rows.columns[-1] == "Stage of old" and rows["old"].dropna().is_monotonic_increasing


def test_the_kinds_of_the_answers_page_lead_to_their_queries():
    at = opened(page="answers", look="new", kind="missed_wrong")
    control = widget(at, "button_group", "kind")
    n = next(int(option.rpartition(" ")[2]) for option in control.options if option.startswith("Not found and wrong"))
    link = next(one.proto for one in at.get("page_link") if "All runs side by side" in one.proto.label)
    assert n and len(table(follow(link.query_string))) == n


def test_nothing_loaded_is_told_what_to_do():
    at = page_cases.opened("queries")
    assert "No runs are loaded yet" in [one.value for one in at.header]


def test_the_box_takes_as_long_a_note_as_is_kept():
    at = opened(query="q03", tab=NOTES)
    shown(widget(at, "text_area", "review_note").set_value("long!" * 20_000).run())
    assert widget(opened(query="q03", tab=NOTES), "text_area", "review_note").value == "long!" * 20_000
    shown(widget(at, "text_area", "review_note").set_value("long!" * 20_000 + "!").run())
    assert not widget(at, "text_area", "review_note").max_chars, "the browser would drop the text without a word"
    assert widget(at, "text_area", "review_note").value == "long!" * 20_000 + "!", "it can be shortened"
    assert "Not saved" in texts(at) and "100,001 characters" in at.error[0].value
    assert widget(opened(query="q03", tab=NOTES), "text_area", "review_note").value == "long!" * 20_000


def test_a_verdict_and_a_note_are_kept_counted_and_filtered():
    at = opened(query="q03", tab=NOTES)
    shown(widget(at, "button_group", "review_verdict").set_value("wrong gold").run())
    shown(widget(at, "text_area", "review_note").set_value("look <b>again</b>").run())
    assert "1 verdict, 1 note and 0 judgments on 1 query" in texts(at)
    again = opened(query="q05", tab=NOTES)  # another session sees it
    assert table(again).set_index("Query").loc["q03", "Yours"] == "wrong gold; “look <b>again</b>”"
    assert widget(again, "button_group", "review_verdict").value is None
    said = counts(widget(again, "multiselect", "marked").options)
    assert said == {"With a note": 1, "Wrong gold": 1}
    shown(widget(again, "multiselect", "marked").set_value(["note"]).run())
    assert list(table(again)["Query"]) == ["q03"]
    assert widget(again, "button_group", "review_verdict").value == "wrong gold"
    assert widget(again, "text_area", "review_note").value == "look <b>again</b>"
    shown(widget(again, "text_area", "review_note").set_value("").run())
    assert "1 verdict, 0 notes" in texts(again)


def test_a_note_that_somebody_else_changed_meanwhile_is_not_lost():
    first, second = opened(query="q03", tab=NOTES), opened(query="q03", tab=NOTES)
    shown(widget(first, "text_area", "review_note").set_value("theirs  ").run())
    shown(widget(second, "text_area", "review_note").set_value("mine").run())
    assert widget(second, "text_area", "review_note").value == "mine\n\ntheirs  "
    assert ["omebody else changed the note" in one.value for one in second.warning] == [True]
    shown(widget(second, "text_area", "review_note").set_value("joined").run())
    assert widget(second, "text_area", "review_note").value == "joined" and not second.warning
    shown(widget(first, "text_area", "review_note").set_value(" ").run())
    assert widget(first, "text_area", "review_note").value == "joined"


def test_a_verdict_on_one_run_is_not_one_on_all():
    at = opened(query="q03", tab=NOTES)
    shown(widget(at, "selectbox", "review_run").set_value(runs()["new"].digest).run())
    shown(widget(at, "button_group", "review_verdict").set_value("wrong run").run())
    shown(widget(at, "selectbox", "review_run").set_value("").run())
    assert widget(at, "button_group", "review_verdict").value is None


def test_a_judgment_counts_where_it_is_applied_and_both_means_are_shown():
    at = opened(query="q12", read="open", tab=NOTES)
    at.session_state["read"] = True
    shown(at.run())
    shown(widget(at, "selectbox", "doc").set_value("new-0").run())
    assert "Unjudged." in texts(at)
    shown(widget(at, "button", "grade_2").click().run())
    assert "Grade 2 (yours)." in texts(at) and "1 judgment" in texts(at)
    without, mine = (evaluate(runs()["new"], truth, "nDCG@10").column("nDCG@10") for truth in (
        the_truth(), with_judgment("q12", "new-0")))
    row = at.table[-1].value.iloc[1]
    assert row["Of the file"].startswith(f"{np.nanmean(without):.3f}")
    assert row["With mine"].startswith(f"{np.nanmean(mine):.3f}") and np.nanmean(mine) > np.nanmean(without)
    before = table(at).set_index("Query").loc["q12", "new"]
    shown(widget(at, "selectbox", "reviewed").set_value("mine").run())
    assert table(at).set_index("Query").loc["q12", "new"] > before == 0
    assert "reviewed" in at.query_params
    board = opened(page="compare", reviewed="mine")
    assert f"{np.nanmean(mine):.3f}" in "".join(leaderboard(board)["NDCG@10"])
    shown(widget(at, "button", "grade_none").click().run())
    assert "Unjudged." in texts(at) and not has(at, "selectbox", "reviewed")


def with_judgment(query: str, doc: str) -> Truth:
    truth = the_truth()
    ids = [truth.query_ids[q].as_py() for q in truth.queries]
    details = truth.details.append_column("query_id", truth.query_ids)
    return Truth.build("truth", [*ids, query], [*truth.docs.to_pylist(), doc], [*truth.grades.tolist(), 2],
                       details=details)


def test_reviews_can_be_taken_along():
    at = opened(query="q03", tab=NOTES)
    assert not has(at, "download_button", "reviews_jsonl")
    shown(widget(at, "button_group", "review_verdict").set_value("fine").run())
    assert any(one.proto.id for one in at.get("download_button") if "reviews_jsonl" in one.proto.id)


def test_a_damaged_file_of_reviews_is_said_on_the_page():
    shown(widget(opened("old", tab=NOTES), "text_area", "review_note").set_value("read twice").run())
    file = Path(ReviewStore().location)
    content = file.read_bytes()
    file.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    for _ in range(2):  # for as long as the damaged file is there
        said = " ".join(warning.value for warning in opened("old").warning).replace("\\", "")
        assert "damaged file of reviews: it was set aside" in said and "reviews.broken-1" in said


def test_judge_next_names_bounds_and_opens_the_document():
    own = {"one": built("one", [2] * QUERIES), "two": built("two", [2] * QUERIES)}
    at = opened("one", "two", own=own)
    at.session_state["judge_next"] = True
    shown(at.run())
    said = texts(at)
    assert "one and two could each have the best NDCG@10" in said
    assert "cannot be forecast" in said and "with a probability of 50%" in said and "judgments settle it" in said
    doubt = next(one.value for one in at.dataframe if "Share of doubt" in one.value.columns)
    assert doubt["Leader changed by here"].is_monotonic_increasing
    assert doubt["Share of doubt"].is_monotonic_decreasing and len(doubt) == 20
    bounds = next(one.value for one in at.table if "If all are" in one.value.columns)
    low, high = (bounds[name].astype(float) for name in ("If none is relevant", "If all are"))
    assert (low < high).all() and len(bounds) == 2
    rows = next(one.value for one in at.dataframe if "Influence" in one.value.columns)
    assert rows["Influence"].is_monotonic_decreasing and set(rows["Document"]) <= {
        f"{run}-{rank}" for run in own for rank in range(4)}
    assert rows["Ranks"][0].split()[0] in own


def test_one_leader_that_nothing_unjudged_can_reach_is_said():
    rows = [(query, "a") for query in IDS]
    own = {"full": Run.build("full", *map(list, zip(*rows, strict=True))),
           "none": Run.build("none", IDS, ["n"] * QUERIES)}
    truth = Truth.build("truth", [*IDS, *IDS], ["a"] * QUERIES + ["n"] * QUERIES, [1] * QUERIES + [0] * QUERIES)
    at = opened("full", "none", own=own, truth=truth)
    at.session_state["judge_next"] = True
    shown(at.run())
    assert "Whatever the unjudged documents turn out to be, full has the best NDCG@10" in texts(at)
