"""`ragdash jobs`: what workers of a workspace in a database do, and the end of a job."""

from __future__ import annotations

import argparse

from ragdash.cli.commands.serving.worker import add_workspace_option, workspace_address
from ragdash.core.console import count, duration, print_note
from ragdash.core.errors import InputError, Problem
from ragdash.core.storage.protocols import JobRecord
from ragdash.core.text.quoted import printable
from ragdash.workspace.opening import shared_jobs


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_workspace_option(parser)
    parser.add_argument("--cancel", metavar="ID", help="ask the worker to stop after the requests in flight; the start "
                        "of an id is enough")
    parser.add_argument("--at-once", action="store_true", help="with --cancel: do not wait for the worker")


def run(options: argparse.Namespace) -> int:
    """List jobs and workers, or cancel a job."""
    queue = shared_jobs(workspace_address(options))
    if options.cancel is not None:
        job = queue.find(options.cancel) if options.cancel else None
        if job is None:
            raise InputError([Problem("no-job", {"id": options.cancel}, field="--cancel")])
        queue.cancel(job.id, options.at_once)
        print(_line(queue.find(job.id) or job))
        return 0
    queue.sweep()
    for job in queue.listed():
        print(_line(job))
    workers = queue.workers()
    print_note(f"{count(len(workers), 'worker')}{': ' if workers else ''}{', '.join(workers)}")
    return 0


def _line(job: JobRecord) -> str:
    """A job in a line; never a text of a user."""
    state = "stopping" if job.active and job.cancel else job.state
    report = job.result.get("report") or {}
    amount = count(report["asked"], "call") if "asked" in report else \
        f"{report['computed']:,} computed" if "computed" in report else ""
    lost = f"{count(job.lost, 'call')} in flight as a worker ended" if job.lost else ""
    stopped = "" if job.active else str(report.get("stopped") or "")  # a worker that was stopped gave it back
    words = (job.progress.get("words", "") if job.active else "", amount, stopped, _reason(job), lost)
    details = "; ".join(printable(str(text)) for text in words if text)
    return f"{job.id}  {job.kind}  {state}  {duration(job.seconds)} ago{f'  {details}' if details else ''}"


def _reason(job: JobRecord) -> str:
    """Why a job failed, by the kinds of its problems: their words may have texts of users, and are on the page."""
    if job.state != "failed":
        return ""
    kinds = [str(problem.get("kind", "")) for problem in job.result.get("problems") or ()]
    return ", ".join(dict.fromkeys(kinds)) or "its workers ended in the middle of it"
