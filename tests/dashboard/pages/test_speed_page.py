"""Speed & cost: the numbers of the tables, the front, prices that are kept, and what is said where nothing is told."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from page_cases import OpenContainer, address, charts, opened
from test_pages import SAMPLES, texts, with_runs

from ragdash.core.records import Run, Truth
from ragdash.dashboard.pages.threshold_bands.speed_cost import price_table
from ragdash.dashboard.session.data_store import LOADED, SessionRun, workspace
from ragdash.evaluation.latency_cost import Price, PriceTable, read_prices, write_prices
from ragdash.io import read_run
from ragdash.reporting.sentences import formatting as fmt
from ragdash.reporting.sentences.latency_cost import duration, money

QUERIES = 40
IDS = [f"q{at:02}" for at in range(QUERIES)]


def details(speed: float, **more) -> pa.Table:
    times = speed * (1 + np.arange(QUERIES))
    parts = [{"retrieval": float(ms), "generation": 9 * float(ms)} for ms in times]
    return pa.table({"query_id": IDS, "latency_ms": pa.array(parts, pa.struct(
        [(stage, pa.float64()) for stage in ("retrieval", "rerank", "generation", "total")])), **more})


def session(*runs: Run, **more) -> dict:
    return address(Truth.build("truth", IDS, ["a"] * QUERIES, np.ones(QUERIES, int)), runs, metric="RR", **more)


def run(name: str, speed: float, rank: int, **more) -> Run:
    """Every query has its document at this rank, and takes 10 * speed ms times its number."""
    settings = more.pop("settings", {})
    rows = [(query, doc) for query in IDS for doc in [*(f"x{at}" for at in range(rank - 1)), "a"]]
    return Run.build(name, *map(list, zip(*rows, strict=True)), details=details(speed, **more), settings=settings)


def tokens(many: int) -> dict:
    return {"prompt_tokens": pa.array([many] * QUERIES), "completion_tokens": pa.array([many // 10] * QUERIES)}


def test_runs_that_are_as_fast_share_the_first_place():
    at = opened("threshold-bands/speed", **session(run("slow", 10, 1), run("fast", 1, 2), run("rapid", 1.04, 2)))
    assert "**fast** and **rapid** are the fastest: " in texts(at)
    assert "**slow** takes 10 times as long" in texts(at)
    alike = opened("threshold-bands/speed", **session(run("a", 1, 1), run("b", 1.04, 2)))
    assert "All runs take as long: " in texts(alike) and "the fastest" not in texts(alike)


def test_the_table_states_mean_and_percentiles():
    at = opened("threshold-bands/speed", **session(run("slow", 10, 1), run("fast", 1, 2)))
    table = at.table[0].value
    whole = 100.0 * (1 + np.arange(QUERIES))
    assert list(table.columns) == ["Run", "Average", "P50", "P90", "P99", "Cost per query", "n"]
    assert table["n"].tolist() == ["40"] * 2
    assert duration(whole.mean()) in table["Average"][0] and duration(whole.mean() / 10) in table["Average"][1]
    for share in (50, 90, 99):
        assert f"**{duration(np.percentile(whole, share))}**" in table[f"P{share}"][0]
    said = texts(at)
    assert "**fast** is the fastest" in said and "**slow** takes 10 times as long" in said
    front = "Choose between **slow** and **fast**: every other run is no better than one of them in MRR and in average"
    assert front in said
    assert (
        f"from **fast** to **slow** costs {duration((whole.mean() - whole.mean() / 10) / 0.5 * 0.01)} a query" in said
    )


def test_a_slice_or_a_dominated_run_is_seen_in_the_front():
    at = opened("threshold-bands/speed", **session(run("good", 1, 1), run("bad", 5, 3)))
    said = texts(at)
    assert "than **good**." in said and said.count("Compare") == 1 and "whether a difference is real" in said
    assert set(charts(at)) == {"pareto", "ecdf"}
    names = [trace["name"] for trace in charts(at)["pareto"]["data"]]
    assert names == ["front", "good", "bad"]


def test_the_picture_of_one_run_does_not_speak_of_others():
    runs = [run("slow", 10, 1), run("fast", 1, 2)]
    captions = [["Pareto front" in one.value for one in opened("threshold-bands/speed", **session(*some)).caption
                 if "Bars are" in one.value] for some in (runs[:1], runs)]
    assert captions == [[False], [True]]


def test_the_ecdf_can_be_of_one_stage():
    at = opened("threshold-bands/speed", **session(run("one", 1, 1), stage="retrieval"))
    (line,) = charts(at)["ecdf"]["data"]
    assert "retrieval" in charts(at)["ecdf"]["layout"]["xaxis"]["title"]["text"] and line["name"] == "one"
    at.segmented_control(key="stage").set_value("generation").run()
    assert not at.exception and at.query_params["stage"] in ("generation", ["generation"])


def test_runs_that_take_as_long_and_a_stage_that_is_all_are_said_once():
    alone = pa.array([{"retrieval": 5.0 + at % 7} for at in range(QUERIES)], pa.struct([("retrieval", pa.float64())]))
    runs = [run("one", 1, 1), run("two", 1, 2)]
    runs = [replace(each, details=pa.table({"query_id": IDS, "latency_ms": alone})) for each in runs]
    at = opened("threshold-bands/speed", **session(*runs))
    assert "All runs take as long: 7.8" in texts(at) and "fastest" not in texts(at)
    assert not [one for one in at.segmented_control if one.key == "stage"], "retrieval is the whole"


def test_recorded_costs_and_prices_by_token():
    recorded = run("recorded", 1, 1, cost_usd=pa.array([0.25] * QUERIES))
    priced = run("priced", 1, 2, settings={"model": "m-1"}, **tokens(1000))
    workspace().keep_prices(write_prices(PriceTable((Price("m-1", 0.01, 0.1),))))
    at = opened("threshold-bands/speed", **session(recorded, priced, paid="cost"))
    cells = at.table[0].value["Cost per query"].str.replace("\\", "")
    assert money(0.25) in cells[0] and "as recorded" in cells[0]
    assert money(0.02) in cells[1] and "by price of m-1" in cells[1]
    assert "costs $0.0200 a query" in texts(at).replace("\\", "") and "in cost per query" in texts(at)


def test_dollars_in_names_are_no_formula():
    """A dollar sign that is escaped twice begins a formula: \\\\$x$ is a backslash and a formula."""
    names = ["$x^2$ a", "$y^2$ b"]
    runs = [run(name, at, at + 1, cost_usd=pa.array([0.25 * (at + 1)] * QUERIES)) for at, name in enumerate(names, 1)]
    at = opened("threshold-bands/speed", **session(*runs, paid="cost"))
    for name in names:
        assert any(f"{fmt.escape(name)}**" in cell for cell in at.table[0].value["Run"])
        assert f"**{fmt.escape(name)}**" in texts(at)
    assert "\\\\$" not in texts(at) + "".join(at.table[0].value["Run"])


def test_tokens_without_a_price_say_what_is_missing():
    at = opened("threshold-bands/speed", **session(run("one", 1, 1, **tokens(1000))))
    assert "1,000" in at.table[0].value["Prompt tokens"][0] and at.table[0].value["Cost per query"][0] == "unknown"
    assert "Cost unknown" in texts(at) and "Choose prices in the box “Prices” below." in texts(at)


def test_without_tokens_the_page_says_what_to_add_before_prices_help():
    at = opened("threshold-bands/speed", **session(run("one", 1, 1)))
    words = texts(at).replace("\\", "")
    assert "Cost unknown: neither costs nor token counts in the file. Add prompt_tokens" in words


def test_who_may_not_add_prices_is_not_sent_to_a_box_that_is_not_there(monkeypatch):
    monkeypatch.setenv("RAGDASH_READ_ONLY", "1")
    text = texts(opened("threshold-bands/speed", **session(run("one", 1, 1))))
    assert "Cost unknown" in text and "box “Prices”" not in text and "price table of the workspace" in text


def test_runs_without_times_say_which_columns_bring_them():
    at = opened("threshold-bands/speed", **with_runs(2))
    assert "No latency or token data" in texts(at)
    for column in ("latency_ms", "prompt_tokens", "completion_tokens", "cost_usd"):
        assert f"`{column}`" in texts(at)
    assert not at.table


def test_a_run_without_times_among_others_keeps_its_row():
    bare = Run.build("bare", IDS, ["a"] * QUERIES)
    at = opened("threshold-bands/speed", **session(run("one", 1, 1), bare))
    assert at.table[0].value["Average"].tolist()[1] == "–" and at.table[0].value["n"][1] == "0"


def test_a_negative_time_is_told_and_the_others_are_shown():
    broken = Run.build("broken", ["q00"], ["a"], details=pa.table({"query_id": ["q00"], "latency_ms": [-1.0]}))
    at = opened("threshold-bands/speed", **session(run("one", 1, 1), broken))
    assert not at.exception and "-1 in latency" in texts(at).replace("\\", "")


def test_the_samples_show_what_they_measured():
    runs = [read_run(SAMPLES / f"{name}.jsonl") for name in ("dense", "sparse")]
    LOADED.put(truth := Truth.build("t", runs[0].query_ids, ["x"] * len(runs[0]), [1] * len(runs[0])))
    links = [SessionRun(LOADED.put(one), one.name, at).token for at, one in enumerate(runs)]
    at = opened("threshold-bands/speed", run=links, truth=truth.digest[:12])
    assert "**sparse** is the fastest" in texts(at)


def test_edited_prices_are_kept_and_wrong_ones_told():
    frame = pd.DataFrame([["a", 0.1, np.nan, 0.0], [" ", 1.0, 1.0, 1.0], [None, 1.0, 0.0, 0.0]],
                         columns=list(price_table.COLUMNS.values()))
    price_table.save_edited(frame, {"r": ["a", "gone"], "other": ["gone"]}, PriceTable())
    assert read_prices(("p", workspace().prices().encode())) == PriceTable((Price("a", 0.1),), {"r": ("a",)})
    assert price_table.current_prices() == PriceTable((Price("a", 0.1),), {"r": ("a",)})


def uses_of_the_run(at):
    """The choice of the prices of the first run."""
    key = f"uses_{at.session_state['_runs'][0].digest[:8]}"
    return next(widget for widget in at.multiselect if widget.key.startswith(key))


def test_two_people_who_keep_prices_keep_those_of_both(monkeypatch):
    """Each edited the table that was there before either kept it."""
    shown = PriceTable((Price("a", 1.0), Price("b", 2.0)), {"r": ("b",)})
    workspace().keep_prices(write_prices(shown))
    columns = list(price_table.COLUMNS.values())
    price_table.save_edited(pd.DataFrame([["a", 1.5, 0.0, 0.0], ["b", 2.0, 0.0, 0.0]], columns=columns),
                            {"r": ["b"], "one": ["a"]}, shown)
    price_table.save_edited(pd.DataFrame([["a", 1.0, 0.0, 0.0], ["c", 3.0, 0.0, 0.0]], columns=columns),
                            {"two": ["c"]}, shown)
    assert price_table.current_prices() == PriceTable((Price("a", 1.5), Price("c", 3.0)),
                                                      {"two": ("c",), "one": ("a",)})
    notices = []
    monkeypatch.setattr(price_table.state, "set_notice", notices.extend)
    price_table.save_edited(pd.DataFrame([["a", 1.25, 0.0, 0.0], ["b", 2.0, 0.0, 0.0]], columns=columns), {}, shown)
    assert [(notice.message, notice.facts["value"]) for notice in notices] == [("text-changed", "1.5, 0, 0")]
    price_table.save_edited(pd.DataFrame([["a", -1.0, 0.0, 0.0]], columns=columns), {}, shown)
    assert len(price_table.current_prices().prices) == 2, "a wrong table changes nothing"
    workspace().keep_prices("not TOML")
    price_table.save_edited(pd.DataFrame([["d", 4.0, 0.0, 0.0]], columns=columns), {}, PriceTable())
    assert price_table.current_prices().prices == (Price("d", 4.0),)


def test_a_file_of_prices_replaces_only_the_table_that_was_shown(monkeypatch):
    shown, theirs, ours = (PriceTable((Price(name, 1.0),)) for name in ("old", "theirs", "ours"))
    workspace().keep_prices(write_prices(shown))
    monkeypatch.setattr(price_table.state, "uploaded_file", lambda key: io.BytesIO(write_prices(ours).encode()))
    notices = []
    monkeypatch.setattr(price_table.state, "set_notice", lambda problems: notices.extend(problems))
    workspace().keep_prices(write_prices(theirs))  # by another person
    price_table._take_file(shown)
    assert price_table.current_prices() == theirs
    assert [problem.message for problem in notices] == ["changed-meanwhile"]
    price_table._take_file(theirs)
    assert price_table.current_prices() == ours


def test_the_editor_shows_the_prices_and_is_not_there_read_only(monkeypatch):
    workspace().keep_prices(write_prices(PriceTable((Price("m", 0.5),), {"one": ("m",)})))
    real = price_table.st.expander
    monkeypatch.setattr(price_table, "SETTLED", 0)
    monkeypatch.setattr(price_table.st, "expander", lambda *rest, **more: OpenContainer(real(*rest, **more)))
    link = session(run("one", 1, 1, **tokens(1000)))
    at = opened("threshold-bands/speed", **link)
    assert uses_of_the_run(at).value == ["m"]
    at.button(key="keep_prices").click().run()
    assert not at.exception and price_table.current_prices().prices == (Price("m", 0.5),)
    workspace().keep_prices(write_prices(PriceTable((Price("m", 0.5), Price("theirs", 1.0)), {"one": ("m",)})))
    assert uses_of_the_run(at.run()).options == ["m", "theirs"]
    uses_of_the_run(at).set_value(["theirs"]).run()
    workspace().keep_prices(write_prices(PriceTable((Price("m", 0.75), Price("late", 2.0)), {"other": ("m",)})))
    workspace().add_run(at.session_state["_runs"][0].run)
    assert uses_of_the_run(at.run()).value == ["theirs"], "what is chosen stays while others change the workspace"
    at.button(key="keep_prices").click().run()
    assert price_table.current_prices() == PriceTable((Price("m", 0.75), Price("late", 2.0)), {"other": ("m",)})
    assert uses_of_the_run(at).options == ["m", "late"]
    monkeypatch.setenv("RAGDASH_READ_ONLY", "1")
    seen = opened("threshold-bands/speed", **link)
    assert "keep_prices" not in {one.key for one in seen.button} and "box “Prices”" not in texts(seen)


@pytest.mark.parametrize(("value", "said"), [(0.734, "0.73\u00a0ms"), (276.4, "276\u00a0ms"), (1280, "1.28\u00a0s"),
                                             (23.44, "23.4\u00a0ms"), (np.nan, "–"), (0, "0\u00a0ms")])
def test_times_in_words(value, said):
    assert duration(value) == said


@pytest.mark.parametrize(("value", "said"), [(1.2, "$1.20"), (0.0123, "$0.0123"), (0.00015, "$0.000150"), (0, "$0.00"),
                                             (np.nan, "–"), (1234.5, "$1,234.50")])
def test_dollars_in_words(value, said):
    assert money(value) == said


def test_the_cards_of_overview_have_the_cost_next_to_the_time():
    recorded, timed = run("recorded", 1, 1, cost_usd=pa.array([0.25] * QUERIES)), run("timed", 1, 2)
    for runs, words in (((timed,), "cost unknown"), ((recorded, timed), "$0.250 per query"),
                        ((recorded, timed), "cost unknown")):
        at = opened("overview", **session(*runs))
        notes = [caption.value.replace("\\", "") for caption in at.caption if " per query" in caption.value]
        assert any(note.endswith(f" · {words}") for note in notes), notes
