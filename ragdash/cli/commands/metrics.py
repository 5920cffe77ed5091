"""`ragdash metrics`: every metric with its parameters, range, formula and source."""

from __future__ import annotations

import argparse

from ragdash.core.console import write_text
from ragdash.metrics import METRICS, find_metric
from ragdash.metrics.docs.reference import as_json, as_markdown, as_text

FORMATS = {"table": as_text, "json": as_json, "markdown": as_markdown}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("names", nargs="*", metavar="METRIC", help="only these (default: all)")
    parser.add_argument("--format", choices=FORMATS, default="table", help="of the result (default: table)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result to this file")


def run(options: argparse.Namespace) -> int:
    """Write the reference of the metrics named, or of all; returns the exit status."""
    metrics = [find_metric(name) for name in options.names] if options.names else list(METRICS.values())
    write_text(FORMATS[options.format](metrics), options.output)
    return 0
