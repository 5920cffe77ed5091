"""Files that look fine and mean nothing, dropped on the first page: what Overview says of each in a browser."""

from __future__ import annotations

import pytest
from test_traps import FIXES, TRAPS, faults

pytestmark = pytest.mark.browser


def overview(app) -> str:
    return app.page.inner_text("[data-testid=stMain]")


def test_overview_says_of_traps_what_is_wrong_and_what_follows(visit, tmp_path):
    app, wrong = visit(), {}
    for name in TRAPS:
        runs, judgments = TRAPS[name].write(tmp_path / name)
        app.open("").upload(*map(str, (*runs, *judgments))).calm()
        marks = app.page.locator("[data-testid=stMain] .stMarkdownBadge").all_inner_texts()
        found = faults(overview(app), {mark.strip() for mark in marks}, TRAPS[name])
        if fix := FIXES.get(name):
            app.page.locator(".st-key-verdict").get_by_role("button", name=fix).click()  # an open check has it too
            app.settle().calm()
            found += [] if "Clear winner" in overview(app) else [f"no clear winner after {fix!r}"]
        wrong |= {name: found} if found else {}
    assert not wrong, wrong
