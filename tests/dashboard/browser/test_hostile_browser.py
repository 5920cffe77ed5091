"""A browser on every page of runs whose every field is hostile: no request leaves, no script runs, names are intact."""

from __future__ import annotations

import os

import pytest
from hostile_workspace import TEXTS, VISITS, hostile_case, keep
from live_dashboard import first_visit, start_server, stop, visitor

from ragdash.core.text.short_names import short_names
from ragdash.reporting.sentences.formatting import shorten_middle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WITH_NAMES = ("", "compare", "threshold-bands", "answers", "failures", "queries", "data")
NAMES = [":material/home: :smile: :streamlit: a -> b", "![i](http://hostile.invalid/name.png) &lt;b&gt;",
         "$x^2$ :red[y] <script>window.pwned=9</script> **b** >= c"]


def is_shown(name: str, text: str) -> bool:
    """Whether a text holds a name as it is written, or shortened, alone or so that it differs from the others."""
    together = (short_names(NAMES, length)[NAMES.index(name)] for length in range(16, len(name)))
    return name in text or any(shorten_middle(name, length) in text for length in range(16, len(name))) or any(
        short in text for short in together)


@pytest.fixture(scope="module")
def hostile_server(tmp_path_factory):
    """A server whose workspace is hostile, its address, and the case that it holds."""
    folder = tmp_path_factory.mktemp("hostile")
    case = hostile_case(TEXTS, names=NAMES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGDASH_WORKSPACE", str(folder / "workspace"))
        keep(case, folder / "workspace", TEXTS)
    process, url = start_server(folder / "server.log", RAGDASH_WORKSPACE=str(folder / "workspace"),
                                RAGDASH_CACHE=os.environ["RAGDASH_CACHE"])
    yield url, case
    stop(process, folder / "server.log")


def test_no_request_no_script_and_no_changed_name_on_any_page(browser, hostile_server):
    url, case = hostile_server
    app, faults, context = visitor(browser, url)
    app.page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    try:
        assert not VISITS[0][0] and not VISITS[0][1]
        first_visit(app, case.address(""))
        for path, choices in VISITS:
            app.follow(f"/{case.address(path, **choices)}")
            assert app.page.get_by_test_id("stException").count() == 0, path
            assert app.page.evaluate("window.pwned") is None, path
            text = " ".join(app.page.get_by_test_id("stMain").inner_text().split())
            if path in WITH_NAMES and not choices:
                assert [name for name in NAMES if is_shown(name, text)] == NAMES, (path, text[:3000])
        assert not faults, faults
    finally:
        context.close()
