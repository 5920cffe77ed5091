"""The pages work under the Content-Security-Policy of the recipes for proxies, and under it no request can leave."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from header_proxy import proxy_with_header
from live_dashboard import visitor

pytestmark = [pytest.mark.browser, pytest.mark.slow]
RECIPES = (Path(__file__).parents[3] / "docs/reference/deploy.md").read_text(encoding="utf-8")
POLICIES = re.findall(r'Content-Security-Policy "([^"]+)"', RECIPES)
PAGES = ("", "compare", "precision-recall", "ranking", "score-cutoffs", "answers", "failures", "queries",
         "threshold-bands", "history", "variants", "data", "test-set", "share",
         "metrics")


def test_every_page_works_under_the_policy_and_no_request_leaves(browser, server, samples_link):
    assert len(POLICIES) == 2 and len(set(POLICIES)) == 1, "both proxies send the same"
    with proxy_with_header(server, f"Content-Security-Policy: {POLICIES[0]}") as address:
        app, faults, context = visitor(browser, address)
        refused: list[str] = []
        app.page.on("console", lambda message: "Content Security Policy" in message.text
                    and refused.append(message.text))
        try:
            for page in PAGES:
                app.open(samples_link.replace(f"{server}/?", f"{address}/{page}?"))
                assert app.page.get_by_test_id("stException").count() == 0, page
                if page in ("compare", "precision-recall", "ranking"):
                    app.page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=20_000)
                assert app.page.evaluate("window.ragdashHistory") is True, page  # the script of the shell ran
            assert not refused and not faults, (refused, faults)
            assert app.page.evaluate("""() => {
                document.body.insertAdjacentHTML("beforeend", "<img src='http://leaves.invalid/x.png'>");
                return fetch("http://leaves.invalid/").then(() => "sent", () => "refused");
            }""") == "refused"
            app.page.wait_for_timeout(200)
            assert len(refused) >= 2 and all("leaves.invalid" in text for text in refused), refused
        finally:
            context.close()
