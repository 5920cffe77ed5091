"""`ragdash workspace`: create or change the tables of a shared workspace, and clean up its files."""

from __future__ import annotations

import argparse
import os

from ragdash.core.console import print_note
from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.addresses import BLOBS, WORKSPACE, database_address, is_address
from ragdash.core.storage.shared import open_database
from ragdash.workspace.opening import open_records, open_workspace


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    actions = parser.add_subparsers(required=True, dest="action", metavar="ACTION")
    upgrade = actions.add_parser("upgrade", help="create the tables in a database, or change those of an older "
                                 "version; stop the servers of the older version first")
    check = actions.add_parser("check", help="can the workspace be read and written?")
    collect = actions.add_parser("collect", help="delete the files of runs that were deleted more than a day ago, and "
                                 "of uploads that were interrupted")
    for action in (upgrade, check, collect):
        action.add_argument("workspace", nargs="?", metavar="ADDRESS",
                            help="postgresql://user@host/database; default: RAGDASH_WORKSPACE")
    for action in (check, collect):
        action.add_argument("--blobs", metavar="URL", help="where its files are; default: RAGDASH_BLOBS, else the "
                            "database")


def run(options: argparse.Namespace) -> int:
    """Run the action."""
    address = options.workspace or os.environ.get(WORKSPACE) or ""
    if not is_address(address):
        raise InputError([Problem("no-database-named", {}, address or None)])
    if options.action == "upgrade":
        before, after = open_database(database_address(address)).upgrade()
        location = database_address(address).location
        print_note(f"{location}: tables of version {after}, as before" if before == after
                   else f"{location}: tables of version {after} instead of {before}" if before
                   else f"{location}: tables of version {after} created")
        return 0
    blobs = options.blobs or os.environ.get(BLOBS) or None
    if options.action == "check":
        workspace = open_workspace(address, blobs)
        workspace.check()
        print_note(f"{workspace.location}: can be read and written; runs: {len(workspace.runs(None)):,}")
        return 0
    uploads = open_records(address, blobs).collect()
    print_note(f"deleted uploads: {uploads:,}")
    return 0
