"""What a person does: files from disk, every page, a copied link, both themes, a small screen."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path

import pytest
from header_proxy import proxy_with_header
from live_dashboard import LARGE, visitor

from ragdash.dashboard import page_list
from ragdash.dashboard.pages.answers import page as answers
from ragdash.dashboard.pages.compare import page as compare
from ragdash.dashboard.pages.data import page as data
from ragdash.dashboard.pages.threshold_bands import page as threshold_bands
from ragdash.dashboard.session import state
from ragdash.dashboard.widgets import browser_modules

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "sample_runs"
PAGES = {path.replace("queries", "queries?query=q001"): title for path, title in page_list.addresses().items()
         if path not in ("overview", "data", "variants")}  # those are opened in other ways
VIEWS = {"": "Overview", "data": "Data", **PAGES, "data?data_part=evidence": "Data",
         "data?data_part=relink": "Data",
         "compare?detail=queries": "Compare", "compare?detail=slices": "Compare",
         "compare?detail=means": "Compare", "compare?detail=similarity": "Compare",
         "compare?detail=settings": "Compare",
         "answers?part=judge": "Answers", "answers?part=validation": "Answers",
         "threshold-bands?bands_part=speed": "Threshold bands", "variants": "Variants"}
MOVED = {"runs?k=7": ("Data", "/data?"), "leaderboard?k=7": ("Compare", "/compare?"),
         "judges?k=7": ("Answers", "part=judge"), "trust?k=7": ("Answers", "part=validation"),
         "speed-cost?k=7": ("Threshold bands", "bands_part=speed")}
TALLEST = {1440: 2_600, 390: 4_500}  # width of the window -> pixels of a page with the samples
PARTS = {state.COMPARE_PART: compare.PARTS, state.ANSWERS_PART: answers.PARTS, state.BANDS_PART: threshold_bands.PARTS,
         state.DATA_PART: data.PARTS}
# Streamlit reads these options as a page loads, the same on each: these views have colors of their own, one is a part
EMBEDDED = [("", "dark"), ("compare?detail=means", "dark"), ("compare?detail=means", "light"),
            ("queries?query=q001", "light"), ("failures", "dark"), ("data?data_part=relink", "light")]
INK = {"light": "rgb(11, 16, 22)", "dark": "rgb(232, 236, 241)"}
CELL = "document.querySelector('[aria-label=\"Rankings side by side\"] td b')"
DENSE = {"light": "#0072B2", "dark": "#AAE0FF"}
COLOR_RULES = ["color-contrast", "link-in-text-block"]
PREFERS_DARK = "matchMedia('(prefers-color-scheme: dark)').matches"
RECIPES = (ROOT / "docs/reference/deploy.md").read_text(encoding="utf-8")
POLICIES = re.findall(r'Content-Security-Policy "([^"]+)"', RECIPES)
LEAVES = "leaves.invalid"
BROKEN = {
    "name": "broken.jsonl",
    "mimeType": "application/octet-stream",
    "buffer": b'{"query_id": "q1", "retrieved": [\n',
}
# Streamlit's own, which a page cannot change: (rule, data-testid of the element or of what it stands in)
NOT_OURS = {
    ("list", "stSidebarNavItems"),
    ("listitem", "stSidebarNavItems"),
    ("presentation-role-conflict", "stFileUploaderDropzone"),
}
RUN_AXE = """async options => (await axe.run(document, {resultTypes: ['violations'], ...options}
)).violations.flatMap(v => v.nodes.map(n => {
    const place = document.querySelector(n.target[0])?.closest('[data-testid]');
    return {rule: v.id, place: place?.dataset.testid, html: n.html.slice(0, 300), target: n.target};
}))"""


def files(*names: str) -> list[str]:
    return [str(SAMPLES / f"{name}.jsonl") for name in names]


def with_samples(app):
    """A page of Data on which the button for the samples was pressed."""
    app.page.get_by_role("button", name="Open the samples").click()
    app.page.get_by_role("heading", name="Runs (3)").wait_for()
    return app.settle()


def faults_of(app, axe: str, accepted=frozenset(NOT_OURS), only_colors: bool = False) -> list[str]:
    """What axe finds on the page, but for what is accepted; only_colors: by the rules that an appearance can break."""
    if not app.page.evaluate("'axe' in window"):
        app.page.evaluate(axe)
    options = {"runOnly": COLOR_RULES} if only_colors else {}
    return [f"{app.page.url.partition('?')[0]}: {fault}" for fault in app.page.evaluate(RUN_AXE, options)
            if (fault["rule"], fault["place"]) not in accepted]


def shown_in(app, scheme: str, view: str = "") -> None:
    """The page has the appearance of this scheme, and so has what is particular to this view."""
    app.on_ground(scheme)
    drawn_in(app, scheme, view)


def drawn_in(app, scheme: str, view: str) -> None:
    """What is particular to this view is drawn, and has the colors of this scheme."""
    if view == "compare?detail=means":
        assert {trace["color"] for trace in app.data("means")} >= {DENSE[scheme]}
        assert len(app.data("means")) == 3
    elif view == "compare?detail=similarity":
        app.chart("likeness_matrix")
    elif view.startswith("queries"):
        app.page.get_by_role("region", name="Rankings side by side").wait_for()
        assert app.page.evaluate(f"getComputedStyle({CELL}).color") == INK[scheme]
    elif view == "failures":
        app.chart("waterfall")


def no_taller_than_allowed(app) -> None:
    """The page with the samples is read without much scrolling."""
    height = app.page.get_by_test_id("stMain").evaluate("node => node.scrollHeight")
    assert height <= TALLEST[app.page.viewport_size["width"]]


def copied_link(app) -> str:
    """The link as the popover shows it."""
    app.page.get_by_role("button", name="Show link").click()
    app.settle()
    link = app.page.get_by_test_id("stPopoverBody").locator("code").inner_text().strip()
    app.page.keyboard.press("Escape")
    return link


def test_files_from_disk_to_every_picture(visit):
    app = visit().open().upload(*files("dense", "sparse", "truth"))
    app.calm()
    app.page.get_by_role("heading", name="Runs (2)").wait_for()
    app.go("Overview")
    assert "95% interval over 110 queries" in app.page.inner_text("[data-testid=stMain]")
    app.go("Compare")
    assert re.search(
        r"has the highest NDCG@10, 0\.\d{3} \[0\.\d{3},\s0\.\d{3}\] \(95% CI\)\.",
        app.page.inner_text(".st-key-finding"),
    )
    assert app.page.get_by_test_id("stTable").first.locator("tbody tr").count() == 5, "one candidate on five metrics"
    app.part("detail", "Means")
    assert len(app.data("means")) == 2
    assert app.chart("means").locator(".scatterlayer .point").count() == 2
    app.go("Precision-recall")
    for key in ("curve_P", "curve_R"):
        lines = [trace for trace in app.data(key) if trace["name"] in ("dense", "sparse")]
        assert [trace["points"] for trace in lines] == [30, 30]
        assert app.chart(key).locator(".scatterlayer .js-line").count() >= 2
        assert app.chart(key).locator(".fills .js-fill, .scatterlayer .js-fill").count() == 2
    assert app.chart("trade_off").locator(".scatterlayer .point").count() == 2 * 5
    app.go("Ranking")
    assert app.chart("first_rank").locator(".bars .point").count() == 2 * 8
    assert len(app.data("at_RR")) == len(app.data("at_nDCG")) == 2
    assert app.chart("per_query").locator(".scatterlayer .point").count() > 10
    app.go("Metrics and help")
    assert app.page.locator(".katex").count() >= 1
    app.calm()


def test_a_copied_link_opens_the_same_view_in_the_appearance_of_another_browser(visit, samples_link):
    app = visit(color_scheme="dark").open(samples_link)
    app.go("Precision-recall")
    app.page.locator(".st-key-axis").get_by_text("Linear").click()
    app.settle()
    app.page.locator(".st-key-curves").get_by_text("NDCG").click()
    app.settle()
    link = copied_link(app)
    other = visit(color_scheme="light").open(link)
    other.calm()
    assert other.page.get_by_role("heading", name="Precision-recall", level=1).count() == 1
    assert DENSE["light"] in [trace["color"] for trace in other.data("curve_P")]
    assert {trace["name"] for trace in other.data("curve_nDCG")} >= {"dense", "sparse", "hybrid"}
    assert other.chart("curve_P").evaluate("gd => gd._fullLayout.xaxis.type") == "linear"
    assert [trace["name"] for trace in other.data("curve_P")] == [trace["name"] for trace in app.data("curve_P")]
    assert copied_link(other) == link


def test_pictures_are_drawn_once_because_their_margins_hold_their_labels(visit, samples_link):
    """Plotly draws a second time where it has to widen a margin."""
    app = visit()
    for page, keys in {"compare": ["forest"], "failures": ["waterfall", "by_slice"],
                       "precision-recall": ["curve_P", "trade_off"], "ranking": ["at_RR"]}.items():
        app.follow(samples_link.replace("/?", f"/{page}?"))
        for key in keys:
            given, drawn = app.chart(key).evaluate(
                "({_fullLayout: {margin, _size}}) => [margin, _size].map(({l, r, t, b}) => [l, r, t, b])")
            assert given == drawn, (page, key)


def test_what_tables_and_figures_are_drawn_with_is_fetched_while_files_are_read(visit):
    app = visit().open().upload(str(ROOT / "sample_runs" / "dense.jsonl"))
    fetched = "() => performance.getEntriesByType('resource').map(entry => entry.name).join(' ')"
    app.until(lambda: all(f"/{name}." in app.page.evaluate(fetched) for name in browser_modules.TABLES))
    app.until(lambda: all(f"/{name}." in app.page.evaluate(fetched) for name in browser_modules.FIGURES))


def test_a_click_on_another_page_while_something_is_open_shows_that_page(visit, samples_link):
    app = visit().open(samples_link)
    app.page.set_default_timeout(20_000)
    for opened, inside, page in (("Show link", "code", "Data"), ("Edit", "input", "Queries")):
        app.page.get_by_test_id("stPopoverButton").filter(has_text=opened).first.click()
        app.page.get_by_test_id("stPopoverBody").locator(inside).first.wait_for()
        app.page.get_by_test_id("stSidebarNav").get_by_role("link", name=page, exact=True).click()
        app.page.get_by_role("heading", name=page, exact=True, level=1).wait_for()
        app.settle()
        assert app.page.get_by_role("heading", name=page, exact=True, level=1).is_visible()
        assert "run=" in app.page.url


def test_the_name_and_the_button_of_a_card_do_not_scroll(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/data?"))
    rows = app.page.locator('[class*="st-key-card_"] [data-testid="stHorizontalBlock"]')
    assert rows.count() == 3
    assert set(rows.evaluate_all("rows => rows.map(row => getComputedStyle(row).overflow)")) == {"visible"}


def test_figures_offer_no_upload_a_table_is_one_tab_away_and_the_address_reopens_the_view(visit, samples_link):
    app = visit().open(samples_link.replace("/?", "/compare?detail=means&"))
    app.page.locator(".st-key-means .js-plotly-plot").first.hover()
    app.page.locator(".st-key-means .modebar-btn").first.wait_for(state="attached")
    names = app.page.locator(".modebar-btn").evaluate_all("buttons => buttons.map(button => button.dataset.title)")
    assert names and not [name for name in names if "share" in name.lower() or "cloud" in name.lower()]
    field = app.page.get_by_role("combobox", name="Cutoff k")
    field.click()
    field.fill("7")
    field.press("Enter")
    app.page.locator(".st-key-means").get_by_text("NDCG@7").first.wait_for()
    app.settle()
    app.reload()
    assert "NDCG@7" in app.page.inner_text(".st-key-finding")
    assert re.search(r"[?&]k=7(&|$)", app.page.url) and "run=" in app.page.url
    app.page.get_by_role("tab", name="All numbers").click()
    app.settle()
    with app.page.expect_download() as download:
        app.page.get_by_role("button", name="Download", exact=True).click()
        app.page.get_by_role("button", name="CSV", exact=True).nth(1).click()  # every number; the first is for a paper
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0].startswith("Run,Metric,Mean,Low,High,n,") and len(lines) == 1 + 3 * 5
    assert download.value.suggested_filename == "ragdash-leaderboard.csv"


def test_every_page_every_tab_and_every_earlier_address_is_visited_here():
    assert {view.partition("?")[0] for view in VIEWS} == {
        "" if entry.path == page_list.DEFAULT_PAGE else entry.path for entry in page_list.entries()}
    assert {path.partition("?")[0] for path in MOVED} == set(page_list.MOVED)
    for key, parts in PARTS.items():
        later = list(parts)[1:]
        assert all(any(f"{key}={part}" in view for view in VIEWS) for part in later), (key, later)


def test_addresses_of_an_earlier_version_open_what_shows_them_now_and_the_back_button_returns(visit, samples_link):
    app = visit()
    for path, (title, part) in MOVED.items():
        app.follow(samples_link.replace("/?", f"/{path}&"))
        app.page.get_by_role("heading", name=title, level=1).wait_for()
        app.settle().calm()
        assert part in app.page.url and "k=7" in app.page.url and "run=" in app.page.url, path
        assert app.page.get_by_text("Page not found").count() == 0
    app.follow(samples_link)
    app.go("Compare").go("Ranking")
    app.page.locator(".st-key-across").wait_for()
    for title in ("Compare", "Overview"):
        app.page.go_back()
        app.page.get_by_role("heading", name=title, level=1).wait_for()
        app.settle().calm()
        assert app.page.title().startswith(title)


@pytest.fixture(scope="module")
def proxy(server):
    """The address of a proxy that adds the policy of the recipes."""
    assert len(POLICIES) == 2 and len(set(POLICIES)) == 1, "both proxies send the same"
    with proxy_with_header(server, f"Content-Security-Policy: {POLICIES[0]}") as address:
        yield address


@contextmanager
def guarded(browser, proxy):
    """(App, refused): a page behind the proxy; refused fills with what the policy stops."""
    app, faults, context = visitor(browser, proxy)
    refused: list[str] = []
    app.page.on("console", lambda message: "Content Security Policy" in message.text and refused.append(message.text))
    yield app, refused
    context.close()
    assert not [fault for fault in faults if LEAVES not in fault], faults


@pytest.fixture(scope="module")
def framed(browser, proxy):
    with guarded(browser, proxy) as page:
        yield page


@pytest.fixture(scope="module")
def tour(browser, server, proxy, samples_link):
    """(App, link, refused): a page with the samples that goes from view to view."""
    link = samples_link.replace(server, proxy)
    with guarded(browser, proxy) as (app, refused):
        yield app.open(link), link, refused


@pytest.mark.parametrize(("path", "title"), VIEWS.items(), ids=list(VIEWS))
def test_a_page_in_both_themes_at_both_widths_is_accessible_under_the_policy(tour, axe_source, path, title):
    (app, link, refused), address = tour, path + ("&" if "?" in path else "?")
    app.page.set_viewport_size(LARGE)
    app.follow(link.replace("/?", f"/{address}"))
    heading = app.page.get_by_role("heading", name=title, level=1)
    heading.wait_for()
    first, second = ("dark", "light") if app.page.evaluate(PREFERS_DARK) else ("light", "dark")
    shown_in(app, first, path)
    app.calm()
    no_taller_than_allowed(app)
    faults = faults_of(app, axe_source) if axe_source else []
    app.resize(390).calm()
    no_taller_than_allowed(app)
    drawn_in(app, first, path)
    app.appear(second).calm()
    drawn_in(app, second, path)
    app.resize(1440).calm()
    shown_in(app, second, path)
    if path in ("compare", "precision-recall", "ranking"):
        app.page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=20_000)
    assert heading.count() == 1
    faults += faults_of(app, axe_source, only_colors=True) if axe_source else []
    assert not faults, "\n".join(faults)
    assert app.page.evaluate("window.ragdashHistory") is True, "the script of the shell ran"
    assert not refused, refused


@pytest.mark.parametrize(("view", "embedded"), EMBEDDED)
def test_an_address_opens_embedded_in_its_appearance_under_the_policy_of_the_recipes(framed, server, proxy,
                                                                                     samples_link, view, embedded):
    app, refused = framed
    app.page.emulate_media(color_scheme="light" if embedded == "dark" else "dark")  # the address overrules it
    address = view + ("&" if "?" in view else "?")
    link = samples_link.replace(f"{server}/?", f"{proxy}/{address}embed=true&embed_options={embedded}_theme&")
    app.open(link).calm()
    assert app.page.get_by_role("heading", name=VIEWS[view], level=1).count() == 1
    assert "embed=true" in app.page.url and f"embed_options={embedded}_theme" in app.page.url
    shown_in(app, embedded, view)
    assert app.page.evaluate("window.ragdashHistory") is True, "the script of the shell ran"
    assert not [text for text in refused if LEAVES not in text], refused


def test_under_the_policy_no_request_leaves(framed, proxy):
    app, refused = framed
    app.open(f"{proxy}/metrics")
    before = len(refused)
    assert app.page.evaluate("""leaves => {
        document.body.insertAdjacentHTML("beforeend", `<img src='http://${leaves}/x.png'>`);
        return fetch(`http://${leaves}/`).then(() => "sent", () => "refused");
    }""", LEAVES) == "refused"
    app.until(lambda: len(refused) >= before + 2)
    assert all(LEAVES in text for text in refused[before:]), refused


def test_a_phone_closes_the_menu_with_a_choice_and_says_that_a_table_goes_on(visit, samples_link):
    app = visit(viewport={"width": 390, "height": 844}).open(samples_link)
    page = app.page
    page.get_by_test_id("stExpandSidebarButton").click()
    link = page.get_by_test_id("stSidebar").get_by_role("link", name="Compare", exact=True)
    page.wait_for_function("document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().x === 0")
    link.click()
    page.wait_for_function("document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().right <= 0")
    page.get_by_role("heading", name="Compare", level=1).wait_for()
    app.settle().calm()
    table = "document.querySelector('[data-testid=stMain] [data-testid=stTable]')"
    page.wait_for_function(f"{table}.hasAttribute('data-more-right')")
    assert "scroll" in page.evaluate(f"getComputedStyle({table}, '::after').content")
    assert page.evaluate(f"{table}.firstElementChild.tabIndex") == 0, "the keyboard scrolls it too"
    page.evaluate(f"{table}.firstElementChild.scrollLeft = 10_000")
    page.wait_for_function(f"!{table}.hasAttribute('data-more-right')")
    leaderboard = "document.querySelector('.st-key-leaderboard_runs .rd-list')"
    page.wait_for_function(f"{leaderboard}.hasAttribute('data-more-right')")
    app.resize(1440)
    page.wait_for_function("!document.querySelector('[data-more-right]')")


def test_without_a_mouse_no_button_of_a_picture_is_above_its_words(browser, samples_link):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(samples_link.replace("/?", "/score-cutoffs?"))
    page.locator(".modebar").first.wait_for(state="attached")
    bars = page.locator(".modebar").evaluate_all("bars => bars.map(bar => getComputedStyle(bar).display)")
    assert bars and set(bars) == {"none"}
    hint = "getComputedStyle(document.querySelector('[data-testid=stDataFrame][data-more-right]'), '::after')"
    page.wait_for_function("document.querySelector('[data-testid=stDataFrame][data-more-right]')")
    assert page.evaluate(f"{hint}.left") == "2px", "the hint is not above the buttons of the table"
    context.close()


def test_a_broken_file_is_explained_loses_nothing_and_is_accessible(visit, samples_link, axe_source):
    app = visit().open(samples_link.replace("/?", "/data?"))
    app.upload(BROKEN)  # no click: the tooltip of what is under the mouse is Streamlit's
    alert = app.page.get_by_test_id("stAlert").first
    alert.wait_for()
    assert "broken.jsonl" in alert.inner_text() and "Traceback" not in app.page.inner_text("body")
    assert app.page.get_by_role("heading", name="Runs (3)").count() == 1
    app.calm()
    faults = faults_of(app, axe_source) if axe_source else []
    app.appear("dark")
    alert.wait_for()
    shown_in(app, "dark")
    faults += faults_of(app, axe_source) if axe_source else []
    assert not faults, "\n".join(faults)


def test_a_run_that_lost_its_zeros_is_fixed_with_one_click(visit):
    lines = [f"q{q} Q0 2506.{q + step:03d} {step + 1} {9 - step} lost" for q in range(1, 21) for step in range(3)]
    qrels = [f"q{q} 0 2506.{q + 1:03d}00 1" for q in range(1, 21)]
    app = visit().open().upload(*({"name": name, "mimeType": "text/plain", "buffer": "\n".join(text).encode()}
                                  for name, text in (("lost.run", lines), ("qrels.txt", qrels))))
    app.page.get_by_role("button", name="Match ids with restored leading zeros").wait_for()
    assert "lost returns no document that is judged" in app.page.inner_text(".st-key-ledger")
    button = app.page.get_by_role("button", name="Match ids with restored leading zeros")
    button.scroll_into_view_if_needed()  # a click would do it, and move all of the page
    top = app.page.locator(".st-key-ledger").bounding_box()["y"]
    button.click()
    app.page.get_by_role("button", name="Undo").wait_for()
    app.settle().calm()
    assert "lost can be measured: 20 queries" in app.page.inner_text(".st-key-ledger")
    assert "ids matched" in app.page.inner_text(".st-key-run_cards")
    assert app.page.locator(".st-key-ledger").bounding_box()["y"] == pytest.approx(top, abs=2)
    app.go("Compare")
    assert "lost reaches NDCG@10 0.6" in app.page.inner_text(".st-key-finding")
    link = copied_link(app)
    other = visit().open(link)
    assert "lost reaches NDCG@10 0.6" in other.page.inner_text(".st-key-finding") and copied_link(other) == link
    app.go("Data")
    app.page.get_by_role("button", name="Undo").click()
    app.page.locator(".st-key-ledger").get_by_text("lost returns no document").wait_for()
    app.settle().calm()
