"""`ragdash workspace`: tables and files of a shared workspace, who did what, and the data of a person or a project."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path

from ragdash.core.console import count, print_note, say
from ragdash.core.errors import InputError, Problem
from ragdash.core.paths import open_private, workspace
from ragdash.core.storage.addresses import BLOBS, WORKSPACE, database_address, is_address
from ragdash.core.storage.folder_files import FolderFiles
from ragdash.core.storage.protocols import EventLog, Files
from ragdash.core.storage.shared import open_database, open_files, open_log
from ragdash.core.storage.sqlite_log import SqliteLog
from ragdash.core.text.quoted import printable
from ragdash.experiments.testset import store
from ragdash.matching.evidence import decision_store
from ragdash.models.judge.tasks.kept_files import KINDS, folder_files, names_of
from ragdash.models.judge.verdict_store.opening import verdicts_at
from ragdash.workspace import saved_views
from ragdash.workspace.copying import copy_workspace
from ragdash.workspace.opening import open_records, open_workspace
from ragdash.workspace.people import audit, whole_project
from ragdash.workspace.people.personal_data import (
    AUDIT_FIELDS,
    DECISION_FIELDS,
    REVIEW_FIELDS,
    PersonalLog,
    delete_personal_data,
    personal_data,
)
from ragdash.workspace.reviews.review_file import ReviewFile

PEOPLE = ("audit", "export-person", "delete-person", "delete-project")
REVIEW_LOGS = {"reviews": "reviews", "labels": "labels", "testsets": "decisions on drafts",
               "blind-labels": "judgments without seeing the old labels"}  # files of one form
SETS = "sets of drafts"
NOUNS = {"run": "run", "truth": "ground truth"}
AUDIT_TITLE = "entries of the audit log"
REMAINS = ("not deleted, because nothing in it names a person: runs, judgments, documents, verdicts of judges, "
           "rubrics, the labeling policy, examples for judges, drafts, prices, descriptions",
           "not deleted, because it is elsewhere: backups and copies, broken files that were set aside, logs of the "
           "proxy, secrets.toml, the account at the provider of the login")
PROJECT_REMAINS = "not deleted, because it is elsewhere: backups, copies, folders and caches of servers and workers"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    actions = parser.add_subparsers(required=True, dest="action", metavar="ACTION")
    upgrade = actions.add_parser("upgrade", help="create the tables in a database, or change those of an older "
                                 "version; stop the servers of the older version first")
    check = actions.add_parser("check", help="can the workspace be read and written, and are all its files there?")
    collect = actions.add_parser("collect", help="delete the files of runs that were deleted more than a day ago, and "
                                 "of uploads that were interrupted")
    copy = actions.add_parser("copy", help="copy a folder into a database, or back; with reviews, labels, sets of "
                              "drafts, decisions, views and verdicts; can be run again")
    copy.add_argument("source", metavar="FROM", help="a folder or postgresql://user@host/database")
    copy.add_argument("target", metavar="TO", help="the same")
    copy.add_argument("--blobs", metavar="URL", help="where the files of TO are, or of FROM where TO is a folder; "
                      "default: the database")
    copy.add_argument("--from-blobs", metavar="URL", help="where the files of FROM are; default: the database")
    for action in (upgrade, check, collect):
        action.add_argument("workspace", nargs="?", metavar="ADDRESS",
                            help="postgresql://user@host/database; default: RAGDASH_WORKSPACE")
    project = _add_people_options(actions)
    for action in (check, collect, project):
        action.add_argument("--blobs", metavar="URL", help="where its files are; default: RAGDASH_BLOBS, else the "
                            "database")


def run(options: argparse.Namespace) -> int:
    """Run the action."""
    if options.action in PEOPLE:
        return _run_people(options)
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
        opened = open_workspace(address, blobs)
        opened.check()
        print_note(f"{opened.location}: can be read and written; runs: {len(opened.runs(None)):,}")
        if lost := opened.lost():
            raise InputError([Problem("lost-files", {"noun": NOUNS[entry.kind], "name": entry.name}, opened.location)
                              for entry in lost])
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
    verdicts = verdicts_at(options.source), verdicts_at(options.target)
    kinds = (SETS, *KINDS)
    files = {kind.replace("_", " "): (*ends, names_of(ends[0], kind)) for kind in kinds
             if (ends := (files_of(options.source, kind), files_of(options.target, kind)))}
    result = copy_workspace(source, target, logs, verdicts, files)
    say(result.problems)
    print_note(f"{target.location}: {', '.join(f'{name} {count:,}' for name, count in result.counts.items())}")
    print_note("not copied: failed questions, values of local models")
    return 2 if result.problems else 0  # a copy without all runs is none that may take the place of the source


def _add_people_options(actions: argparse._SubParsersAction) -> argparse.ArgumentParser:
    """Add the actions about people and projects; the one that deletes a project."""
    audit_action = actions.add_parser("audit", help="print the audit log, or delete old entries")
    audit_action.add_argument("--since", type=_day, metavar="DAY", help="only entries since this day: 2026-01-31")
    audit_action.add_argument("--delete-before", type=_day, metavar="DAY",
                              help="delete entries before this day for good")
    export = actions.add_parser("export-person", help="write everything that is kept under a mail address")
    delete = actions.add_parser("delete-person", help="delete everything that is kept under a mail address, for good")
    project = actions.add_parser("delete-project", help="delete everything of a workspace, for good; stop its servers "
                                 "and workers first")
    project.add_argument("name", metavar="NAME", help="the name of the project in the database (default), or of the "
                         "folder: what is deleted is said twice")
    for action in (export, delete):
        action.add_argument("email", metavar="EMAIL", help="the mail address of the login")
        action.add_argument("--name", default="", help="also saved views under this name, which have no address")
    for action in (audit_action, export):
        action.add_argument("-o", "--output", metavar="FILE", help="a file instead of standard output")
    for action in (audit_action, export, delete, project):
        action.add_argument("--workspace", metavar="WHERE", help="a folder or postgresql://user@host/database; "
                            "default: RAGDASH_WORKSPACE, else the folder of the user")
    return project


def _run_people(options: argparse.Namespace) -> int:
    """Run an action about people."""
    where = options.workspace or os.environ.get(WORKSPACE) or str(workspace())
    if not is_address(where) and not Path(where).expanduser().is_dir():
        raise InputError([Problem("no-workspace", {}, where)])
    if options.action == "audit":
        return _audit(options, where)
    if options.action == "delete-project":
        return _delete_project(options, where)
    if "@" not in options.email:
        raise InputError([Problem("bad-mail-address", {"value": options.email}, field="EMAIL")])
    logs = _logs(where)
    if options.action == "export-person":
        events = personal_data(*logs, options.email, options.name)
        _write(json.dumps({"person": options.email, **events}, ensure_ascii=False, indent=2) + "\n", options.output)
        _say_counts("found", {title: len(listed) for title, listed in events.items()})
        return 0
    counts, pseudonym = delete_personal_data(*logs, options.email, options.name)
    _say_counts("deleted", {title: number for title, number in counts.items() if title != AUDIT_TITLE})
    if counts:
        _note(where, "delete-person", pseudonym)
    if pseudonym:
        print_note(f"kept under {pseudonym}, because others must see what was done: {AUDIT_TITLE}: "
                   f"{counts[AUDIT_TITLE]:,}")
    if counts:
        for line in REMAINS:
            print_note(line)
    return 0


def _delete_project(options: argparse.Namespace, where: str) -> int:
    """Delete a whole workspace; its name is said twice, so that a wrong address deletes nothing."""
    expected = whole_project.name_of(where, is_address(where))
    if options.name != expected:
        raise InputError([Problem("project-name", {"name": options.name, "expected": expected}, field="NAME")])
    if is_address(where):
        counts = whole_project.delete_in_database(where, options.blobs or os.environ.get(BLOBS) or None)
        _say_counts("deleted", dict(counts))
        if counts:
            _note(where, "delete-project", expected)
    else:
        files, left = whole_project.delete_folder(Path(where).expanduser())
        _say_counts("deleted", {"files": files} if files else {})
        if left:
            print_note(f"not deleted, because ragdash did not make it: {', '.join(map(printable, left))}")
    print_note(PROJECT_REMAINS)
    return 0


def _note(where: str, action: str, thing: str) -> None:
    """Note a deletion by command in the audit log: it is the one trace that something is gone."""
    audit.AuditLog(Path(), event_log(where, audit.LOG)).add(
        audit.AuditEntry(action, "ragdash workspace", "command", thing, audit.utc_time()))


def event_log(where: str, name: str) -> EventLog:
    """An event log of a workspace: a folder, or the address of a database."""
    if is_address(where):
        return open_log(database_address(where), name)
    folder = Path(where).expanduser()
    files: dict[str, SqliteLog] = {saved_views.LOG: saved_views.view_file(folder / saved_views.FILE),
                                   decision_store.LOG: decision_store.decision_file(folder / decision_store.FILE),
                                   audit.LOG: audit.audit_file(folder / audit.FILE)}
    return files.get(name) or ReviewFile(folder / f"{name}.sqlite")


def files_of(where: str, kind: str) -> Files:
    """The files of a kind of a workspace: a folder, or the address of a database."""
    if is_address(where):
        return open_files(database_address(where), store.FOLDER if kind == SETS else kind)
    folder = Path(where).expanduser()
    return FolderFiles(folder / store.FOLDER, store.SUFFIX) if kind == SETS else folder_files(folder, kind)


def _audit(options: argparse.Namespace, where: str) -> int:
    log = audit.AuditLog(Path(), event_log(where, audit.LOG))
    if options.delete_before:
        print_note(f"deleted: {AUDIT_TITLE}: {log.erase_before(options.delete_before):,}")
        return 0
    entries = [entry for entry in log.entries() if entry.when[:10] >= (options.since or "")]
    if options.output:
        _write(audit.entry_lines(entries), options.output)
    else:
        for entry in entries:
            print("  ".join(printable(text) for text in (entry.when, entry.who, entry.role, entry.action,
                                                         entry.object or "-", entry.outcome)))
    print_note(count(len(entries), "entry", "entries"))
    return 0


def _logs(where: str) -> tuple[list[PersonalLog], PersonalLog]:
    """The logs that name people, and the audit log."""
    logs = [PersonalLog(title, event_log(where, name), REVIEW_FIELDS, "by", "of")
            for name, title in REVIEW_LOGS.items()]
    logs += [PersonalLog("evidence decisions", event_log(where, decision_store.LOG), DECISION_FIELDS, "by", "query_id"),
             PersonalLog("saved views", event_log(where, saved_views.LOG), ("kind", "view"), "view", "slug")]
    return logs, PersonalLog(AUDIT_TITLE, event_log(where, audit.LOG), AUDIT_FIELDS, "who", "action")


def _write(text: str, output: str | None) -> None:
    """Write to a file that its owner alone may read, or to standard output."""
    if output is None:
        sys.stdout.write(text)
        return
    try:
        with open_private(Path(output), "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise InputError([Problem("unwritable-file", {"reason": error.strerror or str(error)}, output)]) from None


def _say_counts(what: str, counts: dict[str, int]) -> None:
    numbers = ", ".join(f"{title} {number:,}" for title, number in counts.items())
    print_note(f"{what}: {numbers}" if numbers else f"{what}: nothing")


def _day(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no day, such as 2026-01-31")
    return text
