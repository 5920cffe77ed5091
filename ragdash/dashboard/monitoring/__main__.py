"""Streamlit with the status server next to it: `python -m ragdash.dashboard.monitoring run app.py ...`."""

from __future__ import annotations

import os

from streamlit.web import cli

from ragdash.dashboard.monitoring.status_server import VARIABLE, serve

if __name__ == "__main__":
    serve(os.environ[VARIABLE])
    cli.main(prog_name="streamlit")
