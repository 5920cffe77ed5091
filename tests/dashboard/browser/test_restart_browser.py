"""A restart of the server does not lose the view of an open page."""

from __future__ import annotations

import pytest
from live_dashboard import ROOT, free_port, link_to, start_server, stop, visitor

pytestmark = [pytest.mark.browser, pytest.mark.slow]
FILES = [str(ROOT / "sample_runs" / f"{name}.jsonl") for name in ("dense", "sparse", "truth")]


def test_the_first_click_after_a_kill_finds_the_same_runs(browser, tmp_path):
    port, workspace = free_port(), str(tmp_path / "workspace")
    process, url = start_server(tmp_path / "first.log", port=port, RAGDASH_WORKSPACE=workspace)
    app, _, context = visitor(browser, url)

    def restart(number: int) -> None:
        nonlocal process
        process.kill()
        process.wait()
        before = app.finished
        process, _ = start_server(tmp_path / f"{number}.log", port=port, RAGDASH_WORKSPACE=workspace)
        app.until(lambda: app.finished > before)  # the page asks by itself
        app.drawn()

    try:
        app.open().upload(*FILES)
        link_to(app, runs=2)
        app.go("Ranking")
        restart(1)
        choice = app.page.get_by_test_id("stSidebar").get_by_role("combobox", name="Metric")
        before = choice.input_value()
        choice.click()
        app.page.keyboard.press("ArrowDown")
        app.after_a_run(lambda: app.page.keyboard.press("Enter"))
        assert choice.input_value() != before
        assert app.page.get_by_text("No runs are loaded yet").count() == 0
        app.calm()
        restart(2)
        app.go("Failures")
        assert app.page.get_by_text("No runs are loaded yet").count() == 0
        app.calm()
        link_to(app.go("Data"), runs=2)
    finally:
        context.close()
        stop(process, tmp_path / "2.log")
