"""A page that is left while a field was just typed: the text is kept, and the other page is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragdash.evaluation.latency_cost import Price, PriceTable, read_prices, write_prices

pytestmark = pytest.mark.browser


def note(app):
    app.page.get_by_role("tab", name="Read").click()
    app.settle()
    return app.page.get_by_role("textbox", name="Note")


def type_note(app, text: str) -> None:
    """Type it instead of what an earlier test has left, and stay in the field."""
    field = note(app)
    field.click()
    app.page.keyboard.press("Control+A")
    field.type(text)


def queries(visit, samples_link, before: str = ""):
    """The page Queries, with another page before it in the history of the browser."""
    app = visit().open(samples_link.replace("/?", f"/{before}?" if before else "/queries?") + "&query=q009")
    return app.go("Queries") if before else app


def assert_drawn(app, heading: str) -> None:
    app.page.get_by_role("heading", name=heading, level=1).wait_for()
    app.settle()
    assert len(app.page.inner_text("[data-testid=stMain]")) > 300


def assert_kept(app, text: str) -> None:
    app.go("Queries")
    assert note(app).input_value() == text


def press_on_link(app, name: str) -> None:
    app.page.get_by_role("link", name=name).first.focus()
    app.page.keyboard.press("Enter")


def test_a_note_that_is_left_by_the_keyboard_is_kept(visit, samples_link):
    app = queries(visit, samples_link)
    for is_left_by_tab in (True, False):
        text = f"left by the keyboard {is_left_by_tab}"
        type_note(app, text)
        if is_left_by_tab:
            app.page.keyboard.press("Tab")
        press_on_link(app, "Failures")
        assert_drawn(app, "Failures")
        assert_kept(app, text)


def test_a_note_that_is_left_by_a_step_back_is_kept(visit, samples_link):
    app = queries(visit, samples_link, "failures")
    type_note(app, "left by a step back")
    app.page.evaluate("() => { history.back(); }")
    assert_drawn(app, "Failures")
    assert_kept(app, "left by a step back")


def test_a_name_that_is_typed_into_an_open_popover_is_kept_when_a_link_is_pressed(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/data?"))
    app.page.get_by_role("button", name="Edit").first.click()
    app.settle()
    field = app.page.get_by_test_id("stPopoverBody").get_by_role("textbox", name="Name")
    field.fill("")
    field.type("renamed run")
    press_on_link(app, "Overview")
    assert_drawn(app, "Overview")
    assert "renamed run" in app.page.inner_text("[data-testid=stMain]")


def test_a_link_that_is_pressed_while_the_link_of_the_view_is_open_opens_its_page(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/compare?"))
    app.page.get_by_role("button", name="Show link").click()
    app.page.get_by_test_id("stPopoverBody").wait_for()
    press_on_link(app, "Failures")
    assert_drawn(app, "Failures")


def test_a_page_that_is_loaded_again_while_a_file_is_sent_leaves_no_traceback_in_the_log(visit, fresh_server):
    app = visit(fresh_server).open("data")  # the server looks at its log when it is stopped
    network = app.page.context.new_cdp_session(app.page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 500_000})
    content = b'{"query_id": "q1", "retrieved": ["d1"]}\n' * 100_000
    with app.page.expect_request(lambda request: request.method == "PUT"):
        app.page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
            [{"name": "run.jsonl", "mimeType": "application/json", "buffer": content}])
    app.page.wait_for_timeout(1_000)  # some of it has arrived
    app.reload()
    app.page.get_by_role("heading", name="Data", level=1).wait_for()


def test_half_a_character_is_replaced_and_the_page_goes_on(visit, samples_link):
    """The log of the server, which is looked at as it stops, has no traceback."""
    app = queries(visit, samples_link)
    type_note(app, "whole \U0001f600 ")
    app.after_a_run(lambda: app.page.evaluate("""() => {
        const field = document.activeElement;
        const value = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value");
        value.set.call(field, field.value + "half \\ud83d.");
        field.dispatchEvent(new Event("input", {bubbles: true}));
        field.blur();
    }"""))
    app.reload()
    assert note(app).input_value() == "whole \U0001f600 half \ufffd."


def test_a_note_is_kept_at_a_reload_while_its_field_is_typed_in(visit, samples_link):
    app = queries(visit, samples_link)

    def is_kept() -> bool:
        type_note(app, "typed, then reloaded")
        return note(app.reload()).input_value() == "typed, then reloaded"

    app.until(is_kept)  # a server that is busy for long may not take it before the page has gone


def test_a_note_is_kept_when_its_tab_is_closed_while_it_is_typed_in(visit, samples_link):
    other = queries(visit, samples_link)

    def is_kept() -> bool:
        app = queries(visit, samples_link)
        type_note(app, "typed, then closed")
        app.page.close(run_before_unload=True)
        return note(other.reload()).input_value() == "typed, then closed"

    other.until(is_kept)


def test_a_price_whose_cell_is_still_open_is_kept_by_the_click_that_closes_it(visit, samples_link):
    """The table sends its last cell a moment after the click on the button."""
    app = visit().open(samples_link.replace("/?", "/threshold-bands?") + "&bands_part=speed")
    box = app.page.locator("[data-testid=stExpander]", has_text="Prices")
    box.locator("summary").first.click()
    app.settle()
    prices = write_prices(PriceTable((Price("model-1", 0.5),))).encode()
    box.locator("input[type=file]").set_input_files({"name": "p.toml", "mimeType": "text/plain", "buffer": prices})
    app.settle()
    table = box.locator("[data-testid=stDataFrame] canvas").first
    table.scroll_into_view_if_needed()
    app.page.wait_for_timeout(500)  # the canvas draws its rows
    corner = table.bounding_box()
    app.page.mouse.click(corner["x"] + 260, corner["y"] + 52)
    app.page.wait_for_timeout(300)
    app.page.keyboard.type("7")
    app.page.locator("#portal input").wait_for()
    app.page.get_by_role("button", name="Keep these prices").click()
    app.page.get_by_text("Keeping the prices").wait_for()
    app.page.get_by_text("Keeping the prices").wait_for(state="detached")
    app.settle()
    with app.page.expect_download() as download:
        app.page.get_by_role("button", name="Download TOML").click()
    downloaded = Path(download.value.path()).read_bytes()
    assert read_prices(("p.toml", downloaded)).prices == (Price("model-1", 7.0),)


def test_a_title_that_the_click_on_the_download_leaves_is_in_the_report(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/share?"))
    field = app.page.get_by_role("textbox", name="Title")
    field.click()
    field.type("A title typed last")
    with app.page.expect_download() as download:
        app.page.get_by_role("button", name="Download the one-page report").click()
    assert "A title typed last" in Path(download.value.path()).read_text()
