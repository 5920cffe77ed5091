"""Figures as files: plotly's JSON, and PNG and SVG, which kaleido draws with a Chromium of this machine."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ragdash.core.errors import InputError, Problem
from ragdash.reporting.tables.export import FileFormat

FIGURE_FORMATS = {"png": FileFormat("PNG", "png", "image/png"), "svg": FileFormat("SVG", "svg", "image/svg+xml"),
            "json": FileFormat("Plotly JSON", "json", "application/json")}
BROWSERS = ("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome", "google-chrome-stable",
            "chrome", "msedge")
WIDTH, SCALE = 1000, 2  # pixels, and how many pixels of the file make one of them


def find_browser() -> str | None:
    """Path of a Chromium: that of the environment's CHROMIUM or BROWSER_PATH, else one on the path; None if none."""
    configured = os.environ.get("CHROMIUM") or os.environ.get("BROWSER_PATH")
    if configured:
        return shutil.which(configured)
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def missing_requirement() -> Problem | None:
    """What keeps this machine from drawing PNG and SVG, with its fix; None where nothing does."""
    if importlib.util.find_spec("kaleido") is None:
        return Problem("no-kaleido", field="--format")
    if find_browser() is None:
        return Problem("no-browser", {"browsers": list(BROWSERS[:3])}, field="--format")
    return None


def render_figure(figure, form: str, *, background: str = "#ffffff", width: int = WIDTH) -> bytes:
    """A plotly figure as one of PICTURES, its height as in its layout; else as `pictures`."""
    return render_figures([figure], form, background=background, width=width)[0]


def render_figures(figures: Sequence, form: str, *, background: str = "#ffffff", width: int = WIDTH) -> list[bytes]:
    """Several at once, which starts the browser once. width: pixels; a PNG has SCALE times as many.

    background: of png and svg, as "#rrggbb". Nothing is fetched: no MathJax, and plotly.js comes with plotly.
    InputError where png and svg cannot be drawn on this machine, or the browser fails.
    """
    if form == "json":
        return [figure.to_json().encode() for figure in figures]
    problem = missing_requirement()
    if problem:
        raise InputError([problem])
    requests = []
    for figure in figures:
        content = figure.to_plotly_json()
        content["layout"] = {**content["layout"], "paper_bgcolor": background}
        requests.append((content, {"format": form, "width": width, "height": content["layout"].get("height") or 400,
                                 "scale": SCALE if form == "png" else 1}))
    try:
        with ThreadPoolExecutor(1) as executor:  # with a loop of its own, whether or not the caller runs in one
            return executor.submit(asyncio.run, _draw(requests)).result()
    except (RuntimeError, OSError, ValueError) as error:
        raise InputError([Problem("browser-failed", {"type": type(error).__name__, "error": str(error)[:200],
                                  "browser": find_browser()}, field="--format")]) from error


async def _draw(requests: Sequence[tuple[dict, dict]]) -> list[bytes]:
    import kaleido  # of the extra `pictures`

    async with kaleido.Kaleido(n=1, path=find_browser(), mathjax=False) as drawing:
        return [await drawing.calc_fig(content, options) for content, options in requests]
