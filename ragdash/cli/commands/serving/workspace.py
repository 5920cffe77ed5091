"""`ragdash workspace`: create or change the tables of a shared workspace, and clean up its files."""

from __future__ import annotations

import argparse
import os

from ragdash.cli.commands.serving import people
from ragdash.cli.commands.serving.people import REVIEW_LOGS, event_log
from ragdash.core.console import print_note, say
from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.addresses import BLOBS, WORKSPACE, database_address, is_address
from ragdash.core.storage.shared import open_database
from ragdash.matching.evidence import decision_store
from ragdash.models.judge.verdict_store.opening import verdicts_at
from ragdash.workspace import saved_views
from ragdash.workspace.copying import copy_workspace
from ragdash.workspace.opening import open_records, open_workspace
from ragdash.workspace.people import audit

PEOPLE = ("audit", "export-person", "delete-person")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    actions = parser.add_subparsers(required=True, dest="action", metavar="ACTION")
    upgrade = actions.add_parser("upgrade", help="create the tables in a database, or change those of an older "
                                 "version; stop the servers of the older version first")
    check = actions.add_parser("check", help="can the workspace be read and written?")
    collect = actions.add_parser("collect", help="delete the files of runs that were deleted more than a day ago, and "
                                 "of uploads that were interrupted")
    copy = actions.add_parser("copy", help="copy a folder into a database, or back; with reviews, labels, decisions, "
                              "views and verdicts; can be run again")
    copy.add_argument("source", metavar="FROM", help="a folder or postgresql://user@host/database")
    copy.add_argument("target", metavar="TO", help="the same")
    copy.add_argument("--blobs", metavar="URL", help="where the files of TO are, or of FROM where TO is a folder; "
                      "default: the database")
    copy.add_argument("--from-blobs", metavar="URL", help="where the files of FROM are; default: the database")
    for action in (upgrade, check, collect):
        action.add_argument("workspace", nargs="?", metavar="ADDRESS",
                            help="postgresql://user@host/database; default: RAGDASH_WORKSPACE")
    people.add_options(actions)
    for action in (check, collect):
        action.add_argument("--blobs", metavar="URL", help="where its files are; default: RAGDASH_BLOBS, else the "
                            "database")


def run(options: argparse.Namespace) -> int:
    """Run the action."""
    if options.action in PEOPLE:
        return people.run(options)
    if options.action == "copy":
        return _copy(options)
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


def _copy(options: argparse.Namespace) -> int:
    """Copy one workspace into another."""
    from_blobs = options.from_blobs or (options.blobs if not is_address(options.target) else None)
    to_blobs = options.blobs if is_address(options.target) or options.from_blobs else None
    source = open_workspace(options.source, from_blobs, read_only=True)
    target = open_workspace(options.target, to_blobs)
    source.check()
    target.check()
    logs = {name: (event_log(options.source, name), event_log(options.target, name))
            for name in (*REVIEW_LOGS, saved_views.LOG, decision_store.LOG, audit.LOG)}
    result = copy_workspace(source, target, logs, (verdicts_at(options.source), verdicts_at(options.target)))
    say(result.problems)
    print_note(f"{target.location}: {', '.join(f'{name} {count:,}' for name, count in result.counts.items())}")
    print_note("not copied: drafts of test sets, rubrics, the labeling policy, open batches, failed questions")
    return 0

