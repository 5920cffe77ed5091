"""What is shared, in a real browser: a saved view with a short address, pictures and tables that are copied."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from ragdash.core.text.short_names import NARROW_NAME

pytestmark = pytest.mark.browser
CLIPBOARD_PICTURE = """navigator.clipboard.read().then(async items => {
    const bitmap = await createImageBitmap(await items[0].getType("image/png"));
    return [bitmap.width, bitmap.height];
})"""
OPACITIES = """signs => signs.map(sign => {
    let opacity = 1;
    for (let place = sign; place; place = place.parentElement) opacity *= Number(getComputedStyle(place).opacity);
    return opacity;
})"""
SIDEBAR_FITS = ("(bar => bar.scrollHeight <= bar.clientHeight)"
                "(document.querySelector('[data-testid=stSidebarContent]'))")


def test_a_saved_view_opens_in_another_browser_by_its_short_address(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/compare?") + "&k=5&detail=slices")
    assert app.page.evaluate(SIDEBAR_FITS) and len(app.page.url) <= 300
    app.go("Share")
    app.page.get_by_label("Name of the view").fill("Slices at 5")
    app.page.get_by_role("button", name="Save this view of Compare").click()
    app.page.get_by_text("Saved. Its address is").wait_for()
    assert app.page.get_by_text("Only this computer can open these addresses").count() == 1
    address = app.page.locator(".st-key-view_slices-at-5 [data-testid=stCode]").inner_text().strip()
    assert address.endswith("/compare?view=slices-at-5") and len(address) <= 120
    root = address.replace("/compare?", "/?")
    other = visit()
    for link in (address, root):  # the short one leads to the page of the view
        other.open(link)
        other.page.get_by_role("heading", name="Compare", level=1).wait_for()
        other.settle()
        assert other.page.url == address and other.page.title() == "Slices at 5 · Compare: By slice · ragdash"
        assert "NDCG@5" in other.page.inner_text(".st-key-finding")
        other.calm()
    other.go("Failures")
    assert "view=" not in other.page.url and "Slices at 5" not in other.page.title()
    other.page.go_back()
    other.page.get_by_role("heading", name="Compare", level=1).wait_for()
    other.settle()
    assert other.page.url == address, "one press leads back"


def test_the_runs_of_an_address_stay_chosen_from_page_to_page(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/compare?") + "&shown=-2")
    for page in ("Ranking", "Precision-recall", "Compare"):
        app.go(page)
        assert "2 shown, 1 hidden" in app.page.inner_text(".st-key-run_picker") and "shown=-2" in app.page.url
    app.calm()


def test_pictures_and_tables_are_copied_and_downloaded_without_the_server(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/compare?") + "&detail=means")
    app.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    app.page.get_by_role("tab", name="Download").last.click()
    app.settle()
    app.chart("means_file")
    starts = {"PNG": b"\x89PNG", "SVG": b"<svg"}
    for form, start in starts.items():
        with app.page.expect_download() as download:
            app.page.get_by_role("button", name=form, exact=True).click()
        assert download.value.suggested_filename == f"ragdash-means.{form.lower()}"
        content = Path(download.value.path()).read_bytes()
        assert content[:4] == start
    for words in (b"Means of NDCG@10", b"Mean over 110 queries with 95% bootstrap intervals (bars).", b"Dashed line",
                  b"sparse"):
        assert words in content.replace(b"\xc2\xa0", b" ")
    app.page.get_by_role("button", name="Copy picture").click()
    app.page.get_by_role("status").get_by_text("Copied.").wait_for()
    width, height = app.page.evaluate(CLIPBOARD_PICTURE)
    assert width == 2 * 960 and height > 200
    app.page.get_by_role("button", name="Copy as Markdown").click()
    app.page.wait_for_function("navigator.clipboard.readText().then(text => text.startsWith('| Run | Mean |'))")
    app.calm()


def test_all_pictures_of_a_report_are_an_archive_that_the_browser_makes(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/share?") + "&sections=summary&sections=curves")
    app.page.get_by_text("All pictures of the report").click()
    app.settle()
    count = app.page.locator("[class*=st-key-picture_] .js-plotly-plot").count()
    assert count >= 2
    for index in range(1, count + 1):
        app.chart(f"picture_{index}")
    for form, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with app.page.expect_download(timeout=60_000) as download:
            app.page.get_by_role("button", name=f"All as {form}").click()
        assert download.value.suggested_filename == f"ragdash-pictures-{form.lower()}.zip"
        with zipfile.ZipFile(download.value.path()) as archive:
            assert archive.testzip() is None and len(archive.namelist()) == count
            assert archive.namelist()[0].startswith("01-") and archive.namelist()[0].endswith(form.lower())
            assert all(archive.read(name).startswith(start) for name in archive.namelist())


def test_runs_added_to_two_are_still_shown_on_the_next_page(visit, tmp_path):
    (tmp_path / "truth.qrels").write_text("".join(f"q{n} 0 a 1\n" for n in range(8)))
    for at, name in enumerate("abcd"):
        (tmp_path / f"{name}.trec").write_text("".join(f"q{n} Q0 {'ab'[(n + at) % 2]} 1 {at}.5 t\n" for n in range(8)))
    app = visit().open("overview").upload(*(str(tmp_path / name) for name in ("truth.qrels", "a.trec", "b.trec")))
    app.upload(str(tmp_path / "c.trec"), str(tmp_path / "d.trec"))
    app.go("Compare").go("Overview")
    assert "4 of 4 runs" in app.page.locator(".st-key-run_picker").inner_text()
    app.calm()


def test_names_of_the_leaderboard_are_as_long_as_the_screen_has_room_for(visit, tmp_path):
    names = [f"{search}_with_bge_m3_and_chunks_of_512_tokens_overlap_64_reranked" for search in ("dense", "hybrid")]
    (tmp_path / "truth.qrels").write_text("".join(f"q{n} 0 a 1\n" for n in range(8)))
    for name in names:
        (tmp_path / f"{name}.trec").write_text("".join(f"q{n} Q0 {name[n % 3]} 1 0.5 t\n" for n in range(8)))
    files = [str(tmp_path / name) for name in ("truth.qrels", *(f"{name}.trec" for name in names))]
    app = visit(viewport={"width": 1920, "height": 900}).open("overview").upload(*files).go("Compare")
    cells = app.page.locator(".rd-rows tr[data-row] td:first-child")
    assert {text[1:] for text in cells.all_inner_texts()} == set(names)
    assert app.page.locator(".rd-rows").evaluate("list => list.scrollWidth === list.clientWidth")
    app.resize(390)
    longest = "Math.max(...[...document.querySelectorAll('.rd-rows td:first-child')].map(td => td.innerText.length))"
    app.page.wait_for_function(f"{longest} <= {NARROW_NAME + 1}")
    shown = {text[1:] for text in cells.all_inner_texts()}
    assert len(shown) == 2, shown
    app.resize(1920)
    app.page.wait_for_function(f"{longest} > {NARROW_NAME + 1}")
    assert {text[1:] for text in cells.all_inner_texts()} == set(names), "they grow again without a reload"
    app.calm()


def test_a_segmented_control_is_on_the_line_of_the_fields_next_to_it(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/share?"))
    labels = app.page.locator(".st-key-one_page_bar [data-testid=stWidgetLabel]")
    labels.nth(2).wait_for()
    tops = [labels.nth(at).bounding_box()["y"] for at in range(labels.count())]
    assert len(tops) == 3 and max(tops) - min(tops) < 2, tops


def test_the_parts_next_to_the_chosen_one_keep_their_edges_where_the_row_ends(visit, samples_link):
    app = visit(viewport={"width": 390, "height": 844})
    app.open(samples_link.replace("/?", "/compare?") + "&detail=means")  # Means begins the second row
    chosen = app.page.locator("[data-variant=segmented_control][data-selected]", has_text="Means")
    colors = chosen.evaluate("""chosen => [[chosen.previousElementSibling, "borderRightColor"],
        [chosen.nextElementSibling, "borderLeftColor"]].map(([part, edge]) => getComputedStyle(part)[edge])""")
    assert "rgba(0, 0, 0, 0)" not in colors, colors


def test_signs_of_runs_in_captions_are_as_strong_as_the_marks_of_the_picture(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/compare?detail=similarity&"))
    signs = app.page.locator("[data-testid=stCaptionContainer] span", has_text=re.compile("^[●■◆]$"))
    assert signs.count() >= 3 and set(signs.evaluate_all(OPACITIES)) == {1}


def test_an_embedded_page_has_no_frame_and_the_same_content(visit, samples_link):
    app = visit()
    for path in ("/?", "/overview?", "/compare?"):
        app.open(samples_link.replace("/?", path) + "&embed=true")
        assert app.page.get_by_role("heading", level=1).is_visible()
        for part in ("stSidebar", "stHeader", "stExpandSidebarButton"):
            assert not app.page.get_by_test_id(part).is_visible(), (path, part)
        content = app.page.get_by_test_id("stMainBlockContainer").bounding_box()
        assert content["x"] < 60 and content["width"] > 0.9 * app.page.viewport_size["width"], content
        app.calm()
