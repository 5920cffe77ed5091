"""Figures as files: plotly's JSON, and PNG and SVG, which kaleido draws with a Chromium of this machine."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ragdash.core.errors import InputError, Problem
from ragdash.reporting.tables.export import Form

PICTURES = {"png": Form("PNG", "png", "image/png"), "svg": Form("SVG", "svg", "image/svg+xml"),
            "json": Form("Plotly JSON", "json", "application/json")}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
WIDTH, SCALE = 1000, 2  # pixels, and how many of the file stand for one of them


def browser() -> str | None:
    """Path of a Chromium: that of the environment's CHROMIUM or BROWSER_PATH, else one on the path; None if none."""
    configured = os.environ.get("CHROMIUM") or os.environ.get("BROWSER_PATH")
    if configured:
        return shutil.which(configured)
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def lacking() -> Problem | None:
    """What keeps this machine from drawing PNG and SVG, with its fix; None where nothing does."""
    if importlib.util.find_spec("kaleido") is None:
        return Problem("no-kaleido", field="--format")
    if browser() is None:
        return Problem("no-browser", {"browsers": list(BROWSERS[:3])}, field="--format")
    return None


def picture(figure, form: str, *, background: str = "#ffffff", width: int = WIDTH) -> bytes:
    """A plotly figure as one of PICTURES, its height as in its layout; else as `pictures`."""
    return pictures([figure], form, background=background, width=width)[0]


def pictures(figures: Sequence, form: str, *, background: str = "#ffffff", width: int = WIDTH) -> list[bytes]:
    """Several at once, which starts the browser once. width: pixels; a PNG has SCALE times as many.

    background: of png and svg, as "#rrggbb". Nothing is fetched: no MathJax, and plotly.js comes with plotly.
    InputError where png and svg cannot be drawn on this machine, or the browser fails.
    """
    if form == "json":
        return [figure.to_json().encode() for figure in figures]
    problem = lacking()
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
            return executor.submit(asyncio.run, _drawn(requests)).result()
    except (RuntimeError, OSError, ValueError) as error:
        raise InputError([Problem("browser-failed", {"type": type(error).__name__, "error": str(error)[:200],
                                  "browser": browser()}, field="--format")]) from error


async def _drawn(requests: Sequence[tuple[dict, dict]]) -> list[bytes]:
    import kaleido  # of the extra `pictures`

    async with kaleido.Kaleido(n=1, path=browser(), mathjax=False) as drawing:
        return [await drawing.calc_fig(content, options) for content, options in requests]
