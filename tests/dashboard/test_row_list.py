"""Lists: what one sends is the same for every step, and only the mark changes."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from page_cases import address, opened, shown
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

from ragdash.core.records import Run, Truth
from ragdash.core.text.short_names import NARROW_NAME, short_names
from ragdash.dashboard.components import leaderboard_table
from ragdash.dashboard.widgets import clicks, row_list
from ragdash.reporting.plots.common.margins import text_width

TABLE = pd.DataFrame({"Query": ["q1", "q2"], "Question": ["a?", None], "dense": [0.123456789123, np.nan]})


def sent(at) -> dict[str, object]:
    """What each component of the page gets."""
    return {one.proto.id.rsplit("-", 1)[-1]: one.proto.bytes or one.proto.json for one in at.get("bidi_component")}


def test_cells_keep_their_values_and_an_undefined_one_is_none():
    columns = row_list.columns_of(TABLE, {"Question": 420}, {"dense": ("den", "NDCG of dense")})
    query, question, dense = json.loads(row_list.content(columns, "2 queries")[32:])["columns"]
    assert (query["cells"], question["cells"], dense["cells"]) == (["q1", "q2"], ["a?", None], [0.123456789, None])
    assert (query["is_number"], dense["is_number"], question["width"]) == (False, True, 420)
    assert (dense["label"], dense["help"]) == ("den", "NDCG of dense")


def test_the_first_letters_name_the_content():
    def page(table: pd.DataFrame) -> bytes:
        return row_list.content(row_list.columns_of(table, {}, {}), "2 queries")

    assert page(TABLE) == page(TABLE.copy())
    assert page(TABLE)[:32] != page(TABLE.assign(dense=0.5))[:32]


@pytest.mark.parametrize(("ids", "width"), [(["q1", "q2"], 64), (["Why does a bee die after it stings?", "q2"], 420)])
def test_questions_that_are_their_own_ids_have_the_room_of_questions(ids, width):
    truth = Truth.build("truth", ids, ["a", "a"], [1, 1])
    at = opened("queries", **address(truth, [Run.build("run", ids, ["a", "b"], [1.0, 1.0])]))
    query, *others = json.loads(sent(at)["query_rows"][32:])["columns"]
    assert (query["label"], query["width"]) == ("Query", width) and "Question" not in [one["label"] for one in others]


def test_a_step_leaves_the_list_as_it_is_and_moves_the_mark():
    truth = Truth.build("truth", ["q1", "q2"], ["a", "a"], [1, 1])
    at = opened("queries", **address(truth, [Run.build("run", ["q1", "q2"], ["a", "b"], [1.0, 1.0])]))
    before = sent(at)
    at.button(key="query_next").click()
    after = sent(shown(at.run()))
    assert after["query_rows"] == before["query_rows"]
    assert json.loads(before["query_rows_mark"]) == {"list": "query_rows", "row": 0}
    assert json.loads(after["query_rows_mark"]) == {"list": "query_rows", "row": 1}


@pytest.mark.parametrize("letter", ["m", "W", "0", "i", "…", "漢"])
def test_the_column_of_names_is_as_wide_as_names_that_are_shortened_less(letter):
    widths = {"m": 11.8, "W": 11.2, "0": 7.2, "i": 3.7, "…": 13.5, "漢": 14}  # pixels of 14 pixels, 600, in Source Sans
    names = [f"{letter * 30}{number}{letter * 15}" for number in (1, 2)]
    short = short_names(names, NARROW_NAME)
    needed = max(sum(widths.get(one, 7.2) for one in name) for name in short) + 38  # and its sign, and the air
    assert needed <= leaderboard_table._name_width(short) <= 2 * needed


def test_a_heading_with_ellipses_is_not_cut():
    """An ellipsis is as wide as two letters: a name with two needs more room than one of as many letters without."""
    one, two = (row_list.columns_of(pd.DataFrame({name: [0.5]}), {}, {})[0].width
                for name in ("e5-chunk256-bge-v2", "e5…chunk256-bge…v2"))
    assert len("e5-chunk256-bge-v2") == len("e5…chunk256-bge…v2") and two >= one + 14


def test_a_column_is_as_wide_as_its_widest_text_so_that_others_have_the_rest():
    stages = ["Not retrieved", "No failure found, ranked below k"]
    table = pd.DataFrame({"Stage": stages, "dense": [0.5, 1.0]})
    stage, dense = row_list.columns_of(table, {}, {})
    assert 16 <= stage.width - text_width(stages[1], 14, bold=True) < 24
    assert dense.width == 72 > text_width("dense ↑", 14) + 16


def three_queries():
    """The Queries page of three queries, in the order in which it lists them."""
    ids = ["q1", "q2", "q3"]
    truth = Truth.build("truth", ids, ["a"] * 3, [1] * 3)
    at = opened("queries", **address(truth, [Run.build("run", ids, ["a", "b", "b"], [1.0] * 3)]))
    return at, json.loads(sent(at)["query_rows"][32:])["columns"][0]["cells"]


def click(at, value: object):
    """What the list sends for a click on one of its rows, or what somebody sends in its name."""
    component = next(one.proto for one in at.get("bidi_component") if one.proto.id.endswith("-query_rows"))
    state = WidgetState(id=component.id, json_value=json.dumps({"opened": value}))
    return shown(at._run(WidgetStates(widgets=[state])))


def test_a_click_counts_for_the_rows_that_were_seen_or_not_at_all():
    at, listed = three_queries()
    seen = sent(at)["query_rows"][:32].decode()
    assert click(at, {"list": seen, "row": 2}).session_state["query"] == listed[2]
    assert click(at, {"list": "0" * 32, "row": 1}).session_state["query"] == listed[2]


@pytest.mark.parametrize("row", [99999, -1, "3", "x", "", None, [], {}, 1.5, float("nan"), float("inf"), [1]])
def test_a_forged_click_opens_nothing(row):
    at, listed = three_queries()
    seen = sent(at)["query_rows"][:32].decode()
    for value in (row, {"list": seen, "row": row}, {"list": row, "row": 1}):
        assert click(at, value).session_state["query"] == listed[0]


@pytest.mark.parametrize("rows", [[99999], [-1], ["3"], [None], [[]], [1.5], "x", {}, [], None, 3])
def test_a_forged_row_of_a_table_opens_nothing(rows):
    picked = []
    for sent in ({"selection": {"rows": rows}}, {"selection": rows}, rows):
        clicks.pick_row(sent, ["a", "b"], picked.append)
    assert not picked
    clicks.pick_row({"selection": {"rows": [0]}}, ["a", "b"], picked.append)
    assert picked == ["a"]


@pytest.mark.parametrize("points", [["x"], "x", None, {}, [{"x": 1}], [{"customdata": None}]])
def test_forged_marks_of_a_picture_choose_nothing(points):
    assert clicks.marks({"selection": {"points": points}}) == [] == clicks.marks(points)


def test_a_table_has_another_key_where_it_has_other_rows():
    def page() -> None:
        import pandas as pd
        import streamlit as st

        from ragdash.dashboard.widgets import elements

        st.session_state.setdefault("_runs", ())
        ids = ["q1", "q2", "q3"][: st.session_state.get("rows", 3)]
        elements.frame(pd.DataFrame({"Query": ids}), "table", "Queries", items=ids,
                       pick=lambda query: st.session_state.update(query=query))

    def key_of(at: AppTest) -> str:
        return at.dataframe[0].proto.id.rsplit("-table", 1)[-1]

    at = AppTest.from_function(page, default_timeout=60).run()
    whole = key_of(at)
    at.session_state["rows"] = 1
    fewer = key_of(at.run())
    at.session_state["rows"] = 3
    assert whole != fewer and key_of(at.run()) == whole and not at.exception
