"""`ragdash --print-completion SHELL`: a script that lets a shell complete commands and options."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ragdash.core.console import write_text

SHELLS = ("bash", "zsh", "fish", "tcsh")


class PrintCompletion(argparse.Action):
    """Print the script for a shell and exit. full_parser: gives the parser with the options of every command."""

    def __init__(self, *arguments, full_parser: Callable[[], argparse.ArgumentParser], **options):
        super().__init__(*arguments, choices=SHELLS, **options)
        self.full_parser = full_parser

    def __call__(self, parser, namespace, values, option_string=None):
        import shtab  # nothing else needs it

        write_text(shtab.complete(self.full_parser(), shell=values) + "\n", None)
        parser.exit()
