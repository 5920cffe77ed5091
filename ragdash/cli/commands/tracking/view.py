"""`ragdash view`: the dashboard with the runs of a log folder, which grow while they are recorded."""

from __future__ import annotations

import argparse
import os

from ragdash.cli.commands.serving import dashboard
from ragdash.core.paths import log_folder


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.epilog = "Options behind -- go to Streamlit."
    parser.add_argument("logdir", nargs="?", metavar="DIR", help="folder of recorded runs; default: RAGDASH_LOG_DIR, "
                        "else ./ragdash-logs")
    parser.add_argument("--all", action="store_true", help="load all closed runs when a page is opened, not only the "
                        "20 newest; for Variants of up to 200 runs")
    parser.set_defaults(files=[])
    dashboard.add_server_options(parser)


def run(options: argparse.Namespace) -> int:
    """Start the dashboard with this folder watched; returns its exit status."""
    if options.all:
        os.environ[dashboard.WATCH_ALL] = "1"
    options.logdir = options.logdir or str(log_folder())
    return dashboard.run(options)
