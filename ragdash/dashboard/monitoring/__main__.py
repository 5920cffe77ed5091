"""Streamlit with the status server next to it: `python -m ragdash.dashboard.monitoring run app.py ...`."""

from __future__ import annotations

import os
import sys

from streamlit.web import cli

from ragdash.dashboard.monitoring.status_server import VARIABLE, serve
from ragdash.dashboard.monitoring.warm_up import warm_up

if __name__ == "__main__":
    warm_up()
    serve(os.environ[VARIABLE], words=sys.argv)
    cli.main(prog_name="streamlit")
