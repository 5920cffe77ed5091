"""From the leaderboard to the five queries that explain a difference, as a person walks; keys and links."""

from __future__ import annotations

import re

import pytest
from test_browser import copied_link, shown_in

pytestmark = pytest.mark.browser


def head(app) -> str:
    """The question that is shown."""
    return app.page.locator(".st-key-one_query h2").first.inner_text()


def wait_for_head(app, true: str, arg: str) -> None:
    """Wait for a question of which this is so; true: of `head`, the question, and `arg`."""
    app.page.wait_for_function(f"arg => {{ const head = document.querySelector('.st-key-one_query h2')?.innerText; "
                               f"return head && {true}; }}", arg=arg)


def test_from_the_leaderboard_to_the_five_queries_that_explain_a_difference(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/compare?"))
    app.part("detail", "Query by query")
    app.page.locator(".st-key-outcome").get_by_text(re.compile("^Worse")).click()
    app.settle()
    link = app.page.get_by_role("link", name=re.compile(r"Read \d+ queries side by side"))
    n = int(re.search(r"\d+", link.inner_text())[0])
    link.click()
    app.page.get_by_role("heading", name="Queries", level=1).wait_for()
    app.settle().calm()
    assert re.search(rf"Query 1 of {n} shown \(122 in total\)", app.page.inner_text(".st-key-query_steps"))
    assert "case=worse" in app.page.url and "order=losses" in app.page.url
    seen, whole_runs = [head(app)], app.whole_runs
    for _ in range(4):
        app.page.keyboard.press("n")
        wait_for_head(app, "head !== arg", seen[-1])
        app.settle()
        seen.append(head(app))
        assert app.page.get_by_role("region", name="Rankings side by side").count() == 1
    app.page.get_by_role("tab", name="Rank changes").click()
    app.chart("bump")
    app.page.get_by_role("tab", name="Rankings and verdicts").click()
    app.settle()
    assert app.whole_runs == whole_runs, "steps and tabs draw their section alone"
    assert len(set(seen)) == 5 and "5 of " in app.page.inner_text(".st-key-query_steps")
    app.page.keyboard.press("p")
    wait_for_head(app, "head === arg", seen[3])
    app.settle().calm()
    query = re.search("query=[^&]+", app.page.url)[0]
    assert query in copied_link(app), "the link follows the step"
    again = visit().open(app.page.url)
    assert head(again) == seen[3] and "4 of " in again.page.inner_text(".st-key-query_steps")


def test_a_click_on_a_heading_sorts_the_leaderboard_and_one_on_a_row_or_the_keyboard_chooses_a_run(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/compare?detail=queries&"))
    table = app.page.locator(".st-key-leaderboard_runs table")
    names = table.locator("tbody td:first-child button")
    before, runs = names.all_inner_texts(), app.whole_runs
    table.get_by_role("button", name="Recall@10").click()
    by_recall = table.locator("tbody tr:has(button) td:nth-child(6)").all_inner_texts()
    assert by_recall == sorted(by_recall) and names.all_inner_texts() != before and app.whole_runs == runs
    table.get_by_role("button", name="Recall@10").click()
    assert table.locator("tbody tr:has(button) td:nth-child(6)").all_inner_texts() == by_recall[::-1]
    sorted_by = table.locator("th[aria-sort=descending]")
    app.until(lambda: [text.split()[0] for text in sorted_by.all_inner_texts()] == ["Recall@10"])
    candidate = app.page.locator("[class*=st-key-candidate]")
    for name, choose in (("sparse", lambda run: run.click()), ("hybrid", lambda run: run.press("Enter"))):
        choose(names.get_by_text(name))
        app.settle()
        assert candidate.locator("input").input_value() == name
    table.locator("tr", has_text="baseline").click()
    app.settle().calm()
    assert candidate.locator("input").input_value() == "hybrid"
    app.page.locator(".st-key-baseline input").click()
    app.page.get_by_role("option", name="sparse", exact=True).click()
    table.locator("tr", has_text="baseline").filter(has_text="sparse").wait_for()
    assert sorted_by.inner_text().startswith("Recall@10"), "other content is sorted as before"


def test_from_the_leaderboard_over_the_failures_to_one_query(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/compare?"))
    app.go("Failures").calm()
    assert "first fix" in app.page.inner_text("[data-testid=stMain]")
    assert app.page.title() == "Failures: Where queries go wrong · ragdash"
    link = app.page.locator(".st-key-stage_not-retrieved").get_by_role("link", name=re.compile("sparse"))
    n = int(re.search(r"(\d+) .*sparse", link.inner_text())[1])
    link.click()
    app.page.get_by_role("heading", name="Queries", level=1).wait_for()
    app.settle().calm()
    assert f"Query 1 of {n} shown (122 in total)" in app.page.inner_text(".st-key-query_steps")
    assert "stages=not-retrieved" in app.page.url
    first = head(app)
    app.page.keyboard.press("n")
    wait_for_head(app, "head !== arg", first)
    assert "Not retrieved: 0 of" in app.settle().page.inner_text(".st-key-one_query")
    assert app.page.title() == "Queries: Rankings and verdicts · ragdash"
    app.page.get_by_role("tab", name="Rank changes").click()
    app.page.wait_for_function("document.title === 'Queries: Rank changes · ragdash'")


def test_a_click_into_the_waterfall_opens_what_is_lost_there(visit, samples_link):
    app = visit(color_scheme="dark").open(samples_link.replace("/?", "/failures?"))
    shown_in(app, "dark")
    app.chart("waterfall")
    lost = app.page.locator(".st-key-waterfall .barlayer .trace").nth(1).locator(".point path")
    wide = max((lost.nth(at).bounding_box() for at in range(lost.count())), key=lambda box: box["width"])
    most = app.chart("waterfall").evaluate(
        "gd => gd.data[1].customdata[gd.calcdata[1].reduce((top, bar, at, all) => bar.s > all[top].s ? at : top, 0)]")
    app.page.mouse.click(wide["x"] + wide["width"] * 0.9, wide["y"] + wide["height"] / 2)
    app.page.get_by_role("heading", name="Queries", level=1).wait_for()
    app.settle().calm()
    assert f"stages={most}" in app.page.url


def test_a_text_opens_by_a_click_with_the_evidence_marked_and_a_letter_typed_into_the_search_is_no_step(
        visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/queries?query=q001&"))
    mark = app.page.locator("details mark").first
    assert not mark.is_visible()
    app.page.locator("details:has(mark) summary").first.click()
    assert mark.is_visible() and "Sea of Crises" in app.page.locator("details[open]").inner_text()
    app.page.get_by_role("tab", name="Rank changes").click()
    assert app.chart("bump").locator(".scatterlayer .point").count() > 10
    app.calm()
    app.follow(samples_link.replace("/?", "/queries?"))
    before = head(app)
    field = app.page.get_by_role("textbox", name="Search")
    field.click()
    field.press_sequentially("n")
    app.settle()
    assert head(app) == before
    field.fill("lunar")
    field.press("Enter")
    app.settle()
    assert "text=lunar" in app.page.url


# where each mark of the map is in the window: {query: [x, y]}
MARKS = """() => {
    const plot = document.querySelector('.st-key-query_map .js-plotly-plot'), at = plot.getBoundingClientRect();
    const { xaxis, yaxis, _size: size } = plot._fullLayout, marks = {};
    plot._fullData.forEach(trace => plot.calcdata[trace.index].forEach(mark => {
        if (mark.x !== undefined) marks[trace.hovertext[mark.i].split(':')[0]] =
            [at.left + size.l + xaxis.c2p(mark.x), at.top + size.t + yaxis.c2p(mark.y)];
    }));
    return marks;
}"""


def test_a_lasso_on_the_map_opens_exactly_its_queries_at_the_top_of_their_page(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/failures?"))
    app.page.get_by_role("tab", name="Query map").click()
    app.settle()
    app.chart("query_map").evaluate("chart => chart.scrollIntoView({block: 'center'})")
    app.calm()
    marks = app.page.evaluate(MARKS)
    x = sorted(place[0] for place in marks.values())
    gap = max(range(len(x) - 4, len(x) - 1), key=lambda i: x[i] - x[i - 1])  # the widest on the right
    inside = {query for query, place in marks.items() if place[0] >= x[gap]}
    left, right = (x[gap - 1] + x[gap]) / 2, x[-1] + 15
    low, high = (sign(place[1] for place in marks.values()) for sign in (min, max))
    corners = [(left, low - 8), (right, low - 8), (right, high + 8), (left, high + 8), (left, low - 8)]
    app.page.mouse.move(*corners[0])
    app.page.mouse.down()
    for corner in corners[1:]:
        app.page.mouse.move(*corner, steps=8)
    app.page.mouse.up()
    app.page.get_by_role("heading", name="Queries", level=1).wait_for()
    app.settle().calm()
    assert 2 <= len(inside) < 5 and f"Only {len(inside)} queries picked" in app.page.inner_text("[data-testid=stMain]")
    assert app.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0
    seen = {head(app).partition(":")[0]}
    for _ in inside - seen:
        before = head(app)
        app.page.keyboard.press("n")
        wait_for_head(app, "head !== arg", before)
        app.settle()
        seen.add(head(app).partition(":")[0])
    assert seen == inside


def test_a_note_that_is_left_by_a_click_on_another_page_is_kept_and_that_page_is_drawn(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/queries?"))
    app.page.get_by_role("tab", name="Read").click()
    app.settle()
    note = app.page.get_by_role("textbox", name="Note")
    note.click()
    note.type("the date is missing")
    app.page.get_by_role("link", name="Failures").first.click()
    app.page.get_by_role("heading", name="Failures", level=1).wait_for()
    app.settle()
    assert len(app.page.inner_text("[data-testid=stMain]")) > 300
    app.go("Queries").page.get_by_role("tab", name="Read").click()
    app.settle()
    assert app.page.get_by_role("textbox", name="Note").input_value() == "the date is missing"


def test_a_text_that_is_left_by_a_click_on_another_page_leaves_no_page_empty(visit, samples_link):
    app = visit()
    for page, choice, name, text, other in (
            ("queries", "", "Search", "moon", "Failures"), ("queries", "case=worse", "By at least", "0.2", "Overview"),
            ("compare", "detail=queries", "Margin", "0.02", "Queries")):
        app.follow(samples_link.replace("/?", f"/{page}?") + f"&{choice}")
        field = app.page.get_by_test_id("stMain").get_by_role("textbox", name=name).first
        field.click()
        field.type(text)
        app.page.get_by_role("link", name=other).first.click()
        app.page.get_by_role("heading", name=other, level=1).wait_for()
        app.settle()
        assert len(app.page.inner_text("[data-testid=stMain]")) > 300, (page, name)


FADE = 48  # pixels at the right edge of a list that scrolls
CUT_NUMBERS = "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.innerText)"
NARROW_QUESTION = 415  # pixels: a list with a column for the stages that somebody chose scrolls
CUT_LINKS = """() => [...document.querySelectorAll('[data-testid=stMain] [data-testid=stPageLink-NavLink] p')]
    .filter(text => text.scrollWidth > text.parentElement.clientWidth + 1).map(text => text.innerText)"""


def test_on_a_narrow_screen_values_are_in_view_next_to_questions_and_no_link_is_cut(visit, samples_link):
    app = visit(viewport={"width": 1024, "height": 900}).open(samples_link)
    assert app.page.get_by_role("link", name="Its setting, price and recipe").count() == 1
    assert app.page.evaluate(CUT_LINKS) == []
    app.go("Queries")

    def is_in_view(heading: str) -> bool:
        rows = app.page.locator(".rd-rows").bounding_box()
        box = app.page.locator(".rd-rows th", has_text=heading).first.bounding_box()
        fades = app.page.locator("[data-more-right] > .rd-rows").count() * FADE
        return box["x"] + box["width"] <= rows["x"] + rows["width"] - fades

    assert all(map(is_in_view, ("dense", "hybrid", "Range")))
    reviewed = app.page.locator(".rd-rows th", has_text="Yours").count()  # by an earlier test: one more column
    assert reviewed or is_in_view("Stage of sparse")
    below = app.page.locator(".rd-below").first
    assert len(below.inner_text().split()) >= 5, "a question has a line of its own next to many columns"
    app.resize(1920)
    app.until(lambda: app.page.locator(".rd-rows th", has_text="Question").count() == 1)
    app.resize(390)
    app.until(lambda: app.page.locator(".rd-below").count() > 0)
    assert len(below.inner_text().split()) >= 5, "a question has a line of its own on a phone"
    assert below.bounding_box()["width"] >= 300 and not app.page.locator(".rd-rows th", has_text="Question").count()
    app.resize(1024)
    app.go("Compare").resize(390)
    cut = app.page.locator(".rd-rows td.rd-number").evaluate_all(CUT_NUMBERS)
    assert cut == [], "no number gives way"
    app.resize(1024).go("Queries")
    app.resize(1440)
    widths = "list => [list.scrollWidth - list.clientWidth, list.querySelectorAll('th')[1].offsetWidth]"

    def questions_give_way_first() -> bool:
        beyond, question = app.page.locator(".rd-rows").evaluate(widths)
        return not beyond or question < NARROW_QUESTION

    app.until(questions_give_way_first)
    app.resize(1024)


def test_a_question_that_is_its_own_id_has_the_room_that_the_list_leaves(visit, tmp_path):
    """A list of three columns in 1,024 pixels: a question is cut only where the words of the next one would not fit."""
    question = "By how much did the service stay below its core revenue resource limit in the year {}?"
    rows = "".join(f'"{question.format(2000 + number)}",No answer.,{number}\n' for number in range(12))
    (path := tmp_path / "bot.csv").write_text(f"question,answer,reference\n{rows}")
    app = visit(viewport={"width": 1024, "height": 900}).open("data")
    app.page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(str(path))
    app.page.get_by_text("12 queries").first.wait_for()
    app.settle().go("Queries")
    cell, numbers, room = app.page.evaluate("""() => {
        const [first, ...others] = document.querySelectorAll('.rd-rows tbody tr[data-row] td');
        const range = document.createRange();
        range.selectNodeContents(first);
        return [[first.clientWidth, range.getBoundingClientRect().width, first.innerText.length],
                others[0].clientWidth, document.querySelector('.rd-rows').clientWidth]; }""")
    width, text, letters = cell
    assert width > room - 2 * numbers - 120, "what the other columns do not need"
    assert letters > 40 and text > 0.85 * (width - 16), (cell, numbers, room)
