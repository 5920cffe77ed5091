"""plotly.js itself, for standalone pages."""

from __future__ import annotations

import base64
import zlib
from functools import cache

import plotly.offline


@cache
def plotly_js() -> str:
    """The source of plotly.js, some 5 MB, safe within a script element."""
    return plotly.offline.get_plotlyjs().replace("\r\n", "\n").replace("</script", "<\\/script")


@cache
def packed_plotly_js() -> str:
    """The same in 2 MB: DEFLATE (RFC 1951) in base64, which report.js unpacks."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(packer.compress(plotly_js().encode()) + packer.flush()).decode("ascii")
