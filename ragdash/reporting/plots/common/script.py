"""plotly.js itself, for standalone pages."""

from __future__ import annotations

from functools import cache

import plotly.offline


@cache
def plotly_js() -> str:
    """The source of plotly.js, some 5 MB, safe within a script element."""
    return plotly.offline.get_plotlyjs().replace("\r\n", "\n").replace("</script", "<\\/script")
